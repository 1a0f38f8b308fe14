//! The guard of a repository: what is staged is looked at before it is committed.

use super::Folder;
use super::sync::git;
use clawperator_skills::repo::{HookPlace, install_hook, scan_staged};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

struct Lab {
    folder: Folder,
    place: HookPlace,
}

impl Lab {
    fn new() -> Self {
        let folder = Folder::new();
        let repo = folder.0.join("repo");
        fs::create_dir(&repo).unwrap();
        git(&repo, &["init", "--quiet", "--initial-branch", "main"]);
        let place = HookPlace {
            folder: repo,
            variables: vec![
                ("PATH".into(), std::env::var_os("PATH").unwrap()),
                ("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()),
            ],
        };
        Self { folder, place }
    }

    fn stage(&self, name: &str, text: &str) {
        self.folder.write(&format!("repo/{name}"), text);
        git(&self.place.folder, &["add", "--all"]);
    }

    fn install(&self) -> Value {
        let work = install_hook(&self.place, Path::new("/our bin/it's"));
        block_on(work).map_or_else(|failure| json!(failure), |done| json!(done))
    }

    fn scan(&self) -> Value {
        block_on(scan_staged(&self.place)).map_or_else(|failure| json!(failure), |clean| json!(clean))
    }

    fn denylist(&self) -> PathBuf {
        self.place.folder.join(".git/info/clawperator-denylist")
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(work)
}

#[test]
fn a_hook_is_installed_once_and_no_other_is_replaced() {
    let lab = Lab::new();
    let hook = lab.place.folder.join(".git/hooks/pre-commit");
    for _ in 0..2 {
        let done = lab.install();
        assert_eq!(done["hookPath"], json!(hook.display().to_string()), "{done}");
        fs::write(lab.denylist(), "mine").unwrap();
    }
    assert_eq!(fs::read_to_string(lab.denylist()).unwrap(), "mine", "the list stays");
    let text = fs::read_to_string(&hook).unwrap();
    assert!(text.contains(r"program='/our bin/it'\''s'") && text.contains("skills hook scan"), "{text}");
    fs::write(&hook, "#!/bin/sh\nmake lint\n").unwrap();
    let refused = lab.install();
    assert_eq!(refused["code"], "SKILLS_HOOK_FAILED");
    assert!(refused["details"]["hint"].as_str().unwrap().contains("skills hook scan"), "{refused}");
    assert_eq!(fs::read_to_string(&hook).unwrap(), "#!/bin/sh\nmake lint\n");
    git(&lab.place.folder, &["config", "core.hooksPath", "/shared/hooks"]);
    assert!(lab.install()["message"].as_str().unwrap().contains("other repositories share"));
    let nowhere = HookPlace { folder: "/".into(), ..lab.place.clone() };
    assert!(block_on(install_hook(&nowhere, Path::new("x"))).is_err());
}

#[test]
fn what_is_denied_is_named_by_file_and_line_and_not_repeated() {
    let lab = Lab::new();
    lab.stage("skills/a/SKILL.md", "one\nThe kitchen of Xaver\nthree\n");
    assert_eq!(lab.scan(), json!({"clean": true, "lines": 3, "hasDenylist": false}));
    lab.install();
    fs::write(lab.denylist(), "# names\nxaver\nliving room\n").unwrap();
    let failure = lab.scan();
    assert_eq!(failure["code"], "SENSITIVE_LITERAL_FOUND");
    assert!(failure["message"].as_str().unwrap().starts_with("skills/a/SKILL.md:2:16: "), "{failure}");
    assert!(!failure.to_string().contains("Xaver"), "{failure}");
    lab.stage("skills/b c.txt", "My LIVING room\n");
    let problems = lab.scan()["details"]["problems"].clone();
    let places: Vec<_> =
        problems.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(places, ["skills/a/SKILL.md:2:16", "skills/b c.txt:1:4"]);
    // What is committed already, and what is removed, is not looked at.
    git(&lab.place.folder, &["commit", "--quiet", "--no-verify", "-m", "x"]);
    lab.stage("skills/a/SKILL.md", "one\nthree\nfour\n");
    assert_eq!(lab.scan()["lines"], 1);
}

#[test]
fn serials_are_found_unless_they_are_allowed() {
    let lab = Lab::new();
    lab.install();
    lab.stage("run.sh", "adb -s R58M12ABCDE shell\n");
    assert_eq!(lab.scan()["details"]["problems"][0]["path"], "run.sh:1:8");
    fs::write(lab.denylist(), "!R58M12ABCDE\n").unwrap();
    assert_eq!(lab.scan()["clean"], true);
}

#[test]
fn the_user_s_own_settings_hide_nothing() {
    let lab = Lab::new();
    lab.install();
    fs::write(lab.denylist(), "xaver\n").unwrap();
    for setting in [
        ["color.ui", "always"],
        ["diff.noprefix", "true"],
        ["diff.mnemonicPrefix", "true"],
        ["diff.external", "true"],
        ["diff.context", "9"],
    ] {
        git(&lab.place.folder, &["config", setting[0], setting[1]]);
    }
    lab.stage("é.md", "Xaver\n");
    assert_eq!(lab.scan()["details"]["problems"][0]["path"], "é.md:1:1");
}

#[test]
fn what_git_takes_for_binary_is_looked_at() {
    let lab = Lab::new();
    lab.install();
    fs::write(lab.denylist(), "xaver\n").unwrap();
    lab.stage(".gitattributes", "*.md -diff\n");
    lab.stage("a.md", "one\nXaver\n");
    assert_eq!(lab.scan()["details"]["problems"][0]["path"], "a.md:2:1");
    lab.stage("a.md", "one\n");
    lab.stage("b.bin", "\0\0\nfor Xaver\n");
    assert_eq!(lab.scan()["details"]["problems"][0]["path"], "b.bin:2:5");
}

#[test]
fn a_list_that_is_too_long_is_refused() {
    let lab = Lab::new();
    lab.install();
    let texts: String = (0..1_000).map(|number| format!("name {number}\n")).collect();
    lab.stage("a.md", "Xaver\n");
    fs::write(lab.denylist(), &texts).unwrap();
    assert_eq!(lab.scan()["clean"], true);
    fs::write(lab.denylist(), format!("{texts}xaver\n")).unwrap();
    let failure = lab.scan();
    assert_eq!(failure["code"], "SKILLS_HOOK_FAILED", "{failure}");
    assert!(
        failure["message"].as_str().unwrap().ends_with("it has 1001 texts; at most 1000 are allowed"),
        "{failure}"
    );
}
