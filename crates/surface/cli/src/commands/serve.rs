//! The command `serve`.

use crate::flags::agent::{LEVEL, SANDBOX, WORKSPACE};
use crate::flags::serve as flags;
use crate::spec::{ArgumentSpec, Command, CommandSpec, argument, options, row};

const ACTION: ArgumentSpec =
    argument("ACTION", "Ask about the server of this state folder, or end it: status or stop.")
        .words(&["status", "stop"]);

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] =
    &[row(Command::Serve, "serve", "Serves phones over HTTP until it is interrupted.")
        .aka(&["server"])
        .details("Requests need a token: Authorization: Bearer TOKEN. It is made at the first start, in a file that only \
            you can read. docs/http.md has the routes. When it is interrupted it lets runs finish for a while, \
            then cancels them. While it runs, flat commands and exec of the same state folder go through it, unless \
            they have --no-daemon.")
        .arguments(&[ACTION])
        .flags(&[options(&[
            flags::HOST,
            flags::PORT,
            flags::SOCKET,
            flags::TOKEN_FILE,
            flags::NOTIFY,
            flags::WEBHOOK,
            WORKSPACE,
            SANDBOX,
            LEVEL,
            flags::VIEW,
            flags::BACKGROUND,
        ])])
        .examples(&[
            "clawperator serve",
            "clawperator serve --background",
            "clawperator serve stop",
            "clawperator serve --notify 'notify-send \"$CLAWPERATOR_APPROVAL_TITLE\" \"$CLAWPERATOR_APPROVAL_LINK\"'",
            "clawperator serve --port 3100 --socket /run/user/1000/clawperator.sock",
        ])];
