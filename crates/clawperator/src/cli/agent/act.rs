//! `agent tools` and `agent act`: the tools that a model drives a phone with.

use crate::cli::args::{Args, Goal};
use crate::cli::device::{block_on_unless_asked, waiting, wanted};
use crate::cli::engine::engine;
use crate::cli::flags::agent as flags;
use crate::cli::world::{Answer, World};
use clawperator_agent::act::{Order, act as carry_out, failure};
use clawperator_agent::memory::{Memory, MemorySettings};
use clawperator_agent::policy::Policy;
use clawperator_agent::tool::{Executor, Format, named, tools as described};
use clawperator_agent::toolbox::{Approval, Toolbox};
use clawperator_contract::{ErrorCode, FAILURE_EXIT_CODE, Failure};
use clawperator_engine::Wanted;
use clawperator_runtime::REACH;
use serde_json::Value;
use std::path::PathBuf;

/// Prints the tools.
pub(super) fn tools(args: &Args) -> Result<Answer, Failure> {
    let words: Vec<_> = Format::WORDS
        .iter()
        .filter_map(|word| Some((Format::from_word(word)?, *word)))
        .collect();
    let format = args.word(&flags::TOOL_FORMAT, &words)?.unwrap_or(Format::OpenAi);
    Ok(Answer::json(&described(format), args))
}

/// Carries out one tool call.
pub(super) fn act(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let name = args.argument().ok_or_else(|| args.missing("a tool's name"))?;
    let sent = arguments(args.second_argument().unwrap_or("{}"))?;
    let order = Order {
        tool: name,
        args: &sent,
        is_strict: args.has(&flags::STRICT_CALL),
        is_dry: args.goal() == Goal::DryRun,
        approval: match args.has(&flags::APPROVE) {
            true => Approval::Given,
            false => Approval::None,
        },
    };
    let wait = waiting(args)?;
    // No simulated phone is started for what needs no phone.
    let needs_phone = !order.is_dry && named(name).is_some_and(|tool| tool.executor == Executor::Phone);
    let device = match needs_phone {
        true => wanted(args, world)?,
        false => None,
    };
    let named = args.bytes(&flags::POLICY)?.map(PathBuf::from);
    let workspace = args.bytes(&flags::WORKSPACE)?.map(PathBuf::from);
    let usual = world.phones.state.join("policy.yaml");
    let engine = engine(world);
    let told = block_on_unless_asked(async {
        let policy = match &named {
            Some(path) => Policy::load_named(path).await?,
            None => Policy::load(&usual).await?,
        };
        let memory = workspace
            .as_deref()
            .map(|folder| Memory::open(folder, None, MemorySettings::default()));
        let toolbox = Toolbox {
            policy,
            memory: memory.transpose().map_err(failure)?,
            workspace: workspace.clone(),
        };
        let wanted = Wanted {
            device: device.as_deref(),
            wait,
            owner: "agent act",
            reach: REACH,
        };
        carry_out(&engine, wanted, &toolbox, order).await
    })??;
    let has_failed = told.result.as_ref().is_some_and(|result| !result.ok);
    let exit_code = if has_failed { FAILURE_EXIT_CODE } else { 0 };
    Ok(Answer::json(&told, args).exit(exit_code))
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
