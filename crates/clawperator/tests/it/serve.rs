//! `serve` as a process: it starts, says where it is, answers and ends.

use crate::sim::Place;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Stdio};

/// A server that ends with its test.
pub(crate) struct Server {
    pub(crate) port: u16,
    /// What it said before it was ready.
    pub(crate) said: Vec<String>,
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Server {
    /// Starts a server and waits for its first line; with these arguments.
    pub(crate) fn start(place: &Place, args: &[&str]) -> Self {
        let port = free_port();
        let mut child = place
            .program()
            .args(["serve", "--port", &port.to_string()])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        Self { port, said: vec![line], child, stderr }
    }

    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    /// Interrupts it and waits for its end; tells the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.signal(Signal::SIGTERM);
        self.child.wait().unwrap().code()
    }

    /// The answer to a request over the port.
    pub(crate) fn get(&self, path: &str, token: Option<&str>) -> String {
        ask(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap(), path, token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port without a listener.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

fn ask(stream: impl Read + Write, path: &str, token: Option<&str>) -> String {
    let token = token.map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
    send(stream, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{token}"), "")
}

/// Sends a request and reads the answer to its end.
fn send(mut stream: impl Read + Write, head: &str, body: &str) -> String {
    let length = body.len();
    let request = format!("{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

pub(crate) fn token_of(place: &Place) -> String {
    let file: PathBuf = place.folder.join("state/token");
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

#[test]
fn a_server_says_where_it_is_and_shows_its_token_once() {
    let place = Place::new();
    let socket = place.folder.join("socket");
    let mut server = Server::start(&place, &["--socket", socket.to_str().unwrap()]);
    let port = server.port;
    assert_eq!(server.said, [format!("Clawperator API server listening on http://127.0.0.1:{port}\n")]);
    let token = token_of(&place);
    assert_eq!(token.len(), 32);
    let link = format!("Open http://127.0.0.1:{port}/#token={token}\n");
    assert_eq!(server.next_line(), link);
    assert!(server.get("/health", None).starts_with("HTTP/1.1 200"));
    assert!(server.get("/devices", None).starts_with("HTTP/1.1 401"));
    let devices = server.get("/devices", Some(&token));
    assert!(devices.ends_with(r#"{"ok":true,"devices":[]}"#), "{devices}");
    // Who can open the socket is the same user, who could read the token.
    let local = ask(UnixStream::connect(&socket).unwrap(), "/devices", None);
    assert!(local.starts_with("HTTP/1.1 200"), "{local}");
    assert_eq!(server.end(), Some(0));
    assert!(!socket.exists());

    let mut verbose = Server::start(&place, &["--verbose"]);
    assert_eq!(verbose.next_line(), "  GET /devices\n");
    assert_eq!(verbose.end(), Some(0));

    let mut again = Server::start(&place, &["--host", "0.0.0.0"]);
    assert!(again.said[0].contains("http://0.0.0.0:"));
    let warning = again.next_line();
    assert!(warning.starts_with("Other computers can reach this server."), "{warning}");
    assert!(again.get("/devices", Some(&token)).starts_with("HTTP/1.1 200"));
    again.signal(Signal::SIGINT);
    let mut rest = String::new();
    again.stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "the token is shown once");
}

#[test]
fn a_server_that_cannot_listen_says_why() {
    let place = Place::new();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (args, code) in [
        (&["--port", &port][..], "SERVE_FAILED"),
        (&["--host", "192.0.2.1"], "SERVE_FAILED"),
        (&["--port", "0"], "USAGE"),
        (&["--port", "65536"], "USAGE"),
        (&["--port", "x"], "USAGE"),
        (&["--host", ""], "USAGE"),
    ] {
        let output = place.program().arg("serve").args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains(&format!("\"code\":\"{code}\"")), "{args:?}: {said}");
    }
}

/// The JSON of an answer.
fn json_of(answer: &str) -> Value {
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
}

/// What the server at the local socket of a place has run.
fn runs(place: &Place) -> Vec<String> {
    let socket = UnixStream::connect(place.folder.join("state/serve.sock")).unwrap();
    let runs = json_of(&ask(socket, "/runs", None));
    let ids = runs["runs"].as_array().unwrap().iter();
    ids.map(|run| run["commandId"].as_str().unwrap().to_owned()).collect()
}

fn program(place: &Place, args: &[&str]) -> (String, Option<i32>) {
    let output = place.program().args(args).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

#[test]
fn a_server_in_the_background_is_found_and_ended() {
    let place = Place::new();
    let code = |args: &[&str]| -> Value {
        let (said, exit) = program(&place, args);
        assert_eq!(exit, Some(1), "{said}");
        serde_json::from_str::<Value>(&said).unwrap()["code"].clone()
    };
    assert_eq!(code(&["serve", "status"]), "SERVER_NOT_RUNNING");
    assert_eq!(code(&["serve", "stop"]), "SERVER_NOT_RUNNING");
    assert_eq!(code(&["serve", "restart"]), "USAGE");
    let port = free_port().to_string();
    let (said, exit) = program(&place, &["serve", "--background", "--port", &port]);
    assert_eq!(exit, Some(0), "{said}");
    let said: Value = serde_json::from_str(&said).unwrap();
    let token = token_of(&place);
    assert_eq!(said["link"], format!("http://127.0.0.1:{port}/#token={token}"));
    let (status, _) = program(&place, &["serve", "status"]);
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!((&status["pid"], &status["url"]), (&said["pid"], &said["url"]));
    assert_eq!(code(&["serve", "--background", "--port", &port]), "SERVE_FAILED");
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse().unwrap())).unwrap();
    assert!(ask(stream, "/devices", Some(&token)).starts_with("HTTP/1.1 200"));
    let log = std::fs::read_to_string(place.folder.join("state/serve.log")).unwrap();
    assert!(!log.contains(&token), "{log}");
    let (stopped, _) = program(&place, &["serve", "stop"]);
    assert!(stopped.contains("\"stopped\":true"), "{stopped}");
    assert_eq!(code(&["serve", "status"]), "SERVER_NOT_RUNNING");
    assert!(!place.folder.join("state/serve.sock").exists());
}

#[test]
fn a_server_in_the_background_tells_the_user_and_has_its_folder() {
    let place = Place::new();
    let (told, work) = (place.folder.join("told"), place.folder.join("work"));
    std::fs::create_dir_all(&work).unwrap();
    let port = free_port().to_string();
    let notify = format!("cat > '{}'", told.display());
    // The folder is named from where the command runs.
    let output = place
        .program()
        .current_dir(&place.folder)
        .args(["serve", "--background", "--port", &port, "--notify", &notify])
        .args(["--workspace", "work", "--sandbox", "best-effort", "--lane", "dump"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let token = token_of(&place);
    let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse().unwrap())).unwrap();
    let head = |path: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {token}\r\n"
        )
    };
    let asked = r#"{"capability": "permission", "instruction": "May I?"}"#;
    assert!(send(connect(), &head("/approvals"), asked).starts_with("HTTP/1.1 200"));
    let began = std::time::Instant::now();
    while !std::fs::read_to_string(&told).is_ok_and(|told| told.contains("May I?")) {
        assert!(began.elapsed().as_secs() < 10, "no client heard of it");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let write = r#"{"tool": "write", "args": {"path": "a.txt", "content": "x"}}"#;
    let answer = send(connect(), &head("/agent/act"), write);
    assert!(!answer.contains("TOOL_UNAVAILABLE"), "{answer}");
    program(&place, &["serve", "stop"]);
}

#[test]
fn commands_go_through_a_server_that_runs_and_print_the_same() {
    let place = Place::new();
    place.json(&["start", "--seed", "7"]);
    let payload = |id: &str| {
        let execution = json!({"commandId": id, "taskId": "t", "source": "test", "timeoutMs": 20_000,
            "expectedFormat": "android-ui-automator", "actions": [
                {"id": "home", "type": "press_key", "params": {"key": "home", "text": "unused"}},
                {"id": "wait", "type": "sleep", "params": {"durationMs": 1}}]});
        execution.to_string()
    };
    let exec = |id: &str, more: &[&str]| {
        let payload = payload(id);
        let args = [&["exec", &payload, "--device", "sim-1"], more].concat();
        program(&place, &args)
    };
    let without = exec("c1", &[]);
    assert_eq!(without.1, Some(0), "{}", without.0);
    let server = Server::start(&place, &[]);
    assert_eq!(exec("c1", &[]), without);
    assert_eq!(exec("c1", &["--no-daemon"]), without);
    assert_eq!(runs(&place), ["c1"]);
    // A failure is printed in the same way.
    let nobody = ["press", "home", "--device", "nobody"];
    let refused = program(&place, &[&nobody[..], &["--no-daemon"]].concat());
    assert_eq!(program(&place, &nobody), refused);
    assert_eq!(runs(&place).len(), 2);
    // A phone of other surroundings is not this server's.
    let elsewhere = place
        .program()
        .args(["press", "home", "--device", "nobody"])
        .env("CLAWPERATOR_LOCK_DIR", place.folder.join("other-locks"))
        .output()
        .unwrap();
    assert_eq!(elsewhere.status.code(), Some(1));
    assert_eq!(runs(&place).len(), 2);
    // A server that was killed is no trouble.
    drop(server);
    assert_eq!(exec("c1", &[]), without);
}

#[test]
fn after_kill_9_an_accepted_execution_has_one_outcome() {
    let place = Place::new();
    place.json(&["start"]);
    let server = Server::start(&place, &[]);
    let token = token_of(&place);
    let execution = json!({"execution": {"commandId": "c1", "taskId": "t", "source": "test", "timeoutMs": 60_000,
        "expectedFormat": "android-ui-automator",
        "actions": [{"id": "s", "type": "sleep", "params": {"durationMs": 50_000}}]}});
    let head = |more: &str| {
        format!(
            "POST /execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {token}\r\nIdempotency-Key: k\r\n{more}"
        )
    };
    let connect = |port| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let accepted = send(connect(server.port), &head("Prefer: respond-async\r\n"), &execution.to_string());
    let location = json_of(&accepted)["location"].as_str().unwrap().to_owned();
    while json_of(&server.get(&location, Some(&token)))["state"] != "running" {
        std::thread::yield_now();
    }
    // Dropping it kills it.
    drop(server);
    let server = Server::start(&place, &[]);
    let run = json_of(&server.get(&location, Some(&token)));
    assert_eq!(run["result"]["error"]["code"], "EXECUTION_OUTCOME_UNKNOWN");
    let again = send(connect(server.port), &head(""), &execution.to_string());
    assert!(again.starts_with("HTTP/1.1 500"), "{again}");
    assert_eq!(json_of(&again), run["result"]);
    assert_eq!(json_of(&server.get("/runs", Some(&token)))["runs"][0]["status"], "error");
}

/// The examples of a page, one shell each.
pub(crate) fn examples(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(crate::root().join(page)).unwrap();
    let blocks = text.split("```sh\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_examples_of_the_documentation_work_as_they_stand() {
    if std::process::Command::new("curl").arg("--version").output().is_err() {
        println!("skipped, because there is no curl");
        return;
    }
    let place = Place::new();
    place.json(&["start"]);
    let server = Server::start(&place, &[]);
    let examples = examples("docs/http.md");
    assert!(examples.len() > 10);
    for example in examples {
        let output = std::process::Command::new("sh")
            .args(["-ec", &example])
            .env("URL", format!("http://127.0.0.1:{}", server.port))
            .env("TOKEN", token_of(&place))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{example}: {said}");
        let is_text = ["/health", "/metrics", "/events"].iter().any(|path| example.contains(path));
        if !is_text {
            let said: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{example}: {said}"));
            assert_eq!(said["ok"], true, "{example}: {said}");
            assert_ne!(said["envelope"]["status"], "failed", "{example}: {said}");
        }
        assert!(!said.is_empty() && !said.contains("\"ok\":false"), "{example}: {said}");
    }
}
