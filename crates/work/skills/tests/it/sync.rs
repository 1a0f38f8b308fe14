//! A skills repository is cloned and moved forward, from folders of this computer.

use super::Folder;
use clawperator_skills::repo::{GitRef, Source, SyncOrder, SyncReport, sync};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A repository to clone, and a place for the clone.
struct Lab {
    folder: Folder,
    order: SyncOrder,
}

impl Lab {
    fn new() -> Self {
        let folder = Folder::new();
        let upstream = folder.0.join("upstream");
        fs::create_dir(&upstream).unwrap();
        git(&upstream, &["init", "--quiet", "--initial-branch", "main"]);
        let order = SyncOrder {
            folder: folder.0.join("home/skills"),
            source: Some(Source::parse(upstream.to_str().unwrap()).unwrap()),
            git_ref: GitRef::parse("main").unwrap(),
            limit: None,
            variables: vec![
                ("PATH".into(), std::env::var_os("PATH").unwrap()),
                ("HOME".into(), folder.0.clone().into()),
                // As it is in a hook of another repository.
                ("GIT_DIR".into(), "/nowhere/.git".into()),
            ],
        };
        let lab = Self { folder, order };
        lab.publish("one", &["com.ex.one"]);
        lab
    }

    fn upstream(&self) -> PathBuf {
        self.folder.0.join("upstream")
    }

    /// Commits a registry of these skills to the repository, and returns the commit.
    fn publish(&self, message: &str, ids: &[&str]) -> String {
        let skills: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
        self.commit(message, &json!({"skills": skills}).to_string())
    }

    fn commit(&self, message: &str, registry: &str) -> String {
        self.folder.write("upstream/skills/skills-registry.json", registry);
        commit_all(&self.upstream(), message)
    }

    fn registry(&self) -> PathBuf {
        self.order.folder.join("skills/skills-registry.json")
    }

    fn change(&self, change: impl FnOnce(&mut SyncOrder)) -> SyncOrder {
        let mut order = self.order.clone();
        change(&mut order);
        order
    }
}

pub(super) fn git(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder);
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
    command.args(words).env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_DIR");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit_all(folder: &Path, message: &str) -> String {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--allow-empty", "-m", message]);
    git(folder, &["rev-parse", "HEAD"])
}

fn run(order: &SyncOrder) -> Result<SyncReport, Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(sync(order, None, pending())).map_err(|failure| json!(failure))
}

/// The reason of a sync that must fail.
fn refused(order: &SyncOrder) -> String {
    let failure = run(order).unwrap_err();
    assert_eq!(failure["code"], "SKILLS_SYNC_FAILED", "{failure}");
    assert!(failure["details"]["hint"].is_string(), "{failure}");
    failure["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_repository_is_cloned_then_moved_forward_then_up_to_date() {
    let lab = Lab::new();
    let first = run(&lab.order).unwrap();
    assert_eq!((first.total_skills, first.previous_commit), (1, None));
    assert!(first.message.starts_with("installed at"), "{}", first.message);
    assert_eq!(first.registry_path, lab.registry().display().to_string());
    let next = lab.publish("two", &["com.ex.one", "com.ex.two"]);
    // The source is remembered.
    let order = lab.change(|order| order.source = None);
    let second = run(&order).unwrap();
    assert_eq!((second.total_skills, &second.commit), (2, &next));
    assert_eq!(second.previous_commit.as_deref(), Some(first.commit.as_str()));
    let third = run(&order).unwrap();
    assert!(third.message.starts_with("up to date"), "{}", third.message);
    let left: Vec<_> =
        fs::read_dir(lab.folder.0.join("home")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["skills"], "no draft is left");
}

#[test]
fn a_registry_that_cannot_be_read_changes_nothing() {
    let lab = Lab::new();
    let broken = lab.commit("broken", "{\"skills\":\n[{}]}");
    assert!(refused(&lab.order).contains("line 2"));
    assert!(!lab.order.folder.exists(), "nothing is installed");
    lab.publish("mended", &["com.ex.one"]);
    let good = run(&lab.order).unwrap();
    let before = fs::read(lab.registry()).unwrap();
    lab.commit("broken again", "{x");
    assert!(refused(&lab.order).contains("skills/skills-registry.json: key must be a string"));
    assert_eq!(fs::read(lab.registry()).unwrap(), before);
    assert_eq!(git(&lab.order.folder, &["rev-parse", "HEAD"]), good.commit);
    let order = lab.change(|order| order.git_ref = GitRef::parse(&broken).unwrap());
    refused(&order);
    fs::remove_dir_all(lab.upstream().join("skills")).unwrap();
    commit_all(&lab.upstream(), "no registry");
    assert!(refused(&lab.order).contains("has no skills/skills-registry.json"));
    assert_eq!(fs::read(lab.registry()).unwrap(), before);
}

#[test]
fn what_a_person_did_is_never_lost() {
    let lab = Lab::new();
    run(&lab.order).unwrap();
    let here = &lab.order.folder;
    fs::write(here.join("notes.txt"), "mine").unwrap();
    fs::write(lab.registry(), r#"{"skills":[]}"#).unwrap();
    lab.publish("two", &["com.ex.two"]);
    assert!(refused(&lab.order).contains("git checkout failed"));
    assert_eq!(fs::read_to_string(lab.registry()).unwrap(), r#"{"skills":[]}"#);
    commit_all(here, "mine");
    assert!(refused(&lab.order).contains("has commits that its source does not have"));
    assert_eq!(fs::read_to_string(here.join("notes.txt")).unwrap(), "mine");
    // A state of its own does not need the branch.
    let tagged = git(&lab.upstream(), &["rev-parse", "HEAD"]);
    git(&lab.upstream(), &["tag", "v1"]);
    let order = lab.change(|order| order.git_ref = GitRef::parse("v1").unwrap());
    assert_eq!(run(&order).unwrap().commit, tagged);
    assert_eq!(git(here, &["log", "-1", "--format=%s", "main"]), "mine");
}

#[test]
fn branches_tags_and_commits_can_be_asked_for() {
    let lab = Lab::new();
    let first = git(&lab.upstream(), &["rev-parse", "HEAD"]);
    git(&lab.upstream(), &["tag", "-a", "v1", "-m", "v1"]);
    git(&lab.upstream(), &["checkout", "--quiet", "-b", "feature/x"]);
    let feature = lab.publish("x", &["com.ex.x"]);
    git(&lab.upstream(), &["checkout", "--quiet", "main"]);
    let main = lab.publish("two", &["com.ex.two"]);
    for (name, commit) in [
        ("v1", &first),
        ("feature/x", &feature),
        ("main", &main),
        (first.as_str(), &first),
        (&first[..10], &first),
        ("main", &main),
    ] {
        let order = lab.change(|order| order.git_ref = GitRef::parse(name).unwrap());
        assert_eq!(run(&order).unwrap().commit, *commit, "{name}");
    }
    let order = lab.change(|order| order.git_ref = GitRef::parse("nothing").unwrap());
    assert!(refused(&order).contains("there is no branch, tag or commit \"nothing\""));
}

#[test]
fn another_folder_or_source_is_left_alone() {
    let lab = Lab::new();
    lab.folder.write("home/skills/mine.txt", "mine");
    assert!(refused(&lab.order).contains("is not a git repository"));
    fs::remove_file(lab.order.folder.join("mine.txt")).unwrap();
    run(&lab.order).unwrap();
    let elsewhere = Lab::new();
    let order = lab.change(|order| order.source = elsewhere.order.source.clone());
    assert!(refused(&order).contains("comes from"));
}

#[test]
fn no_password_is_repeated() {
    let lab = Lab::new();
    // Nothing listens there.
    let source = Source::parse("http://user:hunter2@127.0.0.1:1/x.git").unwrap();
    let order = lab.change(|order| order.source = Some(source));
    let reason = refused(&order);
    assert!(!reason.contains("hunter2"), "{reason}");
    assert!(!lab.order.folder.exists());
}

#[cfg(unix)]
#[test]
fn git_is_missing_or_takes_too_long() {
    let lab = Lab::new();
    let with_path = |path: OsString| {
        lab.change(|order| {
            order.variables = vec![("PATH".into(), path)];
            order.limit = Some(Duration::from_millis(100));
        })
    };
    let failure = run(&with_path("/nowhere".into())).unwrap_err();
    assert_eq!(failure["code"], "SKILLS_GIT_NOT_FOUND");
    let endless =
        lab.folder.write("bin/git", "#!/bin/sh\n/usr/bin/env PATH=/usr/bin:/bin tail -f /dev/null & wait\n");
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&endless, fs::Permissions::from_mode(0o755)).unwrap();
    let reason = refused(&with_path(lab.folder.0.join("bin").into()));
    assert!(reason.contains("did not end within 100 ms"), "{reason}");
}

#[cfg(unix)]
#[test]
fn a_git_that_is_interrupted_can_clean_up() {
    let lab = Lab::new();
    let place = lab.folder.0.join("index.lock");
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\ntrap 'rm {lock}; exit 143' TERM\necho x >{lock}\ntail -f /dev/null & wait\n",
        lock = place.display()
    );
    let git = lab.folder.write("bin/git", &script);
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let bin = lab.folder.0.join("bin");
    let order = lab.change(|order| order.variables = vec![("PATH".into(), bin.into())]);
    let stop = async {
        while !fs::read_to_string(&place).is_ok_and(|text| text == "x\n") {
            tokio::task::yield_now().await;
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let failure = runtime.block_on(sync(&order, None, stop)).unwrap_err();
    let failure = json!(failure);
    assert_eq!(failure["code"], "EXECUTION_CANCELLED", "{failure}");
    assert!(!place.exists(), "{failure}");
}
