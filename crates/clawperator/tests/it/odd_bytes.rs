//! Arguments, variables and names of files that are not UTF-8.

use super::{clawperator, text};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

fn said(output: &std::process::Output) -> Value {
    serde_json::from_str(&text(output)).unwrap()
}

/// A folder of one test, with a name that is no text in it.
fn odd_folder(name: &str) -> (PathBuf, PathBuf) {
    let folder = std::env::temp_dir().join(format!("clawperator-odd-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let odd = folder.join(OsString::from_vec(b"odd-\xfe".to_vec()));
    (folder, odd)
}

#[test]
fn an_argument_that_is_not_utf8_is_a_clear_error() {
    let word = OsStr::from_bytes(b"\xff\xfe");
    for (args, code) in [
        (&["click", "--text"][..], "USAGE"),
        (&["exec", "{}", "--device"], "USAGE"),
        // This could be a file.
        (&["exec", "--payload"], "EXECUTION_VALIDATION_FAILED"),
        (&["exec"], "EXECUTION_VALIDATION_FAILED"),
        (&[], "UNKNOWN_COMMAND"),
    ] {
        let output = clawperator().args(args).arg(word).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(said(&output)["code"], code, "{args:?}");
    }
}

#[test]
fn a_payload_s_file_may_have_any_name() {
    let (folder, file) = odd_folder("payload");
    let example = super::root().join("examples/open-settings.json");
    if std::fs::copy(example, &file).is_err() {
        println!("skipped: this file system takes no such name");
        return;
    }
    for flag in [None, Some("--payload"), Some("--file")] {
        let mut command = clawperator();
        command.args(["exec", "--validate-only"]).args(flag).arg(&file);
        let output = command.output().unwrap();
        assert_eq!(said(&output)["ok"], true, "{flag:?}");
    }
    let joined = [OsStr::new("--input="), file.as_os_str()].join(OsStr::new(""));
    let output = clawperator().args(["exec", "--validate-only"]).arg(joined).output().unwrap();
    assert_eq!(said(&output)["ok"], true);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_state_folder_may_have_any_name() {
    let (folder, state) = odd_folder("state");
    let home = folder.join("home");
    let run = |args: &[&str]| {
        let mut command = clawperator();
        command.env("HOME", &home).env("CLAWPERATOR_HOME", &state);
        command.args(args).output().unwrap()
    };
    // What is refused is logged.
    assert_eq!(said(&run(&["clik"]))["code"], "UNKNOWN_COMMAND");
    if !state.join("logs").is_dir() {
        println!("skipped: this file system takes no such name");
        return;
    }
    assert!(!home.exists());
    let journals = said(&run(&["journal", "list"]));
    assert!(journals["folder"].as_str().unwrap().ends_with("odd-\u{fffd}/journal"));
    let recordings = state.join("recordings");
    std::fs::create_dir_all(&recordings).unwrap();
    let recording = concat!(
        r#"{"type":"recording_header","schemaVersion":1,"sessionId":"a","startedAt":1,"operatorPackage":"x"}"#,
        "\n"
    );
    std::fs::write(recordings.join("a.ndjson"), recording).unwrap();
    let parsed = run(&["record", "parse", "--session-id", "a"]);
    assert!(recordings.join("a.steps.json").is_file(), "{parsed:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_variable_that_must_be_text_is_named() {
    for name in ["ANDROID_SERIAL", "CLAWPERATOR_LOG_LEVEL", "CLAWPERATOR_JOURNAL"] {
        let output = clawperator()
            .env(name, OsStr::from_bytes(b"\xfe"))
            .args(["back", "--validate-only"])
            .output()
            .unwrap();
        let said = said(&output);
        assert_eq!((said["code"].as_str(), output.status.code()), (Some("USAGE"), Some(1)));
        assert!(said["message"].as_str().unwrap().contains(name), "{said}");
    }
}
