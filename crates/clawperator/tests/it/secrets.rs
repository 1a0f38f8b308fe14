//! Values that are typed by name, over every surface, with processes as they are
//! used; and what a process leaves on a phone that is killed.

use super::approvals::{Headers, post_with};
use super::serve::{Server, token_of};
use super::sim::Place;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Output, Stdio};

const VALUE: &str = "sesame-4711-open";
const EMAIL: &str = "com.clawperator.form:id/input_email";
const PASSWORD: &str = "com.clawperator.form:id/input_password";

/// A phone that shows a login.
struct Scene(Place);

impl Scene {
    fn new(flags: &[&str]) -> Self {
        let place = Place::new();
        place.json(&[&["start"], flags].concat());
        let scene = Self(place);
        scene.shell("am start -n com.clawperator.form/.LoginActivity");
        scene
    }

    fn output(&self, words: &[&str]) -> Output {
        self.0.program().args(words).output().unwrap()
    }

    /// What a command printed; no output has the value.
    fn prints(&self, words: &[&str]) -> Value {
        let output = self.output(words);
        let all = format!("{output:?}");
        assert!(!all.contains(VALUE), "{words:?}: {all}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {all}"))
    }

    fn shell(&self, command: &str) -> String {
        let args = json!({ "command": command }).to_string();
        let output = self.output(&["agent", "act", "shell", &args, "--approve", "--device", "sim"]);
        String::from_utf8(output.stdout).unwrap()
    }

    /// Sets a value from standard input.
    fn set(&self, words: &[&str], value: &str) -> Value {
        let mut child = self.0.program();
        let child = child.args(["secrets", "set"]).args(words);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // Who refuses a name may have ended before it reads the value.
        let _ = child.stdin.take().unwrap().write_all(value.as_bytes());
        serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
    }

    fn types(&self, words: &[&str]) -> Value {
        self.prints(&[&["type", "--device", "sim", "--no-daemon"], words].concat())
    }

    fn files(&self) -> Vec<PathBuf> {
        let (mut files, mut folders) = (Vec::new(), vec![self.0.folder.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files
    }

    /// No file of the state folder, and of nothing else of ours, has the value.
    fn stores_nothing(&self) {
        for file in self.files() {
            let bytes = std::fs::read(&file).unwrap_or_default();
            let found = bytes.windows(VALUE.len()).any(|part| part == VALUE.as_bytes());
            assert!(!found, "{}", file.display());
        }
    }
}

fn code(answer: &Value) -> &str {
    let inside = [
        &answer["code"],
        &answer["error"]["code"],
        &answer["envelope"]["errorCode"],
        &answer["result"]["error"]["code"],
    ];
    inside.into_iter().find_map(Value::as_str).unwrap_or_default()
}

#[test]
fn a_value_is_typed_by_name_from_the_terminal_and_stored_nowhere() {
    let scene = Scene::new(&[]);
    let set = scene.set(&["bank.pin"], &format!("{VALUE}\n"));
    assert_eq!(set["text"], "{{secret:bank.pin}}", "{set}");
    let done = scene.types(&["--text-secret", "bank.pin", "--id", EMAIL]);
    assert_eq!(done["envelope"]["status"], "success", "{done}");
    assert!(!scene.shell("uiautomator dump /dev/tty").contains(VALUE), "the model's tool hides it");
    // Also in an execution, and in a password field.
    let payload = json!({"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator", "actions": [{"id": "a", "type": "enter_text",
        "params": {"matcher": {"resourceId": PASSWORD}, "text": "{{secret:bank.pin}}"}}]});
    let done = scene.prints(&["exec", &payload.to_string(), "--device", "sim", "--no-daemon"]);
    assert_eq!(done["envelope"]["status"], "success", "{done}");
    let plan = scene.prints(&["exec", &payload.to_string(), "--dry-run"]);
    assert!(plan.to_string().contains("{{secret:bank.pin}}"), "{plan}");
    let listed = scene.prints(&["secrets", "list"]);
    assert_eq!(listed["secrets"][0]["name"], "bank.pin", "{listed}");
    scene.stores_nothing();
    assert_eq!(scene.prints(&["secrets", "forget"])["forgotten"], json!(["bank.pin"]));
    let gone = scene.types(&["--text-secret", "bank.pin", "--id", EMAIL]);
    assert_eq!(code(&gone), "SECRET_UNKNOWN");
}

#[test]
fn a_name_is_filled_in_nowhere_but_in_its_session_its_app_and_a_typed_text() {
    let scene = Scene::new(&[]);
    scene.set(&["bank.pin"], VALUE);
    for (words, wanted) in [
        (vec!["--text-secret", "bank.pan", "--id", EMAIL], "SECRET_UNKNOWN"),
        (vec!["--text-secret", "", "--id", EMAIL], "SECRET_UNKNOWN"),
        (vec!["x", "--text-secret", "bank.pin", "--id", EMAIL], "EXECUTION_VALIDATION_FAILED"),
        (vec!["{{secret:../../key}}", "--id", EMAIL], "SECRET_UNKNOWN"),
        (vec!["{{secret:bank.pin", "--id", EMAIL], "SECRET_UNKNOWN"),
        (vec!["{{secret:BANK.PIN}}", "--id", EMAIL], "SECRET_UNKNOWN"),
    ] {
        let answer = scene.types(&words);
        assert_eq!(code(&answer), wanted, "{words:?}: {answer}");
    }
    let mut other = scene.0.program();
    let other = other.env("CLAWPERATOR_SESSION", "other");
    let other = other.args(["type", "--text-secret", "bank.pin", "--id", EMAIL, "--device", "sim"]);
    let answer: Value = serde_json::from_slice(&other.output().unwrap().stdout).unwrap();
    assert_eq!(code(&answer), "SECRET_UNKNOWN", "{answer}");
    // Only a text that is typed is filled.
    for (tool, args) in [
        ("shell", json!({"command": "echo {{secret:bank.pin}}"})),
        ("launch_app", json!({"packageName": "{{secret:bank.pin}}"})),
        ("keyevent", json!({"keycode": "{{secret:bank.pin}}"})),
    ] {
        scene.prints(&["agent", "act", tool, &args.to_string(), "--approve", "--device", "sim"]);
    }
    scene.prints(&["open", "https://example.com/{{secret:bank.pin}}", "--device", "sim", "--no-daemon"]);
    // Another app's value is not for this one.
    scene.set(&["shop", "--app", "com.example.shop"], VALUE);
    scene.shell("am start -n com.clawperator.form/.LoginActivity");
    let answer = scene.types(&["--text-secret", "shop", "--id", EMAIL]);
    assert_eq!(code(&answer), "SECRET_REFUSED", "{answer}");
    for (words, value) in [
        (&["a b"][..], "x"),
        (&[".x"], "x"),
        (&["../x"], "x"),
        (&["ok"], ""),
        (&["ok", "--minutes", "0"], "x"),
        (&["ok", "--minutes", "1441"], "x"),
        (&["ok", "--session", "../x"], "x"),
    ] {
        let answer = scene.set(words, value);
        assert_ne!(code(&answer), "", "{words:?}: {answer}");
    }
    scene.stores_nothing();
}

/// What a person fills in is kept for the session of the caller, also over a
/// restart of the server.
#[test]
fn a_login_that_a_person_gave_over_http_is_typed_by_name_in_that_session() {
    let scene = Scene::new(&[]);
    let start = || (Server::start(&scene.0, &["--device", "sim"]), token_of(&scene.0));
    let (server, token) = start();
    let one: Headers<'_> = &[("Clawperator-Session", "one"), ("Prefer", "respond-async")];
    let call = |tool: &str, args: &Value| json!({"tool": tool, "args": args});
    let login = call(
        "request_human_auth",
        &json!({"capability": "oauth", "instruction": "Sign in.",
        "uiTemplate": {"artifactKind": "credentials", "requireArtifactOnApprove": true, "fields": [
            {"id": "username", "label": "User", "type": "text", "required": true},
            {"id": "password", "label": "Password", "type": "password", "required": true}]}}),
    );
    let (status, asked) = post_with((&server, &token), "/agent/act", &login, one);
    assert_eq!(status, 202, "{asked}");
    let id = asked["result"]["error"]["approval"].as_str().unwrap().to_owned();
    // The server is killed, the person answers, and the same call goes on.
    drop(server);
    let (server, _) = start();
    let path = format!("/approvals/{id}/approve");
    let answer = json!({"answer": {"fields": {"username": "walter", "password": VALUE}}});
    let (status, _) = post_with((&server, &token), &path, &answer, &[]);
    assert_eq!(status, 200);
    drop(server);
    let (server, _) = start();
    let (_, given) = post_with((&server, &token), "/agent/act", &login, one);
    assert!(
        given["result"]["text"].as_str().unwrap_or_default().contains("{{secret:credentials.password}}"),
        "{given}"
    );
    assert!(!given.to_string().contains(VALUE));
    let execution = json!({"execution": {"commandId": "c", "taskId": "t", "source": "test", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator", "actions": [{"id": "a", "type": "enter_text",
        "params": {"matcher": {"resourceId": PASSWORD}, "text": "{{secret:credentials.password}}"}}]}});
    let two: Headers<'_> = &[("Clawperator-Session", "two")];
    for headers in [two, &[]] {
        let (status, answer) = post_with((&server, &token), "/execute", &execution, headers);
        assert_eq!((status, code(&answer)), (400, "SECRET_UNKNOWN"), "{answer}");
    }
    let (_, odd) = post_with((&server, &token), "/execute", &execution, &[("Clawperator-Session", "../one")]);
    assert_eq!(code(&odd), "INVALID_REQUEST", "{odd}");
    // Another server of the same state folder has it too, until its time is over.
    drop(server);
    let (server, _) = start();
    let session: Headers<'_> = &[("Clawperator-Session", "one")];
    let (status, done) = post_with((&server, &token), "/execute", &execution, session);
    assert_eq!((status, &done["envelope"]["status"]), (200, &"success".into()), "{done}");
    assert!(!done.to_string().contains(VALUE));
    drop(server);
    scene.stores_nothing();
}
