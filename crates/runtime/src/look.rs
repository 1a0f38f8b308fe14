//! Looks at the screen, again and again where a policy says so.

use crate::phone::Views;
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Matcher, RetryPolicy};
use clawperator_ui::{NodeId, Screen, Tree};

/// How many of the elements that fit are named.
const MOST_NAMED: usize = 5;

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
            self.wait(delay, policy.jitter_ratio).await;
            number += 1;
        }
    }

    /// The screen's tree; a step that gets none fails with that code.
    pub(crate) async fn tree(&self, code: ErrorCode) -> Result<Tree, StepFailure> {
        let captured = self.phone.capture(Views::All, self.deadline).await;
        captured.map_err(|error| StepFailure::of(code, &error))
    }

    /// The element that a matcher names, and what there is to say of the
    /// choice.
    pub(crate) fn choose(
        &self,
        screen: &Screen<'_>,
        matcher: &Matcher,
    ) -> Result<(NodeId, Data), StepFailure> {
        let missing = "nothing on the screen fits the matcher";
        let found = self.fitting(screen, matcher)?;
        self.choose_of(screen, found.into_iter(), missing)
    }

    /// The same of these elements; where there is none, that is said.
    pub(crate) fn choose_of(
        &self,
        screen: &Screen<'_>,
        mut found: impl Iterator<Item = NodeId>,
        missing: &str,
    ) -> Result<(NodeId, Data), StepFailure> {
        let Some(first) = found.next() else {
            let failure = StepFailure::new(ErrorCode::NodeNotFound, missing);
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
