//! A task from the command line to its recipe, through the program as it is
//! shipped.

use super::sim::{Place, kill};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

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
    let task = ["agent", "run", "Open the display settings", "--device", "sim", "--model", &model];
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
    let key = ["agent", "act", "keyevent", r#"{"keycode":"KEYCODE_HOME"}"#, "--device", "sim"];
    assert!(run(&key)["journal"].is_string());
    let without = run(&[&key[..], &["--no-journal"]].concat());
    assert_eq!(without["journal"], Value::Null, "{without}");
    let shown = shown.to_string();
    assert!(shown.contains("Display is there."), "{shown}");
    let id = "com.android.settings.open-display";
    run(&["agent", "export", "last", "--skill", id, "--device", "sim"]);
    let compiled = run(&["skills", "compile", id]);
    assert!(compiled.get("actions").is_some(), "{compiled:#}");
    // A session in which nothing was touched becomes no skill.
    std::fs::write(&script, [lines[0], lines[2]].join("\n")).unwrap();
    run(&task);
    let id = "com.android.settings.nothing";
    let mut program = place.program();
    program.env("CLAWPERATOR_HOME", place.folder.join("state")).env("CLAWPERATOR_SKILLS_REGISTRY", &registry);
    let refused = program.args(["agent", "export", "last", "--skill", id]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stdout);
    assert!(said.contains("RECORDING_COMPILE_FAILED") && said.contains("would do nothing"), "{said}");
    assert!(!registry.with_file_name(id).exists());
}

/// A signal while a person is asked: the question is taken back, and the session
/// can be resumed.
#[test]
fn a_task_that_is_interrupted_takes_its_question_back_and_can_be_resumed() {
    let place = Place::new();
    place.json(&["start"]);
    let (ask, done) = (place.folder.join("ask.jsonl"), place.folder.join("done.jsonl"));
    let wanted =
        json!({"tool": "request_human_auth", "args": {"capability": "sms", "instruction": "The code"}});
    std::fs::write(&ask, wanted.to_string()).unwrap();
    std::fs::write(&done, r#"{"tool": "finish", "args": {"message": "Done."}}"#).unwrap();
    let program = || {
        let mut program = place.program();
        program.env("CLAWPERATOR_HOME", place.folder.join("state"));
        program
    };
    let json = |words: &[&str]| -> Value {
        let output = program().args(words).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {output:?}"))
    };
    let models = [&ask, &done].map(|file| format!("script:{}", file.display()));
    let wish = wanted["args"].to_string();
    let run = ["agent", "run", "Ask me", "--device", "sim", "--model", &models[0]];
    let act = ["agent", "act", "request_human_auth", &wish, "--device", "sim"];
    for (words, signal) in [(&run[..], "INT"), (&act[..], "TERM")] {
        let mut child = program()
            .args(words)
            .args(["--notify", "echo asked >&2"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A line about the request comes once it is there.
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let told = lines.find_map(|line| line.ok().filter(|line| line.contains("ap-")));
        assert!(told.is_some());
        kill(i32::try_from(child.id()).unwrap(), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        let ended: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!(output.status.code(), Some(1), "{ended}");
        let requests = json(&["approvals", "list"]);
        let id = requests["approvals"][0]["id"].as_str().unwrap();
        let request = json(&["approvals", "show", id]);
        assert_eq!(
            (&request["state"], &request["decidedBy"]),
            (&json!("rejected"), &json!("agent")),
            "{request:#}"
        );
    }
    assert_eq!(json(&["agent", "sessions"])["sessions"][0]["status"], "stopped");
    let resumed = json(&["agent", "resume", "last", "--device", "sim", "--model", &models[1]]);
    assert_eq!(resumed["status"], "finished", "{resumed:#}");
}

/// Words of a screen, a model and a skill that would forge lines of a terminal.
#[test]
fn no_command_prints_what_a_terminal_would_obey() {
    const EVIL: &str =
        "Hi\u{1b}[31m\nAPPROVED \"all\"\r\u{202e}\u{200b}\u{2028}APPROVED\u{85}\u{9b}31m\u{ad}\u{7} end";
    let place = Place::new();
    let apps = place.folder.join("apps");
    std::fs::create_dir_all(&apps).unwrap();
    let body = json!([{"button": {"id": "k", "text": EVIL, "on_click": []}}]);
    let app = json!({"package": "com.evil", "label": EVIL, "screens": {"main": {"title": EVIL, "body": body}},
        "activities": [{"name": ".Main", "screen": "main", "launcher": true}]});
    std::fs::write(apps.join("evil.yaml"), app.to_string()).unwrap();
    place.json(&["start", "--apps", apps.to_str().unwrap()]);
    let script = place.folder.join("evil.jsonl");
    let lines = [
        json!({"tool": "tap", "args": {"x": 5, "y": 5}, "thought": EVIL}),
        json!({"tool": "finish", "args": {"message": EVIL}}),
    ];
    std::fs::write(&script, lines.map(|line| line.to_string()).join("\n")).unwrap();
    let registry = place.folder.join("repo/skills/skills-registry.json");
    std::fs::create_dir_all(registry.parent().unwrap()).unwrap();
    let skill = json!({"id": format!("com.a.b{EVIL}"), "applicationId": EVIL, "intent": EVIL, "summary": EVIL,
        "path": "skills/x", "skillFile": "skills/x/SKILL.md", "scripts": [], "artifacts": []});
    std::fs::write(&registry, json!({"skills": [skill]}).to_string()).unwrap();
    let model = format!("script:{}", script.display());
    for words in [
        "open com.evil --device sim",
        "observe --device sim",
        "snapshot --view compact --device sim",
        "find --id com.evil:id/k --device sim",
        "read --id com.evil:id/k --device sim",
        "click --text APPROVED --device sim",
        "packages --device sim",
        "agent run EVIL --device sim --model MODEL",
        "agent show last",
        "agent sessions",
        "journal list",
        "journal show last",
        "skills list",
        "skills search Hi",
        "skills validate",
        "skills lint",
        "approvals list",
        "devices",
    ] {
        let words = words.split(' ').map(|word| match word {
            "EVIL" => EVIL,
            "MODEL" => &model,
            word => word,
        });
        let mut program = place.program();
        program
            .env("CLAWPERATOR_HOME", place.folder.join("state"))
            .env("CLAWPERATOR_SKILLS_REGISTRY", &registry);
        let words: Vec<&str> = words.chain(["--output", "pretty"]).collect();
        let output = program.args(&words).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let said = said.concat();
        let obeyed = |letter: char| {
            letter.is_control() && letter != '\n' || matches!(letter, '\u{202e}' | '\u{200b}' | '\u{2028}')
        };
        assert!(!said.contains(obeyed), "{words:?}: {said:?}");
        assert!(!said.lines().any(|line| line.starts_with("APPROVED")), "{words:?}: {said}");
    }
}
