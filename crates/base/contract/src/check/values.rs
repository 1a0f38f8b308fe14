//! Values: one parameter at a time, each of its type and within its bounds.

use super::confirm::{self, read_confirm};
use super::fields::sort;
use super::report::{CheckProblems, CheckReport};
use super::selector::read_where;
use crate::action::ActionKind;
use crate::limits::MAX_MATCHER_VALUE_LENGTH;
use crate::matcher::{MATCHER_FIELDS, Matcher, MatcherField, WHERE};
use crate::param::{Coordinate, PARAM_COUNT, PARAMS, ParamKey, ParamValue, Params, Shape};
use crate::problem::WarningCode;
use crate::retry::{RETRY_FIELDS, RetryObject};
use clawperator_document::{
    Fields, Path, Value, expect_flag, expect_number, expect_text, text, within_length,
};
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
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<DraftParams> {
    let position = |key: &str| ParamKey::from_name(key).map(|key| key as usize);
    let fields: Fields<'_, '_, PARAM_COUNT> = sort(json, position, at, report)?;
    let mut draft = DraftParams { given: true, ..DraftParams::default() };
    for slot in fields.taken() {
        let spec = &PARAMS[slot];
        let before = report.structure.count();
        let Some(value) = fields.in_slot(slot, spec.name, &mut report.structure) else {
            continue;
        };
        let at = at.field(spec.name);
        match read_value(value, spec.shape, &at, report) {
            Some(value) if report.structure.count() == before => {
                // What has no effect at all is warned of as such, and once.
                if kind.is_some_and(|kind| kind.spec().uses(spec.key)) {
                    match &value {
                        ParamValue::Retry(retry) => warn_of_clamped(retry, &at, report),
                        ParamValue::Confirm(asked) => confirm::warn_of_clamped(asked, &at, report),
                        _ => {}
                    }
                }
                draft.good.push(spec.key, value);
            }
            _ => draft.bad.push(spec.key),
        }
    }
    let names = || PARAMS.iter().flat_map(|spec| spec.aliases.iter().chain([&spec.name]).copied());
    let unknown = fields.refuse_unknown(|| names().collect(), &mut report.structure);
    hint_at_removed(&unknown, kind, &mut report.structure);
    Some(draft)
}

fn hint_at_removed(keys: &[&str], kind: Option<ActionKind>, report: &mut CheckProblems<'_>) {
    let Some(spec) = kind.map(ActionKind::spec) else {
        return;
    };
    let removed = spec.removed.iter().find(|name| keys.contains(name));
    if let Some(name) = removed {
        report.hint_last(format!("\"{name}\" was removed from {}; leave it out.", spec.name));
    }
}

fn read_value<'w>(
    json: Value<'w>,
    shape: Shape,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<ParamValue> {
    match shape {
        Shape::Text => expect_text(json, at, &mut report.structure).map(|text| ParamValue::Text(text.into())),
        Shape::ShortText(max) => {
            let text = expect_text(json, at, &mut report.structure)?;
            within_length(text, max, at, &mut report.structure).then(|| ParamValue::Text(text.into()))
        }
        Shape::Number => expect_number(json, at, &mut report.structure).map(ParamValue::Number),
        Shape::Flag => expect_flag(json, at, &mut report.structure).map(ParamValue::Flag),
        Shape::Matcher => {
            read_matcher(json, at, report).map(|matcher| ParamValue::Matcher(Arc::new(matcher)))
        }
        Shape::Coordinate => read_coordinate(json, at, report).map(ParamValue::Coordinate),
        Shape::Retry => read_retry(json, at, report).map(|retry| ParamValue::Retry(Box::new(retry))),
        Shape::Confirm => {
            read_confirm(json, at, report).map(|confirm| ParamValue::Confirm(Arc::new(confirm)))
        }
    }
}

/// The slot of `where`, behind those of the table.
const WHERE_SLOT: usize = MATCHER_FIELDS.len();

fn matcher_slot(key: &str) -> Option<usize> {
    let slot = MATCHER_FIELDS.iter().position(|field| field.name == key);
    slot.or_else(|| (key == WHERE).then_some(WHERE_SLOT))
}

pub(super) fn read_matcher<'w>(
    json: Value<'w>,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<Matcher> {
    let fields: Fields<'_, '_, { WHERE_SLOT + 1 }> = sort(json, matcher_slot, at, report)?;
    let mut matcher = Matcher::default();
    let mut blank = Vec::new();
    let mut is_empty = true;
    for slot in fields.taken() {
        let Some(field) = MATCHER_FIELDS.get(slot) else {
            // The slot of `where`, which is read below.
            continue;
        };
        let Some(value) = fields.in_slot(slot, field.name, &mut report.structure) else {
            continue;
        };
        let at = at.field(field.name);
        let Some(text) = expect_text(value, &at, &mut report.structure) else {
            is_empty = false;
            continue;
        };
        let solid = !text::is_blank(text);
        is_empty &= !solid;
        if !solid {
            blank.push(field.name);
        } else if within_length(text, MAX_MATCHER_VALUE_LENGTH, &at, &mut report.structure)
            && has_form(field, text, &at, &mut report.structure)
        {
            *(field.slot)(&mut matcher) = Some(text.to_owned());
        }
    }
    if let Some(value) = fields.in_slot(WHERE_SLOT, WHERE, &mut report.structure) {
        is_empty = false;
        matcher.conditions = read_where(value, &at.field(WHERE), report);
    }
    // Blank fields beside others are a slip; nothing but blank is no matcher.
    if !is_empty {
        for name in blank {
            let problem = report.structure.problem(&at.field(name), format!("{name} must not be blank"));
            problem.hint = Some("Leave the field out if it does not matter.".to_owned());
        }
    }
    let known = || {
        let fields = MATCHER_FIELDS.iter().map(|field| field.name);
        fields.chain([WHERE]).collect::<Vec<_>>()
    };
    let unknown = fields.refuse_unknown(known, &mut report.structure);
    if is_empty && unknown.is_empty() {
        let problem = report
            .structure
            .problem(at, format!("{} must have at least one field that is not blank", at.name()));
        problem.hint = Some(format!("Fields: {}.", known().join(", ")));
    }
    Some(matcher)
}

/// Tells whether a field's value looks as it must, or reports that it does not.
fn has_form(field: &MatcherField, text: &str, at: &Path<'_>, report: &mut CheckProblems<'_>) -> bool {
    let fits = field.form.fits(text);
    if !fits {
        let message = format!("{} must look like @e7, not \"{}\"", field.name, text::excerpt(text));
        let problem = report.problem(at, message);
        problem.hint = Some("Take a snapshot with view compact, or search, to get refs.".to_owned());
    }
    fits
}

fn read_coordinate<'w>(json: Value<'w>, at: &Path<'_>, report: &mut CheckReport<'w>) -> Option<Coordinate> {
    const AXES: [&str; 2] = ["x", "y"];
    let position = |key: &str| AXES.iter().position(|axis| *axis == key);
    let fields: Fields<'_, '_, { AXES.len() }> = sort(json, position, at, report)?;
    let [x, y] = AXES.map(|axis| {
        let value = fields.required(axis, &mut report.structure)?;
        let at = at.field(axis);
        let number = expect_number(value, &at, &mut report.structure)?;
        if number.is_integer() && number.get() >= 0.0 {
            return Some(number);
        }
        let message = format!("{axis} must be a whole number of at least 0, not {number}");
        report.structure.problem(&at, message);
        None
    });
    fields.refuse_unknown(|| AXES.to_vec(), &mut report.structure);
    Some(Coordinate { x: x?, y: y? })
}

fn read_retry<'w>(json: Value<'w>, at: &Path<'_>, report: &mut CheckReport<'w>) -> Option<RetryObject> {
    let position = |key: &str| RETRY_FIELDS.iter().position(|field| field.name == key);
    let fields: Fields<'_, '_, { RETRY_FIELDS.len() }> = sort(json, position, at, report)?;
    let mut retry = RetryObject::default();
    for slot in fields.taken() {
        let field = &RETRY_FIELDS[slot];
        let Some(value) = fields.in_slot(slot, field.name, &mut report.structure) else {
            continue;
        };
        let at = at.field(field.name);
        let Some(number) = expect_number(value, &at, &mut report.structure) else {
            continue;
        };
        *(field.slot)(&mut retry) = Some(number);
    }
    let known = || RETRY_FIELDS.iter().map(|field| field.name).collect();
    fields.refuse_unknown(known, &mut report.structure);
    Some(retry)
}

/// Warns of every value of a retry object that is not used as it is.
fn warn_of_clamped(retry: &RetryObject, at: &Path<'_>, report: &mut CheckReport<'_>) {
    let mut asked = retry.clone();
    for field in &RETRY_FIELDS {
        let Some(number) = *(field.slot)(&mut asked) else {
            continue;
        };
        if field.range.apply(number) != number {
            report.warn(WarningCode::ValueClamped, &at.field(field.name), || {
                field.range.warning(field.name, number)
            });
        }
    }
    if retry.max_delay_is_raised() {
        report.warn(WarningCode::ValueClamped, &at.field("maxDelayMs"), || {
            "maxDelayMs is less than initialDelayMs; initialDelayMs is used for both".to_owned()
        });
    }
}
