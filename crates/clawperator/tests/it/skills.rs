//! The contract's cases for `skills`, in the order of the file, on a fresh copy
//! of their repository.

use super::{clawperator, root};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is in the target folder and harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) {
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
    named
        .unwrap_or(usual)
        .replace("WORK/repo", &repo.display().to_string())
}

#[test]
fn the_contract_s_cases_for_skills_hold() {
    let vectors = root().join("crates/skills/tests/vectors");
    let work = Folder::new("skills-vectors");
    let repo = work.0.join("repo");
    copy(&vectors.join("skills_fixture"), &repo);
    let cases = std::fs::read_to_string(vectors.join("skills.jsonl")).unwrap();
    let mut wrong = Vec::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let words: Vec<&str> = case["argv"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        if words[1] == "run" {
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
