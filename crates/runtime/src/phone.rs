//! A phone, and what can be asked of it. This is the only place that knows a
//! command of a phone's shell; it knows nothing of executions.

mod answer;
mod app;
mod capture;
mod clipboard;
mod error;
mod facts;
mod foreground;
mod input;
mod keyboard;
mod screenshot;

pub use app::PackageFilter;
pub use capture::{DumpWay, Views};
pub use error::{CaptureError, CommandKind, Dispatched, PhoneError};
pub use foreground::Foreground;
pub use input::{KeyCode, LONG_PRESS, Point, can_type_ascii};
pub use keyboard::{Keyboards, TypingKeyboard};

use answer::Answer;
use bytes::Bytes;
use clawperator_adb::{AdbError, Deadline, Device};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The most bytes of one command line. An adb server writes the length of a
/// request in four hexadecimal digits, and the request is more than the line.
pub const MAX_COMMAND: usize = 60_000;

/// A phone.
///
/// Every call takes a deadline, is one round trip unless it says otherwise, and
/// can be cancelled by dropping it.
#[derive(Debug)]
pub struct Phone {
    device: Device,
    serial: String,
    round_trips: AtomicU64,
    dumps_to_file: AtomicBool,
    /// The screen never came to rest when it was last looked at.
    restless: AtomicBool,
    /// How long the last look took that saw something, in milliseconds.
    look_ms: AtomicU64,
}

impl Phone {
    /// A phone that is connected.
    #[must_use]
    pub fn new(device: Device, serial: impl Into<String>) -> Self {
        Self {
            device,
            serial: serial.into(),
            round_trips: AtomicU64::new(0),
            dumps_to_file: AtomicBool::new(false),
            restless: AtomicBool::new(false),
            look_ms: AtomicU64::new(0),
        }
    }

    /// Its name in adb.
    #[must_use]
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// How many commands were sent so far.
    #[must_use]
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    /// Runs a command line to its end.
    async fn shell(&self, line: &str, deadline: Deadline) -> Result<Answer, PhoneError> {
        self.begin(line, deadline).await?;
        let output = self.device.shell(line, Bytes::new(), deadline).await;
        output.map(Answer::from).map_err(|error| failed(&error))
    }

    /// Runs a command line whose output is more than text, to its end. It has a
    /// terminal, and no exit code.
    async fn exec(&self, line: &str, deadline: Deadline) -> Result<Bytes, PhoneError> {
        self.begin(line, deadline).await?;
        self.device
            .exec(line, deadline)
            .await
            .map_err(|error| failed(&error))
    }

    /// Finds out what can be known before anything is sent: such a command has
    /// not reached the phone for certain.
    async fn begin(&self, line: &str, deadline: Deadline) -> Result<(), PhoneError> {
        if line.len() > MAX_COMMAND {
            return Err(PhoneError::TooLong {
                bytes: line.len(),
                most: MAX_COMMAND,
            });
        }
        if let Device::Direct(connection) = &self.device
            && let Some(cause) = connection.over()
        {
            let dispatched = Dispatched::No;
            return Err(PhoneError::Lost { dispatched, cause });
        }
        // Something that is not done at once lets a deadline that has passed win.
        let pause = async {
            tokio::task::yield_now().await;
            Ok(())
        };
        if let Err(AdbError::TimedOut { after, .. }) = deadline.run("starting a command", pause).await {
            let dispatched = Dispatched::No;
            return Err(PhoneError::TimedOut { dispatched, after });
        }
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// What it means for the phone that a command came to nothing.
fn failed(error: &AdbError) -> PhoneError {
    let dispatched = match error {
        // These are found out before the command is sent, or instead of it.
        AdbError::Refused { .. }
        | AdbError::Refusal(_)
        | AdbError::Unauthorized
        | AdbError::TlsRequired
        | AdbError::NoProgram(_)
        | AdbError::Key(_)
        | AdbError::Local(_) => Dispatched::No,
        AdbError::Io(_) | AdbError::Closed | AdbError::Protocol(_) | AdbError::TimedOut { .. } => {
            Dispatched::Unknown
        }
    };
    match error {
        AdbError::TimedOut { after, .. } => PhoneError::TimedOut {
            dispatched,
            after: *after,
        },
        cause => PhoneError::Lost {
            dispatched,
            cause: cause.clone(),
        },
    }
}
