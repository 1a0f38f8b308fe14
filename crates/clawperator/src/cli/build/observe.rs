//! What only looks: the screen, its elements, and what stands in them.

use super::frame;
use crate::cli::draft::{Draft, JsonText};
use crate::cli::given::{Given, invalid_flag};
use crate::cli::selector::{self, Naming};
use clawperator_contract::{Failure, MATCHER_FIELDS, ParamKey, text};
use serde_json::{Map, Value};

pub(crate) fn snapshot(given: &Given) -> Result<Draft, Failure> {
    let params = [
        (ParamKey::View, given.value("view").map(JsonText::from)),
        (ParamKey::Budget, whole_number(given, "budget")?),
        (ParamKey::Diff, given.has("diff").then(|| JsonText::from(true))),
    ];
    frame::SNAPSHOT.filled(given, params)
}

pub(crate) fn screenshot(given: &Given) -> Result<Draft, Failure> {
    frame::SCREENSHOT.filled(given, [(ParamKey::Path, given.value("path").map(JsonText::from))])
}

pub(crate) fn find(given: &Given) -> Result<Draft, Failure> {
    if given.has("gone") {
        // Waiting for nothing to fit tells of no element, and looks at the screen.
        for flag in ["limit", "visibility"] {
            if given.value(flag).is_some() {
                let message = format!("--{flag} is not supported with --gone");
                return Err(invalid_flag(flag, message));
            }
        }
        return super::wait(given);
    }
    let visibility = given.value("visibility").map(JsonText::from);
    let params = [
        (ParamKey::Matcher, selector::read(given, Naming::Element)?),
        (ParamKey::Visibility, visibility),
        (ParamKey::Limit, whole_number(given, "limit")?),
    ];
    frame::FIND.filled(given, params)
}

/// The whole number of a flag, if it is there; its range is the contract's.
fn whole_number(given: &Given, flag: &str) -> Result<Option<JsonText>, Failure> {
    Ok(given.whole(flag, 0..=u64::MAX)?.map(JsonText::from))
}

pub(crate) fn read(given: &Given) -> Result<Draft, Failure> {
    let matcher = selector::require(given, Naming::Element)?;
    let all = all(given)?;
    let container = selector::read(given, Naming::Container)?;
    frame::READ.filled(
        given,
        [
            (ParamKey::Matcher, Some(matcher)),
            (ParamKey::All, all),
            (ParamKey::Container, container),
        ],
    )
}

pub(crate) fn read_value(given: &Given) -> Result<Draft, Failure> {
    let all = all(given)?;
    let mut label = Map::new();
    let labels = [("label", "text"), ("label-id", "id"), ("label-desc", "desc")];
    for (flag, plain) in labels {
        let Some(value) = given.value(flag) else { continue };
        // An empty label that is the only one is no label.
        let is_only = labels
            .iter()
            .all(|(other, _)| *other == flag || given.value(other).is_none());
        if value.is_empty() && is_only {
            continue;
        }
        if text::is_blank(value) {
            return Err(invalid_flag(flag, format!("--{flag} must not be blank")));
        }
        let field = MATCHER_FIELDS.iter().find(|field| field.flag == plain);
        label.extend(field.map(|field| (field.name.to_owned(), Value::from(value))));
    }
    if label.is_empty() {
        return Err(given.lacks("--label, --label-id or --label-desc"));
    }
    frame::READ_VALUE.filled(
        given,
        [
            (ParamKey::LabelMatcher, Some(JsonText::from(Value::Object(label)))),
            (ParamKey::All, all),
        ],
    )
}

/// Several values only fit in JSON, so they are read by whoever asked for it.
fn all(given: &Given) -> Result<Option<JsonText>, Failure> {
    if given.has("all") && !given.asks_for_json() {
        let message = format!(
            "{} --all needs JSON output asked for in so many words",
            given.spec().name
        );
        return Err(invalid_flag("all", message).hint("Add --json."));
    }
    Ok(given.has("all").then(|| JsonText::from(true)))
}
