//! The flags of `secrets`.

use crate::spec::{FlagSpec, setting};

pub(crate) const SESSION: FlagSpec = setting(
    "session",
    "SESSION",
    "The session: cli.NAME, http.NAME or mcp.default [default: cli. and CLAWPERATOR_SESSION, or cli.default].",
);
pub(crate) const APP: FlagSpec =
    setting("app", "PACKAGE", "The only app that it may be typed into [default: every app].");
pub(crate) const MINUTES: FlagSpec =
    setting("minutes", "N", "How long it is kept, at most 1440 [default: 60].");
