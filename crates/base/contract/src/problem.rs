//! What is wrong with a payload, all of it, in one fixed order; and what is merely odd about it.

use crate::error_code::ErrorCode;
use crate::limits::{MAX_ECHO, MAX_PROBLEMS, MAX_PROBLEMS_BYTES, MAX_WARNINGS};
use crate::size::written_len;
use crate::sparse::is_default;
use clawperator_document::text;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

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
    /// How many more of them there are than the list shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid_keys_omitted: Option<usize>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Problem {
    /// A rule of the contract that is broken: where, and how.
    pub fn new(path: String, message: String) -> Self {
        Self {
            code: ErrorCode::ExecutionValidationFailed,
            path,
            message,
            action_index: None,
            action_id: None,
            action_type: None,
            invalid_keys: Vec::new(),
            invalid_keys_omitted: None,
            hint: None,
        }
    }

    /// Cuts the caller's words to what a list of problems repeats of them.
    pub(crate) fn shorten(&mut self) {
        let words = self.action_id.iter_mut().chain(&mut self.action_type);
        for word in words.chain(&mut self.invalid_keys) {
            if word.len() > MAX_ECHO {
                *word = text::echo(word);
            }
        }
    }
}

/// One thing odd about a payload that was accepted all the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// The kind of oddity.
    pub code: WarningCode,
    /// Where it is.
    pub path: String,
    /// What is odd, and what was done about it.
    pub message: String,
}

/// All that is odd about one payload, in the order of the payload. An answer
/// has its keys beside its own, and only if there are problems.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Warnings {
    /// What is odd; at most 500 of them.
    #[serde(rename = "warnings", skip_serializing_if = "Vec::is_empty")]
    listed: Vec<Warning>,
    /// How many more there are.
    #[serde(rename = "warningsOmitted", skip_serializing_if = "is_default")]
    omitted: usize,
}

/// A derived one would put its defaults into the schemas of answers.
impl<'de> Deserialize<'de> for Warnings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        struct Written {
            #[serde(default)]
            warnings: Vec<Warning>,
            #[serde(default)]
            warnings_omitted: usize,
        }
        let written = Written::deserialize(deserializer)?;
        Ok(Self { listed: written.warnings, omitted: written.warnings_omitted })
    }
}

impl Warnings {
    /// Adds a warning, or only counts it.
    pub(crate) fn push(&mut self, warning: impl FnOnce() -> Warning) {
        if self.listed.len() < MAX_WARNINGS {
            self.listed.push(warning());
        } else {
            self.omitted += 1;
        }
    }

    /// Adds a warning about the run, behind those about the payload.
    pub fn add(&mut self, warning: Warning) {
        self.push(|| warning);
    }

    /// The warnings.
    pub fn list(&self) -> &[Warning] {
        &self.listed
    }

    /// How many more there are, if any.
    pub fn omitted(&self) -> Option<usize> {
        Some(self.omitted).filter(|omitted| *omitted > 0)
    }
}

/// Writes the kinds of oddity and the table of what they mean from one list.
macro_rules! warning_codes {
    ($($variant:ident $meaning:literal;)*) => {
        /// The kinds of oddity.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub enum WarningCode {
            $(#[doc = $meaning] $variant,)*
        }

        /// Every kind of oddity and what it means.
        pub const WARNING_CODES: &[(WarningCode, &str)] = &[$((WarningCode::$variant, $meaning),)*];
    };
}

warning_codes! {
    DuplicateKey "A key is given more than once; the last value is used.";
    AliasIgnored "An alias is given beside its canonical key and is ignored.";
    ParamUnused "The action does not use the parameter; it has no effect.";
    ValueClamped "The value is outside its range; the nearest value in the range is used.";
    ValueUnsupported "No runtime knows the value; the step will fail.";
    OperatorNotUsed "The Operator app was named and cannot run the execution; the host ran it.";
    LaneNotUsed "The resident server was wanted and could not be used; the screen was read with the phone's own command.";
    NotShown "All was done; the look at what came of it failed.";
    NeverAtRest "The screen never came to rest after an act; it was read as it was when the time was up.";
    ToastsNotForgotten "The resident server did not forget the last toast before an act; a toast that a later command sees may be from before it.";
    NotGivenBack "Something of the phone's user, such as the keyboard, could not be given back; who gets the phone next tries again.";
    OutcomeNotStored "The outcome of a request with a key could not be stored: the same key will be answered with EXECUTION_OUTCOME_UNKNOWN.";
    RecipeUntested "The recipe was not tested with this version of the app or of Android, or in this language.";
    TimeoutTooShort "An action, or all sleeps together, take more time than the execution has.";
}

/// All problems of one payload, at least one, in the contract's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// The first, which repeats more of what the caller sent and leads the error object.
    pub first: Box<Problem>,
    /// Every one, the first included; the bound is [`MAX_PROBLEMS`].
    pub problems: Vec<Problem>,
    /// How many there are beyond those listed.
    pub omitted: usize,
}

impl Rejection {
    /// Wraps a list of problems and how many more there are; an empty list is
    /// no rejection. What is too much to list is counted.
    pub(crate) fn from_problems(mut problems: Vec<Problem>, unlisted: usize) -> Option<Self> {
        let all = problems.len() + unlisted;
        let first = Box::new(problems.first()?.clone());
        // What counts is the form they are listed in.
        problems.iter_mut().for_each(Problem::shorten);
        let mut left = MAX_PROBLEMS_BYTES;
        let fitting = problems.iter().take(MAX_PROBLEMS).take_while(|problem| {
            let rest = left.checked_sub(written_len(problem));
            left = rest.unwrap_or(0);
            rest.is_some()
        });
        let listed = fitting.count().max(1);
        problems.truncate(listed);
        let omitted = all - problems.len();
        Some(Self { first, problems, omitted })
    }

    /// A rejection that no rule explains.
    pub(crate) fn internal() -> Self {
        let message = "the execution could not be built; this is a bug in clawperator".to_owned();
        Self::of(Problem {
            code: ErrorCode::InternalError,
            hint: Some(ErrorCode::InternalError.row().hint.to_owned()),
            ..Problem::new(String::new(), message)
        })
    }

    /// A rejection for one reason.
    pub(crate) fn of(problem: Problem) -> Self {
        Self { first: Box::new(problem.clone()), problems: vec![problem], omitted: 0 }
    }
}
