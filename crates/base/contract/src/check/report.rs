//! Collects problems and warnings while a payload is walked.

use crate::error_code::ErrorCode;
use crate::pattern::PatternBudget;
use crate::problem::{Problem, Rejection, Warning, WarningCode, Warnings};
use clawperator_document::{Note, Path, Value, text};

/// What has been found so far.
#[derive(Default)]
pub(super) struct CheckReport<'w> {
    pub(super) structure: CheckProblems<'w>,
    /// Problems with the actions' own rules. They come after all structure,
    /// though each action is judged in one go.
    pub(super) rules: CheckProblems<'w>,
    warnings: Warnings,
    /// What validator patterns may still cost.
    pub(super) patterns: PatternBudget,
}

/// The problems of one kind.
pub(super) type CheckProblems<'w> = clawperator_document::Report<About<'w>>;

/// What the contract knows about a problem.
#[derive(Clone, Copy)]
pub(super) struct About<'w> {
    pub(super) code: ErrorCode,
    pub(super) action: Option<ActionRef<'w>>,
}

impl Default for About<'_> {
    fn default() -> Self {
        Self { code: ErrorCode::ExecutionValidationFailed, action: None }
    }
}

/// The action that a problem is in.
#[derive(Clone, Copy, Default)]
pub(super) struct ActionRef<'w> {
    pub(super) index: usize,
    pub(super) id: Option<&'w str>,
    pub(super) written_type: Option<&'w str>,
}

impl<'w> CheckReport<'w> {
    /// Says which action the next problems are in.
    pub(super) fn set_action(&mut self, action: Option<ActionRef<'w>>) {
        self.structure.about.action = action;
        self.rules.about.action = action;
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.structure.count() == 0 && self.rules.count() == 0
    }

    /// All problems in the contract's order, if there are any, and the warnings.
    pub(super) fn finish(self) -> (Option<Rejection>, Warnings) {
        let (structure, rules) = (self.structure.finish(), self.rules.finish());
        let found = structure.listed.into_iter().chain(rules.listed);
        // Only the first may lead an error, where a caller compares it with what it sent.
        let echoes = std::iter::once(text::leading_echo as Echo).chain(std::iter::repeat(text::echo as Echo));
        let problems = found.zip(echoes).map(|(problem, echo)| describe(problem, echo));
        let omitted = structure.omitted + rules.omitted;
        (Rejection::from_problems(problems.collect(), omitted), self.warnings)
    }

    /// Adds a warning; its message is made only if it is listed.
    pub(super) fn warn(&mut self, code: WarningCode, at: &Path<'_>, message: impl FnOnce() -> String) {
        self.warnings.push(|| Warning { code, path: at.to_string(), message: message() });
    }

    /// Warns of an object's repeated keys and ignored aliases.
    pub(super) fn warn_of_keys(&mut self, object: Value<'w>, at: &Path<'_>) {
        for key in object.repeated_keys() {
            let key = text::excerpt(key);
            self.warn(WarningCode::DuplicateKey, &at.field(&key), || {
                format!("the key \"{key}\" is given more than once; the last value is used")
            });
        }
        for note in object.notes() {
            match note {
                Note::AliasIgnored { alias, canonical } => {
                    self.warn(WarningCode::AliasIgnored, &at.field(alias), || {
                        format!("\"{alias}\" is ignored because \"{canonical}\" is also given")
                    });
                }
                // A clash is a problem of its field; a rewritten type is fine.
                Note::AliasClash { .. } | Note::Rewritten(_) => {}
            }
        }
    }
}

/// How a caller's words are repeated.
type Echo = fn(&str) -> String;

fn describe(problem: clawperator_document::Problem<About<'_>>, echo: Echo) -> Problem {
    let About { code, action } = problem.about;
    Problem {
        code,
        action_index: action.map(|action| action.index),
        action_id: action.and_then(|action| action.id).map(echo),
        action_type: action.and_then(|action| action.written_type).map(echo),
        invalid_keys: problem.invalid_keys,
        invalid_keys_omitted: Some(problem.invalid_keys_omitted).filter(|omitted| *omitted > 0),
        hint: problem.hint,
        ..Problem::new(problem.path, problem.message)
    }
}
