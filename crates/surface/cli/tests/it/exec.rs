//! `exec`: where a payload comes from, and what is printed of it.

use crate::PAYLOAD;
use crate::line::{answer_to, assert_refused, json_of, world};
use clawperator_cli::run;
use serde_json::{Value, json};
use std::io::Read;

#[test]
fn exec_prints_the_documented_wrappers() {
    let execution = json!({"commandId": "cmd-001", "taskId": "task-001", "source": "docs",
        "expectedFormat": "android-ui-automator", "timeoutMs": 30000,
        "actions": [{"id": "snap-1", "type": "snapshot_ui"}]});
    for flag in ["--validate-only", "--validate"] {
        let (answer, exit) = json_of(&["exec", flag, "--payload", PAYLOAD, "--json"]);
        assert_eq!((answer, exit), (json!({"ok": true, "validated": true, "execution": execution}), 0));
    }
    let (answer, exit) = json_of(&["exec", "--dry-run", "--validate-only", PAYLOAD]);
    let plan = json!({"commandId": "cmd-001", "timeoutMs": 30000, "actionCount": 1,
        "actions": [{"id": "snap-1", "type": "snapshot_ui"}]});
    assert_eq!((answer, exit), (json!({"ok": true, "dryRun": true, "plan": plan}), 0));
}

#[test]
fn a_payload_comes_from_anywhere() {
    let file = std::env::temp_dir().join(format!("clawperator-payload-{}.json", std::process::id()));
    std::fs::write(&file, PAYLOAD).unwrap();
    let path = file.to_str().unwrap();
    let wanted = answer_to(&["exec", "--validate-only", PAYLOAD], b"").text;
    for flag in ["--payload", "--execution", "--input", "--file"] {
        for value in [PAYLOAD, path, "-"] {
            let answer = answer_to(&["execute", "--validate-only", flag, value], PAYLOAD.as_bytes());
            assert_eq!((answer.text, answer.exit_code), (wanted.clone(), 0), "{flag} {value}");
        }
    }
    let bom = answer_to(&["exec", "--validate-only", "-"], format!("\u{feff}{PAYLOAD}\n").as_bytes());
    assert_eq!(bom.text, wanted);
    std::fs::remove_file(&file).unwrap();
    for (args, code) in [
        (vec!["exec"], "MISSING_ARGUMENT"),
        (vec!["exec", "--payload"], "MISSING_ARGUMENT"),
        (vec!["exec", "--payload", ""], "MISSING_ARGUMENT"),
        (vec!["exec", PAYLOAD, "--payload", PAYLOAD], "EXECUTION_VALIDATION_FAILED"),
        (vec!["exec", "--file", PAYLOAD, "--input", PAYLOAD], "EXECUTION_VALIDATION_FAILED"),
        (vec!["exec", "/nowhere/at/all.json"], "EXECUTION_VALIDATION_FAILED"),
        (vec!["exec", "/"], "EXECUTION_VALIDATION_FAILED"),
        (vec!["exec", "[]"], "EXECUTION_VALIDATION_FAILED"),
    ] {
        assert_refused(&args, code);
    }
}

#[test]
fn bad_bytes_get_a_clear_error() {
    let code_of = |bytes: &[u8]| {
        let answer = answer_to(&["exec", "--validate-only", "-"], bytes);
        let json: Value = serde_json::from_str(&answer.text).unwrap();
        assert_eq!(answer.exit_code, 1);
        (json["code"].as_str().unwrap().to_owned(), json["message"].as_str().unwrap().to_owned())
    };
    let invalid = "EXECUTION_VALIDATION_FAILED";
    for (bytes, code, word) in [
        (&b""[..], invalid, "empty"),
        (b"\xff\xfe{}", invalid, "UTF-8"),
        (&PAYLOAD.as_bytes()[..60], invalid, "line 1"),
        (b"{\"timeoutMs\": NaN}", invalid, "line 1"),
        (b"1e999", invalid, "too large"),
        ("[".repeat(100_000).as_bytes(), invalid, "deeper"),
        (" ".repeat(2 << 20).as_bytes(), "PAYLOAD_TOO_LARGE", "1048576"),
    ] {
        let (found, message) = code_of(bytes);
        assert_eq!(found, code);
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn no_more_is_read_than_the_limit() {
    struct Endless(u64);
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0 += buffer.len() as u64;
            assert!(self.0 < 8 << 20, "it goes on reading");
            buffer.fill(b' ');
            Ok(buffer.len())
        }
    }
    let mut world = world(Endless(0));
    let answer = run(["clawperator", "exec", "-"].map(Into::into), &mut world);
    assert!(answer.text.contains("PAYLOAD_TOO_LARGE"), "{}", answer.text);
}

#[test]
fn a_bad_timeout_is_written_as_a_payload_s() {
    let said = |args: &[&str]| json_of(args).0["message"].as_str().unwrap().replace('"', "");
    for (asked, written) in
        [("-0", "not 0"), ("0x10", "not 16"), ("-.50", "not -0.5"), ("1e308", "not 1e+308")]
    {
        let flag = format!("--timeout={asked}");
        for args in [&["exec", PAYLOAD, &flag][..], &["back", &flag]] {
            let message = said(args);
            assert!(message.ends_with(written), "{args:?}: {message}");
        }
    }
    let message = said(&["exec", &PAYLOAD.replace("30000", "-0")]);
    assert!(message.ends_with("not 0"), "{message}");
    for (asked, written) in [("-0", "not 0"), ("1e308", "not 1e+308")] {
        let message = said(&["wait", "--text", "x", &format!("--timeout={asked}")]);
        assert!(message.ends_with(written), "{message}");
    }
}

#[test]
fn a_timeout_flag_replaces_the_payload_s() {
    let (answer, _) = json_of(&["exec", "--validate-only", PAYLOAD, "--timeout", "5000"]);
    assert_eq!(answer["execution"]["timeoutMs"], 5000);
    for bad in ["999", "120001", "x", "Infinity", "-5"] {
        let args = ["exec", "--validate-only", PAYLOAD, "--timeout", bad];
        assert_refused(&args, "EXECUTION_VALIDATION_FAILED");
    }
    for (args, timeout) in [
        (&["snapshot", "--timeout-ms=45000"][..], 45_000),
        (&["click", "--text", "x", "--timeout", "5000"], 5_000),
        (&["wait", "--text", "x", "--timeout", "40000"], 45_000),
        (&["wait-for-nav", "--app", "p", "--timeout", "1000"], 30_000),
        (&["sleep", "1000", "--timeout", "50000"], 50_000),
    ] {
        let mut args = args.to_vec();
        args.push("--validate-only");
        assert_eq!(json_of(&args).0["execution"]["timeoutMs"], timeout, "{args:?}");
    }
}
