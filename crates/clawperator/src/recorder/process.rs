//! The process that records: reaches its phone, says that it is ready, and
//! writes until it is asked to end.

use super::place::{Entry, Place};
use crate::phones::Phones;
use clawperator_contract::ErrorCode;
use clawperator_recording::SessionId;
use clawperator_recording::limits::MAX_DURATION;
use clawperator_runtime::{
    Deadline, End, Ended, REACH, RecordError, RecordingFile, Refusal, Wanted, record, resolve,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

/// The variable that tells a process that it records, and what.
pub(crate) const BACKGROUND: &str = "CLAWPERATOR_RECORDER";

/// How often it is looked whether it is to end.
const POLL: Duration = Duration::from_millis(50);

/// What a process is to record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    pub(crate) serial: String,
    pub(crate) session_id: String,
    /// The folder of recordings.
    pub(crate) folder: PathBuf,
    pub(crate) now_ms: u64,
}

impl Order {
    /// As it stands in the variable.
    ///
    /// # Errors
    /// A folder whose name is no text cannot be written down.
    pub(super) fn written(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// Records as it was ordered. `say` is told one line once it is ready, or why
/// it is not.
pub(crate) fn run(
    order: &str,
    phones: &Phones,
    say: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let failed = |message: String| Refusal::new(ErrorCode::RecordingStartFailed, message);
    let outcome = serde_json::from_str::<Order>(order)
        .map_err(|error| failed(error.to_string()))
        .and_then(|order| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| failed(error.to_string()))?;
            runtime.block_on(follow(&order, phones, say))
        });
    match outcome {
        Ok(()) => Ok(()),
        // Once it was ready nobody listens any more.
        Err(refusal) => {
            let line = json!({"code": refusal.code, "message": refusal.message});
            let _ = say(format!("{line}\n").as_bytes());
            Err(io::Error::other(refusal.message))
        }
    }
}

async fn follow(
    order: &Order,
    phones: &Phones,
    say: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), Refusal> {
    let failed = |message: String| Refusal::new(ErrorCode::RecordingStartFailed, message);
    let session =
        SessionId::new(&order.session_id).ok_or_else(|| failed("the name is no name".to_owned()))?;
    let place = Place::at(order.folder.clone());
    let spot = place.spot(&order.serial)?;
    let path = place.file_of(&session);
    let pid = NonZeroU32::new(std::process::id())
        .ok_or_else(|| failed("this process does not know its number".to_owned()))?;
    let entry = Entry {
        session_id: order.session_id.clone(),
        file: path.clone(),
        serial: order.serial.clone(),
        pid,
    };
    let claim = spot.claim(&entry)?;
    let phone = match resolve(Some(&order.serial), &phones.reach(), Deadline::after(REACH)).await {
        Ok(phone) => phone,
        Err(error) => {
            claim.failed();
            return Err(failed(error.to_string()));
        }
    };
    let mut file = match RecordingFile::create(&path) {
        Ok(file) => file,
        Err(error) => {
            claim.failed();
            let message = format!("{}: {error}", path.display());
            return Err(Refusal::new(ErrorCode::RecordingStorageUnavailable, message));
        }
    };
    let wanted = Wanted {
        session,
        now_ms: order.now_ms,
        longest: MAX_DURATION,
    };
    let stop = async {
        while !claim.is_to_end() {
            tokio::time::sleep(POLL).await;
        }
    };
    let mut ready = false;
    let begun = || {
        ready = true;
        say(b"{\"ok\":true}\n")
    };
    let ended = record(&phone, &wanted, &mut file, (begun, stop)).await;
    match ended {
        Err(error) if !ready => {
            // What never began leaves nothing behind.
            let _ = std::fs::remove_file(&path);
            claim.failed();
            Err(refused(&error))
        }
        ended => {
            let named = claim.done(&entry, reason(&ended));
            named.map_err(|error| failed(error.to_string()))?;
            ended.map(|_| ()).map_err(|error| refused(&error))
        }
    }
}

/// Why a recording ended that nobody stopped.
fn reason(ended: &Result<Ended, RecordError>) -> Option<String> {
    match ended {
        Ok(ended) => match ended.end {
            End::Stopped => None,
            End::Limit => Some("it had taken as long, or become as large, as it may".to_owned()),
            End::PhoneLost => Some("the phone went away".to_owned()),
        },
        Err(error) => Some(error.to_string()),
    }
}

fn refused(error: &RecordError) -> Refusal {
    let code = match error {
        RecordError::Phone(_) => ErrorCode::RecordingStartFailed,
        RecordError::File(_) => ErrorCode::RecordingStorageUnavailable,
    };
    Refusal::new(code, error.to_string())
}
