//! Shells of this computer that run our scripts: bash, which is everywhere, and mksh, which is a
//! phone's. `cargo xtask test` unpacks mksh and says where it is.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a script printed, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::phone) struct Printed {
    pub(in crate::phone) out: String,
    pub(in crate::phone) err: String,
    pub(in crate::phone) code: Option<i32>,
}

/// How long the computer waits for the answer.
#[derive(Clone, Copy)]
pub(in crate::phone) enum Client {
    Waits,
    /// It is gone before the script begins.
    Gone,
}

/// The phone's shell, if it is here.
pub(in crate::phone) fn mksh() -> Option<PathBuf> {
    if let Some(unpacked) = std::env::var_os("CLAWPERATOR_MKSH") {
        let unpacked = PathBuf::from(unpacked);
        assert!(unpacked.is_file(), "CLAWPERATOR_MKSH names {}, which is not there", unpacked.display());
        return Some(unpacked);
    }
    let installed = PathBuf::from("/bin/mksh");
    installed.is_file().then_some(installed)
}

/// The shells that a script is tried on.
pub(in crate::phone) fn shells() -> Vec<PathBuf> {
    mksh().into_iter().chain([PathBuf::from("bash")]).collect()
}

/// Runs a text in a shell. `phone` comes first and plays the phone's own commands.
pub(in crate::phone) fn run_in(shell: &PathBuf, phone: &str, text: &str, client: Client) -> Printed {
    let mut command = Command::new(shell);
    command.args(["-c", &format!("{phone}\n{text}")]).env("LC_ALL", "C.UTF-8");
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().unwrap();
    let mut input = child.stdin.take();
    match client {
        Client::Waits => input.as_mut().unwrap().flush().unwrap(),
        Client::Gone => drop(input.take()),
    }
    let output = child.wait_with_output().unwrap();
    drop(input);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Printed { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
}

/// What all shells print, which is the same.
pub(in crate::phone) fn run(phone: &str, text: &str, client: Client) -> Printed {
    let mut printed = shells().into_iter().map(|shell| run_in(&shell, phone, text, client));
    let first = printed.next().unwrap();
    for other in printed {
        assert_eq!(first, other, "{phone}\n{text}");
    }
    first
}
