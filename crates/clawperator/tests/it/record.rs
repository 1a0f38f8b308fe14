//! Recordings through the program as it is shipped: a process records, another
//! stops it, and what was recorded is done again.

use super::sim::{Place, is_gone, kill, within};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

/// What a look takes when it has begun, on a slow machine.
const MOMENT: Duration = Duration::from_millis(200);

pub(super) struct Desk {
    place: Place,
}

impl Desk {
    /// With a phone that counts how often somebody looks: what never goes
    /// wrong is counted all the same.
    pub(super) fn new() -> Self {
        let place = Place::new();
        place.json(&["start", "--fault", "dump_not_idle@0%"]);
        Self { place }
    }

    /// The program, with a state of its own.
    pub(super) fn program(&self) -> Command {
        let mut command = self.place.program();
        command.env("CLAWPERATOR_HOME", self.place.folder.join("state"));
        command
    }

    fn output(&self, args: &[&str]) -> Output {
        self.program().args(args).output().unwrap()
    }

    fn json(&self, args: &[&str]) -> (Value, Option<i32>) {
        let output = self.output(args);
        let answer = serde_json::from_slice(&output.stdout);
        let answer = answer.unwrap_or_else(|_| panic!("{args:?}: {output:?}"));
        (answer, output.status.code())
    }

    /// The data of the only step of a command that succeeds.
    pub(super) fn data(&self, args: &[&str]) -> Value {
        let (answer, code) = self.json(args);
        assert_eq!(code, Some(0), "{args:?}: {answer}");
        answer["envelope"]["stepResults"][0]["data"].clone()
    }

    /// How often somebody has looked at the phone's screen.
    fn looks(&self) -> u64 {
        let (faults, _) = self.json(&["sim", "faults", "sim-1"]);
        let counts = faults["counts"].as_array().unwrap().iter();
        let looks = counts.filter(|row| row["point"] == "dump_not_idle");
        looks.map(|row| row["passed"].as_u64().unwrap()).sum()
    }

    /// Touches the phone, and waits as a user does: until the screen has been
    /// looked at, and a moment longer.
    pub(super) fn finger(&self, words: &[&str]) {
        let mut args = vec!["sim", "finger"];
        args.extend(words);
        let (answer, code) = self.json(&args);
        assert_eq!(code, Some(0), "{answer}");
        let before = self.looks();
        assert!(within(Duration::from_secs(20), || self.looks() > before));
        std::thread::sleep(MOMENT);
    }

    /// One journal has all steps of a replay.
    fn has_one_journal(&self, replayed: &Value) {
        let id = replayed["envelope"]["commandId"].as_str().unwrap();
        let (verified, code) = self.json(&["journal", "verify", id]);
        assert_eq!((code, &verified["ok"]), (Some(0), &true.into()), "{verified}");
        let shown = self.output(&["journal", "show", id, "--json"]);
        let shown = String::from_utf8(shown.stdout).unwrap();
        let steps = replayed["steps"].as_array().unwrap().len();
        let count = |what: &str| shown.matches(&format!("\"event\":\"{what}\"")).count();
        assert_eq!([count("begin"), count("step_end"), count("end")], [1, steps, 1], "{shown}");
    }

    pub(super) fn recordings(&self) -> PathBuf {
        self.place.folder.join("state/recordings")
    }

    /// The process that records.
    fn recorder(&self) -> Option<i32> {
        let running = std::fs::read_dir(self.recordings().join("running")).ok()?;
        let mut files = running.filter_map(|file| Some(file.ok()?.path()));
        let entry = files.find(|path| path.extension().is_some_and(|it| it == "json"))?;
        let entry: Value = serde_json::from_str(&std::fs::read_to_string(entry).ok()?).ok()?;
        i32::try_from(entry["pid"].as_i64()?).ok()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if let Some(pid) = self.recorder() {
            let _ = kill(pid, "KILL");
        }
    }
}

#[test]
fn a_recording_compiles_and_replays_to_the_same_screen() {
    let desk = Desk::new();
    let started = desk.data(&["record", "start", "--device", "sim", "--session-id", "whole"]);
    assert_eq!(started["sessionId"], "whole");
    let file = desk.recordings().join("whole.ndjson");
    assert_eq!(started["filePath"], file.to_str().unwrap());
    // One at a time, and it is named.
    let (answer, code) = desk.json(&["recording", "start", "--device", "sim"]);
    let data = &answer["envelope"]["stepResults"][0]["data"];
    assert_eq!(
        (code, &data["error"], &data["sessionId"]),
        (Some(1), &"RECORDING_ALREADY_IN_PROGRESS".into(), &"whole".into())
    );
    // Opens Settings, three clicks, typing, scrolling, back.
    desk.finger(&["touch", "Settings"]);
    desk.finger(&["touch", "Apps"]);
    desk.finger(&["key", "BACK"]);
    desk.finger(&["touch", "Search settings"]);
    desk.finger(&["type", "display"]);
    desk.finger(&["touch", "Display"]);
    desk.finger(&["swipe", "540", "1800", "540", "900", "400"]);
    desk.finger(&["key", "back"]);
    let recorder = desk.recorder().unwrap();
    let stopped = desk.data(&["record", "stop", "--device", "sim", "--session-id", "other"]);
    // It gives its lock back before its process is gone.
    assert!(within(Duration::from_secs(5), || is_gone(recorder)));
    assert!(stopped["warn"].as_str().unwrap().contains("other was not running"), "{stopped}");
    let count: usize = stopped["eventCount"].as_str().unwrap().parse().unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), count + 1);

    let parsed = desk.output(&["record", "parse", "--input", file.to_str().unwrap()]);
    let answer: Value = serde_json::from_slice(&parsed.stdout).unwrap();
    let steps = desk.recordings().join("whole.steps.json");
    assert_eq!(answer["outputFile"], steps.to_str().unwrap());
    let lines = String::from_utf8(parsed.stderr).unwrap();
    assert_eq!(answer["stepCount"], lines.lines().count(), "{lines}");
    assert!(lines.contains("click      text=\"Apps\""), "{lines}");
    let log: Value = serde_json::from_str(&std::fs::read_to_string(steps).unwrap()).unwrap();
    assert_eq!((&log["sessionId"], &log["schemaVersion"]), (&"whole".into(), &1.into()));

    let (compiled, code) = desk.json(&["record", "compile"]);
    assert_eq!(code, Some(0), "{compiled}");
    let execution = compiled["execution"].to_string();
    assert!(!execution.contains("coordinate") && execution.contains("enter_text"), "{execution}");
    let file = compiled["outputFile"].as_str().unwrap();
    let (valid, code) = desk.json(&["exec", "--validate-only", file]);
    assert_eq!((code, &valid["execution"]), (Some(0), &compiled["execution"]));

    let (replayed, code) = desk.json(&["record", "replay", "--device", "sim"]);
    assert_eq!((code, &replayed["ok"]), (Some(0), &true.into()), "{replayed:#}");
    assert_ne!(replayed["end"]["likeness"], "different", "{replayed:#}");
    desk.has_one_journal(&replayed);
    let (again, code) = desk.json(&["exec", file, "--device", "sim"]);
    assert_eq!((code, &again["envelope"]["status"]), (Some(0), &"success".into()), "{again}");
}

#[test]
fn a_recorder_that_is_killed_leaves_a_file_that_parses() {
    let desk = Desk::new();
    desk.data(&["record", "start", "--device", "sim", "--session-id", "cut"]);
    let file = desk.recordings().join("cut.ndjson");
    let path = file.to_str().unwrap();
    let recorder = desk.recorder().unwrap();
    desk.finger(&["touch", "Settings"]);
    desk.finger(&["touch", "Apps"]);
    kill(recorder, "KILL").unwrap();
    assert!(within(Duration::from_secs(5), || is_gone(recorder)));
    let (parsed, code) = desk.json(&["record", "parse", "--input", path]);
    assert_eq!((code, &parsed["stepCount"]), (Some(0), &3.into()), "{parsed}");
    // Cut at any byte it still parses, but for the header.
    let whole = std::fs::read(&file).unwrap();
    let header = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for at in [header, header + 1, header + 100, whole.len() - 1] {
        std::fs::write(&file, &whole[..at]).unwrap();
        let (parsed, code) = desk.json(&["record", "parse", "--input", path]);
        assert_eq!(code, Some(0), "{at}: {parsed}");
    }
    std::fs::write(&file, whole).unwrap();
    // The one that was killed is the latest, not one before it.
    for command in ["parse", "compile"] {
        let (answer, code) = desk.json(&["record", command]);
        assert_eq!((code, &answer["sessionId"]), (Some(0), &"cut".into()), "{answer}");
    }
    // Without a look at the end only the steps are checked, which is said.
    let (replayed, code) = desk.json(&["record", "replay", "--input", path, "--device", "sim"]);
    assert_eq!(
        (code, &replayed["end"], &replayed["sessionId"]),
        (Some(0), &"unknown".into(), &"cut".into()),
        "{replayed:#}"
    );
    let warnings = replayed["warnings"].to_string();
    assert!(warnings.contains("does not show its end"), "{replayed:#}");
    // Nothing runs any more, and what did is named; the next one starts.
    let (answer, code) = desk.json(&["record", "stop", "--device", "sim"]);
    let data = &answer["envelope"]["stepResults"][0]["data"];
    assert_eq!(
        (code, &data["error"], &data["sessionId"]),
        (Some(1), &"RECORDING_NOT_IN_PROGRESS".into(), &"cut".into())
    );
    let (answer, _) = desk.json(&["record", "start", "--device", "sim", "--session-id", "cut"]);
    assert_eq!(answer["envelope"]["errorCode"], "RECORDING_START_FAILED", "{answer}");
    let out = desk.place.folder.join("pulled");
    let (pulled, code) = desk.json(&["record", "pull", "--out", out.to_str().unwrap()]);
    assert_eq!((code, &pulled["sessionId"]), (Some(0), &"cut".into()), "{pulled}");
    assert_eq!(std::fs::read(out.join("cut.ndjson")).unwrap(), std::fs::read(&file).unwrap());
    desk.data(&["record", "start", "--device", "sim"]);
    desk.data(&["record", "stop", "--device", "sim"]);
}

#[test]
fn an_end_that_cannot_be_seen_is_not_reached() {
    let desk = Desk::new();
    desk.data(&["record", "start", "--device", "sim", "--session-id", "blind"]);
    desk.finger(&["touch", "Settings"]);
    desk.data(&["record", "stop", "--device", "sim"]);
    let file = desk.recordings().join("blind.ndjson");
    // Only a key is left, which needs no screen: an end is expected all the same.
    let whole = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    let closing = lines.pop().unwrap().to_owned();
    let mut key: Value = serde_json::from_str(&closing).unwrap();
    key["type"] = "press_key".into();
    key["key"] = "home".into();
    key["snapshot"] = Value::Null;
    let mut closing: Value = serde_json::from_str(&closing).unwrap();
    closing["seq"] = 99.into();
    closing["snapshot"] =
        "<hierarchy rotation=\"0\"><node class=\"x\" bounds=\"[0,0][9,9]\"/></hierarchy>".into();
    let text = format!("{}\n{key}\n{closing}\n", lines[0]);
    std::fs::write(&file, text).unwrap();
    desk.json(&["sim", "faults", "sim-1", "--set", "dump_null_root"]);
    let (replayed, code) = desk.json(&["record", "replay", "--device", "sim"]);
    assert_eq!(
        (code, &replayed["ok"], &replayed["end"]),
        (Some(1), &false.into(), &"unseen".into()),
        "{replayed:#}"
    );
}

#[test]
fn a_recording_stops_while_an_execution_runs() {
    let desk = Desk::new();
    desk.data(&["record", "start", "--device", "sim", "--session-id", "busy"]);
    let mut other = desk.place.program();
    other.env("CLAWPERATOR_HOME", desk.place.folder.join("state"));
    other.args([
        "wait",
        "--text",
        "nothing says this",
        "--timeout",
        "60000",
        // The asking below may have the phone when this comes.
        "--wait-for-device",
        "60000",
        "--device",
        "sim",
    ]);
    let mut other = other.stdout(std::process::Stdio::null()).spawn().unwrap();
    let conflict = || {
        let (answer, _) = desk.json(&["press", "home", "--device", "sim"]);
        answer["code"] == "EXECUTION_CONFLICT_IN_FLIGHT"
    };
    let busy = within(Duration::from_secs(30), conflict);
    let stopped = desk.json(&["record", "stop", "--device", "sim"]);
    let _ = other.kill();
    let _ = other.wait();
    assert!(busy);
    assert_eq!(stopped.1, Some(0), "{}", stopped.0);
}

#[test]
fn a_recorder_without_an_entry_is_not_ended_by_force() {
    let desk = Desk::new();
    desk.data(&["record", "start", "--device", "sim", "--session-id", "unnamed"]);
    let recorder = desk.recorder().unwrap();
    let running = desk.recordings().join("running");
    for file in std::fs::read_dir(&running).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|it| it == "json") {
            std::fs::remove_file(path).unwrap();
        }
    }
    kill(recorder, "STOP").unwrap();
    // In a group of its own: a process that signals its group ends only itself.
    let mut command = desk.place.program();
    command.env("CLAWPERATOR_HOME", desk.place.folder.join("state"));
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let output = command.args(["record", "stop", "--device", "sim"]).output();
    kill(recorder, "KILL").unwrap();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let envelope = &answer["envelope"];
    assert_eq!(envelope["errorCode"], "RECORDING_STOP_FAILED", "{answer}");
    let message = envelope["stepResults"][0]["data"]["message"].to_string();
    assert!(message.contains(".lock"), "{answer}");
}

#[test]
fn a_recording_ends_with_its_phone() {
    let desk = Desk::new();
    desk.data(&["record", "start", "--device", "sim", "--session-id", "lost"]);
    let recorder = desk.recorder().unwrap();
    desk.finger(&["touch", "Settings"]);
    let (stopped, _) = desk.json(&["sim", "stop", "--all"]);
    assert_eq!(stopped["stopped"][0], "sim-1");
    assert!(within(Duration::from_secs(20), || is_gone(recorder)));
    let latest = std::fs::read_to_string(desk.recordings().join("latest")).unwrap();
    assert_eq!(latest, "lost");
    let (compiled, code) = desk.json(&["record", "compile", "--session-id", "lost"]);
    assert_eq!(code, Some(0), "{compiled}");
}

#[test]
fn what_cannot_be_done_with_a_recording_has_a_code() {
    let desk = Desk::new();
    let bad = desk.place.folder.join("bad.ndjson");
    std::fs::write(&bad, "{}\n").unwrap();
    let bad = bad.to_str().unwrap();
    for (args, expected) in [
        (&["record", "parse"][..], "RECORDING_SESSION_NOT_FOUND"),
        (&["record", "compile", "--session-id", "latest"], "RECORDING_SESSION_NOT_FOUND"),
        (&["record", "parse", "--input", "/nowhere.ndjson"], "RECORDING_PARSE_FAILED"),
        (&["record", "parse", "--input", bad], "RECORDING_PARSE_FAILED"),
        (&["record", "compile"], "RECORDING_SESSION_NOT_FOUND"),
        (&["record", "replay", "--session-id", "../x"], "RECORDING_SESSION_NOT_FOUND"),
        (&["record", "compile", "--input", bad, "--session-id", "x"], "USAGE"),
        (&["record", "pull", "--session-id", "a b"], "RECORDING_SESSION_NOT_FOUND"),
        (&["record", "pull", "--device", "sim", "--session-id", "gone"], "RECORDING_SESSION_NOT_FOUND"),
        (&["record", "pull", "--device", "sim"], "RECORDING_SESSION_NOT_FOUND"),
    ] {
        let (answer, code) = desk.json(args);
        assert_eq!((code, &answer["code"]), (Some(1), &expected.into()), "{args:?}: {answer}");
    }
    for name in ["a/b", "latest", "running"] {
        let (answer, _) = desk.json(&["record", "start", "--device", "sim", "--session-id", name]);
        assert_eq!(answer["envelope"]["errorCode"], "RECORDING_START_FAILED", "{answer}");
        assert!(answer.to_string().contains("running are reserved"), "{answer}");
    }
    let (answer, _) = desk.json(&["record", "start", "--session-id", " ", "--validate-only"]);
    assert_eq!(answer["code"], "EXECUTION_VALIDATION_FAILED", "{answer}");
}

#[test]
fn the_contract_s_cases_hold() {
    let cases = include_str!("../../../base/recording/tests/vectors/recording.jsonl");
    let place = Place::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let plain = case["name"].as_str().unwrap().starts_with("no_extension");
        let (name, out) =
            if plain { ("case", "case.steps.json") } else { ("case.ndjson", "case.steps.json") };
        let input = place.folder.join(name);
        std::fs::write(&input, case["input"].as_str().unwrap()).unwrap();
        let args = ["record", "parse", "--input", input.to_str().unwrap()];
        let output = place.program().args(args).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code().map(i64::from), case["exit"].as_i64(), "{case}");
        for (key, value) in case["expect"].as_object().unwrap() {
            assert_eq!(&answer[key], value, "{case}");
        }
        if case["exit"] == 0 {
            assert_eq!(answer["outputFile"], place.folder.join(out).to_str().unwrap());
        }
    }
}

#[test]
fn a_recording_is_deleted_with_what_was_made_of_it() {
    let desk = Desk::new();
    for name in ["old", "new"] {
        desk.data(&["record", "start", "--device", "sim", "--session-id", name]);
        desk.finger(&["touch", "Settings"]);
        // The latest is not there yet, and the one before it is not it.
        for words in
            [&["record", "pull"][..], &["record", "compile"], &["record", "delete", "--session-id", name]]
        {
            let (refused, _) = desk.json(words);
            assert_eq!(refused["code"], "RECORDING_SESSION_NOT_FOUND", "{words:?}: {refused}");
            assert!(refused["message"].as_str().unwrap().contains("has not ended yet"), "{refused}");
        }
        desk.data(&["record", "stop", "--device", "sim"]);
    }
    let (_, code) = desk.json(&["record", "compile", "--session-id", "new"]);
    assert_eq!(code, Some(0));
    let (deleted, _) = desk.json(&["record", "delete", "--session-id", "new"]);
    assert_eq!(deleted["files"].as_array().map(Vec::len), Some(2), "{deleted}");
    assert!(!desk.recordings().join("new.execution.json").exists());
    assert!(desk.recordings().join("old.ndjson").exists());
    for words in [&["record", "compile"][..], &["record", "delete", "--session-id", "new"]] {
        let (none, _) = desk.json(words);
        assert_eq!(none["code"], "RECORDING_SESSION_NOT_FOUND", "{words:?}: {none}");
    }
    let (unnamed, _) = desk.json(&["record", "delete"]);
    assert_eq!(unnamed["code"], "MISSING_ARGUMENT", "{unnamed}");
}
