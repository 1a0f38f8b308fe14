//! Tells when a model does the same again and again. Pure.

use std::collections::VecDeque;

/// How often the same action may be done on the same screen.
const SAME: usize = 3;
/// How often waiting may be done on the same screen: things can take a while.
const SAME_WAITS: usize = 12;
/// How many steps may be refused in a row before the task ends.
const REFUSALS: usize = 3;
/// The longest cycle that is looked for, in steps.
const LONGEST_CYCLE: usize = 6;
/// How often a cycle may be gone through.
const ROUNDS: usize = 3;
const MEMORY: usize = LONGEST_CYCLE * ROUNDS;

#[derive(Debug, Default)]
pub(super) struct StuckWatch {
    done: VecDeque<PastStep>,
    refusals: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PastStep {
    screen: String,
    action: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Due<'s> {
    pub(super) screen: &'s str,
    pub(super) action: &'s str,
    pub(super) waits: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StepVerdict {
    Go,
    /// It is not done, and the model reads why.
    Refuse(String),
    Stuck(String),
}

impl StuckWatch {
    /// Judges a step, and remembers it.
    pub(super) fn judge(&mut self, due: Due<'_>) -> StepVerdict {
        let now = PastStep { screen: due.screen.to_owned(), action: due.action.to_owned() };
        let most = if due.waits { SAME_WAITS } else { SAME };
        let same = self.done.iter().rev().take_while(|done| **done == now).count();
        let why = if same >= most {
            Some(format!("the same action was done {same} times on the same screen"))
        } else if due.waits {
            None
        } else {
            self.cycle(&now).map(|length| {
                format!("the last {length} actions were done {ROUNDS} times in a row on the same screens")
            })
        };
        let Some(why) = why else {
            self.refusals = 0;
            self.done.push_back(now);
            if self.done.len() > MEMORY {
                self.done.pop_front();
            }
            return StepVerdict::Go;
        };
        self.refusals += 1;
        if self.refusals >= REFUSALS { StepVerdict::Stuck(why) } else { StepVerdict::Refuse(why) }
    }

    /// The length of the cycle that would begin its next round with this step.
    fn cycle(&self, now: &PastStep) -> Option<usize> {
        (2..=LONGEST_CYCLE).find(|length| {
            let needed = length * ROUNDS;
            let Some(from) = self.done.len().checked_sub(needed) else {
                return false;
            };
            let last: Vec<&PastStep> = self.done.iter().skip(from).collect();
            let repeats = last.iter().zip(last.iter().skip(*length)).all(|(one, next)| one == next);
            repeats && last[0] == now
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of these steps are done before the task ends; `A1` is the action A on the screen 1.
    fn done(steps: &[&str]) -> (usize, usize, bool) {
        let mut watch = StuckWatch::default();
        let (mut went, mut refused) = (0, 0);
        for step in steps {
            let (action, screen) = step.split_at(1);
            let waits = action == "w";
            match watch.judge(Due { screen, action, waits }) {
                StepVerdict::Go => went += 1,
                StepVerdict::Refuse(_) => refused += 1,
                StepVerdict::Stuck(_) => return (went, refused, true),
            }
        }
        (went, refused, false)
    }

    #[test]
    fn facts_8_2_stuck_limits_are_enforced() {
        for (steps, wanted) in [
            (vec!["A1"; 9], (3, 2, true)),
            (vec!["A1", "A1", "A1", "A1", "B1"], (4, 1, false)),
            (vec!["A1", "A2", "A3", "A4", "A5", "A6"], (6, 0, false)),
            (vec!["w1"; 12], (12, 0, false)),
            (vec!["w1"; 20], (12, 2, true)),
            // A step that is refused leaves the screen as it is.
            ([["A1", "B2"].repeat(3), vec!["A1"; 3]].concat(), (6, 2, true)),
            ([["A1", "B2", "C3"].repeat(3), vec!["A1"; 3]].concat(), (9, 2, true)),
            (["A1", "B1", "A2", "B3"].repeat(2), (8, 0, false)),
        ] {
            assert_eq!(done(&steps), wanted, "{steps:?}");
        }
    }
}
