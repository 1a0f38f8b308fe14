//! A task from the command line to its recipe, through the program as it is
//! shipped.

use super::sim::Place;
use serde_json::Value;

#[test]
fn a_task_is_done_shown_and_exported_as_a_recipe_that_compiles() {
    let place = Place::new();
    place.json(&["start"]);
    let script = place.folder.join("display.jsonl");
    let lines = [
        r#"{"tool": "launch_app", "args": {"packageName": "com.android.settings"}}"#,
        r#"{"tool": "tap", "on": {"text": "Display"}, "thought": "Display is there."}"#,
        r#"{"tool": "finish", "args": {"message": "It is open."}}"#,
    ];
    std::fs::write(&script, lines.join("\n")).unwrap();
    let registry = place.folder.join("repo/skills/skills-registry.json");
    std::fs::create_dir_all(registry.parent().unwrap()).unwrap();
    std::fs::write(&registry, r#"{"skills":[]}"#).unwrap();
    let run = |words: &[&str]| -> Value {
        let mut program = place.program();
        program
            .env("CLAWPERATOR_HOME", place.folder.join("state"))
            .env("CLAWPERATOR_SKILLS_REGISTRY", &registry);
        let output = program.args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
        let answer = serde_json::from_slice(&output.stdout);
        answer.unwrap_or_else(|_| panic!("{words:?}: {output:?}"))
    };
    let model = format!("script:{}", script.display());
    let task = [
        "agent",
        "run",
        "Open the display settings",
        "--device",
        "sim",
        "--model",
        &model,
    ];
    let ended = run(&task);
    assert_eq!(
        (&ended["status"], &ended["message"], &ended["steps"]),
        (&"finished".into(), &"It is open.".into(), &3.into()),
        "{ended:#}"
    );
    let shown = run(&["agent", "show", "last"]).to_string();
    assert!(shown.contains("Display is there."), "{shown}");
    let id = "com.android.settings.open-display";
    run(&["agent", "export", "last", "--skill", id, "--device", "sim"]);
    let compiled = run(&["skills", "compile", id]);
    assert!(compiled.get("actions").is_some(), "{compiled:#}");
}
