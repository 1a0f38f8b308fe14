//! Reads single values of a recipe: objects with known keys, lists, texts,
//! words of a taxonomy, whole numbers.

use crate::recipe::limits::MAX_TEXT;
use crate::recipe::problem::{Judge, RecipeReport, did_you_mean};
use crate::recipe::rule::Rule;
use clawperator_document::{
    Fields, Kind, Path, Value, Word, expect_number, expect_text, text, within_length, wrong_type,
};
use std::ops::RangeInclusive;

/// Makes the table of an object's keys.
macro_rules! keys {
    ($name:ident: $($key:literal)*) => {
        struct $name;

        impl $name {
            const ALL: [&'static str; [$($key),*].len()] = [$($key),*];

            fn slot(key: &str) -> Option<usize> {
                Self::ALL.iter().position(|known| *known == key)
            }

            fn known() -> Vec<&'static str> {
                Self::ALL.to_vec()
            }
        }
    };
}
pub(crate) use keys;

/// The fields of an object, each of which is read at its own path.
pub(crate) struct ObjectReader<'r, 'w, const N: usize> {
    pub(crate) fields: Fields<'r, 'w, N>,
    at: &'r Path<'r>,
}

impl<'w, const N: usize> ObjectReader<'_, 'w, N> {
    pub(crate) fn optional<T>(
        &self,
        name: &str,
        report: &mut RecipeReport,
        read: impl FnOnce(Value<'w>, &Path<'_>, &mut RecipeReport) -> Option<T>,
    ) -> Option<T> {
        let value = self.fields.optional(name, report)?;
        read(value, &self.at.field(name), report)
    }

    pub(crate) fn required<T>(
        &self,
        name: &str,
        report: &mut RecipeReport,
        read: impl FnOnce(Value<'w>, &Path<'_>, &mut RecipeReport) -> Option<T>,
    ) -> Option<T> {
        let value = self.fields.required(name, report)?;
        read(value, &self.at.field(name), report)
    }
}

/// An object, its fields sorted by a table; a problem if it is none. A key that
/// comes twice is a problem, too.
pub(crate) fn object<'r, 'w, const N: usize>(
    value: Value<'w>,
    slot_of: fn(&str) -> Option<usize>,
    at: &'r Path<'r>,
    report: &mut RecipeReport,
) -> Option<ObjectReader<'r, 'w, N>> {
    if value.kind() != Kind::Object {
        return wrong_type(value, "an object", at, report);
    }
    for key in value.repeated_keys() {
        let message = format!("\"{}\" is given more than once", text::excerpt(key));
        report.problem(&at.field(key), message);
    }
    Some(ObjectReader { fields: Fields::sort(value, slot_of, at), at })
}

/// The entries of a list; a problem if it is none or too long.
pub(crate) fn list<'w>(
    value: Value<'w>,
    most: usize,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Vec<Value<'w>> {
    if value.kind() != Kind::Array {
        let _: Option<()> = wrong_type(value, "a list", at, report);
        return Vec::new();
    }
    let entries: Vec<_> = value.children().take(most + 1).collect();
    if entries.len() > most {
        report.problem(at, format!("{} has more than {most} entries", at.name()));
    }
    entries
}

/// A text that is not blank, without placeholders.
pub(crate) fn plain_text(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<String> {
    let found = expect_text(value, at, report);
    if found.is_none() && matches!(value.kind(), Kind::Number(_) | Kind::Bool(_)) {
        report.hint_last("Put it in quotes.".to_owned());
    }
    let found = found?;
    if text::is_blank(found) {
        report.problem(at, format!("{} is empty", at.name()));
        return None;
    }
    refuse_placeholder(found, at, report);
    within_length(found, MAX_TEXT, at, report).then(|| found.to_owned())
}

pub(crate) fn refuse_placeholder(found: &str, at: &Path<'_>, report: &mut RecipeReport) {
    if crate::recipe::input_text::has_placeholder(found) {
        let message = format!("{} may not have a placeholder", at.name());
        report.broken(Rule::InputUndeclared, at, message);
    }
}

pub(crate) fn known_word<T: Word>(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<T> {
    let word = expect_text(value, at, report)?;
    let found = T::from_word(word);
    if found.is_none() {
        let message =
            format!("{} \"{}\" is not one of {}", at.name(), text::excerpt(word), T::WORDS.join(", "));
        report.problem(at, message).hint = did_you_mean(word, T::WORDS.iter().copied());
    }
    found
}

pub(crate) fn whole(
    value: Value<'_>,
    range: RangeInclusive<f64>,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<u64> {
    let number = expect_number(value, at, report)?;
    if !number.is_integer() || !range.contains(&number.get()) {
        let (name, least, most) = (at.name(), range.start(), range.end());
        report.problem(at, format!("{name} must be a whole number from {least} to {most}, not {number}"));
        return None;
    }
    // It is whole, not negative and in range.
    Some(number.get() as u64)
}
