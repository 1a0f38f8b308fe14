//! Selector flags to matchers. The contract checks the matcher afterwards.

use crate::args::Args;
use crate::flags;
use crate::spec::FlagSpec;
use clawperator_contract::{ErrorCode, Failure, PayloadValue, ReadError, WHERE, object_text, text};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The flags that together select one thing.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlagSelector {
    /// Each sets one field of a matcher, but the last, which takes a whole one.
    flags: &'static [FlagSpec],
    /// What the flags are called together.
    name: &'static str,
    /// What to do if it is missing; `None` is the usual hint.
    hint: Option<&'static str>,
}

/// `--text`, `--id` and so on.
pub(super) const ELEMENT: FlagSelector =
    FlagSelector { flags: flags::SELECTOR, name: "the simple flags", hint: None };
/// The same without `--text`, which is what `type` types.
pub(super) const FIELD: FlagSelector = FlagSelector {
    flags: flags::FIELD_SELECTOR,
    hint: Some(
        "Add --id, --desc, --role, one of their variants, --text-contains, --ref, --where or --selector.",
    ),
    ..ELEMENT
};
/// `--container-text`, `--container-id` and so on.
pub(super) const CONTAINER: FlagSelector =
    FlagSelector { flags: flags::CONTAINER, name: "the --container-* flags", ..ELEMENT };

/// `--to-text`, `--to-id` and so on.
pub(super) const TO: FlagSelector = FlagSelector {
    flags: flags::TO,
    name: "the --to-* flags",
    hint: Some("Add --to-text, --to-id or another of the --to-* flags."),
};

impl FlagSelector {
    /// Tells whether any of the flags is on the line, good or bad.
    pub(super) fn is_given(self, args: &Args) -> bool {
        self.flags.iter().any(|flag| args.has(flag))
    }

    /// The matcher that the flags make, if any of them is on the line.
    pub(super) fn read(self, args: &Args) -> Result<Option<PayloadValue>, Failure> {
        let Some((raw, simple)) = self.flags.split_last() else {
            return Ok(None);
        };
        match (args.has(raw), simple.iter().any(|flag| args.has(flag))) {
            (false, false) => Ok(None),
            (true, true) => {
                let message = format!("use --{} OR {}, not both", raw.name, self.name);
                Err(args.failure(ErrorCode::ExecutionValidationFailed, raw, message))
            }
            (true, false) => read_object(args, raw).map(Some),
            (false, true) => fields(args, simple).map(Some),
        }
    }

    /// The matcher that the flags make, which the command needs.
    pub(super) fn require(self, args: &Args) -> Result<PayloadValue, Failure> {
        self.read(args)?.ok_or_else(|| self.missing(args))
    }

    /// The same of a command that takes a point instead.
    pub(super) fn missing_or(self, args: &Args, point: &FlagSpec) -> Failure {
        let hint = self.hint.unwrap_or(ErrorCode::MissingSelector.row().hint);
        args.missing_selector(&format!("{hint} For a point, use --{} X Y.", point.name))
    }

    /// The error of a command that lacks the selector it needs.
    pub(super) fn missing(self, args: &Args) -> Failure {
        args.missing_selector(self.hint.unwrap_or(ErrorCode::MissingSelector.row().hint))
    }
}

/// The matcher whose fields the flags set.
pub(super) fn fields(args: &Args, flags: &[FlagSpec]) -> Result<PayloadValue, Failure> {
    let mut fields = BTreeMap::new();
    for flag in flags {
        let (Some(field), Some(value)) = (flag.field, args.value(flag)?) else {
            continue;
        };
        let value = match field {
            WHERE => read_object(args, flag)?,
            _ if text::is_blank(value) => return Err(args.invalid(flag, "must not be blank")),
            _ => PayloadValue::from(value),
        };
        fields.insert(field, value);
    }
    Ok(PayloadValue::Object(fields))
}

/// The JSON object of a flag. Its text goes into the payload as it is, so that
/// the contract reports what is wrong in it.
pub(super) fn read_object(args: &Args, flag: &FlagSpec) -> Result<PayloadValue, Failure> {
    let raw = args.value(flag)?.unwrap_or_default();
    if text::is_blank(raw) {
        return Err(args.invalid(flag, "must not be blank"));
    }
    match object_text(raw) {
        Ok(Some(object)) => RawValue::from_string(object.to_owned())
            .map(PayloadValue::Json)
            .map_err(|error| args.invalid(flag, format!("must be valid JSON: {error}"))),
        Ok(None) => Err(args.invalid(flag, "must be a JSON object")),
        Err(ReadError::Syntax { reason, line, column }) => {
            Err(args.invalid(flag, format!("must be valid JSON: {reason} at line {line}, column {column}")))
        }
        Err(ReadError::PastLimit { reason, line, column }) => {
            Err(args.invalid(flag, format!("{reason} at line {line}, column {column}")))
        }
        // These read the same for any JSON.
        Err(error @ (ReadError::TooLarge | ReadError::NotUtf8 { .. } | ReadError::Empty)) => {
            Err(error.into())
        }
    }
}

/// What ends an act that is repeated: a text, a ref, or a matcher as JSON.
pub(super) fn until(args: &Args) -> Result<Option<PayloadValue>, Failure> {
    let flag = &flags::UNTIL;
    match args.value(flag)? {
        None => Ok(None),
        Some(word) if word.starts_with('{') => read_object(args, flag).map(Some),
        Some(word) => {
            let matcher = RawValue::from_string(clawperator_contract::until(word).to_string());
            let matcher = matcher.map_err(|error| args.invalid(flag, error.to_string()))?;
            Ok(Some(PayloadValue::Json(matcher)))
        }
    }
}
