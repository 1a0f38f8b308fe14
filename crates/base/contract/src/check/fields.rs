//! The fields of an execution and of an action, each as its row of the table asks for it.

use super::report::{CheckProblems, CheckReport};
use crate::action::Need;
use crate::wire::{WireField, WireShape};
use clawperator_document::{
    Fields, Kind, Number, Path, Value, expect_flag, expect_number, expect_text, within_length, wrong_type,
};
use std::ops::RangeInclusive;

/// Sorts an object's fields and warns of what is odd about its keys. What is no object is reported.
pub(super) fn sort<'r, 'w, const N: usize>(
    object: Value<'w>,
    slot_of: fn(&str) -> Option<usize>,
    at: &'r Path<'r>,
    report: &mut CheckReport<'w>,
) -> Option<Fields<'r, 'w, N>> {
    if object.kind() != Kind::Object {
        return wrong_type(object, "an object", at, &mut report.structure);
    }
    report.warn_of_keys(object, at);
    Some(Fields::sort(object, slot_of, at))
}

/// The value of a field, if it is what its row asks for. Actions, types and
/// parameters are returned as they are: their own readers check them.
pub(super) fn read<'w, const N: usize>(
    fields: &Fields<'_, 'w, N>,
    row: &WireField,
    at: &Path<'_>,
    report: &mut CheckProblems<'w>,
) -> Option<Value<'w>> {
    let value = match row.need {
        Need::Required => fields.required(row.name, report),
        Need::Optional => fields.optional(row.name, report),
    }?;
    has_shape(value, row, &at.field(row.name), report).then_some(value)
}

/// What is wrong with a number outside its range.
pub(super) fn out_of_range(name: &str, range: RangeInclusive<f64>, number: f64) -> String {
    let (min, max) = range.into_inner();
    // Rust would write a large one with three hundred digits.
    let shown = Number::new(number).map_or_else(|| number.to_string(), |number| number.to_string());
    format!("{name} must be between {min} and {max}, not {shown}")
}

/// Whether a value is what its row asks for; if not, it is reported.
fn has_shape<'w>(value: Value<'w>, row: &WireField, at: &Path<'_>, report: &mut CheckProblems<'w>) -> bool {
    let name = row.name;
    match row.shape {
        WireShape::Id(max) => match expect_text(value, at, report) {
            Some("") => {
                report.problem(at, format!("{name} must not be empty"));
                false
            }
            Some(text) => within_length(text, max, at, report),
            None => false,
        },
        WireShape::Constant(wanted) => {
            let fits = value.as_text() == Some(wanted);
            if !fits {
                report.problem(at, format!("{name} must be \"{wanted}\""));
            }
            fits
        }
        WireShape::Number { min, max } => match expect_number(value, at, report).map(Number::get) {
            Some(number) if !(min..=max).contains(&number) => {
                report.problem(at, out_of_range(name, min..=max, number));
                false
            }
            number => number.is_some(),
        },
        WireShape::Word(words) => {
            let fits = value.as_text().is_some_and(|word| words.contains(&word));
            if !fits {
                report.problem(at, format!("{name} must be one of: {}", words.join(", ")));
            }
            fits
        }
        WireShape::Flag => expect_flag(value, at, report).is_some(),
        WireShape::Actions(_) | WireShape::ActionType(_) | WireShape::Params => true,
    }
}
