//! `record pull`: copies a recording, from the state folder or from the phone.

use super::super::given::Given;
use super::super::{Answer, World, operator, reach};
use super::{named, none_found, place};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_recording::SessionId;
use clawperator_runtime::{Deadline, PackageName};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder where nobody says.
const FOLDER: &str = "./recordings/";
/// How long fetching it may take.
const FETCH: Duration = Duration::from_secs(60);

pub(super) fn pull(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let wanted = named(given)?;
    let folder = PathBuf::from(given.value("out").unwrap_or(FOLDER));
    let operator = operator::named(given, world)?;
    let place = place(world);
    let here = wanted.clone().or_else(|| place.latest());
    let here = here.filter(|session| operator.is_none() && place.file_of(session).is_file());
    let (session, bytes) = match here {
        Some(session) => {
            let bytes = std::fs::read(place.file_of(&session)).map_err(|error| failed(&error))?;
            (session, bytes)
        }
        None => {
            let operator = operator.unwrap_or_else(PackageName::usual_operator);
            fetch(given, world, &operator, wanted)?
        }
    };
    let local = save(&folder, &session, &bytes)?;
    let answer = json!({"ok": true, "localPath": local, "sessionId": session.as_str()});
    Ok(Answer::json(&answer, given, world))
}

fn save(folder: &Path, session: &SessionId, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let local = folder.join(session.file_name());
    let written =
        std::fs::create_dir_all(folder).and_then(|()| crate::recorder::write_private(&local, bytes));
    written.map_err(|error| failed(&error))?;
    Ok(local)
}

/// Fetches a recording that the Operator app made.
fn fetch(
    given: &Given,
    world: &mut World,
    operator: &PackageName,
    wanted: Option<SessionId>,
) -> Result<(SessionId, Vec<u8>), Failure> {
    let phone = reach::wanted(given, world)?;
    let found = reach::block_on(async {
        let phone = reach::reached(phone.as_deref(), world).await?;
        let found = phone
            .operator_recording(operator, wanted, Deadline::after(FETCH))
            .await;
        found.map_err(|error| failed(&error))
    })??;
    found.ok_or_else(none_found)
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    let message = format!("the recording cannot be copied: {error}");
    Failure::of(ErrorCode::RecordingPullFailed, message)
}
