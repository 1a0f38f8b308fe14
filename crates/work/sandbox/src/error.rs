//! Why a program did not run.

use crate::Missing;
use std::io;
use std::path::PathBuf;

/// Why a program did not run. None of it was started.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// There is no sandbox for this system.
    #[error("the sandbox needs Linux")]
    Unsupported,
    /// Parts are missing, and the plan needs all of them.
    #[error("this system cannot confine the program: {}", list(.0))]
    Refused(Vec<Missing>),
    /// A file or folder of the plan cannot be used.
    #[error("{path}: {error}", path = path.display())]
    Path { path: PathBuf, error: io::Error },
    /// The plan is longer than the launcher reads.
    #[error("the program's arguments and variables are too long ({0} bytes)")]
    TooLong(usize),
    /// The program cannot be started inside.
    #[error("the program cannot be started in the sandbox: {0}")]
    NotStarted(String),
    /// The launcher cannot be started, or ended without a word.
    #[error("the launcher of the sandbox failed: {0}")]
    Launcher(#[from] io::Error),
}

fn list(missing: &[Missing]) -> String {
    let texts: Vec<String> = missing.iter().map(ToString::to_string).collect();
    texts.join("; ")
}
