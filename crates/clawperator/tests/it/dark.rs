//! A secret is typed, and then everything is read and searched for it: every
//! answer of every surface, and every file. Attacks times surfaces, with processes
//! as they are used.

use super::approvals::post;
use super::mcp::Agent;
use super::serve::{Server, token_of};
use super::sim::Place;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use serde_json::{Value, json};
use std::path::Path;

const SECRET: &str = "Zebra7Quilt9";
const FIELD: &str = "com.example.vaulted:id/input_password";
const CODE: &str = "com.example.vaulted:id/code";

/// Six letters in a row of the secret, however they are written.
fn leak(told: &str) -> Option<String> {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let (told, secret): (String, Vec<char>) = (plain(told), plain(SECRET).chars().collect());
    let mut parts = secret.windows(6).map(|part| part.iter().collect::<String>());
    parts.find(|part| told.contains(part.as_str()))
}

/// All bytes of all files, as text.
pub(crate) fn files(folder: &Path) -> String {
    let mut all = String::new();
    for file in std::fs::read_dir(folder).into_iter().flatten() {
        let path = file.unwrap().path();
        all.push_str(&path.to_string_lossy());
        all.push('\n');
        if path.is_dir() {
            all.push_str(&files(&path));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        // The trees of journals are packed.
        let bytes = decompress_to_vec_zlib(&bytes).unwrap_or(bytes);
        all.push_str(&String::from_utf8_lossy(&bytes));
    }
    all
}

struct Scene {
    place: Place,
    server: Option<Server>,
    read: usize,
}

impl Scene {
    fn new() -> Self {
        let place = Place::new();
        let apps = crate::root().join("crates/phone/run/tests/it/vaulted.yaml");
        place.json(&["start", "--apps", apps.to_str().unwrap()]);
        let scene = Self { place, server: None, read: 0 };
        scene.runs(&["open", "com.example.vaulted"]);
        scene
    }

    /// What a command prints, whatever comes of it.
    fn prints(&self, words: &[&str]) -> String {
        let mut program = self.place.program();
        let output = program.args(words).args(["--device", "sim"]).output().unwrap();
        let (out, err) = (output.stdout, output.stderr);
        format!("{}{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&err))
    }

    fn runs(&self, words: &[&str]) {
        let output = self.place.program().args(words).args(["--device", "sim"]).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    fn key(&self, name: &str) {
        let key = json!({"keycode": name}).to_string();
        self.runs(&["agent", "act", "keyevent", &key, "--approve"]);
    }

    fn read_over_http(&self, look: &Value, all: &mut Vec<(String, String)>) {
        if let Some(server) = &self.server {
            let token = token_of(&self.place);
            for path in ["/devices/sim-1/observe", "/journals", "/runs", "/events/none", "/sessions"] {
                all.push((path.to_owned(), server.get(path, Some(&token))));
            }
            for (path, body) in [
                ("/snapshot", json!({"deviceId": "sim-1"})),
                ("/screenshot", json!({"deviceId": "sim-1"})),
                ("/execute", json!({"deviceId": "sim-1", "execution": look})),
                ("/agent/act", json!({"deviceId": "sim-1", "tool": "observe", "arguments": {}})),
            ] {
                let (_, answer) = post(server, &token, path, &body);
                all.push((path.to_owned(), answer.to_string()));
            }
        }
    }

    fn read_over_mcp(&self, all: &mut Vec<(String, String)>) {
        let mut agent = Agent::start(&self.place, &["--device", "sim"]);
        for (tool, arguments) in [("observe", json!({})), ("find", json!({"role": "textfield"}))] {
            let params = json!({"name": tool, "arguments": arguments});
            all.push((format!("mcp {tool}"), agent.ask("tools/call", &params).to_string()));
        }
    }

    /// Reads everything, and finds nothing of the secret.
    fn assert_dark(&mut self, attack: &str) {
        let shot = self.place.folder.join("state/shot.png");
        let look = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
            "expectedFormat": "android-ui-automator", "actions": [
            {"id": "s", "type": "snapshot_ui"}, {"id": "j", "type": "snapshot_ui", "params": {"view": "json"}},
            {"id": "q", "type": "query", "params": {"matcher": {"role": "textfield"}}},
            {"id": "r", "type": "read_text", "params": {"matcher": {"resourceId": FIELD}}}]});
        let shell = json!({"command": "uiautomator dump /dev/tty"}).to_string();
        let mut miss = look.clone();
        miss["actions"] = json!([{"id": "m", "type": "click", "params":
            {"matcher": {"textEquals": "You typed"}, "retry": {"maxAttempts": 1}}}]);
        let (exec, miss) = (look.to_string(), miss.to_string());
        let (shot, report) = (shot.to_str().unwrap().to_owned(), self.place.folder.join("state/report.html"));
        let commands: &[&[&str]] = &[
            &["snapshot"],
            &["snapshot", "--view", "compact"],
            &["snapshot", "--view", "json"],
            &["snapshot", "--view", "compact", "--diff", "last"],
            &["find", "--role", "textfield"],
            &["find", "--text", "Quilt"],
            &["read", "--id", FIELD],
            &["observe", "--output", "pretty"],
            &["exec", &exec],
            &["exec", &exec, "--route", "operator"],
            &["exec", &exec, "--no-daemon"],
            &["exec", &miss],
            &["agent", "act", "shell", &shell, "--approve"],
            &["journal", "list"],
            &["journal", "show", "last"],
        ];
        // Pictures take their time in a debug build.
        let pictures: &[&[&str]] = &[
            &["observe", "--som"],
            &["exec", &exec, "--report", report.to_str().unwrap()],
            &["screenshot", "--path", &shot],
        ];
        let pictures = pictures.iter().filter(|_| attack == "shown" || attack == "applied");
        let mut all: Vec<(String, String)> =
            commands.iter().chain(pictures).map(|words| (words.join(" "), self.prints(words))).collect();
        let compact = &all[1].1;
        assert!(compact.contains("textfield"), "{attack}: {compact}");
        self.read_over_http(&look, &mut all);
        self.read_over_mcp(&mut all);
        all.push(("files".to_owned(), files(&self.place.folder.join("state"))));
        for (surface, told) in &all {
            assert_eq!(leak(told), None, "{attack} × {surface}: {told}");
        }
        self.read += all.len();
    }
}

#[test]
fn a_typed_password_is_in_no_answer_and_no_file_whatever_is_done_then() {
    let mut scene = Scene::new();
    scene.server = Some(Server::start(&scene.place, &[]));
    scene.runs(&["type-text", "--id", FIELD, "--text", SECRET]);
    scene.assert_dark("typed");
    scene.runs(&["click", "--text", "Show"]);
    scene.assert_dark("shown");
    scene.key("KEYCODE_DEL");
    scene.assert_dark("one letter less");
    scene.runs(&["click", "--text", "Help"]);
    scene.key("KEYCODE_BACK");
    scene.assert_dark("help and back");
    // Dropping it kills it.
    scene.server = None;
    scene.server = Some(Server::start(&scene.place, &[]));
    scene.assert_dark("another server");
    assert!(scene.read >= 100, "{}", scene.read);
}

#[test]
fn what_a_person_gave_is_in_no_answer_and_no_file_after_it_was_applied() {
    let mut scene = Scene::new();
    scene.runs(&["click", "--id", CODE]);
    scene.server = Some(Server::start(&scene.place, &[]));
    let token = token_of(&scene.place);
    let server = scene.server.as_ref().unwrap();
    let asks = json!({"capability": "2fa", "instruction": "The code.", "deviceId": "sim-1"});
    let (_, asked) = post(server, &token, "/approvals", &asks);
    let id = asked["id"].as_str().unwrap().to_owned();
    let answer = json!({"answer": {"text": SECRET}});
    post(server, &token, &format!("/approvals/{id}/approve"), &answer);
    let (_, applied): (u16, Value) = post(server, &token, &format!("/approvals/{id}/apply"), &json!({}));
    assert!(applied.to_string().contains("yped"), "{applied}");
    scene.assert_dark("applied");
    scene.key("KEYCODE_DEL");
    scene.assert_dark("one letter less");
    for _ in 0..3 {
        scene.key("KEYCODE_DEL");
    }
    scene.assert_dark("four letters less");
}

#[test]
fn a_session_of_an_agent_has_nothing_of_a_dark_field() {
    let mut scene = Scene::new();
    scene.runs(&["type-text", "--id", FIELD, "--text", SECRET]);
    scene.runs(&["click", "--text", "Show"]);
    scene.key("KEYCODE_DEL");
    let script = scene.place.folder.join("look.jsonl");
    let lines = [
        r#"{"tool": "tap", "on": {"text": "Ask"}, "thought": "Look."}"#,
        r#"{"tool": "tap", "on": {"text": "OK"}}"#,
        r#"{"tool": "finish", "args": {"message": "Done."}}"#,
    ];
    std::fs::write(&script, lines.join("\n")).unwrap();
    let model = format!("script:{}", script.display());
    let ran = scene.prints(&["agent", "run", "Look at it", "--model", &model]);
    assert_eq!(leak(&ran), None, "{ran}");
    assert!(ran.contains("finished"), "{ran}");
    scene.assert_dark("after a task");
}

#[test]
fn what_a_model_repeats_of_a_password_is_not_printed() {
    let scene = Scene::new();
    let script = scene.place.folder.join("says.jsonl");
    let say = |tool: &str, args: Value| {
        json!({"tool": tool, "args": args, "thought": format!("It is {SECRET}.")}).to_string()
    };
    let lines = [
        json!({"tool": "tap", "on": {"id": "input_password"}}).to_string(),
        say("type_text", json!({"text": SECRET})),
        say("wait", json!({"seconds": 1})),
        say("finish", json!({"message": format!("I typed {SECRET}.")})),
    ];
    std::fs::write(&script, lines.join("\n")).unwrap();
    let model = format!("script:{}", script.display());
    let ran = scene.prints(&["agent", "run", "Log in", "--model", &model, "--policy", "none"]);
    assert!(ran.contains("finished"), "{ran}");
    assert_eq!(leak(&ran), None, "{ran}");
}
