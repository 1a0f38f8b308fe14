//! The runs of this process: those under way, and the latest that ended. They
//! are kept in memory, within bounds; the ledger keeps what must survive.

use crate::engine::{Engine, EngineState};
use crate::ledger::{BegunRun, OutcomeKind, RunRecord, StoredOutcome};
use crate::request::{Finished, Request, RunId};
use clawperator_contract::{ErrorCode, Failure};
use futures_core::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::Notify;

/// The most runs that are kept after their end.
pub const RUNS_KEPT: usize = 1024;
/// The most bytes of outcomes and executions that are kept.
pub const RUN_BYTES_KEPT: usize = 32 << 20;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    Waiting,
    Running,
    Ended,
}

/// What is known of a run.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunInfo {
    pub run_id: RunId,
    pub state: RunState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<OutcomeKind>,
    pub command_id: String,
    pub task_id: String,
    /// The phone: its serial once it is known, until then as it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// When it was accepted, in milliseconds since 1970.
    pub accepted_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
}

/// A run that ended.
#[derive(Clone, Debug)]
pub struct EndedRun {
    /// Its number among those that ended, from 1 and without gaps.
    pub number: u64,
    pub info: RunInfo,
    /// The execution as JSON, without what it types.
    pub execution: String,
    pub outcome: StoredOutcome,
}

/// A run that has its phone and has not ended.
#[derive(Clone, Debug)]
pub struct RunUnderWay {
    pub info: RunInfo,
    /// The execution as JSON, without what it types.
    pub execution: String,
}

/// A run that was asked for.
#[derive(Clone, Debug)]
pub enum FoundRun {
    Active(RunInfo),
    Ended(Arc<EndedRun>),
    /// An earlier process ran it; only its outcome is known.
    Recorded(StoredOutcome),
    /// Another process is running it.
    Elsewhere,
}

/// An execution that was refused before it could run.
#[derive(Clone, Debug)]
pub struct RefusedExecution {
    /// The phone that the caller named.
    pub device: String,
    /// What the caller sent, without anything that may be secret.
    pub execution: Value,
}

/// The run that ended next after another one.
#[derive(Clone, Debug)]
pub struct NextEnded {
    /// How many between the two are not kept any more.
    pub lost: u64,
    pub run: Arc<EndedRun>,
}

/// How many runs have ended, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    pub success: u64,
    pub failed: u64,
    pub error: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Runs {
    active: BTreeMap<RunId, Active>,
    ended: VecDeque<Arc<EndedRun>>,
    bytes: usize,
    count: u64,
    counts: RunCounts,
}

#[derive(Debug)]
struct Active {
    info: RunInfo,
    execution: String,
    stop: Arc<Notify>,
}

impl Runs {
    pub(crate) fn begin(&mut self, info: RunInfo, request: &Request, stop: Arc<Notify>) {
        let execution = request.work.shown().to_string();
        let active = Active { info, execution, stop };
        self.active.insert(active.info.run_id.clone(), active);
    }

    pub(crate) fn has_phone(&mut self, id: &RunId, serial: &str, now_ms: u64) {
        if let Some(active) = self.active.get_mut(id) {
            active.info.state = RunState::Running;
            active.info.device_id = Some(serial.to_owned());
            active.info.began_ms = Some(now_ms);
        }
    }

    /// A run ended. One that has ended already stays as it is.
    pub(crate) fn end(&mut self, id: &RunId, finished: &Finished, now_ms: u64) {
        if let Some(Active { info, execution, .. }) = self.active.remove(id) {
            self.finish(RunInfo { ended_ms: Some(now_ms), ..info }, execution, finished);
        }
    }

    fn finish(&mut self, mut info: RunInfo, execution: String, finished: &Finished) {
        info.state = RunState::Ended;
        info.status = Some(finished.outcome.kind());
        info.journal = finished.event_log.as_ref().and_then(|log| log.journal());
        self.count += 1;
        match finished.outcome.kind() {
            OutcomeKind::Success => self.counts.success += 1,
            OutcomeKind::Failed => self.counts.failed += 1,
            OutcomeKind::Error => self.counts.error += 1,
        }
        let run = EndedRun { number: self.count, info, execution, outcome: finished.outcome.to_stored() };
        self.bytes += size(&run);
        self.ended.push_back(Arc::new(run));
        // The newest is kept however large it is: who waits for it gets it, and
        // learns from its number how many others are gone.
        while self.ended.len() > RUNS_KEPT || self.bytes > RUN_BYTES_KEPT && self.ended.len() > 1 {
            let Some(oldest) = self.ended.pop_front() else {
                break;
            };
            self.bytes -= size(&oldest);
        }
    }

    pub(crate) fn stop(&self, id: &RunId) -> Option<Arc<Notify>> {
        Some(self.active.get(id)?.stop.clone())
    }

    pub(crate) fn stops(&self) -> impl ExactSizeIterator<Item = &Arc<Notify>> {
        self.active.values().map(|active| &active.stop)
    }

    fn find(&self, id: &RunId) -> Option<FoundRun> {
        let active = self.active.get(id).map(|active| FoundRun::Active(active.info.clone()));
        let ended = || self.ended.iter().rev().find(|run| run.info.run_id == *id);
        active.or_else(|| ended().cloned().map(FoundRun::Ended))
    }
}

fn size(run: &EndedRun) -> usize {
    run.execution.len() + run.outcome.json.len()
}

impl Engine {
    /// The runs under way, then those that ended; the newest first.
    pub fn runs(&self) -> Vec<RunInfo> {
        let runs = self.0.runs();
        let mut active: Vec<_> = runs.active.values().map(|active| active.info.clone()).collect();
        active.sort_by_key(|info| std::cmp::Reverse(info.accepted_ms));
        let ended = runs.ended.iter().rev().map(|run| run.info.clone());
        active.into_iter().chain(ended).collect()
    }

    /// Lists an execution that was refused among the runs that ended, so that
    /// those who follow a phone hear of it.
    pub fn refuse(&self, refused: &RefusedExecution, failure: &Failure) -> RunId {
        let (id, now_ms) = (self.new_run_id(), self.now_ms());
        let text = |key: &str| refused.execution[key].as_str().unwrap_or_default().to_owned();
        let info = RunInfo {
            run_id: id.clone(),
            state: RunState::Waiting,
            status: None,
            command_id: text("commandId"),
            task_id: text("taskId"),
            device_id: Some(refused.device.clone()),
            accepted_ms: now_ms,
            began_ms: None,
            ended_ms: Some(now_ms),
            journal: None,
        };
        let execution = refused.execution.to_string();
        let finished = Finished::from(failure.clone());
        let mut runs = self.0.runs();
        runs.finish(info, execution, &finished);
        drop(runs);
        self.0.ended.notify_waiters();
        id
    }

    /// The runs that have their phone and have not ended.
    pub fn under_way(&self) -> Vec<RunUnderWay> {
        let runs = self.0.runs();
        let running = runs.active.values().filter(|active| active.info.began_ms.is_some());
        let running = running
            .map(|active| RunUnderWay { info: active.info.clone(), execution: active.execution.clone() });
        running.collect()
    }

    /// How many runs are under way.
    pub fn active_runs(&self) -> usize {
        self.0.runs().active.len()
    }

    /// A run: of this process, or one with a key of another process.
    pub fn find_run<'f>(&'f self, id: &'f str) -> BoxFuture<'f, Result<Option<FoundRun>, Failure>> {
        Box::pin(async move {
            let id = RunId(id.into());
            if let Some(found) = self.0.runs().find(&id) {
                return Ok(Some(found));
            }
            let now_ms = self.0.settings.clock.now_ms();
            let recorded = self.0.ledger().await?.run(&id.to_string(), now_ms).await?;
            Ok(recorded.map(|record| match record {
                RunRecord::Done(outcome) => FoundRun::Recorded(outcome),
                RunRecord::Running => FoundRun::Elsewhere,
            }))
        })
    }

    /// The last run that began of those whose key begins like this.
    pub async fn begun_run(&self, key: String) -> Result<Option<BegunRun>, Failure> {
        Ok(self.0.ledger().await?.begun(key).await?)
    }

    /// How many runs have ended, and how.
    pub fn run_counts(&self) -> RunCounts {
        self.0.runs().counts
    }

    /// The first run that ended after the one of this number. Who reads one at a
    /// time keeps no more than that in memory.
    pub fn next_ended(&self, number: u64) -> Option<NextEnded> {
        let runs = self.0.runs();
        let wanted = number.saturating_add(1);
        let oldest = runs.ended.front()?.number;
        let lost = oldest.saturating_sub(wanted);
        let at = usize::try_from(wanted.saturating_sub(oldest)).ok()?;
        let run = runs.ended.get(at)?.clone();
        Some(NextEnded { lost, run })
    }

    /// The number of the run that ended last; 0 if there is none.
    pub fn last_ended(&self) -> u64 {
        self.0.runs().count
    }

    /// Waits until a run has ended after the one of this number.
    pub fn ended_beyond(&self, number: u64) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.when(|runs| runs.count > number).await;
        })
    }

    /// Waits until nothing runs.
    pub async fn idle(&self) {
        self.0.when(|runs| runs.active.is_empty()).await;
    }
}

impl EngineState {
    /// Waits until something holds of the runs, which changes when one ends.
    async fn when(&self, holds: impl Fn(&Runs) -> bool) {
        let mut ended = std::pin::pin!(self.ended.notified());
        loop {
            ended.as_mut().enable();
            if holds(&self.runs()) {
                return;
            }
            ended.as_mut().await;
            ended.set(self.ended.notified());
        }
    }
}

/// A run that can be found and cancelled, until it ends.
pub(crate) struct RunListing {
    pub(crate) engine: Arc<EngineState>,
    pub(crate) id: RunId,
}

impl RunListing {
    pub(crate) fn end(&self, finished: &Finished) {
        let now_ms = self.engine.settings.clock.now_ms();
        self.engine.runs().end(&self.id, finished, now_ms);
    }
}

impl Drop for RunListing {
    fn drop(&mut self) {
        // Nothing if it has ended as it should.
        let broke_off = Failure::of(ErrorCode::InternalError, "the run broke off");
        self.end(&Finished::from(broke_off));
        self.engine.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise its readers would look for it again and again.
    #[test]
    fn a_run_that_is_larger_than_all_that_is_kept_is_kept_alone() {
        let mut runs = Runs::default();
        let info = |number: u64| RunInfo {
            run_id: RunId(number.to_string().into()),
            state: RunState::Waiting,
            status: None,
            command_id: String::new(),
            task_id: String::new(),
            device_id: None,
            accepted_ms: 0,
            began_ms: None,
            ended_ms: None,
            journal: None,
        };
        let failure = Failure::of(ErrorCode::InternalError, "no");
        for (number, bytes) in [(1, 10), (2, 10), (3, RUN_BYTES_KEPT)] {
            let finished = Finished::from(failure.clone());
            runs.finish(info(number), "x".repeat(bytes), &finished);
        }
        let kept: Vec<u64> = runs.ended.iter().map(|run| run.number).collect();
        assert_eq!((kept, runs.count), (vec![3], 3));
    }
}
