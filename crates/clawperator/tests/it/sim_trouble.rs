//! The simulated phone as processes, when something is wrong with them or with
//! what they find.

use crate::sim::{Place, kill, within};
use crate::text;
use serde_json::Value;
use std::fs::Permissions;
use std::net::TcpStream;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn pid_of(started: &Value) -> i32 {
    started["pid"].as_i64().unwrap() as i32
}

#[test]
fn a_phone_that_does_not_answer_is_listed_and_named() {
    let place = Place::new();
    let silent: Vec<_> = (0..2).map(|_| pid_of(&place.json(&["start"]))).collect();
    let other = pid_of(&place.json(&["start"]));
    for pid in &silent {
        kill(*pid, "STOP").unwrap();
    }
    // A signal may take its time on a busy computer.
    let is_silent = |at: usize| place.json(&["list"])["phones"][at]["state"] == "silent";
    assert!(within(Duration::from_secs(30), || is_silent(0) && is_silent(1)));
    let since = Instant::now();
    let list = place.json(&["list"]);
    assert!(since.elapsed() < Duration::from_millis(5900), "both are asked at once");
    let states: Vec<_> = (0..3).map(|at| list["phones"][at]["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["silent", "silent", "running"]);
    assert_eq!(list["phones"][0]["pid"], silent[0]);
    for args in [&["stop", "sim-1"][..], &["status", "sim-1"], &["stop", "--all"]] {
        let answer = place.json(args);
        assert_eq!(answer["code"], "SIM_CONTROL_FAILED", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("sim-1") && message.contains(&silent[0].to_string()), "{answer}");
    }
    place.wait_for_end(other);
    assert!(!place.pids().contains(&other), "the others are stopped");
    kill(silent[1], "KILL").unwrap();
    place.wait_for_end(silent[1]);
    assert_eq!(place.code(&["screen"]), "SIM_CONTROL_FAILED", "none is started");
    kill(silent[0], "CONT").unwrap();
    assert_eq!(place.json(&["stop", "--all"])["stopped"][0], "sim-1");
}

#[test]
fn connections_that_say_nothing_hide_no_phone() {
    let place = Place::new();
    let pid = pid_of(&place.json(&["start"]));
    let control = place.entry(pid)["control"].as_u64().unwrap() as u16;
    let idle: Vec<_> = (0..40).map(|_| TcpStream::connect(("127.0.0.1", control)).unwrap()).collect();
    let list = place.json(&["list"]);
    assert_eq!(list["phones"][0]["state"], "running", "{list}");
    drop(idle);
}

#[test]
fn phones_of_one_process_can_be_stopped_at_the_same_time() {
    let place = Place::new();
    place.json(&["start", "--count", "6"]);
    let stop = |number: u32| {
        let name = format!("sim-{number}");
        place.command(&["stop", &name]).stdout(Stdio::piped()).spawn().unwrap()
    };
    let stopping: Vec<_> = (1..=6).map(stop).collect();
    for child in stopping {
        let said = text(&child.wait_with_output().unwrap());
        assert!(said.contains("\"stopped\"") || said.contains("SIM_NOT_RUNNING"), "{said}");
    }
    assert!(place.pids().is_empty());
}

#[test]
fn a_question_about_a_phone_is_a_use_of_it() {
    let place = Place::new();
    place.json(&["start"]);
    std::thread::sleep(Duration::from_millis(300));
    let unused = || place.json(&["status"])["unusedForMs"].as_u64().unwrap();
    let first = unused();
    assert!(first >= 300, "{first}");
    assert!(unused() < first);
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_folder_that_others_can_read_is_refused_and_left_alone() {
    let place = Place::new();
    std::fs::create_dir(place.registry()).unwrap();
    std::fs::set_permissions(place.registry(), Permissions::from_mode(0o755)).unwrap();
    for args in [&["list"][..], &["start"], &["screen"], &["stop", "--all"]] {
        let answer = place.json(args);
        assert_eq!(answer["code"], "SIM_REGISTRY_UNSAFE", "{answer}");
        assert!(answer.to_string().contains("chmod 700"), "{answer}");
    }
    assert_eq!(mode(&place.registry()), 0o755);
}

#[test]
fn who_only_looks_makes_no_folder() {
    let place = Place::new();
    assert!(place.names().is_empty());
    assert_eq!(place.code(&["status"]), "SIM_NOT_RUNNING");
    assert!(place.json(&["faults"])["points"].is_array());
    assert!(!place.registry().exists());
}

#[test]
fn a_slash_at_its_end_leads_through_no_symbolic_link() {
    let place = Place::new();
    let elsewhere = place.folder.join("elsewhere");
    std::fs::DirBuilder::new().mode(0o700).create(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.registry()).unwrap();
    for end in ["/", "//", "/."] {
        let mut folder = place.registry().into_os_string();
        folder.push(end);
        for args in [&["start"][..], &["list"]] {
            let mut command = place.command(args);
            let said = text(&command.env("CLAWPERATOR_SIM_DIR", &folder).output().unwrap());
            assert!(said.contains("SIM_REGISTRY_UNSAFE"), "{end} {args:?}: {said}");
        }
    }
}

#[test]
fn a_pipe_instead_of_a_file_keeps_nobody_waiting() {
    let place = Place::new();
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    place.json(&["start"]);
    pipe(&place.registry().join("1.json"));
    assert_eq!(place.names(), ["sim-1"]);
    std::fs::remove_file(place.registry().join("1.json")).unwrap();
    let apps = place.folder.join("apps");
    std::fs::create_dir(&apps).unwrap();
    pipe(&apps.join("pipe.yaml"));
    let answer = place.json(&["start", "--apps", apps.to_str().unwrap()]);
    assert_eq!(answer["code"], "SIM_APP_INVALID");
    let shown = text(&place.output(&["check", apps.to_str().unwrap()]));
    assert!(shown.contains("pipe.yaml: is not a file"), "{shown}");
    let large = place.folder.join("large.yaml");
    std::fs::write(&large, vec![0xff; 3 << 20]).unwrap();
    let shown = text(&place.output(&["check", large.to_str().unwrap()]));
    assert!(shown.contains("has more than"), "{shown}");
}

#[test]
fn two_who_need_a_phone_at_the_same_time_share_one() {
    let place = Place::new();
    let look = || {
        let mut command = place.command(&["screen"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let looking: Vec<_> = (0..4).map(|_| look()).collect();
    for mut child in looking {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(place.names(), ["sim-1"]);
}

#[test]
fn what_was_left_half_written_is_removed() {
    let place = Place::new();
    place.json(&["start"]);
    let file = |name: &str| place.registry().join(name);
    for draft in ["1-1.json.draft", "2-2.json.draft"] {
        std::fs::write(file(draft), "{").unwrap();
    }
    let lock = std::fs::File::create(file("2-2.lock")).unwrap();
    lock.lock().unwrap();
    place.json(&["start"]);
    assert!(!file("1-1.json.draft").exists());
    assert!(file("2-2.json.draft").exists(), "its process lives");
}

#[test]
fn a_background_phone_keeps_nothing_open_that_it_was_given() {
    let place = Place::new();
    let lock = place.folder.join("lock");
    let program = env!("CARGO_BIN_EXE_clawperator");
    let script = format!("exec 9>'{}'; flock 9; exec '{program}' sim start", lock.display());
    let started = std::process::Command::new("bash")
        .args(["-c", &script])
        .env("CLAWPERATOR_SIM_DIR", place.registry())
        .env("CLAWPERATOR_HOME", &place.folder)
        .output()
        .unwrap();
    assert!(started.status.success(), "{started:?}");
    assert_eq!(place.names(), ["sim-1"]);
    let file = std::fs::File::open(&lock).unwrap();
    assert!(file.try_lock().is_ok(), "the phone still holds the lock");
}

#[test]
fn every_process_has_a_log_and_a_token_of_its_own() {
    let place = Place::new();
    place.json(&["start"]);
    assert!(place.registry().join("stderr.log").exists());
    let first = place.entry(place.pids()[0])["token"].clone();
    place.json(&["stop"]);
    place.json(&["start"]);
    let second = place.entry(place.pids()[0])["token"].clone();
    assert_ne!(first, second);
    assert_eq!(second.as_str().unwrap().len(), 32);
}

#[test]
fn app_files_that_are_none_or_the_same_are_told() {
    let place = Place::new();
    let apps = place.folder.join("apps");
    std::fs::create_dir(&apps).unwrap();
    let folder = apps.to_str().unwrap();
    let none = place.output(&["check", folder]);
    assert_eq!(none.status.code(), Some(1));
    assert!(text(&none).contains("has no app files"));
    let started = place.output(&["start", "--apps", folder]);
    assert!(started.status.success());
    assert!(String::from_utf8_lossy(&started.stderr).contains("has no app files"));
    let own = include_str!("../../../box/sim/apps/form.yaml");
    std::fs::write(apps.join("a.yml"), own).unwrap();
    let file = apps.join("a.yml");
    let started = place.output(&["start", "--apps", file.to_str().unwrap()]);
    assert!(started.status.success());
    let notes = String::from_utf8_lossy(&started.stderr).into_owned();
    assert!(notes.contains("com.clawperator.form replaces"), "{notes}");
    std::fs::write(apps.join("b.yaml"), own).unwrap();
    let twins = place.output(&["check", folder]);
    assert_eq!(twins.status.code(), Some(1));
    assert!(text(&twins).contains("b.yaml: another file has the package"));
}

#[test]
fn trouble_with_the_registry_or_with_files_has_a_code_of_its_own() {
    let place = Place::new();
    std::fs::write(place.folder.join("file"), "").unwrap();
    let mut command = place.command(&["start"]);
    let inside = place.folder.join("file/registry");
    let said = text(&command.env("CLAWPERATOR_SIM_DIR", inside).output().unwrap());
    assert!(said.contains("SIM_REGISTRY_FAILED"), "{said}");
    let program = env!("CARGO_BIN_EXE_clawperator");
    let limited = std::process::Command::new("bash")
        .args(["-c", &format!("ulimit -n 40; exec '{program}' sim start --count 200")])
        .env("CLAWPERATOR_SIM_DIR", place.registry())
        .env("CLAWPERATOR_HOME", &place.folder)
        .output()
        .unwrap();
    let said = text(&limited);
    assert!(said.contains("SIM_OUT_OF_FILES") && said.contains("ulimit"), "{said}");
}
