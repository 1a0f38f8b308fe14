//! The guard of a git repository: a pre-commit hook that looks for texts that
//! belong to one user in what is about to be committed. No message repeats them.

use super::denylist::IN_GIT;
use super::file;
use super::git::{Git, GitFault};
use super::limits::{MAX_DENYLIST_BYTES, MAX_LEAKS};
use super::staged::{AddedLine, added_lines};
use crate::recipe::{Denylist, DenylistTooLong, LiteralKind, scan};
use clawperator_contract::{ErrorCode, Failure, Problem};
use serde::Serialize;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MARK: &str = "# clawperator skills hook";
/// A list as it is made first.
const NEW_DENYLIST: &str = include_str!("scaffold/denylist.txt");
/// The diff as it is whatever the user's settings are.
const DIFF: &[&str] = &[
    "diff",
    "--cached",
    // What an attribute calls binary may be a text.
    "--text",
    "--unified=0",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--diff-filter=d",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];
/// What the hook looks for. A number can be anything in a file that is not a
/// recipe, so the other kinds are for `skills lint`.
const BLOCKED: [LiteralKind; 2] = [LiteralKind::Denied, LiteralKind::Serial];

/// A repository and the caller's environment.
#[derive(Clone, Debug)]
pub struct HookPlace {
    pub folder: PathBuf,
    /// The caller's environment. In a hook, it says which index is meant.
    pub variables: Vec<(OsString, OsString)>,
}

/// A hook that is in place.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstalledHook {
    pub installed: bool,
    pub hook_path: String,
    pub denylist_path: String,
    pub next: String,
}

/// Staged changes in which nothing was found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StagedClean {
    pub clean: bool,
    pub lines: usize,
    pub has_denylist: bool,
}

#[derive(Debug, thiserror::Error)]
enum HookFault {
    #[error("{0}")]
    Git(#[from] GitFault),
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{}: {error}", path.display())]
    List { path: PathBuf, error: DenylistTooLong },
    #[error("{} is a hook already, and not one of clawperator's", .0.display())]
    OtherHook(PathBuf),
    #[error("the hooks of this repository are in {}, which other repositories share", .0.display())]
    SharedHooks(PathBuf),
}

/// Installs the hook that runs `program`, and makes an empty list.
///
/// # Errors
/// If there is no repository, or another hook is there.
pub async fn install_hook(place: &HookPlace, program: &Path) -> Result<InstalledHook, Failure> {
    let hooks = git_path(place, &["rev-parse", "--git-path", "hooks"]).await?;
    let owner = git_path(place, &["rev-parse", "--show-toplevel"]).await?;
    let common = git_path(place, &["rev-parse", "--git-common-dir"]).await?;
    let denylist = git_path(place, &["rev-parse", "--git-path", IN_GIT]).await?;
    if !hooks.starts_with(&owner) && !hooks.starts_with(&common) {
        return Err(HookFault::SharedHooks(hooks).into());
    }
    let hook = write_hook(&hooks, &denylist, program)?;
    Ok(InstalledHook {
        installed: true,
        hook_path: hook.display().to_string(),
        next: format!(
            "Write names, nicknames and serials that must not be committed into {}, one per line.",
            denylist.display()
        ),
        denylist_path: denylist.display().to_string(),
    })
}

/// Looks for texts of the list and for serials of phones in the lines that a commit would add.
///
/// # Errors
/// `SENSITIVE_LITERAL_FOUND` with every file and line; or why nothing could be
/// looked at, which must not pass for clean.
pub async fn scan_staged(place: &HookPlace) -> Result<StagedClean, Failure> {
    let path = git_path(place, &["rev-parse", "--git-path", IN_GIT]).await?;
    let list = read_list(&path)?;
    let diff = place.git().run(&place.folder, DIFF).await.map_err(HookFault::Git)?;
    let diff = String::from_utf8_lossy(&diff);
    let lines = added_lines(&diff);
    let leaks: Vec<Leak<'_>> = lines.iter().filter_map(|line| list.leak(line)).collect();
    if leaks.is_empty() {
        Ok(StagedClean { clean: true, lines: lines.len(), has_denylist: !list.denied.is_empty() })
    } else {
        Err(leak_failure(&leaks, &path))
    }
}

impl HookPlace {
    fn git(&self) -> Git<'static> {
        Git {
            variables: self.variables.clone(),
            settings: &["core.quotePath=false"],
            limit: None,
            live: None,
            stop: None,
        }
    }
}

/// A path that git prints, as it is from every folder.
async fn git_path(place: &HookPlace, words: &[&str]) -> Result<PathBuf, HookFault> {
    let line = place.git().line(&place.folder, words).await?;
    let path = place.folder.join(line);
    std::path::absolute(&path).map_err(|error| HookFault::Io { path, error })
}

fn write_hook(hooks: &Path, denylist: &Path, program: &Path) -> Result<PathBuf, HookFault> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| HookFault::Io { path, error }
    };
    fs::create_dir_all(hooks).map_err(io(hooks))?;
    let hook = hooks.join("pre-commit");
    let is_ours = |text: Vec<u8>| String::from_utf8_lossy(&text).contains(MARK);
    if hook.symlink_metadata().is_ok() && !file::read(&hook, MAX_DENYLIST_BYTES).is_ok_and(is_ours) {
        return Err(HookFault::OtherHook(hook));
    }
    let program = program.to_string_lossy().replace('\'', r"'\''");
    let text = format!(
        "#!/bin/sh\n{MARK}\nprogram='{program}'\n[ -x \"$program\" ] || program=clawperator\n\
         exec \"$program\" skills hook scan --output pretty >&2\n"
    );
    file::replace(&hook, text.as_bytes()).map_err(io(&hook))?;
    file::make_executable(&hook).map_err(io(&hook))?;
    if denylist.symlink_metadata().is_err() {
        let folder = denylist.parent().unwrap_or(denylist);
        fs::create_dir_all(folder).map_err(io(folder))?;
        fs::write(denylist, NEW_DENYLIST).map_err(io(denylist))?;
    }
    Ok(hook)
}

struct List {
    denied: Denylist,
    /// What looks like a serial and is none.
    allowed: Vec<String>,
}

struct Leak<'d> {
    line: AddedLine<'d>,
    kind: LiteralKind,
    column: usize,
}

fn read_list(path: &Path) -> Result<List, HookFault> {
    let text = match file::read(path, MAX_DENYLIST_BYTES) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            let path = path.to_owned();
            return Err(HookFault::Io { path, error });
        }
    };
    let (allowed, denied): (Vec<&str>, Vec<&str>) =
        text.lines().map(str::trim).partition(|line| line.starts_with('!'));
    let denied = Denylist::parse(&denied.join("\n"))
        .map_err(|error| HookFault::List { path: path.to_owned(), error })?;
    Ok(List { denied, allowed: allowed.into_iter().map(|line| line[1..].trim().to_owned()).collect() })
}

impl List {
    /// The first thing in a line that must not be committed.
    fn leak<'d>(&self, line: &AddedLine<'d>) -> Option<Leak<'d>> {
        let found = scan(line.text, &self.denied).into_iter().find(|literal| {
            let is_allowed =
                || self.allowed.iter().any(|allowed| allowed == &line.text[literal.start..literal.end]);
            BLOCKED.contains(&literal.kind) && (literal.kind == LiteralKind::Denied || !is_allowed())
        })?;
        Some(Leak { line: *line, kind: found.kind, column: line.text[..found.start].chars().count() + 1 })
    }
}

fn leak_failure(leaks: &[Leak<'_>], denylist: &Path) -> Failure {
    let place = |leak: &Leak<'_>| format!("{}:{}:{}", leak.line.file, leak.line.number, leak.column);
    let first = &leaks[0];
    let more = match leaks.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let message = format!("{}: {}{more}", place(first), first.kind.word());
    let problem = |leak: &Leak<'_>| Problem {
        code: ErrorCode::SensitiveLiteralFound,
        ..Problem::new(place(leak), leak.kind.word().to_owned())
    };
    let hint = format!(
        "Replace it with an input such as ${{inputs.name}} and stage the file again. What is no serial can be \
         allowed with a line \"!TEXT\" in {}.",
        denylist.display()
    );
    Failure::new(ErrorCode::SensitiveLiteralFound, message).hint(hint).with(|details| {
        details.problems = leaks.iter().take(MAX_LEAKS).map(problem).collect();
        details.problems_omitted = leaks.len().checked_sub(MAX_LEAKS).filter(|more| *more > 0);
    })
}

impl From<HookFault> for Failure {
    fn from(fault: HookFault) -> Self {
        let (code, hint) = match &fault {
            HookFault::Git(GitFault::NoGit) => {
                (ErrorCode::SkillsGitNotFound, "Install git, or put it on the PATH.")
            }
            HookFault::Git(GitFault::TooMuch { .. }) => {
                (ErrorCode::SkillsHookFailed, "Commit in smaller parts, so that all of it can be looked at.")
            }
            HookFault::Git(_) => (ErrorCode::SkillsHookFailed, "Run it in a git repository."),
            HookFault::Io { .. } => (ErrorCode::SkillsHookFailed, "Check that the folder can be written to."),
            HookFault::List { .. } => {
                (ErrorCode::SkillsHookFailed, "Remove texts that are not needed any more.")
            }
            HookFault::OtherHook(_) => {
                (ErrorCode::SkillsHookFailed, "Add the line \"clawperator skills hook scan\" to your hook.")
            }
            HookFault::SharedHooks(_) => (
                ErrorCode::SkillsHookFailed,
                "Add the line \"clawperator skills hook scan\" to the pre-commit hook there, or unset core.hooksPath here.",
            ),
        };
        Self::new(code, fault.to_string()).hint(hint)
    }
}
