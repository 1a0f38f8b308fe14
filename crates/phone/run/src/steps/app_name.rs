//! Which package is meant when an app is named by its label.

use crate::outcome::StepFailure;
use crate::run::Run;
use clawperator_contract::ErrorCode;
use clawperator_contract::text::excerpt;
use clawperator_phone::{Launchable, PackageName};
use std::collections::BTreeSet;

/// How an app may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// By its whole label or the last part of its package.
    Exact,
    /// By the beginning of either, too.
    OrBeginning,
}

/// The most apps that a failure lists.
const MAX_LISTED: usize = 8;

/// The package of an app that a caller names: the text itself if it reads like
/// a package, which costs nothing; otherwise the app of that label, which the
/// phone is asked for. None if no app is called that.
pub(super) async fn package_of(
    run: &mut Run<'_>,
    name: &str,
    code: ErrorCode,
    naming: Naming,
) -> Result<Option<String>, StepFailure> {
    if is_package(name) {
        return Ok(Some(name.to_owned()));
    }
    let apps = run.phone().launchable(run.deadline).await;
    let apps = apps.map_err(|error| StepFailure::of(code, &error))?;
    match apps_called(name, &apps, naming).as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(only.package.clone())),
        several => {
            let shown = several.iter().take(MAX_LISTED).map(|app| match &app.label {
                Some(label) => format!("{} ({})", excerpt(label), app.package),
                None => app.package.clone(),
            });
            let shown = shown.collect::<Vec<_>>().join(", ");
            let message = format!("give the package of one of these apps ({shown}), since all fit the name");
            Err(StepFailure::new(code, message).for_good().about(name))
        }
    }
}

/// The failure of a step that no app's name fits.
pub(super) fn not_found(name: &str, code: ErrorCode) -> StepFailure {
    StepFailure::new(code, "no app on the phone has this name").for_good().about(name)
}

/// Tells whether a text reads like a package: words with dots in between, the
/// first in lower case. `Booking.com` does not.
fn is_package(text: &str) -> bool {
    let lower = text.starts_with(|letter: char| letter.is_ascii_lowercase());
    lower && text.contains('.') && PackageName::parse(text).is_ok()
}

/// The apps that may be meant by a name, whatever its case: those of that label; else those whose
/// package ends with it; else those whose label or end of the package begins with it.
fn apps_called<'a>(name: &str, apps: &'a [Launchable], naming: Naming) -> Vec<&'a Launchable> {
    let wanted = name.trim().to_lowercase();
    // A package has neither blanks nor marks.
    let word: String = wanted.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let label = |app: &Launchable| app.label.as_ref().map(|label| label.trim().to_lowercase());
    let end = |app: &Launchable| app.package.rsplit('.').next().map(str::to_lowercase).unwrap_or_default();
    let rules: [&dyn Fn(&Launchable) -> bool; 3] = [
        &|app| label(app).is_some_and(|label| label == wanted),
        &|app| !word.is_empty() && end(app) == word,
        &|app| {
            naming == Naming::OrBeginning
                && (label(app).is_some_and(|label| label.starts_with(&wanted))
                    || !word.is_empty() && end(app).starts_with(&word))
        },
    ];
    let mut found = rules.iter().map(|rule| apps.iter().filter(|app| rule(app)).collect::<Vec<_>>());
    let mut found = found.find(|found| !found.is_empty()).unwrap_or_default();
    // An app may have several icons.
    let mut known = BTreeSet::new();
    found.retain(|app| known.insert(&app.package));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(package: &str, label: Option<&str>) -> Launchable {
        Launchable { package: package.to_owned(), label: label.map(str::to_owned) }
    }

    #[test]
    fn an_app_is_found_by_its_label_then_by_the_end_of_its_package_then_by_a_beginning() {
        let apps = [
            app("com.android.settings", Some("Settings")),
            app("com.example.settings", Some("House")),
            app("com.google.android.dialer", Some("Phone")),
            app("com.example.phonebook", Some("Phone Book")),
            app("com.example.mail", None),
            app("com.example.two", Some("Twice")),
            app("com.example.two", Some("Twice")),
        ];
        let cases: &[(&str, &[&str])] = &[
            ("settings", &["com.android.settings"]),
            (" SETTINGS ", &["com.android.settings"]),
            ("Phone", &["com.google.android.dialer"]),
            ("phone b", &["com.example.phonebook"]),
            ("Dialer", &["com.google.android.dialer"]),
            ("Mail", &["com.example.mail"]),
            ("mai", &["com.example.mail"]),
            ("phone-book", &["com.example.phonebook"]),
            ("ph", &["com.google.android.dialer", "com.example.phonebook"]),
            ("Twice", &["com.example.two"]),
            ("Calendar", &[]),
            ("!", &[]),
        ];
        for (name, wanted) in cases {
            let found: Vec<_> = apps_called(name, &apps, Naming::OrBeginning)
                .iter()
                .map(|app| app.package.as_str())
                .collect();
            assert_eq!(&found, wanted, "{name}");
        }
    }

    #[test]
    fn what_reads_like_a_package_is_one() {
        for (text, is) in [
            ("com.android.settings", true),
            ("no.such.app", true),
            ("Booking.com", false),
            ("Settings", false),
            ("settings", false),
            ("a. b", false),
        ] {
            assert_eq!(is_package(text), is, "{text}");
        }
    }
}
