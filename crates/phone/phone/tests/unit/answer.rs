//! What phones answer, and what that means.

use super::*;

fn answer(out: &str, err: &str, exit_code: Option<u8>) -> CommandAnswer {
    CommandAnswer {
        asked: String::new(),
        kind: CommandKind::Tap,
        out: out.to_owned(),
        err: err.to_owned(),
        exit_code,
        event_log: None,
    }
}

#[test]
fn a_complaint_is_a_refusal_whatever_the_exit_code() {
    for (out, err, code, refused) in [
        ("", "", Some(0), false),
        ("", "", Some(1), true),
        ("", "", None, false),
        ("Starting: Intent { }\nError type 3\n", "", None, true),
        ("", "java.lang.SecurityException: Injecting to another application", Some(0), true),
        ("", "Warning: Activity not started, its current task has been brought to the front", Some(0), false),
        ("/system/bin/sh: input: not found\n", "", None, true),
        ("cmd: Can't find service: activity\n", "", None, true),
        ("Warning: Activity not started because intent should be handled by the caller\n", "", Some(0), true),
        ("** SYS_KEYS has no physical keys but with factor 2.0%.\n", "", None, true),
    ] {
        let given = answer(out, err, code);
        assert_eq!(given.check_act().is_err(), refused, "{out} {err}");
    }
}

#[test]
fn an_excerpt_is_short_whatever_the_text() {
    let excerpt = excerpt(&"é".repeat(1_000));
    assert_eq!(excerpt.chars().count(), EXCERPT);
}

#[test]
fn a_refusal_begins_with_the_complaint() {
    let noise = "  bash arg: -p\n".repeat(30);
    let trace = "\tat com.x.Y(Z.java:1)\n".repeat(3);
    for (out, err, wanted) in [
        (format!("{noise}** no keys.\n"), String::new(), "** no keys."),
        (
            noise.clone(),
            format!("\nException occurred while executing 'tap':\njava.lang.SecurityException: no\n{trace}"),
            "Exception occurred while executing 'tap':\njava.lang.SecurityException: no",
        ),
        ("odd\n".to_owned(), String::new(), "odd"),
    ] {
        let PhoneError::Refused { excerpt, .. } = answer(&out, &err, Some(1)).refusal() else {
            panic!();
        };
        assert_eq!(excerpt, wanted);
    }
}

#[test]
fn what_input_prints_is_no_success() {
    for (out, err, done) in [
        ("", "", true),
        ("\r\n", "WARNING: linker: /system/lib/x.so has text relocations\n", true),
        ("hooked by com.example.guard\n", "", false),
        ("", "Killed", false),
        ("", "java.lang.SecurityException: Injecting", false),
    ] {
        assert_eq!(answer(out, err, Some(0)).silent().is_ok(), done, "{out} {err}");
        assert_eq!(answer(out, err, None).silent().is_ok(), done, "{out} {err}");
    }
}
