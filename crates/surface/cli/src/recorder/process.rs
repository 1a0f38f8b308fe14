//! The recording process: it connects to its phone, reports that it is ready,
//! and writes until it is asked to stop.

use super::folder::{RecorderEntry, RecordingFolder, not_started, unusable};
use crate::phones::Phones;
use clawperator_background::control::ControlDesk;
use clawperator_contract::ErrorCode;
use clawperator_phone::{Deadline, REACH, resolve};
use clawperator_recording::RecordingId;
use clawperator_recording::limits::MAX_DURATION;
use clawperator_run::{
    RecordError, RecordingEnd, RecordingFile, RecordingHooks, RecordingRequest, RecordingSummary, Refusal,
    record,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io;
use std::path::PathBuf;

/// The variable with the order for a recording process.
pub(crate) const BACKGROUND: &str = "CLAWPERATOR_RECORDER";

/// What a process should record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecorderOrder {
    pub(crate) serial: String,
    pub(crate) session_id: String,
    pub(crate) folder: PathBuf,
    pub(crate) now_ms: u64,
}

/// Records as ordered. Passes one line to `say`: that it is ready, or why it failed.
pub(crate) fn run(
    order: &str,
    phones: &Phones,
    secret: u128,
    say: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let outcome = serde_json::from_str::<RecorderOrder>(order)
        .map_err(|error| not_started(error.to_string()))
        .and_then(|order| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| not_started(error.to_string()))?;
            runtime.block_on(follow(&order, phones, secret, say))
        });
    match outcome {
        Ok(()) => Ok(()),
        // After it was ready, no process reads this line.
        Err(refusal) => {
            let line = json!({"code": refusal.code, "message": refusal.message});
            let _ = say(format!("{line}\n").as_bytes());
            Err(io::Error::other(refusal.message))
        }
    }
}

async fn follow(
    order: &RecorderOrder,
    phones: &Phones,
    secret: u128,
    say: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), Refusal> {
    let session = RecordingId::new(&order.session_id)
        .ok_or_else(|| not_started("the name of the recording is not valid"))?;
    let recordings = RecordingFolder::at(order.folder.clone());
    let files = recordings.recorder_files(&order.serial)?;
    let path = recordings.file_of(&session);
    let unreachable = |error: io::Error| not_started(format!("no control channel: {error}"));
    let desk = ControlDesk::open(secret).map_err(unreachable)?;
    let entry = RecorderEntry {
        session_id: order.session_id.clone(),
        file: path.clone(),
        serial: order.serial.clone(),
        address: desk.address.clone(),
        reason: String::new(),
    };
    let claim = files.claim(&entry)?;
    let mut ready = false;
    let begun = || {
        ready = true;
        say(b"{\"ok\":true}\n")
    };
    let wanted = RecordingRequest { session, now_ms: order.now_ms, longest: MAX_DURATION };
    let hooks = RecordingHooks { ready: begun, stop: desk.asked_to_end() };
    let recorded = async {
        let reach = phones.reach();
        let phone = resolve(Some(&order.serial), &reach, Deadline::after(REACH)).await;
        let phone = phone.map_err(|error| not_started(error.to_string()))?;
        phone.remember_in(&phones.state.join("phones"));
        let mut file = RecordingFile::create(&path).map_err(|error| unusable(&path, &error))?;
        Ok::<_, Refusal>(record(&phone, &wanted, &mut file, hooks).await)
    };
    match recorded.await {
        Ok(ended) if ready => {
            claim.finish(&entry, reason(&ended)).map_err(|error| not_started(error.to_string()))?;
            ended.map(|_| ()).map_err(|error| recording_refusal(&error))
        }
        Ok(ended) => {
            // A recording that never began leaves no file.
            let _ = std::fs::remove_file(&path);
            claim.give_up();
            ended.map(|_| ()).map_err(|error| recording_refusal(&error))
        }
        Err(refusal) => {
            claim.give_up();
            Err(refusal)
        }
    }
}

/// Why a recording ended, if no command stopped it.
fn reason(ended: &Result<RecordingSummary, RecordError>) -> Option<String> {
    match ended {
        Ok(ended) => match ended.end {
            RecordingEnd::Stopped => None,
            RecordingEnd::Limit => Some("it reached the limit of time or size".to_owned()),
            RecordingEnd::PhoneLost => Some("the phone disconnected".to_owned()),
        },
        Err(error) => Some(error.to_string()),
    }
}

fn recording_refusal(error: &RecordError) -> Refusal {
    let code = match error {
        RecordError::Phone(_) => ErrorCode::RecordingStartFailed,
        RecordError::File(_) => ErrorCode::RecordingStorageUnavailable,
    };
    Refusal::new(code, error.to_string())
}
