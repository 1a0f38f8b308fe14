//! The programs that can be given this server, one row each: where their
//! settings are and how an entry is written there. Pure.

use std::path::{Path, PathBuf};

/// The names of the programs.
pub(crate) const CLIENTS: &[&str] = &["claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini"];

/// One program.
#[derive(Debug)]
pub(crate) struct ClientSpec {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    place: SettingsPlace,
    pub(crate) format: EntryFormat,
}

/// Where its settings are.
#[derive(Clone, Copy, Debug)]
enum SettingsPlace {
    Home(&'static str),
    /// In the folder where the system keeps the settings of applications.
    Settings(&'static str),
}

/// How an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryFormat {
    /// JSON; the servers are an object with that key.
    Json {
        servers: &'static str,
        /// Whether an entry says that it is a process.
        typed: EntryType,
    },
    /// TOML; the servers are tables with that prefix.
    Toml { servers: &'static str },
}

/// Whether an entry has a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryType {
    Stdio,
    Untyped,
}

const fn json(servers: &'static str, typed: EntryType) -> EntryFormat {
    EntryFormat::Json { servers, typed }
}

const TABLE: [ClientSpec; CLIENTS.len()] = [
    client(CLIENTS[0], SettingsPlace::Home(".claude.json"), json("mcpServers", EntryType::Stdio)),
    client(
        CLIENTS[1],
        SettingsPlace::Settings("Claude/claude_desktop_config.json"),
        json("mcpServers", EntryType::Untyped),
    ),
    client(CLIENTS[2], SettingsPlace::Home(".cursor/mcp.json"), json("mcpServers", EntryType::Untyped)),
    client(CLIENTS[3], SettingsPlace::Settings("Code/User/mcp.json"), json("servers", EntryType::Stdio)),
    client(
        CLIENTS[4],
        SettingsPlace::Home(".codex/config.toml"),
        EntryFormat::Toml { servers: "mcp_servers" },
    ),
    client(CLIENTS[5], SettingsPlace::Home(".gemini/settings.json"), json("mcpServers", EntryType::Untyped)),
];

const fn client(name: &'static str, place: SettingsPlace, format: EntryFormat) -> ClientSpec {
    ClientSpec { name, place, format }
}

pub(crate) fn by_name(name: &str) -> Option<&'static ClientSpec> {
    TABLE.iter().find(|client| client.name == name)
}

impl ClientSpec {
    pub(crate) fn file(&self, home: &Path) -> PathBuf {
        match self.place {
            SettingsPlace::Home(path) => home.join(path),
            SettingsPlace::Settings(path) => home.join(settings_folder()).join(path),
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
