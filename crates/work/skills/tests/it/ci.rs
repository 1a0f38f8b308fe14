//! Every check on a repository passes, and fails alone.

use super::Folder;
use clawperator_skills::recipe::{Profile, Profiles};
use clawperator_skills::repo::{CiReport, IndexMode, ci, index};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

const RECIPE: &str = include_str!("recipe/base.recipe.yaml");
const RECIPE_FILE: &str = "skills/com.ex.home/artifacts/power.recipe.yaml";

/// A repository with a template and a recipe, indexed.
fn repository() -> Folder {
    let folder = Folder::new();
    folder.package("com.ex.read");
    let mut home = folder.package("com.ex.home");
    home["artifacts"] = json!([RECIPE_FILE]);
    folder.write("skills/com.ex.home/skill.json", &home.to_string());
    folder.write(RECIPE_FILE, RECIPE);
    index(&registry(&folder), IndexMode::Write, "").unwrap();
    folder
}

fn registry(folder: &Folder) -> PathBuf {
    folder.0.join("skills/skills-registry.json")
}

fn checked(folder: &Folder) -> CiReport {
    ci(&registry(folder), &Profile::standard()).unwrap()
}

/// Changes a file of a repository by replacing a text.
fn change(folder: &Folder, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(folder.0.join(file)).unwrap();
    assert!(text.contains(from), "{file}: {text}");
    folder.write(file, &text.replacen(from, to, 1));
}

#[test]
fn a_repository_that_is_in_order_passes() {
    let report = checked(&repository());
    assert!(report.passed, "{report:?}");
    let checks: Vec<_> = report.checks.iter().map(|check| (check.number, check.checked)).collect();
    assert_eq!(
        checks,
        [(1, 2), (2, 1), (3, 2), (4, 2), (5, 3), (6, 2), (7, 2), (8, 7), (9, 1), (10, 1), (11, 1)]
    );
}

#[test]
fn each_check_finds_what_it_is_for() {
    let skill = "skills/com.ex.read/skill.json";
    let skill_md = "skills/com.ex.read/SKILL.md";
    let template = "skills/com.ex.read/artifacts/read.recipe.json";
    let list = "skills/skills-registry.json";
    let script = "skills/com.ex.read/scripts/run.js";
    // Every step is in order; together they are more than a payload may be.
    let text = format!("{{text_equals: {}}}", "x".repeat(500));
    let any_of = vec![text; 16].join(", ");
    let step = |at: usize| {
        format!(
            "  - {{id: w{at}, type: wait_for_node, selector: {{any_of: [{any_of}]}}, params: {{timeout_ms: 1000}}}}\n"
        )
    };
    let large = format!("steps:\n{}", (0..10).map(step).collect::<String>());
    for (file, from, to, failed) in [
        (skill, "\"skills/com.ex.read\"", "\"skills/x\"", "metadata index"),
        (skill, "Does read.", "Did read.", "index"),
        (list, "\"summary\": \"Does read.\"", "\"summary\": 7", "index registry"),
        (list, "\"skills\": [", "\"skills\": {", "index registry cross-check"),
        (list, "\"id\": \"com.ex.read\"", "\"id\": \"com.ex.other\"", "index cross-check"),
        (skill_md, "---\nname", "name", "frontmatter"),
        (RECIPE_FILE, "session_policy: fresh", "session_policy: stale", "frontmatter"),
        (template, "\"click\"", "\"clack\"", "steps"),
        (RECIPE_FILE, "type: read_text", "type: press_key", "steps"),
        (skill_md, "name: x\n---\n", "name: x\n---\nAsk xaver@example.com\n", "private data"),
        (template, "\"s\"", "\"of 12 High Street\"", "private data"),
        (RECIPE_FILE, "click, toggle]", "toggle]", "capability policy"),
        (RECIPE_FILE, "${inputs.tile}", "xaver@example.com", "literals"),
        (RECIPE_FILE, "${inputs.tile}", "${inputs.title}", "inputs"),
        (RECIPE_FILE, "steps:\n", large.as_str(), "deterministic compile"),
        (script, "", "# Ask xaver@example.com\n", "private data"),
        (script, "", "const phone = \"R5CT30ABCDE\";\n", "private data"),
        (script, "", "const deviceId = \"pixel-one-42\";\n", "private data"),
        (script, "", "const DEVICE_NAME = 'Thunderbolt';\n", "private data"),
        (skill_md, "name: x\n---\n", "name: x\n---\nOpen Jane Roe's phone\n", "private data"),
        (skill, "Does read.", "Reads the Smith family home.", "index private data"),
        (RECIPE_FILE, "${inputs.tile}", "Jane Roe's phone", "literals"),
    ] {
        let folder = repository();
        change(&folder, file, from, to);
        let report = checked(&folder);
        let names: Vec<_> =
            report.checks.iter().filter(|check| !check.passed).map(|check| check.name).collect();
        assert_eq!(names.join(" "), failed, "{from} -> {to}: {}", json!(report));
        assert!(!report.passed);
    }
}

#[test]
fn a_profile_decides_what_recipes_may_do() {
    let folder = repository();
    let profiles = Profiles::parse("profiles: {strict: {allow: [observe, navigate]}}").unwrap();
    let report = ci(&registry(&folder), &profiles.0["strict"]).unwrap();
    assert!(!report.passed && !report.checks[8].passed, "{report:?}");
    let told = json!(report.checks[8].problems).to_string();
    assert!(told.contains("toggle"), "{told}");
}

#[test]
fn a_repository_may_leave_out_its_shards_and_not_one_of_them() {
    let folder = repository();
    let shards = folder.0.join("skills/generated/by-app");
    fs::remove_file(shards.join("com.ex.json")).unwrap();
    assert!(!checked(&folder).checks[1].passed);
    for kind in ["by-app", "by-prefix"] {
        fs::remove_dir_all(folder.0.join("skills/generated").join(kind)).unwrap();
    }
    assert!(checked(&folder).passed);
    // The manifest still tells what would be in them.
    change(&folder, "skills/generated/manifest.json", "by-app/", "by-apps/");
    assert!(!checked(&folder).checks[1].passed);
}

#[test]
fn a_private_text_has_a_place_and_is_not_repeated() {
    let folder = repository();
    let file = "skills/com.ex.read/SKILL.md";
    change(&folder, file, "name: x\n---\n", "name: x\n---\n& <Ask> xaver@example.com\n");
    let report = checked(&folder);
    let private: Value = json!(report.checks[7].problems);
    assert_eq!(private, json!([{"place": format!("{file}:4:9"), "message": "an email address"}]));
    assert!(!json!(report).to_string().contains("xaver"));
}

#[test]
fn a_file_that_cannot_be_read_does_not_pass() {
    for (file, bytes, message) in [
        ("skills/com.ex.read/SKILL.md", &b"---\nname: x\xff\n---\n"[..], "UTF-8"),
        ("skills/com.ex.read/scripts/run.js", &[b'x'; (1 << 20) + 1], "bytes"),
        (RECIPE_FILE, b"\xff", "UTF-8"),
    ] {
        let folder = repository();
        fs::write(folder.0.join(file), bytes).unwrap();
        let report = checked(&folder);
        let problems = json!(report.checks[0].problems);
        assert!(
            problems.to_string().contains(file) && problems.to_string().contains(message),
            "{file}: {problems}"
        );
        assert!(!report.passed);
    }
}
