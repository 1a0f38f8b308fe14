//! Whether a recipe was tested with what a phone has.

use super::Recipe;
use clawperator_contract::{Warning, WarningCode};

/// What a phone has of a recipe's app, as far as it tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstalledApp {
    /// The version of the app as Android compares it.
    pub version_code: Option<u64>,
    pub android_api: Option<u64>,
    pub locale: Option<String>,
}

/// What is odd about running a recipe there. Nothing is refused: a recipe may
/// work with a version that no one tested.
pub fn warnings(recipe: &Recipe, installed: &InstalledApp) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut add = |path: &str, message: String| {
        found.push(Warning { code: WarningCode::RecipeUntested, path: path.to_owned(), message });
    };
    if let Some(code) = installed.version_code {
        let range = &recipe.compatibility;
        let app = &recipe.application_id;
        if let Some(min) = range.min_version_code.filter(|min| code < *min) {
            let message = format!("{app} has version {code}; the recipe needs at least {min}");
            add("compatibility.min_version_code", message);
        }
        if let Some(max) = range.max_version_code.filter(|max| code > *max) {
            let message = format!("{app} has version {code}; the recipe is for at most {max}");
            add("compatibility.max_version_code", message);
        }
        let is_open = range.min_version_code.is_none() && range.max_version_code.is_none();
        let build = &recipe.app_build;
        if is_open && code != build.version_code {
            let (name, tested) = (&build.version_name, build.version_code);
            let message = format!("{app} has version {code}; the recipe was written for {tested} ({name})");
            add("app_build.version_code", message);
        }
    }
    let tested = &recipe.tested_on;
    if let Some(api) = installed.android_api.filter(|api| *api != tested.android_api) {
        let known = tested.android_api;
        let message = format!("the phone has Android API {api}; the recipe was tested on {known}");
        add("tested_on.android_api", message);
    }
    if let (Some(has), Some(known)) = (&installed.locale, &tested.locale)
        && !is_locale(has, known)
    {
        add("tested_on.locale", format!("the phone speaks {has}; the recipe was tested with {known}"));
    }
    found
}

/// Whether a phone's locale is the one that a recipe names, which may leave out the region.
fn is_locale(has: &str, known: &str) -> bool {
    let parts = |text: &str| -> Vec<String> { text.split(['-', '_']).map(str::to_lowercase).collect() };
    parts(has).starts_with(&parts(known))
}
