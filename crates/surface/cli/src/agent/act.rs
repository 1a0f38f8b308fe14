//! `agent tools` and `agent act`: the tools that a model drives a phone with.

use super::tools::CommandTools;
use crate::args::{Args, Goal};
use crate::device::{asked_to_end, block_on, device_serial, waiting};
use crate::engine::engine;
use crate::flags::agent as flags;
use crate::report;
use crate::world::{Answer, World};
use clawperator_agent::act::{ToolOrder, act as carry_out, needs_phone};
use clawperator_agent::tool::{Executor, Format, by_name, tools as described};
use clawperator_agent::toolbox::Approval;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::PhoneRequest;
use clawperator_phone::REACH;
use serde_json::Value;
use tokio::sync::Notify;

pub(super) fn tools(args: &Args) -> Result<Answer, Failure> {
    let format = args.word(&flags::TOOL_FORMAT, Format::from_word)?.unwrap_or(Format::OpenAi);
    Ok(Answer::json(&described(format), args))
}

pub(super) fn act(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let name = args.argument().ok_or_else(|| args.missing("a tool's name"))?;
    let sent = arguments(args.second_argument().unwrap_or("{}"))?;
    let stop = Notify::new();
    let order = ToolOrder {
        tool: name,
        args: &sent,
        is_strict: args.has(&flags::STRICT_CALL),
        is_dry: args.goal() == Goal::DryRun,
        approval: if args.has(&flags::APPROVE) { Approval::Given } else { Approval::None },
        journal: report::journal(args, world)?,
        limit: args.time_limit()?,
        stop: &stop,
    };
    let wait = waiting(args)?;
    // No simulated phone is started for what needs no phone.
    let device = if needs_phone(name) && !order.is_dry { device_serial(args, world)? } else { None };
    let is_request = by_name(name).is_some_and(|tool| tool.executor == Executor::Human) && !order.is_dry;
    let tools = CommandTools::read(args, world)?;
    let tools = if is_request { tools.with_people(args, world)? } else { tools };
    let engine = engine(world);
    let told = block_on(async {
        let asked = asked_to_end()?;
        let toolbox = tools.open().await?;
        let wanted = PhoneRequest {
            device: device.as_deref(),
            wait,
            owner: "agent act",
            reach: order.limit.map_or(REACH, |limit| limit.min(REACH)),
        };
        let mut doing = std::pin::pin!(carry_out(&engine, wanted, &toolbox, order));
        let told = tokio::select! {
            biased;
            told = &mut doing => told,
            () = asked => {
                stop.notify_one();
                doing.await
            }
        };
        toolbox.close().await;
        told
    })??;
    let has_failed = told.result.as_ref().is_some_and(|result| !result.ok);
    Ok(Answer::json(&told, args).succeeded(!has_failed))
}

fn arguments(written: &str) -> Result<Value, Failure> {
    let wrong = |why: String| {
        let message = format!("the arguments of the tool are {why}");
        let hint = "Write a JSON object, such as '{\"x\":540,\"y\":1200}'.";
        Failure::new(ErrorCode::ExecutionValidationFailed, message).hint(hint)
    };
    match serde_json::from_str(written) {
        Ok(Value::Object(keys)) => Ok(Value::Object(keys)),
        Ok(_) => Err(wrong("no JSON object".to_owned())),
        Err(error) => Err(wrong(format!("not JSON: {error}"))),
    }
}
