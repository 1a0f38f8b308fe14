//! Selector flags to matchers. The flags are turned into the JSON a caller
//! would have written; whether it is a good matcher, the contract decides.

use super::draft::JsonText;
use super::given::{Given, invalid_flag};
use clawperator_contract::{ErrorCode, Failure, MATCHER_FIELDS, MatcherField, ReadError, object_text, text};
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

    fn raw_flag(self) -> String {
        format!("{}selector", self.prefix())
    }

    fn flag(self, field: &MatcherField) -> String {
        format!("{}{}", self.prefix(), field.flag)
    }

    /// Whether a matcher field can be named by a flag of its own.
    fn has_flag(self, field: &MatcherField) -> bool {
        self != Self::Field || field.flag != "text"
    }
}

/// Whether any flag names a matcher, good or bad.
pub(crate) fn is_given(given: &Given, naming: Naming) -> bool {
    given.value(&naming.raw_flag()).is_some() || simple(given, naming).next().is_some()
}

/// The matcher that the flags name, if any of them is there.
pub(crate) fn read(given: &Given, naming: Naming) -> Result<Option<JsonText>, Failure> {
    let raw_flag = naming.raw_flag();
    let mut simple = simple(given, naming).peekable();
    match (given.value(&raw_flag), simple.peek()) {
        (None, None) => return Ok(None),
        (Some(raw), None) => return parse_raw(raw, &raw_flag).map(Some),
        (Some(_), Some(_)) => {
            let message = match naming {
                Naming::Element | Naming::Field => "use --selector OR the simple flags, not both",
                Naming::Container => "use --container-selector OR the --container-* flags, not both",
            };
            return Err(invalid_flag(&raw_flag, message));
        }
        (None, Some(_)) => {}
    }
    let mut fields = Map::new();
    for (field, value) in simple {
        if text::is_blank(value) {
            let flag = naming.flag(field);
            return Err(invalid_flag(&flag, format!("--{flag} must not be blank")));
        }
        fields.insert(field.name.to_owned(), Value::from(value));
    }
    Ok(Some(JsonText::from(Value::Object(fields))))
}

/// The fields that have a flag of their own on the line.
fn simple(given: &Given, naming: Naming) -> impl Iterator<Item = (&'static MatcherField, &str)> {
    let fields = MATCHER_FIELDS.iter().filter(move |field| naming.has_flag(field));
    fields.filter_map(move |field| Some((field, given.value(&naming.flag(field))?)))
}

/// The matcher that the flags name, which a command cannot do without.
pub(crate) fn require(given: &Given, naming: Naming) -> Result<JsonText, Failure> {
    read(given, naming)?.ok_or_else(|| missing(given, naming))
}

/// The error of a command that lacks the selector it needs.
pub(crate) fn missing(given: &Given, naming: Naming) -> Failure {
    let message = format!("{} needs a selector", given.spec().name);
    let hint = match naming {
        // Here --text is what is typed.
        Naming::Field => {
            "Add --id, --desc, --role, one of their variants, --text-contains, --ref or --selector."
        }
        Naming::Element | Naming::Container => ErrorCode::MissingSelector.row().hint,
    };
    let hint = format!("{hint} For example: {}", given.spec().examples[0]);
    Failure::new(ErrorCode::MissingSelector, message).hint(hint)
}

/// The raw text itself goes into the payload, so that whatever is odd about it
/// is judged there.
fn parse_raw(raw: &str, flag: &str) -> Result<JsonText, Failure> {
    if text::is_blank(raw) {
        return Err(invalid_flag(flag, format!("--{flag} must not be blank")));
    }
    match object_text(raw) {
        Ok(Some(object)) => Ok(JsonText::checked(object)),
        Ok(None) => Err(invalid_flag(flag, format!("--{flag} must be a JSON object"))),
        Err(error) => Err(unread(error, flag)),
    }
}

/// What is wrong with a raw matcher that cannot be read.
fn unread(error: ReadError, flag: &str) -> Failure {
    let message = match error {
        ReadError::Syntax { reason, line, column } => {
            format!("--{flag} must be valid JSON: {reason} at line {line}, column {column}")
        }
        ReadError::PastLimit { reason, line, column } => {
            format!("--{flag} {reason} at line {line}, column {column}")
        }
        // These say the same of any JSON.
        ReadError::TooLarge | ReadError::NotUtf8 { .. } | ReadError::Empty => return error.into(),
    };
    invalid_flag(flag, message)
}
