//! The command `watch`.

use crate::flags::watch as flags;
use crate::spec::{Command, CommandSpec, argument, options, row};

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] =
    &[row(Command::Watch, "watch", "Shows the steps of a server's runs as they happen.")
        .details("Needs a running clawperator serve of the same user. Shows every run until it is interrupted; with --device \
            only those on the phone of that serial; with RUN only that one, and ends with it: 0 for a success, 1 for a \
            failure. With --json it prints each event as a line of JSON.")
        .arguments(&[argument("RUN", "The id of a run.")])
        .flags(&[options(&[flags::HOST, flags::PORT, flags::TOKEN_FILE])])
        .examples(&[
            "clawperator watch",
            "clawperator watch --device emulator-5554",
            "clawperator watch run-1794734112345-0000beef-1",
        ])];
