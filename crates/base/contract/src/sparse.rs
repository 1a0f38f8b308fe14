//! Types whose keys appear only where they apply.

/// Tells whether a field need not be written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Writes a type of which a field without a value is left out.
macro_rules! sparse {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_meta])* #[serde(skip_serializing_if = "crate::sparse::is_default")] pub $field: $type,)*
        }
    };
}
pub(crate) use sparse;
