//! From fingers on a phone to a skill: recorded, made, linted, compiled and
//! run, through the program as it is shipped.

use super::record::Desk;
use serde_json::Value;

#[test]
fn a_recording_becomes_a_skill_that_runs() {
    let desk = Desk::new();
    desk.data(&["record", "start", "--device", "sim", "--session-id", "rec"]);
    desk.finger(&["touch", "Settings"]);
    desk.finger(&["touch", "Display"]);
    desk.finger(&["key", "BACK"]);
    desk.data(&["record", "stop", "--device", "sim"]);
    let file = desk.recordings().join("rec.ndjson");
    let id = "com.android.settings.open-page";
    let run = |words: &[&str]| -> (Value, Option<i32>) {
        let registry = desk.recordings().join("repo/skills/skills-registry.json");
        std::fs::create_dir_all(registry.parent().unwrap()).unwrap();
        if !registry.exists() {
            std::fs::write(&registry, r#"{"skills":[]}"#).unwrap();
        }
        let output =
            desk.program().env("CLAWPERATOR_SKILLS_REGISTRY", &registry).args(words).output().unwrap();
        let answer = serde_json::from_slice(&output.stdout);
        let answer = answer.unwrap_or_else(|_| panic!("{words:?}: {output:?}"));
        (answer, output.status.code())
    };
    let file = file.to_str().unwrap();
    let new =
        ["skills", "new", id, "--summary", "Opens a page.", "--from-recording", file, "--device", "sim"];
    let (made, code) = run(&new);
    assert_eq!(code, Some(0), "{made:#}");
    // The row has an id of its own, so its label is not needed.
    assert_eq!(made["inputs"].as_array().unwrap().len(), 0, "{made:#}");
    assert_eq!(made["leftOut"][0]["action"], "press_key", "{made:#}");
    assert_eq!(made["toDo"].as_array().unwrap().len(), 0, "{made:#}");
    assert_eq!(made["findings"]["findings"].as_array().unwrap().len(), 0, "{made:#}");
    let folder = desk.recordings().join("repo/skills").join(id);
    let recipe = std::fs::read_to_string(folder.join("artifacts/open-page.recipe.yaml")).unwrap();
    let world = std::fs::read_to_string(folder.join("tests/recorded.app.yaml")).unwrap();
    // What the recipe does not name is masked in the world.
    assert!(recipe.contains("com.android.settings:id/display"), "{recipe}");
    assert!(world.contains("captured:") && !world.contains("Ada Lovelace"), "{world}");
    assert!(recipe.contains("version_code: ") && recipe.contains("android_api: 34"), "{recipe}");
    for (words, good) in [
        (&["skills", "validate", id, "--dry-run"][..], "valid"),
        (&["skills", "lint", id], "ok"),
        (&["skills", "compile", id], "actions"),
        (&["skills", "run", id, "--device", "sim"], "recipeId"),
    ] {
        let (answer, code) = run(words);
        assert_eq!(code, Some(0), "{words:?}: {answer:#}\n{recipe}");
        assert!(answer.get(good).is_some(), "{words:?}: {answer:#}");
    }
    // It is not made twice.
    let (again, code) = run(&new);
    assert_eq!((code, &again["code"]), (Some(1), &"SKILL_ALREADY_EXISTS".into()), "{again:#}");
}
