//! Schemas of what is only written: derived from the types that are.

use super::id;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// A schema derived from an output type, as it is written.
pub(super) fn derived<T: JsonSchema>(name: &str) -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    omit_or_say(&mut schema);
    if let Value::Object(object) = &mut schema {
        object.insert("$id".to_owned(), Value::String(id(name)));
    }
    schema
}

/// Takes null from every key that may be missing: it is left out where there is nothing to say. A
/// type of ours says null only under a key that is always there.
fn omit_or_say(schema: &mut Value) {
    match schema {
        Value::Array(list) => list.iter_mut().for_each(omit_or_say),
        Value::Object(object) => {
            let needed = object.get("required").cloned().unwrap_or_default();
            let is_needed = |key: &String| needed.as_array().is_some_and(|keys| keys.contains(&json!(key)));
            if let Some(Value::Object(keys)) = object.get_mut("properties") {
                let optional = keys.iter_mut().filter(|(key, _)| !is_needed(key));
                optional.for_each(|(_, value)| never_null(value));
            }
            object.values_mut().for_each(omit_or_say);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Takes null from what a value may be.
fn never_null(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            object.remove("anyOf");
            object.extend(only);
        }
    }
}
