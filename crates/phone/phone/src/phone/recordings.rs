//! The recordings that the Operator app keeps on the phone.

use super::{Phone, PhoneError};
use crate::package_name::PackageName;
use clawperator_adb::Deadline;
use clawperator_recording::RecordingId;
use clawperator_recording::limits::MAX_READ_BYTES;

/// The file with the name of the latest recording.
const LATEST: &str = "latest";
/// The most of that file that is read.
const MAX_NAME_FILE: usize = 4 << 10;

impl Phone {
    /// A recording that this app made, and its name; the latest where none is
    /// named, and none if it is not there. Two round trips for each file.
    ///
    /// # Errors
    /// [`PhoneError::TooLong`] if it is larger than any is, or what broke.
    pub async fn operator_recording(
        &self,
        package: &PackageName,
        wanted: Option<RecordingId>,
        deadline: Deadline,
    ) -> Result<Option<(RecordingId, Vec<u8>)>, PhoneError> {
        let place = |name: &str| format!("/sdcard/Android/data/{package}/files/recordings/{name}");
        let session = match wanted {
            Some(session) => Some(session),
            None => {
                let name = self.file(&place(LATEST), MAX_NAME_FILE, deadline).await?;
                name.and_then(|name| RecordingId::new(String::from_utf8_lossy(&name).trim()))
            }
        };
        let Some(session) = session else {
            return Ok(None);
        };
        let file = self.file(&place(&session.file_name()), MAX_READ_BYTES, deadline).await?;
        Ok(file.map(|bytes| (session, bytes)))
    }
}
