//! The format: the contract's cases, and what this program adds.

use clawperator_contract::Failure;
use clawperator_recording::{
    Click, ClickLength, Header, Maker, PressKey, RecordedAct, RecordedEvent, Scroll, StepLog, TextChange,
    TextOmission, WindowChange, event_line, header_line, read,
};
use serde_json::{Value, json};

/// What `record parse` answers, as far as the cases say.
fn answer(input: &str) -> Value {
    match read(input) {
        Ok(recording) => json!({"ok": true, "stepCount": StepLog::from(&recording).steps.len()}),
        Err(error) => json!({"code": Failure::from(error).code}),
    }
}

#[test]
fn the_contract_s_cases_hold() {
    for line in include_str!("../vectors/recording.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let answer = answer(case["input"].as_str().unwrap());
        let exit = i64::from(answer.get("code").is_some());
        assert_eq!(case["exit"], exit, "{}", case["name"]);
        assert_eq!(answer, case["expect"], "{}", case["name"]);
    }
}

const HEADER: &str =
    r#"{"type":"recording_header","schemaVersion":1,"sessionId":"s","startedAt":1,"operatorPackage":"p"}"#;
const HOST: &str = r#"{"type":"recording_header","schemaVersion":1,"sessionId":"s","startedAt":1,"operatorPackage":"p","recorder":"host"}"#;

/// The code, the line and the warnings of a recording with these lines.
fn outcome(header: &str, lines: &str) -> String {
    match read(&format!("{header}\n{lines}")) {
        Ok(recording) => {
            let log = StepLog::from(&recording);
            format!("{} steps, {} warnings", log.steps.len(), log.warnings.len())
        }
        Err(error) => {
            let failure = Failure::from(error);
            let line = failure.details.and_then(|details| details.line);
            format!("{} {}", failure.code, line.unwrap_or(0))
        }
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    const CLICK: &str = r#""ts":1,"seq":1,"type":"click","packageName":"a","resourceId":null,"text":null,"contentDesc":null,"snapshot":"<h/>""#;
    let with = |rest: &str| format!("{{{CLICK},{rest}}}");
    let good = with(r#""bounds":{"left":0,"top":0,"right":1.5,"bottom":1}"#);
    for (lines, expected) in [
        (String::new(), "0 steps, 0 warnings"),
        (good.clone(), "1 steps, 0 warnings"),
        (format!("\r\n  {good}  \r\n\n{good}"), "2 steps, 0 warnings"),
        (with(r#""bounds":[0,0,1,1]"#), "RECORDING_PARSE_FAILED 2"),
        (
            with(r#""bounds":{"left":0,"top":0,"right":1}"#),
            "RECORDING_PARSE_FAILED 2",
        ),
        (
            with(r#""bounds":{"left":"0","top":0,"right":1,"bottom":1}"#),
            "RECORDING_PARSE_FAILED 2",
        ),
        (good.replace(r#""text":null"#, r#""text":5"#), "RECORDING_PARSE_FAILED 2"),
        (good.replace(r#""text":null,"#, ""), "RECORDING_PARSE_FAILED 2"),
        (good.replace(r#""seq":1"#, r#""seq":"1""#), "RECORDING_PARSE_FAILED 2"),
        (good.replace(r#""type":"click""#, r#""type":"swipe""#), "RECORDING_PARSE_FAILED 2"),
        (format!("{good}\n\n{{bad\n{good}"), "RECORDING_PARSE_FAILED 3"),
        (format!("{good}\n{{bad"), "RECORDING_PARSE_FAILED 3"),
        (format!("{good}\n\nnull"), "UNKNOWN 3"),
        ("5".to_owned(), "RECORDING_PARSE_FAILED 2"),
        ("[]".to_owned(), "RECORDING_PARSE_FAILED 2"),
        (
            r#"{"ts":1,"seq":1,"type":"press_key","key":"home","snapshot":null}"#.to_owned(),
            "RECORDING_PARSE_FAILED 2",
        ),
        (
            r#"{"ts":1,"seq":1,"type":"press_key"}"#.to_owned(),
            "RECORDING_PARSE_FAILED 2",
        ),
        (good.replace(r#""snapshot":"<h/>""#, r#""snapshot":null"#), "1 steps, 1 warnings"),
        (
            r#"{"ts":1,"seq":1,"type":"scroll","packageName":"a","resourceId":null,"scrollX":0,"scrollY":0,"maxScrollX":0,"maxScrollY":0}"#.to_owned(),
            "0 steps, 1 warnings",
        ),
    ] {
        assert_eq!(outcome(HEADER, &lines), expected, "{lines}");
    }
}

#[test]
fn a_cut_last_line_of_ours_is_left_out_with_a_warning() {
    let whole = r#"{"ts":1,"seq":1,"type":"press_key","key":"recents","snapshot":null}"#;
    assert_eq!(outcome(HOST, &format!("{whole}\n{{\"ts\":2,\"se")), "0 steps, 1 warnings");
    // With its end, it is no cut but a fault.
    assert_eq!(outcome(HOST, &format!("{whole}\n{{\"ts\":2,\"se\n")), "RECORDING_PARSE_FAILED 3");
    assert_eq!(outcome(HOST, whole), "0 steps, 0 warnings");
}

fn number(value: f64) -> clawperator_contract::Number {
    clawperator_contract::Number::new(value).unwrap()
}

fn every_event() -> Vec<RecordedEvent> {
    let bounds = clawperator_ui::Bounds::parse("[0,1][2,3]").unwrap();
    let acts = [
        RecordedAct::WindowChange(WindowChange {
            package: "a".into(),
            class_name: Some("a.B".into()),
            title: None,
            closing: true,
        }),
        RecordedAct::Click(Click {
            package: "a".into(),
            resource_id: Some("a:id/x".into()),
            text: Some("T \" ü\n".into()),
            content_desc: None,
            bounds: bounds.into(),
            press: ClickLength::Long,
            at: Some(clawperator_ui::Point::new(1, 2)),
        }),
        RecordedAct::Scroll(Scroll {
            package: "a".into(),
            resource_id: None,
            scroll_x: number(0.0),
            scroll_y: number(1.5),
            max_scroll_x: number(0.0),
            max_scroll_y: number(2.0),
            direction: Some(clawperator_contract::Direction::Up),
            container: Some(bounds),
            travel: Some(number(0.25)),
        }),
        RecordedAct::TextChange(TextChange {
            package: "a".into(),
            resource_id: None,
            text: String::new(),
            field: Some(bounds),
            untold: Some(TextOmission::Password),
            submitted: true,
            untyped: true,
        }),
        RecordedAct::PressKey(PressKey { key: None, inferred: true }),
    ];
    let events = acts.into_iter().enumerate();
    events
        .map(|(seq, act)| RecordedEvent {
            ts: number(1.0),
            seq: number(seq as f64),
            snapshot: (seq < 2).then(|| "<h/>".to_owned()),
            stale: seq == 1,
            restless: vec!["a:id/b".to_owned(); seq % 2],
            act,
        })
        .collect()
}

#[test]
fn what_is_written_is_read_again() {
    let header = Header {
        session_id: "s".into(),
        started_at: number(5.0),
        operator_package: "p".into(),
        maker: Maker::Host,
        launcher: Some("home".into()),
    };
    let events = every_event();
    let mut file = header_line(&header);
    file.extend(events.iter().map(event_line));
    let recording = read(&file).unwrap();
    assert_eq!((recording.header, recording.events), (header, events));
    assert_eq!(file.lines().count(), 6);
}

#[test]
fn a_password_is_never_written() {
    let event = RecordedEvent {
        ts: number(0.0),
        seq: number(0.0),
        snapshot: None,
        stale: false,
        restless: Vec::new(),
        act: RecordedAct::TextChange(TextChange {
            text: "hunter2".into(),
            untold: Some(TextOmission::Password),
            ..TextChange::default()
        }),
    };
    assert!(!event_line(&event).contains("hunter2"));
    let mut tree = clawperator_ui::Tree::new(0);
    tree.push(
        0,
        clawperator_ui::Node {
            text: "hunter2".into(),
            flags: clawperator_ui::Flags::default().with(clawperator_ui::Flag::Password, true),
            ..clawperator_ui::Node::default()
        },
    );
    assert!(!clawperator_recording::snapshot(&tree).contains("hunter2"));
}

#[test]
fn the_summary_is_a_line_a_step() {
    let recording = read(&format!(
        "{HEADER}\n{}\n{}",
        r#"{"ts":0,"seq":0,"type":"window_change","packageName":"com.a","snapshot":"x"}"#,
        r#"{"ts":1,"seq":12,"type":"click","packageName":"com.a","resourceId":"r","text":"T\n","contentDesc":null,"bounds":{"left":0,"top":0,"right":1,"bottom":1}}"#
    ));
    let log = StepLog::from(&recording.unwrap());
    let lines: Vec<_> = log.steps.iter().map(clawperator_recording::LoggedStep::summary).collect();
    assert_eq!(lines, ["[0] open_app   com.a", r#"[12] click      text="T\n" resourceId=r"#]);
}
