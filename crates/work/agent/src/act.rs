//! One tool call from outside: normalised, judged, and carried out on a phone that
//! is leased for it.

use crate::phone::PhoneTools;
use crate::policy::Decision;
use crate::result::{Dispatched, ToolError, ToolResult};
use crate::space::Space;
use crate::surroundings::Surroundings;
use crate::tool::{Executor, NormalizedCall, by_name, normalize, of_kind};
use crate::toolbox::{ActionCall, Approval, Toolbox};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_engine::{Acts, Engine, Journal, PhoneRequest};
use futures_core::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// A tool call.
#[derive(Clone, Copy, Debug)]
pub struct ToolOrder<'o> {
    pub tool: &'o str,
    pub args: &'o Value,
    /// Whether a call that needs repairs is refused.
    pub is_strict: bool,
    pub is_dry: bool,
    pub approval: Approval,
    pub journal: Journal,
    /// When it is stopped, from the time it has the phone or needs none.
    pub limit: Option<Duration>,
    pub stop: &'o Notify,
}

/// What came of a tool call.
#[derive(Clone, Debug, Serialize)]
pub struct ToolOutcome {
    #[serde(flatten)]
    pub call: NormalizedCall,
    /// What the policy says of it, and of the screen if that held it back.
    #[serde(flatten)]
    pub decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<ToolResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
}

impl ToolOutcome {
    /// The request that a person has to decide first.
    pub fn pending(&self) -> Option<&str> {
        self.result.as_ref()?.error.as_ref()?.approval.as_deref()
    }

    /// The same with what came of it. The screen was judged after the call itself.
    fn with(mut self, result: ToolResult) -> Self {
        if let Some(seen) = result.error.as_ref().and_then(|error| error.decision.clone()) {
            self.decision = seen;
        }
        self.result = Some(result);
        self
    }
}

/// Whether a tool is for a phone. What a person gives is for one, too.
pub fn needs_phone(tool: &str) -> bool {
    by_name(tool).is_some_and(|tool| matches!(tool.executor, Executor::Phone | Executor::Human))
}

/// Does what a tool call asks for.
///
/// # Errors
/// There is no such tool, a strict call needs repairs, or the phone cannot be had.
pub fn act<'f>(
    engine: &'f Engine,
    wanted: PhoneRequest<'f>,
    toolbox: &'f Toolbox,
    order: ToolOrder<'f>,
) -> BoxFuture<'f, Result<ToolOutcome, Failure>> {
    Box::pin(async move {
        // What it would become can be seen; done is only what was meant.
        if !order.is_dry && by_name(order.tool).is_none() {
            return Err(unknown_tool(order.tool));
        }
        let call = normalize(order.tool, order.args);
        if order.is_strict {
            call.clone().strict(order.tool).map_err(failure)?;
        }
        if let Some(doubt) = call.doubt().filter(|_| !order.is_dry) {
            return Err(failure(doubt));
        }
        let decision = toolbox.decide(&call.action, &Surroundings::default());
        let mut told = ToolOutcome { call, decision, result: None, journal: None };
        if order.is_dry {
            return Ok(told);
        }
        // What is refused anyway needs no phone.
        let is_allowed = match told.decision {
            Decision::Allow => true,
            Decision::Ask { .. } => order.approval != Approval::None,
            Decision::Deny { .. } => false,
        };
        let executor = of_kind(told.call.action.kind()).map(|tool| tool.executor);
        let is_on_phone = match executor {
            Some(Executor::Phone) => is_allowed,
            // What a person gives is for the phone.
            Some(Executor::Human) => toolbox.people.is_some(),
            _ => false,
        };
        let call = ActionCall { action: &told.call.action, surroundings: None, approval: order.approval };
        if !is_on_phone {
            let never = Notify::new();
            let result = unless_stopped(order, &never, toolbox.run(call, None)).await;
            return Ok(told.with(result));
        }
        let acts = tokio::select! {
            biased;
            acts = engine.begin_acts(wanted, order.journal) => acts?,
            () = order.stop.notified() => {
                let message = "interrupted while waiting for the phone; nothing was sent to it";
                return Err(Failure::new(ErrorCode::ExecutionCancelled, message));
            }
        };
        let (result, journal) = on_phone(acts, toolbox, call, order).await;
        told.journal = journal;
        Ok(told.with(result))
    })
}

/// What comes of a call on a phone, and the name of its journal.
async fn on_phone(
    acts: Acts,
    toolbox: &Toolbox,
    call: ActionCall<'_>,
    order: ToolOrder<'_>,
) -> (ToolResult, Option<String>) {
    let Acts { mut lease, options, mut log } = acts;
    log.begin(&mut lease, None);
    let phone = PhoneTools { lease: &mut lease, options: &options, space: Space::default() };
    let doing = toolbox.run(call, Some(phone));
    let mut result = unless_stopped(order, log.stop(), doing).await;
    if result.error.as_ref().is_some_and(|error| error.code == ErrorCode::ExecutionCancelled) {
        result.dispatched = Dispatched::Unknown;
    }
    lease.release().await;
    let journal = log.journal();
    let end = match &result.error {
        None => Ok(()),
        Some(error) => Err((error.code.name(), error.message.as_str())),
    };
    log.end(end).await;
    (result, journal)
}

/// What comes of a call, unless its caller stops it or its run is cancelled: then
/// it is unknown how far it got.
async fn unless_stopped(
    order: ToolOrder<'_>,
    cancelled: &Notify,
    work: impl Future<Output = ToolResult>,
) -> ToolResult {
    let stopped = async {
        let limit = order.limit.unwrap_or(Duration::MAX);
        let stop = async {
            tokio::select! {
                () = order.stop.notified() => {}
                () = cancelled.notified() => {}
            }
        };
        match timeout(limit, stop).await {
            Ok(()) => "The call was interrupted.".to_owned(),
            Err(_) => format!("The call was not done within {} ms.", limit.as_millis()),
        }
    };
    tokio::select! {
        biased;
        result = Box::pin(work) => result,
        message = stopped => ToolResult::failure(ToolError::new(ErrorCode::ExecutionCancelled, message)),
    }
}

/// A refusal of a tool as a failure of a command or a request.
pub fn failure(error: ToolError) -> Failure {
    Failure::new(error.code, error.message).hint(error.hint)
}

fn unknown_tool(name: &str) -> Failure {
    let message = format!("there is no tool \"{}\"", text::excerpt(name));
    Failure::new(ErrorCode::InvalidRequest, message).hint("clawperator agent tools prints the tools.")
}
