//! Values: one parameter at a time, each of its type and within its bounds.

use super::fields::{Fields, expect_flag, expect_number, expect_text, within_length, wrong_type};
use super::report::Report;
use super::rules::clamped;
use crate::action::ActionKind;
use crate::json::{Kind, Value};
use crate::limits::{MAX_COORDINATE, MAX_MATCHER_VALUE_LENGTH};
use crate::matcher::{MATCHER_FIELDS, Matcher, MatcherField};
use crate::param::{Coordinate, PARAM_COUNT, PARAMS, ParamKey, ParamValue, Params, Shape};
use crate::path::At;
use crate::problem::WarningCode;
use crate::retry::{RETRY_FIELDS, RetryObject};
use crate::text;
use std::sync::Arc;

/// The parameters that are fine, and which others were given.
#[derive(Default)]
pub(super) struct DraftParams {
    /// Whether there was a `params` object.
    pub(super) given: bool,
    /// The values that can be trusted.
    pub(super) good: Params,
    /// The keys whose problem is already reported; rules leave them alone.
    pub(super) bad: Vec<ParamKey>,
}

/// Reads the parameters of one action. `None` means they are no object at all,
/// so that no rule can judge them.
pub(super) fn read_params<'w>(
    json: Value<'w>,
    kind: Option<ActionKind>,
    at: &At<'_>,
    report: &mut Report<'w>,
) -> Option<DraftParams> {
    let mut draft = DraftParams {
        given: true,
        ..DraftParams::default()
    };
    if json.kind() != Kind::Object {
        return wrong_type(json, "an object", at, report);
    }
    let position = |key: &str| ParamKey::from_name(key).map(|key| key as usize);
    let mut fields = Fields::<PARAM_COUNT>::sort(json, position, at, report);
    for place in fields.places() {
        let spec = &PARAMS[place];
        let before = fields.report.count();
        let Some(value) = fields.at_place(place, spec.name) else {
            continue;
        };
        let at = at.field(spec.name);
        match read_value(value, spec.shape, &at, fields.report) {
            Some(value) if fields.report.count() == before => draft.good.push(spec.key, value),
            _ => draft.bad.push(spec.key),
        }
    }
    let names = || {
        PARAMS
            .iter()
            .flat_map(|spec| spec.aliases.iter().chain([&spec.name]).copied())
    };
    let others = fields.refuse_others(|| names().collect());
    hint_at_removed(&others, kind, report);
    Some(draft)
}

fn hint_at_removed(keys: &[&str], kind: Option<ActionKind>, report: &mut Report<'_>) {
    let Some(spec) = kind.map(ActionKind::spec) else {
        return;
    };
    let removed = spec.removed.iter().find(|name| keys.contains(name));
    if let Some(name) = removed {
        report.hint_last(format!(
            "\"{name}\" was removed from {}; leave it out.",
            spec.name
        ));
    }
}

fn read_value<'w>(json: Value<'w>, shape: Shape, at: &At<'_>, report: &mut Report<'w>) -> Option<ParamValue> {
    match shape {
        Shape::Text => expect_text(json, at, report).map(|text| ParamValue::Text(text.into())),
        Shape::ShortText(max) => {
            let text = expect_text(json, at, report)?;
            within_length(text, max, at, report).then(|| ParamValue::Text(text.into()))
        }
        Shape::Number => expect_number(json, at, report).map(ParamValue::Number),
        Shape::Flag => expect_flag(json, at, report).map(ParamValue::Flag),
        Shape::Matcher => {
            read_matcher(json, at, report).map(|matcher| ParamValue::Matcher(Arc::new(matcher)))
        }
        Shape::Coordinate => read_coordinate(json, at, report).map(ParamValue::Coordinate),
        Shape::Retry => read_retry(json, at, report).map(|retry| ParamValue::Retry(Box::new(retry))),
    }
}

fn read_matcher<'w>(json: Value<'w>, at: &At<'_>, report: &mut Report<'w>) -> Option<Matcher> {
    if json.kind() != Kind::Object {
        return wrong_type(json, "an object", at, report);
    }
    let position = |key: &str| MATCHER_FIELDS.iter().position(|field| field.name == key);
    let mut fields = Fields::<{ MATCHER_FIELDS.len() }>::sort(json, position, at, report);
    let mut matcher = Matcher::default();
    let mut blank = Vec::new();
    let mut is_empty = true;
    for place in fields.places() {
        let field = &MATCHER_FIELDS[place];
        let Some(value) = fields.at_place(place, field.name) else {
            continue;
        };
        let at = at.field(field.name);
        let Some(text) = expect_text(value, &at, fields.report) else {
            is_empty = false;
            continue;
        };
        let solid = !text::is_blank(text);
        is_empty &= !solid;
        if !solid {
            blank.push(field.name);
        } else if within_length(text, MAX_MATCHER_VALUE_LENGTH, &at, fields.report)
            && has_form(field, text, &at, fields.report)
        {
            *(field.slot)(&mut matcher) = Some(text.to_owned());
        }
    }
    // Blank fields beside others are a slip; nothing but blank is no matcher.
    if !is_empty {
        for name in blank {
            let problem = fields
                .report
                .problem(&at.field(name), format!("{name} must not be blank"));
            problem.hint = Some("Leave the field out if it does not matter.".to_owned());
        }
    }
    let others = fields.refuse_others(|| MATCHER_FIELDS.iter().map(|field| field.name).collect());
    if is_empty && others.is_empty() {
        let known = MATCHER_FIELDS.map(|field| field.name);
        let problem = report.problem(
            at,
            format!("{} must have at least one field that is not blank", at.name()),
        );
        problem.hint = Some(format!("Fields: {}.", known.join(", ")));
    }
    Some(matcher)
}

/// Tells whether a field's value looks as it must, or reports that it does not.
fn has_form(field: &MatcherField, text: &str, at: &At<'_>, report: &mut Report<'_>) -> bool {
    let fits = field.form.fits(text);
    if !fits {
        let message = format!(
            "{} must look like @e7, not \"{}\"",
            field.name,
            text::excerpt(text)
        );
        let problem = report.problem(at, message);
        problem.hint = Some("Take a snapshot with view compact, or search, to get refs.".to_owned());
    }
    fits
}

fn read_coordinate<'w>(json: Value<'w>, at: &At<'_>, report: &mut Report<'w>) -> Option<Coordinate> {
    const AXES: [&str; 2] = ["x", "y"];
    if json.kind() != Kind::Object {
        return wrong_type(json, "an object", at, report);
    }
    let position = |key: &str| AXES.iter().position(|axis| *axis == key);
    let mut fields = Fields::<{ AXES.len() }>::sort(json, position, at, report);
    let [x, y] = AXES.map(|axis| {
        let value = fields.required(axis)?;
        let at = at.field(axis);
        let number = expect_number(value, &at, fields.report)?;
        if number.is_integer() && (0.0..=MAX_COORDINATE).contains(&number.get()) {
            return Some(number.get() as u64);
        }
        let message = format!("{axis} must be a whole number from 0 to {MAX_COORDINATE}, not {number}");
        fields.report.problem(&at, message);
        None
    });
    fields.refuse_others(|| AXES.to_vec());
    Some(Coordinate { x: x?, y: y? })
}

fn read_retry<'w>(json: Value<'w>, at: &At<'_>, report: &mut Report<'w>) -> Option<RetryObject> {
    if json.kind() != Kind::Object {
        return wrong_type(json, "an object", at, report);
    }
    let position = |key: &str| RETRY_FIELDS.iter().position(|field| field.name == key);
    let mut fields = Fields::<{ RETRY_FIELDS.len() }>::sort(json, position, at, report);
    let mut retry = RetryObject::default();
    for place in fields.places() {
        let field = &RETRY_FIELDS[place];
        let Some(value) = fields.at_place(place, field.name) else {
            continue;
        };
        let at = at.field(field.name);
        let Some(number) = expect_number(value, &at, fields.report) else {
            continue;
        };
        if field.range.used(number) != number {
            fields.report.warn(WarningCode::ValueClamped, &at, || {
                clamped(field.name, number, field.range)
            });
        }
        *(field.slot)(&mut retry) = Some(number);
    }
    fields.refuse_others(|| RETRY_FIELDS.iter().map(|field| field.name).collect());
    if retry.max_delay_is_raised() {
        report.warn(WarningCode::ValueClamped, &at.field("maxDelayMs"), || {
            "maxDelayMs is less than initialDelayMs, which is used instead".to_owned()
        });
    }
    Some(retry)
}
