//! The programs that can be given this server, one row each: where their
//! settings are and how an entry is written there. Pure.

use std::path::{Path, PathBuf};

/// The names of the programs.
pub(crate) const CLIENTS: &[&str] = &[
    "claude-code",
    "claude-desktop",
    "cursor",
    "vscode",
    "codex",
    "gemini",
];

/// One program.
#[derive(Debug)]
pub(crate) struct Client {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    place: Place,
    pub(crate) format: Format,
}

/// Where its settings are.
#[derive(Clone, Copy, Debug)]
enum Place {
    Home(&'static str),
    /// In the folder where the system keeps the settings of applications.
    Settings(&'static str),
}

/// How an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON; the servers are an object with that key.
    Json {
        servers: &'static str,
        /// Whether an entry says that it is a process.
        typed: Typed,
    },
    /// TOML; the servers are tables with that prefix.
    Toml { servers: &'static str },
}

/// Whether an entry has a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Stdio,
    Untyped,
}

const fn json(servers: &'static str, typed: Typed) -> Format {
    Format::Json { servers, typed }
}

const TABLE: [Client; CLIENTS.len()] = [
    Client {
        name: CLIENTS[0],
        place: Place::Home(".claude.json"),
        format: json("mcpServers", Typed::Stdio),
    },
    Client {
        name: CLIENTS[1],
        place: Place::Settings("Claude/claude_desktop_config.json"),
        format: json("mcpServers", Typed::Untyped),
    },
    Client {
        name: CLIENTS[2],
        place: Place::Home(".cursor/mcp.json"),
        format: json("mcpServers", Typed::Untyped),
    },
    Client {
        name: CLIENTS[3],
        place: Place::Settings("Code/User/mcp.json"),
        format: json("servers", Typed::Stdio),
    },
    Client {
        name: CLIENTS[4],
        place: Place::Home(".codex/config.toml"),
        format: Format::Toml {
            servers: "mcp_servers",
        },
    },
    Client {
        name: CLIENTS[5],
        place: Place::Home(".gemini/settings.json"),
        format: json("mcpServers", Typed::Untyped),
    },
];

pub(crate) fn named(name: &str) -> Option<&'static Client> {
    TABLE.iter().find(|client| client.name == name)
}

impl Client {
    pub(crate) fn file(&self, home: &Path) -> PathBuf {
        match self.place {
            Place::Home(path) => home.join(path),
            Place::Settings(path) => home.join(settings_folder()).join(path),
        }
    }
}

/// Where the system keeps the settings of applications, in the home folder.
fn settings_folder() -> &'static str {
    if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else if cfg!(windows) {
        "AppData/Roaming"
    } else {
        ".config"
    }
}
