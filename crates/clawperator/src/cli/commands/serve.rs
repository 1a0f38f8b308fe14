//! The command `serve`.

use crate::cli::flags::serve as flags;
use crate::cli::spec::{Command, CommandSpec, PLAIN, options};

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    command: Command::Serve,
    name: "serve",
    synonyms: &["server"],
    about: "Serves phones over HTTP until it is interrupted.",
    details: "Requests need a token: Authorization: Bearer TOKEN. It is made at the first start, in a file that only \
        you can read. docs/http.md has the routes. When it is interrupted it lets runs finish for a while, \
        then cancels them.",
    flags: &[options(&[
        flags::HOST,
        flags::PORT,
        flags::SOCKET,
        flags::TOKEN_FILE,
    ])],
    examples: &[
        "clawperator serve",
        "clawperator serve --port 3100 --socket /run/user/1000/clawperator.sock",
    ],
    ..PLAIN
}];
