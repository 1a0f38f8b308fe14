//! Waits until no element matches any more.

use super::navigation::within;
use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::refs::stale_ref;
use crate::retry::Tries;
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, Matcher, WaitForNode};
use clawperator_phone::LookTo;
use clawperator_ui::{Screen, StaleReason, Tree};

pub(super) async fn wait_for_absence(run: &mut Run<'_>, step: &WaitForNode) -> StepOutcome {
    // What the last look found. A screen that was not seen shows neither that
    // the element is there nor that it is gone.
    let mut last = None;
    ask_for_home(run).await;
    let waiting = wait(run, step, &mut last);
    let Some(outcome) = within(step.timeout, waiting).await else {
        let unseen = || StepFailure::new(ErrorCode::SnapshotExtractionFailed, "the screen could not be read");
        let mut failure = last.unwrap_or_else(unseen);
        let ms = step.timeout.unwrap_or_default().as_millis();
        failure.message.push_str(&format!(" after {ms} ms"));
        return Err(failure.with(DataKey::TimeoutMs, ms.to_string()));
    };
    outcome
}

async fn wait(run: &mut Run<'_>, step: &WaitForNode, last: &mut Option<StepFailure>) -> StepOutcome {
    let mut tries = Tries::new(&step.retry);
    loop {
        match look(run, &step.matcher).await {
            Ok(data) => return Ok(data),
            Err(failure) => {
                *last = Some(failure.clone());
                tries.again(run, failure).await?;
            }
        }
    }
}

async fn look(run: &mut Run<'_>, matcher: &Matcher) -> StepOutcome {
    let tree = run.look_once(LookTo::Touch, ErrorCode::SnapshotExtractionFailed).await?;
    absent(run, &tree, matcher)
}

/// Succeeds if no element on a screen matches.
pub(super) fn absent(run: &mut Run<'_>, tree: &Tree, matcher: &Matcher) -> StepOutcome {
    if tree.is_empty() {
        let message = "the phone's dump of the screen is empty";
        return Err(StepFailure::new(ErrorCode::SnapshotExtractionFailed, message));
    }
    let screen = Screen::new(tree);
    let count = match run.locate(&screen, matcher) {
        // The page has changed around it, or it is certainly not there.
        Err(stale) if matches!(stale.reason, StaleReason::Gone | StaleReason::OtherScreen) => {
            usize::from(run.may_be_seen(&screen, &stale))
        }
        Err(stale) => return Err(stale_ref(&stale)),
        Ok(_) => run.matching(&screen, matcher)?.len(),
    };
    if count == 0
        && let Some(other) = other_app(run, tree)
    {
        let message = format!("{other} is in front, so it cannot be told whether the element is gone");
        let failure = StepFailure::new(ErrorCode::SnapshotExtractionFailed, message);
        return Err(failure.with(DataKey::ForegroundPackage, other));
    }
    let message = match count {
        0 => {
            let hidden = tree.hidden_texts().map(|hidden| (DataKey::SelectionWarning, hidden));
            return Ok(Data::from_iter([(DataKey::Count, "0".to_owned())].into_iter().chain(hidden)));
        }
        1 => "an element still matches".to_owned(),
        _ => format!("{count} elements still match"),
    };
    Err(StepFailure::new(ErrorCode::NodeStillPresent, message).with(DataKey::Count, count.to_string()))
}

/// Asks which app the home screen is, if that matters and is not known.
pub(super) async fn ask_for_home(run: &mut Run<'_>) {
    if run.options.app.is_some() && run.home.is_none() {
        let home = run.phone().home_package(run.deadline).await;
        // A phone that does not tell has no home screen that we know.
        run.home = home.unwrap_or_default();
    }
}

/// The app that is in front of the one that the execution is about. At home
/// there is none: the app was left.
fn other_app<'t>(run: &Run<'_>, tree: &'t Tree) -> Option<&'t str> {
    let app = run.options.app.as_deref()?;
    let (_, root) = tree.nodes().next()?;
    let package = root.package.as_str();
    (package != app && Some(package) != run.home.as_deref()).then_some(package)
}
