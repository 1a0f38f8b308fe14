//! Looks at the screen, again and again where a policy says so.

use crate::phone::Views;
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Matcher, RetryPolicy, text};
use clawperator_journal::{Blind, Event, Moment, Wait, micros};
use clawperator_ui::{NodeId, Role, Screen, Tree};
use tokio::time::Instant;

/// How many of the elements that fit are named.
const MOST_NAMED: usize = 5;
/// How many of those that almost fit are named where none does.
const MOST_NEAR: usize = 3;

impl Session<'_> {
    /// Tries something as often as a policy allows, waiting in between.
    pub(crate) async fn attempts<T>(
        &self,
        policy: &RetryPolicy,
        mut attempt: impl AsyncFnMut() -> Result<T, StepFailure>,
    ) -> Result<T, StepFailure> {
        let mut number = 1;
        loop {
            let failure = match attempt().await {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            let Some(delay) = policy.delay_after(number).filter(|_| failure.again) else {
                return Err(failure);
            };
            let delay = self.strayed(delay, policy.jitter_ratio);
            self.note(|log| {
                log.record(&Event::Wait(Wait {
                    ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                    why: failure.code.row().name.to_owned(),
                    attempt: Some(number),
                }));
            });
            tokio::time::sleep(delay).await;
            number += 1;
        }
    }

    /// The screen's tree; a step that gets none fails with that code.
    pub(crate) async fn tree(&self, code: ErrorCode) -> Result<Tree, StepFailure> {
        let since = Instant::now();
        let captured = self.phone.capture(Views::All, self.deadline).await;
        match captured {
            Ok(tree) => {
                self.note(|log| log.look(&tree, since.elapsed()));
                self.pictured(Moment::Look).await;
                Ok(tree)
            }
            Err(error) => {
                self.note(|log| {
                    log.record(&Event::Blind(Blind {
                        why: error.to_string(),
                        took_us: micros(since.elapsed()),
                    }));
                });
                Err(StepFailure::of(code, &error))
            }
        }
    }

    /// The element that a matcher names, and what there is to say of the
    /// choice.
    pub(crate) fn choose(
        &self,
        screen: &Screen<'_>,
        matcher: &Matcher,
    ) -> Result<(NodeId, Data), StepFailure> {
        let missing = "nothing on the screen fits the matcher";
        self.choose_of(screen, self.fitting(screen, matcher)?, (matcher, missing))
    }

    /// The same of these elements; where there is none, that is said.
    pub(crate) fn choose_of(
        &self,
        screen: &Screen<'_>,
        found: Vec<NodeId>,
        (matcher, missing): (&Matcher, &str),
    ) -> Result<(NodeId, Data), StepFailure> {
        self.note(|log| log.choice(matcher, screen.tree(), &found));
        let mut found = found.into_iter();
        let Some(first) = found.next() else {
            let mut failure = StepFailure::new(ErrorCode::NodeNotFound, missing);
            if let Some(role) = matcher
                .role
                .as_deref()
                .filter(|role| Role::from_any_case(role).is_none())
            {
                // It never will fit, however often one looks.
                failure.message = format!(
                    "{missing}: there is no role \"{}\"; {}",
                    text::excerpt(role),
                    roles()
                );
                failure = failure.for_good();
            }
            let near = match &matcher.reference {
                None => screen.nearest(&matcher.selector(), MOST_NEAR),
                Some(_) => Vec::new(),
            };
            if !near.is_empty() {
                let named: Vec<_> = near.iter().map(|near| screen.tree().excerpt(near.id)).collect();
                failure = failure.with(DataKey::Nearest, named.join("; "));
            }
            // A prompt, a call or the lock screen may be what was looked at.
            let root = screen.tree().nodes().next();
            return Err(match root.map(|(_, node)| node.package.as_str()) {
                None | Some("") => failure,
                Some(package) => failure.with(DataKey::ForegroundPackage, package),
            });
        };
        let others: Vec<NodeId> = found.collect();
        let mut data = Data::new();
        if others.is_empty() {
            return Ok((first, data));
        }
        let count = others.len() + 1;
        if self.strict.get() {
            let named: Vec<_> = std::iter::once(first)
                .chain(others)
                .take(MOST_NAMED)
                .map(|id| screen.tree().excerpt(id))
                .collect();
            let failure = StepFailure::new(
                ErrorCode::NodeAmbiguous,
                format!("{count} elements fit the matcher"),
            );
            return Err(failure
                .for_good()
                .with(DataKey::Candidates, named.join("; "))
                .with(DataKey::Count, count.to_string()));
        }
        let warning = format!("{count} elements fit the matcher; the first was used");
        data.insert(DataKey::SelectionWarning, warning);
        Ok((first, data))
    }
}

/// The roles there are, for who names another.
fn roles() -> String {
    let words: Vec<_> = Role::ALL.iter().map(|(_, word)| *word).collect();
    format!("the roles are {}", words.join(", "))
}
