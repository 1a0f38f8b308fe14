//! The fields of one object, in the order of its table, and the keys that are
//! in no table; and values of a type, or a problem.

use crate::number::Number;
use crate::path::Path;
use crate::report::Report;
use crate::text;
use crate::tree::{Kind, Value};

/// One object being read. `N` is the length of its table.
#[derive(Debug)]
pub struct Fields<'r, 'w, const N: usize> {
    object: Value<'w>,
    slots: [Option<Value<'w>>; N],
    /// One bit for each slot with a value; no table is longer than 64.
    taken: u64,
    unknown: Vec<&'w str>,
    /// Whether the object has notes; almost never.
    has_notes: bool,
    slot_of: fn(&str) -> Option<usize>,
    at: &'r Path<'r>,
}

impl<'r, 'w, const N: usize> Fields<'r, 'w, N> {
    /// Sorts an object's values. `slot_of` finds a key's place in the table.
    pub fn sort(object: Value<'w>, slot_of: fn(&str) -> Option<usize>, at: &'r Path<'r>) -> Self {
        const { assert!(N <= 64) };
        let mut slots = [None; N];
        let mut taken = 0_u64;
        let mut unknown = Vec::new();
        for value in object.children() {
            match slot_of(value.key()) {
                Some(slot) => {
                    slots[slot] = Some(value);
                    taken |= 1 << slot;
                }
                None => unknown.push(value.key()),
            }
        }
        Self { object, slots, taken, unknown, has_notes: object.notes().next().is_some(), slot_of, at }
    }

    /// The slots that have a value, in the order of the table.
    pub fn taken(&self) -> impl Iterator<Item = usize> + use<N> {
        let mut left = self.taken;
        std::iter::from_fn(move || {
            let slot = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (slot < u64::BITS).then_some(slot as usize)
        })
    }

    /// The field in a slot, for walking the table; `name` is its key.
    pub fn in_slot<T: Copy>(&self, slot: usize, name: &str, report: &mut Report<T>) -> Option<Value<'w>> {
        let value = self.slots[slot]?;
        if self.has_notes {
            report.clash(self.object, name, &self.at.field(name));
        }
        Some(value)
    }

    /// A field that may be left out.
    pub fn optional<T: Copy>(&self, name: &str, report: &mut Report<T>) -> Option<Value<'w>> {
        self.in_slot((self.slot_of)(name)?, name, report)
    }

    /// A field that must be there.
    pub fn required<T: Copy>(&self, name: &str, report: &mut Report<T>) -> Option<Value<'w>> {
        let value = self.optional(name, report);
        if value.is_none() {
            report.problem(&self.at.field(name), format!("{name} is required"));
        }
        value
    }

    /// Reports each key that is in no table as a problem of its own, and tells
    /// whether there is one. Call it after the fields.
    pub fn refuse_each_unknown<T: Copy>(
        self,
        known: impl Fn() -> Vec<&'static str>,
        report: &mut Report<T>,
    ) -> bool {
        for key in &self.unknown {
            report.unknown_keys(&[key], self.at, &known());
        }
        !self.unknown.is_empty()
    }

    /// Reports every key that is in no table, and returns them. Call it after
    /// the fields: its problem is the last one of the object.
    pub fn refuse_unknown<T: Copy>(
        self,
        known: impl Fn() -> Vec<&'static str>,
        report: &mut Report<T>,
    ) -> Vec<&'w str> {
        if !self.unknown.is_empty() {
            report.unknown_keys(&self.unknown, self.at, &known());
        }
        self.unknown
    }
}

/// A string, or a problem.
pub fn expect_text<'w, T: Copy>(json: Value<'w>, at: &Path<'_>, report: &mut Report<T>) -> Option<&'w str> {
    match json.kind() {
        Kind::Text(text) => Some(text),
        _ => wrong_type(json, "a string", at, report),
    }
}

/// A number, or a problem.
pub fn expect_number<T: Copy>(json: Value<'_>, at: &Path<'_>, report: &mut Report<T>) -> Option<Number> {
    match json.kind() {
        Kind::Number(number) => Some(number),
        _ => wrong_type(json, "a number", at, report),
    }
}

/// A truth value, or a problem.
pub fn expect_flag<T: Copy>(json: Value<'_>, at: &Path<'_>, report: &mut Report<T>) -> Option<bool> {
    match json.kind() {
        Kind::Bool(flag) => Some(flag),
        _ => wrong_type(json, "true or false", at, report),
    }
}

/// Reports a value of the wrong type.
pub fn wrong_type<V, T: Copy>(
    json: Value<'_>,
    wanted: &str,
    at: &Path<'_>,
    report: &mut Report<T>,
) -> Option<V> {
    let (name, found) = (at.name(), json.type_name());
    report.problem(at, format!("{name} must be {wanted}, not {found}"));
    None
}

/// Whether a text is short enough; if not, it is reported.
pub fn within_length<T: Copy>(text: &str, max: usize, at: &Path<'_>, report: &mut Report<T>) -> bool {
    if !text::exceeds(text, max) {
        return true;
    }
    let (name, length) = (at.name(), text::utf16_len(text));
    let message = format!("{name} has {length} characters (UTF-16 units); at most {max} are allowed");
    report.problem(at, message);
    false
}
