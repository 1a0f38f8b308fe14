//! `skills lint` and `skills compile`: what they print for recipes of a
//! repository and for files.

use super::clawperator;
use super::skills::Folder;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

const GOOD: &str = "recipe_id: com.ex.app.toggle
recipe_version: 1.0.0
recipe_type: action
application_id: com.ex.app
summary: Turns something on.
frameworks: [views]
session_policy: fresh
app_build: {version_name: \"1.0\", version_code: 1}
tested_on: {android_api: 34}
capabilities: [observe, navigate, click]
inputs:
  - {name: tile, type: string, required: true, default: \"\"}
outputs: []
steps:
  - id: choose
    type: click
    selector: {text_equals: \"${inputs.tile}\", annotation: USER_SPECIFIC}
    confirm:
      selector: {text_equals: Done}
";

/// A repository with a good recipe, one with a literal, a template and a
/// profile.
fn repository(name: &str) -> Folder {
    let folder = Folder::new(name);
    let bad = GOOD
        .replace("\"${inputs.tile}\", annotation: USER_SPECIFIC", "Call bob@private.org")
        .replace("com.ex.app.toggle", "com.ex.app.bad");
    let template = r#"{"commandId":"c","taskId":"t","source":"s","expectedFormat":"android-ui-automator","timeoutMs":5000,"actions":[{"id":"a","type":"snapshot_ui"}]}"#;
    for (name, text) in [
        ("skills/com.ex.app.toggle/artifacts/toggle.recipe.yaml", GOOD),
        ("skills/com.ex.app.bad/artifacts/bad.recipe.yaml", &bad),
        ("skills/com.ex.app.old/artifacts/old.recipe.json", template),
        ("profiles.yaml", "profiles:\n  look: {default: deny, allow: [observe, navigate]}\n"),
        ("two.yaml", "profiles:\n  a: {default: allow}\n  b: {default: deny}\n"),
        ("names.txt", "# not to be published\nDone\n"),
        ("inputs.json", r#"{"tile": "Kitchen"}"#),
        ("broken.json", "{\"tile\": [1]}"),
    ] {
        write(&folder.0.join(name), text);
    }
    let entries = ["toggle", "bad", "old"].map(|name| {
        let kind = if name == "old" { "json" } else { "yaml" };
        let path = format!("skills/com.ex.app.{name}");
        json!({"id": format!("com.ex.app.{name}"), "applicationId": "com.ex.app", "intent": name, "summary": name,
            "path": path, "skillFile": format!("{path}/SKILL.md"), "scripts": [],
            "artifacts": [format!("{path}/artifacts/{name}.recipe.{kind}")]})
    });
    let registry = json!({ "skills": entries }).to_string();
    write(&folder.0.join("skills/skills-registry.json"), &registry);
    folder
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn run(folder: &Folder, line: &str) -> Output {
    clawperator()
        .args(line.split(' '))
        .current_dir(&folder.0)
        .env_remove("CLAWPERATOR_SKILLS_REGISTRY")
        .output()
        .unwrap()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn recipes_are_linted_and_compiled_by_id_and_by_file() {
    let folder = repository("recipes");
    let own = "skills/com.ex.app.toggle/artifacts/toggle.recipe.yaml";
    let bad = "skills/com.ex.app.bad/artifacts/bad.recipe.yaml";
    let line =
        format!("{bad}:17:29: error USER_LITERAL: the text of text_equals is or contains an email address");
    // What is typed, the exit code, and what must be printed.
    let cases: &[(&str, i32, &[&str])] = &[
        ("lint com.ex.app.toggle", 0, &[r#""ok":true,"files":1,"errors":0,"warnings":0,"findings":[]"#]),
        (&format!("lint {own}"), 0, &[r#""ok":true"#]),
        (
            "lint com.ex.app.bad",
            1,
            &[r#""errors":1,"warnings":1"#, r#""line":17,"column":29"#, "INPUT_UNUSED"],
        ),
        (
            "lint com.ex.app.bad --format text",
            1,
            &[
                &line,
                "\n    Declare an input and write ${inputs.NAME} in its place.",
                "1 error, 1 warning in 1 recipe\n",
            ],
        ),
        ("lint com.ex.app.bad --output pretty", 1, &[&line]),
        (
            "lint --all --format sarif",
            1,
            &[r#""version":"2.1.0""#, r#""ruleId":"USER_LITERAL""#, r#""startLine":17"#],
        ),
        // A template is no recipe.
        ("lint --all", 1, &[r#""files":2,"errors":1"#]),
        ("lint com.ex.app.old", 1, &["ARTIFACT_NOT_FOUND", "the skill com.ex.app.old has no recipe"]),
        ("lint com.ex.app.togle", 1, &["SKILL_NOT_FOUND", "Did you mean"]),
        ("lint nothing.recipe.yaml", 1, &["ARTIFACT_NOT_FOUND", "cannot be read"]),
        ("lint skills/skills-registry.json", 1, &["is not the name of a recipe"]),
        ("lint", 1, &["MISSING_ARGUMENT"]),
        ("lint com.ex.app.toggle --all", 1, &["USAGE", "not both"]),
        (
            "lint com.ex.app.toggle --profile profiles.yaml",
            1,
            &["CAPABILITY_FORBIDDEN", "the profile look denies click"],
        ),
        ("lint com.ex.app.toggle --profile two.yaml", 1, &["USAGE", "a, b"]),
        ("lint com.ex.app.toggle --profile two.yaml#a", 0, &[r#""ok":true"#]),
        ("lint com.ex.app.toggle --profile two.yaml#b", 1, &["the profile b denies"]),
        ("lint com.ex.app.toggle --denylist names.txt", 1, &["a text of the local denylist"]),
        ("lint com.ex.app.toggle --denylist none.txt", 1, &["USAGE", "cannot read the denylist"]),
        (
            "compile com.ex.app.toggle --input tile=Kitchen",
            0,
            &[r#""mode":"artifact_compiled""#, r#""textEquals":"Kitchen""#],
        ),
        ("compile com.ex.app.toggle --inputs-file inputs.json", 0, &[r#""textEquals":"Kitchen""#]),
        // What is typed goes before the file.
        (
            "compile com.ex.app.toggle --inputs-file inputs.json --input tile=Hall",
            0,
            &[r#""textEquals":"Hall""#],
        ),
        (&format!("compile {own} --input tile=a=b"), 0, &[r#""textEquals":"a=b""#]),
        (
            "compile com.ex.app.toggle",
            1,
            &[
                "RECIPE_INPUT_MISSING",
                r#""path":"inputs.0""#,
                "Give it with --input tile=VALUE.",
                r#""line":12"#,
            ],
        ),
        (
            "compile com.ex.app.toggle --input tiles=x",
            1,
            &["RECIPE_INPUT_MISSING", "has no input \\\"tiles\\\""],
        ),
        ("compile com.ex.app.toggle --input tile", 1, &["USAGE", "needs a name and a value"]),
        (
            "compile com.ex.app.toggle --inputs-file broken.json",
            1,
            &["RECIPE_INPUT_INVALID", "broken.json:1:10: tile must be a text"],
        ),
        ("compile com.ex.app.toggle --inputs-file none.json", 1, &["USAGE", "cannot read"]),
        (
            "compile com.ex.app.toggle --artifact other",
            1,
            &["ARTIFACT_NOT_FOUND", "Name one with --artifact: toggle."],
        ),
        ("compile com.ex.app.toggle --artifact toggle --input tile=x", 0, &["artifact_compiled"]),
    ];
    let mut wrong = Vec::new();
    for (line, exit, parts) in cases {
        let output = run(&folder, &format!("skills {line}"));
        let printed = String::from_utf8_lossy(&output.stdout);
        let holds = output.status.code() == Some(*exit) && parts.iter().all(|part| printed.contains(part));
        if !holds {
            wrong.push(format!("{line}: {:?}\n{printed}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_denylist_of_the_git_repository_is_used() {
    let folder = repository("recipes-denied");
    let count = |file: &str| {
        let output = run(&folder, &format!("skills lint {file}"));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["errors"].as_u64().unwrap()
    };
    let own = "skills/com.ex.app.toggle/artifacts/toggle.recipe.yaml";
    // A working tree, and one that is linked to another repository.
    write(&folder.0.join(".git/info/clawperator-denylist"), "done\n");
    assert_eq!(count(own), 1);
    std::fs::remove_dir_all(folder.0.join(".git")).unwrap();
    write(&folder.0.join(".git"), "gitdir: main/.git/worktrees/own\n");
    write(&folder.0.join("main/.git/worktrees/own/commondir"), "../..\n");
    write(&folder.0.join("main/.git/info/clawperator-denylist"), "done\n");
    assert_eq!(count(own), 1);
    write(&folder.0.join("main/.git/info/clawperator-denylist"), "# nothing\n");
    assert_eq!(count(own), 0);
}
