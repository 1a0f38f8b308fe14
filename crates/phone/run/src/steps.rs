//! The steps: one function per action.

mod absence;
mod app;
mod app_name;
mod click;
mod clipboard;
mod confirm;
mod drag;
mod field;
mod focus;
mod navigation;
mod picker;
mod picture;
mod query;
mod read;
mod recording;
pub(crate) mod repeat;
mod scroll;
mod scroll_until;
mod search;
mod slider;
mod snapshot;
mod text;
mod toast;

use crate::outcome::{StepOutcome, data};
use crate::run::Run;
use clawperator_contract::{DataKey, Step};
use futures_core::future::BoxFuture;

/// Runs a step. On the heap: one future for all steps would be as large as the largest, and the
/// frame that makes it, with a place for each, is gone by the time it runs.
pub(crate) fn run<'r>(run: &'r mut Run<'_>, step: &'r Step) -> BoxFuture<'r, StepOutcome> {
    match step {
        Step::OpenApp(step) => Box::pin(app::open(run, step)),
        Step::OpenUri(step) => Box::pin(app::open_uri(run, step)),
        Step::CloseApp(step) => Box::pin(app::close(run, step)),
        Step::StartRecording(step) => Box::pin(recording::start(run, step)),
        Step::StopRecording(step) => Box::pin(recording::stop(run, step)),
        Step::WaitForNode(step) => Box::pin(navigation::wait_for_node(run, step)),
        Step::WaitForNavigation(step) => Box::pin(navigation::wait_for_navigation(run, step)),
        Step::WaitForToast(step) => Box::pin(toast::wait_for_toast(run, step)),
        Step::Click(step) => Box::pin(click::click(run, step)),
        Step::Scroll(step) => Box::pin(scroll::scroll(run, step)),
        Step::ScrollUntil(step) => Box::pin(scroll_until::scroll_until(run, step)),
        Step::ScrollAndClick(step) => Box::pin(scroll::scroll_and_click(run, step)),
        Step::ReadText(step) => Box::pin(read::read_text(run, step)),
        Step::ReadKeyValuePair(step) => Box::pin(read::read_key_value_pair(run, step)),
        Step::EnterText(step) => Box::pin(text::enter_text(run, step)),
        Step::SnapshotUi(step) => Box::pin(snapshot::snapshot(run, step)),
        Step::TakeScreenshot(step) => Box::pin(picture::screenshot(run, step)),
        Step::Sleep(step) => Box::pin(async {
            run.wait(step.duration, "sleep", None).await;
            Ok(data([(DataKey::DurationMs, step.duration.as_millis().to_string())]))
        }),
        Step::PressKey(step) => Box::pin(app::press_key(run, step)),
        Step::Query(step) => Box::pin(query::query(run, step)),
        Step::DragTo(step) => Box::pin(drag::drag_to(run, step)),
        Step::SetClipboard(step) => Box::pin(clipboard::set_clipboard(run, step)),
    }
}
