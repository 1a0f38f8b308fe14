//! Whether no element matches any more.

use crate::outcome::{Data, StepFailure, StepOutcome};
use crate::refs::stale_ref;
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, Matcher};
use clawperator_phone::LookTo;
use clawperator_ui::{Screen, StaleReason, Tree};

/// The words for a screen that may show anything.
pub(super) const EMPTY: &str = "the phone's dump of the screen is empty";

/// Looks once whether no element matches any more.
pub(super) async fn see_absence(run: &mut Run<'_>, matcher: &Matcher) -> StepOutcome {
    let tree = run.look_once(LookTo::Touch, ErrorCode::SnapshotExtractionFailed).await?;
    absent(run, &tree, matcher)
}

/// Succeeds if no element on a screen matches.
pub(super) fn absent(run: &mut Run<'_>, tree: &Tree, matcher: &Matcher) -> StepOutcome {
    if tree.is_empty() {
        return Err(StepFailure::new(ErrorCode::SnapshotExtractionFailed, EMPTY));
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
