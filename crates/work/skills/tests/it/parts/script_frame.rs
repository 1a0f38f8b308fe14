//! Tests of `script/frame.rs`.

use clawperator_skills::script::limits::MAX_FRAME;
use clawperator_skills::script::*;
use serde_json::{Map, Value};

const GOOD: &str = r#"{"contractVersion":"1.0.0","skillId":"a.b","goal":null,"inputs":{},"status":"success","checkpoints":[{"id":"opened","status":"ok","note":"n"},{"id":"read","status":"skipped"}],"terminalVerification":{"status":"verified"}}"#;

/// The frame of an output, in pieces of every size that matters.
fn scan(output: &str) -> Result<Option<ResultFrame>, FrameError> {
    let read = |size: usize| {
        let mut scanner = FrameScanner::default();
        output.as_bytes().chunks(size).for_each(|piece| scanner.push(piece));
        scanner.finish("a.b")
    };
    let whole = read(output.len().max(1));
    for size in [1, 7, MARKER.len()] {
        assert_eq!(read(size), whole, "in pieces of {size}");
    }
    whole
}

fn framed(json: &str) -> String {
    format!("{MARKER}\n{json}\n")
}

#[test]
fn a_frame_is_read_wherever_the_output_is_cut() {
    for output in [
        framed(GOOD),
        format!("progress\n\n{MARKER}\r\n{GOOD}\r\n\n  \n"),
        format!("{MARKER}\n\n{GOOD}"),
        format!("see {MARKER}\n{MARKER} \n{GOOD}"),
    ] {
        let frame = scan(&output).unwrap().unwrap();
        assert_eq!(frame.status, SkillStatus::Success);
        assert_eq!(frame.object["skillId"], "a.b");
        let checkpoints = checkpoints(Some(&Value::from(frame.object)));
        assert_eq!(checkpoints.len(), 2);
        assert_eq!(checkpoints[0].note.as_deref(), Some("n"));
        assert_eq!(checkpoints[1].status, CheckpointStatus::Skipped);
    }
}

#[test]
fn an_output_without_a_frame_has_none() {
    for output in ["", "\n", "ok\n", "[Clawperator-Skill-Resul", "x[Clawperator-Skill-Result]\n{}\n"] {
        assert_eq!(scan(output), Ok(None), "{output}");
    }
}

#[test]
fn every_broken_frame_is_named_with_its_line() {
    let twice = format!("a\n{}{}", framed(GOOD), framed(GOOD));
    let long = framed(&format!("\"{}\"", "x".repeat(MAX_FRAME)));
    for (output, expected) in [
        (format!("a\n{MARKER}\n"), FrameError::NoJson { line: 2 }),
        (MARKER.to_owned(), FrameError::NoJson { line: 1 }),
        (twice, FrameError::Second { first: 2, second: 4 }),
        (format!("{MARKER}\n{MARKER}\n{GOOD}\n"), FrameError::Second { first: 1, second: 2 }),
        (format!("{}done\n", framed(GOOD)), FrameError::NotLast { line: 3 }),
    ] {
        assert_eq!(scan(&output), Err(expected));
    }
    let mut scanner = FrameScanner::default();
    scanner.push(long.as_bytes());
    assert_eq!(scanner.finish("a.b"), Err(FrameError::TooLong { line: 2 }));
    // Half a frame.
    let half = framed(&GOOD[..40]);
    assert!(matches!(scan(half.trim_end()), Err(FrameError::NotJson { line: 2, .. })));
}

#[test]
fn every_rule_of_a_frame_is_checked() {
    let with = |key: &str, value: &str| {
        let mut object: Map<String, Value> = serde_json::from_str(GOOD).unwrap();
        match value {
            "" => object.remove(key),
            value => object.insert(key.to_owned(), serde_json::from_str(value).unwrap()),
        };
        scan(&framed(&Value::from(object).to_string()))
    };
    for (key, value) in [
        ("contractVersion", "\"1.7.2\""),
        ("status", "\"failed\""),
        ("status", "\"indeterminate\""),
        ("checkpoints", ""),
        ("checkpoints", "[]"),
        ("goal", "{\"kind\":\"x\"}"),
        ("terminalVerification", "null"),
        ("terminalVerification", "{\"status\":\"not_run\"}"),
        ("execEnvelopes", "[{}]"),
        ("diagnostics", "{}"),
        ("result", "{\"kind\":\"text\",\"text\":\"40%\"}"),
        ("future", "1"),
    ] {
        assert!(matches!(with(key, value), Ok(Some(_))), "{key}: {value}");
    }
    for (key, value, said) in [
        ("contractVersion", "", "contractVersion must be"),
        ("contractVersion", "1", "contractVersion must be"),
        ("contractVersion", "\"1.0\"", "not \"1.0\""),
        ("contractVersion", "\"2.0.0\"", "only 1.x.x is understood"),
        ("skillId", "\"c.d\"", "the skill that ran is \"a.b\""),
        ("skillId", "", "skillId must be"),
        ("source", "{\"kind\":\"script\"}", "clawperator adds it"),
        ("source", "null", "clawperator adds it"),
        ("status", "\"done\"", "status must be success"),
        ("status", "", "status must be success"),
        ("checkpoints", "{}", "checkpoints must be an array"),
        ("checkpoints", "[{\"status\":\"ok\"}]", "checkpoints.0.id"),
        ("checkpoints", "[{\"id\":\"x\",\"status\":\"done\"}]", "checkpoints.0.status"),
        ("goal", "1", "goal must be an object"),
        ("inputs", "[]", "inputs must be an object"),
        ("terminalVerification", "{\"status\":\"ok\"}", "terminalVerification.status"),
        ("terminalVerification", "1", "terminalVerification must be an object"),
        ("execEnvelopes", "{}", "execEnvelopes must be an array"),
        ("diagnostics", "[]", "diagnostics must be an object"),
    ] {
        let error = with(key, value).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("line 2"), "{key}: {error}");
    }
    let all = scan(&framed("{\"source\":1}")).unwrap_err();
    assert!(matches!(all, FrameError::Invalid { problems, .. } if problems.len() == 4));
    assert!(scan(&framed("[]")).unwrap_err().to_string().contains("object"));
}
