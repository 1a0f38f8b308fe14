//! Tool calls on a phone of the pool: one job each, with progress while it runs and
//! cancellation that reaches its host.

use super::answer::ToolResult;
use super::run::{McpCall, Progress, command_id};
use crate::agent::judge;
use crate::pool::{device_result, pool};
use clawperator_agent::policy::Level;
use clawperator_contract::{DeviceResult, ErrorCode, Failure};
use clawperator_engine::Request;
use clawperator_pool::{Caller, JobEventKind, JobId, JobWish, NewsFeed, PoolNews, Target};
use clawperator_run::Strictness;
use std::time::Duration;

/// How long a call waits for a phone of the pool.
const WAIT_FOR_PHONE: Duration = Duration::from_secs(60);

impl McpCall<'_> {
    /// Refuses what is only done on phones of this computer.
    pub(super) fn require_here(&self, what: &str) -> Result<(), Failure> {
        let Some(target) = &self.target else {
            return Ok(());
        };
        let message = format!("{what} on {target}: only on phones of this server's own computer");
        let hint =
            "On a phone of the pool, use observe, act, open, wait, find and execute, without pictures.";
        Err(Failure::new(ErrorCode::ToolUnavailable, message).hint(hint))
    }

    /// A new name for an execution. In a pool it is used once in a month, by all callers.
    pub(super) fn command_id(&self) -> String {
        match &self.target {
            Some(_) => format!("mcp-{}", self.app.engine.new_run_id()),
            None => command_id(),
        }
    }

    /// Runs a request as a job of the pool.
    pub(super) async fn run_job(&self, target: &Target, request: Request) -> ToolResult<DeviceResult> {
        let pool = pool(self.app)?;
        let execution = request.work.execution();
        let steps = execution.map_or(0, |execution| execution.actions().len());
        let limit = request.work.timeout();
        let request = Request {
            lane: self.app.lane,
            strictness: Strictness::Unique,
            journal: self.app.journal,
            judge: judge(self.app, Level::Money, "MCP client", self.vault.session()).await?,
            ..request
        };
        // A class that is empty now may have a phone in a minute; a phone by its name is there or not.
        if !matches!(target, Target::Any(_)) {
            require(pool, target).await?;
        }
        let wish = JobWish { deadline: WAIT_FOR_PHONE, ..JobWish::new(target.clone()) };
        let news = pool.news(Some(&JobId::of(request.work.command_id()))).await.ok();
        let id = pool.submit(request, &wish).await?;
        let mut job = JobInFlight { pool, id, is_over: false };
        let waited = {
            let reporting = self.report_job(news, steps);
            tokio::pin!(reporting);
            let waiting = pool.result_in_time(&job.id, WAIT_FOR_PHONE, limit);
            tokio::pin!(waiting);
            let mut cancelled = false;
            loop {
                tokio::select! {
                    biased;
                    waited = &mut waiting => break waited,
                    () = self.context.ct.cancelled(), if !cancelled => {
                        cancelled = true;
                        pool.cancel(&job.id).await?;
                    }
                    () = &mut reporting => {}
                }
            }
        };
        job.is_over = true;
        Ok(device_result(waited?)?)
    }

    /// Tells the client of each step, if it wants to know. It never ends.
    async fn report_job(&self, news: Option<NewsFeed>, steps: usize) {
        let progress = Progress::of(self, steps);
        if let (Some(mut news), Some(progress)) = (news, progress) {
            loop {
                if let PoolNews::Job(event) = news.next().await
                    && let JobEventKind::StepBegan { step, action, .. } = event.what
                {
                    progress.tell(step as f64, action).await;
                }
            }
        }
        std::future::pending::<()>().await;
    }
}

/// Refuses what the pool does not have, and what is more than one phone.
pub(super) async fn require(pool: &Caller, target: &Target) -> Result<(), Failure> {
    match target {
        Target::Phone(phone) => pool.phone(phone).await.map(drop),
        Target::Any(class) => pool.phones_of(class).await.map(drop),
        Target::All(class) => {
            let message = format!("all:{class} is many phones, and a tool is for one");
            let hint = format!("Use any:{class}, or one of them as HOST/SERIAL.");
            Err(Failure::new(ErrorCode::InvalidDeviceId, message).hint(hint))
        }
    }
}

/// A job that is cancelled if its caller goes away first.
struct JobInFlight<'p> {
    pool: &'p Caller,
    id: JobId,
    is_over: bool,
}

impl Drop for JobInFlight<'_> {
    fn drop(&mut self) {
        if !self.is_over
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (pool, id) = (self.pool.clone(), self.id.clone());
            runtime.spawn(async move { pool.cancel(&id).await });
        }
    }
}
