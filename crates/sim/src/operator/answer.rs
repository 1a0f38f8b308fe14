//! What the app answers: one line of the log with everything in it.

use super::command::{Action, Command};
use serde_json::{Map, Value, json};
use std::fmt::Display;

/// What stands before an answer.
const MARKER: &str = "[Clawperator-Result]";

/// A failure that ends the whole command.
#[derive(Debug)]
pub(super) struct Thrown(pub(super) String);

/// How an action ended that did not end the command.
#[derive(Debug)]
pub(super) struct Step {
    success: bool,
    data: Map<String, Value>,
}

/// Either of them.
pub(super) type Outcome = Result<Step, Thrown>;

/// A name and what is to be said of it.
pub(super) type Entry<'a> = (&'a str, &'a dyn Display);

impl Step {
    /// It did what it should.
    pub(super) fn done(entries: &[Entry<'_>]) -> Self {
        let text = |value: &dyn Display| Value::String(value.to_string());
        Self {
            success: true,
            data: entries
                .iter()
                .map(|(name, value)| ((*name).to_owned(), text(*value)))
                .collect(),
        }
    }

    /// It did not; the actions behind it run all the same.
    pub(super) fn failed(error: &str, entries: &[Entry<'_>]) -> Self {
        let mut step = Self::done(&[("error", &error)]);
        step.success = false;
        step.data.append(&mut Self::done(entries).data);
        step
    }

    /// With one more entry, if there is one.
    pub(super) fn with(mut self, name: &str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            let value = Value::String(value.to_string());
            self.data.insert(name.to_owned(), value);
        }
        self
    }
}

/// A step under its name.
#[derive(Debug)]
pub(super) struct StepResult(Value);

impl StepResult {
    pub(super) fn new(action: &Action, step: Step) -> Self {
        let mut value = json!({ "id": action.id, "actionType": action.name, "success": step.success });
        if !step.data.is_empty() {
            value["data"] = Value::Object(step.data);
        }
        Self(value)
    }
}

/// The answer to a command.
#[derive(Debug)]
pub(super) struct Envelope(Value);

impl Envelope {
    /// Every action has run: that is a success, whatever they say.
    pub(super) fn done(command: &Command, steps: Vec<StepResult>) -> Self {
        let steps = steps.into_iter().map(|step| step.0).collect();
        Self::new(command, ("success", steps, Value::Null))
    }

    pub(super) fn failed(command: &Command, why: &str) -> Self {
        Self::new(command, ("failed", Vec::new(), Value::from(why)))
    }

    /// Nothing can be done without the accessibility service.
    pub(super) fn no_service(command: &Command) -> Self {
        let mut envelope = Self::failed(command, "Accessibility service is not available");
        envelope.0["errorCode"] = Value::from("SERVICE_UNAVAILABLE");
        envelope
    }

    fn new(command: &Command, (status, steps, error): (&str, Vec<Value>, Value)) -> Self {
        Self(json!({
            "commandId": command.id,
            "taskId": command.task,
            "status": status,
            "stepResults": steps,
            "error": error,
        }))
    }

    /// The same, to another command.
    pub(super) fn under(&self, command_id: &str) -> Self {
        let mut value = self.0.clone();
        value["commandId"] = Value::from(command_id);
        Self(value)
    }

    /// The command and the task it answers.
    pub(super) fn ids(&self) -> (&Value, &Value) {
        (&self.0["commandId"], &self.0["taskId"])
    }

    /// As it is written into the log.
    pub(super) fn line(&self) -> String {
        format!("{MARKER} {}", self.0)
    }
}
