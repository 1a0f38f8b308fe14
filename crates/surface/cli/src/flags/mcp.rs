//! The flags of `mcp` and `mcp install`.

use crate::spec::{FlagSpec, ValueKind, setting, switch};
use clawperator_server::mcp::Tools;

pub(crate) const TOOLS: FlagSpec = setting(
    "tools",
    "WHICH",
    "Which tools to offer: those for a phone, or those of an agent [default: phone].",
)
.words(Tools::WORDS);
pub(crate) const YES: FlagSpec = switch("yes", "Write the file without asking.");
pub(crate) const FILE: FlagSpec =
    setting("settings", "FILE", "The settings file, instead of the usual one.").value(ValueKind::Bytes);
