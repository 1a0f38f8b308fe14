//! `record pull`: copies a recording, from the state folder or from the phone.

use super::source::{none_found, place, recording_name};
use crate::args::Args;
use crate::world::{Answer, World};
use crate::{device, flags, operator};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::{Deadline, PackageName};
use clawperator_private as private;
use clawperator_recording::RecordingId;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDER: &str = "./recordings/";
/// How long fetching it may take.
const FETCH: Duration = Duration::from_secs(60);

pub(crate) fn pull(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let wanted = recording_name(args)?;
    let folder = PathBuf::from(args.value(&flags::PULL_OUT)?.unwrap_or(FOLDER));
    let operator = operator::operator_package(args, world)?;
    let place = place(world);
    if wanted.is_none() && operator.is_none() {
        place.refuse_running(None)?;
    }
    let here = wanted.clone().or_else(|| place.latest());
    let here = here.filter(|session| operator.is_none() && place.file_of(session).is_file());
    let (session, bytes) = match here {
        Some(session) => {
            let bytes = std::fs::read(place.file_of(&session)).map_err(|error| pull_failure(&error))?;
            (session, bytes)
        }
        None => {
            let operator = operator.unwrap_or_else(PackageName::usual_operator);
            fetch(args, world, &operator, wanted)?
        }
    };
    let local = save(&folder, &session, &bytes)?;
    Ok(Answer::value(&json!({"ok": true, "localPath": local, "sessionId": session.as_str()}), args, world))
}

fn save(folder: &Path, session: &RecordingId, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let local = folder.join(session.file_name());
    let written = private::folder(folder).and_then(|()| private::save(&local, bytes));
    written.map_err(|error| pull_failure(&error))?;
    Ok(local)
}

/// Fetches a recording that the Operator app made.
fn fetch(
    args: &Args,
    world: &mut World,
    operator: &PackageName,
    wanted: Option<RecordingId>,
) -> Result<(RecordingId, Vec<u8>), Failure> {
    let phone = device::device_serial(args, world)?;
    let found = device::block_on(async {
        let phone = device::reached(phone.as_deref(), world).await?;
        let found = phone.operator_recording(operator, wanted, Deadline::after(FETCH)).await;
        found.map_err(|error| pull_failure(&error))
    })??;
    found.ok_or_else(none_found)
}

fn pull_failure(error: &dyn std::fmt::Display) -> Failure {
    Failure::of(ErrorCode::RecordingPullFailed, format!("cannot copy the recording: {error}"))
}
