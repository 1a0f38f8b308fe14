//! Registries, paths, packages and templates.

use super::Folder;
use clawperator_contract::Failure;
use clawperator_skills::repo::{
    ArtifactOrder, PathFault, Payloads, Places, RepoRoot, Repository, SkillEntry, compile_artifact,
    new_skill, validate, validate_all,
};
use serde_json::{Value, json};
use std::fs;

#[test]
fn bug_06_the_registry_is_the_named_one_then_this_folder_s_then_the_installed_one() {
    let folder = Folder::new();
    let mut places = Places { named: None, current: folder.0.join("here"), installed: folder.0.join("home") };
    let failure = Failure::from(places.open().unwrap_err());
    assert_eq!(failure.code.name(), "REGISTRY_READ_FAILED");
    for place in ["here/skills", "home/skills"] {
        assert!(failure.message.contains(place), "{}", failure.message);
    }
    let path = |places: &Places| places.open().unwrap().registry_path;
    let installed = folder.write("home/skills/skills-registry.json", r#"{"skills":[]}"#);
    assert_eq!(path(&places), installed);
    let here = folder.write("here/skills/skills-registry.json", r#"{"skills":[]}"#);
    assert_eq!(path(&places), here);
    places.named = Some(folder.0.join("nowhere.json"));
    let failure = Failure::from(places.open().unwrap_err());
    assert!(failure.message.contains("nowhere.json"), "{}", failure.message);
    places.named = Some(installed.clone());
    assert_eq!(path(&places), installed);
}

#[test]
fn a_registry_that_is_too_large_or_no_file_is_not_read() {
    let folder = Folder::new();
    let large = folder.write("skills/skills-registry.json", &" ".repeat((8 << 20) + 1));
    for (path, reason) in [(large.as_path(), "larger than"), (folder.0.as_path(), "not a regular file")] {
        let failure = Failure::from(Repository::open(path).unwrap_err());
        assert!(failure.message.contains(reason), "{}", failure.message);
    }
    folder.write("skills/skills-registry.json", "{\"skills\":[\n{\"id\":7}]}");
    let failure = json!(Failure::from(Repository::open(&large).unwrap_err()));
    assert_eq!((&failure["details"]["line"], &failure["details"]["column"]), (&json!(2), &json!(9)));
}

#[cfg(unix)]
#[test]
fn no_path_of_an_entry_leaves_the_repository() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.write("secret.txt", "s");
    folder.write("repo/skills/a/file.js", "1");
    let registry = folder.write("repo/skills/skills-registry.json", r#"{"skills":[]}"#);
    let inside = folder.0.join("repo/skills/a");
    symlink(folder.0.join("secret.txt"), inside.join("out.js")).unwrap();
    symlink(&folder.0, inside.join("up")).unwrap();
    symlink(inside.join("file.js"), inside.join("in.js")).unwrap();
    symlink(folder.0.join("later"), inside.join("later")).unwrap();
    let root = RepoRoot::of_registry(&registry).unwrap();
    assert_eq!(root.path(), folder.0.join("repo"));
    let said = |entry: &str| match root.file(entry) {
        Ok(_) => "ok",
        Err(PathFault::Empty) => "empty",
        Err(PathFault::Outside) => "outside",
        Err(PathFault::Missing) => "missing",
        Err(PathFault::NotAFile) => "not a file",
        Err(PathFault::Io(_)) => "io",
    };
    for (entry, expect) in [
        ("skills/a/file.js", "ok"),
        ("./skills/a/./file.js", "ok"),
        ("skills/a/in.js", "ok"),
        ("skills/a/out.js", "outside"),
        ("skills/a/up/secret.txt", "outside"),
        ("../secret.txt", "outside"),
        ("skills/../../secret.txt", "outside"),
        ("skills/../skills/a/file.js", "outside"),
        ("/etc/passwd", "outside"),
        ("", "empty"),
        (".", "empty"),
        ("skills/a", "not a file"),
        ("skills/a/none.js", "missing"),
        ("skills/a/file.js/more", "missing"),
        ("skills/a/later", "missing"),
        ("skills/a\0b", "io"),
    ] {
        assert_eq!(said(entry), expect, "{entry:?}");
    }
    for (entry, fits) in [
        ("skills/b/scripts/run.js", true),
        ("skills/a/new.js", true),
        ("skills/a/up/new.js", false),
        ("skills/a/later", false),
        ("skills/a/later/new.js", false),
        ("../new.js", false),
    ] {
        assert_eq!(root.place(entry).is_ok(), fits, "{entry}");
    }
}

#[test]
fn a_package_is_complete_and_agrees_with_the_registry_or_all_is_told() {
    let folder = Folder::new();
    let good = folder.package("com.ex.good");
    let mut bad = folder.package("com.ex.bad");
    bad["summary"] = json!("Something else.");
    bad["scripts"] = json!(["skills/com.ex.bad/scripts/run.js", "../out.js", "skills/none.js"]);
    bad["artifacts"] = json!("x");
    let repo = Repository::open(&folder.registry(&[good.clone(), bad])).unwrap();
    let valid = json!(validate(&repo, "com.ex.good", Payloads::Checked).unwrap());
    assert_eq!(valid["skill"], good);
    assert_eq!(valid["dryRun"]["payloadValidation"], "passed");
    assert_eq!(valid["checks"]["scriptPaths"].as_array().unwrap().len(), 1);
    let failure = json!(validate(&repo, "com.ex.bad", Payloads::Unread).unwrap_err());
    assert_eq!(failure["skillId"], "com.ex.bad");
    let details = &failure["details"];
    assert_eq!(details["missingFiles"], json!(["skills/none.js"]));
    assert_eq!(details["mismatchFields"], json!(["summary", "scripts", "artifacts"]));
    let problems: Vec<_> =
        details["problems"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(problems, ["scripts.1", "scripts.2", "artifacts", "summary", "scripts", "artifacts"]);
    let all = json!(validate_all(&repo, Payloads::Unread).unwrap_err());
    let counts = ["totalSkills", "validCount", "invalidCount"].map(|key| all["details"][key].clone());
    assert_eq!(counts, [2, 1, 1].map(Value::from));
    assert_eq!(all["details"]["failures"][0]["skillId"], "com.ex.bad");
    assert_eq!(all["registryPath"], json!(repo.registry_path.display().to_string()));
}

#[test]
fn a_dry_run_names_the_artifact_and_what_is_wrong_with_it() {
    let folder = Folder::new();
    let entry = folder.package("com.ex.read");
    let path = "skills/com.ex.read/artifacts/read.recipe.json";
    let repo = Repository::open(&folder.registry(&[entry])).unwrap();
    let refused = |text: &str| {
        folder.write(path, text);
        json!(validate(&repo, "com.ex.read", Payloads::Checked).unwrap_err())
    };
    let failure = refused(&super::ARTIFACT.replace("\"matcher\"", "\"bogus\":1,\"matcher\""));
    let details = &failure["details"];
    assert_eq!(details["artifact"], path);
    assert_eq!(details["path"], "actions.0.params");
    assert_eq!((&details["actionId"], &details["actionType"]), (&json!("a"), &json!("click")));
    assert_eq!(details["invalidKeys"], json!(["bogus"]));
    assert!(details["reason"].as_str().unwrap().contains("bogus"), "{details}");
    assert_eq!(refused("{nope")["details"]["line"], 1);
}

#[test]
fn a_template_is_compiled_or_says_which_value_or_rule_it_is() {
    let folder = Folder::new();
    let repo = Repository::open(&folder.registry(&[folder.package("com.ex.read")])).unwrap();
    let compile = |artifact: &str, vars: &str| {
        let order = ArtifactOrder { skill_id: "com.ex.read", artifact, vars };
        compile_artifact(&repo, &order).map(|compiled| json!(compiled)).map_err(|failure| json!(failure))
    };
    let whole = compile("read", r#"{"LABEL":"a\"b"}"#).unwrap();
    assert_eq!(whole, compile("read.recipe.json", r#"{"LABEL":"a\"b"}"#).unwrap());
    assert_eq!(whole["execution"]["actions"][0]["params"]["matcher"]["textEquals"], "a\"b");
    for (artifact, vars, code, key, value) in [
        ("read", "{}", "COMPILE_VAR_MISSING", "placeholder", json!("LABEL")),
        ("read", "{", "COMPILE_VARS_PARSE_FAILED", "varsJson", json!("{")),
        ("none", "{}", "ARTIFACT_NOT_FOUND", "hint", json!("It has: read.")),
        ("ead", "{}", "ARTIFACT_NOT_FOUND", "artifactName", json!("ead")),
    ] {
        let failure = compile(artifact, vars).unwrap_err();
        assert_eq!((&failure["code"], &failure["details"][key]), (&json!(code), &value), "{failure}");
    }
    let long = json!({"LABEL": "x".repeat(3_000)}).to_string();
    let failure = compile("read", &long).unwrap_err();
    assert_eq!(failure["code"], "COMPILE_VALIDATION_FAILED");
    assert_eq!(failure["details"]["path"], "actions.0.params.matcher.textEquals");
    assert!(!failure.to_string().contains("[object Object]"));
}

#[test]
fn a_new_skill_is_valid_and_listed_in_order() {
    let folder = Folder::new();
    let registry = folder.0.join("skills/skills-registry.json");
    let made = json!(new_skill(&registry, "com.ex.two", Some(" Second. ")).unwrap());
    assert_eq!(made["files"].as_array().unwrap().len(), 4);
    new_skill(&registry, "com.ex.one", None).unwrap();
    let repo = Repository::open(&registry).unwrap();
    let ids: Vec<_> = repo.registry.skills.iter().map(SkillEntry::id).collect();
    assert_eq!(ids, ["com.ex.one", "com.ex.two"]);
    assert_eq!(repo.skill("com.ex.two").unwrap().summary(), "Second.");
    validate_all(&repo, Payloads::Checked).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let script = folder.0.join("skills/com.ex.two/scripts/run.sh");
        assert_eq!(fs::metadata(script).unwrap().permissions().mode() & 0o777, 0o755);
    }
    fs::create_dir(folder.0.join("skills/com.ex.folder")).unwrap();
    for (id, code) in [
        ("com.ex.two", "SKILL_ALREADY_EXISTS"),
        ("com.ex.folder", "SKILL_ALREADY_EXISTS"),
        ("plain", "SKILL_ID_INVALID"),
        (".x", "SKILL_ID_INVALID"),
        ("x.", "SKILL_ID_INVALID"),
        ("a..b", "SKILL_ID_INVALID"),
        ("../a.b", "SKILL_ID_INVALID"),
        ("a/b.c", "SKILL_ID_INVALID"),
        ("a.b c", "SKILL_ID_INVALID"),
    ] {
        assert_eq!(new_skill(&registry, id, None).unwrap_err().code.name(), code, "{id}");
    }
    let mut left: Vec<_> =
        fs::read_dir(folder.0.join("skills")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["com.ex.folder", "com.ex.one", "com.ex.two", "skills-registry.json"]);
}
