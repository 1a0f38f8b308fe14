//! Gets a skills repository and keeps it up to date. What comes is looked at before it takes the
//! place of what is there: a registry that cannot be read changes nothing.

use super::file;
use super::git::{self, Git, GitFault};
use super::places::IN_REPOSITORY;
use super::registry::Registry;
use super::repository::Repository;
use super::source::{GitRef, PUBLIC_SOURCE, Source};
use clawperator_contract::{ErrorCode, Failure};
use serde::Serialize;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to get, and where to keep it.
#[derive(Clone, Debug)]
pub struct SyncOrder {
    pub folder: PathBuf,
    /// Where it comes from: as before if this is not given, and the first time
    /// the public repository.
    pub source: Option<Source>,
    pub git_ref: GitRef,
    /// How long each call of git may take, if not as long as usual.
    pub limit: Option<Duration>,
    pub variables: Vec<(OsString, OsString)>,
}

/// What was done.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncReport {
    pub synced: bool,
    pub message: String,
    /// Where it came from, without a password.
    pub source: String,
    #[serde(rename = "ref")]
    pub git_ref: String,
    pub commit: String,
    /// The commit that was there before, if it was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_commit: Option<String>,
    pub total_skills: usize,
    pub registry_path: String,
    /// How to use it from every folder.
    pub env_instruction: String,
}

#[derive(Debug, thiserror::Error)]
enum SyncFault {
    #[error("{0}")]
    Git(#[from] GitFault),
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("another clawperator is updating {}", .0.display())]
    Busy(PathBuf),
    #[error("{} is there already and is not a git repository", .0.display())]
    NotOurs(PathBuf),
    #[error("{} comes from {there}, not from {asked}", folder.display())]
    OtherSource { folder: PathBuf, there: String, asked: String },
    #[error("there is no branch, tag or commit \"{0}\"")]
    NoRef(String),
    #[error("the branch {branch} of {} has commits that its source does not have", folder.display())]
    NotForward { folder: PathBuf, branch: String },
    #[error("the registry that came with it cannot be used: {0}")]
    BadRegistry(String),
}

/// Clones the repository if it is not there, and otherwise moves it forward.
/// `live` gets what git says of its progress, and `stop` ends it early.
///
/// # Errors
/// `SKILLS_GIT_NOT_FOUND`, `EXECUTION_CANCELLED`, or `SKILLS_SYNC_FAILED` with the
/// reason; then what was there is still there.
pub async fn sync<'s>(
    order: &'s SyncOrder,
    live: Option<&'s mut (dyn FnMut(&str) + Send + 's)>,
    stop: impl Future<Output = ()> + 's,
) -> Result<SyncReport, Failure> {
    let mut work = SyncRun {
        order,
        progress: if live.is_some() { "--progress" } else { "--quiet" },
        git: Git {
            variables: git::variables(order.variables.clone()),
            settings: git::UNATTENDED,
            limit: order.limit,
            live,
            stop: Some(Box::pin(stop)),
        },
    };
    work.run().await.map_err(|fault| sync_failure(&fault))
}

struct SyncTarget {
    commit: String,
    /// Whether the ref is a branch, which is moved along.
    is_branch: bool,
}

struct SyncRun<'w> {
    order: &'w SyncOrder,
    progress: &'static str,
    git: Git<'w>,
}

impl SyncRun<'_> {
    async fn run(&mut self) -> Result<SyncReport, SyncFault> {
        let folder = &self.order.folder;
        let parent = folder.parent().unwrap_or(folder);
        at(parent, fs::create_dir_all(parent))?;
        let lock = at(parent, file::try_lock(parent))?;
        let Some(_lock) = lock else {
            return Err(SyncFault::Busy(folder.clone()));
        };
        match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
            Ok(true) if folder.join(".git").exists() => self.update().await,
            Ok(true) => Err(SyncFault::NotOurs(folder.clone())),
            Ok(false) => self.install().await,
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.install().await,
            Err(error) => at(folder, Err(error)),
        }
    }

    /// Clones beside the place and moves it there once it has been looked at.
    async fn install(&mut self) -> Result<SyncReport, SyncFault> {
        let folder = &self.order.folder;
        let parent = folder.parent().unwrap_or(folder);
        let usual = || Source::parse(PUBLIC_SOURCE).map_err(|fault| SyncFault::NoRef(fault.to_string()));
        let source = self.order.source.clone().map_or_else(usual, Ok)?;
        let draft = DraftFolder::new(folder)?;
        let place = draft.0.to_string_lossy().into_owned();
        let words = ["clone", self.progress, "--no-checkout", "--", source.as_str(), &place];
        self.git.run(parent, &words).await?;
        let target = self.target(&draft.0).await?;
        self.look(&draft.0, &target).await?;
        self.check_out(&draft.0, &target).await?;
        if folder.exists() {
            // It is empty: `run` has looked.
            at(folder, fs::remove_dir(folder))?;
        }
        at(folder, fs::rename(&draft.0, folder))?;
        self.report(&source, target, None)
    }

    /// Fetches, looks at what came, and moves forward.
    async fn update(&mut self) -> Result<SyncReport, SyncFault> {
        let folder = &self.order.folder.clone();
        let source = self.source(folder).await?;
        let branches = "+refs/heads/*:refs/remotes/origin/*";
        let words = ["fetch", self.progress, "--force", "--tags", "--prune", "origin", branches];
        self.git.run(folder, &words).await?;
        let target = self.target(folder).await?;
        self.look(folder, &target).await?;
        let before = self.git.ask(folder, &["rev-parse", "--verify", "--quiet", "HEAD"]).await?;
        if target.is_branch {
            self.require_forward(folder, &target).await?;
        }
        // Half of the files would look like changes of a person.
        self.git.stop = None;
        self.check_out(folder, &target).await?;
        self.report(&source, target, before)
    }

    /// Where the repository that is there comes from.
    async fn source(&mut self, folder: &Path) -> Result<Source, SyncFault> {
        let there = self.git.line(folder, &["remote", "get-url", "origin"]).await?;
        let parsed = Source::parse(&there).map_err(|_| SyncFault::NotOurs(folder.to_owned()))?;
        match &self.order.source {
            Some(asked) if *asked != parsed => Err(SyncFault::OtherSource {
                folder: folder.to_owned(),
                there: parsed.public_text(),
                asked: asked.public_text(),
            }),
            Some(_) | None => Ok(parsed),
        }
    }

    /// The commit that was asked for: of a branch of the source, else of a tag, else itself.
    async fn target(&mut self, folder: &Path) -> Result<SyncTarget, SyncFault> {
        let name = self.order.git_ref.as_str();
        for (place, is_branch) in [("refs/remotes/origin/", true), ("refs/tags/", false), ("", false)] {
            let is_hash = name.len() >= 7 && name.chars().all(|c| c.is_ascii_hexdigit());
            if place.is_empty() && !is_hash {
                break;
            }
            let wanted = format!("{place}{name}^{{commit}}");
            let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted];
            if let Some(commit) = self.git.ask(folder, &words).await? {
                return Ok(SyncTarget { commit, is_branch });
            }
        }
        Err(SyncFault::NoRef(name.to_owned()))
    }

    async fn look(&mut self, folder: &Path, target: &SyncTarget) -> Result<(), SyncFault> {
        let wanted = format!("{}:{IN_REPOSITORY}", target.commit);
        let words = ["cat-file", "blob", &wanted];
        let bytes = match self.git.run(folder, &words).await {
            Err(GitFault::Failed { .. }) => Err(SyncFault::BadRegistry(format!("it has no {IN_REPOSITORY}"))),
            Err(fault) => Err(fault.into()),
            Ok(bytes) => Ok(bytes),
        }?;
        let read = Registry::parse(&bytes);
        read.map(drop).map_err(|fault| SyncFault::BadRegistry(format!("{IN_REPOSITORY}: {fault}")))
    }

    /// Refuses to leave behind commits that only the branch here has.
    async fn require_forward(&mut self, folder: &Path, target: &SyncTarget) -> Result<(), SyncFault> {
        let branch = self.order.git_ref.as_str();
        let here = format!("refs/heads/{branch}");
        let exists = self.git.ask(folder, &["rev-parse", "--verify", "--quiet", &here]).await?;
        if exists.is_none() {
            return Ok(());
        }
        let words = ["merge-base", "--is-ancestor", &here, &target.commit];
        let forward = self.git.ask(folder, &words).await?;
        forward
            .map(drop)
            .ok_or_else(|| SyncFault::NotForward { folder: folder.to_owned(), branch: branch.to_owned() })
    }

    /// Moves the files to a commit. git does nothing if that would overwrite what a person changed.
    async fn check_out(&mut self, folder: &Path, target: &SyncTarget) -> Result<(), SyncFault> {
        let branch = self.order.git_ref.as_str();
        let words: &[&str] = if target.is_branch {
            &["checkout", "--quiet", "--no-track", "-B", branch, &target.commit, "--"]
        } else {
            &["checkout", "--quiet", "--detach", &target.commit, "--"]
        };
        self.git.run(folder, words).await?;
        Ok(())
    }

    fn report(
        &self,
        source: &Source,
        target: SyncTarget,
        before: Option<String>,
    ) -> Result<SyncReport, SyncFault> {
        let folder = &self.order.folder;
        let repo = Repository::open(&folder.join(IN_REPOSITORY));
        let repo = repo.map_err(|error| SyncFault::BadRegistry(error.to_string()))?;
        let total = repo.registry.skills.len();
        let was_there = before.is_some();
        let previous_commit = before.filter(|before| *before != target.commit);
        let at = &target.commit[..target.commit.len().min(12)];
        let message = match (&previous_commit, was_there) {
            (Some(_), _) => format!("updated to {at}: {total} skills"),
            (None, true) => format!("up to date at {at}: {total} skills"),
            (None, false) => format!("installed at {at}: {total} skills"),
        };
        let registry_path = repo.registry_path.display().to_string();
        Ok(SyncReport {
            synced: true,
            message,
            source: source.public_text(),
            git_ref: self.order.git_ref.as_str().to_owned(),
            commit: target.commit,
            previous_commit,
            total_skills: total,
            env_instruction: format!("export CLAWPERATOR_SKILLS_REGISTRY='{registry_path}'"),
            registry_path,
        })
    }
}

/// A folder beside the place of a repository. What is left of it is removed.
struct DraftFolder(PathBuf);

impl DraftFolder {
    fn new(folder: &Path) -> Result<Self, SyncFault> {
        let mut name = OsString::from(".");
        name.push(folder.file_name().unwrap_or_default());
        name.push(".draft");
        let draft = Self(folder.with_file_name(name));
        match fs::remove_dir_all(&draft.0) {
            // One may be left of a process that was killed; the lock is ours.
            Err(error) if error.kind() != io::ErrorKind::NotFound => at(&draft.0, Err(error))?,
            Ok(()) | Err(_) => {}
        }
        Ok(draft)
    }
}

impl Drop for DraftFolder {
    fn drop(&mut self) {
        // It is there no more if it was moved to its place. What cannot be
        // removed is removed the next time.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, SyncFault> {
    result.map_err(|error| SyncFault::Io { path: path.to_owned(), error })
}

fn sync_failure(fault: &SyncFault) -> Failure {
    let hint = match fault {
        SyncFault::Git(GitFault::NoGit) => {
            return Failure::of(ErrorCode::SkillsGitNotFound, fault.to_string());
        }
        SyncFault::Git(GitFault::Stopped { .. }) => {
            let message = format!("the skills repository was not updated: {fault}");
            return Failure::of(ErrorCode::ExecutionCancelled, message);
        }
        SyncFault::Git(GitFault::TimedOut { .. }) => "Check the network, or allow more time with --timeout.",
        SyncFault::Git(_) => {
            "Read git's reason in the message; if it asks for a password, set up a key or a helper."
        }
        SyncFault::Io { .. } => "Check that the folder can be written to.",
        SyncFault::Busy(_) => "Wait until it has ended.",
        SyncFault::NotOurs(_) => "Move the folder away, or set CLAWPERATOR_HOME to another folder.",
        SyncFault::OtherSource { .. } => {
            "Leave out --from, or move the folder away to install from elsewhere."
        }
        SyncFault::NoRef(_) => "Name a branch, a tag or a commit of the repository with --ref.",
        SyncFault::NotForward { .. } => "Push or remove the commits; the repository is only moved forward.",
        SyncFault::BadRegistry(_) => "Correct the repository, or choose another state of it with --ref.",
    };
    let message = format!("the skills repository was not updated: {fault}");
    Failure::new(ErrorCode::SkillsSyncFailed, message).hint(hint)
}
