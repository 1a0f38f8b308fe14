//! The skills: listed, shown and run.

use super::Api;
use super::answer::{HttpError, HttpResult, ok};
use super::ask::{Ask, Name};
use super::execute::{REPLAYED, key, stored_answer};
use crate::phone::blocking;
use crate::skill::{self, SkillOrder};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::response::IntoResponse as _;
use clawperator_agent::tool::as_text;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::OutcomeKind;
use clawperator_skills::recipe::{Capability, InputValue, Inputs};
use clawperator_skills::repo::SkillQuery;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The skills that fit a query.
pub(crate) async fn list(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let places = api.app.skills.clone();
    let found = blocking(move || {
        let query =
            SkillQuery { app: ask.text("app"), intent: ask.text("intent"), words: ask.text("keyword") };
        Ok::<_, Failure>(json!(places.open()?.search(&query)))
    });
    Ok(ok(found.await?))
}

pub(crate) async fn get(State(api): State<Arc<Api>>, Name(id): Name) -> HttpResult {
    let places = api.app.skills.clone();
    let found = blocking(move || Ok::<_, Failure>(json!(places.open()?.get(&id)?)));
    Ok(ok(found.await?))
}

pub(crate) async fn run(State(api): State<Arc<Api>>, Name(id): Name, ask: Ask) -> HttpResult {
    let order = order(id, &ask)?;
    let Some(key) = key(&ask)? else {
        return Ok(ok(skill::run(&api.app, order).await?));
    };
    let once = skill::run_once(&api.app, order, key).await?;
    // We wrote it.
    let value: Value = serde_json::from_str(&once.outcome.json).unwrap_or_default();
    let mut response = match once.outcome.kind {
        OutcomeKind::Success | OutcomeKind::Failed => ok(value),
        OutcomeKind::Error => {
            let (status, body) = stored_answer(&once.outcome);
            (status, Json(body)).into_response()
        }
    };
    if once.is_replayed {
        let replayed = HeaderValue::from_static("true");
        response.headers_mut().insert(REPLAYED, replayed);
    }
    Ok(response)
}

fn order(id: String, ask: &Ask) -> HttpResult<SkillOrder> {
    let fields = ask.object()?;
    let expect = match fields.get("expectContains") {
        None => None,
        Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
        Some(_) => {
            let message = "expectContains must be a string that is not empty";
            return Err(HttpError::of(ErrorCode::InvalidExpectContains, message));
        }
    };
    let timeout = fields.positive("timeoutMs", ErrorCode::InvalidTimeoutMs)?;
    Ok(SkillOrder {
        id,
        device: fields.name("deviceId", ErrorCode::InvalidDeviceId)?,
        args: arguments(fields.get("args"))?,
        inputs: inputs(fields.get("inputs"))?,
        allow: capabilities(&fields.texts("allow", ErrorCode::InvalidArgs)?)?,
        timeout: timeout.map(Duration::from_millis),
        expect,
        session: ask.session()?,
    })
}

/// What is no text becomes one, as in the original.
fn arguments(given: Option<&Value>) -> HttpResult<Vec<String>> {
    match given {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list.iter().map(as_text).collect()),
        Some(_) => Err(HttpError::of(ErrorCode::InvalidArgs, "args must be a list")),
    }
}

fn inputs(given: Option<&Value>) -> HttpResult<Inputs> {
    let wrong =
        || HttpError::of(ErrorCode::InvalidArgs, "inputs must be an object of texts, numbers and flags");
    let Some(given) = given else {
        return Ok(Inputs::default());
    };
    let mut inputs = Inputs::default();
    for (name, value) in given.as_object().ok_or_else(wrong)? {
        let value = InputValue::from_json(value).ok_or_else(wrong)?;
        inputs.0.insert(name.clone(), value);
    }
    Ok(inputs)
}

fn capabilities(words: &[String]) -> HttpResult<Vec<Capability>> {
    let known = |word: &String| {
        Capability::from_word(word).ok_or_else(|| {
            let known = Capability::WORDS.join(", ");
            HttpError::of(ErrorCode::InvalidArgs, format!("allow: each must be one of: {known}"))
        })
    };
    words.iter().map(known).collect()
}
