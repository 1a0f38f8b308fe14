//! Waits for an element, or for an app to come to the front.

use super::{Outcome, absence};
use crate::phone::PhoneError;
use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{DataKey, ErrorCode, Presence, WaitForNavigation, WaitForNode};
use clawperator_ui::Screen;
use std::cell::RefCell;
use std::time::Duration;
use tokio::time::Instant;

/// How often the front is looked at.
const LOOK: Duration = Duration::from_millis(200);

pub(super) async fn wait_for_node(session: &Session<'_>, step: &WaitForNode) -> Outcome {
    if step.presence == Presence::Gone {
        return absence::wait_for_absence(session, step).await;
    }
    let last = RefCell::new(None);
    let waiting = session.attempts(&step.retry, async || {
        let seen = see(session, step).await;
        if let Err(failure) = &seen {
            last.replace(Some((failure.code, failure.message.clone())));
        }
        seen
    });
    within(step.timeout, waiting, |ms| {
        // A screen that could not be seen is not one without the element.
        let unseen = (
            ErrorCode::SnapshotExtractionFailed,
            "no look at the screen came to an end".to_owned(),
        );
        let (code, said) = last.take().unwrap_or(unseen);
        StepFailure::new(code, format!("{said}; waited {ms} ms"))
    })
    .await
}

/// Waits so long at the most, where that is said, and tells how long.
pub(super) async fn within(
    timeout: Option<Duration>,
    waiting: impl Future<Output = Outcome>,
    late: impl FnOnce(&str) -> StepFailure,
) -> Outcome {
    let Some(timeout) = timeout else {
        return waiting.await;
    };
    let ms = timeout.as_millis().to_string();
    match tokio::time::timeout(timeout, waiting).await {
        Ok(outcome) => outcome.map(|mut said| {
            said.insert(DataKey::TimeoutMs, ms);
            said
        }),
        Err(_) => Err(late(&ms).with(DataKey::TimeoutMs, ms)),
    }
}

/// Looks for the element once.
async fn see(session: &Session<'_>, step: &WaitForNode) -> Outcome {
    let tree = session.tree(ErrorCode::NodeNotFound).await?;
    // What a ref was given to may come back.
    let waited = |failure: StepFailure| StepFailure {
        again: failure.again || failure.code == ErrorCode::RefStale,
        ..failure
    };
    let chosen = session.choose(&Screen::new(&tree), &step.matcher);
    let (found, mut said) = chosen.map_err(waited)?;
    let node = tree.node(found);
    said.insert(DataKey::ResourceId, node.resource_id.clone().unwrap_or_default());
    said.insert(DataKey::Label, node.label().to_owned());
    Ok(said)
}

pub(super) async fn wait_for_navigation(session: &Session<'_>, step: &WaitForNavigation) -> Outcome {
    let began = Instant::now();
    let last = RefCell::new(Last::default());
    let arriving = async {
        while began.elapsed() < step.timeout {
            if let Some(mut said) = arrived(session, step, &last).await? {
                said.insert(DataKey::ElapsedMs, began.elapsed().as_millis().to_string());
                return Ok(Some(said));
            }
            session.pause(LOOK, "navigation").await;
        }
        Ok(None)
    };
    // A look may take longer than there is time.
    if let Ok(outcome) = tokio::time::timeout(step.timeout, arriving).await
        && let Some(said) = outcome?
    {
        return Ok(said);
    }
    let ms = step.timeout.as_millis();
    let mut message = format!("what was expected did not come up within {ms} ms");
    let Last {
        package,
        locked,
        seen,
        blind,
    } = last.take();
    // A screen that could not be seen is not one without the element.
    if step.expected_package.is_none() && !seen {
        let why = blind.unwrap_or_else(|| "no look at the screen came to an end".to_owned());
        let message = format!("{why}; waited {ms} ms");
        return Err(StepFailure::new(ErrorCode::SnapshotExtractionFailed, message));
    }
    if locked {
        message.push_str("; the phone is locked");
    }
    let failure = StepFailure::new(ErrorCode::NavigationTimeout, message);
    Err(match package {
        Some(package) => failure.with(DataKey::LastPackage, package),
        None => failure,
    })
}

/// What was in front last.
#[derive(Default)]
struct Last {
    package: Option<String>,
    locked: bool,
    /// Whether any look gave a screen.
    seen: bool,
    /// Why the last one gave none.
    blind: Option<String>,
}

/// Whether what is expected is in front; what cannot be seen now may be seen
/// later, unless the phone is lost.
async fn arrived(
    session: &Session<'_>,
    step: &WaitForNavigation,
    last: &RefCell<Last>,
) -> Result<Option<Data>, StepFailure> {
    if let Some(wanted) = &step.expected_package {
        match session.phone.foreground(session.deadline).await {
            Ok(front) => {
                // What is behind the lock screen is not in front.
                let locked = front.keyguard == Some(true);
                let package = front.package.filter(|_| !locked);
                let there = package.as_deref() == Some(wanted);
                let mut last = last.borrow_mut();
                (last.package, last.locked) = (package, locked);
                if there {
                    let said = Data::from([(DataKey::ResolvedPackage, wanted.to_string())]);
                    return Ok(Some(said));
                }
            }
            Err(error @ PhoneError::Lost { .. }) => {
                return Err(StepFailure::of(ErrorCode::NavigationTimeout, &error));
            }
            Err(_) => {}
        }
    }
    if let Some(matcher) = &step.expected_node {
        match session.tree(ErrorCode::NavigationTimeout).await {
            Ok(tree) if session.sees(&Screen::new(&tree), matcher)? => return Ok(Some(Data::new())),
            Ok(_) => last.borrow_mut().seen = true,
            Err(failure) if !failure.again => return Err(failure),
            Err(failure) => last.borrow_mut().blind = Some(failure.message),
        }
    }
    Ok(None)
}
