//! What can go wrong with a phone.

use super::foreground::Lock;
use crate::quote::Nul;
use clawperator_adb::AdbError;
use clawperator_contract::ErrorCode;
use clawperator_events::CommandKind;
use clawperator_ui::DumpError;
use std::fmt;
use std::time::Duration;

/// What phones say that take no injected input at all.
const NOT_INJECTED: &[&str] = &["SecurityException: Injecting", "Can't find service"];

/// Whether a command is one touch or key and nothing else.
fn is_one_input(command: CommandKind) -> bool {
    use CommandKind::{Key, LongPress, Swipe, Tap};
    matches!(command, Tap | LongPress | Swipe | Key)
}

/// Whether a command may have reached the phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchState {
    No,
    /// It may have, and may have done its work.
    Unknown,
}

/// Why an act is not done. Nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The code of the step that fails.
    pub code: ErrorCode,
    pub message: String,
    /// The request that a person has to decide first.
    pub approval: Option<String>,
}

/// Why there is no tree of the screen. None of these is an empty screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaptureError {
    /// The screen never came to rest.
    NotIdle,
    /// The phone has no window to describe right now.
    NullRoot,
    /// What came ends in the middle.
    CutOff,
    /// Something else on the phone watches the screen; only one may. Who, and
    /// what to do, where that is known.
    Busy(Option<String>),
    /// The phone says that it has written the tree, and there is none.
    NotWritten,
    /// What came has no tree in it; this is how it starts.
    NoHierarchy(String),
    /// What came is not what a phone writes.
    Malformed(String),
    /// It is larger than a bound allows: what, and how much is allowed.
    TooLarge(&'static str, usize),
    /// It is of another app than the one in front: of which, and which that is.
    OfAnother(String, String),
}

impl From<DumpError> for CaptureError {
    fn from(error: DumpError) -> Self {
        match error {
            DumpError::NotIdle => Self::NotIdle,
            DumpError::NullRoot => Self::NullRoot,
            DumpError::CutOff => Self::CutOff,
            DumpError::NoHierarchy(start) => Self::NoHierarchy(start),
            DumpError::Malformed { at, reason } => Self::Malformed(format!("{reason} at byte {at}")),
            DumpError::TooLarge(what, most) => Self::TooLarge(what, most),
        }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotIdle => f.write_str("the screen never became idle"),
            Self::NullRoot => f.write_str("the phone has no window to dump right now"),
            Self::CutOff => f.write_str("the phone's dump of the screen is truncated"),
            Self::Busy(None) => f.write_str("another program on the phone is reading the screen"),
            Self::Busy(Some(who)) => write!(f, "only one program can read the screen, and {who}"),
            Self::NotWritten => f.write_str("the phone reported a dump of the screen, but wrote none"),
            Self::NoHierarchy(start) => {
                write!(f, "the phone printed {start:?} instead of a dump of the screen")
            }
            Self::Malformed(reason) => write!(f, "the phone's dump of the screen is malformed: {reason}"),
            Self::TooLarge(what, most) => write!(f, "the screen has more than {most} {what}"),
            Self::OfAnother(seen, front) => {
                write!(f, "the phone's dump of the screen is of {seen}, but {front} is in front")
            }
        }
    }
}

impl std::error::Error for CaptureError {}

/// What can be wrong with the resident server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResidentTrouble {
    NotRunning,
    /// It was set up and could not be started, and why.
    NotStarted(String),
    /// What listens at its port may be an app of the phone, which could show a
    /// screen that is not there.
    Foreign,
    /// Another program has taken the UiAutomation from it; who, if that still
    /// runs and is known.
    SlotLost(Option<String>),
    NoAnswer,
}

impl fmt::Display for ResidentTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunning => f.write_str("the resident server does not run on the phone"),
            Self::NotStarted(why) => write!(f, "the resident server could not be started: {why}"),
            Self::Foreign => f.write_str(
                "what listens at the resident server's port may be an app of the phone; it is not used",
            ),
            Self::SlotLost(None) => f.write_str(
                "the resident server can no longer read the screen: another program has taken its UiAutomation slot; \
                 run clawperator lane stop --any, then clawperator lane setup",
            ),
            Self::SlotLost(Some(who)) => {
                write!(
                    f,
                    "the resident server can no longer read the screen: {who} reads it"
                )
            }
            Self::NoAnswer => f.write_str("the answer of the resident server on the phone was lost"),
        }
    }
}

/// Why something with a phone did not work.
#[derive(Clone, Debug)]
pub enum PhoneError {
    /// The phone is gone, or the way to it is.
    Lost {
        /// Whether the command may have reached it.
        dispatched: DispatchState,
        cause: AdbError,
    },
    TimedOut {
        /// Whether the command may have reached the phone.
        dispatched: DispatchState,
        /// How long it was given.
        after: Duration,
    },
    /// The phone ran the command, which says that it did not work.
    Refused {
        command: CommandKind,
        /// How it ended, where the phone says so.
        exit_code: Option<u8>,
        /// How what it printed starts.
        excerpt: String,
    },
    /// The phone's answer makes no sense.
    Unreadable { command: CommandKind, excerpt: String },
    /// There is no tree of the screen.
    Capture(CaptureError),
    /// The resident server on the phone did not do it.
    Resident {
        trouble: ResidentTrouble,
        /// Whether it may have done it all the same.
        dispatched: DispatchState,
    },
    /// This phone has no such command.
    Unsupported(CommandKind),
    /// There is no such app on the phone.
    NotInstalled { package: String },
    /// The app has nothing that a launcher could start.
    NoLauncher { package: String },
    /// No app on the phone opens such a URI.
    UriNotHandled { uri: String },
    /// The point is outside the screen. Nothing was touched.
    OffScreen {
        /// How wide and how high the screen is, as the phone is turned.
        size: (u32, u32),
    },
    /// Another window is in front than the one that was looked at, or the phone
    /// was turned.
    ScreenChanged {
        /// The name of the window in front, if it is an activity's.
        window: Option<String>,
        /// Whether keys may have been pressed there.
        dispatched: DispatchState,
    },
    /// The phone is locked, or its screen is off.
    Locked {
        lock: Lock,
        /// Whether it may have been done behind the lock screen.
        dispatched: DispatchState,
    },
    /// Who decides on acts did not allow it. Nothing was sent.
    Judged(Objection),
    /// No field has the focus. Nothing was typed.
    NoField,
    /// It cannot be stored that a field takes a secret, and why. Nothing was typed.
    NotStored(String),
    /// A text cannot be in a command. Nothing was sent.
    Nul(Nul),
    /// A text has letters that no key types. Nothing was sent.
    NotTypable { letter: char },
    /// A command would be too long. Nothing was sent.
    TooLong { bytes: usize, most: usize },
}

impl PhoneError {
    /// Its code: this one unless the error says more.
    pub fn code(&self, usual: ErrorCode) -> ErrorCode {
        match self {
            Self::Lost { .. } => ErrorCode::DeviceShellUnavailable,
            Self::Capture(CaptureError::OfAnother(..)) | Self::ScreenChanged { .. } => {
                ErrorCode::ScreenChanged
            }
            // The screen was not seen, so it is unknown what is on it.
            Self::Capture(_) => ErrorCode::SnapshotExtractionFailed,
            Self::Judged(objection) => objection.code,
            Self::Locked { lock, .. } => lock.code(),
            Self::Resident { dispatched: DispatchState::No, .. } => ErrorCode::LaneUnavailable,
            _ => usual,
        }
    }

    /// Tells whether the command may have done its work on the phone although
    /// it failed here.
    pub fn dispatched(&self) -> DispatchState {
        match self {
            Self::Lost { dispatched, .. }
            | Self::TimedOut { dispatched, .. }
            | Self::ScreenChanged { dispatched, .. }
            | Self::Locked { dispatched, .. }
            | Self::Resident { dispatched, .. } => *dispatched,
            // Nothing was sent, or the phone itself says that nothing was done.
            Self::Nul(_)
            | Self::NotStored(_)
            | Self::NoField
            | Self::Judged(_)
            | Self::NotTypable { .. }
            | Self::TooLong { .. }
            | Self::Unsupported(_)
            | Self::NotInstalled { .. }
            | Self::NoLauncher { .. }
            | Self::UriNotHandled { .. }
            | Self::OffScreen { .. }
            | Self::Capture(_) => DispatchState::No,
            // The first event is refused, so there is no second one.
            Self::Refused { command, excerpt, .. }
                if is_one_input(*command) && NOT_INJECTED.iter().any(|words| excerpt.contains(words)) =>
            {
                DispatchState::No
            }
            // A command that failed may have done a part of its work.
            Self::Refused { .. } | Self::Unreadable { .. } => DispatchState::Unknown,
        }
    }

    /// Whether there is no resident server to ask.
    pub fn is_without_server(&self) -> bool {
        use ResidentTrouble::{Foreign, NotRunning, NotStarted};
        matches!(self, Self::Resident { trouble: NotRunning | NotStarted(_) | Foreign, .. })
    }
}

impl fmt::Display for PhoneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { cause, .. } => write!(f, "the connection to the phone was lost: {cause}"),
            Self::TimedOut { after, .. } if after.is_zero() => {
                f.write_str("no time was left to ask the phone")
            }
            Self::TimedOut { after, .. } => write!(f, "the phone took longer than {} ms", after.as_millis()),
            Self::Refused { command, exit_code, excerpt } => {
                let name = command.name();
                match exit_code {
                    Some(code) => write!(f, "the phone refused the {name} (exit code {code}): {excerpt}"),
                    None => write!(f, "the phone refused the {name}: {excerpt}"),
                }
            }
            Self::Unreadable { command, excerpt } => {
                let name = command.name();
                write!(f, "the phone's answer to the {name} command cannot be read: {excerpt:?}")
            }
            Self::Capture(error) => error.fmt(f),
            Self::Resident { trouble, .. } => trouble.fmt(f),
            Self::Unsupported(command) => write!(f, "this phone has no command for the {}", command.name()),
            Self::NotInstalled { .. } => f.write_str("the app is not installed"),
            Self::NoLauncher { .. } => f.write_str("the app has no activity that can be launched"),
            Self::UriNotHandled { .. } => f.write_str("no app on the phone opens the URI"),
            Self::OffScreen { size: (width, height) } => {
                write!(f, "the point is outside the screen of {width}x{height}")
            }
            Self::ScreenChanged { window, dispatched } => {
                f.write_str(match dispatched {
                    DispatchState::No => "the screen changed after it was read",
                    DispatchState::Unknown => {
                        "another screen came to the front while keys were pressed; they may have gone there"
                    }
                })?;
                match window {
                    Some(window) => write!(f, "; {window} is in front now"),
                    None => Ok(()),
                }
            }
            Self::Judged(objection) => f.write_str(&objection.message),
            Self::Locked { lock, dispatched } => {
                let done = match dispatched {
                    DispatchState::No => "nothing was done",
                    DispatchState::Unknown => "it may have been done behind that",
                };
                write!(f, "{lock}; {done}")
            }
            Self::NoField => f.write_str("no field has the focus; nothing was typed"),
            Self::Nul(nul) => nul.fmt(f),
            Self::NotStored(why) => write!(f, "it cannot be stored that the field takes a secret: {why}"),
            Self::NotTypable { letter } => write!(f, "no key types {letter:?}"),
            Self::TooLong { bytes, most } => {
                write!(f, "the command has {bytes} bytes; at most {most} are allowed")
            }
        }
    }
}

impl std::error::Error for PhoneError {}

impl From<Nul> for PhoneError {
    fn from(nul: Nul) -> Self {
        Self::Nul(nul)
    }
}

impl From<CaptureError> for PhoneError {
    fn from(error: CaptureError) -> Self {
        Self::Capture(error)
    }
}
