//! The tools that work in a folder of the computer: read, write, edit,
//! apply_patch, exec, process and run_script.
//!
//! Files are reached through `folder`, which nothing leaves; programs run in the
//! sandbox. Who may call a tool is decided before, by the policy.

mod command;
mod exec;
mod file;
mod folder;
mod patch;
mod process;
mod script;
mod session;

pub use command::CommandPolicy;

use crate::result::ToolError;
use clawperator_contract::{ErrorCode, Number};
use clawperator_sandbox::{Level, Limits, Network, Plan, Programs, Sandbox, SandboxError};
use folder::WorkspaceFolder;
use session::ProgramSessions;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How programs are run.
#[derive(Clone, Debug)]
pub struct WorkspaceSettings {
    /// The program that starts others confined: this program itself.
    pub launcher: PathBuf,
    /// Whether programs run if the system lacks a part of the sandbox.
    pub level: Level,
    /// Folders that programs and the tool read may read, besides the system's and the workspace.
    pub read: Vec<PathBuf>,
    pub commands: CommandPolicy,
    pub scripts: CommandPolicy,
    /// How many letters of an output a result has.
    pub max_output: usize,
}

impl WorkspaceSettings {
    /// The usual settings.
    pub fn new(launcher: impl Into<PathBuf>) -> Self {
        Self {
            launcher: launcher.into(),
            level: Level::Strict,
            read: Vec::new(),
            commands: CommandPolicy::for_code(),
            scripts: CommandPolicy::for_scripts(),
            max_output: 12_000,
        }
    }
}

/// A folder and the programs that run in it. They end when it is dropped.
pub struct Workspace {
    folder: WorkspaceFolder,
    settings: WorkspaceSettings,
    sandbox: Sandbox,
    sessions: ProgramSessions,
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Workspace({})", self.path().display())
    }
}

/// How long a program may take at most, whatever the caller says.
const MAX_TIME: Duration = Duration::from_secs(24 * 3600);

const FOLDERS: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// All variables of a program: it gets none of the caller's.
const VARIABLES: &[(&str, &str)] =
    &[("HOME", "/tmp"), ("LANG", "C.UTF-8"), ("PATH", FOLDERS), ("TERM", "dumb"), ("TMPDIR", "/tmp")];

impl Workspace {
    /// Opens a folder.
    ///
    /// # Errors
    /// It is not there, not a folder, or has the system's programs in it.
    pub fn open(root: &Path, settings: WorkspaceSettings) -> io::Result<Self> {
        let folder = WorkspaceFolder::open(root)?;
        if FOLDERS.split(':').any(|programs| Path::new(programs).starts_with(folder.path())) {
            let message = "the system's programs are in it, and could be changed; choose a folder of its own";
            return Err(io::Error::other(message));
        }
        Ok(Self {
            folder,
            sandbox: Sandbox::new(&settings.launcher),
            sessions: ProgramSessions::default(),
            settings,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The bytes of a file inside.
    pub(crate) fn bytes(&self, path: &str) -> Result<Vec<u8>, ToolError> {
        let bytes = self.folder.place(path).and_then(|place| self.folder.bytes(&place));
        bytes.map_err(|error| error.about(path))
    }

    /// Ends all programs, and waits for that.
    pub async fn close(&self) {
        self.sessions.end_all().await;
    }

    fn plan(&self, arguments: &[&str], folder: PathBuf, programs: Programs) -> Plan {
        let of = |text: &str| OsString::from(text);
        Plan {
            program: of("bash"),
            arguments: arguments.iter().map(|argument| of(argument)).collect(),
            variables: VARIABLES.iter().map(|(name, value)| (of(name), of(value))).collect(),
            folder,
            read: self.settings.read.clone(),
            write: vec![self.folder.path().to_owned()],
            programs,
            network: Network::None,
            limits: Limits::default(),
            level: self.settings.level,
        }
    }
}

fn seconds(number: Number) -> Duration {
    Duration::try_from_secs_f64(number.get().round().max(1.0)).map_or(MAX_TIME, |time| time.min(MAX_TIME))
}

fn not_started(error: &SandboxError) -> ToolError {
    let code = match error {
        SandboxError::Unsupported | SandboxError::Refused(_) => ErrorCode::SandboxUnavailable,
        SandboxError::Path { .. }
        | SandboxError::TooLong(_)
        | SandboxError::NotStarted(_)
        | SandboxError::Launcher(_) => ErrorCode::SandboxFailed,
    };
    ToolError::new(code, format!("The program did not run: {error}."))
}

/// The first letters of a text, and whether there were more.
fn cut(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        None => (text.to_owned(), false),
        Some((end, _)) => (format!("{}\n[the rest is left out]", &text[..end]), true),
    }
}
