//! `record pull`: copies a recording, from the state folder or from the phone.

use super::super::given::Given;
use super::super::{Answer, World, reach};
use super::{named, none_found, place, print};
use clawperator_adb::Deadline;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_recording::SessionId;
use clawperator_recording::limits::MAX_READ_BYTES;
use clawperator_runtime::Phone;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder where nobody says.
const FOLDER: &str = "./recordings/";
/// The Operator app where nobody says.
const OPERATOR: &str = "com.clawperator.operator";
/// How long fetching it may take.
const FETCH: Duration = Duration::from_secs(60);

pub(super) fn pull(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let wanted = named(given)?;
    let folder = PathBuf::from(given.value("out").unwrap_or(FOLDER));
    let operator = given
        .value("operator-package")
        .map(str::to_owned)
        .or_else(|| world.phones.operator_package.clone());
    let place = place(world);
    let here = wanted.clone().or_else(|| place.latest());
    let here = here.filter(|session| operator.is_none() && place.file_of(session).is_file());
    let (session, bytes) = match here {
        Some(session) => {
            let bytes = std::fs::read(place.file_of(&session)).map_err(|error| failed(&error))?;
            (session, bytes)
        }
        None => fetch(given, world, (operator.as_deref().unwrap_or(OPERATOR), wanted))?,
    };
    let local = save(&folder, &session, &bytes)?;
    let answer = json!({"ok": true, "localPath": local, "sessionId": session.as_str()});
    Ok(print(&answer, 0, (given, world)))
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
    (operator, wanted): (&str, Option<SessionId>),
) -> Result<(SessionId, Vec<u8>), Failure> {
    let phone = reach::wanted(given, world)?;
    let folder = format!("/sdcard/Android/data/{operator}/files/recordings");
    reach::block_on(async {
        let phone = reach::reached(phone.as_deref(), world).await?;
        let session = match wanted {
            Some(session) => session,
            None => {
                let name = read(&phone, &format!("{folder}/latest"))
                    .await?
                    .ok_or_else(none_found)?;
                let name = String::from_utf8_lossy(&name);
                SessionId::new(name.trim()).ok_or_else(none_found)?
            }
        };
        let file = read(&phone, &format!("{folder}/{}", session.file_name())).await?;
        Ok::<_, Failure>((session, file.ok_or_else(none_found)?))
    })?
}

/// A file of the phone; none if it is not there.
async fn read(phone: &Phone, path: &str) -> Result<Option<Vec<u8>>, Failure> {
    let file = phone.file(path, MAX_READ_BYTES, Deadline::after(FETCH)).await;
    file.map_err(|error| failed(&error))
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    let code = ErrorCode::RecordingPullFailed;
    Failure::new(code, format!("the recording cannot be copied: {error}")).hint(code.row().hint)
}
