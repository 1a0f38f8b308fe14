//! The fields of one object: sorted into its table's order, and whatever is
//! in no table set apart.

use super::report::Report;
use crate::action::Need;
use crate::execution::out_of_range;
use crate::json::{Kind, Value};
use crate::number::Number;
use crate::path::At;
use crate::text;
use crate::wire::{WireField, WireShape};

/// One object being read. `N` is the length of its table.
pub(super) struct Fields<'r, 'w, const N: usize> {
    object: Value<'w>,
    slots: [Option<Value<'w>>; N],
    /// The places that are taken, one bit each; no table is longer than 64.
    taken: u64,
    others: Vec<&'w str>,
    /// Whether anything was noted of the object; almost never.
    is_odd: bool,
    position: fn(&str) -> Option<usize>,
    at: &'r At<'r>,
    pub(super) report: &'r mut Report<'w>,
}

impl<'r, 'w, const N: usize> Fields<'r, 'w, N> {
    /// Sorts an object's values. `position` finds a key's place in the table.
    pub(super) fn sort(
        object: Value<'w>,
        position: fn(&str) -> Option<usize>,
        at: &'r At<'r>,
        report: &'r mut Report<'w>,
    ) -> Self {
        let is_odd = object.notes().next().is_some();
        report.warn_of_oddities(object, at);
        const { assert!(N <= 64) };
        let mut slots = [None; N];
        let mut taken = 0_u64;
        let mut others = Vec::new();
        for value in object.children() {
            match position(value.key()) {
                Some(place) => {
                    slots[place] = Some(value);
                    taken |= 1 << place;
                }
                None => others.push(value.key()),
            }
        }
        Self {
            object,
            slots,
            taken,
            others,
            is_odd,
            position,
            at,
            report,
        }
    }

    /// The places of the table that are taken, in its order.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + use<N> {
        let mut left = self.taken;
        std::iter::from_fn(move || {
            let place = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (place < u64::BITS).then_some(place as usize)
        })
    }

    /// The field at a place of the table, if it is there. For walking a table;
    /// a single field is asked for by name.
    pub(super) fn at_place(&mut self, place: usize, name: &str) -> Option<Value<'w>> {
        let value = self.slots[place]?;
        if self.is_odd {
            self.report.clash(self.object, name, &self.at.field(name));
        }
        Some(value)
    }

    /// A field, if it is there.
    pub(super) fn optional(&mut self, name: &str) -> Option<Value<'w>> {
        let place = (self.position)(name)?;
        self.at_place(place, name)
    }

    /// A field that must be there.
    pub(super) fn required(&mut self, name: &str) -> Option<Value<'w>> {
        let value = self.optional(name);
        if value.is_none() {
            self.report
                .problem(&self.at.field(name), format!("{name} is required"));
        }
        value
    }

    /// The value of a field, if it is what its row asks for. What only others
    /// can judge (actions, types, parameters) is handed out as it is.
    pub(super) fn read(&mut self, field: &WireField) -> Option<Value<'w>> {
        let value = match field.need {
            Need::Required => self.required(field.name),
            Need::Optional => self.optional(field.name),
        }?;
        let at = self.at.field(field.name);
        has_shape(value, field, &at, self.report).then_some(value)
    }

    /// Reports every key that is in no table. Comes after the fields.
    pub(super) fn refuse_others(self, known: impl Fn() -> Vec<&'static str>) -> Vec<&'w str> {
        if !self.others.is_empty() {
            self.report.unknown_keys(&self.others, self.at, &known());
        }
        self.others
    }
}

/// Tells whether a value is what its field's row asks for, or reports that it
/// is not.
fn has_shape<'w>(value: Value<'w>, field: &WireField, at: &At<'_>, report: &mut Report<'w>) -> bool {
    let name = field.name;
    match field.shape {
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
        WireShape::Number(min, max) => match expect_number(value, at, report).map(Number::get) {
            Some(number) if !(min..=max).contains(&number) => {
                report.problem(at, out_of_range(name, (min, max), number));
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

/// A string, or a problem.
pub(super) fn expect_text<'w>(json: Value<'w>, at: &At<'_>, report: &mut Report<'w>) -> Option<&'w str> {
    match json.kind() {
        Kind::Text(text) => Some(text),
        _ => wrong_type(json, "a string", at, report),
    }
}

/// A number, or a problem.
pub(super) fn expect_number(json: Value<'_>, at: &At<'_>, report: &mut Report<'_>) -> Option<Number> {
    match json.kind() {
        Kind::Number(number) => Some(number),
        _ => wrong_type(json, "a number", at, report),
    }
}

/// A truth value, or a problem.
pub(super) fn expect_flag(json: Value<'_>, at: &At<'_>, report: &mut Report<'_>) -> Option<bool> {
    match json.kind() {
        Kind::Bool(flag) => Some(flag),
        _ => wrong_type(json, "true or false", at, report),
    }
}

/// Reports a value of the wrong type.
pub(super) fn wrong_type<T>(
    json: Value<'_>,
    wanted: &str,
    at: &At<'_>,
    report: &mut Report<'_>,
) -> Option<T> {
    let (name, found) = (at.name(), json.type_name());
    report.problem(at, format!("{name} must be {wanted}, not {found}"));
    None
}

/// Tells whether a text is short enough, or reports that it is not.
pub(super) fn within_length(text: &str, max: usize, at: &At<'_>, report: &mut Report<'_>) -> bool {
    if !text::exceeds(text, max) {
        return true;
    }
    let (name, length) = (at.name(), text::utf16_len(text));
    let message = format!("{name} has {length} characters (UTF-16 units); at most {max} are allowed");
    report.problem(at, message);
    false
}
