//! The person of an evaluation: a desk in a folder of its own, and the answer
//! that the task has prepared.

use super::tasks_file::Human;
use clawperator_agent::approval::notify::Notifier;
use clawperator_agent::approval::{Desk, State, Submission, Verdict, Who};
use clawperator_agent::people::People;
use clawperator_journal::Clock;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Somebody who answers.
pub(super) struct Person {
    folder: PathBuf,
    desk: Desk,
    says: Human,
}

impl Person {
    pub(super) fn new(says: &Human, clock: Clock) -> Result<Self, String> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("clawperator-eval-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let desk = Desk::open(&folder, Arc::new(clock)).map_err(|error| error.to_string())?;
        Ok(Self {
            folder,
            desk,
            says: says.clone(),
        })
    }

    /// Where the model asks.
    pub(super) fn people(&self) -> People {
        People {
            desk: self.desk.clone(),
            notifier: Notifier::default(),
            base: None,
            origin: "eval".to_owned(),
        }
    }

    /// Answers every request, until the desk is of no use any more.
    pub(super) async fn answer(&self) {
        let mut told = 0;
        while let Ok((number, request)) = self.desk.next_change(told).await {
            told = number;
            if request.state == State::Pending {
                // An answer that does not fit leaves the request to its time.
                let _ = self
                    .desk
                    .decide(&request.id, Who::User("eval"), self.verdict())
                    .await;
            }
        }
    }

    fn verdict(&self) -> Verdict {
        match &self.says {
            Human::Reject => Verdict::Reject { note: None },
            Human::Approve(text) => Verdict::Approve {
                answer: Submission::new(json!({ "text": text }).to_string()),
                note: None,
            },
        }
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // What is left behind is in the system's folder for such things.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
