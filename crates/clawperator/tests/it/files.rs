//! The files of the program: keys, pictures and logs, on a disk that is full or
//! not ours.

use super::sim::Place;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program on a disk without room: no file can get a single byte.
fn on_a_full_disk(place: &Place, args: &[&str]) -> Output {
    let mut command = Command::new("bash");
    for (name, value) in place.program().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let program = env!("CARGO_BIN_EXE_clawperator");
    command.args(["-c", script, program]).args(args).stdin(Stdio::null());
    command.output().unwrap()
}

fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// Every file below a folder, and its mode.
fn files(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = file.path();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        if path.is_dir() {
            found.extend(files(&path));
        }
        found.push((path, mode));
    }
    found
}

#[test]
fn many_processes_that_need_a_key_at_once_make_one() {
    let place = Place::new();
    place.json(&["start", "--auth"]);
    let ask = || {
        let mut command = place.program();
        command.args(["packages", "list", "--device", "sim"]);
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let asking: Vec<_> = (0..4).map(|_| ask()).collect();
    for child in asking {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let keys = files(&place.folder.join(".android"));
    assert_eq!(keys, [(place.folder.join(".android/adbkey"), 0o600)]);
}

#[test]
fn a_full_disk_leaves_no_broken_file() {
    let place = Place::new();
    let serial = place.json(&["start", "--auth"])["serial"].as_str().unwrap().to_owned();
    let picture = place.folder.join("picture.png");
    let shot = ["sim", "screen", "--out", picture.to_str().unwrap()];
    let output = on_a_full_disk(&place, &shot);
    assert_eq!(answer(&output)["code"], "FILE_WRITE_FAILED");
    let list = ["packages", "list", "--device", &serial];
    assert_eq!(on_a_full_disk(&place, &list).status.code(), Some(0));
    for (path, _) in files(&place.folder) {
        let name = path.to_string_lossy().into_owned();
        assert!(!name.contains(".draft") && !name.contains("adbkey"), "{name}");
    }
    assert!(!picture.exists());
    for args in [&shot[..], &list] {
        let output = place.program().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    assert!(place.folder.join(".android/adbkey").exists());
    // What was there stays.
    let before = std::fs::read(&picture).unwrap();
    on_a_full_disk(&place, &shot);
    assert_eq!(std::fs::read(&picture).unwrap(), before);
}

#[test]
fn a_home_that_cannot_be_written_is_enough_for_a_simulated_phone() {
    let place = Place::new();
    place.json(&["start", "--auth"]);
    let output = place
        .program()
        .env("HOME", "/dev/null/home")
        .env_remove("CLAWPERATOR_HOME")
        .args(["snapshot", "--device", "sim"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_key_that_is_broken_is_moved_aside() {
    let place = Place::new();
    let key = place.folder.join(".android/adbkey");
    std::fs::create_dir(place.folder.join(".android")).unwrap();
    std::fs::write(&key, "").unwrap();
    let output = place.program().args(["doctor", "--fix"]).output().unwrap();
    let report = answer(&output);
    let repairs = report["repairs"].as_array().unwrap();
    let repair = repairs.iter().find(|repair| repair["id"] == "host.key").unwrap();
    assert_eq!(repair["done"], true, "{report}");
    assert!(!key.exists() && key.with_added_extension("broken-1").exists());
}

#[test]
fn what_is_stored_of_a_phone_is_for_its_owner_alone() {
    let place = Place::new();
    let shared = place.folder.join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o777)).unwrap();
    let output = place
        .program()
        .env("TMPDIR", &shared)
        .env("CLAWPERATOR_LOG_LEVEL", "debug")
        .args(["screenshot", "--device", "sim"])
        .output()
        .unwrap();
    let path = answer(&output)["envelope"]["stepResults"][0]["data"]["path"].clone();
    let path = PathBuf::from(path.as_str().unwrap());
    assert!(path.starts_with(&shared), "{}", path.display());
    let state = place.folder.join("state");
    let stored = [files(&shared), files(&state), vec![(state.clone(), 0)]].concat();
    assert!(stored.iter().any(|(path, _)| path.extension().is_some_and(|it| it == "log")));
    for (path, mode) in stored {
        assert_eq!(mode & 0o077, 0, "{} {mode:o}", path.display());
    }
}

#[test]
fn control_characters_are_escaped_in_every_answer() {
    let place = Place::new();
    let output = place.program().args(["exec", "{\"\u{9b}2J\":1}"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\\u009b2J") && !text.contains('\u{9b}'), "{text}");
}
