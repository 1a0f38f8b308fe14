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
    let text = |words: &[&str]| -> String {
        let mut program = place.program();
        program
            .env("CLAWPERATOR_HOME", place.folder.join("state"))
            .env("CLAWPERATOR_SKILLS_REGISTRY", &registry);
        let output = program.args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let run = |words: &[&str]| -> Value {
        let said = text(words);
        serde_json::from_str(&said).unwrap_or_else(|_| panic!("{words:?}: {said}"))
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
    let shown = run(&["agent", "show", "last"]);
    let journal = ended["journal"].as_str().unwrap();
    assert_eq!(shown["end"]["journal"], journal, "{shown:#}");
    // It has the name of the session, too.
    for name in [journal, ended["session"].as_str().unwrap()] {
        let kept = text(&["journal", "show", name]);
        assert!(kept.contains("launch_app") && kept.contains("tap"), "{kept}");
    }
    let key = [
        "agent",
        "act",
        "keyevent",
        r#"{"keycode":"KEYCODE_HOME"}"#,
        "--device",
        "sim",
    ];
    assert!(run(&key)["journal"].is_string());
    let without = run(&[&key[..], &["--no-journal"]].concat());
    assert_eq!(without["journal"], Value::Null, "{without}");
    let shown = shown.to_string();
    assert!(shown.contains("Display is there."), "{shown}");
    let id = "com.android.settings.open-display";
    run(&["agent", "export", "last", "--skill", id, "--device", "sim"]);
    let compiled = run(&["skills", "compile", id]);
    assert!(compiled.get("actions").is_some(), "{compiled:#}");
}
