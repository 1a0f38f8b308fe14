//! Waits for an element, or for an app to come to the front.

use super::{Outcome, absence, data};
use crate::session::Session;
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Presence, WaitForNavigation, WaitForNode};
use clawperator_ui::Screen;
use std::time::Duration;
use tokio::time::Instant;

/// How often the front is looked at.
const LOOK: Duration = Duration::from_millis(200);

pub(super) async fn wait_for_node(session: &Session<'_>, step: &WaitForNode) -> Outcome {
    if step.presence == Presence::Gone {
        return absence::wait_for_absence(session, step).await;
    }
    let waiting = session.attempts(&step.retry, async || {
        let tree = session.tree(ErrorCode::NodeNotFound).await?;
        let screen = Screen::new(&tree);
        // What a ref was given to may come back.
        let waited = |failure: StepFailure| StepFailure {
            again: failure.again || failure.code == ErrorCode::RefStale,
            ..failure
        };
        let (found, said) = session.choose(&screen, &step.matcher).map_err(waited)?;
        let node = tree.node(found);
        let mut said = said;
        said.insert(DataKey::ResourceId, node.resource_id.clone().unwrap_or_default());
        said.insert(DataKey::Label, node.label().to_owned());
        Ok(said)
    });
    let Some(timeout) = step.timeout else {
        return waiting.await;
    };
    let ms = timeout.as_millis().to_string();
    match tokio::time::timeout(timeout, waiting).await {
        Ok(outcome) => outcome.map(|mut said| {
            said.insert(DataKey::TimeoutMs, ms);
            said
        }),
        Err(_) => {
            let message = format!("nothing on the screen fitted the matcher within {ms} ms");
            Err(StepFailure::new(ErrorCode::NodeNotFound, message).with(DataKey::TimeoutMs, ms))
        }
    }
}

pub(super) async fn wait_for_navigation(session: &Session<'_>, step: &WaitForNavigation) -> Outcome {
    let began = Instant::now();
    let mut last = None;
    loop {
        if let Some(wanted) = &step.expected_package {
            let front = session.phone.foreground(session.deadline).await;
            let front =
                front.map_err(|error| StepFailure::of(ErrorCode::NavigationTimeout, &error).for_good())?;
            last = front.package.or(last);
            if last.as_deref() == Some(wanted) {
                return Ok(data([
                    (DataKey::ResolvedPackage, wanted.to_string()),
                    (DataKey::ElapsedMs, began.elapsed().as_millis().to_string()),
                ]));
            }
        }
        if let Some(matcher) = &step.expected_node
            && let Ok(tree) = session.tree(ErrorCode::NavigationTimeout).await
            && session.sees(&Screen::new(&tree), matcher)?
        {
            let elapsed = began.elapsed().as_millis().to_string();
            return Ok(data([(DataKey::ElapsedMs, elapsed)]));
        }
        if began.elapsed() + LOOK > step.timeout {
            let message = format!(
                "what was expected did not come up within {} ms",
                step.timeout.as_millis()
            );
            let failure = StepFailure::new(ErrorCode::NavigationTimeout, message);
            return Err(match last {
                Some(package) => failure.with(DataKey::LastPackage, package),
                None => failure,
            });
        }
        tokio::time::sleep(LOOK).await;
    }
}
