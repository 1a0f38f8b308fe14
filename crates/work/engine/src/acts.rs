//! Acts that a caller chooses one by one, with the phone in its hands: a run like
//! any other, of which the engine does not know what comes next.

use crate::engine::Engine;
use crate::request::{AbandonPolicy, Finished, Journal, Outcome, PhoneRequest, Request, RunId, Running};
use crate::work::{Ran, Work};
use clawperator_contract::{Envelope, ErrorCode, Failure, Status};
use clawperator_events::EventLog;
use clawperator_phone::{Deadline, PhoneLease};
use clawperator_run::RunOptions;
use futures_core::future::BoxFuture;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot};

/// How acts ended: the error is a code and a message.
type ActsEnd = Result<(), (String, String)>;

/// Where the phone goes when it is the caller's turn.
#[derive(Clone, Debug)]
pub struct Hand {
    pub(crate) owner: String,
    /// How long finding and reaching the phone may take.
    pub(crate) reach: Duration,
    takes: mpsc::Sender<(Handed, oneshot::Sender<ActsEnd>)>,
}

pub(crate) struct Handed {
    pub(crate) lease: PhoneLease,
    pub(crate) options: RunOptions,
    pub(crate) log: Arc<EventLog>,
    pub(crate) stop: Arc<Notify>,
}

/// A phone in the hands of who acts on it.
#[derive(Debug)]
pub struct Acts {
    pub lease: PhoneLease,
    /// What executions among the acts are run with.
    pub options: RunOptions,
    pub log: ActLog,
}

/// The log of acts under way. Acts whose log is dropped were cancelled, and it says so.
pub struct ActLog {
    id: RunId,
    log: Arc<EventLog>,
    stop: Arc<Notify>,
    has_begun: bool,
    over: Option<oneshot::Sender<ActsEnd>>,
    outcome: Option<BoxFuture<'static, Finished>>,
}

impl fmt::Debug for ActLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActLog").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Engine {
    /// Takes a phone for acts that the caller chooses, when it is their turn.
    pub fn begin_acts<'f>(
        &'f self,
        wanted: PhoneRequest<'f>,
        journal: Journal,
    ) -> BoxFuture<'f, Result<Acts, Failure>> {
        Box::pin(async move {
            let (takes, mut handed) = mpsc::channel(1);
            let hand = Hand { owner: wanted.owner.to_owned(), reach: wanted.reach, takes };
            let Running { id, events, outcome } = self.execute(Request {
                device: wanted.device.map(str::to_owned),
                wait: wanted.wait,
                lane: self.0.settings.lane,
                journal,
                abandoned: AbandonPolicy::IsCancelled,
                ..Request::of(Work::Acts(hand))
            });
            // A run without subscribers is faster.
            drop(events);
            let Some((handed, over)) = handed.recv().await else {
                return Err(match outcome.await.outcome {
                    Outcome::Error(failure) => *failure,
                    Outcome::Ran(_) | Outcome::Stored(_) => {
                        Failure::new(ErrorCode::InternalError, "the phone was not handed over")
                    }
                });
            };
            Ok(Acts {
                lease: handed.lease,
                options: handed.options,
                log: ActLog {
                    id,
                    log: handed.log,
                    stop: handed.stop,
                    has_begun: false,
                    over: Some(over),
                    outcome: Some(outcome),
                },
            })
        })
    }
}

impl Hand {
    /// Gives the phone to the caller, and waits until the caller has let go of it.
    pub(crate) async fn over(&self, mut handed: Handed) -> Ran {
        let RunOptions { lane, resident, .. } = handed.options;
        let deadline = Deadline::after(self.reach);
        let chosen = handed.lease.choose_lane(lane, resident, deadline).await;
        let on = handed.lease.phone().lane_report();
        let ran = |envelope| Ran { envelope, on, replay: None };
        if let Err(failure) = chosen {
            handed.lease.release().await;
            return ran(Err(failure));
        }
        let (over, end) = oneshot::channel();
        // A caller that is gone does not take it, and drops its end.
        let _ = self.takes.try_send((handed, over));
        let end = end.await.unwrap_or_else(|_| {
            let code = ErrorCode::ExecutionCancelled.name();
            Err((code.to_owned(), "cancelled before it finished".to_owned()))
        });
        let (error_code, error) = end.err().unzip();
        ran(Ok(Envelope {
            command_id: self.owner.clone(),
            task_id: self.owner.clone(),
            status: match error {
                None => Status::Success,
                Some(_) => Status::Failed,
            },
            // What was done is in the journal: that one act failed says nothing of all.
            step_results: Vec::new(),
            error,
            error_code,
            hint: None,
        }))
    }
}

impl ActLog {
    /// Notes from now on what is done to the phone, under a name or else that of
    /// the run, until the phone is let go of.
    pub fn begin(&mut self, lease: &mut PhoneLease, name: Option<&str>) {
        let id = self.id.to_string();
        self.has_begun = true;
        self.log.begin_acts(name.unwrap_or(&id), "agent", lease.phone().serial());
        lease.log_to(self.log.clone());
    }

    /// The name of the journal, once it has begun.
    pub fn journal(&self) -> Option<String> {
        self.log.journal()
    }

    /// The name of the run.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// What tells that the run is cancelled: the acts should end then.
    pub fn stop(&self) -> &Arc<Notify> {
        &self.stop
    }

    /// Ends the run: the error is a code and a message. The phone was let go of.
    pub fn end<'f>(mut self, end: Result<(), (&'f str, &'f str)>) -> BoxFuture<'f, ()> {
        Box::pin(async move {
            self.close(end);
            if let Some(outcome) = self.outcome.take() {
                outcome.await;
            }
        })
    }

    fn close(&mut self, end: Result<(), (&str, &str)>) {
        let Some(over) = self.over.take() else {
            return;
        };
        if self.has_begun {
            self.log.end_acts(end);
        }
        // The engine waits for it, unless the program ends.
        let _ = over.send(end.map_err(|(code, message)| (code.to_owned(), self.log.hide(message))));
    }
}

impl Drop for ActLog {
    fn drop(&mut self) {
        let code = ErrorCode::ExecutionCancelled.name();
        self.close(Err((code, "cancelled before it finished")));
    }
}
