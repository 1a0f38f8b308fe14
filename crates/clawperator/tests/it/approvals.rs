//! Approvals with processes as they are used: one waits, another one decides,
//! and one of them may be killed.

use super::serve::{Server, examples, token_of};
use super::sim::Place;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const CODE: &str = "sesame-491823";
const REQUEST: &str = r#"{"capability":"2fa","instruction":"The code that the shop sent you."}"#;

/// A phone whose cursor is in a field, and a pipe that tells of requests.
struct Scene {
    place: Place,
    pipe: PathBuf,
}

impl Scene {
    fn new() -> Self {
        Self::on(Place::new())
    }

    fn on(place: Place) -> Self {
        place.json(&["start"]);
        let pipe = place.folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let scene = Self { place, pipe };
        let open = json!({"command": "am start -n com.clawperator.form/.OrderActivity"});
        scene.runs(&["agent", "act", "shell", &open.to_string(), "--approve", "--device", "sim"]);
        scene.runs(&["click", "--id", "com.clawperator.form:id/input_name", "--device", "sim"]);
        scene
    }

    fn output(&self, words: &[&str]) -> Output {
        self.place.program().args(words).output().unwrap()
    }

    /// Runs a command that must work; what it printed.
    fn runs(&self, words: &[&str]) -> Value {
        let output = self.output(words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {output:?}"))
    }

    /// The error code of a command that must fail.
    fn code(&self, words: &[&str]) -> String {
        let output = self.output(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["code"].as_str().unwrap().to_owned()
    }

    /// Approves in a terminal, with a text on standard input.
    fn approve(&self, id: &str, text: &str) -> Output {
        let mut child = self
            .place
            .program()
            .args(["approvals", "approve", id, "--text-file", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// A process that asks and waits, and the id that its `--notify` told.
    fn asks(&self) -> (Child, String) {
        let notify = format!(
            "printf '%s %s\\n' \"$CLAWPERATOR_APPROVAL_ID\" \"$CLAWPERATOR_APPROVAL_INSTRUCTION\" > '{}'",
            self.pipe.display()
        );
        let child = self
            .place
            .program()
            .args(["agent", "act", "request_human_auth", REQUEST])
            .args(["--device", "sim", "--notify", &notify])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let line = first_line(&self.pipe);
        let (id, words) = line.split_once(' ').unwrap();
        assert_eq!(
            words,
            "A second factor is needed. Asked by: \"agent\". Its words: \"The code that the shop sent you.\"\n"
        );
        (child, id.to_owned())
    }

    /// What the phone itself says of its screen.
    fn on_screen(&self) -> String {
        self.runs(&["snapshot", "--device", "sim"]).to_string()
    }

    /// Every file of the state folder.
    fn files(&self) -> Vec<u8> {
        let mut folders = vec![self.place.folder.join("state")];
        let mut bytes = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    // A socket cannot be read.
                    bytes.extend(std::fs::read(path).unwrap_or_default());
                }
            }
        }
        bytes
    }
}

fn first_line(pipe: &Path) -> String {
    let mut line = String::new();
    let mut reader = BufReader::new(std::fs::File::open(pipe).unwrap());
    reader.read_line(&mut line).unwrap();
    line
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn a_person_decides_in_another_terminal_while_an_act_waits() {
    let scene = Scene::new();
    let (waiting, id) = scene.asks();
    let listed = scene.runs(&["approvals", "list", "--state", "pending"]);
    assert_eq!((&listed["count"], &listed["approvals"][0]["id"]), (&1.into(), &id.as_str().into()));
    let shown = scene.runs(&["approvals", "show", &id]);
    assert_eq!(shown["state"], "pending", "{shown}");
    // What does not fit is refused, and the request still waits.
    assert_eq!(scene.code(&["approvals", "approve", &id]), "APPROVAL_INVALID");
    let approved = scene.approve(&id, CODE);
    assert_eq!(approved.status.code(), Some(0), "{approved:?}");
    let ended = waiting.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(
        (&told["result"]["ok"], &told["result"]["data"]["state"]),
        (&true.into(), &"approved".into()),
        "{told}"
    );
    for (what, bytes) in [
        ("output", &ended.stdout),
        ("progress", &ended.stderr),
        ("answer", &approved.stdout),
        ("files", &scene.files()),
    ] {
        assert!(!has(bytes, CODE), "the code is in the {what}");
    }
    // The field holds it, and another process sees dots.
    let shown = scene.on_screen();
    let dots = "\u{2022}".repeat(CODE.len());
    assert!(!shown.contains(CODE) && shown.contains(&dots), "{shown}");
    // It is decided once.
    assert_eq!(scene.code(&["approvals", "reject", &id]), "APPROVAL_CLOSED");
}

#[test]
fn a_no_from_another_terminal_ends_the_act() {
    let scene = Scene::new();
    let (waiting, id) = scene.asks();
    let decided = scene.runs(&["approvals", "reject", &id, "--note", "not this shop"]);
    assert_eq!(decided["state"], "rejected");
    let ended = waiting.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
    let error = &told["result"]["error"];
    assert_eq!(error["code"], "APPROVAL_REJECTED", "{told}");
    assert!(error.to_string().contains("not this shop"), "{told}");
}

#[test]
fn a_request_outlives_the_process_that_asked_and_is_decided_once() {
    let scene = Scene::new();
    let (mut waiting, id) = scene.asks();
    // As kill -9 does.
    waiting.kill().unwrap();
    waiting.wait().unwrap();
    let listed = scene.runs(&["approvals", "list", "--state", "pending"]);
    assert_eq!(listed["approvals"][0]["id"], id.as_str(), "{listed}");
    let approved = scene.approve(&id, CODE);
    let told: Value = serde_json::from_slice(&approved.stdout).unwrap();
    assert_eq!(told["state"], "approved", "{told}");
    assert!(told["warning"].as_str().unwrap().contains("ended"), "{told}");
    assert_eq!(scene.code(&["approvals", "approve", &id]), "APPROVAL_CLOSED");
    assert!(!has(&scene.files(), CODE));
    assert!(!scene.on_screen().contains(CODE), "no person was there to type it");
}

/// A request to a server, and its answer.
pub(crate) fn post(server: &Server, token: &str, path: &str, body: &Value) -> (u16, Value) {
    post_with((server, token), path, body, &[])
}

/// Further headers of a request.
pub(crate) type Headers<'h> = &'h [(&'h str, &'h str)];

/// The same, with further headers.
pub(crate) fn post_with(
    (server, token): (&Server, &str),
    path: &str,
    body: &Value,
    headers: Headers<'_>,
) -> (u16, Value) {
    let body = body.to_string();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\
         Authorization: Bearer {token}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let answer = std::io::read_to_string(stream).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}")))
}

/// The stream of changes of a server.
struct Changes(BufReader<TcpStream>);

impl Changes {
    fn of(server: &Server, token: &str) -> Self {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
        let request = format!(
            "GET /approvals/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
        }
        Self(reader)
    }

    /// The next event about a request.
    fn next(&mut self, id: &str) -> Value {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream has ended");
            if let Some(event) = line.strip_prefix("event:") {
                name = event.trim().to_owned();
            }
            if let Some(data) = line.strip_prefix("data:") {
                let data: Value = serde_json::from_str(data).unwrap();
                if data["id"] == id {
                    assert_eq!(name, "clawperator:approval");
                    return data;
                }
            }
        }
    }
}

#[test]
fn a_request_of_a_server_outlives_it_and_its_changes_are_told() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let token = token_of(&place);
    let mut changes = Changes::of(&server, &token);
    let request: Value = serde_json::from_str(REQUEST).unwrap();
    let (status, asked) = post(&server, &token, "/approvals", &request);
    assert!(status < 300, "{asked}");
    let id = asked["id"].as_str().unwrap().to_owned();
    assert_eq!(changes.next(&id)["state"], "pending");
    // Dropping it kills it.
    drop(server);
    let server = Server::start(&place, &[]);
    let mut changes = Changes::of(&server, &token);
    let approve = format!("/approvals/{id}/approve");
    let (status, approved) = post(&server, &token, &approve, &json!({"answer": {"text": CODE}}));
    assert_eq!((status, &approved["state"]), (200, &"approved".into()), "{approved}");
    assert_eq!(changes.next(&id)["state"], "approved");
    // What was given after the restart is there, also for a server after this one.
    drop(server);
    let scene = Scene::on(place);
    let place = &scene.place;
    let server = Server::start(place, &[]);
    let apply = format!("/approvals/{id}/apply");
    let wrong = post(&server, &token, &apply, &json!({"deviceId": "nowhere"}));
    assert_ne!(wrong.0, 200, "{wrong:?}");
    let (status, applied) = post(&server, &token, &apply, &json!({"deviceId": "sim-1"}));
    assert_eq!((status, &applied["applied"][0]["result"]), (200, &"typed".into()), "{applied}");
    let dots = "\u{2022}".repeat(CODE.len());
    assert!(scene.on_screen().contains(&dots), "it was typed");
    assert!(!applied.to_string().contains(CODE) && !has(&scene.files(), CODE));
    let (status, again) = post(&server, &token, &approve, &json!({"answer": {"text": CODE}}));
    assert_eq!((status, &again["error"]["code"]), (409, &"APPROVAL_CLOSED".into()));
    assert_eq!(server.end(), Some(0));
}

#[test]
fn an_approval_without_what_is_needed_says_how_to_give_it() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let token = token_of(&place);
    for (capability, wanted) in
        [("payment", "card-number"), ("2fa", "\"text\""), ("camera", "\"files\""), ("location", "\"lat\"")]
    {
        let request = json!({"capability": capability, "instruction": "For the shop."});
        let (_, asked) = post(&server, &token, "/approvals", &request);
        let id = asked["id"].as_str().unwrap();
        let output = place.program().args(["approvals", "approve", id]).output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["code"], "APPROVAL_INVALID", "{told}");
        assert!(told["message"].as_str().unwrap().contains(wanted), "{told}");
        let hint = told["details"]["hint"].as_str().unwrap();
        assert!(hint.contains(&format!("approve {id} --answer -")), "{hint}");
    }
    // What the message shows, with values, is what the command takes.
    let request = json!({"capability": "payment", "instruction": "For the shop."});
    let (_, asked) = post(&server, &token, "/approvals", &request);
    let id = asked["id"].as_str().unwrap();
    let output = place.program().args(["approvals", "approve", id]).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (_, form) = told["message"].as_str().unwrap().split_once("given: ").unwrap();
    let form = form
        .replace("\"card-number\"", "\"4111 1111 1111 1111\"")
        .replace("\"expiry\":\"expiry\"", "\"expiry\":\"12/39\"")
        .replace("\"cvc\":\"cvc\"", "\"cvc\":\"123\"");
    let file = place.folder.join("answer.json");
    std::fs::write(&file, form).unwrap();
    let output = place.program().args(["approvals", "approve", id, "--answer"]).arg(&file).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["state"], "approved", "{told}");
}

/// Types an example into a shell, in the test's own folder.
fn type_example(place: &Place, server: &Server, example: &str, id: &str) {
    let program = place.program();
    let folder = Path::new(program.get_program()).parent().unwrap().display();
    let mut shell = Command::new("sh");
    shell.args(["-ec", example]).current_dir(&place.folder);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output = shell
        .env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap()))
        .env("ANDROID_SERIAL", "sim")
        .env("URL", format!("http://127.0.0.1:{}", server.port))
        .env("TOKEN", token_of(place))
        .env("ID", id)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && !said.is_empty() && !said.contains("\"ok\":false"),
        "{example}: {output:?}"
    );
}

#[test]
fn the_examples_of_the_page_work_as_they_stand() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("skipped, because there is no curl");
        return;
    }
    let place = Place::new();
    place.json(&["start"]);
    let server = Server::start(&place, &[]);
    let request: Value = serde_json::from_str(REQUEST).unwrap();
    let examples = examples("docs/approvals.md");
    assert!(examples.len() >= 5, "{}", examples.len());
    for example in examples {
        let (_, asked) = post(&server, &token_of(&place), "/approvals", &request);
        type_example(&place, &server, &example, asked["id"].as_str().unwrap());
    }
}
