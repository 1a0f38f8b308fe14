//! Waits for an element, or for an app to come to the front.

use super::absence::{ask_for_home, see_absence};
use crate::look::{Candidates, NO_MATCH};
use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::retry::Tries;
use crate::run::{LockDoubt, Run};
use clawperator_contract::{DataKey, ErrorCode, Presence, WaitForNavigation, WaitForNode};
use clawperator_phone::{Lock, LookTo, PhoneError};
use clawperator_ui::Screen;
use std::time::Duration;
use tokio::time::Instant;

/// How often the phone is asked what is in front.
const LOOK: Duration = Duration::from_millis(200);
/// How long a phone may be locked, or off, before a wait for what it shows ends: it may be
/// unlocked just now.
const UNLOCKING: Duration = Duration::from_millis(700);
/// Why a step failed whose time was up before the first look ended.
const NO_LOOK: &str = "the screen could not be read in time";

pub(super) async fn wait_for_node(run: &mut Run<'_>, step: &WaitForNode) -> StepOutcome {
    if step.presence == Presence::Gone {
        ask_for_home(run).await;
    }
    let mut last = None;
    let waiting = wait(run, step, &mut last);
    let Some(timeout) = step.timeout else {
        return waiting.await;
    };
    let ms = timeout.as_millis();
    let outcome = tokio::time::timeout(timeout, waiting).await.unwrap_or_else(|_| {
        let (unseen, waited) = match step.presence {
            Presence::There => (NO_LOOK, "; waited"),
            Presence::Gone => ("the screen could not be read", " after"),
        };
        // A screen that was not seen shows neither that the element is there nor that it is gone.
        let unseen = || StepFailure::new(ErrorCode::SnapshotExtractionFailed, unseen);
        let mut failure = last.unwrap_or_else(unseen);
        failure.message.push_str(&format!("{waited} {ms} ms"));
        Err(failure.with(DataKey::TimeoutMs, ms.to_string()))
    });
    outcome.map(|mut details| {
        details.insert(DataKey::TimeoutMs, ms.to_string());
        details
    })
}

async fn wait(run: &mut Run<'_>, step: &WaitForNode, last: &mut Option<StepFailure>) -> StepOutcome {
    let mut tries = Tries::new(&step.retry);
    loop {
        let seen = match step.presence {
            Presence::There => see(run, step).await,
            Presence::Gone => see_absence(run, &step.matcher).await,
        };
        match seen {
            Ok(data) => return Ok(data),
            Err(failure) => {
                *last = Some(failure.clone());
                tries.again(run, failure).await?;
            }
        }
    }
}

/// Looks for the element once.
async fn see(run: &mut Run<'_>, step: &WaitForNode) -> StepOutcome {
    let tree = run.look_once(LookTo::Read, ErrorCode::NodeNotFound).await?;
    let screen = Screen::new(&tree);
    let chosen = run.matching(&screen, &step.matcher).and_then(|ids| {
        let candidates = Candidates { ids, matcher: &step.matcher, none: NO_MATCH };
        // What is there twice is there; strictness is about what is touched or read.
        let strict = std::mem::take(&mut run.rules.strict);
        let chosen = run.choose_among(&screen, &candidates);
        run.rules.strict = strict;
        chosen
    });
    let (found, mut details) = chosen.map_err(StepFailure::unless_back)?;
    let node = tree.node(found);
    details.insert(DataKey::ResourceId, node.resource_id.clone().unwrap_or_default());
    details.insert(DataKey::Label, node.label().to_owned());
    Ok(details)
}

pub(super) async fn wait_for_navigation(run: &mut Run<'_>, step: &WaitForNavigation) -> StepOutcome {
    let mut last = LastFront::default();
    // A look may take longer than there is time.
    let arriving = tokio::time::timeout(step.timeout, arrive(run, step, &mut last));
    if let Ok(outcome) = arriving.await
        && let Some(details) = outcome?
    {
        return Ok(details);
    }
    Err(last.failure(step, step.timeout))
}

/// What was in front last.
#[derive(Default)]
struct LastFront {
    package: Option<String>,
    /// Whether that was the expected app.
    in_front: bool,
    lock: Option<Lock>,
    /// Since when it is locked or off.
    locked_since: Option<Instant>,
    /// Whether any look saw a screen.
    seen: bool,
    /// Why the last look failed.
    blind: Option<String>,
}

impl LastFront {
    /// Why the step has not succeeded after some time.
    fn failure(&self, step: &WaitForNavigation, waited: Duration) -> StepFailure {
        let ms = waited.as_millis();
        // A screen that was not seen is not one without the element.
        let only_unseen = step.expected_node.is_some() && !self.seen;
        let is_blind = only_unseen && (step.expected_package.is_none() || self.in_front);
        if is_blind && self.lock.is_none() {
            let why = self.blind.as_deref().unwrap_or(NO_LOOK);
            let message = format!("{why}; waited {ms} ms");
            return StepFailure::new(ErrorCode::SnapshotExtractionFailed, message);
        }
        let missing = match (&step.expected_package, self.in_front) {
            (Some(_), false) => "the expected app did not come to the front",
            (Some(_), true) => "the expected app is in front, but the expected element did not appear",
            (None, _) => "the expected element did not appear",
        };
        let mut message = format!("{missing} within {ms} ms");
        if let Some(lock) = self.lock {
            message.push_str(&format!("; {lock}"));
        }
        let code = self.lock.map_or(ErrorCode::NavigationTimeout, Lock::code);
        StepFailure::new(code, message).with_some(DataKey::LastPackage, self.package.as_ref())
    }
}

/// Looks until what is expected is in front; `None` if the time was up.
async fn arrive(
    run: &mut Run<'_>,
    step: &WaitForNavigation,
    last: &mut LastFront,
) -> Result<Option<Data>, StepFailure> {
    let began = Instant::now();
    while began.elapsed() < step.timeout {
        if let Some(mut details) = check_arrival(run, step, last).await? {
            details.insert(DataKey::ElapsedMs, began.elapsed().as_millis().to_string());
            return Ok(Some(details));
        }
        let failure = last.failure(step, began.elapsed());
        if last.lock.is_none() {
            last.locked_since = None;
        } else if last.locked_since.get_or_insert_with(Instant::now).elapsed() >= UNLOCKING {
            return Err(failure);
        }
        run.last_failure = Some(failure);
        run.wait(LOOK, "navigation", None).await;
    }
    Ok(None)
}

/// Whether all that is expected is there: the app in front, and the element on
/// the screen. A look that fails may succeed later, unless the phone is lost.
async fn check_arrival(
    run: &mut Run<'_>,
    step: &WaitForNavigation,
    last: &mut LastFront,
) -> Result<Option<Data>, StepFailure> {
    let mut details = Data::new();
    if let Some(wanted) = &step.expected_package {
        match run.phone().foreground(run.deadline).await {
            Ok(front) => {
                last.lock = front.lock();
                // What is behind the lock screen is not in front.
                last.package = front.package.filter(|_| last.lock.is_none());
                last.in_front = last.package.as_deref() == Some(wanted);
            }
            Err(error @ PhoneError::Lost { .. }) => {
                return Err(StepFailure::of(ErrorCode::NavigationTimeout, &error));
            }
            Err(_) => last.in_front = false,
        }
        if !last.in_front {
            return Ok(None);
        }
        details.insert(DataKey::ResolvedPackage, wanted.to_string());
    }
    let Some(matcher) = &step.expected_node else {
        return Ok(Some(details));
    };
    match run.look_once(LookTo::Read, ErrorCode::NavigationTimeout).await {
        Ok(tree) if run.sees(&Screen::new(&tree), matcher)? => return Ok(Some(details)),
        Ok(_) => last.seen = true,
        Err(failure) if !failure.again => return Err(failure),
        Err(failure) => last.blind = Some(failure.message),
    }
    if step.expected_package.is_none() && (last.lock.is_some() || run.lock_doubt != LockDoubt::Asked) {
        last.lock = run.lock().await;
    }
    Ok(None)
}
