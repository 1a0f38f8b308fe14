//! Reads the steps of a recipe.

use super::params::{params, pattern, require};
use super::selector::selector;
use super::values::{ObjectReader, keys, known_word, list, object, plain_text, whole};
use crate::recipe::limits::{MAX_NAME, MAX_RETRIES, MAX_STEPS};
use crate::recipe::problem::{Judge, RecipePlace, RecipeReport, did_you_mean};
use crate::recipe::rule::Rule;
use crate::recipe::selector::RecipeSelector;
use crate::recipe::step::{ConfirmCheck, RecipeConfirm, RecipeStep, step_types};
use clawperator_contract::limits::MAX_TIMEOUT_MS;
use clawperator_contract::{ActionKind, ActionSpec, ParamKey, PatternBudget, words};
use clawperator_document::{Document, Kind, Path, Value, expect_flag, expect_text, text};

keys!(StepKeys: "id" "type" "selector" "matcher" "container" "wait" "retries" "confirm" "params");
keys!(WaitKeys: "after_ms");
keys!(RetryKeys: "count");
keys!(ConfirmKeys: "type" "selector" "container" "gone" "matches" "timeout_ms");

type StepReader<'r, 'w> = ObjectReader<'r, 'w, { StepKeys::ALL.len() }>;

/// Actions of the contract that a recipe may not use, and what to do instead.
const REFUSED: [(ActionKind, &str); 3] = [
    (
        ActionKind::EnterText,
        "A recipe cannot type: no action of the compiler types. Use a script, which can run clawperator type.",
    ),
    (ActionKind::PressKey, "A recipe cannot press keys. Click the element on the screen that does the same."),
    (ActionKind::WaitForNavigation, "Use wait_for_node with an element of the screen that comes next."),
];

/// What is wrong so far, and what the patterns of the recipe may still cost.
pub(super) struct StepsContext<'r> {
    pub(super) report: &'r mut RecipeReport,
    pub(super) patterns: PatternBudget,
}

pub(super) fn steps<'w>(
    value: Value<'w>,
    document: &Document<'w>,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Vec<RecipeStep> {
    let entries = list(value, MAX_STEPS, at, report);
    if entries.is_empty() && value.kind() == Kind::Array {
        report.problem(at, "the recipe has no steps".to_owned());
    }
    let mut ids: Vec<&str> = Vec::new();
    let mut steps = Vec::new();
    let mut context = StepsContext { report, patterns: PatternBudget::default() };
    for (index, entry) in entries.into_iter().enumerate() {
        let at = at.index(index, "a step");
        if let Some(id) = entry.get("id").and_then(Value::as_text) {
            if ids.contains(&id) {
                let message = format!("another step has the id \"{}\"", text::excerpt(id));
                context.report.problem(&at.field("id"), message);
            }
            ids.push(id);
        }
        let place = RecipePlace(document.place(entry).map(|place| place.value));
        steps.extend(step(entry, place, &at, &mut context));
    }
    steps
}

fn step(
    value: Value<'_>,
    place: RecipePlace,
    at: &Path<'_>,
    context: &mut StepsContext<'_>,
) -> Option<RecipeStep> {
    let report = &mut *context.report;
    let reader: StepReader<'_, '_> = object(value, StepKeys::slot, at, report)?;
    let id = reader.required("id", report, step_id);
    let row = reader.required("type", report, |value, at, report| {
        report.under(Rule::StepType, |report| step_type(value, at, report))
    });
    let target = target(&reader, row, at, report);
    let container = reader.optional("container", report, |value, at, report| {
        if row.is_some_and(|row| !row.uses(ParamKey::Matcher)) {
            report.problem(at, "a step of this type has no container".to_owned());
        }
        selector(value, at, report)
    });
    let wait_after_ms = reader.optional("wait", report, wait);
    let retries = reader.optional("retries", report, |value, at, report| retry_count(value, row, at, report));
    let confirm = reader.fields.optional("confirm", report);
    let given = reader.fields.optional("params", report);
    let confirm = confirm.and_then(|value| confirmation(value, &at.field("confirm"), context));
    let (params, output) = match (given, row) {
        (Some(value), Some(row)) => params(value, row, &at.field("params"), context),
        _ => (Vec::new(), None),
    };
    let report = &mut *context.report;
    reader.fields.refuse_each_unknown(StepKeys::known, report);
    let row = row?;
    require(row, &params, at, report);
    Some(RecipeStep {
        id: id?,
        kind: row.kind,
        selector: target,
        container,
        wait_after_ms,
        retries,
        confirm,
        params,
        output,
        at: place,
    })
}

/// The ids of actions are made of the ids of steps and of words after a dot.
fn step_id(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<String> {
    let id = plain_text(value, at, report)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if id.len() > MAX_NAME || !id.chars().all(fits) {
        report.problem(at, format!("id must be letters, digits, \"_\" and \"-\", at most {MAX_NAME}"));
        return None;
    }
    Some(id)
}

fn step_type(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<&'static ActionSpec> {
    let word = expect_text(value, at, report)?;
    if let Some(row) = step_types().find(|row| row.name == word) {
        return Some(row);
    }
    let words: Vec<_> = step_types().map(|row| row.name).collect();
    let shown = text::excerpt(word);
    let message = format!("a recipe has no step of type \"{shown}\"; the types are {}", words.join(", "));
    let refused = ActionKind::from_type(word);
    let refused = refused.and_then(|kind| REFUSED.iter().find(|(each, _)| *each == kind));
    report.problem(at, message).hint = match refused {
        Some((_, hint)) => Some((*hint).to_owned()),
        None => did_you_mean(word, words),
    };
    None
}

/// The element that a step is about; `matcher` is another name for `selector`.
fn target(
    reader: &StepReader<'_, '_>,
    row: Option<&ActionSpec>,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<RecipeSelector> {
    let fields = &reader.fields;
    let (named, other) = (fields.optional("selector", report), fields.optional("matcher", report));
    let (name, value) = match (named, other) {
        (Some(value), None) => ("selector", value),
        (None, Some(value)) => ("matcher", value),
        (Some(_), Some(_)) => {
            report.problem(&at.field("matcher"), "a step has a selector or a matcher, not both".to_owned());
            return None;
        }
        (None, None) => {
            if let Some(row) = row.filter(|row| row.uses(ParamKey::Matcher)) {
                let message = format!("a step of type {} needs a selector", row.name);
                report.problem(&at.field("selector"), message);
            }
            return None;
        }
    };
    let at = at.field(name);
    if let Some(row) = row.filter(|row| !row.uses(ParamKey::Matcher)) {
        report.problem(&at, format!("a step of type {} has no selector", row.name));
    }
    selector(value, &at, report)
}

fn wait(value: Value<'_>, at: &Path<'_>, report: &mut RecipeReport) -> Option<u32> {
    let reader: ObjectReader<'_, '_, { WaitKeys::ALL.len() }> = object(value, WaitKeys::slot, at, report)?;
    let after = reader
        .required("after_ms", report, |value, at, report| whole(value, 0.0..=MAX_TIMEOUT_MS, at, report));
    reader.fields.refuse_each_unknown(WaitKeys::known, report);
    u32::try_from(after?).ok()
}

fn retry_count(
    value: Value<'_>,
    row: Option<&ActionSpec>,
    at: &Path<'_>,
    report: &mut RecipeReport,
) -> Option<u32> {
    let reader: ObjectReader<'_, '_, { RetryKeys::ALL.len() }> = object(value, RetryKeys::slot, at, report)?;
    let count =
        reader.required("count", report, |value, at, report| whole(value, 0.0..=MAX_RETRIES, at, report));
    reader.fields.refuse_each_unknown(RetryKeys::known, report);
    let repeats = |row: &&ActionSpec| {
        let mut slots = row.retries.iter();
        slots.any(|(_, preset)| preset.policy().max_attempts > 1)
    };
    if let Some(row) = row.filter(|row| !repeats(row)) {
        report.problem(at, format!("a step of type {} is never tried again", row.name));
    }
    u32::try_from(count?).ok()
}

fn confirmation(value: Value<'_>, at: &Path<'_>, context: &mut StepsContext<'_>) -> Option<RecipeConfirm> {
    let report = &mut *context.report;
    let reader: ObjectReader<'_, '_, { ConfirmKeys::ALL.len() }> =
        object(value, ConfirmKeys::slot, at, report)?;
    let kind = reader.optional("type", report, known_word::<ConfirmType>);
    let kind = kind.and_then(|kind| ActionKind::from_type(kind.word()));
    let target = reader.required("selector", report, selector);
    let container = reader.optional("container", report, selector);
    let gone = reader.optional("gone", report, expect_flag);
    let matches = reader.fields.optional("matches", report);
    let matches = matches.and_then(|value| pattern(value, &at.field("matches"), context));
    let report = &mut *context.report;
    let timeout = reader.optional("timeout_ms", report, |value, at, report| {
        u32::try_from(whole(value, 1.0..=MAX_TIMEOUT_MS, at, report)?).ok()
    });
    reader.fields.refuse_each_unknown(ConfirmKeys::known, report);
    let reads = matches.is_some() || kind == Some(ActionKind::ReadText);
    let check = match (reads, gone) {
        (true, None) if kind != Some(ActionKind::WaitForNode) && timeout.is_none() => {
            ConfirmCheck::Reads(matches)
        }
        (true, _) => {
            let message = "confirm reads a text (matches), or waits (gone, timeout_ms), not both".to_owned();
            report.problem(at, message);
            return None;
        }
        (false, Some(true)) => ConfirmCheck::Disappears(timeout),
        (false, _) => ConfirmCheck::Appears(timeout),
    };
    Some(RecipeConfirm { selector: target?, container, check })
}

words! {
    /// The actions that can confirm. A snapshot alone confirms nothing.
    ConfirmType {
        WaitForNode = "wait_for_node",
        ReadText = "read_text",
    }
}
