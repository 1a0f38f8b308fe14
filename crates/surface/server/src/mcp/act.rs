//! `act`, `open` and `wait`: steps, and then the view of what came of them.

use super::answer::{self, ToolResult, is_unread};
use super::argument::{ArgumentMistake, Arguments};
use super::person::Put;
use super::run::{McpCall, TIMEOUT_MS};
use super::tool::{step_arguments, step_words};
use clawperator_agent::approval::State;
use clawperator_contract::limits::MAX_COUNT;
use clawperator_contract::{
    ActionKind, CATALOGUE, ClickType, Coordinate, DeviceResult, Direction, ErrorCode, Key, PATIENCE,
    ParamKey, PayloadAction, PayloadValue, RetryObject, Status, field_of,
};
use clawperator_run::{AGENT_LOOK, LastStep};
use rmcp::model::{CallToolResponse, CallToolResult};
use serde_json::{Value, json};
use std::time::Duration;

/// The most steps of one call; the view takes one action.
const MAX_STEPS: usize = 40;
/// How many tokens a view may have if the caller does not say.
const BUDGET: u64 = clawperator_contract::limits::VIEW_BUDGET as u64;

/// How long a step may look for its element at most.
const MOST_PATIENCE_MS: u64 = 20_000;

/// How long a finger rests on what it picks up.
const HOLD_MS: u32 = 800;

pub(super) async fn act(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult<CallToolResponse> {
    let steps = arguments.steps("steps", &step_arguments())?;
    if steps.is_empty() {
        return Err(arguments.missing("steps", r#"[{"do": "tap", "on": "@e7"}]"#).into());
    }
    if steps.len() > MAX_STEPS {
        let hint = "Send the rest in another call.";
        return Err(arguments.wrong("steps", format!("has more than {MAX_STEPS} steps"), hint).into());
    }
    let steps: Result<Vec<McpStep>, ArgumentMistake> = steps.iter().map(varied).collect();
    let budget = budget(arguments)?;
    then_look(call, steps?, budget).await
}

pub(super) async fn open(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult<CallToolResponse> {
    let app = arguments.text("app")?;
    let app = app.ok_or_else(|| arguments.missing("app", "Settings"))?;
    let action = open_action(app).with_flag(ParamKey::Fresh, arguments.flag("fresh")?);
    then_look(call, vec![McpStep { word: "", action }], BUDGET).await
}

pub(super) async fn wait(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult<CallToolResponse> {
    let action = wait_action(arguments)?;
    then_look(call, vec![McpStep { word: "", action }], BUDGET).await
}

/// How many tokens the view may have.
pub(super) fn budget(arguments: &Arguments<'_>) -> Result<u64, ArgumentMistake> {
    Ok(arguments.whole("budget", 1..=100_000)?.unwrap_or(BUDGET))
}

/// One step: the caller's word for it, and what it is.
struct McpStep {
    word: &'static str,
    action: PayloadAction,
}

/// A step, forced or not, and as often as it is to be done.
fn varied(step: &Arguments<'_>) -> Result<McpStep, ArgumentMistake> {
    let words = step_words();
    let word = step.word("do", &words)?;
    let word =
        word.ok_or_else(|| step.wrong("do", "is missing", format!("Use one of: {}.", words.join(", "))))?;
    let action = match word {
        "tap" => tap(step, None)?,
        "long_press" => tap(step, Some(ClickType::LongClick))?,
        "type" => enter_text(step)?,
        "key" => press_key(step)?,
        "scroll" => scroll(step)?,
        "drag" => drag(step)?,
        "wait" => wait_action(step)?,
        "open" => open_action(step.text("on")?.ok_or_else(|| step.missing("on", "Settings"))?),
        word => plain(step, word)?,
    };
    let mut action = action.with_flag(ParamKey::Force, step.flag("force")?);
    let count = step.whole("count", 1..=MAX_COUNT as u64)?;
    let until = step.text("until")?.map(clawperator_contract::until);
    let can = action.kind.spec().uses(ParamKey::Count);
    for (key, value) in [(ParamKey::Count, count.map(Value::from)), (ParamKey::Until, until)] {
        if value.is_some() && !can {
            let hint = "Repeat tap, long_press, key, drag or scroll without to.";
            return Err(step.wrong(key.name(), "does not go with this step", hint));
        }
        action = action.with_some(key, value);
    }
    Ok(McpStep { word, action })
}

/// A step as its row has it. The contract judges what is sent.
fn plain(step: &Arguments<'_>, word: &str) -> Result<PayloadAction, ArgumentMistake> {
    let row = CATALOGUE.iter().find(|row| row.verb == Some(word));
    let kind = row.map_or(ActionKind::SnapshotUi, |row| row.kind);
    PayloadAction::build("", kind, |used| match used.key {
        ParamKey::Matcher if step.has("on") || step.has("match") => element(step).map(Some),
        key => Ok(step.value(&key.words('_')).cloned().map(PayloadValue::from)),
    })
}

fn enter_text(step: &Arguments<'_>) -> Result<PayloadAction, ArgumentMistake> {
    let text = step.text("text")?.ok_or_else(|| step.missing("text", "\"hello\""))?;
    Ok(PayloadAction::new("", ActionKind::EnterText)
        .with(ParamKey::Matcher, field(step)?)
        .with(ParamKey::Text, text)
        .with(ParamKey::Submit, step.flag("submit")?)
        .with(ParamKey::Retry, patience(step)?))
}

fn press_key(step: &Arguments<'_>) -> Result<PayloadAction, ArgumentMistake> {
    let key = step.word("key", Key::WORDS)?;
    let key = key.ok_or_else(|| step.missing("key", &Key::WORDS.join(", ")))?;
    Ok(PayloadAction::new("", ActionKind::PressKey).with(ParamKey::Key, key))
}

/// The action with where a finger goes down: a point, or an element.
fn place(step: &Arguments<'_>, kind: ActionKind) -> Result<PayloadAction, ArgumentMistake> {
    let action = PayloadAction::new("", kind);
    Ok(match step.text("on")?.and_then(Coordinate::parse) {
        Some(point) => action.with(ParamKey::Coordinate, point),
        None => action.with(ParamKey::Matcher, element(step)?),
    })
}

fn drag(step: &Arguments<'_>) -> Result<PayloadAction, ArgumentMistake> {
    let drag = place(step, ActionKind::DragTo)?;
    let to = step
        .text("to")?
        .ok_or_else(|| step.missing("to", "@e9, the exact text of an element, or 540,1200"))?;
    let drag = match Coordinate::parse(to) {
        Some(point) => drag.with(ParamKey::ToCoordinate, point),
        None => drag.with(ParamKey::ToMatcher, text_matcher(to)),
    };
    Ok(drag
        .with_some(ParamKey::HoldMs, step.flag("hold")?.then_some(HOLD_MS))
        .with(ParamKey::Retry, patience(step)?))
}

fn tap(step: &Arguments<'_>, click: Option<ClickType>) -> Result<PayloadAction, ArgumentMistake> {
    let action = match step.word("direction", Direction::WORDS)? {
        Some(direction) => PayloadAction::new("", ActionKind::ScrollAndClick)
            .with(ParamKey::Matcher, element(step)?)
            .with(ParamKey::Direction, direction),
        None => place(step, ActionKind::Click)?.with(ParamKey::Retry, patience(step)?),
    };
    Ok(action.with_some(ParamKey::ClickType, click.map(ClickType::word)))
}

/// How often a step looks for its element.
fn patience(step: &Arguments<'_>) -> Result<RetryObject, ArgumentMistake> {
    let limit = step.whole("timeout_ms", 0..=MOST_PATIENCE_MS)?.map_or(PATIENCE, Duration::from_millis);
    Ok(RetryObject::patience(limit))
}

fn scroll(step: &Arguments<'_>) -> Result<PayloadAction, ArgumentMistake> {
    let direction = step.word("direction", Direction::WORDS)?.unwrap_or("down");
    let is_named = step.has("on") || step.has("match");
    let container = is_named.then(|| element(step)).transpose()?;
    let action = match step.text("to")? {
        Some(text) => search(text_matcher(text)),
        None => PayloadAction::new("", ActionKind::Scroll).with(ParamKey::Retry, patience(step)?),
    };
    Ok(action.with(ParamKey::Direction, direction).with_some(ParamKey::Container, container))
}

/// Scrolls until an element is in view, and leaves it at that.
fn search(matcher: PayloadValue) -> PayloadAction {
    PayloadAction::new("", ActionKind::ScrollAndClick)
        .with(ParamKey::Matcher, matcher)
        .with(ParamKey::ClickAfter, false)
}

/// A scroll of what is not on the screen, as one that goes on until it is.
fn scroll_to(action: &PayloadAction, result: &DeviceResult) -> Option<PayloadAction> {
    let missing = result.envelope.error_code.as_deref() == Some(ErrorCode::ContainerNotFound.name());
    let is_scroll = action.kind == ActionKind::Scroll;
    let matcher = action.get(ParamKey::Container).filter(|_| is_scroll && missing)?;
    // A role is that of what scrolls.
    let is_place = matches!(matcher, PayloadValue::Value(matcher) if matcher.get("role").is_some());
    let is_once = action.get(ParamKey::Count).or(action.get(ParamKey::Until)).is_none();
    let direction = action.get(ParamKey::Direction).cloned();
    (is_once && !is_place).then(|| {
        search(matcher.clone()).with_id(action.id.as_str()).with_some(ParamKey::Direction, direction)
    })
}

fn wait_action(arguments: &Arguments<'_>) -> Result<PayloadAction, ArgumentMistake> {
    let action = match arguments.text("toast")? {
        Some(toast) => PayloadAction::new("", ActionKind::WaitForToast).with(ParamKey::Text, toast),
        None => PayloadAction::new("", ActionKind::WaitForNode)
            .with(ParamKey::Matcher, element(arguments)?)
            .with(ParamKey::Gone, arguments.flag("gone")?),
    };
    let is_alone = !["on", "match", "gone"].iter().any(|key| arguments.has(key));
    if action.kind == ActionKind::WaitForToast && !is_alone {
        return Err(arguments.wrong("toast", "stands beside an element", "Give one of the two."));
    }
    let ms = arguments.whole("timeout_ms", 1..=TIMEOUT_MS - 10_000)?;
    Ok(action.with_some(ParamKey::TimeoutMs, ms.map(Value::from)))
}

fn open_action(app: &str) -> PayloadAction {
    if app.contains("://") || app.starts_with("tel:") || app.starts_with("mailto:") {
        PayloadAction::new("", ActionKind::OpenUri).with(ParamKey::Uri, app)
    } else {
        PayloadAction::new("", ActionKind::OpenApp).with(ParamKey::ApplicationId, app)
    }
}

pub(super) fn element(arguments: &Arguments<'_>) -> Result<PayloadValue, ArgumentMistake> {
    match (arguments.text("on")?, arguments.object("match")?) {
        (Some(text), None) => Ok(text_matcher(text)),
        (None, Some(matcher)) => Ok(json!(matcher).into()),
        (Some(_), Some(_)) => Err(arguments.wrong("match", "stands beside on", "Give one of the two.")),
        (None, None) => Err(arguments.missing("on", "@e7 or the element's exact text")),
    }
}

/// The field to type into: the one that is named, or else the focused one.
fn field(step: &Arguments<'_>) -> Result<PayloadValue, ArgumentMistake> {
    if step.has("on") || step.has("match") {
        element(step)
    } else {
        Ok(json!({"where": {"focused": true}}).into())
    }
}

/// A ref, or else an exact text.
fn text_matcher(text: &str) -> PayloadValue {
    json!({field_of(text): text}).into()
}

/// Runs steps and a look at what came of them, as one execution. Where a person
/// is asked first, the rest goes on once the person has agreed.
async fn then_look(call: &McpCall<'_>, mut all: Vec<McpStep>, budget: u64) -> ToolResult<CallToolResponse> {
    for (number, step) in all.iter_mut().enumerate() {
        step.action.id = format!("s{number}");
    }
    let steps = all.len();
    let mut done = call.round.done.min(steps);
    let result = loop {
        let rest = all[done..].iter().map(|step| step.action.clone());
        let rest = rest.chain([call.look(budget)]).collect();
        let result = call.run_within(AGENT_LOOK, rest, LastStep::Shows).await?;
        if result.envelope.status != Status::Failed {
            break result;
        }
        done += result.envelope.step_results.iter().filter(|step| step.success).count();
        match call.put(&result, done).await? {
            Some(Put::Input(input)) => return Ok(input.into()),
            Some(Put::Request(request)) if request.state != State::Pending => {}
            // The next job may have another phone, and begins at its home screen.
            None if call.target.is_none()
                && let Some(action) = all.get(done).and_then(|step| scroll_to(&step.action, &result)) =>
            {
                all[done].action = action;
            }
            put => {
                let word = all.get(done).map_or("", |step| step.word);
                let mut said =
                    answer::failed_run_text(&result, done, steps, answer::FailureReader::Agent(word));
                if let Some(Put::Request(request)) = put {
                    let left = request.expires_ms.saturating_sub(request.created_ms) / 60_000;
                    said.push_str(&format!(
                        "\nThe user has {left} minutes; without an answer it is not done."
                    ));
                }
                if done > 0 {
                    // In a pool the next call begins on the home screen, maybe of another phone.
                    let then =
                        if call.target.is_none() { "send the rest only" } else { "send all steps again" };
                    said.push_str(&format!("\nsteps done: {done}. Then {then}."));
                }
                // It cannot be read a moment later.
                if is_unread(&result) {
                    let mut answer = call.picture_answer(said, AGENT_LOOK).await;
                    answer.is_error = Some(true);
                    return Ok(answer.into());
                }
                return Ok(answer::error(with_view(call, said, budget).await).into());
            }
        }
    };
    Ok(match call.view_text(&result) {
        Some(view) => answer::text(view),
        None => answer_without_view(call, steps, &result).await,
    }
    .into())
}

/// The steps were done, whatever became of the look after them.
async fn answer_without_view(call: &McpCall<'_>, steps: usize, result: &DeviceResult) -> CallToolResult {
    let mut said = match steps {
        1 => "the step was done".to_owned(),
        _ => format!("all {steps} steps were done"),
    };
    for warning in result.warnings.list() {
        said.push_str(&format!("; {}", warning.message));
    }
    for note in answer::notes(&result.envelope.step_results) {
        said.push_str(&format!("\n{note}"));
    }
    call.picture_answer(said, AGENT_LOOK).await
}

/// A failure, and below it what the screen shows now. A phone of a pool has left it by then.
async fn with_view(call: &McpCall<'_>, failure: String, budget: u64) -> String {
    if call.target.is_some() {
        return failure;
    }
    match call.run(vec![call.look(budget)]).await {
        Ok(seen) => match call.view_text(&seen) {
            Some(view) => answer::with_screen(&failure, &view),
            None => failure,
        },
        // The first failure is the one to report.
        Err(_) => failure,
    }
}
