//! Collects problems and warnings while a payload is walked.

use crate::json::{Note, Value};
use crate::limits::{MAX_INVALID_KEYS, MAX_OBJECT_KEYS, MAX_PROBLEMS};
use crate::path::At;
use crate::pattern::PatternBudget;
use crate::problem::{Problem, Rejection, Warning, WarningCode, Warnings};
use crate::text;

/// What has been found so far, and which action is being looked at.
#[derive(Default)]
pub(super) struct Report<'w> {
    problems: Problems,
    /// Problems with the actions' own rules. They come after all structure,
    /// though each action is judged in one go.
    rule_problems: Problems,
    warnings: Warnings,
    pub(super) action: Option<ActionRef<'w>>,
    /// What validator patterns may still cost.
    pub(super) patterns: PatternBudget,
}

/// Problems of one kind: as many as a rejection can list, and a count.
#[derive(Default)]
struct Problems {
    listed: Vec<Problem>,
    omitted: usize,
    /// Takes what is to be said of a problem that is only counted.
    unlisted: Option<Problem>,
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
        let action = self.action;
        let echo = self.problems.echo();
        self.problems.push(|| describe(action, echo, at, message))
    }

    /// Adds a problem with an action's own rules and hands it back.
    pub(super) fn rule_problem(&mut self, at: &At<'_>, message: String) -> &mut Problem {
        let action = self.action;
        let echo = self.rule_problems.echo();
        self.rule_problems.push(|| describe(action, echo, at, message))
    }

    /// How many problems with the structure there are.
    pub(super) fn count(&self) -> usize {
        self.problems.count()
    }

    /// Hints at what the last problem with the structure is about.
    pub(super) fn hint_last(&mut self, hint: String) {
        if let Some(problem) = self.problems.last_mut() {
            problem.hint = Some(hint);
        }
    }

    /// Tells whether nothing is wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.problems.count() == 0 && self.rule_problems.count() == 0
    }

    /// All problems in the contract's order, if there are any, and the warnings.
    pub(super) fn finish(self) -> (Option<Rejection>, Warnings) {
        let Problems {
            mut listed, omitted, ..
        } = self.problems;
        listed.extend(self.rule_problems.listed);
        let omitted = omitted + self.rule_problems.omitted;
        (Rejection::from_problems(listed, omitted), self.warnings)
    }

    /// Adds a warning; what it says is made only if it is listed.
    pub(super) fn warn(&mut self, code: WarningCode, at: &At<'_>, message: impl FnOnce() -> String) {
        self.warnings.push(|| Warning {
            code,
            path: at.to_string(),
            message: message(),
        });
    }

    /// Turns what is odd about an object into warnings.
    pub(super) fn warn_of_oddities(&mut self, object: Value<'w>, at: &At<'_>) {
        for key in object.repeated_keys() {
            let key = text::excerpt(key);
            self.warn(WarningCode::DuplicateKey, &at.field(&key), || {
                format!("the key \"{key}\" stands more than once; the last one counts")
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
        let is_listed = !self.problems.is_full();
        let echo = self.problems.echo();
        let problem = self.problem(at, format!("{noun} {}", shown.join(", ")));
        if is_listed {
            let whole = keys.iter().take(SHOWN).map(|key| echo(key));
            let rest = keys.iter().skip(SHOWN).map(|key| text::echo(key));
            problem.invalid_keys = whole.chain(rest).take(MAX_INVALID_KEYS).collect();
            let omitted = keys.len().saturating_sub(MAX_INVALID_KEYS);
            problem.invalid_keys_omitted = Some(omitted).filter(|omitted| *omitted > 0);
            let meant = text::closest_of(keys.iter().copied().take(SHOWN), known.iter().copied());
            problem.hint =
                meant.map(|(key, meant)| format!("Did you mean \"{meant}\" instead of \"{key}\"?"));
        }
    }
}

impl Problems {
    /// How many there are, listed or not.
    fn count(&self) -> usize {
        self.listed.len() + self.omitted
    }

    /// How the next one repeats a caller's words. Only the first of a list may
    /// lead an error; the others need not be told apart to the last letter.
    fn echo(&self) -> Echo {
        match self.listed.is_empty() {
            true => text::leading_echo,
            false => text::echo,
        }
    }

    /// Whether the next one is only counted.
    fn is_full(&self) -> bool {
        self.listed.len() == MAX_PROBLEMS
    }

    /// Adds a problem, or only counts it, and hands it back to be refined.
    fn push(&mut self, problem: impl FnOnce() -> Problem) -> &mut Problem {
        if self.is_full() {
            self.omitted += 1;
            return self
                .unlisted
                .get_or_insert_with(|| Problem::new(String::new(), String::new()));
        }
        self.listed.push(problem());
        // The list was just given an element.
        let last = self.listed.len() - 1;
        &mut self.listed[last]
    }

    /// The problem that was added last.
    fn last_mut(&mut self) -> Option<&mut Problem> {
        match self.omitted {
            0 => self.listed.last_mut(),
            _ => self.unlisted.as_mut(),
        }
    }
}

/// How a caller's words are repeated.
type Echo = fn(&str) -> String;

fn describe(action: Option<ActionRef<'_>>, echo: Echo, at: &At<'_>, message: String) -> Problem {
    Problem {
        action_index: action.map(|action| action.index),
        action_id: action.and_then(|action| action.id).map(echo),
        action_type: action.and_then(|action| action.written_type).map(echo),
        ..Problem::new(at.to_string(), message)
    }
}
