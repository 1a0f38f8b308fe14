//! What is in a file that is to be installed.
//!
//! Three kinds of files can be installed, so that every way an adb client has
//! of installing something also installs an app file:
//! - an app file by itself (`pm install /sdcard/shop.yaml`),
//! - a zip with an app file named `clawperator-app.yaml` in it: call it
//!   `shop.apk`, and `adb install shop.apk` installs it,
//! - any real APK; its code does not run, and its one screen says so.
//!
//! This is pure, and every part of it is bounded: what is read comes from outside.

use crate::app::spec::Activity;
use crate::app::{self, App};
use crate::phone::full_name;
pub(crate) use clawperator_apk::Manifest;
use clawperator_apk::{Archive, Component, DeclaredActivity, is_package_name};
use std::collections::BTreeMap;

pub(crate) const APP_FILE: &str = "clawperator-app.yaml";
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

/// What is in a file.
#[derive(Clone, Debug)]
pub(crate) enum ApkContents {
    /// An app of this phone's own kind.
    App(Box<App>),
    /// An app of which only the description can be read.
    Foreign(Box<Manifest>),
}

/// The package in a file that is to be installed; none if the file says none.
pub fn package_of(bytes: &[u8]) -> Option<String> {
    Some(match read(bytes).ok()? {
        ApkContents::App(app) => app.package,
        ApkContents::Foreign(manifest) => manifest.package,
    })
}

/// Reads a file that is to be installed.
pub(crate) fn read(bytes: &[u8]) -> Result<ApkContents, ApkError> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return bare_app(bytes);
    }
    let archive = Archive::read(bytes).map_err(|_| ApkError::NotApk)?;
    if let Some(file) = archive.file(APP_FILE, app::MAX_FILE) {
        let file = file.map_err(|_| ApkError::App("cannot be unpacked".to_owned()))?;
        let text = String::from_utf8(file).map_err(|_| ApkError::App("is no text".to_owned()))?;
        return app_of(&text);
    }
    let manifest = archive.labelled_manifest().map_err(ApkError::Manifest)?;
    Ok(ApkContents::Foreign(Box::new(manifest)))
}

/// An app file by itself; what has no `package:` is not taken for one.
fn bare_app(bytes: &[u8]) -> Result<ApkContents, ApkError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApkError::NotApk)?;
    if text.lines().any(|line| line.starts_with("package:")) { app_of(text) } else { Err(ApkError::NotApk) }
}

fn app_of(text: &str) -> Result<ApkContents, ApkError> {
    let app = app::parse(text).map_err(|problems| ApkError::App(problems.to_string()))?;
    if !is_package_name(&app.package) {
        return Err(ApkError::App("the package has no name a package can have".to_owned()));
    }
    Ok(ApkContents::App(Box::new(app)))
}

/// Helper apps of test tools whose protocol is public: an APK of that package
/// becomes this app, which does what the helper does.
const HELPERS: &[(&str, &str)] = &[
    ("com.android.adbkeyboard", include_str!("../apps/adbkeyboard.yaml")),
    ("com.callstack.agentdevice.imehelper", include_str!("../apps/extra/agentdevice-keyboard.yaml")),
];

/// The app of an APK: a helper that this phone knows, or a placeholder. The activities of a
/// placeholder are there, and its one screen says that nothing is behind them.
pub(crate) fn stand_in(manifest: &Manifest) -> Result<App, ApkError> {
    let Some((_, file)) = HELPERS.iter().find(|row| row.0 == manifest.package) else {
        return placeholder(manifest);
    };
    let mut app = app::parse(file).map_err(|problems| ApkError::App(problems.to_string()))?;
    app.version.code = manifest.version_code;
    app.version.name = printable(&manifest.version_name);
    Ok(app)
}

fn placeholder(manifest: &Manifest) -> Result<App, ApkError> {
    let label = manifest.label.as_deref().filter(|label| !label.trim().is_empty());
    let last = manifest.package.rsplit('.').next().unwrap_or_default();
    let label = printable(label.unwrap_or(last));
    let mut activities: Vec<_> = manifest.activities.iter().collect();
    let named = |activity: &DeclaredActivity| is_class_name(&activity.name);
    activities.retain(|activity| named(activity));
    // Its main activity is its first one.
    activities.sort_by_key(|activity| (!activity.launcher, !activity.main));
    let rows = activities.iter().map(|activity| {
        serde_json::json!({
            "name": activity.name, "screen": "main", "launcher": activity.main && activity.launcher,
        })
    });
    let permissions: Vec<_> = manifest.permissions.iter().map(|name| printable(name)).collect();
    let title = label.replace('{', "{{").replace('}', "}}");
    // JSON is YAML, so an app is written as its file is read.
    let file = serde_json::json!({
        "package": manifest.package,
        "label": label,
        "version": {"name": printable(&manifest.version_name), "code": manifest.version_code},
        "permissions": permissions,
        "services": services(manifest),
        "receivers": by_action(manifest, &manifest.receivers).collect::<BTreeMap<_, _>>(),
        "providers": by_action(manifest, &manifest.providers).collect::<BTreeMap<_, _>>(),
        "activities": rows.collect::<Vec<_>>(),
        "screens": {"main": {"title": title, "body": [
            {"text": {"id": "placeholder", "text": PLACEHOLDER}},
        ]}},
    });
    app::parse(&file.to_string()).map_err(|problems| ApkError::App(problems.to_string()))
}

/// The services: what each is asked for as, and its class.
fn services(manifest: &Manifest) -> BTreeMap<String, String> {
    let own = crate::operator::services(&manifest.package).iter();
    let own = own.map(|(action, class)| ((*action).to_owned(), (*class).to_owned()));
    by_action(manifest, &manifest.services).chain(own).collect()
}

/// What components are asked for as, and the class of each.
fn by_action<'m>(
    manifest: &'m Manifest,
    components: &'m [Component],
) -> impl Iterator<Item = (String, String)> + 'm {
    let named = components.iter().filter(|component| is_class_name(&component.name));
    named.flat_map(|component| {
        let class = full_name(&manifest.package, &component.name);
        let actions = component.actions.iter();
        actions.map(move |action| (printable(action), class.clone()))
    })
}

/// An APK of an app that came with the phone: its manifest alone.
pub(crate) fn manifest_apk(app: &App) -> Vec<u8> {
    let activity = |activity: &Activity| DeclaredActivity {
        name: activity.name.clone(),
        main: activity.launcher,
        launcher: activity.launcher,
    };
    let components = |rows: &BTreeMap<String, String>| {
        let component = |(action, class): (&String, &String)| Component {
            name: class.clone(),
            actions: vec![action.clone()],
        };
        rows.iter().map(component).collect()
    };
    clawperator_apk::write(&Manifest {
        package: app.package.clone(),
        version_code: app.version.code,
        version_name: app.version.name.clone(),
        label: Some(app.label.clone()),
        activities: app.activities.iter().map(activity).collect(),
        services: components(&app.services),
        receivers: components(&app.receivers),
        providers: components(&app.providers),
        permissions: app.permissions.clone(),
        ..Manifest::default()
    })
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
