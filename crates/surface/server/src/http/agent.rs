//! The tools of an agent.

use super::Api;
use super::answer::{HttpResult, ok};
use super::ask::{Ask, invalid};
use super::execute::{PREFERENCE_APPLIED, ReplyTime, reply};
use crate::agent::{Caller, carry_out, carry_out_until};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use clawperator_agent::act::ToolOrder;
use clawperator_agent::people;
use clawperator_agent::tool::{Format, tools as described};
use clawperator_agent::toolbox::Approval;
use clawperator_contract::ErrorCode;
use clawperator_phone::REACH;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The longest wait for a person, in milliseconds.
pub(super) const MAX_PERSON_MS: u64 = 1_800_000;

/// The tools, as a model sees them.
pub(crate) async fn tools(ask: Ask) -> HttpResult {
    let format = ask.word("format", Format::from_word).unwrap_or(Format::OpenAi);
    Ok(ok(json!({ "tools": described(format) })))
}

/// Does what one tool call asks for. A program cannot say yes in place of a
/// person: what the policy asks about waits for one.
pub(crate) async fn act(State(api): State<Arc<Api>>, ask: Ask) -> HttpResult {
    let fields = ask.object()?;
    let code = ErrorCode::InvalidRequest;
    let tool = fields.name("tool", code)?.ok_or_else(|| invalid("the body has no tool"))?;
    let args = match fields.get("args") {
        None => json!({}),
        Some(args @ Value::Object(_)) => args.clone(),
        Some(_) => return Err(invalid("args must be an object")),
    };
    let time = fields.positive("timeoutMs", code)?;
    if time.is_some_and(|time| time > MAX_PERSON_MS) {
        return Err(invalid(&format!("timeoutMs must be at most {MAX_PERSON_MS}")));
    }
    let time = time.map_or(people::TIME, Duration::from_millis);
    let app = &api.app;
    let order = ToolOrder {
        tool: &tool,
        args: &args,
        is_strict: fields.flag("strict", code)?.unwrap_or(false),
        is_dry: fields.flag("dryRun", code)?.unwrap_or(false),
        approval: Approval::Ask,
        journal: app.journal,
        limit: None,
        stop: &Notify::new(),
    };
    let device = fields.name("deviceId", ErrorCode::InvalidDeviceId)?;
    let vault = ask.vault(app)?;
    let caller = Caller {
        bench: &app.agent.bench,
        vault: &vault,
        name: "HTTP client",
        device: device.as_deref(),
        reach: REACH.min(time),
    };
    if reply(&ask)? == ReplyTime::AtTheEnd {
        return Ok(ok(carry_out_until(app, caller, order, Instant::now() + time).await?));
    }
    let told = carry_out(app, caller, order).await?;
    let Some(place) = told.pending().map(|id| format!("/approvals/{id}")) else {
        return Ok(ok(told));
    };
    let headers = [(header::LOCATION, place), (PREFERENCE_APPLIED, "respond-async".to_owned())];
    Ok((StatusCode::ACCEPTED, headers, ok(told)).into_response())
}
