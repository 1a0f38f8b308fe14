//! Runs actions for one tool call: one execution, with progress while it runs
//! and cancellation that reaches the phone.

use super::answer::{ToolResult, ToolTrouble, in_arguments};
use super::person::{Put, Question, Round, put};
use super::session::McpSession;
use super::tool::Belongs;
use crate::App;
use crate::agent::{WAIT_FOR_PHONE, judge};
use crate::approvals::desk;
use clawperator_agent::policy::Level;
use clawperator_contract::{CheckedExecution, DataKey, DeviceResult, Number, Payload, PayloadAction};
use clawperator_engine::{AbandonPolicy, Outcome, Request, Running};
use clawperator_events::{Event, StreamItem, Subscriber};
use clawperator_phone::vault::Vault;
use clawperator_pool::Target;
use clawperator_run::{AGENT_LOOK, LastStep, Strictness};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long an execution of a tool may take, in milliseconds.
pub(super) const TIMEOUT_MS: u64 = 60_000;

/// One tool call: who asks, and about which phone.
pub(super) struct McpCall<'c> {
    pub(super) app: &'c Arc<App>,
    pub(super) session: &'c McpSession,
    pub(super) context: &'c RequestContext<RoleServer>,
    /// The phone, if one was chosen.
    pub(super) device: Option<String>,
    /// What it is in the pool, unless it is a phone of this computer.
    pub(super) target: Option<Target>,
    /// The view to compare with.
    pub(super) since: Option<String>,
    /// What people gave to this client.
    pub(super) vault: &'c Arc<Vault>,
    pub(super) belongs: Belongs,
    /// The call, as often as the client has sent it.
    pub(super) round: &'c Round<'c>,
}

impl McpCall<'_> {
    /// Runs actions that were made from arguments.
    pub(super) async fn run(&self, actions: Vec<PayloadAction>) -> ToolResult<DeviceResult> {
        self.run_within(AGENT_LOOK, actions, LastStep::Counts).await
    }

    /// The same, with so much time for each look.
    pub(super) async fn run_within(
        &self,
        patience: Duration,
        actions: Vec<PayloadAction>,
        last: LastStep,
    ) -> ToolResult<DeviceResult> {
        let id = self.command_id();
        let payload =
            Payload { task_id: "mcp", ..Payload::new(&id, "mcp", Number::from(TIMEOUT_MS as u32), &actions) };
        let request = Request {
            patience: Some(patience),
            last,
            ..Request::new(payload.check().map_err(in_arguments)?)
        };
        self.run_request(request).await.map(|(result, _)| result)
    }

    /// Runs an execution to its end.
    pub(super) async fn run_checked(&self, checked: CheckedExecution) -> ToolResult<DeviceResult> {
        self.run_request(Request::new(checked)).await.map(|(result, _)| result)
    }

    /// Runs a request as this server runs all of them.
    pub(super) async fn run_request(
        &self,
        request: Request,
    ) -> ToolResult<(DeviceResult, Option<Box<clawperator_skills::recipe::RecipeResult>>)> {
        if let Some(target) = &self.target {
            return Ok((self.run_job(target, request).await?, None));
        }
        let steps = request.work.execution().map_or(0, |execution| execution.actions().len());
        let request = Request {
            device: self.device.clone(),
            wait: Some(WAIT_FOR_PHONE),
            route: self.app.route.clone(),
            lane: self.app.lane,
            vault: Some(self.vault.clone()),
            strictness: Strictness::Unique,
            journal: self.app.journal,
            abandoned: AbandonPolicy::IsCancelled,
            judge: judge(self.app, Level::Money, "MCP client", self.vault.session()).await?,
            ..request
        };
        let Running { id, events, mut outcome } = self.app.engine.execute(request);
        let reporting = self.report(events, steps);
        tokio::pin!(reporting);
        let mut cancelled = false;
        let finished = loop {
            tokio::select! {
                biased;
                finished = &mut outcome => break finished,
                () = self.context.ct.cancelled(), if !cancelled => {
                    cancelled = true;
                    self.app.engine.cancel(&id);
                }
                () = &mut reporting => {}
            }
        };
        match finished.outcome {
            Outcome::Ran(result) => Ok((*result, finished.recipe)),
            Outcome::Error(failure) => Err(ToolTrouble::from(*failure)),
            // No request of a tool has a key.
            Outcome::Stored(stored) => Err(ToolTrouble::Said(stored.json)),
        }
    }

    /// Puts the request that a run waits for to the person, after so many steps.
    pub(super) async fn put(&self, result: &DeviceResult, done: usize) -> ToolResult<Option<Put>> {
        let mut steps = result.envelope.step_results.iter();
        let Some(id) = steps.find_map(|step| step.get(DataKey::ApprovalId)) else {
            return Ok(None);
        };
        let desk = desk(self.app)?;
        let request = desk.get(id).await?;
        // Who was asked and has not decided is not asked again at once.
        if self.round.before.as_ref().is_some_and(|before| before.id == id) {
            return Ok(Some(Put::Request(Box::new(request))));
        }
        let call = self.round.call;
        let question = Question { request, call, done };
        put(self.app, self.context, &desk, question).await.map(Some)
    }

    /// Tells the client of each step and attempt, if it wants to know. It never ends.
    async fn report(&self, mut events: Subscriber, steps: usize) {
        let teller = Progress::of(self, steps);
        let mut progress = 0.0;
        while let (Some(teller), Some(received)) = (&teller, events.next().await) {
            let StreamItem::Event(event) = received else {
                continue;
            };
            let message = match &event.event {
                Event::StepBegin(begin) => {
                    progress = begin.step as f64;
                    begin.action.clone()
                }
                Event::Wait(wait) => {
                    // Further on, and never as far as the next step.
                    progress += (progress.floor() + 1.0 - progress) / 2.0;
                    match wait.attempt {
                        Some(attempt) => format!("attempt {attempt}: {}", wait.why),
                        None => wait.why.clone(),
                    }
                }
                _ => continue,
            };
            teller.tell(progress, message).await;
        }
        std::future::pending::<()>().await;
    }
}

/// A client that wants to know how far a call is.
pub(super) struct Progress<'c> {
    token: ProgressToken,
    steps: usize,
    peer: &'c Peer<RoleServer>,
}

impl<'c> Progress<'c> {
    pub(super) fn of(call: &'c McpCall<'_>, steps: usize) -> Option<Self> {
        let token = call.context.meta.get_progress_token()?;
        Some(Self { token, steps, peer: &call.context.peer })
    }

    pub(super) async fn tell(&self, progress: f64, message: String) {
        let param = ProgressNotificationParam::new(self.token.clone(), progress)
            .with_total(self.steps as f64)
            .with_message(message);
        // A client that is gone hears nothing.
        let _ = self.peer.notify_progress(param).await;
    }
}

/// A new name for an execution.
pub(super) fn command_id() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    format!("mcp-{process}-{number}")
}
