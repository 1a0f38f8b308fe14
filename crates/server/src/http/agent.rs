//! The tools of an agent.

use super::Api;
use super::answer::{Refused, ok};
use super::ask::{Ask, invalid};
use crate::{App, phone};
use axum::extract::State;
use axum::response::Response;
use clawperator_agent::act::{Order, Told, act as do_order};
use clawperator_agent::policy::Policy;
use clawperator_agent::tool::{Format, tools as described};
use clawperator_agent::toolbox::{Approval, Toolbox};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::Wanted;
use clawperator_runtime::REACH;
use serde_json::{Value, json};
use std::sync::Arc;

/// The tools, as a model is told of them.
pub(crate) async fn tools(ask: Ask) -> Result<Response, Refused> {
    let format = match ask.text("format") {
        None => Format::OpenAi,
        Some(word) => Format::from_word(word)
            .ok_or_else(|| invalid(&format!("format must be one of {}", Format::WORDS.join(", "))))?,
    };
    Ok(ok(json!({ "tools": described(format) })))
}

/// Does what one tool call asks for, as far as the policy allows it. A program
/// cannot say yes in place of a person.
pub(crate) async fn act(State(api): State<Arc<Api>>, ask: Ask) -> Result<Response, Refused> {
    let fields = ask.object()?;
    let code = ErrorCode::InvalidRequest;
    let tool = fields
        .name("tool", code)?
        .ok_or_else(|| invalid("the body has no tool"))?;
    let args = match fields.get("args") {
        None => json!({}),
        Some(args @ Value::Object(_)) => args.clone(),
        Some(_) => return Err(invalid("args must be an object")),
    };
    let order = Order {
        tool: &tool,
        args: &args,
        is_strict: fields.flag("strict", code)?.unwrap_or(false),
        is_dry: fields.flag("dryRun", code)?.unwrap_or(false),
        approval: Approval::None,
        journal: api.app.journal,
    };
    let device = fields.name("deviceId", ErrorCode::InvalidDeviceId)?;
    Ok(ok(carry_out(&api.app, device, order).await?))
}

/// Does what one tool call asks for, on the phone of a name or the only one.
pub(crate) async fn carry_out(
    app: &Arc<App>,
    device: Option<String>,
    order: Order<'_>,
) -> Result<Told, Failure> {
    let device = match order.is_dry {
        true => None,
        false => phone::chosen(app, device).await?,
    };
    let toolbox = Toolbox {
        policy: Policy::load(&app.state.join("policy.yaml")).await?,
        ..Toolbox::default()
    };
    let wanted = Wanted {
        device: device.as_deref(),
        wait: None,
        owner: "agent",
        reach: REACH,
    };
    do_order(&app.engine, wanted, &toolbox, order).await
}
