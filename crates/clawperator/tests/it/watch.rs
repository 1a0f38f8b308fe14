//! `watch` as a process, beside a server with a simulated phone.

use crate::serve::{Server, token_of};
use crate::sim::Place;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Stdio;

/// Starts an execution that sleeps on a phone, and tells its run.
fn start_run(server: &Server, token: &str, device: &str) -> String {
    let execution = json!({"commandId": "watched", "taskId": "t", "source": "test", "timeoutMs": 30_000,
        "expectedFormat": "android-ui-automator",
        "actions": [{"id": "wait", "type": "sleep", "params": {"durationMs": 2_000}}]});
    let body = json!({"execution": execution, "deviceId": device}).to_string();
    let request = format!(
        "POST /execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nPrefer: respond-async\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"));
    body["runId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn a_run_is_watched_to_its_end() {
    let place = Place::new();
    place.json(&["start"]);
    let server = Server::start(&place, &[]);
    let (token, port) = (token_of(&place), server.port.to_string());
    let run = start_run(&server, &token, "sim-1");
    let mut watch =
        place.program().args(["watch", &run, "--port", &port]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let last = lines.map(Result::unwrap).last().unwrap();
    assert!(last.contains("success"), "{last}");
    assert_eq!(watch.wait().unwrap().code(), Some(0));
    // It has ended by now, and the line says so.
    let again = place.program().args(["watch", &run, "--port", &port]).output().unwrap();
    let told = String::from_utf8(again.stdout).unwrap();
    assert_eq!(told.lines().last(), Some(&*format!("{run}: success")), "{told}");
    // One that never got its phone has an end, too.
    let lost = start_run(&server, &token, "sim-9");
    let watched = place.program().args(["watch", &lost, "--port", &port]).output().unwrap();
    assert_eq!(String::from_utf8(watched.stdout).unwrap(), format!("{lost}: error\n"));
    assert_eq!(watched.status.code(), Some(1));
    place.json(&["stop", "sim-1"]);
}

#[test]
fn without_a_server_a_token_or_the_run_watch_says_what_is_missing() {
    let place = Place::new();
    let code = |args: &[&str]| {
        let output = place.program().arg("watch").args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        said["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code(&[]), "UNAUTHORIZED");
    let server = Server::start(&place, &[]);
    let port = server.port.to_string();
    assert_eq!(code(&["no-such-run", "--port", &port]), "RUN_NOT_FOUND");
    server.end();
    assert_eq!(code(&["--port", &port]), "SERVE_FAILED");
}
