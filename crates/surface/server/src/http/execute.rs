//! Executions: run, and answered in one shape.

use super::Api;
use super::answer::{HttpError, HttpResult, status};
use super::ask::{Ask, BodyFields, invalid};
use crate::agent::judge;
use crate::{confine, phone};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use clawperator_agent::policy::Level;
use clawperator_contract::{
    ActionEffect, ActionKind, CheckedExecution, ErrorCode, Failure, LaneWish, LookAfter, Number, ParamKey,
    Payload, PayloadAction, ServeResult, accept, limits, text,
};
use clawperator_engine::{
    AbandonPolicy, Outcome, OutcomeKind, RefusedExecution, Request, RunId, StoredOutcome,
};
use clawperator_phone::PackageName;
use clawperator_phone::vault::Vault;
use clawperator_run::Strictness;
use clawperator_run::operator::RouteWish;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use std::time::Duration;

const RUN_ID: HeaderName = HeaderName::from_static("x-run-id");
/// The header of an outcome that was stored before.
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The header that says which preference of the caller counts.
pub(super) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const MAX_KEY: usize = 255;
/// The longest wait for a phone that is in use, in milliseconds.
pub(super) const MAX_WAIT_MS: u64 = 600_000;

pub(crate) async fn execute(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let fields = ask.fields()?;
    let execution = &payload_of(&api, &ask, &fields)?;
    let asked = ExecuteOptions::read(&api, &ask, &fields)?;
    let checked = accept(execution.to_string().as_bytes());
    let checked = checked.and_then(|checked| confine::execution(checked, &api.app.state));
    let checked = checked.map_err(|failure| {
        if let Some(device) = asked.device.clone() {
            let execution = outline(execution);
            let refused = RefusedExecution { device, execution };
            api.app.engine.refuse(&refused, &failure);
        }
        beside(failure, asked.device.as_deref())
    })?;
    run(&api, checked, asked).await
}

/// The execution of a body, with a look at its end if the caller or the server wants that.
pub(super) fn payload_of(api: &Api, ask: &Ask, fields: &BodyFields) -> HttpResult<Value> {
    let missing = || HttpError::of(ErrorCode::MissingExecution, "the body has no execution");
    let execution = fields.get("execution").filter(|value| !is_falsy(value)).ok_or_else(missing)?;
    let looks = match ask.text("view") {
        Some(_) => ask.flag("view"),
        None => api.app.looks == LookAfter::Always,
    };
    let viewed = looks.then(|| with_look(execution)).flatten();
    Ok(viewed.unwrap_or_else(|| execution.clone()))
}

/// An execution that acts, with a look at what changed as its last step; none of one
/// that ends with a look, or has no room for it.
fn with_look(execution: &Value) -> Option<Value> {
    let kind = |action: &Value| ActionKind::from_type(action["type"].as_str()?);
    let actions = execution["actions"].as_array()?;
    let quiet = [ActionEffect::Nothing, ActionEffect::Observes];
    let acts = |action: &Value| kind(action).is_some_and(|kind| !quiet.contains(&kind.spec().effect));
    let is_seen = kind(actions.last()?) == Some(ActionKind::SnapshotUi);
    let has_room = actions.len() < limits::MAX_ACTIONS && !is_seen;
    (has_room && actions.iter().any(acts)).then_some(())?;
    let is_free = |id: &String| !actions.iter().any(|action| action["id"] == **id);
    let id = (0..=actions.len()).map(|number| format!("view{}", "_".repeat(number))).find(is_free)?;
    let mut viewed = execution.clone();
    let look = PayloadAction::changes(id, limits::VIEW_BUDGET);
    viewed["actions"].as_array_mut()?.push(json!(look));
    if let Some(ms) = execution["timeoutMs"].as_f64() {
        viewed["timeoutMs"] = json!((ms + limits::LOOK_MS).min(limits::MAX_TIMEOUT_MS).max(ms));
    }
    Some(viewed)
}

/// What of a refused execution can be told to others. Anything else of it may be
/// what was to be typed.
fn outline(execution: &Value) -> Value {
    let part = |value: &Value, keys: &[&str]| {
        let texts = keys.iter().filter_map(|key| Some((*key, value.get(key)?.as_str()?)));
        texts.map(|(key, word)| (key.to_owned(), Value::from(text::excerpt(word)))).collect::<Map<_, _>>()
    };
    let mut outline = part(execution, &["commandId", "taskId", "source"]);
    if let Some(actions) = execution["actions"].as_array() {
        let actions = actions.iter().take(limits::MAX_ACTIONS);
        let actions: Vec<_> = actions.map(|action| part(action, &["id", "type"])).collect();
        outline.insert("actions".to_owned(), json!(actions));
    }
    Value::Object(outline)
}

/// What JavaScript takes for no value, which callers of the original rely on.
fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => false,
    }
}

pub(crate) async fn snapshot(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let fields = ask.fields()?;
    let asked = ExecuteOptions::read(&api, &ask, &fields)?;
    let action = PayloadAction::new("snap", ActionKind::SnapshotUi);
    let checked = one_action(&api, "serve-snap", action, asked.key.as_deref())?;
    run(&api, checked, asked).await
}

/// Takes a picture of the screen.
pub(crate) async fn screenshot(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let fields = ask.fields()?;
    let path = fields.name("path", ErrorCode::InvalidPath)?;
    let action = PayloadAction::new("shot", ActionKind::TakeScreenshot).with_params();
    let asked = ExecuteOptions::read(&api, &ask, &fields)?;
    let action = action.with_some(ParamKey::Path, path);
    let checked = one_action(&api, "serve-shot", action, asked.key.as_deref())?;
    let about = |failure| beside(failure, asked.device.as_deref());
    let checked = confine::execution(checked, &api.app.state).map_err(about)?;
    run(&api, checked, asked).await
}

/// An execution of one action. With a key its id depends on nothing else, so that
/// the same request is the same execution.
fn one_action(
    api: &Api,
    name: &str,
    action: PayloadAction,
    key: Option<&str>,
) -> Result<CheckedExecution, Failure> {
    let id = match key {
        Some(key) => {
            let digest = Sha256::digest(key);
            let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("{name}-{hex}")
        }
        None => format!("{name}-{}", api.app.engine.now_ms()),
    };
    Payload::new(&id, "serve-api", Number::from(30_000_u32), &[action]).check()
}

/// How a caller wants an execution to be run.
struct ExecuteOptions {
    device: Option<String>,
    package: Option<PackageName>,
    key: Option<String>,
    reply: ReplyTime,
    abandoned: AbandonPolicy,
    strictness: Strictness,
    wait: Option<Duration>,
    lane: Option<LaneWish>,
    vault: Arc<Vault>,
}

/// When a caller wants the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyTime {
    AtTheEnd,
    AtOnce,
}

impl ExecuteOptions {
    fn read(api: &Api, ask: &Ask, fields: &BodyFields) -> HttpResult<Self> {
        let device = fields.name("deviceId", ErrorCode::InvalidDeviceId)?;
        let package = fields.name("operatorPackage", ErrorCode::InvalidOperatorPackage)?;
        let package = package.map(|name| PackageName::parse(&name)).transpose().map_err(|error| {
            HttpError::of(ErrorCode::InvalidOperatorPackage, format!("operatorPackage: {error}"))
        })?;
        let reply = reply(ask)?;
        // Who does not wait for the answer can wait for the phone.
        let at_once = (reply == ReplyTime::AtOnce).then_some(MAX_WAIT_MS);
        let wait = ask.whole("wait_for_device_ms").or(at_once);
        Ok(Self {
            device,
            package,
            key: key(ask)?,
            reply,
            abandoned: if ask.flag("cancel_on_disconnect") {
                AbandonPolicy::IsCancelled
            } else {
                AbandonPolicy::Continues
            },
            strictness: if ask.flag("strict") { Strictness::Unique } else { Strictness::First },
            wait: wait.map(Duration::from_millis),
            lane: lane(fields)?,
            vault: ask.vault(&api.app)?,
        })
    }
}

pub(super) fn lane(fields: &BodyFields) -> HttpResult<Option<LaneWish>> {
    let Some(word) = fields.name("lane", ErrorCode::InvalidRequest)? else {
        return Ok(None);
    };
    LaneWish::from_word(&word).map(Some).ok_or_else(|| {
        let message = format!("lane must be one of: {}", LaneWish::WORDS.join(", "));
        HttpError::of(ErrorCode::InvalidRequest, message)
    })
}

pub(super) fn key(ask: &Ask) -> HttpResult<Option<String>> {
    let Some(key) = ask.header("idempotency-key")? else {
        return Ok(None);
    };
    if key.is_empty() || key.len() > MAX_KEY {
        return Err(invalid(&format!("the header Idempotency-Key must have 1 to {MAX_KEY} characters")));
    }
    Ok(Some(key.to_owned()))
}

pub(super) fn reply(ask: &Ask) -> HttpResult<ReplyTime> {
    let mut words = ask.header("prefer")?.unwrap_or_default().split([',', ';']).map(str::trim);
    Ok(if words.any(|word| word.eq_ignore_ascii_case("respond-async")) {
        ReplyTime::AtOnce
    } else {
        ReplyTime::AtTheEnd
    })
}

async fn run(api: &Arc<Api>, checked: CheckedExecution, asked: ExecuteOptions) -> HttpResult {
    let app = &api.app;
    let named = asked.device.clone();
    let about = |failure: Failure| beside(failure, named.as_deref());
    let id = app.engine.new_run_id();
    let request = Request {
        device: phone::phone_name(app, asked.device).await.map_err(about)?,
        wait: asked.wait,
        vault: Some(asked.vault.clone()),
        // What is answered before its end is recorded, so that its outcome can
        // be had after a crash.
        key: asked.key.or_else(|| (asked.reply == ReplyTime::AtOnce).then(|| id.to_string())),
        route: match (&app.route, asked.package) {
            (RouteWish::Operator(_), Some(package)) => RouteWish::Operator(package),
            (RouteWish::Host | RouteWish::Auto(_), Some(package)) => RouteWish::Auto(package),
            (usual, None) => usual.clone(),
        },
        lane: asked.lane.unwrap_or(app.lane),
        strictness: asked.strictness,
        journal: app.journal,
        abandoned: match asked.reply {
            ReplyTime::AtTheEnd => asked.abandoned,
            ReplyTime::AtOnce => AbandonPolicy::Continues,
        },
        id: Some(id.clone()),
        judge: judge(app, Level::None, "HTTP client", asked.vault.session()).await?,
        ..Request::new(checked)
    };
    let running = app.engine.execute(request);
    // A run without subscribers is faster.
    drop(running.events);
    if asked.reply == ReplyTime::AtOnce {
        return Ok(accepted_response(&id));
    }
    let outcome = running.outcome.await.outcome;
    let mut response = answer(outcome, named.as_deref());
    if let Ok(id) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(RUN_ID, id);
    }
    Ok(response)
}

fn accepted_response(id: &RunId) -> Response {
    let place = format!("/runs/{id}");
    let body = json!({"ok": true, "runId": id, "location": place});
    let headers = [
        (header::LOCATION, place),
        (RUN_ID, id.to_string()),
        (PREFERENCE_APPLIED, "respond-async".to_owned()),
    ];
    (StatusCode::ACCEPTED, headers, Json(body)).into_response()
}

fn beside(failure: Failure, device: Option<&str>) -> HttpError {
    let mut refused = HttpError::from(failure);
    if let Some(device) = device {
        refused.beside.push(("deviceId", device.into()));
    }
    refused
}

fn answer(outcome: Outcome, device: Option<&str>) -> Response {
    match outcome {
        Outcome::Ran(result) => Json(ServeResult::from(*result)).into_response(),
        Outcome::Error(failure) => beside(*failure, device).into_response(),
        Outcome::Stored(stored) => {
            let (status, body) = stored_answer(&stored);
            let replayed = [(REPLAYED, "true")];
            (status, replayed, Json(body)).into_response()
        }
    }
}

/// The status and the body of an outcome that was stored.
pub(super) fn stored_answer(stored: &StoredOutcome) -> (StatusCode, Value) {
    // We wrote it.
    let value: Value = serde_json::from_str(&stored.json).unwrap_or_default();
    if stored.kind == OutcomeKind::Error {
        let code = value["code"].as_str().and_then(ErrorCode::from_name);
        return (status(code.unwrap_or(ErrorCode::InternalError)), json!({"ok": false, "error": value}));
    }
    let mut body = Map::new();
    body.insert("ok".to_owned(), true.into());
    for key in ["deviceId", "terminalSource", "envelope", "warnings", "warningsOmitted"] {
        if let Some(value) = value.get(key) {
            body.insert(key.to_owned(), value.clone());
        }
    }
    (StatusCode::OK, Value::Object(body))
}
