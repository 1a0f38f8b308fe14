//! Where the phone is, as a test provider says it.

use super::script::{LOCATION, Script};
use super::{CommandKind, Phone, PhoneError};
use clawperator_adb::Deadline;
use std::fmt;

/// What phones say that have no such command: it came with Android 12.
const UNSUPPORTED: &[&str] = &["No shell command implementation", "Can't find service", "Unknown command"];
/// A degree, in the unit of [`Coordinates`].
const DEGREE: f64 = 1e6;

/// A place on Earth, in millionths of a degree. It is somebody's, so its debug
/// output does not say where it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Coordinates {
    lat: i32,
    lon: i32,
}

impl Coordinates {
    /// A place, if there is one: degrees north, degrees east.
    pub fn new(lat: f64, lon: f64) -> Option<Self> {
        let is_place = (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon);
        // The range is checked.
        #[allow(clippy::cast_possible_truncation, reason = "180 million fits")]
        let millionths = |degrees: f64| (degrees * DEGREE).round() as i32;
        is_place.then(|| Self { lat: millionths(lat), lon: millionths(lon) })
    }
}

impl fmt::Debug for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Coordinates")
    }
}

impl Phone {
    /// Says where the phone is. The latitude is first, unlike in the emulator's `geo fix`.
    ///
    /// # Errors
    /// [`PhoneError::Unsupported`] before Android 12, or what broke.
    pub async fn set_location(&self, place: Coordinates, deadline: Deadline) -> Result<(), PhoneError> {
        let place = format!("{:.6},{:.6}", f64::from(place.lat) / DEGREE, f64::from(place.lon) / DEGREE);
        let line = Script::of(&[LOCATION]).value("place", &place)?.line(CommandKind::Location);
        let answer = self.shell(&line, deadline).await?;
        if answer.is_missing() || UNSUPPORTED.iter().any(|text| answer.says(text)) {
            return Err(PhoneError::Unsupported(CommandKind::Location));
        }
        answer.check_act().map(drop)
    }

    /// Says no longer where the phone is: its own provider counts again.
    pub(crate) async fn unset_location(&self, deadline: Deadline) -> Result<(), PhoneError> {
        let line = "cmd location providers remove-test-provider gps && \
                    appops set com.android.shell android:mock_location default";
        self.ask(CommandKind::Location, line, deadline).await?.check_act().map(drop)
    }
}
