//! Files of the phone.

use super::{CommandKind, Phone, PhoneError};
use crate::quote::quote;
use clawperator_adb::{AdbError, Deadline, FileTarget, Transfer};
use std::fmt;

/// A file to put on the phone. It is somebody's, so its debug output is its size.
#[derive(Clone, PartialEq, Eq)]
pub struct PutFile {
    /// Its name: letters, digits, `.`, `-` and `_`.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl fmt::Debug for PutFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PutFile({}, {} bytes)", self.name, self.bytes.len())
    }
}

impl PutFile {
    /// Where it is on the phone.
    pub fn path(&self) -> String {
        format!("/sdcard/Download/{}", self.name)
    }
}

impl Phone {
    /// Reads a file of at most so many bytes; none if it is not there. Two round trips.
    ///
    /// # Errors
    /// [`PhoneError::TooLong`] if it is larger, or what broke.
    pub async fn file(
        &self,
        path: &str,
        most: usize,
        deadline: Deadline,
    ) -> Result<Option<Vec<u8>>, PhoneError> {
        let Some(known) = self.device.stat(path, deadline).await? else {
            return Ok(None);
        };
        let bytes = usize::try_from(known.size).unwrap_or(usize::MAX);
        if bytes > most {
            return Err(PhoneError::TooLong { bytes, most });
        }
        let mut file = Vec::with_capacity(bytes);
        let transfer = Transfer { deadline, progress: |_| () };
        match self.device.pull(path, &mut file, transfer).await {
            Ok(_) => Ok(Some(file)),
            // It went away in the meantime, or may not be read.
            Err(AdbError::Refusal(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts a file into the folder for downloads, and tells galleries of it. Two round trips.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn put_download(&self, file: &PutFile, deadline: Deadline) -> Result<(), PhoneError> {
        let path = file.path();
        let target = FileTarget { path: &path, permissions: 0o644, modified: 0 };
        let transfer = Transfer { deadline, progress: |_| () };
        self.device.push(file.bytes.as_slice(), target, transfer).await?;
        let line = format!(
            "am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d {}",
            quote(&format!("file://{path}"))?
        );
        self.act(CommandKind::PutFile, line, deadline).await
    }
}
