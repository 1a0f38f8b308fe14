//! The flags of `serve`.

use crate::spec::{FlagSpec, ValueKind, setting, switch};

pub(crate) const HOST: FlagSpec = setting(
    "host",
    "HOST",
    "The address or name to listen on [default: 127.0.0.1, which only this computer reaches].",
);
pub(crate) const PORT: FlagSpec = setting("port", "PORT", "The port to listen on [default: 3000].");
pub(crate) const SOCKET: FlagSpec = setting(
    "socket",
    "PATH",
    "Also listen on this Unix socket, for programs of the same user; they need no token.",
)
.value(ValueKind::Bytes);
pub(crate) const NOTIFY: FlagSpec = setting(
    "notify",
    "COMMAND",
    "A command that is run for each approval request; it gets the link in CLAWPERATOR_APPROVAL_LINK and JSON on its input.",
);
pub(crate) const WEBHOOK: FlagSpec =
    setting("notify-url", "URL", "An address that each approval request is posted to, as JSON.");
pub(crate) const VIEW: FlagSpec = switch(
    "view",
    "Answer every execution that acts with what changed on the screen, too; ?view=false leaves that out.",
);
pub(crate) const BACKGROUND: FlagSpec =
    switch("background", "Start it in the background, and print where it is.");
pub(crate) const TOKEN_FILE: FlagSpec = setting(
    "token-file",
    "FILE",
    "The file of the token; made if it is missing [default: token in the state folder].",
)
.value(ValueKind::Bytes);
