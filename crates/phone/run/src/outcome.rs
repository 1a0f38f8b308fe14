//! What came of a step: its data, or why it failed.

use clawperator_contract::{
    Action, DataKey, Envelope, ErrorCode, Execution, OperatorDetails, Status, StepResult, UncheckedWord, text,
};
use clawperator_phone::{DispatchState, Objection, PhoneError};
use std::collections::BTreeMap;

/// Data of a step; strings at the border.
pub(crate) type Data = BTreeMap<DataKey, String>;

/// The outcome of a step.
pub(crate) type StepOutcome = Result<Data, StepFailure>;

/// Why a step failed.
#[derive(Clone, Debug)]
pub(crate) struct StepFailure {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    /// The caller's own words, which end the message as they are: dots in them
    /// would tell which guess of a secret is right.
    pub(crate) asked: String,
    pub(crate) data: Data,
    pub(crate) again: bool,
}

impl StepFailure {
    /// A failure that may go away if the step is tried again.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), asked: String::new(), data: Data::new(), again: true }
    }

    /// The same failure; trying again cannot help.
    pub(crate) fn for_good(self) -> Self {
        Self { again: false, ..self }
    }

    /// The same failure, about these words of the caller.
    pub(crate) fn about(self, asked: &str) -> Self {
        let asked = format!(": {}", text::excerpt(asked));
        Self { asked, ..self }
    }

    /// The same failure after something that was done, which its message says first.
    pub(crate) fn after(self, done: &str) -> Self {
        let message = format!("{done}; {}", self.message);
        Self { message, ..self }
    }

    /// The same failure with a value in its data.
    pub(crate) fn with(mut self, key: DataKey, value: impl Into<String>) -> Self {
        self.data.insert(key, value.into());
        self
    }

    /// The same failure with a value in its data, if there is one.
    pub(crate) fn with_some(mut self, key: DataKey, value: Option<impl Into<String>>) -> Self {
        self.data.extend(value.map(|value| (key, value.into())));
        self
    }

    /// The same failure, with what else is known of the step beside its own data.
    pub(crate) fn beside(mut self, mut details: Data) -> Self {
        details.append(&mut self.data);
        Self { data: details, ..self }
    }

    /// The same failure; the element of a stale ref may come back.
    pub(crate) fn unless_back(self) -> Self {
        Self { again: self.again || self.code == ErrorCode::RefStale, ..self }
    }

    /// The failure of a step because of the phone. It has this code unless the error says more.
    pub(crate) fn of(code: ErrorCode, error: &PhoneError) -> Self {
        let again = match error {
            PhoneError::Capture(_) => true,
            PhoneError::Resident { .. } | PhoneError::ScreenChanged { .. } | PhoneError::Refused { .. } => {
                error.dispatched() == DispatchState::No
            }
            _ => false,
        };
        let code = error.code(code);
        let failure = Self { again, ..Self::new(code, error.to_string()) };
        match error {
            PhoneError::UriNotHandled { uri: asked }
            | PhoneError::NotInstalled { package: asked }
            | PhoneError::NoLauncher { package: asked } => failure.about(asked),
            PhoneError::ScreenChanged { window: Some(window), .. } => {
                let package = window.split('/').next().unwrap_or_default();
                failure.with(DataKey::ForegroundPackage, package)
            }
            PhoneError::Judged(Objection { approval: Some(id), .. }) => failure.with(DataKey::ApprovalId, id),
            _ => failure,
        }
    }
}

/// The envelope of an execution that has done these steps.
pub(crate) fn envelope(execution: &Execution, steps: Vec<StepResult>) -> Envelope {
    Envelope {
        command_id: execution.command_id().as_str().to_owned(),
        task_id: execution.task_id().as_str().to_owned(),
        status: Status::Success,
        step_results: steps,
        error: None,
        error_code: None,
        hint: None,
    }
}

/// The facts about an execution that has no envelope, and of the action it ended at.
pub(crate) fn run_details(execution: &Execution, last: Option<&Action>) -> OperatorDetails {
    OperatorDetails {
        command_id: Some(execution.command_id().as_str().to_owned()),
        task_id: Some(execution.task_id().as_str().to_owned()),
        last_action_id: last.map(|action| action.id().as_str().to_owned()),
        last_action_type: last.map(|action| action.kind().name().to_owned()),
        ..OperatorDetails::default()
    }
}

/// Data with these keys and values.
pub(crate) fn data<const N: usize>(rows: [(DataKey, String); N]) -> Data {
    rows.into()
}

/// The meaning of a word that the contract accepts without knowing it.
pub(crate) fn word_meaning<T: Copy>(asked: &UncheckedWord<T>, what: &str) -> Result<T, StepFailure> {
    match asked {
        UncheckedWord::Known(word) => Ok(*word),
        UncheckedWord::Unknown(word) => {
            let shown = text::excerpt(word);
            let message = format!("there is no {what} \"{shown}\"");
            Err(StepFailure::new(ErrorCode::ExecutionValidationFailed, message).for_good())
        }
    }
}
