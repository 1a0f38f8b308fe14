//! Scrolls until an element is in view, or nothing moves any more.

use super::click::{self, NodeClick, click_node};
use super::scroll::{ScrollGesture, describe};
use super::search::{End, ScrollSearch, SearchProgress, before, search, sees};
use crate::look::RetriedLook;
use crate::outcome::{Data, StepFailure, StepOutcome, word_meaning};
use crate::run::Run;
use clawperator_contract::{DataKey, ErrorCode, Matcher, RetryPreset, ScrollUntil};
use clawperator_phone::LookTo;
use clawperator_ui::Screen;
use tokio::time::Instant;

pub(super) async fn scroll_until(run: &mut Run<'_>, step: &ScrollUntil) -> StepOutcome {
    let kind = word_meaning(&step.click_type, "click type")?;
    let looks = RetryPreset::UiScroll.policy();
    let gesture = ScrollGesture { swipe: &step.swipe, direction: step.direction, retry: &looks };
    let wanted = ScrollSearch {
        gesture,
        target: step.matcher.as_deref(),
        max_swipes: step.max_scrolls,
        max_still: step.no_position_change_threshold,
        until: Some(Instant::now() + step.max_duration),
        blind: ErrorCode::ContainerNotFound,
    };
    let mut progress = SearchProgress::default();
    let ended = search(run, &wanted, &mut progress).await;
    let mut details = describe(gesture);
    details.insert(DataKey::ScrollsExecuted, progress.scrolls.to_string());
    details.insert(DataKey::ClickAfter, step.click_after.to_string());
    details.insert(DataKey::ClickTypes, click::word(kind).to_owned());
    details.extend(progress.container.clone().map(|id| (DataKey::ResolvedContainer, id)));
    let end = match ended {
        Ok(end) => late(run, &wanted, end).await,
        Err(failure) => {
            let reason = reason(failure.code);
            return Err(failure.beside(details).with_some(DataKey::TerminationReason, reason));
        }
    };
    details.insert(DataKey::TerminationReason, end.word().to_owned());
    let Some(matcher) = &step.matcher else {
        return without_target(end, details);
    };
    if end != End::Found {
        return Err(not_in_view(end, &progress, details));
    }
    finish(run, step, matcher, details).await
}

fn without_target(end: End, details: Data) -> StepOutcome {
    if end != End::Still {
        return Ok(details);
    }
    let failure = StepFailure::new(ErrorCode::GestureFailed, "the phone refused every swipe");
    Err(failure.beside(details))
}

fn not_in_view(end: End, progress: &SearchProgress, details: Data) -> StepFailure {
    let next = match end {
        End::Duration => "; the same again goes on from here; in an execution, maxDurationMs gives it longer",
        _ => "",
    };
    let reason = end.word();
    let message =
        format!("the target did not come into view: {reason} after {} scrolls{next}", progress.scrolls);
    progress.target_not_found(message).beside(details)
}

/// Does what is to be done with a target that is in view.
async fn finish(run: &mut Run<'_>, step: &ScrollUntil, matcher: &Matcher, mut details: Data) -> StepOutcome {
    if run.rules.strict {
        // Several elements may have come into view.
        let tree = run.look_once(LookTo::Read, ErrorCode::NodeNotFound).await?;
        run.choose(&Screen::new(&tree), matcher)?;
    }
    if step.click_after {
        let kind = word_meaning(&step.click_type, "click type")?;
        let wanted = NodeClick {
            matcher,
            kind,
            retry: &RetryPreset::UiReadiness.policy(),
            confirm: step.confirm.as_deref(),
        };
        details.extend(click_node(run, wanted).await?);
    }
    Ok(details)
}

/// The termination reason for a failure, if it is one.
fn reason(code: ErrorCode) -> Option<&'static str> {
    let known = [ErrorCode::ContainerNotFound, ErrorCode::ContainerNotScrollable, ErrorCode::ContainerLost];
    known.contains(&code).then(|| code.row().name)
}

/// A list may load its rows late, so the target is waited for a little longer,
/// as far as the time allows.
async fn late(run: &mut Run<'_>, wanted: &ScrollSearch<'_>, end: End) -> End {
    let over = matches!(end, End::Found | End::Duration);
    if over || wanted.target.is_none() {
        return end;
    }
    let policy = RetryPreset::UiReadiness.policy();
    let seen = run.look_for(RetriedLook::to_touch(&policy, ErrorCode::NodeNotFound), |run, tree| {
        let missing = || StepFailure::new(ErrorCode::NodeNotFound, "not in view");
        sees(run, &tree, wanted.target)?.then_some(()).ok_or_else(missing)
    });
    match before(wanted.until, seen).await {
        Some(Ok(())) => End::Found,
        Some(Err(_)) | None => end,
    }
}
