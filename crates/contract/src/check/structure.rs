//! Structure: every field is there, of its type and within its bounds, and no
//! other field is. What comes out is a draft whose values can be trusted one
//! by one, not yet together.

use super::report::{ActionRef, Report};
use crate::action::{ActionKind, CATALOGUE};
use crate::error_code::ErrorCode;
use crate::execution::{CommandId, Source, StepId, TaskId, timeout_out_of_range};
use crate::json::{Json, Note, Object};
use crate::limits::{
    MAX_ACTIONS, MAX_COORDINATE, MAX_ID_LENGTH, MAX_MATCHER_VALUE_LENGTH, MAX_SOURCE_LENGTH, MAX_TIMEOUT_MS,
    MAX_TYPE_LENGTH, MIN_TIMEOUT_MS,
};
use crate::matcher::{MATCHER_FIELDS, Matcher};
use crate::number::Number;
use crate::param::{Coordinate, PARAM_COUNT, PARAMS, ParamKey, ParamValue, Params, Shape};
use crate::path::At;
use crate::problem::WarningCode;
use crate::retry::{RETRY_FIELDS, RetryObject};
use crate::text;
use crate::wire::{ACTION_FIELDS, EXECUTION_FIELDS, EXPECTED_FORMAT, WireField};
use crate::word::Mode;
use std::sync::Arc;

/// An execution whose fields are each fine, or are `None` with the reason
/// reported.
pub(super) struct Draft<'w> {
    pub(super) command_id: Option<CommandId>,
    pub(super) task_id: Option<TaskId>,
    pub(super) source: Option<Source>,
    pub(super) timeout_ms: Option<Number>,
    pub(super) actions: Vec<DraftAction<'w>>,
    pub(super) mode: Option<Mode>,
}

/// An action whose fields are each fine, or are missing with the reason
/// reported.
pub(super) struct DraftAction<'w> {
    pub(super) name: ActionRef<'w>,
    pub(super) id: Option<StepId>,
    pub(super) kind: Option<ActionKind>,
    pub(super) params: DraftParams,
}

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

/// Reads the whole execution.
pub(super) fn read_execution<'w>(json: &'w Json<'w>, report: &mut Report<'w>) -> Option<Draft<'w>> {
    let at = At::ROOT;
    let Json::Object(object) = json else {
        let message = format!("the execution must be a JSON object, not {}", json.type_name());
        report.problem(&at, message);
        return None;
    };
    report.warn_of_notes(object, &at);
    let mut fields = Fields {
        object,
        at: &at,
        report,
    };
    let command_id = fields.short_text("commandId", MAX_ID_LENGTH).map(CommandId);
    let task_id = fields.short_text("taskId", MAX_ID_LENGTH).map(TaskId);
    let source = fields.short_text("source", MAX_SOURCE_LENGTH).map(Source);
    fields.expected_format();
    let timeout_ms = fields.timeout();
    let actions = fields.actions();
    let mode = fields.mode();
    fields.refuse_others(&EXECUTION_FIELDS);
    Some(Draft {
        command_id,
        task_id,
        source,
        timeout_ms,
        actions,
        mode,
    })
}

/// The fields of one object, read by name.
struct Fields<'r, 'w> {
    object: &'w Object<'w>,
    at: &'r At<'r>,
    report: &'r mut Report<'w>,
}

impl<'w> Fields<'_, 'w> {
    /// A field that must be there.
    fn required(&mut self, name: &'static str) -> Option<&'w Json<'w>> {
        let at = self.at.field(name);
        self.report.clash(self.object, name, &at);
        let value = self.object.get(name);
        if value.is_none() {
            self.report.problem(&at, format!("{name} is required"));
        }
        value
    }

    /// A required string of bounded length, not empty.
    fn short_text(&mut self, name: &'static str, max: usize) -> Option<String> {
        let value = self.required(name)?;
        let at = self.at.field(name);
        let text = expect_text(value, name, &at, self.report)?;
        if text.is_empty() {
            self.report.problem(&at, format!("{name} must not be empty"));
            return None;
        }
        within_length(text, max, name, &at, self.report).then(|| text.to_owned())
    }

    fn expected_format(&mut self) {
        let Some(value) = self.required("expectedFormat") else {
            return;
        };
        if value.as_text() != Some(EXPECTED_FORMAT) {
            let at = self.at.field("expectedFormat");
            let message = format!("expectedFormat must be \"{EXPECTED_FORMAT}\"");
            self.report.problem(&at, message);
        }
    }

    fn timeout(&mut self) -> Option<Number> {
        let value = self.required("timeoutMs")?;
        let at = self.at.field("timeoutMs");
        let number = expect_number(value, "timeoutMs", &at, self.report)?;
        if (MIN_TIMEOUT_MS..=MAX_TIMEOUT_MS).contains(&number.get()) {
            return Some(number);
        }
        self.report.problems.push(timeout_out_of_range(number.get()));
        None
    }

    fn mode(&mut self) -> Option<Mode> {
        let value = self.object.get("mode")?;
        let mode = value.as_text().and_then(Mode::from_word);
        if mode.is_none() {
            let message = format!("mode must be one of: {}", Mode::WORDS.join(", "));
            self.report.problem(&self.at.field("mode"), message);
        }
        mode
    }

    fn actions(&mut self) -> Vec<DraftAction<'w>> {
        let Some(value) = self.required("actions") else {
            return Vec::new();
        };
        let at = self.at.field("actions");
        let Json::Array(items) = value else {
            let message = format!("actions must be an array, not {}", value.type_name());
            self.report.problem(&at, message);
            return Vec::new();
        };
        if items.is_empty() {
            self.report
                .problem(&at, "actions must hold at least one action".to_owned());
        }
        if items.len() > MAX_ACTIONS {
            let message = format!(
                "actions holds {} actions; at most {MAX_ACTIONS} are allowed",
                items.len()
            );
            self.report.problem(&at, message).hint = Some("Split the execution in several.".to_owned());
        }
        let mut drafts = Vec::with_capacity(items.len().min(MAX_ACTIONS));
        for (index, item) in items.iter().take(MAX_ACTIONS).enumerate() {
            drafts.extend(read_action(item, index, &at.index(index), self.report));
        }
        refuse_unsupported(&drafts, &at, self.report);
        drafts
    }

    /// Reports every key that the table does not name.
    fn refuse_others(&mut self, table: &'static [WireField]) {
        let known: Vec<_> = table.iter().map(|field| field.name).collect();
        let others: Vec<&str> = keys_outside(self.object, &known);
        self.report.unknown_keys(&others, self.at, &known);
    }
}

fn keys_outside<'w>(object: &'w Object<'w>, known: &[&'static str]) -> Vec<&'w str> {
    let keys = object.entries.iter().map(|(key, _)| &**key);
    keys.filter(|key| !known.contains(key)).collect()
}

fn read_action<'w>(
    json: &'w Json<'w>,
    index: usize,
    at: &At<'_>,
    report: &mut Report<'w>,
) -> Option<DraftAction<'w>> {
    let Json::Object(object) = json else {
        report.action = Some(ActionRef {
            index,
            ..ActionRef::default()
        });
        let message = format!("an action must be an object, not {}", json.type_name());
        report.problem(at, message);
        report.action = None;
        return None;
    };
    let name = ActionRef {
        index,
        id: object.get("id").and_then(Json::as_text),
        written_type: written_type(object),
    };
    report.action = Some(name);
    report.warn_of_notes(object, at);
    let mut fields = Fields { object, at, report };
    let id = fields.short_text("id", MAX_ID_LENGTH).map(StepId);
    let kind = fields.kind(name.written_type);
    let params = object.get("params").map_or_else(DraftParams::default, |params| {
        read_params(params, kind, &at.field("params"), fields.report)
    });
    fields.refuse_others(&ACTION_FIELDS);
    report.action = None;
    Some(DraftAction {
        name,
        id,
        kind,
        params,
    })
}

/// The action type as the caller wrote it, before it was normalised.
fn written_type<'w>(object: &'w Object<'w>) -> Option<&'w str> {
    let before = object.notes().iter().find_map(|note| match note {
        Note::TypeWas(raw) => Some(&**raw),
        Note::DuplicateKey(_) | Note::AliasIgnored { .. } | Note::AliasClash { .. } => None,
    });
    before.or_else(|| object.get("type").and_then(Json::as_text))
}

impl Fields<'_, '_> {
    /// The type, if it is a supported one; an unsupported one is reported
    /// later, with the list as a whole.
    fn kind(&mut self, written: Option<&str>) -> Option<ActionKind> {
        let value = self.required("type")?;
        let at = self.at.field("type");
        let text = expect_text(value, "type", &at, self.report)?;
        let kind = ActionKind::from_type(text);
        within_length(written.unwrap_or(text), MAX_TYPE_LENGTH, "type", &at, self.report)
            .then_some(kind)
            .flatten()
    }
}

/// Reports action types that are well-formed but mean nothing. The contract
/// puts them at `actions`, after the actions' own structure.
fn refuse_unsupported(drafts: &[DraftAction<'_>], at: &At<'_>, report: &mut Report<'_>) {
    for draft in drafts {
        let Some(written) = draft.name.written_type else {
            continue;
        };
        if draft.kind.is_some() || text::exceeds(written, MAX_TYPE_LENGTH) {
            continue;
        }
        let index = draft.name.index;
        let names = CATALOGUE
            .iter()
            .flat_map(|spec| spec.aliases.iter().chain([&spec.name]).copied());
        let hint = match text::closest(written, names) {
            Some(meant) => format!("Did you mean \"{meant}\"?"),
            None => {
                let canonical: Vec<_> = CATALOGUE.iter().map(|spec| spec.name).collect();
                format!("Supported types: {}.", canonical.join(", "))
            }
        };
        let message = format!(
            "actions.{index}.type \"{}\" is not a supported action type",
            text::excerpt(written)
        );
        let problem = report.problem(at, message);
        problem.code = ErrorCode::ExecutionActionUnsupported;
        problem.action_index = Some(index);
        problem.action_id = draft.name.id.map(str::to_owned);
        problem.action_type = Some(written.to_owned());
        problem.hint = Some(hint);
    }
}

fn read_params<'w>(
    json: &'w Json<'w>,
    kind: Option<ActionKind>,
    at: &At<'_>,
    report: &mut Report<'w>,
) -> DraftParams {
    let mut draft = DraftParams {
        given: true,
        ..DraftParams::default()
    };
    let Json::Object(object) = json else {
        let message = format!("params must be an object, not {}", json.type_name());
        report.problem(at, message);
        // Nothing is known about any parameter, so no rule may judge one.
        draft.bad = PARAMS.iter().map(|spec| spec.key).collect();
        return draft;
    };
    report.warn_of_notes(object, at);
    let (slots, others) = sort_params(object);
    for (spec, slot) in PARAMS.iter().zip(slots) {
        let Some(value) = slot else { continue };
        let at = at.field(spec.name);
        let before = report.problems.len();
        if !object.notes().is_empty() {
            report.clash(object, spec.name, &at);
        }
        match read_value(value, spec.shape, spec.name, &at, report) {
            Some(value) if report.problems.len() == before => draft.good.push(spec.key, value),
            _ => draft.bad.push(spec.key),
        }
    }
    if !others.is_empty() {
        let known = PARAMS.map(|spec| spec.name);
        report.unknown_keys(&others, at, &known);
        hint_at_removed(&others, kind, report);
    }
    draft
}

/// Sorts an object's values into the parameter table's order.
fn sort_params<'w>(object: &'w Object<'w>) -> ([Option<&'w Json<'w>>; PARAM_COUNT], Vec<&'w str>) {
    let mut slots = [None; PARAM_COUNT];
    let mut others = Vec::new();
    for (key, value) in &object.entries {
        match PARAMS.iter().position(|spec| spec.name == key) {
            Some(index) => slots[index] = Some(value),
            None => others.push(&**key),
        }
    }
    (slots, others)
}

fn hint_at_removed(keys: &[&str], kind: Option<ActionKind>, report: &mut Report<'_>) {
    let Some(spec) = kind.map(ActionKind::spec) else {
        return;
    };
    let removed = spec.removed.iter().find(|name| keys.contains(name));
    if let (Some(name), Some(problem)) = (removed, report.problems.last_mut()) {
        let hint = format!("\"{name}\" was removed from {}; leave it out.", spec.name);
        problem.hint = Some(hint);
    }
}

fn read_value<'w>(
    json: &'w Json<'w>,
    shape: Shape,
    name: &str,
    at: &At<'_>,
    report: &mut Report<'w>,
) -> Option<ParamValue> {
    match shape {
        Shape::Text => expect_text(json, name, at, report).map(|text| ParamValue::Text(text.into())),
        Shape::ShortText(max) => {
            let text = expect_text(json, name, at, report)?;
            within_length(text, max, name, at, report).then(|| ParamValue::Text(text.into()))
        }
        Shape::Number => expect_number(json, name, at, report).map(ParamValue::Number),
        Shape::Flag => match json {
            Json::Bool(flag) => Some(ParamValue::Flag(*flag)),
            other => wrong_type(other, name, "true or false", at, report),
        },
        Shape::Matcher => {
            read_matcher(json, name, at, report).map(|matcher| ParamValue::Matcher(Arc::new(matcher)))
        }
        Shape::Coordinate => read_coordinate(json, name, at, report).map(ParamValue::Coordinate),
        Shape::Retry => read_retry(json, name, at, report).map(|retry| ParamValue::Retry(Box::new(retry))),
    }
}

fn read_matcher<'w>(json: &'w Json<'w>, name: &str, at: &At<'_>, report: &mut Report<'w>) -> Option<Matcher> {
    let Json::Object(object) = json else {
        return wrong_type(json, name, "an object", at, report);
    };
    report.warn_of_notes(object, at);
    let mut matcher = Matcher::default();
    for field in &MATCHER_FIELDS {
        let at = at.field(field.name);
        if !object.notes().is_empty() {
            report.clash(object, field.name, &at);
        }
        let Some(value) = object.get(field.name) else {
            continue;
        };
        let Some(text) = expect_text(value, field.name, &at, report) else {
            continue;
        };
        if text::is_blank(text) {
            let problem = report.problem(&at, format!("{} must not be blank", field.name));
            problem.hint = Some("Leave the field out if it does not matter.".to_owned());
        } else if within_length(text, MAX_MATCHER_VALUE_LENGTH, field.name, &at, report) {
            *(field.slot)(&mut matcher) = Some(text.to_owned());
        }
    }
    let known = MATCHER_FIELDS.map(|field| field.name);
    let others = keys_outside(object, &known);
    report.unknown_keys(&others, at, &known);
    if object.entries.is_empty() {
        let problem = report.problem(at, format!("{name} must have at least one field"));
        problem.hint = Some(format!("Fields: {}.", known.join(", ")));
    }
    Some(matcher)
}

fn read_coordinate<'w>(
    json: &'w Json<'w>,
    name: &str,
    at: &At<'_>,
    report: &mut Report<'w>,
) -> Option<Coordinate> {
    let Json::Object(object) = json else {
        return wrong_type(json, name, "an object", at, report);
    };
    report.warn_of_notes(object, at);
    let x = read_axis(object, "x", at, report);
    let y = read_axis(object, "y", at, report);
    let known = ["x", "y"];
    report.unknown_keys(&keys_outside(object, &known), at, &known);
    Some(Coordinate { x: x?, y: y? })
}

fn read_axis<'w>(
    object: &'w Object<'w>,
    axis: &'static str,
    at: &At<'_>,
    report: &mut Report<'w>,
) -> Option<u64> {
    let mut fields = Fields { object, at, report };
    let value = fields.required(axis)?;
    let at = at.field(axis);
    let number = expect_number(value, axis, &at, report)?;
    if number.is_integer() && (0.0..=MAX_COORDINATE).contains(&number.get()) {
        return Some(number.get() as u64);
    }
    report.problem(
        &at,
        format!("{axis} must be a whole number of at least 0, not {number}"),
    );
    None
}

fn read_retry<'w>(
    json: &'w Json<'w>,
    name: &str,
    at: &At<'_>,
    report: &mut Report<'w>,
) -> Option<RetryObject> {
    let Json::Object(object) = json else {
        return wrong_type(json, name, "an object", at, report);
    };
    report.warn_of_notes(object, at);
    let mut retry = RetryObject::default();
    for field in &RETRY_FIELDS {
        let Some(value) = object.get(field.name) else {
            continue;
        };
        let at = at.field(field.name);
        let Some(number) = expect_number(value, field.name, &at, report) else {
            continue;
        };
        let used = field.clamp(Some(number));
        if used != number.get() {
            let message = format!(
                "{} {number} is outside {}..{}; {used} is used",
                field.name, field.min, field.max
            );
            report.warn(WarningCode::ValueClamped, &at, message);
        }
        *(field.slot)(&mut retry) = Some(number);
    }
    let known = RETRY_FIELDS.map(|field| field.name);
    report.unknown_keys(&keys_outside(object, &known), at, &known);
    Some(retry)
}

fn expect_text<'w>(json: &'w Json<'w>, name: &str, at: &At<'_>, report: &mut Report<'w>) -> Option<&'w str> {
    match json {
        Json::Text(text) => Some(text),
        other => wrong_type(other, name, "a string", at, report),
    }
}

fn expect_number(json: &Json<'_>, name: &str, at: &At<'_>, report: &mut Report<'_>) -> Option<Number> {
    match json {
        Json::Number(number) => Some(*number),
        other => wrong_type(other, name, "a number", at, report),
    }
}

fn wrong_type<T>(
    json: &Json<'_>,
    name: &str,
    wanted: &str,
    at: &At<'_>,
    report: &mut Report<'_>,
) -> Option<T> {
    report.problem(at, format!("{name} must be {wanted}, not {}", json.type_name()));
    None
}

fn within_length(text: &str, max: usize, name: &str, at: &At<'_>, report: &mut Report<'_>) -> bool {
    if !text::exceeds(text, max) {
        return true;
    }
    let length = text::utf16_len(text);
    report.problem(
        at,
        format!("{name} has {length} characters (UTF-16 units); at most {max} are allowed"),
    );
    false
}
