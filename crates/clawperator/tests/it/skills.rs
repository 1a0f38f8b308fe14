//! The contract's cases for `skills`, in the order of the file, on a fresh copy
//! of their repository.

use super::{clawperator, root};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder that is removed at the end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the target folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(super) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The registry of a case.
fn registry(case: &Value, repo: &Path) -> String {
    let usual = "WORK/repo/skills/skills-registry.json";
    let named = case["env"]["CLAWPERATOR_SKILLS_REGISTRY"].as_str();
    named.unwrap_or(usual).replace("WORK/repo", &repo.display().to_string())
}

#[test]
fn the_contract_s_cases_for_skills_hold() {
    let vectors = root().join("crates/work/skills/tests/vectors");
    let work = Folder::new("skills-vectors");
    let repo = work.0.join("repo");
    copy(&vectors.join("skills_fixture"), &repo);
    let cases = std::fs::read_to_string(vectors.join("skills.jsonl")).unwrap();
    let mut wrong = Vec::new();
    let has_node = std::process::Command::new("node").arg("--version").output().is_ok();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let words: Vec<&str> =
            case["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        if words[1] == "run" && !has_node {
            eprintln!("{} is skipped: there is no Node.js", case["name"]);
            continue;
        }
        let output = clawperator()
            .args(&words)
            .current_dir(&work.0)
            .env("CLAWPERATOR_SKILLS_REGISTRY", registry(&case, &repo))
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let has = |key: &Value| answer.get(key.as_str().unwrap()).is_some();
        let holds = output.status.code().map(i64::from) == case["exit"].as_i64()
            && case["keys"].as_array().unwrap().iter().all(has)
            && (case["code"].is_null() || answer["code"] == case["code"])
            && (case["count"].is_null() || answer["count"] == case["count"]);
        if !holds {
            wrong.push(format!("{}: {answer}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is printed for a command line in a folder, with a state folder of its own.
fn answer(folder: &Folder, words: &[&str]) -> Value {
    let output = clawperator()
        .args(words)
        .current_dir(&folder.0)
        .env("CLAWPERATOR_HOME", folder.0.join("home"))
        .env_remove("CLAWPERATOR_SKILLS_REGISTRY")
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {output:?}"))
}

#[test]
fn an_installed_repository_is_found_from_every_folder() {
    let folder = Folder::new("skills-install");
    let upstream = folder.0.join("upstream");
    copy(&root().join("crates/work/skills/tests/vectors/skills_fixture"), &upstream);
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.arg("-C").arg(&upstream).env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_DIR");
        let settings = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
        assert!(git.args(settings).args(words).status().unwrap().success(), "{words:?}");
    };
    git(&["init", "--quiet", "--initial-branch", "main"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "-m", "first"]);
    assert_eq!(answer(&folder, &["skills", "list"])["code"], "REGISTRY_READ_FAILED");
    let installed = answer(&folder, &["skills", "install", "--from", "upstream"]);
    assert_eq!((&installed["synced"], &installed["totalSkills"]), (&true.into(), &12.into()), "{installed}");
    assert_eq!(answer(&folder, &["skills", "list"])["count"], 12);
    assert_eq!(answer(&folder, &["skills", "update"])["synced"], true);
    for (words, code) in [
        (["--from", "--upload-pack=x"], "USAGE"),
        (["--from", "nowhere"], "USAGE"),
        (["--ref", "-x"], "USAGE"),
        (["--ref", "nothing"], "SKILLS_SYNC_FAILED"),
    ] {
        let refused = answer(&folder, &["skills", "sync", words[0], words[1]]);
        assert_eq!(refused["code"], code, "{refused}");
    }
    // A new skill is made here, and the installed repository stays as it came.
    assert_eq!(answer(&folder, &["skills", "new", "com.ex.mine"])["created"], true);
    assert_eq!(answer(&folder, &["skills", "list"])["count"], 1);
}

#[test]
fn a_repository_is_checked_as_in_ci() {
    let folder = Folder::new("skills-ci");
    answer(&folder, &["skills", "new", "com.ex.mine"]);
    answer(&folder, &["skills", "index"]);
    let report = answer(&folder, &["skills", "ci", "--junit", "skills.xml"]);
    assert_eq!(report["passed"], true, "{report}");
    assert_eq!(report["checks"].as_array().unwrap().len(), 11);
    let xml = std::fs::read_to_string(folder.0.join("skills.xml")).unwrap();
    assert!(xml.contains("tests=\"11\" failures=\"0\""), "{xml}");
    std::fs::write(folder.0.join("skills/com.ex.mine/SKILL.md"), "no head").unwrap();
    let report = answer(&folder, &["skills", "ci"]);
    assert_eq!(report["checks"][4]["problems"][0]["place"], "skills/com.ex.mine/SKILL.md", "{report}");
}

#[test]
fn the_hook_refuses_a_commit_and_says_where() {
    let folder = Folder::new("skills-hook");
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.arg("-C").arg(&folder.0).env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("GIT_DIR");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
        git.args(words).output().unwrap()
    };
    git(&["init", "--quiet"]);
    let installed = answer(&folder, &["skills", "hook", "install"]);
    assert_eq!(installed["installed"], true, "{installed}");
    std::fs::write(installed["denylistPath"].as_str().unwrap(), "Xaver\n").unwrap();
    std::fs::write(folder.0.join("a.md"), "one\nof Xaver\n").unwrap();
    git(&["add", "--all"]);
    let refused = git(&["commit", "-m", "x"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("a.md:2:4"), "{refused:?}");
    assert!(said.contains("Replace it with an input"), "{said}");
    // What is staged counts, not what is in the folder.
    std::fs::write(folder.0.join("a.md"), "one\n").unwrap();
    assert!(!git(&["commit", "-m", "x"]).status.success());
    let done = git(&["commit", "-a", "-m", "x"]);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(answer(&folder, &["skills", "hook", "remove"])["code"], "USAGE");
}

#[cfg(feature = "sim")]
#[test]
fn the_script_of_a_new_skill_works() {
    let place = super::sim::Place::new();
    let folder = Folder::new("skills-new");
    answer(&folder, &["skills", "new", "com.android.settings.look"]);
    let mut node = std::process::Command::new("node");
    for (name, value) in place.program().get_envs() {
        match value {
            Some(value) => node.env(name, value),
            None => node.env_remove(name),
        };
    }
    let output = node
        .arg(folder.0.join("skills/com.android.settings.look/scripts/run.js"))
        .env("CLAWPERATOR_BIN", format!("\"{}\"", env!("CARGO_BIN_EXE_clawperator")))
        .env("CLAWPERATOR_DEVICE_ID", "sim")
        .output();
    let output = match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("SKIPPED: the script of a new skill was not run, because there is no Node");
            return;
        }
        output => output.unwrap(),
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.first(), Some(&"[Clawperator-Skill-Result]"), "{output:?}");
    let result: Value = serde_json::from_str(lines[1]).unwrap();
    assert_eq!((&result["status"], lines.len()), (&"success".into(), 2), "{result}");
    assert_eq!(result["skillId"], "com.android.settings.look");
}
