//! The `where` of a matcher: a selector, read condition by condition.

use super::fields::sort;
use super::report::Report;
use crate::limits::{MAX_CONDITIONS, MAX_MATCHER_VALUE_LENGTH, MAX_SELECTOR_DEPTH};
use crate::selector::{Comparison, Condition, ConditionKind, SELECTOR_KEYS, Selector, SelectorKey, TextTest};
use clawperator_document::{
    Fields, Kind, Path, Value, expect_flag, expect_number, expect_text, text, within_length, wrong_type,
};

/// Reads a whole `where`.
pub(super) fn read_where<'w>(json: Value<'w>, at: &Path<'_>, report: &mut Report<'w>) -> Option<Selector> {
    let selector = read_selector(json, 1, at, report)?;
    let size = selector.size();
    if size > MAX_CONDITIONS {
        let message = format!(
            "{} has {size} conditions; at most {MAX_CONDITIONS} are allowed",
            at.name()
        );
        report.structure.problem(at, message).hint =
            Some("Leave out what does not narrow the search.".to_owned());
    }
    Some(selector)
}

fn read_selector<'w>(
    json: Value<'w>,
    depth: usize,
    at: &Path<'_>,
    report: &mut Report<'w>,
) -> Option<Selector> {
    if json.kind() != Kind::Object {
        return wrong_type(json, "an object", at, &mut report.structure);
    }
    if depth > MAX_SELECTOR_DEPTH {
        let message = format!("selectors are nested more than {MAX_SELECTOR_DEPTH} deep");
        report.structure.problem(at, message).hint = Some("Nest fewer of them.".to_owned());
        return None;
    }
    let position = |key: &str| SELECTOR_KEYS.iter().position(|row| row.name == key);
    let fields: Fields<'_, '_, { SELECTOR_KEYS.len() }> = sort(json, position, at, report);
    let mut selector = Selector::default();
    let mut is_empty = true;
    for slot in fields.taken() {
        let row = &SELECTOR_KEYS[slot];
        let Some(value) = fields.in_slot(slot, row.name, &mut report.structure) else {
            continue;
        };
        is_empty = false;
        let read = read_condition(value, (row, depth), &at.field(row.name), report);
        selector.conditions.extend(read);
    }
    let known = || SELECTOR_KEYS.iter().map(|row| row.name).collect();
    let unknown = fields.refuse_unknown(known, &mut report.structure);
    if is_empty && unknown.is_empty() {
        report
            .structure
            .problem(at, "a selector must have at least one condition".to_owned())
            .hint = Some("Write one, such as {\"clickable\": true}.".to_owned());
    }
    Some(selector)
}

fn read_condition<'w>(
    json: Value<'w>,
    (row, depth): (&SelectorKey, usize),
    at: &Path<'_>,
    report: &mut Report<'w>,
) -> Option<Condition> {
    Some(match row.kind {
        ConditionKind::Text(attribute, comparison) => {
            Condition::Text(attribute, read_test(json, comparison, at, report)?)
        }
        ConditionKind::Flag(flag) => Condition::Flag(flag, expect_flag(json, at, &mut report.structure)?),
        ConditionKind::IndexInParent => Condition::IndexInParent(read_index(json, at, report)?),
        ConditionKind::Related(relation) => {
            Condition::Related(relation, read_selector(json, depth + 1, at, report)?)
        }
        ConditionKind::Not => Condition::Not(read_selector(json, depth + 1, at, report)?),
        ConditionKind::AllOf => Condition::AllOf(read_list(json, depth, at, report)?),
        ConditionKind::AnyOf => Condition::AnyOf(read_list(json, depth, at, report)?),
    })
}

fn read_list<'w>(
    json: Value<'w>,
    depth: usize,
    at: &Path<'_>,
    report: &mut Report<'w>,
) -> Option<Vec<Selector>> {
    if json.kind() != Kind::Array {
        return wrong_type(json, "a list of selectors", at, &mut report.structure);
    }
    let mut selectors = Vec::new();
    let mut count = 0;
    for (index, value) in json.children().enumerate() {
        count += 1;
        selectors.extend(read_selector(
            value,
            depth + 1,
            &at.index(index, "a selector"),
            report,
        ));
    }
    if count == 0 {
        report
            .structure
            .problem(at, format!("{} must list at least one selector", at.name()));
    }
    Some(selectors)
}

fn read_test<'w>(
    json: Value<'w>,
    comparison: Comparison,
    at: &Path<'_>,
    report: &mut Report<'w>,
) -> Option<TextTest> {
    let text = expect_text(json, at, &mut report.structure)?;
    if text::is_blank(text) {
        let problem = report
            .structure
            .problem(at, format!("{} must not be blank", at.name()));
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

fn read_index(json: Value<'_>, at: &Path<'_>, report: &mut Report<'_>) -> Option<i32> {
    let number = expect_number(json, at, &mut report.structure)?;
    if number.is_integer() && (0.0..=f64::from(i32::MAX)).contains(&number.get()) {
        // It is whole and in range.
        return Some(number.get() as i32);
    }
    let message = format!(
        "{} must be a whole number from 0 to {}, not {number}",
        at.name(),
        i32::MAX
    );
    report.structure.problem(at, message);
    None
}
