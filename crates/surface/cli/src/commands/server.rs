//! The commands `serve`, `watch` and `mcp`.

use crate::flags::agent::{LEVEL, SANDBOX, WORKSPACE};
use crate::flags::{mcp, pool, serve, watch};
use crate::mcp_client::CLIENTS;
use crate::spec::{ArgumentSpec, Command, CommandSpec, argument, options, row};

const ACTION: ArgumentSpec =
    argument("ACTION", "Ask about the server of this state folder, or end it: status or stop.")
        .words(&["status", "stop"]);

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    row(Command::Serve, "serve", "Serves phones over HTTP until it is interrupted.")
        .aka(&["server"])
        .details("Requests need a token: Authorization: Bearer TOKEN. It is made at the first start, in a file that only \
            you can read. docs/http.md has the routes. When it is interrupted it lets runs finish for a while, \
            then cancels them. While it runs, flat commands and exec of the same state folder go through it, unless \
            they have --no-daemon.")
        .arguments(&[ACTION])
        .flags(&[options(&[
            serve::HOST,
            serve::PORT,
            serve::SOCKET,
            serve::TOKEN_FILE,
            serve::NOTIFY,
            serve::WEBHOOK,
            WORKSPACE,
            SANDBOX,
            LEVEL,
            serve::VIEW,
            serve::BACKGROUND,
            pool::TENANT,
        ])])
        .examples(&[
            "clawperator serve",
            "clawperator serve --background",
            "clawperator serve --pool submitter.json",
            "clawperator serve stop",
            "clawperator serve --notify 'notify-send \"$CLAWPERATOR_APPROVAL_TITLE\" \"$CLAWPERATOR_APPROVAL_LINK\"'",
            "clawperator serve --port 3100 --socket /run/user/1000/clawperator.sock",
        ]),
    row(Command::Watch, "watch", "Shows the steps of a server's runs as they happen.")
        .details("Needs a running clawperator serve of the same user. Shows every run until it is interrupted; with --device \
            only those on the phone of that serial; with RUN only that one, and ends with it: 0 for a success, 1 for a \
            failure. With --json it prints each event as a line of JSON. With --pool it shows jobs and phones of the \
            pool instead, or the job that RUN names.")
        .arguments(&[argument("RUN", "The id of a run.")])
        .flags(&[options(&[watch::HOST, watch::PORT, watch::TOKEN_FILE, pool::TENANT])])
        .examples(&[
            "clawperator watch",
            "clawperator watch --device emulator-5554",
            "clawperator watch run-1794734112345-0000beef-1",
            "clawperator watch --pool local",
        ]),
    row(Command::Mcp, "mcp", "Serves an agent over MCP, on standard input and output.")
        .details("The agent's program starts it. With install and the name of that program, it is added to the program's \
            settings instead: the change is shown and asked about, and nothing else in the file changes. docs/mcp.md \
            has the tools.")
        .arguments(&[
            argument("install", "Add this server to the settings of a program.").words(&["install"]),
            argument("CLIENT", "The program.").words(CLIENTS),
        ])
        .flags(&[options(&[mcp::TOOLS, WORKSPACE, SANDBOX, LEVEL, mcp::YES, mcp::FILE, pool::TENANT])])
        .examples(&[
            "clawperator mcp",
            "clawperator mcp --device sim",
            "clawperator mcp --tools agent --workspace notes",
            "clawperator mcp install claude-code",
            "clawperator mcp install codex --yes",
        ]),
];
