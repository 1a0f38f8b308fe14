//! A stage for a test: it opens with this value and ends with it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A stage that is open.
#[derive(Debug)]
pub(crate) struct Stage {
    /// Where its adbd answers.
    pub(crate) address: String,
    child: Child,
}

impl Stage {
    /// Opens a stage before the simulated phone at an address: like Android 14, or as the words
    /// say (`7`, and a script that sed runs over what the shell is given).
    pub(crate) fn open(phone: &str, kind: &[&str]) -> Result<Self, String> {
        let mut command = Command::new(built("clawperator-stage"));
        command.arg(packages()).args([phone, "127.0.0.1:0"]).args(kind);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("no stage: {error}; cargo xtask genuine builds it"))?;
        let mut address = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut address).map_err(|error| error.to_string())?;
        }
        let stage = Self { address: address.trim().to_owned(), child };
        if stage.address.is_empty() { Err("the stage did not open".to_owned()) } else { Ok(stage) }
    }
}

#[allow(dead_code, reason = "the tests of the stage itself use these")]
impl Stage {
    /// The folder that it has while it is open.
    pub(crate) fn folder(&self) -> PathBuf {
        std::env::temp_dir().join(format!("clawperator-stage-{}", self.child.id()))
    }

    /// Kills its outer process.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // It ends with its standard input, and clears up after itself.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The folder that everything is built to.
fn target() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let target = own.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    target.map_or_else(PathBuf::new, Path::to_owned)
}

/// A program of the workspace, beside the tests.
pub(crate) fn built(name: &str) -> PathBuf {
    target().join("debug").join(name)
}

/// Where `cargo xtask test` has unpacked the packages.
pub(crate) fn packages() -> PathBuf {
    std::env::var_os("CLAWPERATOR_GENUINE").map_or_else(|| target().join("genuine/deb"), PathBuf::from)
}

#[allow(dead_code, reason = "only some tests use it")]
/// A program of the platform tools that are unpacked.
pub(crate) fn program(name: &str) -> Command {
    let libraries = packages().join(format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH));
    let mut command = Command::new(packages().join("usr/lib/android-sdk/platform-tools").join(name));
    command.env("LD_LIBRARY_PATH", format!("{0}/android:{0}", libraries.display()));
    command
}
