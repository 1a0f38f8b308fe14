//! Reads an APK: single files of its zip, and its manifest; writes a small one.
//!
//! This crate is pure, and every part of it is bounded: the bytes come from outside.

mod axml;
mod chunk;
mod resources;
mod write;
mod zip;

pub use write::write;
pub use zip::{Archive, ZipError};

/// The name of the manifest in an APK, and the largest one that is read.
const MANIFEST: &str = "AndroidManifest.xml";
const MAX_MANIFEST: usize = 4 << 20;
/// The name of the table of resources in an APK, and the largest one that is read.
const RESOURCES: &str = "resources.arsc";
const MAX_RESOURCES: usize = 64 << 20;

/// What an APK's manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    pub package: String,
    pub version_code: u32,
    pub version_name: String,
    pub label: Option<String>,
    /// The number of the resource that the label is.
    pub label_resource: Option<u32>,
    /// The name of the split; none for the base.
    pub split: Option<String>,
    /// Whether it may only be installed for tests.
    pub test_only: bool,
    pub activities: Vec<DeclaredActivity>,
    pub services: Vec<Component>,
    pub receivers: Vec<Component>,
    /// The providers; what each is asked for as are its authorities.
    pub providers: Vec<Component>,
    /// The permissions that the app asks for.
    pub permissions: Vec<String>,
}

/// A service, receiver or provider that a manifest declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Component {
    pub name: String,
    pub actions: Vec<String>,
}

/// An activity that a manifest declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredActivity {
    pub name: String,
    /// Whether it handles the main action.
    pub main: bool,
    /// Whether it is in the launcher's category.
    pub launcher: bool,
}

impl Archive<'_> {
    /// The manifest, with a label that is a resource looked up.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub fn labelled_manifest(&self) -> Result<Manifest, &'static str> {
        let mut manifest = self.manifest()?;
        if let Some(resource) = manifest.label_resource.filter(|_| manifest.label.is_none()) {
            // An app without a label is called by its package.
            let table = self.file(RESOURCES, MAX_RESOURCES).and_then(Result::ok);
            manifest.label = table.and_then(|table| resources::text(&table, resource));
        }
        Ok(manifest)
    }

    /// The manifest.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub fn manifest(&self) -> Result<Manifest, &'static str> {
        let bytes = self
            .file(MANIFEST, MAX_MANIFEST)
            .ok_or("AndroidManifest.xml is missing")?
            .map_err(|_| "AndroidManifest.xml cannot be unpacked")?;
        let manifest = axml::manifest(&bytes)?;
        if is_package_name(&manifest.package) {
            Ok(manifest)
        } else {
            Err("the package has no name a package can have")
        }
    }
}

/// The name of the package in an APK; none if the bytes are not an APK.
pub fn package_of(bytes: &[u8]) -> Option<String> {
    Some(Archive::read(bytes).ok()?.manifest().ok()?.package)
}

/// Tells whether a package can have this name.
pub fn is_package_name(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.len() <= 223 && name.contains('.') && name.split('.').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = axml::manifest(&bytes);
            let mut zip = b"PK\x03\x04".to_vec();
            zip.extend(&bytes);
            let _ = package_of(&zip);
        }

        #[test]
        fn any_chunks_are_read_or_refused(
            chunks in prop::collection::vec((0..6_usize, 0..40_u16, prop::collection::vec(any::<u8>(), 0..80)), 0..12),
        ) {
            let kinds = [0x0001_u16, 0x0180, 0x0102, 0x0103, 0x0003, 0x0100];
            let mut file = Vec::new();
            for (kind, header, body) in chunks {
                file.extend(kinds[kind].to_le_bytes());
                file.extend(header.to_le_bytes());
                file.extend((8 + body.len() as u32).to_le_bytes());
                file.extend(body);
            }
            let mut whole = vec![3, 0, 8, 0];
            whole.extend((8 + file.len() as u32).to_le_bytes());
            whole.extend(file);
            let _ = axml::manifest(&whole);
        }
    }
}
