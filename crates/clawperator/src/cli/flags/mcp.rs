//! The flags of `mcp install`.

use crate::cli::spec::{FlagSpec, ValueKind, setting, switch};

pub(crate) const YES: FlagSpec = switch("yes", "Write the file without asking.");
pub(crate) const FILE: FlagSpec = FlagSpec {
    value: ValueKind::Bytes,
    ..setting("settings", "FILE", "The settings file, instead of the usual one.")
};
