//! What is wrong with a payload, all of it, in one fixed order; and what is
//! merely odd about it.

use crate::error_code::ErrorCode;
use crate::failure::{Details, Failure};
use crate::limits::MAX_PROBLEMS;
use schemars::JsonSchema;
use serde::Serialize;

/// One thing wrong with a payload.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The kind of problem.
    pub code: ErrorCode,
    /// Where it is, such as `actions.0.params.matcher`; empty at the root.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// Which action it is in, counted from zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_index: Option<usize>,
    /// That action's id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// That action's type as the caller wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_type: Option<String>,
    /// The keys that do not belong there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invalid_keys: Vec<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One thing odd about a payload that was accepted all the same.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Warning {
    /// The kind of oddity.
    pub code: WarningCode,
    /// Where it is.
    pub path: String,
    /// What is odd, and what was done about it.
    pub message: String,
}

/// The kinds of oddity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WarningCode {
    /// A key stood more than once; the last one counts.
    DuplicateKey,
    /// An alias stood beside its canonical key and was dropped.
    AliasIgnored,
    /// The action does not use the parameter.
    ParamUnused,
    /// The value is outside its range and will be clamped.
    ValueClamped,
    /// The value is one no runtime knows; the step will fail.
    ValueUnsupported,
}

/// All problems of one payload, at least one, in the contract's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// Never empty; the bound is [`MAX_PROBLEMS`].
    problems: Vec<Problem>,
    omitted: usize,
}

impl Rejection {
    /// Wraps a list of problems; an empty list is no rejection.
    pub(crate) fn from_problems(mut problems: Vec<Problem>) -> Option<Self> {
        let omitted = problems.len().saturating_sub(MAX_PROBLEMS);
        problems.truncate(MAX_PROBLEMS);
        (!problems.is_empty()).then_some(Self { problems, omitted })
    }

    /// A rejection that no rule explains.
    pub(crate) fn internal() -> Self {
        Self {
            problems: vec![Problem {
                code: ErrorCode::InternalError,
                path: String::new(),
                message: "the execution could not be built; this is our mistake".to_owned(),
                action_index: None,
                action_id: None,
                action_type: None,
                invalid_keys: Vec::new(),
                hint: Some(ErrorCode::InternalError.row().hint.to_owned()),
            }],
            omitted: 0,
        }
    }

    /// The problem that leads the error object.
    #[must_use]
    pub fn first(&self) -> &Problem {
        &self.problems[0]
    }

    /// Every problem, the first included.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Rejection {
            problems: vec![problem],
            omitted: 0,
        }
        .into()
    }
}

impl From<Rejection> for Failure {
    /// Shows the first problem at the top, in the documented shape, and the
    /// whole list beside it.
    fn from(rejection: Rejection) -> Self {
        let first = rejection.first().clone();
        let mut details = Details {
            path: Some(first.path),
            hint: first.hint,
            ..Details::default()
        };
        // The documented shape names the action only where the path leads
        // into one; `problems` says more.
        if first.action_index.is_some() && details.path.as_deref() != Some("actions") {
            details.action_id = first.action_id;
            details.action_type = first.action_type;
            details.invalid_keys = first.invalid_keys;
        }
        details.problems = rejection.problems;
        details.problems_omitted = (rejection.omitted > 0).then_some(rejection.omitted);
        Failure {
            details: Some(Box::new(details)),
            ..Failure::new(ErrorCode::ExecutionValidationFailed, first.message)
        }
    }
}
