//! The flags of `lane`.

use crate::spec::{FlagSpec, ValueKind, setting, switch};

pub(crate) const JAR: FlagSpec = setting(
    "jar",
    "FILE",
    "The server's file, u2.jar [default: that of an installed Python package uiautomator2].",
)
.value(ValueKind::Bytes);
pub(crate) const DOWNLOAD: FlagSpec =
    switch("download", "Get the file with pip if no installed package has it; nothing is installed.");
pub(crate) const INDEX_URL: FlagSpec =
    setting("index-url", "URL", "The package index for --download [default: what pip is set to].");
pub(crate) const ALLOW_UNKNOWN: FlagSpec = switch(
    "allow-unknown",
    "Use a file that is not in the table of known ones. It gets all rights of adb's shell.",
);
pub(crate) const IDLE: FlagSpec = setting(
    "idle",
    "MINUTES",
    "After how many minutes without use the server ends by itself, 1 to 1440 [default: 20].",
);
pub(crate) const ANY: FlagSpec = switch("any", "End a server that another program started, too.");
