//! Runs a checked execution on a phone over adb.
//!
//! It knows neither how the execution came in nor which phone it got. Only
//! [`phone`] names a command of a phone.

mod dark;
pub mod devices;
pub mod doctor;
mod execution;
mod lease;
pub mod lock;
mod look;
mod memory;
pub mod operator;
mod outcome;
mod over_screen;
mod package_name;
pub mod phone;
pub mod quote;
mod recorder;
mod recordings;
mod refs;
mod replay;
pub mod resident;
mod retry;
mod run;
mod seal_key;
mod secret;
mod steps;
pub mod vault;

pub use devices::{Choice, ChoiceError, REACH, Reach, ResolveError, choose, connect, list, resolve};
pub use execution::run;
pub use lease::{Act, ActError, LeaseOptions, Observation, PhoneLease, TypedHere, TypedText};
pub use lock::{
    Conflict, Guard, HeldFile, Leftover, LockError, Locks, Owner, Waiters, is_held, lock_within, open_lock,
};
pub use package_name::{NoPackageName, PackageName};
pub use phone::{
    CaptureError, Check, CommandKind, Coordinates, Dispatched, DumpWay, Finger, Foreground, Front, Granted,
    Grants, Holder, InputLines, KeyCode, Keyboards, LaneReport, Launch, Launchable, Lock, Objection,
    Operator, PackageFilter, Phone, PhoneError, Point, PutFile, ResidentTrouble, Seen, ServerFiles,
    ServerState, ShellRan, StartError, Started, SwipePath, Typing, TypingKeyboard, Views, Vitals, Whose,
    can_type_ascii, other_variant,
};
pub use quote::{Nul, quote};
pub use recorder::{
    End, RecordError, RecordingFile, RecordingHooks, RecordingRequest, RecordingSummary, begin_recording,
    look_to_record, record,
};
pub use recordings::{Recordings, Refusal, StoredRecording};
pub use replay::{Replay, ReplayedStep, replay};
pub use resident::mark::ResidentSetup;
pub use run::{AGENT_LOOK, Judge, Judgement, LastStep, Route, RunOptions, Strictness};
pub use seal_key::SealKey;
pub use secret::Secret;

// Callers reach phones through this crate without knowing adb.
pub use clawperator_adb::{Deadline, ServerEnvironment};
