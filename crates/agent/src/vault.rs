//! What people gave in a session, by name. A model never gets a value: it writes
//! `{{secret:NAME.FIELD}}` in a text that it types, and the value takes its
//! place on the way to the phone. When the session ends, all of it is forgotten.

use crate::approval::{Artifact, Secret};
use crate::result::{ToolError, ToolResult};
use clawperator_contract::{ErrorCode, text};
use clawperator_redact::Secrets;
use std::sync::{Mutex, MutexGuard, PoisonError};

const OPEN: &str = "{{secret:";
const CLOSE: &str = "}}";
/// The most gifts that are kept.
const MOST: usize = 32;

/// The values of a session.
#[derive(Debug, Default)]
pub struct Vault(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    given: Vec<Given>,
    secrets: Secrets,
    /// Values that the session does not know yet.
    untold: Vec<Secret>,
}

/// What a person gave at one time.
#[derive(Debug)]
struct Given {
    name: String,
    /// The app that was in front.
    app: Option<String>,
    values: Vec<(String, Secret)>,
}

/// A part of a text that is to be typed.
enum Part<'t> {
    Plain(&'t str),
    Named(&'t str),
}

impl Vault {
    /// Keeps what a person gave while an app was in front. Returns how its values
    /// are written in a text; there are none if it has no values.
    pub fn keep(&self, artifact: &Artifact, app: Option<&str>) -> Vec<String> {
        let values = artifact.values();
        let mut inner = self.inner();
        if values.is_empty() || inner.given.len() >= MOST {
            return Vec::new();
        }
        for (_, value) in &values {
            inner.secrets.add(value.expose());
            inner.untold.push((*value).clone());
        }
        let kind = artifact.kind();
        let before = inner.given.iter().filter(|given| given.name.starts_with(kind));
        let name = match before.count() {
            0 => kind.to_owned(),
            count => format!("{kind}{}", count + 1),
        };
        let owned = |(key, value): (&str, &Secret)| (key.to_owned(), value.clone());
        let given = Given {
            name,
            app: app.map(str::to_owned),
            values: values.into_iter().map(owned).collect(),
        };
        let names = given.names().map(|name| format!("{OPEN}{name}{CLOSE}")).collect();
        inner.given.push(given);
        names
    }

    /// A text with values in place of their names; `None` if it names none.
    ///
    /// # Errors
    /// It names something that nobody gave.
    pub fn fill(&self, text: &str) -> Result<Option<Secret>, ToolError> {
        let mut filled = String::new();
        let mut has_name = false;
        let inner = self.inner();
        for part in parts(text) {
            match part {
                Part::Plain(plain) => filled.push_str(plain),
                Part::Named(name) => {
                    has_name = true;
                    let (_, value) = inner.find(name).ok_or_else(|| inner.unknown(name))?;
                    filled.push_str(value.expose());
                }
            }
        }
        Ok(has_name.then(|| Secret::new(filled)))
    }

    /// Why a person must be asked before this text is typed into an app: what it
    /// names was given while another one was in front.
    #[must_use]
    pub fn doubt(&self, text: &str, app: Option<&str>) -> Option<String> {
        let inner = self.inner();
        let given = parts(text).find_map(|part| match part {
            Part::Plain(_) => None,
            Part::Named(name) => {
                let (given, _) = inner.find(name)?;
                (app.is_none() || given.app.as_deref() != app).then_some(given)
            }
        })?;
        let place = |app: Option<&str>| app.unwrap_or("an unknown app").to_owned();
        Some(format!(
            "What a person gave in {} is about to be typed in {}.",
            place(given.app.as_deref()),
            place(app)
        ))
    }

    /// Every value.
    #[must_use]
    pub fn values(&self) -> Vec<Secret> {
        let inner = self.inner();
        let values = inner.given.iter().flat_map(|given| &given.values);
        values.map(|(_, value)| value.clone()).collect()
    }

    /// The values that were given since the last call.
    #[must_use]
    pub fn take_untold(&self) -> Vec<Secret> {
        std::mem::take(&mut self.inner().untold)
    }

    /// A result without the values, whatever a tool has read.
    #[must_use]
    pub fn hide(&self, mut result: ToolResult) -> ToolResult {
        let inner = self.inner();
        if inner.secrets.is_empty() {
            return result;
        }
        result.text = inner.secrets.hide(&result.text);
        inner.secrets.hide_in_json(&mut result.data);
        if let Some(error) = &mut result.error {
            error.message = inner.secrets.hide(&error.message);
        }
        result
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn find(&self, wanted: &str) -> Option<(&Given, &Secret)> {
        self.given.iter().find_map(|given| {
            let key = wanted.strip_prefix(given.name.as_str())?.strip_prefix('.')?;
            let (_, value) = given.values.iter().find(|(known, _)| known == key)?;
            Some((given, value))
        })
    }

    fn unknown(&self, name: &str) -> ToolError {
        let known: Vec<String> = self.given.iter().flat_map(Given::names).collect();
        let hint = match known.is_empty() {
            true => "Nobody gave anything in this session; ask with request_human_auth.".to_owned(),
            false => format!("Use one of {}.", known.join(", ")),
        };
        let message = format!(
            "There is no value \"{}\"; nothing was typed.",
            text::excerpt(name)
        );
        ToolError::new(ErrorCode::SecretUnknown, message).with_hint(hint)
    }
}

impl Given {
    fn names(&self) -> impl Iterator<Item = String> {
        self.values.iter().map(|(key, _)| format!("{}.{key}", self.name))
    }
}

/// What stands in a text between the names of values, and so is in it literally.
pub(crate) fn literals(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter_map(|part| match part {
        Part::Plain(plain) => Some(plain),
        Part::Named(_) => None,
    })
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if let Some(name) = rest.strip_prefix(OPEN) {
            // What has no end names nothing that anybody gave.
            let (name, after) = name.split_once(CLOSE).unwrap_or((rest, ""));
            rest = after;
            return Some(Part::Named(name.trim()));
        }
        let end = rest.find(OPEN).unwrap_or(rest.len());
        let (plain, after) = rest.split_at(end);
        rest = after;
        (!plain.is_empty()).then_some(Part::Plain(plain))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::FormValue;
    use serde_json::json;

    fn login(username: &str, password: &str) -> Artifact {
        Artifact::Credentials {
            username: Secret::new(username),
            password: Secret::new(password),
        }
    }

    #[test]
    fn a_name_stands_for_a_value_and_an_unknown_one_is_refused() {
        let vault = Vault::default();
        let names = vault.keep(&login("walter", "hunter2"), Some("com.shop"));
        assert_eq!(
            names,
            [
                "{{secret:credentials.username}}",
                "{{secret:credentials.password}}"
            ]
        );
        vault.keep(&login("second", "other"), Some("com.shop"));
        let card = FormValue {
            key: "cardNumber".to_owned(),
            value: Secret::new("4111"),
        };
        vault.keep(&Artifact::PaymentCard(vec![card]), None);
        for (text, typed) in [
            ("plain {{x}} text", None),
            ("{{secret:credentials.password}}", Some("hunter2")),
            (
                "<{{secret: credentials2.username }}>\n{{secret:payment_card.cardNumber}}",
                Some("<second>\n4111"),
            ),
        ] {
            let filled = vault.fill(text).unwrap();
            assert_eq!(filled.as_ref().map(Secret::expose), typed, "{text}");
        }
        for text in [
            "{{secret:credentials.pin}}",
            "{{secret:nobody.password}}",
            "{{secret:credentials.password",
            "{{secret:}}",
        ] {
            let error = vault.fill(text).unwrap_err();
            assert_eq!(error.code, ErrorCode::SecretUnknown, "{text}");
            assert!(error.hint.contains("credentials2.password"), "{}", error.hint);
            assert!(!format!("{error:?}").contains("hunter2"));
        }
        assert!(!format!("{vault:?}").contains("hunter2"));
        assert_eq!(vault.take_untold().len(), 5);
        assert!(vault.take_untold().is_empty());
    }

    #[test]
    fn a_value_for_another_app_is_in_doubt() {
        let vault = Vault::default();
        vault.keep(&login("walter", "hunter2"), Some("com.shop"));
        let text = "{{secret:credentials.password}}";
        assert_eq!(vault.doubt(text, Some("com.shop")), None);
        assert_eq!(vault.doubt("hunter2", Some("com.evil")), None);
        let doubt = vault.doubt(text, Some("com.evil")).unwrap();
        assert!(
            doubt.contains("com.shop") && doubt.contains("com.evil"),
            "{doubt}"
        );
        assert!(vault.doubt(text, None).is_some());
    }

    #[test]
    fn a_result_never_has_a_value() {
        let vault = Vault::default();
        vault.keep(&login("walter", "hunter2"), None);
        let error = ToolError::new(ErrorCode::DeviceShellUnavailable, "it printed hunter2");
        let result = ToolResult::failed(error).with_data(json!({"stdout": ["walter:hunter2"]}));
        let hidden = format!("{:?}", vault.hide(result));
        assert!(
            !hidden.contains("hunter2") && !hidden.contains("walter"),
            "{hidden}"
        );
    }

    #[test]
    fn literals_are_what_stands_between_names() {
        let found: Vec<&str> = literals("a{{secret:b.c}}d{{secret:e.f}}").collect();
        assert_eq!(found, ["a", "d"]);
        assert_eq!(literals("abc").collect::<Vec<_>>(), ["abc"]);
    }
}
