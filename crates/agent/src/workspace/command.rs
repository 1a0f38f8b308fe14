//! Which programs a command may run. The kernel keeps to it (crate `sandbox`); here
//! are the lists, and what is said when a program was refused.

use crate::result::ToolError;
use clawperator_contract::ErrorCode;
use clawperator_sandbox::{Ending, Programs};

/// What a command may run besides the builtins of its shell. `*` is everything.
#[derive(Clone, Debug)]
pub struct CommandPolicy {
    /// The names.
    pub allowed: Vec<String>,
}

/// The usual tools for texts and files: inside the sandbox they do no harm.
const USUAL: &str = "[ awk basename bash cat cmp comm cp cut date diff dirname du echo env expr false file find grep head \
    id jq kill ln ls md5sum mkdir mktemp mv nl node nohup npm od paste printf pwd readlink realpath rev \
    rg rm rmdir sed seq setsid sh sha256sum sleep sort split stat tac tail tar tee test timeout touch tr \
    tree true uname uniq wc which whoami xargs yes";

const FOR_SCRIPTS: &str = "adb am input pm";

const FOR_CODE: &str =
    "cargo eslint git go jest make patch perl pnpm prettier pytest python python3 tsc vitest yarn";

/// What programs say of a file that the kernel does not let them execute.
const REFUSED: &str = "Permission denied";
/// The exit code of a shell that may not run what it found.
const NOT_RUN: i32 = 126;

impl CommandPolicy {
    /// What `run_script` allows.
    #[must_use]
    pub fn for_scripts() -> Self {
        Self::of(&[USUAL, FOR_SCRIPTS])
    }

    /// What `exec` allows.
    #[must_use]
    pub fn for_code() -> Self {
        Self::of(&[USUAL, FOR_CODE])
    }

    fn of(lists: &[&str]) -> Self {
        let names = lists.iter().flat_map(|list| list.split_ascii_whitespace());
        Self {
            allowed: names.map(str::to_owned).collect(),
        }
    }

    /// These programs, and those that the user allows besides.
    pub(super) fn programs(&self, more: &[String]) -> Programs {
        let all = self.allowed.iter().chain(more);
        match all.clone().any(|name| name == "*") {
            true => Programs::All,
            false => Programs::Only(all.cloned().collect()),
        }
    }
}

/// Why a command failed: how it ended, and what of it was not allowed to run, as far
/// as its output tells.
pub(super) fn failed(
    message: String,
    ending: Option<Ending>,
    (programs, output): (&Programs, &str),
) -> ToolError {
    let Programs::Only(names) = programs else {
        return ToolError::new(ErrorCode::CommandFailed, message);
    };
    let is_refused = ending == Some(Ending::Exited(NOT_RUN));
    let lines = output.lines().filter(|line| line.contains(REFUSED));
    let Some(refused) = lines
        .filter_map(|line| refused(line, names, is_refused))
        .next_back()
    else {
        return ToolError::new(ErrorCode::CommandFailed, message);
    };
    let code = match is_refused {
        true => ErrorCode::CommandDenied,
        false => ErrorCode::CommandFailed,
    };
    let message = format!("{message} {refused:?} was not allowed to run.");
    ToolError::new(code, message).with_hint(format!(
        "These programs may run: {}. The user can allow more with `programs: [NAME]` in policy.yaml. A file of the workspace runs through its interpreter, such as `bash FILE`.",
        names.join(", ")
    ))
}

/// The program that a line of output says was refused: one of the system's that is
/// not listed or, where the shell itself says so, any path.
fn refused(line: &str, names: &[String], is_told: bool) -> Option<String> {
    let folders = super::VARIABLES.iter().find(|(name, _)| *name == "PATH")?.1;
    let is_there = |name: &str| {
        folders
            .split(':')
            .any(|folder| super::Path::new(folder).join(name).exists())
    };
    let words = line.split(|letter: char| letter.is_whitespace() || "'\"‘’`:,()".contains(letter));
    let mut words = words.filter(|word| !word.is_empty());
    let name = words.rfind(|word| match word.rsplit_once('/') {
        None => !names.iter().any(|name| name == word) && is_there(word),
        Some((folder, base)) => is_told || folders.split(':').any(|one| one == folder) && is_there(base),
    });
    name.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_is_named() {
        let names = ["bash", "cat", "env"].map(str::to_owned);
        for (line, is_told, expected) in [
            (
                "bash: line 1: /usr/bin/dd: Permission denied",
                true,
                Some("/usr/bin/dd"),
            ),
            ("env: 'dd': Permission denied", true, Some("dd")),
            ("bash: ./own: Permission denied", true, Some("./own")),
            (
                "/w/script.sh: line 1: /usr/bin/dd: Permission denied",
                true,
                Some("/usr/bin/dd"),
            ),
            ("cat: /etc/shadow: Permission denied", false, None),
            (
                "PermissionError: [Errno 13] Permission denied: 'dd'",
                false,
                Some("dd"),
            ),
        ] {
            assert_eq!(refused(line, &names, is_told).as_deref(), expected, "{line}");
        }
    }
}
