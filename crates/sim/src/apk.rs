//! What is in a file that is to be installed.
//!
//! Three kinds of files can be installed, so that every way an adb client has
//! of installing something also installs an app file:
//! - an app file by itself (`pm install /sdcard/shop.yaml`),
//! - a zip with an app file named `clawperator-app.yaml` in it: call it
//!   `shop.apk`, and `adb install shop.apk` installs it,
//! - any real APK; its code does not run, and its one screen says so.
//!
//! This is pure, and every part of it is bounded: what is read comes from
//! outside.

mod axml;
mod zip;

use crate::app::{self, App};
use std::collections::BTreeMap;

/// The app file in a zip.
pub(crate) const APP_FILE: &str = "clawperator-app.yaml";
/// The description in an APK, and the largest one that is read.
const MANIFEST: &str = "AndroidManifest.xml";
const MAX_MANIFEST: usize = 4 << 20;
/// The longest label that is shown.
const MAX_LABEL: usize = 100;

/// What is wrong with a file that is to be installed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ApkError {
    /// It is neither a zip nor an app file.
    #[error("INSTALL_PARSE_FAILED_NOT_APK: Failed to parse")]
    NotApk,
    /// It is a zip, and its description cannot be read.
    #[error("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: {0}")]
    Manifest(&'static str),
    /// It is an app file with mistakes in it.
    #[error("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: {APP_FILE}: {0}")]
    App(String),
}

/// What an APK says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Its name.
    pub(crate) package: String,
    pub(crate) version_code: u32,
    pub(crate) version_name: String,
    /// Its label, if it is no reference to a resource.
    pub(crate) label: Option<String>,
    /// The part of an app it is, if it is not all of it.
    pub(crate) split: Option<String>,
    /// Whether it is installed for tests only.
    pub(crate) test_only: bool,
    pub(crate) activities: Vec<Declared>,
    pub(crate) permissions: Vec<String>,
}

/// An activity an APK has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) main: bool,
    pub(crate) launcher: bool,
}

/// What is in a file.
#[derive(Clone, Debug)]
pub(crate) enum Contents {
    /// An app of this phone's own kind.
    App(Box<App>),
    /// An app of which only the description can be read.
    Foreign(Manifest),
}

/// The package in a file that is to be installed; none if the file says none.
#[must_use]
pub fn package_of(bytes: &[u8]) -> Option<String> {
    Some(match read(bytes).ok()? {
        Contents::App(app) => app.package,
        Contents::Foreign(manifest) => manifest.package,
    })
}

/// Reads a file that is to be installed.
pub(crate) fn read(bytes: &[u8]) -> Result<Contents, ApkError> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return bare_app(bytes);
    }
    let archive = zip::Archive::read(bytes).map_err(|_| ApkError::NotApk)?;
    if let Some(file) = archive.file(APP_FILE, app::MAX_FILE) {
        let file = file.map_err(|_| ApkError::App("cannot be unpacked".to_owned()))?;
        let text = String::from_utf8(file).map_err(|_| ApkError::App("is no text".to_owned()))?;
        return app_of(&text);
    }
    let manifest = archive
        .file(MANIFEST, MAX_MANIFEST)
        .ok_or(ApkError::Manifest("AndroidManifest.xml is missing"))?
        .map_err(|_| ApkError::Manifest("AndroidManifest.xml cannot be unpacked"))?;
    let manifest = axml::manifest(&manifest).map_err(ApkError::Manifest)?;
    if !is_package_name(&manifest.package) {
        return Err(ApkError::Manifest("the package has no name a package can have"));
    }
    Ok(Contents::Foreign(manifest))
}

/// An app file by itself; what has no `package:` is not taken for one.
fn bare_app(bytes: &[u8]) -> Result<Contents, ApkError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApkError::NotApk)?;
    if text.lines().any(|line| line.starts_with("package:")) {
        app_of(text)
    } else {
        Err(ApkError::NotApk)
    }
}

fn app_of(text: &str) -> Result<Contents, ApkError> {
    let app = app::parse(text).map_err(|problems| ApkError::App(problems.to_string()))?;
    if !is_package_name(&app.package) {
        return Err(ApkError::App(
            "the package has no name a package can have".to_owned(),
        ));
    }
    Ok(Contents::App(Box::new(app)))
}

/// Tells whether a package can have this name.
fn is_package_name(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.len() <= 223 && name.contains('.') && name.split('.').all(part)
}

impl Manifest {
    /// The placeholder app: its activities are there, and its one screen
    /// says that nothing is behind them.
    pub(crate) fn placeholder(&self) -> Result<App, ApkError> {
        let label = self.label.as_deref().filter(|label| !label.trim().is_empty());
        let last = self.package.rsplit('.').next().unwrap_or_default();
        let label = printable(label.unwrap_or(last));
        let mut activities: Vec<_> = self.activities.iter().collect();
        let named = |activity: &Declared| is_class_name(&activity.name);
        activities.retain(|activity| named(activity));
        // Its main activity is its first one.
        activities.sort_by_key(|activity| (!activity.launcher, !activity.main));
        let rows = activities.iter().map(|activity| {
            serde_json::json!({
                "name": activity.name, "screen": "main", "launcher": activity.main && activity.launcher,
            })
        });
        let permissions: Vec<_> = self.permissions.iter().map(|name| printable(name)).collect();
        let title = label.replace('{', "{{").replace('}', "}}");
        // JSON is YAML, so an app is written as its file is read.
        let file = serde_json::json!({
            "package": self.package,
            "label": label,
            "version": {"name": printable(&self.version_name), "code": self.version_code},
            "permissions": permissions,
            "services": crate::operator::services(&self.package).iter().copied().collect::<BTreeMap<_, _>>(),
            "activities": rows.collect::<Vec<_>>(),
            "screens": {"main": {"title": title, "body": [
                {"text": {"id": "placeholder", "text": PLACEHOLDER}},
            ]}},
        });
        app::parse(&file.to_string()).map_err(|problems| ApkError::App(problems.to_string()))
    }
}

const PLACEHOLDER: &str = "This is a placeholder: the simulated phone does not run the code of an APK.";

fn is_class_name(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
    !name.is_empty() && name.len() <= 500 && name.chars().all(legal)
}

/// Text without what no label has.
fn printable(text: &str) -> String {
    let letters = text.chars().filter(|c| !c.is_control());
    letters.take(MAX_LABEL).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&bytes);
            let _ = axml::manifest(&bytes);
            let mut zip = b"PK\x03\x04".to_vec();
            zip.extend(&bytes);
            let _ = read(&zip);
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
