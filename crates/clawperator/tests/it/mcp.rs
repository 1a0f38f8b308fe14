//! `mcp` as a process: an agent's program starts it and speaks over pipes; and
//! `mcp install`, which adds it to a program's settings.

use crate::sim::Place;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

pub(crate) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Agent {
    pub(crate) fn start(place: &Place, flags: &[&str]) -> Self {
        Self::start_in(place, flags, &[])
    }

    /// The same, with these variables.
    pub(crate) fn start_in(place: &Place, flags: &[&str], variables: &[(&str, &Path)]) -> Self {
        let mut command = place.program();
        command
            .envs(variables.iter().copied())
            .arg("mcp")
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut agent =
            Self { stdin: child.stdin.take(), stdout: BufReader::new(child.stdout.take().unwrap()), child };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let hello = agent.ask("initialize", &hello);
        assert_eq!(hello["result"]["serverInfo"]["name"], "clawperator");
        agent.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.write(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

#[test]
fn an_agent_without_a_phone_gets_one_in_the_box() {
    let place = Place::new();
    let mut agent = Agent::start(&place, &[]);
    let none = agent.call("device", &json!({}));
    assert!(none.contains("start: true"), "{none}");
    let started = agent.call("device", &json!({"start": true}));
    assert!(started.starts_with("using "), "{started}");
    let seen = agent.call("open", &json!({"app": "com.clawperator.conformance"}));
    assert!(seen.contains("\"Increment\""), "{seen}");
    let counted = agent.call("act", &json!({"steps": [{"do": "tap", "on": "Increment"}]}));
    assert!(counted.contains("Counter: 1"), "{counted}");
    // It ends when its client does.
    drop(agent.stdin.take());
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
}

/// What a client starts in the background ends with the client.
#[test]
#[cfg(target_os = "linux")]
fn a_program_in_the_background_ends_with_its_client() {
    let place = Place::new();
    let files = place.folder.join("files");
    std::fs::create_dir_all(&files).unwrap();
    let state = place.folder.join("state");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("policy.yaml"), "rules: [{tool: exec, decision: allow}]").unwrap();
    let flags = ["--tools", "agent", "--sandbox=best-effort", "--workspace", files.to_str().unwrap()];
    let mut agent = Agent::start_in(&place, &flags, &[("CLAWPERATOR_HOME", state.as_path())]);
    // A pipe that has a writer for as long as the program lives.
    let pipe = files.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let command = json!({"command": "sleep 1000 > pipe", "background": true});
    let started = agent.call("exec", &command);
    assert!(started.contains("running"), "{started}");
    let mut life = std::fs::File::open(&pipe).unwrap();
    drop(agent.stdin.take());
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
    assert_eq!(life.read(&mut [0]).unwrap(), 0);
}

#[test]
fn an_agent_gets_the_tools_it_asks_for() {
    let place = Place::new();
    let mut agent = Agent::start(&place, &["--tools", "agent"]);
    let list = agent.ask("tools/list", &json!({}));
    assert_eq!(list["result"]["tools"][0]["name"], "tap");
    let done = agent.call("finish", &json!({"message": "It is off."}));
    assert_eq!(done, "It is off.");
    drop(agent.stdin.take());
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_program_is_given_the_server_once_and_keeps_its_other_settings() {
    let place = Place::new();
    let file = place.registry().with_file_name("settings.json");
    let before = "{\n  \"theme\": \"dark\", // mine\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n";
    std::fs::write(&file, before).unwrap();
    let install = |flags: &[&str]| {
        let mut command = place.program();
        command.args(["mcp", "install", "cursor", "--settings"]).arg(&file).args(flags);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (answer, String::from_utf8(output.stderr).unwrap())
    };
    let (_, shown) = install(&["--tools", "agent"]);
    assert!(shown.contains("--tools") && shown.contains("agent"), "{shown}");
    // There is no person to ask.
    let (refused, shown) = install(&[]);
    assert_eq!(refused["message"], "nothing was changed");
    assert!(shown.contains("+     \"clawperator\": {"), "{shown}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    assert_eq!(install(&["--yes"]).0["status"], "installed");
    let after = std::fs::read_to_string(&file).unwrap();
    let ours = after.find("\n    \"clawperator\"").unwrap()..after.find(",\n    \"other\"").unwrap() + 1;
    assert_eq!(format!("{}{}", &after[..ours.start], &after[ours.end..]), before);
    assert_eq!(install(&["--yes"]).0["status"], "unchanged");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), after);
    let (other, _) = install(&["--yes", "--device", "other"]);
    assert!(other["message"].as_str().unwrap().contains("another entry"), "{other}");
}
