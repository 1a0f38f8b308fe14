//! Structure: every field of the execution and of its actions is there, of its
//! type and within its bounds, and no other field is.

use super::fields::{read, sort};
use super::report::{About, ActionRef, CheckReport};
use super::rules;
use super::values::{DraftParams, read_params};
use crate::action::{ActionKind, CATALOGUE};
use crate::error_code::ErrorCode;
use crate::execution::{Action, CommandId, Execution, Source, StepId, TaskId};
use crate::limits::{MAX_ACTIONS, MAX_TYPE_LENGTH};
use crate::wire::{
    ACTION_FIELDS, ACTIONS, COMMAND_ID, EXECUTION_FIELDS, FORMAT, ID, MODE, PARAMS, SOURCE, STRICT, TASK_ID,
    TIMEOUT, TYPE,
};
use crate::word::Mode;
use clawperator_document::{Fields, Kind, Note, Path, Value, expect_text, text, within_length, wrong_type};

/// Reads the whole execution. `None` comes with at least one problem.
pub(super) fn read_execution<'w>(json: Value<'w>, report: &mut CheckReport<'w>) -> Option<Execution> {
    let at = Path::root("the execution");
    if json.kind() != Kind::Object {
        return wrong_type(json, "a JSON object", &at, &mut report.structure);
    }
    let position = |key: &str| EXECUTION_FIELDS.iter().position(|field| field.name == key);
    let fields: Fields<'_, '_, { EXECUTION_FIELDS.len() }> = sort(json, position, &at, report)?;
    let mut field = |row| read(&fields, row, &at, &mut report.structure);
    let text = |value: Value<'_>| value.as_text().map(str::to_owned);
    let command_id = field(&COMMAND_ID).and_then(text).map(CommandId);
    let task_id = field(&TASK_ID).and_then(text).map(TaskId);
    let source = field(&SOURCE).and_then(text).map(Source);
    let format = field(&FORMAT);
    let timeout_ms = field(&TIMEOUT).and_then(Value::as_number);
    let actions = field(&ACTIONS);
    let actions = actions.map(|json| read_actions(json, &at.field(ACTIONS.name), report));
    let mut field = |row| read(&fields, row, &at, &mut report.structure);
    let mode = field(&MODE).and_then(Value::as_text);
    let strict = field(&STRICT).and_then(Value::as_flag);
    let known = || EXECUTION_FIELDS.iter().map(|field| field.name).collect();
    fields.refuse_unknown(known, &mut report.structure);
    format?;
    Some(Execution {
        command_id: command_id?,
        task_id: task_id?,
        source: source?,
        timeout_ms: timeout_ms?,
        actions: actions?,
        mode: mode.and_then(Mode::from_word),
        strict,
    })
}

/// The actions that are fine; every other one is reported.
fn read_actions<'w>(json: Value<'w>, at: &Path<'_>, report: &mut CheckReport<'w>) -> Vec<Action> {
    if json.kind() != Kind::Array {
        return wrong_type(json, "an array", at, &mut report.structure).unwrap_or_default();
    }
    let count = json.children().count();
    if count == 0 {
        let message = "actions must hold at least one action".to_owned();
        report.structure.problem(at, message);
    }
    if count > MAX_ACTIONS {
        let message = format!("actions holds {count} actions; at most {MAX_ACTIONS} are allowed");
        report.structure.problem(at, message).hint = Some("Split it into several executions.".to_owned());
    }
    let mut actions = Vec::with_capacity(count.min(MAX_ACTIONS));
    let mut unsupported = Vec::new();
    for (index, item) in json.children().take(MAX_ACTIONS).enumerate() {
        let name = ActionRef::new(index, item);
        report.set_action(Some(name));
        match read_action(item, name, &at.index(index, "an action"), report) {
            ParsedAction::Fine(action) => actions.push(action),
            ParsedAction::Unsupported => unsupported.push(name),
            ParsedAction::Reported => {}
        }
        report.set_action(None);
    }
    // The contract puts these at `actions`, after the actions' own structure.
    for name in unsupported {
        refuse_unsupported(name, at, report);
    }
    actions
}

/// What became of one action.
#[expect(clippy::large_enum_variant, reason = "it is taken apart at once; a box would cost an allocation")]
enum ParsedAction {
    Fine(Action),
    /// Its type is a text but no action; that is not reported yet.
    Unsupported,
    /// It breaks a rule, and that is reported.
    Reported,
}

impl<'w> ActionRef<'w> {
    fn new(index: usize, json: Value<'w>) -> Self {
        if json.kind() != Kind::Object {
            return Self { index, ..Self::default() };
        };
        Self { index, id: json.get(ID.name).and_then(Value::as_text), written_type: written_type(json) }
    }
}

/// The action type as the caller wrote it, before it was normalised.
fn written_type<'w>(object: Value<'w>) -> Option<&'w str> {
    let before = object.notes().find_map(|note| match note {
        Note::Rewritten(raw) => Some(&**raw),
        Note::AliasIgnored { .. } | Note::AliasClash { .. } => None,
    });
    before.or_else(|| object.get(TYPE.name).and_then(Value::as_text))
}

fn read_action<'w>(
    json: Value<'w>,
    name: ActionRef<'w>,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> ParsedAction {
    let position = |key: &str| ACTION_FIELDS.iter().position(|field| field.name == key);
    let sorted: Option<Fields<'_, '_, { ACTION_FIELDS.len() }>> = sort(json, position, at, report);
    let Some(fields) = sorted else {
        return ParsedAction::Reported;
    };
    let id = read(&fields, &ID, at, &mut report.structure).and_then(Value::as_text);
    let id = id.map(|id| StepId(id.to_owned()));
    let written = read(&fields, &TYPE, at, &mut report.structure);
    let kind = written.and_then(|json| read_kind(json, name, &at.field(TYPE.name), report));
    let params = match read(&fields, &PARAMS, at, &mut report.structure) {
        Some(params) => read_params(params, kind.flatten(), &at.field(PARAMS.name), report),
        None => Some(DraftParams::default()),
    };
    let known = || ACTION_FIELDS.iter().map(|field| field.name).collect();
    fields.refuse_unknown(known, &mut report.structure);
    let (kind, params) = match (kind, params) {
        (Some(None), _) => return ParsedAction::Unsupported,
        (None, _) | (_, None) => return ParsedAction::Reported,
        (Some(Some(kind)), Some(params)) => (kind, params),
    };
    let step = rules::judge(kind, &params, at, report);
    match (id, step) {
        (Some(id), Some(step)) => {
            ParsedAction::Fine(Action { id, kind, step, params: params.given.then_some(params.good) })
        }
        _ => ParsedAction::Reported,
    }
}

/// The type: `None` when it is no type at all, which is reported here;
/// `Some(None)` when it is one we do not support.
fn read_kind<'w>(
    json: Value<'w>,
    name: ActionRef<'w>,
    at: &Path<'_>,
    report: &mut CheckReport<'w>,
) -> Option<Option<ActionKind>> {
    let text = expect_text(json, at, &mut report.structure)?;
    let written = name.written_type.unwrap_or(text);
    let fits = within_length(written, MAX_TYPE_LENGTH, at, &mut report.structure);
    fits.then(|| ActionKind::from_type(text))
}

fn refuse_unsupported<'w>(name: ActionRef<'w>, at: &Path<'_>, report: &mut CheckReport<'w>) {
    let written = name.written_type.unwrap_or_default();
    let index = name.index;
    let names = CATALOGUE.iter().flat_map(|spec| spec.aliases.iter().chain([&spec.name]).copied());
    let hint = match text::closest(written, names) {
        Some(meant) => format!("Did you mean \"{meant}\"?"),
        None => {
            let canonical: Vec<_> = CATALOGUE.iter().map(|spec| spec.name).collect();
            format!("Supported types: {}.", canonical.join(", "))
        }
    };
    let message =
        format!("actions.{index}.type \"{}\" is not a supported action type", text::excerpt(written));
    let problem = report.structure.problem(at, message);
    problem.about = About { code: ErrorCode::ExecutionActionUnsupported, action: Some(name) };
    problem.hint = Some(hint);
}
