//! The `where` of a matcher: a selector, read condition by condition.

use super::fields::sort;
use super::report::CheckReport;
use crate::limits::{MAX_CONDITIONS, MAX_MATCHER_VALUE_LENGTH, MAX_SELECTOR_DEPTH};
use crate::selector::{Comparison, Condition, ConditionKind, SELECTOR_KEYS, Selector, TextTest};
use clawperator_document::{
    Fields, Kind, Path, Value, expect_flag, expect_number, expect_text, text, within_length, wrong_type,
};

/// A value and how deep it is among selectors.
#[derive(Clone, Copy)]
struct NestedValue<'w> {
    json: Value<'w>,
    depth: usize,
}

impl<'w> NestedValue<'w> {
    /// A value one selector further down.
    fn below(self, json: Value<'w>) -> Self {
        let depth = self.depth + 1;
        Self { json, depth }
    }
}

/// Reads a whole `where`.
pub(super) fn read_where<'w>(
    json: Value<'w>,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<Selector> {
    let selector = read_selector(NestedValue { json, depth: 1 }, at, report)?;
    let size = selector.size();
    if size > MAX_CONDITIONS {
        let message = format!("{} has {size} conditions; at most {MAX_CONDITIONS} are allowed", at.name());
        report.structure.problem(at, message).hint =
            Some("Leave out what does not narrow the search.".to_owned());
    }
    Some(selector)
}

fn read_selector<'w>(
    value: NestedValue<'w>,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<Selector> {
    let NestedValue { json, depth } = value;
    if json.kind() != Kind::Object {
        return wrong_type(json, "an object", at, &mut report.structure);
    }
    if depth > MAX_SELECTOR_DEPTH {
        let message = format!("selectors are nested more than {MAX_SELECTOR_DEPTH} deep");
        report.structure.problem(at, message).hint = Some("Nest fewer of them.".to_owned());
        return None;
    }
    let position = |key: &str| SELECTOR_KEYS.iter().position(|row| row.name == key);
    let fields: Fields<'_, '_, { SELECTOR_KEYS.len() }> = sort(json, position, at, report)?;
    let mut selector = Selector::default();
    let mut is_empty = true;
    for slot in fields.taken() {
        let row = &SELECTOR_KEYS[slot];
        let Some(json) = fields.in_slot(slot, row.name, &mut report.structure) else {
            continue;
        };
        is_empty = false;
        let read = read_condition(NestedValue { json, depth }, row.kind, &at.field(row.name), report);
        selector.conditions.extend(read);
    }
    let known = || SELECTOR_KEYS.iter().map(|row| row.name).collect();
    let unknown = fields.refuse_unknown(known, &mut report.structure);
    if is_empty && unknown.is_empty() {
        report.structure.problem(at, "a selector must have at least one condition".to_owned()).hint =
            Some("Write one, such as {\"clickable\": true}.".to_owned());
    }
    Some(selector)
}

fn read_condition<'w>(
    value: NestedValue<'w>,
    kind: ConditionKind,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<Condition> {
    let json = value.json;
    Some(match kind {
        ConditionKind::Text(attribute, comparison) => {
            Condition::Text(attribute, read_test(json, comparison, at, report)?)
        }
        ConditionKind::Flag(flag) => Condition::Flag(flag, expect_flag(json, at, &mut report.structure)?),
        ConditionKind::IndexInParent => Condition::IndexInParent(read_index(json, at, report)?),
        ConditionKind::Related(relation) => {
            Condition::Related(relation, read_selector(value.below(json), at, report)?)
        }
        ConditionKind::Not => Condition::Not(read_selector(value.below(json), at, report)?),
        ConditionKind::AllOf => Condition::AllOf(read_list(value, at, report)?),
        ConditionKind::AnyOf => Condition::AnyOf(read_list(value, at, report)?),
    })
}

fn read_list<'w>(
    value: NestedValue<'w>,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<Vec<Selector>> {
    if value.json.kind() != Kind::Array {
        return wrong_type(value.json, "a list of selectors", at, &mut report.structure);
    }
    let mut selectors = Vec::new();
    let mut count = 0;
    for (index, json) in value.json.children().enumerate() {
        count += 1;
        selectors.extend(read_selector(value.below(json), &at.index(index, "a selector"), report));
    }
    if count == 0 {
        report.structure.problem(at, format!("{} must list at least one selector", at.name()));
    }
    Some(selectors)
}

fn read_test<'w>(
    json: Value<'w>,
    comparison: Comparison,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<TextTest> {
    let text = expect_text(json, at, &mut report.structure)?;
    if text::is_blank(text) {
        let problem = report.structure.problem(at, format!("{} must not be blank", at.name()));
        problem.hint = Some("Leave the field out if it does not matter.".to_owned());
        return None;
    }
    if !within_length(text, MAX_MATCHER_VALUE_LENGTH, at, &mut report.structure) {
        return None;
    }
    Some(match comparison {
        Comparison::Equals => TextTest::Equals(text.to_owned()),
        Comparison::Contains => TextTest::Contains(text.to_owned()),
        Comparison::StartsWith => TextTest::StartsWith(text.to_owned()),
        Comparison::Matches => match report.patterns.compile(&text.into()) {
            Ok(pattern) => TextTest::Matches(pattern),
            Err(error) => {
                let message = format!("{} cannot be run: {}", at.name(), error.reason);
                report.structure.problem(at, message).hint = Some(error.hint.to_owned());
                return None;
            }
        },
    })
}

fn read_index(json: Value<'_>, at: &Path<'_>, report: &mut CheckReport<'_>) -> Option<i32> {
    let number = expect_number(json, at, &mut report.structure)?;
    if number.is_integer() && (0.0..=f64::from(i32::MAX)).contains(&number.get()) {
        // It is whole and in range.
        return Some(number.get() as i32);
    }
    let message = format!("{} must be a whole number from 0 to {}, not {number}", at.name(), i32::MAX);
    report.structure.problem(at, message);
    None
}
