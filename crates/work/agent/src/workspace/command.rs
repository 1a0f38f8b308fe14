//! Which programs a command may run. The kernel keeps to it (crate `sandbox`); here
//! are the lists, and what is said when a program was refused.

use crate::result::{ToolError, ToolResult};
use clawperator_contract::ErrorCode;
use clawperator_sandbox::{Ending, Programs};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// What a command may run besides the builtins of its shell. `*` is everything.
#[derive(Clone, Debug)]
pub struct CommandPolicy {
    pub allowed: Vec<String>,
}

/// The usual tools for texts and files: inside the sandbox they do no harm.
const USUAL: &str = "[ awk basename bash cat cmp comm cp cut date diff dirname du echo env expr false file find grep head \
    id jq kill ln ls md5sum mkdir mktemp mv nl node nohup npm od paste printf pwd readlink realpath rev \
    rg rm rmdir sed seq setsid sh sha256sum sleep sort split stat tac tail tar tee test timeout touch tr \
    tree true uname uniq wc which whoami xargs yes base64 bunzip2 bzip2 chmod cksum column df egrep fgrep fold \
    gunzip gzip hexdump hostname iconv join less nproc numfmt pgrep pkill printenv ps sha1sum sha512sum shuf strings \
    time truncate tty unxz unzip xxd xz zcat zip";

const FOR_SCRIPTS: &str = "adb am input pm";

const FOR_CODE: &str =
    "cargo eslint git go jest make patch perl pnpm prettier pytest python python3 tsc vitest yarn";

/// What programs say of a file that the kernel does not let them execute.
const REFUSED: &str = "Permission denied";
/// The exit code of a shell that may not run what it found.
const NOT_RUN: i32 = 126;

/// Those of them that do not put the name of a program in quotes.
const STARTERS: [&str; 3] = ["make: ", "sh: ", "xargs: "];

impl CommandPolicy {
    /// What `run_script` allows.
    pub fn for_scripts() -> Self {
        Self::of(&[USUAL, FOR_SCRIPTS])
    }

    /// What `exec` allows.
    pub fn for_code() -> Self {
        Self::of(&[USUAL, FOR_CODE])
    }

    fn of(lists: &[&str]) -> Self {
        let names = lists.iter().flat_map(|list| list.split_ascii_whitespace());
        Self { allowed: names.map(str::to_owned).collect() }
    }

    /// These programs, and those that the user allows besides.
    pub(super) fn programs(&self, more: &[String]) -> Programs {
        let all = self.allowed.iter().chain(more);
        if all.clone().any(|name| name == "*") {
            Programs::All
        } else {
            Programs::Only(all.cloned().collect())
        }
    }
}

pub(super) struct CommandRun<'r> {
    pub(super) failure: Option<String>,
    pub(super) ending: Option<Ending>,
    pub(super) programs: &'r Programs,
    pub(super) output: &'r str,
}

/// Says in the result of a command why it failed, if it did, and what of it was not
/// allowed to run, as far as its output tells.
pub(super) fn tell(result: &mut ToolResult, run: CommandRun<'_>) {
    let CommandRun { failure, ending, programs, output } = run;
    let is_refused = ending == Some(Ending::Exited(NOT_RUN));
    let names = match programs {
        Programs::All => &[],
        Programs::Only(names) => names.as_slice(),
    };
    let lines = output.lines().filter(|_| *programs != Programs::All);
    let refused: BTreeSet<String> =
        lines.filter_map(|line| refused_program(line, names, is_refused)).collect();
    let said: String =
        refused.iter().map(|name| format!(" {name:?} is none of the programs that may run.")).collect();
    if !refused.is_empty() {
        result.data["refused"] = refused.into_iter().collect();
    }
    let Some(failure) = failure else {
        result.text.push_str(&said.replacen(' ', "\n", 1));
        return;
    };
    let code =
        if is_refused && !said.is_empty() { ErrorCode::CommandDenied } else { ErrorCode::CommandFailed };
    let mut error = ToolError::new(code, format!("{failure}{said}"));
    if !said.is_empty() {
        error = error.with_hint(format!(
            "These programs may run: {}. The user can allow more with `programs: [NAME]` in policy.yaml. A file of the workspace runs through its interpreter, such as `bash FILE`.",
            names.join(", ")
        ));
    }
    result.ok = false;
    result.error = Some(error);
}

/// The program that a line of output says was refused: what stands just before, or
/// behind, what programs say of it. It is one of the system's that is not listed or,
/// where the shell itself says so, any path.
fn refused_program(line: &str, names: &[String], is_told: bool) -> Option<String> {
    let (before, behind) = line.split_once(REFUSED)?;
    let said = match behind.strip_prefix(": ") {
        Some(behind) => behind.split_whitespace().next(),
        None => before.trim_end_matches([':', ' ']).rsplit([' ', '\t']).next(),
    };
    let said = said?;
    let word = said.trim_matches(|letter| "'\"‘’`".contains(letter));
    // Many programs write the name of a system call there, and some calls are also programs.
    let is_program = word.len() < said.len() || STARTERS.iter().any(|name| line.starts_with(name));
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let is_one = if word.contains('/') {
        is_told || word.starts_with('/') && runs(Path::new(word))
    } else {
        let mut folders = super::FOLDERS.split(':');
        is_program
            && !names.iter().any(|name| name == word)
            && folders.any(|folder| runs(&Path::new(folder).join(word)))
    };
    is_one.then(|| word.to_owned())
}
