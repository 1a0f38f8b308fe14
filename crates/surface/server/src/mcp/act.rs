//! `act`, `open` and `wait`: steps, and then the view of what came of them.

use super::answer::{self, Trouble};
use super::argument::{Arguments, Mistake};
use super::look::is_unread;
use super::person::Put;
use super::run::{Call, TIMEOUT_MS};
use super::tool::step_arguments;
use clawperator_agent::approval::State;
use clawperator_contract::limits::MAX_COUNT;
use clawperator_contract::{
    ActionKind, Coordinate, DataKey, DeviceResult, Direction, ErrorCode, Key, PATIENCE, ParamKey,
    RetryObject, Status, field_of,
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
const HOLD_MS: u64 = 800;

const KINDS: &[&str] = &[
    "tap",
    "long_press",
    "type",
    "key",
    "scroll",
    "drag",
    "wait",
    "open",
];

pub(super) async fn act(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<CallToolResponse, Trouble> {
    let steps = arguments.steps("steps", &step_arguments())?;
    if steps.is_empty() {
        return Err(arguments
            .missing("steps", r#"[{"do": "tap", "on": "@e7"}]"#)
            .into());
    }
    if steps.len() > MAX_STEPS {
        let hint = "Send the rest in another call.";
        return Err(arguments
            .wrong("steps", format!("has more than {MAX_STEPS} steps"), hint)
            .into());
    }
    let actions: Result<Vec<Value>, Mistake> = steps.iter().map(varied).collect();
    let words: Result<Vec<_>, Mistake> = steps.iter().map(|step| step.word("do", KINDS)).collect();
    let budget = budget(arguments)?;
    then_look(call, (actions?, &words?), budget).await
}

pub(super) async fn open(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<CallToolResponse, Trouble> {
    let app = arguments.text("app")?;
    let app = app.ok_or_else(|| arguments.missing("app", "Settings"))?;
    let mut action = open_action(app);
    if arguments.flag("fresh")? {
        action["params"]["fresh"] = json!(true);
    }
    then_look(call, (vec![action], &[]), BUDGET).await
}

pub(super) async fn wait(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<CallToolResponse, Trouble> {
    then_look(call, (vec![wait_action(arguments)?], &[]), BUDGET).await
}

/// How many tokens the view may have.
pub(super) fn budget(arguments: &Arguments<'_>) -> Result<u64, Mistake> {
    Ok(arguments.whole("budget", 1..=100_000)?.unwrap_or(BUDGET))
}

/// The action of a step, forced or not, and as often as it is to be done.
fn varied(step: &Arguments<'_>) -> Result<Value, Mistake> {
    let mut action = action(step)?;
    if step.flag("force")? {
        action["params"]["force"] = json!(true);
    }
    let count = step.whole("count", 1..=MAX_COUNT as u64)?;
    let until = step.text("until")?.map(clawperator_contract::until);
    let kind = action["type"].as_str().and_then(ActionKind::from_type);
    let can = kind.is_some_and(|kind| kind.spec().uses(ParamKey::Count));
    for (key, value) in [("count", count.map(Value::from)), ("until", until)] {
        match value {
            Some(_) if !can => {
                let hint = "Repeat tap, long_press, key, drag or scroll without to.";
                return Err(step.wrong(key, "does not go with this step", hint));
            }
            Some(value) => action["params"][key] = value,
            None => {}
        }
    }
    Ok(action)
}

fn action(step: &Arguments<'_>) -> Result<Value, Mistake> {
    let kind = step.word("do", KINDS)?;
    let kind =
        kind.ok_or_else(|| step.wrong("do", "is missing", format!("Use one of: {}.", KINDS.join(", "))))?;
    let (name, params) = match kind {
        "tap" | "long_press" => return tap(step, kind),
        "type" => {
            let text = step
                .text("text")?
                .ok_or_else(|| step.missing("text", "\"hello\""))?;
            let params = json!({"matcher": field(step)?, "text": text, "submit": step.flag("submit")?});
            ("enter_text", with(params, "retry", patience(step)?))
        }
        "key" => {
            let key = step.word("key", Key::WORDS)?;
            let key = key.ok_or_else(|| step.missing("key", &Key::WORDS.join(", ")))?;
            ("press_key", json!({"key": key}))
        }
        "scroll" => return scroll(step),
        "drag" => return drag(step),
        "wait" => return wait_action(step),
        _ => {
            let app = step.text("on")?.ok_or_else(|| step.missing("on", "Settings"))?;
            return Ok(open_action(app));
        }
    };
    Ok(json!({"type": name, "params": params}))
}

/// Where a finger goes down: a point, or an element.
fn place(step: &Arguments<'_>) -> Result<Value, Mistake> {
    Ok(match step.text("on")?.and_then(Coordinate::parse) {
        Some(point) => json!({"coordinate": point}),
        None => json!({"matcher": element(step)?}),
    })
}

fn drag(step: &Arguments<'_>) -> Result<Value, Mistake> {
    let mut params = place(step)?;
    let to = step
        .text("to")?
        .ok_or_else(|| step.missing("to", "@e9, the exact text of an element, or 540,1200"))?;
    match Coordinate::parse(to) {
        Some(point) => params["toCoordinate"] = json!(point),
        None => params["toMatcher"] = named(to),
    }
    if step.flag("hold")? {
        params["holdMs"] = json!(HOLD_MS);
    }
    params["retry"] = patience(step)?;
    Ok(json!({"type": "drag_to", "params": params}))
}

fn tap(step: &Arguments<'_>, kind: &str) -> Result<Value, Mistake> {
    let direction = step.word("direction", Direction::WORDS)?;
    let mut params = match direction {
        Some(direction) => json!({"matcher": element(step)?, "direction": direction}),
        None => place(step)?,
    };
    if kind == "long_press" {
        params["clickType"] = json!("long_click");
    }
    if direction.is_some() {
        return Ok(json!({"type": "scroll_and_click", "params": params}));
    }
    Ok(json!({"type": "click", "params": with(params, "retry", patience(step)?)}))
}

/// How often a step looks for its element.
fn patience(step: &Arguments<'_>) -> Result<Value, Mistake> {
    let limit = step.whole("timeout_ms", 0..=MOST_PATIENCE_MS)?;
    let limit = limit.map_or(PATIENCE, Duration::from_millis);
    Ok(json!(RetryObject::patience(limit)))
}

fn scroll(step: &Arguments<'_>) -> Result<Value, Mistake> {
    let direction = step.word("direction", Direction::WORDS)?.unwrap_or("down");
    let mut params = json!({"direction": direction});
    if step.has("on") || step.has("match") {
        params["container"] = element(step)?;
    }
    match step.text("to")? {
        Some(text) => {
            params["matcher"] = named(text);
            params["clickAfter"] = json!(false);
            Ok(json!({"type": "scroll_and_click", "params": params}))
        }
        None => Ok(json!({"type": "scroll", "params": with(params, "retry", patience(step)?)})),
    }
}

/// A scroll of what is not on the screen, as one that goes on until it is.
fn scroll_to(action: &Value, result: &DeviceResult) -> Option<Value> {
    let missing = result.envelope.error_code.as_deref() == Some(ErrorCode::ContainerNotFound.name());
    let (params, is_scroll) = (&action["params"], action["type"] == "scroll");
    let matcher = params.get("container").filter(|_| is_scroll && missing)?;
    // A role is that of what scrolls.
    let is_place = matcher.get("role").is_some();
    let is_once = !is_place && params.get("count").or(params.get("until")).is_none();
    let params = json!({"direction": params["direction"], "matcher": matcher, "clickAfter": false});
    is_once.then(|| json!({"id": action["id"], "type": "scroll_and_click", "params": params}))
}

fn with(mut params: Value, key: &str, value: Value) -> Value {
    params[key] = value;
    params
}

fn wait_action(arguments: &Arguments<'_>) -> Result<Value, Mistake> {
    let (kind, mut params) = match arguments.text("toast")? {
        Some(toast) => (ActionKind::WaitForToast, json!({"text": toast})),
        None => {
            let params = json!({"matcher": element(arguments)?, "gone": arguments.flag("gone")?});
            (ActionKind::WaitForNode, params)
        }
    };
    let is_alone = !["on", "match", "gone"].iter().any(|key| arguments.has(key));
    if kind == ActionKind::WaitForToast && !is_alone {
        return Err(arguments.wrong("toast", "stands beside an element", "Give one of the two."));
    }
    if let Some(ms) = arguments.whole("timeout_ms", 1..=TIMEOUT_MS - 10_000)? {
        params["timeoutMs"] = json!(ms);
    }
    Ok(json!({"type": kind.name(), "params": params}))
}

fn open_action(app: &str) -> Value {
    if app.contains("://") || app.starts_with("tel:") || app.starts_with("mailto:") {
        json!({"type": "open_uri", "params": {"uri": app}})
    } else {
        json!({"type": "open_app", "params": {"applicationId": app}})
    }
}

pub(super) fn element(arguments: &Arguments<'_>) -> Result<Value, Mistake> {
    match (arguments.text("on")?, arguments.object("match")?) {
        (Some(text), None) => Ok(named(text)),
        (None, Some(matcher)) => Ok(json!(matcher)),
        (Some(_), Some(_)) => Err(arguments.wrong("match", "stands beside on", "Give one of the two.")),
        (None, None) => Err(arguments.missing("on", "@e7 or the element's exact text")),
    }
}

/// The field to type into: the one that is named, or else the focused one.
fn field(step: &Arguments<'_>) -> Result<Value, Mistake> {
    if step.has("on") || step.has("match") {
        element(step)
    } else {
        Ok(json!({"where": {"focused": true}}))
    }
}

/// A ref, or else an exact text.
fn named(text: &str) -> Value {
    json!({field_of(text): text})
}

/// Runs actions and a look at what came of them, as one execution; the words are the
/// caller's own for them. Where a person
/// is asked first, the rest goes on once the person has agreed.
async fn then_look(
    call: &Call<'_>,
    (mut actions, words): (Vec<Value>, &[Option<&str>]),
    budget: u64,
) -> Result<CallToolResponse, Trouble> {
    for (number, action) in actions.iter_mut().enumerate() {
        action["id"] = json!(format!("s{number}"));
    }
    let steps = actions.len();
    let mut done = call.round.done.min(steps);
    let result = loop {
        let mut rest = actions[done..].to_vec();
        rest.push(call.look(budget));
        let result = call.run_within(AGENT_LOOK, rest, LastStep::Shows).await?;
        if result.envelope.status != Status::Failed {
            break result;
        }
        done += result
            .envelope
            .step_results
            .iter()
            .filter(|step| step.success)
            .count();
        match call.put(&result, done).await? {
            Some(Put::Input(input)) => return Ok(input.into()),
            Some(Put::Request(request)) if request.state != State::Pending => {}
            None if let Some(action) = actions.get(done).and_then(|action| scroll_to(action, &result)) => {
                actions[done] = action;
            }
            put => {
                let word = words.get(done).copied().flatten().unwrap_or_default();
                let mut said = answer::failed(&result, (done, steps), answer::Caller::Agent(word));
                if let Some(Put::Request(request)) = put {
                    let left = request.expires_ms.saturating_sub(request.created_ms) / 60_000;
                    said.push_str(&format!(
                        "\nThe user has {left} minutes; without an answer it is not done."
                    ));
                }
                if done > 0 {
                    said.push_str(&format!("\nsteps done: {done}. Then send the rest only."));
                }
                // It cannot be read a moment later.
                if is_unread(&result) {
                    let mut answer = call.pictured(said).await;
                    answer.is_error = Some(true);
                    return Ok(answer.into());
                }
                return Ok(answer::error(with_view(call, said, budget).await).into());
            }
        }
    };
    Ok(match call.seen(&result) {
        Some(view) => answer::text(view),
        None => unseen(call, steps, &result).await,
    }
    .into())
}

/// The steps were done, whatever became of the look after them.
async fn unseen(call: &Call<'_>, steps: usize, result: &DeviceResult) -> CallToolResult {
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
    call.pictured(said).await
}

/// A failure, and below it what the screen shows now.
async fn with_view(call: &Call<'_>, failure: String, budget: u64) -> String {
    match call.run(vec![call.look(budget)]).await {
        Ok(seen) => match call.seen(&seen) {
            Some(view) => answer::with_screen(&failure, &view),
            None => failure,
        },
        // The first failure is the one to report.
        Err(_) => failure,
    }
}

/// A value of the last step.
pub(super) fn last(result: &DeviceResult, key: DataKey) -> Option<&str> {
    result.envelope.step_results.last()?.get(key)
}
