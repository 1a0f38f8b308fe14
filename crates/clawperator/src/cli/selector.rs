//! Selector flags to matchers. The flags are turned into the JSON a caller
//! would have written; whether it is a good matcher, the contract decides.

use super::draft::JsonText;
use super::given::{Given, invalid_flag};
use clawperator_contract::{ErrorCode, Failure, MATCHER_FIELDS, MatcherField, text};
use serde_json::{Map, Value};

/// Which flags name the matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// `--text`, `--id` and so on.
    Element,
    /// The same without `--text`, which `type` needs for itself.
    Field,
    /// `--container-text`, `--container-id` and so on.
    Container,
}

impl Naming {
    fn prefix(self) -> &'static str {
        match self {
            Self::Element | Self::Field => "",
            Self::Container => "container-",
        }
    }

    /// Whether a matcher field can be named by a flag of its own.
    fn has_flag(self, field: &MatcherField) -> bool {
        self != Self::Field || field.flag != "text"
    }
}

/// The matcher that the flags name, if any of them is there.
pub(crate) fn read(given: &Given, naming: Naming) -> Result<Option<JsonText>, Failure> {
    let prefix = naming.prefix();
    let raw_flag = format!("{prefix}selector");
    let mut fields = Map::new();
    for field in MATCHER_FIELDS.iter().filter(|field| naming.has_flag(field)) {
        let flag = format!("{prefix}{}", field.flag);
        if let Some(value) = given.value(&flag) {
            if text::is_blank(value) {
                return Err(invalid_flag(&flag, format!("--{flag} must not be blank")));
            }
            fields.insert(field.name.to_owned(), Value::from(value));
        }
    }
    match (given.value(&raw_flag), fields.is_empty()) {
        (None, true) => Ok(None),
        (None, false) => Ok(Some(JsonText::from(Value::Object(fields)))),
        (Some(raw), true) => parse_raw(raw, &raw_flag).map(Some),
        (Some(_), false) => {
            let message = match naming {
                Naming::Element | Naming::Field => "use --selector OR the simple flags, not both",
                Naming::Container => "use --container-selector OR the --container-* flags, not both",
            };
            Err(invalid_flag(&raw_flag, message))
        }
    }
}

/// The matcher that the flags name, which a command cannot do without.
pub(crate) fn require(given: &Given, naming: Naming) -> Result<JsonText, Failure> {
    read(given, naming)?.ok_or_else(|| {
        let message = format!("{} needs a selector", given.spec().name);
        let hint = match naming {
            // Here --text is what is typed.
            Naming::Field => {
                "Add --id, --desc, --role, one of their variants, --text-contains or --selector."
            }
            Naming::Element | Naming::Container => ErrorCode::MissingSelector.row().hint,
        };
        let hint = format!("{hint} For example: {}", given.spec().examples[0]);
        Failure::new(ErrorCode::MissingSelector, message).hint(hint)
    })
}

/// The raw text itself goes into the payload, so that whatever is odd about it
/// is judged there.
fn parse_raw(raw: &str, flag: &str) -> Result<JsonText, Failure> {
    if text::is_blank(raw) {
        return Err(invalid_flag(flag, format!("--{flag} must not be blank")));
    }
    let value: Value = serde_json::from_str(raw)
        .map_err(|error| invalid_flag(flag, format!("--{flag} must be valid JSON: {error}")))?;
    if !value.is_object() {
        return Err(invalid_flag(flag, format!("--{flag} must be a JSON object")));
    }
    Ok(JsonText::checked(raw))
}
