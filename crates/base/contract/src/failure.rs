//! The host-side error object: what a caller gets when there is no envelope.

use crate::envelope::StepResult;
use crate::error_code::{CodeScope, ErrorCode};
use crate::limits::{MAX_INPUT_BYTES, MAX_PAYLOAD_BYTES};
use crate::operator_route::{Dispatch, OperatorDetails};
use crate::problem::{Problem, Rejection};
use crate::skill_failure::{SkillDetails, SkillFailure};
use crate::sparse::sparse;
use crate::wire::{EXECUTION_FIELDS, required};
use clawperator_document::ReadError;
use schemars::JsonSchema;
use serde::Serialize;

/// A failure with no envelope: `{code, message, suggestion?, details?}`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "Failure")]
pub struct Failure {
    /// The kind of failure; branch on this.
    pub code: ErrorCode,
    /// What happened, for people.
    pub message: String,
    /// The nearest thing that would have worked, such as a command's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// How far the payload got, on the way through the Operator app.
    #[serde(flatten)]
    pub dispatch: Option<Box<Dispatch>>,
    /// Which skill it is about, and what the skill printed.
    #[serde(flatten)]
    pub skill: Option<Box<SkillFailure>>,
    /// Data about the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<Details>>,
}

sparse! {
    /// Data about a failure. Every key appears only where it applies.
    pub struct Details {
        /// Where in the payload, such as `actions.0.params`; empty at the root.
        pub path: Option<String>,
        /// The id of the action at fault.
        pub action_id: Option<String>,
        /// The type of the action at fault, as the caller wrote it.
        pub action_type: Option<String>,
        /// The keys that do not belong in that action.
        pub invalid_keys: Vec<String>,
        /// How many more of them there are than the list shows.
        pub invalid_keys_omitted: Option<usize>,
        /// What to do about it.
        pub hint: Option<String>,
        /// The command-line flag at fault.
        pub flag: Option<String>,
        /// The line of a syntax error, from one.
        pub line: Option<usize>,
        /// The column of a syntax error, from one.
        pub column: Option<usize>,
        /// How many bytes there are, where there are too many.
        pub bytes: Option<usize>,
        /// How many bytes there may be.
        pub limit: Option<usize>,
        /// Every problem of the payload, in the contract's order.
        pub problems: Vec<Problem>,
        /// The phones to choose from, by serial.
        pub devices: Vec<String>,
        /// The phones that could be used instead, by serial.
        pub connected: Vec<String>,
        /// The steps that were done before the time was up.
        pub step_results: Vec<StepResult>,
        /// Whether the step that was running acted: `no`, `unknown`, or `yes` if the phone accepted its act.
        pub dispatched: Option<String>,
        /// Why the outcome of a request with a key could not be stored: the same key will be answered with
        /// `EXECUTION_OUTCOME_UNKNOWN`.
        pub not_stored: Option<String>,
        /// Who has the phone.
        pub owner: Option<Box<OwnerDetails>>,
        /// How many more problems there are than the list shows.
        pub problems_omitted: Option<usize>,
        /// What is known of a run that was not done, and of the Operator app.
        #[serde(flatten)]
        pub operator: Option<Box<OperatorDetails>>,
        /// What is known of a skill package or a template.
        #[serde(flatten)]
        pub skill: Option<Box<SkillDetails>>,
    }
}

/// Who runs an execution on a phone that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnerDetails {
    /// The process.
    pub pid: u32,
    /// Its execution's command id.
    pub command_id: String,
    /// For how long it has had the phone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_ms: Option<u64>,
}

impl Failure {
    /// A payload that the contract takes and a runtime cannot run; nothing if there is no problem.
    pub fn unrunnable(problems: Vec<Problem>) -> Option<Self> {
        Rejection::from_problems(problems, 0).map(Self::from)
    }

    /// A failure with nothing but a message. Its code is one of the host's:
    /// steps, checks and problems have places of their own for theirs.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        debug_assert!(code.row().scope == CodeScope::Host, "{code} is not a code of a failure");
        Self { code, message: message.into(), suggestion: None, dispatch: None, skill: None, details: None }
    }

    /// A failure with the hint of its code.
    pub fn of(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::new(code, message).hint(code.row().hint)
    }

    /// The failure with something added to its details.
    pub fn with(mut self, change: impl FnOnce(&mut Details)) -> Self {
        change(self.details.get_or_insert_default());
        self
    }

    /// The failure with something said of its skill.
    pub fn of_skill(mut self, change: impl FnOnce(&mut SkillFailure)) -> Self {
        change(self.skill.get_or_insert_default());
        self
    }

    /// The failure with something added to what its details say of a skill.
    pub fn with_skill(self, change: impl FnOnce(&mut SkillDetails)) -> Self {
        self.with(|details| change(details.skill.get_or_insert_default()))
    }

    /// The failure with a hint.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        let hint = hint.into();
        self.with(|details| details.hint = Some(hint))
    }

    /// A payload whose normalised form is too large.
    pub(crate) fn too_large(bytes: usize) -> Self {
        let message = format!("the payload takes {bytes} bytes; at most {MAX_PAYLOAD_BYTES} are allowed");
        Self::of(ErrorCode::PayloadTooLarge, message).with(|details| {
            details.bytes = Some(bytes);
            details.limit = Some(MAX_PAYLOAD_BYTES);
        })
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let invalid = |message: String| {
            Self::new(ErrorCode::ExecutionValidationFailed, message)
                .with(|details| details.path = Some(String::new()))
        };
        let invalid_at = |what: String, line: usize, column: usize| {
            invalid(format!("the payload {what} at line {line}, column {column}")).with(|details| {
                details.line = Some(line);
                details.column = Some(column);
            })
        };
        match error {
            ReadError::TooLarge => Self::of(
                ErrorCode::PayloadTooLarge,
                format!("the input is larger than {MAX_INPUT_BYTES} bytes; nothing past that was read"),
            )
            .with(|details| details.limit = Some(MAX_INPUT_BYTES)),
            ReadError::NotUtf8 { valid_up_to } => {
                invalid(format!("the payload is not UTF-8 from byte {valid_up_to} on"))
                    .hint("Save the payload as UTF-8.")
            }
            ReadError::Empty => invalid("the payload is empty".to_owned())
                .hint(format!("Send one JSON object with {}.", required(&EXECUTION_FIELDS).join(", "))),
            ReadError::Syntax { reason, line, column } => {
                invalid_at(format!("is not valid JSON: {reason}"), line, column)
            }
            ReadError::PastLimit { reason, line, column } => invalid_at(reason, line, column),
        }
    }
}

impl From<Rejection> for Failure {
    /// Shows the first problem at the top, in the documented shape, and the whole list beside it.
    fn from(rejection: Rejection) -> Self {
        let first = *rejection.first;
        let mut details = Details { path: Some(first.path), hint: first.hint, ..Details::default() };
        // The documented shape names the action only where the path leads
        // into one; `problems` says more.
        if first.action_index.is_some() && details.path.as_deref() != Some("actions") {
            details.action_id = first.action_id;
            details.action_type = first.action_type;
            details.invalid_keys = first.invalid_keys;
            details.invalid_keys_omitted = first.invalid_keys_omitted;
        }
        details.problems_omitted = Some(rejection.omitted).filter(|omitted| *omitted > 0);
        details.problems = rejection.problems;
        // Some problems have a code of their own that no failure may have.
        let code = match first.code.row().scope {
            CodeScope::Host => first.code,
            CodeScope::Step | CodeScope::Envelope | CodeScope::Problem | CodeScope::Check => {
                ErrorCode::ExecutionValidationFailed
            }
        };
        Failure { details: Some(Box::new(details)), ..Failure::new(code, first.message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_code::ERROR_CODES;

    #[test]
    fn a_failure_has_a_code_of_the_host_whatever_its_first_problem_has() {
        for row in ERROR_CODES {
            let problem = Problem { code: row.code, ..Problem::new(String::new(), String::new()) };
            let failure = Failure::from(Rejection::of(problem));
            assert_eq!(failure.code.row().scope, CodeScope::Host, "{}", row.name);
        }
    }

    /// A run says it when the folder of locks cannot be used, and so does a check of doctor.
    #[test]
    fn an_unusable_folder_is_a_failure_of_its_own() {
        let failure = Failure::new(ErrorCode::StateFolderUnusable, "x");
        assert_eq!(failure.code.row().scope, CodeScope::Host);
    }
}
