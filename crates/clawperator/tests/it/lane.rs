//! The fast lane through the program as it is shipped: its file is found, put
//! on the phone in the box, started, shown, ended and removed.

use super::sim::{Place, within};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Passes for a jar; the simulated phone runs no code of it.
const JAR: &[u8] = b"PK\x03\x04 not the real one PK\x05\x06";

/// What the program prints, and whether it says that all went well.
fn run(place: &Place, args: &[&str], environment: &[(&str, &str)]) -> (Value, bool) {
    let mut program = place.program();
    program.env("CLAWPERATOR_PYTHON", "/nowhere/python");
    program.env_remove("VIRTUAL_ENV").envs(environment.iter().copied());
    let output = program.args(args).args(["--device", "sim"]).output().unwrap();
    let answer = serde_json::from_slice(&output.stdout);
    let answer: Value = answer.unwrap_or_else(|_| panic!("{args:?}: {output:?}"));
    (answer, output.status.success())
}

pub(crate) fn jar(place: &Place) -> String {
    let file = place.folder.join("u2.jar");
    std::fs::write(&file, JAR).unwrap();
    file.to_str().unwrap().to_owned()
}

/// A program that is called as Python is, and does this.
fn python(folder: &Path, script: &str) -> PathBuf {
    let file = folder.join("python");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn a_server_is_set_up_shown_stopped_and_removed() {
    let place = Place::new();
    let file = jar(&place);
    let lane = |args: &[&str]| run(&place, &[&["lane"], args].concat(), &[]);
    let (before, _) = lane(&["status"]);
    assert_eq!((&before["setUp"], &before["running"]), (&false.into(), &false.into()));
    let (done, went_well) = lane(&["setup", "--jar", &file, "--allow-unknown", "--idle", "5"]);
    assert!(went_well, "{done}");
    assert_eq!((&done["running"], &done["startedBy"]), (&true.into(), &"clawperator".into()));
    assert_eq!((&done["jar"]["from"], &done["jar"]["version"]), (&file.clone().into(), &"unknown".into()));
    let (shown, _) = lane(&["status"]);
    assert_eq!((&shown["setUp"], &shown["running"]), (&true.into(), &true.into()), "{shown}");
    assert_eq!(shown["idleMinutes"], 5, "{shown}");
    assert_eq!(shown["slot"], Value::Array(Vec::new()));
    assert_eq!(shown["reads"], true, "{shown}");
    // Setting it up again is no mistake.
    let (again, went_well) = lane(&["setup", "--jar", &file, "--allow-unknown"]);
    assert!(went_well, "{again}");
    for (args, stopped, words) in [
        (&["stop"][..], true, "has ended"),
        (&["stop"], false, "no server of ours ran"),
        (&["stop", "--any"], false, "no server ran"),
    ] {
        let (answer, went_well) = lane(args);
        assert_eq!((&answer["stopped"], went_well), (&stopped.into(), true), "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(words), "{answer}");
    }
    let (removed, went_well) = lane(&["remove"]);
    assert!(went_well, "{removed}");
    let (after, _) = lane(&["status"]);
    assert_eq!(after, before);
}

#[test]
fn a_server_that_cannot_read_the_screen_is_not_ready() {
    let place = Place::new();
    let file = jar(&place);
    let setup = ["lane", "setup", "--jar", &file, "--allow-unknown"];
    for (fault, code, words) in [
        ("server_cut_off", "LANE_START_FAILED", "does not read the screen"),
        ("server_slot_stolenx1", "LANE_SLOT_TAKEN", "Appium"),
    ] {
        let (done, went_well) = run(&place, &setup, &[]);
        assert!(went_well, "{done}");
        // It answers a ping all the same.
        assert!(place.output(&["faults", "--set", fault]).status.success());
        let (told, went_well) = run(&place, &setup, &[]);
        assert_eq!((&told["code"], went_well), (&code.into(), false), "{told}");
        let message = told["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
        let hint = told["details"]["hint"].as_str().unwrap();
        assert!(hint.ends_with("Then run clawperator lane setup again."), "{hint}");
        assert!(place.output(&["faults", "--clear"]).status.success());
        // Nothing stays, not even what worked before.
        let (after, _) = run(&place, &["lane", "status"], &[]);
        assert_eq!(
            (&after["setUp"], &after["running"], &after["jar"]),
            (&false.into(), &false.into(), &Value::Null)
        );
    }
}

#[test]
fn the_time_of_a_command_is_for_all_of_it() {
    let place = Place::new();
    run(&place, &["lane", "status"], &[]);
    assert!(place.output(&["faults", "--set", "connection_stall=700"]).status.success());
    for command in [&["lane", "status"][..], &["lane", "stop"], &["lane", "remove"]] {
        let began = std::time::Instant::now();
        let (answer, went_well) = run(&place, &[command, &["--timeout", "2000"]].concat(), &[]);
        let took = began.elapsed();
        assert!(!went_well, "{command:?}: {answer}");
        assert!(took < Duration::from_millis(3_500), "{command:?}: {took:?}");
    }
}

#[test]
fn a_file_that_is_not_known_is_refused_with_its_digest() {
    let place = Place::new();
    let file = jar(&place);
    let (told, went_well) = run(&place, &["lane", "setup", "--jar", &file], &[]);
    assert_eq!((&told["code"], went_well), (&"LANE_JAR_REFUSED".into(), false), "{told}");
    let message = told["message"].as_str().unwrap();
    assert!(message.contains("SHA-256") && message.contains("3.7.1"), "{message}");
    // Nothing was put on the phone.
    assert_eq!(run(&place, &["lane", "status"], &[]).0["jar"], Value::Null);
    for (args, code) in [
        (&["--jar", "/nowhere/u2.jar"][..], "LANE_JAR_NOT_FOUND"),
        (&[], "LANE_JAR_NOT_FOUND"),
        (&["--download"], "LANE_DOWNLOAD_FAILED"),
        (&["--jar", &file, "--idle", "0"], "USAGE"),
        (&["--jar", &file, "--download"], "USAGE"),
        (&["--jar", &file, "--index-url", "http://127.0.0.1:1"], "USAGE"),
    ] {
        let (told, _) = run(&place, &[&["lane", "setup"], args].concat(), &[]);
        assert_eq!(told["code"], code, "{args:?}: {told}");
    }
    // No flag makes a jar of a text.
    std::fs::write(&file, "<html>").unwrap();
    let (told, _) = run(&place, &["lane", "setup", "--jar", &file], &[]);
    assert_eq!(told["code"], "LANE_JAR_REFUSED", "{told}");
    assert!(!told["details"]["hint"].as_str().unwrap().contains("--allow-unknown"), "{told}");
}

#[test]
fn a_server_without_the_slot_is_told_by_status_and_doctor() {
    let place = Place::new();
    let file = jar(&place);
    run(&place, &["lane", "setup", "--jar", &file, "--allow-unknown"], &[]);
    assert!(place.output(&["faults", "--set", "server_slot_stolenx1"]).status.success());
    // The slot is stolen when the server reads.
    run(&place, &["lane", "status"], &[]);
    let (shown, _) = run(&place, &["lane", "status"], &[]);
    assert_eq!((&shown["running"], &shown["reads"]), (&true.into(), &false.into()), "{shown}");
    assert_eq!(shown["slot"][0]["program"], "Appium", "{shown}");
    let (report, went_well) = run(&place, &["doctor", "--json"], &[]);
    assert!(!went_well, "{report}");
    let check = |id: &str| {
        let mut checks = report["checks"].as_array().unwrap().iter();
        checks.find(|check| check["id"] == id).unwrap().clone()
    };
    assert_eq!(check("runtime.lane")["status"], "warn", "{report}");
    let fix = check("device.uiautomator")["fix"].to_string();
    assert!(fix.contains("force-stop io.appium"), "{fix}");
    let (refused, _) = run(&place, &["lane", "setup", "--jar", &file, "--allow-unknown"], &[]);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("these run on the phone: Appium"), "{message}");
}

#[test]
fn a_server_of_another_program_is_not_called_ours() {
    let place = Place::new();
    let file = jar(&place);
    let line = "echo jar >/data/local/tmp/u2.jar; CLASSPATH=/data/local/tmp/u2.jar nohup app_process / com.wetest.uia2.Main -p 9008 >/dev/null 2>&1 &";
    let act = serde_json::json!({"command": line}).to_string();
    run(&place, &["agent", "act", "shell", &act, "--approve"], &[]);
    within(Duration::from_secs(20), || run(&place, &["lane", "status"], &[]).0["running"] == true);
    let (done, went_well) = run(&place, &["lane", "setup", "--jar", &file, "--allow-unknown"], &[]);
    assert!(went_well, "{done}");
    assert_eq!((&done["startedBy"], &done["idleMinutes"]), (&"another program".into(), &Value::Null));
    let message = done["message"].as_str().unwrap();
    assert!(message.contains("is not running"), "{message}");
}

#[test]
fn the_file_of_an_installed_package_is_found_without_running_the_package() {
    let place = Place::new();
    let packages = place.folder.join("venv/lib/python3.12/site-packages");
    let assets = packages.join("uiautomator2/assets");
    std::fs::create_dir_all(&assets).unwrap();
    std::fs::write(assets.join("u2.jar"), JAR).unwrap();
    let says = format!("echo {}/uiautomator2", packages.display());
    let python = python(&place.folder, &says);
    let venv = place.folder.join("venv");
    for (name, value) in [("CLAWPERATOR_PYTHON", &python), ("VIRTUAL_ENV", &venv)] {
        let environment = [(name, value.to_str().unwrap())];
        let (done, went_well) = run(&place, &["lane", "setup", "--allow-unknown"], &environment);
        assert!(went_well, "{done}");
        let from = done["jar"]["from"].as_str().unwrap();
        assert!(from.ends_with("site-packages/uiautomator2/assets/u2.jar"), "{from}");
        let (refused, _) = run(&place, &["lane", "setup"], &environment);
        assert_eq!(refused["code"], "LANE_JAR_REFUSED", "{refused}");
    }
}

#[test]
fn a_download_asks_pip_and_uses_only_what_is_known() {
    let place = Place::new();
    let asked = place.folder.join("asked");
    let script = format!(
        "[ $1 = -c ] && exit; echo \"$@\" >{}; printf '%s\\n' 'WARNING: {}' 'ERROR: no such index' '[notice] Have a newer pip' >&2; exit 1",
        asked.display(),
        "Retrying ".repeat(50)
    );
    let failing = python(&place.folder, &script);
    let environment = [("CLAWPERATOR_PYTHON", failing.to_str().unwrap())];
    let args = ["lane", "setup", "--download", "--index-url", "http://127.0.0.1:1/simple"];
    let (told, _) = run(&place, &args, &environment);
    assert_eq!(told["code"], "LANE_DOWNLOAD_FAILED", "{told}");
    assert!(told["message"].as_str().unwrap().contains("no such index"), "{told}");
    let asked = std::fs::read_to_string(asked).unwrap();
    assert!(asked.contains("--index-url http://127.0.0.1:1/simple uiautomator2==3.7.1"), "{asked}");
    // A wheel whose jar is another: `--allow-unknown` is for files of one's own.
    let wheel = place.folder.join("a.whl");
    std::fs::write(&wheel, wheel_of(JAR)).unwrap();
    let script = format!(
        "[ $1 = -c ] && exit; while [ $1 != --dest ]; do shift; done; cp {} $2/uiautomator2-3.7.1-py3-none-any.whl",
        wheel.display()
    );
    python(&place.folder, &script);
    let (told, _) = run(&place, &["lane", "setup", "--download", "--allow-unknown"], &environment);
    assert_eq!(told["code"], "LANE_JAR_REFUSED", "{told}");
    let left = std::fs::read_dir(place.folder.join("state")).unwrap().flatten();
    let left: Vec<_> = left
        .map(|file| file.file_name())
        .filter(|name| name.to_string_lossy().contains("download"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn observe_and_the_agent_use_the_lane_that_is_asked_for() {
    let place = Place::new();
    let script = place.folder.join("done.jsonl");
    let line = r#"{"tool":"finish","args":{"message":"done"}}"#;
    std::fs::write(&script, line).unwrap();
    let model = format!("script:{}", script.display());
    let point = r#"{"x":5,"y":900}"#;
    let commands: [&[&str]; 3] = [
        &["observe", "--json"],
        &["agent", "act", "tap", point, "--approve"],
        &["agent", "run", "Nothing", "--model", &model, "--yes"],
    ];
    let on = |command: &[&str], lane: &str| {
        let flag = run(&place, &[command, &["--lane", lane]].concat(), &[]).0;
        let variable = run(&place, command, &[("CLAWPERATOR_LANE", lane)]).0;
        assert_eq!(flag["code"], variable["code"], "{command:?} {lane}: {variable}");
        flag
    };
    for command in commands {
        let refused = on(command, "resident");
        assert_eq!(refused["code"], "LANE_UNAVAILABLE", "{command:?}: {refused}");
        let other = on(command, "dump");
        assert_eq!(other["code"], Value::Null, "{command:?}: {other}");
    }
    run(&place, &["lane", "setup", "--jar", &jar(&place), "--allow-unknown"], &[]);
    for command in commands {
        let done = on(command, "resident");
        assert_eq!(done["code"], Value::Null, "{command:?}: {done}");
    }
    let seen = |lane: &str| on(commands[0], lane)["captureMetrics"]["uiElementsSource"].clone();
    assert_eq!(seen("resident"), "fresh");
    // The server has the phone's UiAutomation, so the phone's own command fails.
    assert_eq!(seen("dump"), "fresh_empty");
}

#[test]
fn a_toast_of_one_command_is_seen_by_the_next() {
    let place = Place::new();
    run(&place, &["lane", "setup", "--jar", &jar(&place), "--allow-unknown"], &[]);
    let step = |args: &[&str]| {
        let (told, went_well) = run(&place, &[args, &["--json"]].concat(), &[]);
        (told["envelope"]["stepResults"][0]["data"].clone(), went_well)
    };
    step(&["open", "com.clawperator.form"]);
    step(&["click", "--text", "Search"]);
    step(&["click", "--text", "Apple"]);
    let (seen, went_well) = step(&["wait", "--toast", "picked Apple", "--timeout", "1000"]);
    assert_eq!((&seen["text"], went_well), (&"You picked Apple".into(), true), "{seen}");
    step(&["press", "back"]);
    let (seen, went_well) = step(&["wait", "--toast", "picked Apple", "--timeout", "200"]);
    assert_eq!((&seen["error"], went_well), (&"TOAST_NOT_SEEN".into(), false), "{seen}");
}

/// A zip that has one file, not packed.
fn wheel_of(jar: &[u8]) -> Vec<u8> {
    let name = b"uiautomator2/assets/u2.jar";
    let (length, size) = (name.len() as u16, jar.len() as u32);
    let crc = crc32(jar);
    let facts = |out: &mut Vec<u8>| {
        out.extend([0; 8]);
        for number in [crc, size, size] {
            out.extend(number.to_le_bytes());
        }
        out.extend(length.to_le_bytes());
        out.extend([0, 0]);
    };
    let mut zip = b"PK\x03\x04\x14\x00".to_vec();
    facts(&mut zip);
    zip.extend(name);
    zip.extend(jar);
    let directory = zip.len() as u32;
    zip.extend(b"PK\x01\x02\x14\x00\x14\x00");
    facts(&mut zip);
    zip.extend([0; 14]);
    zip.extend(name);
    let rows = zip.len() as u32 - directory;
    zip.extend(b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00");
    zip.extend(rows.to_le_bytes());
    zip.extend(directory.to_le_bytes());
    zip.extend([0, 0]);
    zip
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1));
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
