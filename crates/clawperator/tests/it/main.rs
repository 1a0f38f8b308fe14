//! The program as a process: what only a real one can show.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

#[cfg(all(unix, feature = "sim"))]
mod agent;
#[cfg(all(unix, feature = "sim"))]
mod approvals;
#[cfg(all(unix, feature = "sim"))]
mod attacks;
#[cfg(all(unix, feature = "sim"))]
mod dark;
mod doctor;
#[cfg(all(unix, feature = "sim"))]
mod examples;
#[cfg(all(unix, feature = "sim"))]
mod files;
#[cfg(all(unix, feature = "sim"))]
mod from_recording;
#[cfg(all(unix, feature = "sim"))]
mod hand;
#[cfg(all(unix, feature = "sim"))]
mod lane;
#[cfg(all(unix, feature = "sim"))]
mod live;
#[cfg(all(unix, feature = "sim"))]
mod looks;
#[cfg(all(unix, feature = "sim"))]
mod mcp;
#[cfg(unix)]
mod odd_bytes;
#[cfg(all(unix, feature = "sim"))]
mod once;
#[cfg(all(unix, feature = "sim"))]
mod operator;
#[cfg(unix)]
mod recipe;
#[cfg(all(unix, feature = "sim"))]
mod recipe_run;
#[cfg(all(unix, feature = "sim"))]
mod record;
mod refs;
#[cfg(all(unix, feature = "sim"))]
mod secrets;
#[cfg(all(unix, feature = "sim"))]
mod serve;
#[cfg(all(unix, feature = "sim"))]
mod sim;
#[cfg(all(unix, feature = "sim"))]
mod sim_trouble;
#[cfg(all(unix, feature = "sim"))]
mod skill_doctor;
#[cfg(all(unix, feature = "sim"))]
mod skill_run;
#[cfg(all(unix, feature = "sim"))]
mod skill_tests;
#[cfg(unix)]
mod skills;
#[cfg(all(unix, feature = "sim"))]
mod trail;
#[cfg(all(unix, feature = "sim"))]
mod walks;
#[cfg(all(unix, feature = "sim"))]
mod watch;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn clawperator() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clawperator"));
    command.current_dir(root()).stdin(Stdio::null());
    // No test asks an adb server of this computer's, or starts one.
    command
        .env("ANDROID_ADB_SERVER_PORT", "1")
        .env("ADB_PATH", "/nowhere/adb")
        // What is logged and remembered is no business of this computer's user.
        .env("CLAWPERATOR_HOME", state())
        .env("CLAWPERATOR_LOCK_DIR", state().join("locks"))
        .env_remove("CLAWPERATOR_LOG_DIR")
        .env_remove("CLAWPERATOR_LOG_LEVEL")
        .env_remove("CLAWPERATOR_OPERATOR_PACKAGE")
        .env_remove("ADB_SERVER_SOCKET")
        .env_remove("ANDROID_SERIAL");
    command
}

fn state() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("state")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(output: &Output) -> String {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "nothing belongs on stderr here");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_readme_s_example_is_valid() {
    let output =
        clawperator().args(["exec", "--validate-only", "examples/open-settings.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output)
            .starts_with(r#"{"ok":true,"validated":true,"execution":{"commandId":"open-settings-001""#)
    );
}

#[test]
fn failures_are_json_on_standard_output_with_exit_code_1() {
    for args in [&["exec", "{}"][..], &["clik"], &["click"], &["snapshot"], &["--nope"]] {
        let output = clawperator().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(text(&output).starts_with(r#"{"code":""#), "{args:?}");
    }
}

#[test]
fn a_pipe_gets_no_colour() {
    let output = clawperator().args(["back", "--validate-only", "--output", "pretty"]).output().unwrap();
    assert!(!text(&output).contains('\u{1b}'));
}

/// A hundred megabytes on standard input are refused after the first: the
/// program goes away and the writer's pipe breaks.
#[test]
fn a_flood_on_standard_input_is_cut_off() {
    let mut child = clawperator()
        .args(["exec", "--validate-only", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let chunk = [b' '; 1 << 16];
    let mut written = 0_usize;
    while written < 100 << 20 && stdin.write_all(&chunk).is_ok() {
        written += chunk.len();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(written < 8 << 20, "it read {written} bytes");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains(r#""code":"PAYLOAD_TOO_LARGE""#));
}

#[test]
fn an_answer_that_nobody_reads_is_a_failure() {
    let mut child = clawperator()
        .args(["schema", "execution"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("cannot write the answer"), "{said}");
}

/// Bash is on every machine we build on; other shells are checked by their
/// generator's own tests.
#[test]
fn the_bash_completions_are_a_script_bash_reads() {
    let script = text(&clawperator().args(["completions", "bash"]).output().unwrap());
    let mut bash = match Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn() {
        Ok(bash) => bash,
        Err(error) => {
            println!("skipped: bash cannot be started: {error}");
            return;
        }
    };
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(bash.wait().unwrap().success());
}
