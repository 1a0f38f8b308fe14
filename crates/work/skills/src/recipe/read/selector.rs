//! Reads selectors.

use super::values::{ObjectReader, known_word, list, plain_text};
use crate::recipe::input_text::InputText;
use crate::recipe::limits::MAX_ENTRIES;
use crate::recipe::problem::{Judge, RecipeReport};
use crate::recipe::rule::Rule;
use crate::recipe::selector::{
    ANNOTATION, RecipeCondition, RecipeSelector, RecipeSelectorKey, SELECTOR_KEYS,
};
use crate::recipe::word::Annotation;
use clawperator_contract::ConditionKind;
use clawperator_contract::limits::{MAX_MATCHER_VALUE_LENGTH, MAX_SELECTOR_DEPTH};
use clawperator_document::{Kind, Path, Value, expect_flag, expect_number, expect_text, text, within_length};

/// The conditions and the annotation.
const COUNT: usize = SELECTOR_KEYS.len() + 1;

fn slot(key: &str) -> Option<usize> {
    let condition = SELECTOR_KEYS.iter().position(|row| row.name == key);
    condition.or((key == ANNOTATION).then_some(SELECTOR_KEYS.len()))
}

fn key_names() -> Vec<&'static str> {
    SELECTOR_KEYS.iter().map(|row| row.name).chain([ANNOTATION]).collect()
}

/// Reads a selector; everything that is wrong with it breaks the rule of selectors.
pub(super) fn selector(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<RecipeSelector> {
    report.under(Rule::Selector, |report| nested(value, 1, at, report))
}

fn nested(
    value: Value<'_>,
    depth: usize,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<RecipeSelector> {
    // The contract nests what a container adds once more.
    if depth >= MAX_SELECTOR_DEPTH {
        report.problem(at, format!("the selector is nested deeper than {} levels", MAX_SELECTOR_DEPTH - 1));
        return None;
    }
    let reader: ObjectReader<'_, '_, COUNT> = super::object(value, slot, at, report)?;
    let before = report.count();
    let mut found = RecipeSelector::default();
    for row in &SELECTOR_KEYS {
        let read = |value, at: &Path<'_>, report: &mut RecipeReport| match row.kind {
            ConditionKind::Text(attribute, how) => {
                let wanted = input_text(row, value, at, report)?;
                Some(RecipeCondition::Text(attribute, how, wanted))
            }
            ConditionKind::Flag(flag) => {
                expect_flag(value, at, report).map(|on| RecipeCondition::Flag(flag, on))
            }
            ConditionKind::IndexInParent => index(value, at, report).map(RecipeCondition::IndexInParent),
            ConditionKind::AnyOf => several(value, depth, at, report).map(RecipeCondition::AnyOf),
            ConditionKind::AllOf => several(value, depth, at, report).map(RecipeCondition::AllOf),
            // The table has none of these.
            ConditionKind::Related(_) | ConditionKind::Not => None,
        };
        found.conditions.extend(reader.optional(row.name, report, read));
    }
    found.annotation = reader.optional(ANNOTATION, report, known_word);
    let has_unknown = reader.fields.refuse_each_unknown(key_names, report);
    if found.conditions.is_empty() && !has_unknown && report.count() == before {
        report.problem(at, format!("{} names nothing: it needs a condition", at.name()));
    }
    refuse_user_literal(&found, at, report);
    Some(found)
}

/// A text that the author says belongs to a user must come from an input.
fn refuse_user_literal(selector: &RecipeSelector, at: &Path<'_>, report: &mut RecipeReport) {
    if selector.annotation != Some(Annotation::UserSpecific) {
        return;
    }
    for condition in &selector.conditions {
        let RecipeCondition::Text(attribute, how, wanted) = condition else {
            continue;
        };
        let row = SELECTOR_KEYS
            .iter()
            .find(|row| row.takes_inputs && row.kind == ConditionKind::Text(*attribute, *how));
        if let Some(row) = row
            && wanted.inputs().next().is_none()
        {
            let message = format!("{} is annotated USER_SPECIFIC and is a plain text", row.name);
            report.broken(Rule::UserLiteral, &at.field(row.name), message);
        }
    }
}

fn input_text(
    row: &RecipeSelectorKey,
    value: Value<'_>,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<InputText> {
    if !row.takes_inputs {
        let text = plain_text(value, at, report)?;
        within_length(&text, MAX_MATCHER_VALUE_LENGTH, at, report);
        return InputText::parse(&text).ok();
    }
    let found = expect_text(value, at, report);
    if found.is_none() && matches!(value.kind(), Kind::Number(_) | Kind::Bool(_)) {
        report.hint_last("Put it in quotes.".to_owned());
    }
    let found = found?;
    if text::is_blank(found) {
        report.problem(at, format!("{} is empty", at.name()));
        return None;
    }
    within_length(found, MAX_MATCHER_VALUE_LENGTH, at, report);
    match InputText::parse(found) {
        Ok(read) => Some(read),
        Err(error) => {
            report.broken(Rule::InputUndeclared, at, error.to_string());
            None
        }
    }
}

fn index(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<i32> {
    let number = expect_number(value, at, report)?;
    if !number.is_integer() || !(0.0..=9_999.0).contains(&number.get()) {
        report.problem(at, format!("{} must be a whole number from 0 to 9999", at.name()));
        return None;
    }
    Some(number.as_pixel())
}

fn several(
    value: Value<'_>,
    depth: usize,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<Vec<RecipeSelector>> {
    let entries = list(value, MAX_ENTRIES, at, report);
    if entries.is_empty() {
        if value.kind() == Kind::Array {
            report.problem(at, format!("{} is empty", at.name()));
        }
        return None;
    }
    let entries = entries.into_iter().enumerate();
    let read =
        entries.filter_map(|(index, entry)| nested(entry, depth + 1, &at.index(index, "a selector"), report));
    Some(read.collect())
}
