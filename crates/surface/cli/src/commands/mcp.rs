//! The command `mcp`.

use crate::flags::agent::{LEVEL, SANDBOX, WORKSPACE};
use crate::flags::mcp as flags;
use crate::mcp_client::CLIENTS;
use crate::spec::{Command, CommandSpec, argument, options, row};

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] =
    &[row(Command::Mcp, "mcp", "Serves an agent over MCP, on standard input and output.")
        .details("The agent's program starts it. With install and the name of that program, it is added to the program's \
            settings instead: the change is shown and asked about, and nothing else in the file changes. docs/mcp.md \
            has the tools.")
        .arguments(&[
            argument("install", "Add this server to the settings of a program.").words(&["install"]),
            argument("CLIENT", "The program.").words(CLIENTS),
        ])
        .flags(&[options(&[flags::TOOLS, WORKSPACE, SANDBOX, LEVEL, flags::YES, flags::FILE])])
        .examples(&[
            "clawperator mcp",
            "clawperator mcp --device sim",
            "clawperator mcp --tools agent --workspace notes",
            "clawperator mcp install claude-code",
            "clawperator mcp install codex --yes",
        ])];
