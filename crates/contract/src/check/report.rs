//! Collects problems and warnings while a payload is walked.

use crate::json::{Note, Value};
use crate::limits::MAX_OBJECT_KEYS;
use crate::path::At;
use crate::problem::{Problem, Warning, WarningCode, Warnings};
use crate::text;

/// What has been found so far, and which action is being looked at.
#[derive(Default)]
pub(super) struct Report<'w> {
    problems: Vec<Problem>,
    /// Problems with the actions' own rules. They come after all structure,
    /// though each action is judged in one go.
    rule_problems: Vec<Problem>,
    warnings: Warnings,
    pub(super) action: Option<ActionRef<'w>>,
    /// The length of all validator patterns so far.
    pub(super) pattern_length: usize,
}

/// An action as a problem names it.
#[derive(Clone, Copy, Default)]
pub(super) struct ActionRef<'w> {
    pub(super) index: usize,
    pub(super) id: Option<&'w str>,
    pub(super) written_type: Option<&'w str>,
}

impl<'w> Report<'w> {
    /// Adds a problem with the structure and hands it back to be refined.
    pub(super) fn problem(&mut self, at: &At<'_>, message: String) -> &mut Problem {
        let problem = describe((self.action, echo_for(&self.problems)), at, message);
        push(&mut self.problems, problem)
    }

    /// Adds a problem with an action's own rules and hands it back.
    pub(super) fn rule_problem(&mut self, at: &At<'_>, message: String) -> &mut Problem {
        let problem = describe((self.action, echo_for(&self.rule_problems)), at, message);
        push(&mut self.rule_problems, problem)
    }

    /// Adds a problem that is already described.
    pub(super) fn ready_problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// How many problems with the structure there are.
    pub(super) fn count(&self) -> usize {
        self.problems.len()
    }

    /// Hints at what the last problem with the structure is about.
    pub(super) fn hint_last(&mut self, hint: String) {
        if let Some(problem) = self.problems.last_mut() {
            problem.hint = Some(hint);
        }
    }

    /// Tells whether nothing is wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.problems.is_empty() && self.rule_problems.is_empty()
    }

    /// All problems in the contract's order, and the warnings.
    pub(super) fn finish(mut self) -> (Vec<Problem>, Warnings) {
        self.problems.append(&mut self.rule_problems);
        (self.problems, self.warnings)
    }

    /// Adds a warning.
    pub(super) fn warn(&mut self, code: WarningCode, at: &At<'_>, message: String) {
        self.warnings.push(|| Warning {
            code,
            path: at.to_string(),
            message,
        });
    }

    /// Adds a warning that is already described.
    pub(super) fn ready_warning(&mut self, warning: Warning) {
        self.warnings.push(|| warning);
    }

    /// Turns what was noted about an object into warnings.
    pub(super) fn warn_of_notes(&mut self, object: Value<'w>, at: &At<'_>) {
        for note in object.notes() {
            match note {
                Note::DuplicateKey(key) => {
                    let key = text::excerpt(key);
                    let message = format!("the key \"{key}\" stands more than once; the last one counts");
                    self.warn(WarningCode::DuplicateKey, &at.field(&key), message);
                }
                Note::AliasIgnored { alias, canonical } => {
                    let message = format!("\"{alias}\" is ignored because \"{canonical}\" is also given");
                    self.warn(WarningCode::AliasIgnored, &at.field(alias), message);
                }
                // A clash is a problem of its field; a rewritten type is fine.
                Note::AliasClash { .. } | Note::TypeWas(_) => {}
            }
        }
    }

    /// Reports two aliases of one field that contradict each other.
    pub(super) fn clash(&mut self, object: Value<'w>, name: &str, at: &At<'_>) {
        for note in object.notes() {
            if let Note::AliasClash {
                first,
                second,
                canonical,
            } = note
                && *canonical == name
            {
                let message =
                    format!("\"{first}\" and \"{second}\" both mean {name} and say different things");
                self.problem(at, message).hint = Some(format!("Keep one of them, best as \"{name}\"."));
            }
        }
    }

    /// Reports keys that do not belong in an object.
    pub(super) fn unknown_keys(&mut self, keys: &[&str], at: &At<'_>, known: &[&str]) {
        debug_assert!(keys.len() <= MAX_OBJECT_KEYS);
        const SHOWN: usize = 5;
        let mut shown: Vec<_> = keys
            .iter()
            .take(SHOWN)
            .map(|key| format!("\"{}\"", text::excerpt(key)))
            .collect();
        if keys.len() > SHOWN {
            shown.push(format!("{} more", keys.len() - SHOWN));
        }
        let noun = if keys.len() == 1 {
            "unknown key"
        } else {
            "unknown keys"
        };
        let hint = keys.iter().find_map(|key| {
            let meant = text::closest(key, known.iter().copied())?;
            Some(format!("Did you mean \"{meant}\" instead of \"{key}\"?"))
        });
        let echo = echo_for(&self.problems);
        let problem = self.problem(at, format!("{noun} {}", shown.join(", ")));
        problem.invalid_keys = keys.iter().map(|key| echo(key)).collect();
        problem.hint = hint;
    }
}

/// How a caller's words are repeated.
type Echo = fn(&str) -> String;

/// Only the first problem of a list may lead an error; the others need not be
/// told apart from what was sent to the last letter.
fn echo_for(problems: &[Problem]) -> Echo {
    match problems.is_empty() {
        true => text::leading_echo,
        false => text::echo,
    }
}

fn describe((action, echo): (Option<ActionRef<'_>>, Echo), at: &At<'_>, message: String) -> Problem {
    Problem {
        action_index: action.map(|action| action.index),
        action_id: action.and_then(|action| action.id).map(echo),
        action_type: action.and_then(|action| action.written_type).map(echo),
        ..Problem::new(at.to_string(), message)
    }
}

fn push(problems: &mut Vec<Problem>, problem: Problem) -> &mut Problem {
    problems.push(problem);
    // The list was just given an element.
    let last = problems.len() - 1;
    &mut problems[last]
}
