//! The index of a repository: its files, and what is refused.

use super::Folder;
use clawperator_contract::Failure;
use clawperator_skills::repo::{
    IndexMode, IndexReport, Payloads, Repository, SkillQuery, index, validate_all,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn indexed(folder: &Folder, mode: IndexMode, now: &str) -> Result<IndexReport, Failure> {
    index(&folder.0.join("skills/skills-registry.json"), mode, now)
}

fn written(folder: &Folder) -> IndexReport {
    indexed(folder, IndexMode::Write, "now").unwrap()
}

fn json_of(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.0.join(name)).unwrap()).unwrap()
}

/// Every file below a folder and its bytes.
fn bytes_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(bytes_below(&path));
        } else {
            all.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn the_index_has_every_skill_in_every_file() {
    let folder = Folder::new();
    folder.package("com.b.two");
    folder.package("com.a.one");
    folder.package("com.a.three");
    let report = written(&folder);
    assert_eq!(report.added, ["com.a.one", "com.a.three", "com.b.two"]);
    let registry = json_of(&folder, "skills/skills-registry.json");
    assert_eq!(registry["schemaVersion"], "1.0");
    assert_eq!(registry.get("generatedAt"), None);
    assert_eq!(registry["skills"][2]["id"], "com.b.two");
    let min = json_of(&folder, "skills/generated/skills-index.min.json");
    let keys: Vec<_> = min["skills"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "applicationId", "intent", "summary", "path"]);
    let lines = fs::read_to_string(folder.0.join("skills/generated/skills-index.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 3);
    let app = json_of(&folder, "skills/generated/by-app/com.a.json");
    assert_eq!((&app["applicationId"], &app["count"]), (&json!("com.a"), &json!(2)));
    // A shard has all of a skill, as the registry does.
    assert_eq!(app["skills"][0], registry["skills"][0]);
    assert!(app["skills"][0].get("skillFile").is_some());
    let manifest = json_of(&folder, "skills/generated/manifest.json");
    assert_eq!(manifest["totalSkills"], 3);
    let rows = manifest["artifacts"].as_object().unwrap().values();
    let shards = manifest["shards"].as_object().unwrap().values();
    let shards = shards.flat_map(|shards| shards.as_array().unwrap());
    let mut files = 0;
    for row in rows.chain(shards) {
        let bytes = fs::read(folder.0.join(row["file"].as_str().unwrap())).unwrap();
        assert_eq!(row["sha256"], format!("{:x}", Sha256::digest(bytes)), "{row}");
        files += 1;
    }
    assert_eq!(files + 1, report.files.len());
    // sha1 of com.a.one
    let prefix = json_of(&folder, "skills/generated/by-prefix/33.json");
    assert_eq!(prefix["skills"][0]["id"], "com.a.one");
}

#[test]
fn the_same_packages_give_the_same_bytes() {
    let (one, other) = (Folder::new(), Folder::new());
    for id in ["com.a.one", "com.b.two"] {
        one.package(id);
    }
    for id in ["com.b.two", "com.a.one"] {
        other.package(id);
    }
    written(&one);
    indexed(&other, IndexMode::Write, "later").unwrap();
    let below = |folder: &Folder| -> Vec<_> { bytes_below(&folder.0).into_values().collect() };
    assert_eq!(below(&one), below(&other));
    assert!(written(&one).files.is_empty(), "nothing is left to write");
    indexed(&one, IndexMode::Check, "later").unwrap();
}

#[test]
fn the_time_is_renewed_only_when_a_skill_changes() {
    let folder = Folder::new();
    let entry = folder.package("com.a.one");
    let text = json!({"$schema": "./s.json", "generatedAt": "then", "skills": [entry]});
    folder.write("skills/skills-registry.json", &text.to_string());
    written(&folder);
    let head = |folder: &Folder| json_of(folder, "skills/skills-registry.json")["generatedAt"].clone();
    assert_eq!(head(&folder), "then");
    folder.package("com.a.two");
    let report = written(&folder);
    assert_eq!((&report.added[..], head(&folder)), (&["com.a.two".to_owned()][..], json!("now")));
    assert_eq!(json_of(&folder, "skills/generated/manifest.json")["generatedAt"], "now");
    assert_eq!(json_of(&folder, "skills/skills-registry.json")["$schema"], "./s.json");
    // A shard that was lost comes back as it was.
    fs::remove_file(folder.0.join("skills/generated/by-app/com.a.json")).unwrap();
    let report = indexed(&folder, IndexMode::Write, "later").unwrap();
    assert_eq!(report.files, ["skills/generated/by-app/com.a.json"]);
    assert_eq!(head(&folder), "now");
}

#[test]
fn a_check_names_every_file_and_skill_that_differs() {
    let folder = Folder::new();
    let gone = folder.package("com.a.gone");
    folder.package("com.b.changed");
    written(&folder);
    fs::remove_dir_all(folder.0.join("skills/com.a.gone")).unwrap();
    let changed = folder.0.join("skills/com.b.changed/skill.json");
    let text = fs::read_to_string(&changed).unwrap().replace("Does", "Did");
    fs::write(changed, text).unwrap();
    folder.package("com.c.added");
    let before = bytes_below(&folder.0);
    let failure = indexed(&folder, IndexMode::Check, "now").unwrap_err();
    for part in ["com.a.gone", "com.b.changed", "com.c.added"] {
        assert!(failure.message.contains(part), "{}", failure.message);
    }
    let details = json!(failure)["details"].clone();
    assert!(details.to_string().contains("by-app/com.a.json"), "{details}");
    assert_eq!(bytes_below(&folder.0), before, "nothing is written");
    let report = written(&folder);
    assert_eq!(report.removed, [gone["id"].as_str().unwrap()]);
    assert!(!folder.0.join("skills/generated/by-app/com.a.json").exists());
    indexed(&folder, IndexMode::Check, "now").unwrap();
}

#[test]
fn what_is_wrong_with_packages_is_told_at_once_and_nothing_is_written() {
    let folder = Folder::new();
    folder.package("com.a.good");
    let change = |id: &str, key: &str, value: Value| {
        let mut entry = folder.package(id);
        entry[key] = value;
        folder.write(&format!("skills/{id}/skill.json"), &entry.to_string());
    };
    change("com.a.path", "path", json!("skills/elsewhere"));
    change("com.a.files", "scripts", json!(["skills/none.js", "../out.js"]));
    change("com.a.lists", "artifacts", json!("x"));
    change("com.a.blank", "summary", json!(" "));
    change("com.a.app", "applicationId", json!("../x"));
    change("com.a.twice", "id", json!("com.a.good"));
    folder.write("skills/com.a.json/skill.json", "{x");
    folder.write("skills/com.a.bare/SKILL.md", "x");
    let failure = indexed(&folder, IndexMode::Write, "now").unwrap_err();
    let problems = json!(failure)["details"]["problems"].clone();
    let told: Vec<String> = problems
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}: {}", one["path"].as_str().unwrap(), one["message"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            "skills/com.a.app/skill.json: applicationId may only have letters, digits, \".\", \"-\" and \"_\"",
            "skills/com.a.bare: it has a SKILL.md and no skill.json",
            "skills/com.a.blank/skill.json: summary must be a text that is not blank",
            "skills/com.a.files/skill.json: \"skills/none.js\": there is no such file",
            "skills/com.a.files/skill.json: \"../out.js\": the path leads out of the repository",
            "skills/com.a.json/skill.json: key must be a string at line 1 column 2",
            "skills/com.a.lists/skill.json: artifacts must be a list of paths",
            "skills/com.a.path/skill.json: path is \"skills/elsewhere\" but must be \"skills/com.a.path\"",
            "skills/com.a.twice/skill.json: skills/com.a.good has the same id \"com.a.good\"",
        ]
    );
    assert!(!folder.0.join("skills/skills-registry.json").exists());
    assert!(!folder.0.join("skills/generated").exists());
}

/// The public layout: packages, nested ones too, with keys that we do not know.
#[test]
fn thirty_packages_are_validated_indexed_and_searched() {
    let folder = Folder::new();
    for number in 0..29 {
        let id = format!("com.app{}.intent-{number}-replay", number % 7);
        let mut entry = folder.package(&id);
        entry["keywords"] = json!(["climate", format!("word{number}")]);
        entry["contract"] = json!({"inputs": {"unit": "string"}, "goal": null, "verification": null});
        folder.write(&format!("skills/{id}/skill.json"), &entry.to_string());
    }
    let mut nested = folder.package("utils.show");
    fs::create_dir(folder.0.join("skills/utils")).unwrap();
    fs::rename(folder.0.join("skills/utils.show"), folder.0.join("skills/utils/show")).unwrap();
    let moved = nested.to_string().replace("skills/utils.show", "skills/utils/show");
    nested = serde_json::from_str(&moved).unwrap();
    folder.write("skills/utils/show/skill.json", &moved);
    folder.write("skills/utils/common.js", "1");
    let report = written(&folder);
    let repo = Repository::open(report.registry_path.as_ref()).unwrap();
    validate_all(&repo, Payloads::Checked).unwrap();
    let words = SkillQuery { words: Some("word7"), ..SkillQuery::default() };
    let found = repo.search(&words);
    assert_eq!((report.total_skills, found.count), (30, 1));
    assert_eq!(json!(repo.skill("utils.show").unwrap()), nested);
}

#[cfg(unix)]
#[test]
fn nothing_outside_of_the_repository_is_removed() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let precious = elsewhere.write("precious.json", "{}");
    folder.registry(&[]);
    fs::create_dir(folder.0.join("skills/generated")).unwrap();
    std::os::unix::fs::symlink(&elsewhere.0, folder.0.join("skills/generated/by-app")).unwrap();
    let failure = indexed(&folder, IndexMode::Write, "now").unwrap_err();
    assert!(failure.message.contains("leads out of the repository"), "{}", failure.message);
    assert!(precious.exists());
}
