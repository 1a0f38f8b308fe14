//! The flags of `approvals`.

use crate::spec::{FlagSpec, ValueKind, setting, switch};

pub(crate) const STATE: FlagSpec =
    setting("state", "STATE", "Only those in this state: pending, approved, rejected or timeout.");
pub(crate) const LINK: FlagSpec =
    switch("link", "Make a new link for it and show it with a QR code; the old link is void.");
pub(crate) const NOTE: FlagSpec = setting("note", "TEXT", "A note to the agent, beside the decision.");
pub(crate) const ANSWER: FlagSpec = setting(
    "answer",
    "FILE",
    "A JSON file with what is given: fields, text, location, files; - for standard input.",
)
.value(ValueKind::Bytes);
pub(crate) const TEXT_FILE: FlagSpec =
    setting("text-file", "FILE", "A file with the text that is given, such as a code; - for standard input.")
        .value(ValueKind::Bytes);
