//! What can go wrong with a phone.

use super::foreground::Lock;
use crate::quote::Nul;
use clawperator_adb::AdbError;
use clawperator_contract::ErrorCode;
use clawperator_events::CommandKind;
use clawperator_ui::DumpError;
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    #[error("the screen never became idle")]
    NotIdle,
    #[error("the phone has no window to dump right now")]
    NullRoot,
    /// What came ends in the middle.
    #[error("the phone's dump of the screen is truncated")]
    CutOff,
    /// Something else on the phone watches the screen; only one may. Who, and
    /// what to do, where that is known.
    #[error("{}", reader_text(.0.as_deref()))]
    Busy(Option<String>),
    #[error("the phone reported a dump of the screen, but wrote none")]
    NotWritten,
    /// What came has no tree in it; this is how it starts.
    #[error("the phone printed {0:?} instead of a dump of the screen")]
    NoHierarchy(String),
    /// What came is not what a phone writes.
    #[error("the phone's dump of the screen is malformed: {0}")]
    Malformed(String),
    /// It is larger than a bound allows: what, and how much is allowed.
    #[error("the screen has more than {1} {0}")]
    TooLarge(&'static str, usize),
    /// It is of another app than the one in front: of which, and which that is.
    #[error("the phone's dump of the screen is of {0}, but {1} is in front")]
    OfAnother(String, String),
}

fn reader_text(who: Option<&str>) -> String {
    match who {
        None => "another program on the phone is reading the screen".to_owned(),
        Some(who) => format!("only one program can read the screen, and {who}"),
    }
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

/// What can be wrong with the resident server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResidentTrouble {
    #[error("the resident server does not run on the phone")]
    NotRunning,
    /// It was set up and could not be started, and why.
    #[error("the resident server could not be started: {0}")]
    NotStarted(String),
    /// An app could show a screen that is not there.
    #[error("what listens at the resident server's port may be an app of the phone; it is not used")]
    Foreign,
    /// Another program has taken the UiAutomation from it; who, if that still runs and is known.
    #[error("the resident server can no longer read the screen: {}", taker_text(.0.as_deref()))]
    SlotLost(Option<String>),
    #[error("the answer of the resident server on the phone was lost")]
    NoAnswer,
}

fn taker_text(who: Option<&str>) -> String {
    match who {
        None => "another program has taken its UiAutomation slot; \
                 run clawperator lane stop --any, then clawperator lane setup"
            .to_owned(),
        Some(who) => format!("{who} reads it"),
    }
}

/// Why something with a phone did not work.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PhoneError {
    /// The phone is gone, or the way to it is.
    #[error("the connection to the phone was lost: {cause}")]
    Lost {
        /// Whether the command may have reached it.
        dispatched: DispatchState,
        cause: AdbError,
    },
    #[error("{}", late_text(*after))]
    TimedOut {
        /// Whether the command may have reached the phone.
        dispatched: DispatchState,
        /// How long it was given.
        after: Duration,
    },
    /// The phone ran the command, which says that it did not work.
    #[error("the phone refused the {}{}: {excerpt}", command.name(), exit_text(*exit_code))]
    Refused {
        command: CommandKind,
        /// How it ended, where the phone says so.
        exit_code: Option<u8>,
        /// How what it printed starts.
        excerpt: String,
    },
    /// The phone's shell broke off before anything was done.
    #[error("the phone could not check its screen before the {}{}; nothing was done: {excerpt}", command.name(), exit_text(*exit_code))]
    NotBegun {
        command: CommandKind,
        exit_code: Option<u8>,
        /// How what it printed starts.
        excerpt: String,
    },
    #[error("the phone's answer to the {} command cannot be read: {excerpt:?}", command.name())]
    Unreadable { command: CommandKind, excerpt: String },
    /// There is no tree of the screen.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The resident server on the phone did not do it.
    #[error("{trouble}")]
    Resident {
        trouble: ResidentTrouble,
        /// Whether it may have done it all the same.
        dispatched: DispatchState,
    },
    #[error("this phone has no command for the {}", .0.name())]
    Unsupported(CommandKind),
    #[error("the app is not installed")]
    NotInstalled { package: String },
    #[error("the app has no activity that can be launched")]
    NoLauncher { package: String },
    /// An app was started, and what it came to instead of a window that it has drawn.
    #[error("{0}")]
    NotShown(String),
    /// The phone's adb is too old, and its version of Android, where it says so. Nothing was done.
    #[error("{}", old_text(.0.as_deref()))]
    TooOld(Option<String>),
    #[error("no app on the phone opens the URI")]
    UriNotHandled { uri: String },
    /// Nothing was touched.
    #[error("the point is outside the screen of {}x{}", size.0, size.1)]
    OffScreen {
        /// How wide and how high the screen is, as the phone is turned.
        size: (u32, u32),
    },
    /// Another window is in front than the one that was looked at, or the phone was turned.
    #[error("{}{}", change_text(*dispatched), window_text(window.as_deref()))]
    ScreenChanged {
        /// The name of the window in front, if it is an activity's.
        window: Option<String>,
        /// Whether keys may have been pressed there.
        dispatched: DispatchState,
    },
    /// The phone is locked, or its screen is off.
    #[error("{lock}; {}", lock_text(*dispatched))]
    Locked {
        lock: Lock,
        /// Whether it may have been done behind the lock screen.
        dispatched: DispatchState,
    },
    /// Who decides on acts did not allow it. Nothing was sent.
    #[error("{}", .0.message)]
    Judged(Objection),
    #[error("no field has the focus; nothing was typed")]
    NoField,
    /// Nothing was typed.
    #[error("it cannot be stored that the field takes a secret: {0}")]
    NotStored(String),
    /// A text cannot be in a command. Nothing was sent.
    #[error(transparent)]
    Nul(#[from] Nul),
    /// Nothing was sent.
    #[error("no key types {letter:?}")]
    NotTypable { letter: char },
    /// Nothing was sent.
    #[error("the command has {bytes} bytes; at most {most} are allowed")]
    TooLong { bytes: usize, most: usize },
}

fn old_text(release: Option<&str>) -> String {
    let has = release.map_or_else(String::new, |release| format!("; it has Android {release}"));
    format!("this phone's adbd has no shell protocol v2; Android 7 or newer is needed{has}")
}

fn late_text(after: Duration) -> String {
    if after.is_zero() {
        return "no time was left to ask the phone".to_owned();
    }
    format!("the phone took longer than {} ms", after.as_millis())
}

fn exit_text(code: Option<u8>) -> String {
    code.map(|code| format!(" (exit code {code})")).unwrap_or_default()
}

fn change_text(dispatched: DispatchState) -> &'static str {
    match dispatched {
        DispatchState::No => "the screen changed after it was read",
        DispatchState::Unknown => {
            "another screen came to the front while keys were pressed; they may have gone there"
        }
    }
}

fn window_text(window: Option<&str>) -> String {
    window.map(|window| format!("; {window} is in front now")).unwrap_or_default()
}

fn lock_text(dispatched: DispatchState) -> &'static str {
    match dispatched {
        DispatchState::No => "nothing was done",
        DispatchState::Unknown => "it may have been done behind that",
    }
}

/// What it means for the phone that a command came to nothing.
impl From<AdbError> for PhoneError {
    fn from(cause: AdbError) -> Self {
        let dispatched = match cause {
            // These are found out before the command is sent, or instead of it.
            AdbError::Refused { .. }
            | AdbError::Refusal(_)
            | AdbError::Unauthorized
            | AdbError::NoHost(_)
            | AdbError::TlsRequired
            | AdbError::NoProgram(_)
            | AdbError::Key(_)
            | AdbError::Local(_) => DispatchState::No,
            AdbError::Io(_)
            | AdbError::Closed
            | AdbError::NotOpened(_)
            | AdbError::Protocol(_)
            | AdbError::TimedOut { .. } => DispatchState::Unknown,
        };
        Self::broken(cause, dispatched)
    }
}

impl PhoneError {
    /// What broke, and whether the phone may have acted.
    pub(super) fn broken(cause: AdbError, dispatched: DispatchState) -> Self {
        match cause {
            AdbError::TimedOut { after, .. } => Self::TimedOut { dispatched, after },
            cause => Self::Lost { dispatched, cause },
        }
    }

    /// Its code: this one unless the error says more.
    pub fn code(&self, usual: ErrorCode) -> ErrorCode {
        match self {
            Self::Lost { .. } | Self::TooOld(_) => ErrorCode::DeviceShellUnavailable,
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

    /// Tells whether the command may have done its work on the phone although it failed here.
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
            | Self::NotBegun { .. }
            | Self::TooOld(_)
            | Self::Capture(_) => DispatchState::No,
            // The first event is refused, so there is no second one.
            Self::Refused { command, excerpt, .. }
                if is_one_input(*command) && NOT_INJECTED.iter().any(|words| excerpt.contains(words)) =>
            {
                DispatchState::No
            }
            // A command that failed may have done a part of its work.
            Self::Refused { .. } | Self::Unreadable { .. } | Self::NotShown(_) => DispatchState::Unknown,
        }
    }

    /// Whether there is no resident server to ask.
    pub fn is_without_server(&self) -> bool {
        use ResidentTrouble::{Foreign, NotRunning, NotStarted};
        matches!(self, Self::Resident { trouble: NotRunning | NotStarted(_) | Foreign, .. })
    }
}
