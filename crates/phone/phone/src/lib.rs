//! A phone over adb, and a phone that is ours for a while.
//!
//! It knows no execution. Only [`phone`] names a command of a phone.

mod dark;
pub mod devices;
mod lease;
pub mod lock;
mod memory;
mod package_name;
pub mod phone;
pub mod quote;
pub mod resident;
mod seal_key;
mod secret;
pub mod vault;

pub use dark::{Dark, FieldMark, Private, Sameness};
pub use devices::{ChoiceError, PhoneChoice, REACH, Reach, ResolveError, choose, connect, list, resolve};
pub use lease::{Act, ActError, LeaseOptions, Observation, PhoneLease, TypedHere, TypedText};
pub use lock::{
    HeldFile, Leftover, LockConflict, LockError, Locks, Owner, PhoneGuard, Waiters, is_held, lock_within,
    open_lock,
};
pub use memory::PhoneMemory;
pub use package_name::{NoPackageName, PackageName};
pub use phone::{
    AppLaunch, CaptureError, CommandKind, CommandLine, Coordinates, DispatchState, DumpWay, Fence, Finger,
    Foreground, Front, GrantResult, Grants, Holder, InputLines, KeyCode, Keyboards, LaneReport, Launchable,
    Lock, LogStream, LookResult, LookTo, Objection, OnlyFocused, Operator, PackageFilter, Parcel, Pending,
    Phone, PhoneError, Precondition, PrintSummary, PutFile, Receipt, ResidentTrouble, SeenToasts,
    ServerFiles, ServerProcess, ServerState, ShellRan, StartError, SwipePath, Trial, Typing, TypingKeyboard,
    Views, Vitals, Whose, can_type_ascii, may_be_locked, other_variant,
};
pub use quote::{Nul, quote};
pub use resident::mark::ResidentSetup;
pub use seal_key::SealKey;
pub use secret::Secret;

// Callers reach phones through this crate without knowing adb.
pub use clawperator_adb::{Deadline, ServerEnvironment};
