//! The person of an evaluation: a desk in a folder of its own, and the answer
//! that the task has prepared.

use super::tasks_file::{EvalTask, Human, PersonInput};
use crate::temp_folder::TempFolder;
use clawperator_agent::action::Capability;
use clawperator_agent::approval::notify::Notifier;
use clawperator_agent::approval::{ApprovalRequest, Desk, PersonDecision, State, Submission, Who};
use clawperator_agent::people::{People, Waiting};
use clawperator_events::Clock;
use serde_json::json;
use std::sync::Arc;

/// Somebody who answers.
pub(super) struct Person {
    desk: Desk,
    _folder: TempFolder,
    says: Option<Human>,
    allows: Vec<Capability>,
}

impl Person {
    pub(super) fn new(task: &EvalTask, clock: Clock) -> Result<Self, String> {
        let folder = TempFolder::new("eval");
        let desk = Desk::open(&folder.0, Arc::new(clock)).map_err(|error| error.to_string())?;
        Ok(Self { desk, _folder: folder, says: task.human.clone(), allows: task.approvals.clone() })
    }

    pub(super) fn people(&self) -> People {
        People {
            desk: self.desk.clone(),
            notifier: Notifier::default(),
            base: None,
            origin: "eval".to_owned(),
            later: None,
            waiting: Waiting::default(),
        }
    }

    /// Answers every request, until the desk is of no use any more.
    pub(super) async fn answer(&self) {
        let mut told = 0;
        while let Ok((number, request)) = self.desk.next_change(told).await {
            told = number;
            if request.state == State::Pending {
                // An answer that does not fit leaves the request to its time.
                let _ = self.desk.decide(&request.id, Who::User("eval"), self.verdict(&request)).await;
            }
        }
    }

    /// What the task says to a request: of the policy, or of the model itself.
    fn verdict(&self, request: &ApprovalRequest) -> PersonDecision {
        if request.asked.page.is_yes_or_no() {
            return if self.allows.contains(&request.asked.capability) {
                PersonDecision::Approve { answer: Submission::empty(), note: None }
            } else {
                PersonDecision::Reject { note: None }
            };
        }
        match &self.says {
            None | Some(Human::Reject) => PersonDecision::Reject { note: None },
            Some(Human::Approve(given)) => PersonDecision::Approve {
                answer: Submission::new(match given {
                    PersonInput::Text(text) => json!({ "text": text }).to_string(),
                    PersonInput::Fields(fields) => json!({ "fields": fields }).to_string(),
                }),
                note: None,
            },
        }
    }
}
