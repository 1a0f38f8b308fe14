//! A file of the phone.

use super::{Phone, PhoneError, failed};
use clawperator_adb::{AdbError, Deadline, Transfer};

impl Phone {
    /// Reads a file of at most so many bytes; none if it is not there. Two
    /// round trips.
    ///
    /// # Errors
    /// [`PhoneError::TooLong`] if it is larger, or what broke.
    pub async fn file(
        &self,
        path: &str,
        most: usize,
        deadline: Deadline,
    ) -> Result<Option<Vec<u8>>, PhoneError> {
        let known = self.device.stat(path, deadline).await;
        let Some(known) = known.map_err(|error| failed(&error))? else {
            return Ok(None);
        };
        let bytes = usize::try_from(known.size).unwrap_or(usize::MAX);
        if bytes > most {
            return Err(PhoneError::TooLong { bytes, most });
        }
        let mut file = Vec::with_capacity(bytes);
        let transfer = Transfer {
            deadline,
            progress: |_| (),
        };
        match self.device.pull(path, &mut file, transfer).await {
            Ok(_) => Ok(Some(file)),
            // It went away in the meantime, or may not be read.
            Err(AdbError::Refusal(_)) => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }
}
