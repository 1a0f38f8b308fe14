//! A person at a desk of a test's own.

use clawperator_agent::action::Capability;
use clawperator_agent::approval::notify::Notifier;
use clawperator_agent::approval::{ApprovalRequest, Desk, PersonDecision, State, Submission, Who};
use clawperator_agent::people::{People, Waiting};
use clawperator_events::Clock;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct Person {
    folder: PathBuf,
    desk: Desk,
    /// What is given where something is asked for; without it the answer is no.
    given: Option<Value>,
}

impl Person {
    /// Somebody who gives a text.
    pub(crate) fn new(text: Option<&str>) -> Self {
        Self::giving(text.map(|text| json!({ "text": text })))
    }

    pub(crate) fn giving(given: Option<Value>) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("agent-person-{}-{number}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let desk = Desk::open(&folder, Arc::new(Clock::new(|| 1_767_260_460_000))).unwrap();
        Self { folder, desk, given }
    }

    pub(crate) fn people(&self) -> People {
        People {
            desk: self.desk.clone(),
            notifier: Notifier::default(),
            base: None,
            origin: "test".to_owned(),
            later: None,
            waiting: Waiting::default(),
        }
    }

    /// Answers for ever; before the first answer something happens.
    pub(crate) async fn answer(&self, before: impl AsyncFnOnce()) {
        let mut before = Some(before);
        let mut told = 0;
        loop {
            let (number, request) = self.desk.next_change(told).await.unwrap();
            told = number;
            if request.state != State::Pending {
                continue;
            }
            if let Some(before) = before.take() {
                before().await;
            }
            let verdict = match &self.given {
                None => PersonDecision::Reject { note: None },
                Some(given) => PersonDecision::Approve {
                    answer: if request.asked.page.needs_artifact {
                        Submission::new(given.to_string())
                    } else {
                        Submission::empty()
                    },
                    note: None,
                },
            };
            let decided = self.desk.decide(&request.id, Who::User("test"), verdict).await;
            decided.unwrap();
        }
    }

    /// Waits until there is a request.
    pub(crate) async fn is_asked(&self) {
        self.desk.next_change(0).await.unwrap();
    }

    /// All requests, the oldest first.
    pub(crate) async fn requests(&self) -> Vec<ApprovalRequest> {
        let mut requests = self.desk.list(None, 100).await.unwrap();
        requests.reverse();
        requests
    }

    pub(crate) async fn capabilities(&self) -> Vec<Capability> {
        let requests = self.requests().await;
        requests.iter().map(|request| request.asked.capability).collect()
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
