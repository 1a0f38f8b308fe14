//! The steps: one function per action.

mod absence;
mod app;
mod click;
mod field;
mod navigation;
mod picture;
mod query;
mod read;
mod recording;
mod scroll;
mod scroll_until;
mod snapshot;
mod text;

use crate::session::{Data, Session};
use crate::step_failure::StepFailure;
use clawperator_contract::{Asked, DataKey, ErrorCode, Step};
use std::pin::Pin;

/// What comes of a step.
pub(crate) type Outcome = Result<Data, StepFailure>;

/// Runs a step.
pub(crate) async fn run(session: &Session<'_>, step: &Step) -> Outcome {
    // On the heap: all of them in one future would be as large as all together.
    let running: Pin<Box<dyn Future<Output = Outcome> + '_>> = match step {
        Step::OpenApp(step) => Box::pin(app::open(session, step)),
        Step::OpenUri(step) => Box::pin(app::open_uri(session, step)),
        Step::CloseApp(step) => Box::pin(app::close(session, step)),
        Step::StartRecording(step) => Box::pin(recording::start(session, step)),
        Step::StopRecording(step) => Box::pin(recording::stop(session, step)),
        Step::WaitForNode(step) => Box::pin(navigation::wait_for_node(session, step)),
        Step::WaitForNavigation(step) => Box::pin(navigation::wait_for_navigation(session, step)),
        Step::Click(step) => Box::pin(click::click(session, step)),
        Step::Scroll(step) => Box::pin(scroll::scroll(session, step)),
        Step::ScrollUntil(step) => Box::pin(scroll_until::scroll_until(session, step)),
        Step::ScrollAndClick(step) => Box::pin(scroll::scroll_and_click(session, step)),
        Step::ReadText(step) => Box::pin(read::read_text(session, step)),
        Step::ReadKeyValuePair(step) => Box::pin(read::read_key_value_pair(session, step)),
        Step::EnterText(step) => Box::pin(text::enter_text(session, step)),
        Step::SnapshotUi(step) => Box::pin(snapshot::snapshot(session, step)),
        Step::TakeScreenshot(step) => Box::pin(picture::screenshot(session, step)),
        Step::Sleep(step) => Box::pin(async {
            session.pause(step.duration, "sleep").await;
            Ok(data([(
                DataKey::DurationMs,
                step.duration.as_millis().to_string(),
            )]))
        }),
        Step::PressKey(step) => Box::pin(app::press_key(session, step)),
        Step::Query(step) => Box::pin(query::query(session, step)),
    };
    running.await
}

/// Data of these keys and values.
pub(crate) fn data<const N: usize>(rows: [(DataKey, String); N]) -> Data {
    rows.into()
}

/// A word that the contract let through and a runtime must know.
pub(crate) fn known<T: Copy>(asked: &Asked<T>, what: &str) -> Result<T, StepFailure> {
    match asked {
        Asked::Known(word) => Ok(*word),
        Asked::Unknown(word) => {
            let shown = clawperator_contract::text::excerpt(word);
            let message = format!("there is no {what} \"{shown}\"");
            Err(StepFailure::new(ErrorCode::ExecutionValidationFailed, message).for_good())
        }
    }
}
