//! What becomes of a tool call, and how tools are described.

use clawperator_agent::action::{AgentAction, UiTemplate};
use clawperator_agent::tool::{Format, TOOLS, normalize, normalize_object, tools};
use serde_json::{Value, json};

const VECTORS: &str = include_str!("../vectors/agent_actions.jsonl");

fn action_of(tool: &str, args: Value) -> Value {
    serde_json::to_value(normalize(tool, &args).action).unwrap()
}

fn repairs_of(tool: &str, args: Value) -> Vec<String> {
    normalize(tool, &args).repairs
}

#[test]
fn every_vector_gives_its_action() {
    let mut wrong = Vec::new();
    for line in VECTORS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let normalized = match case["tool"].as_str() {
            Some(tool) => normalize(tool, &case["args"]),
            None => normalize_object(&case["args"]),
        };
        // The bytes, too: 0 is not written as 0.0.
        let action = serde_json::to_string(&normalized.action).unwrap();
        if serde_json::from_str::<Value>(&action).unwrap() != case["expect"] {
            wrong.push(format!("{}: {action}", case["name"]));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The table of defaults, as the contract has it, with the fields it says nothing
/// of (a path is an empty text).
#[test]
fn every_row_of_the_defaults_holds() {
    let rows = [
        ("tap", json!({"x": 0, "y": 0})),
        ("swipe", json!({"x1": 0, "y1": 0, "x2": 0, "y2": 0, "durationMs": 300})),
        ("drag", json!({"x1": 0, "y1": 0, "x2": 0, "y2": 0, "durationMs": 360})),
        ("long_press_drag", json!({"x1": 0, "y1": 0, "x2": 0, "y2": 0, "holdMs": 450, "durationMs": 300})),
        ("type_text", json!({"text": ""})),
        ("keyevent", json!({"keycode": "KEYCODE_ENTER"})),
        ("launch_app", json!({"packageName": ""})),
        ("shell", json!({"command": ""})),
        ("run_script", json!({"script": "", "timeoutSec": 60})),
        ("read", json!({"path": "", "from": 1, "lines": 200})),
        ("write", json!({"path": "", "content": "", "append": false})),
        ("edit", json!({"path": "", "find": "", "replace": "", "replaceAll": false})),
        ("apply_patch", json!({"input": ""})),
        ("exec", json!({"command": "", "yieldMs": 0, "background": false, "timeoutSec": 1800})),
        ("process", json!({"action": "list", "offset": 0, "limit": 200, "timeoutMs": 0})),
        ("memory_search", json!({"query": "", "maxResults": 6, "minScore": 0.2})),
        ("memory_get", json!({"path": "", "from": 1, "lines": 120})),
        (
            "request_human_auth",
            json!({
                "capability": "unknown",
                "instruction": "Human authorization is required to continue.",
                "timeoutSec": 300,
            }),
        ),
        ("wait", json!({"durationMs": 1000})),
        ("finish", json!({"message": "Task finished."})),
        ("set_clipboard", json!({"text": ""})),
    ];
    let names: Vec<&str> = rows.iter().map(|(tool, _)| *tool).collect();
    assert_eq!(names, TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>());
    for (tool, mut expected) in rows {
        let kind = if tool == "type_text" { "type" } else { tool };
        expected["type"] = json!(kind);
        assert_eq!(action_of(tool, json!({})), expected);
        // What is no object has no arguments.
        assert_eq!(action_of(tool, Value::Null), expected);
        assert_eq!(normalize_object(&json!({"type": kind})), normalize(tool, &json!({})));
        // It can be read again: sessions are replayed from it.
        let again: AgentAction = serde_json::from_value(expected.clone()).unwrap();
        assert_eq!((again.kind(), serde_json::to_value(again).unwrap()), (kind, expected));
    }
}

#[test]
fn an_unknown_tool_waits_a_second() {
    for (tool, args) in [("fly", json!({"x": 1})), ("", json!({})), ("Tap", json!({"x": 1, "y": 2}))] {
        assert_eq!(action_of(tool, args.clone()), json!({"type": "wait", "durationMs": 1000}), "{tool}");
        assert_eq!(repairs_of(tool, args), ["tool"]);
    }
}

#[test]
fn hole_07_an_argument_called_type_is_ignored() {
    let args = json!({"type": "shell", "command": "rm -rf /sdcard", "x": 1, "y": 2});
    assert_eq!(action_of("tap", args.clone()), json!({"type": "tap", "x": 1, "y": 2}));
    assert_eq!(repairs_of("tap", args), ["type", "command"]);
}

#[test]
fn numbers_follow_ecmascript() {
    let cases = [
        (json!(null), 0.0),
        (json!(true), 1.0),
        (json!(""), 0.0),
        (json!(" \u{feff}\n"), 0.0),
        (json!([]), 0.0),
        (json!([5]), 5.0),
        (json!([[" 7 "]]), 7.0),
        (json!([null]), 0.0),
        (json!("0x10"), 16.0),
        (json!("0b101"), 5.0),
        (json!("0O17"), 15.0),
        (json!("1e3"), 1000.0),
        (json!(" 12 "), 12.0),
        (json!("+.5"), 0.5),
        (json!("5."), 5.0),
        (json!(-0.0), 0.0),
    ];
    for (sent, expected) in cases {
        assert_eq!(
            action_of("wait", json!({"durationMs": sent}))["durationMs"].as_f64(),
            Some(expected),
            "{sent}"
        );
    }
    let defaults = [
        "NaN", "nan", "inf", "Infinity", "12px", "1,000", "-0x10", "0x", "0b2", "1_000", "1e", "--1", "e5",
        ".",
    ];
    for sent in defaults.map(Value::from).into_iter().chain([json!({}), json!([1, 2]), json!([true])]) {
        assert_eq!(action_of("wait", json!({"durationMs": sent}))["durationMs"], 1000, "{sent}");
    }
}

#[test]
fn texts_flags_and_words_follow_ecmascript() {
    let texts = [
        (json!(5), "5"),
        (json!(1e21), "1e+21"),
        (json!(0.1), "0.1"),
        (json!(false), "false"),
        (json!([1, null, ["a", {}]]), "1,,a,[object Object]"),
        (json!({}), "[object Object]"),
    ];
    for (sent, expected) in texts {
        assert_eq!(action_of("type_text", json!({"text": sent}))["text"], expected);
        assert_eq!(repairs_of("type_text", json!({"text": sent})), ["text"]);
    }
    for (sent, expected) in [(json!("false"), true), (json!([]), true), (json!(0), false), (json!(""), false)]
    {
        let args = json!({"path": "a", "content": "b", "append": sent});
        assert_eq!(action_of("write", args)["append"], expected, "{sent}");
    }
    let args = json!({"command": "ls", "workdir": "", "reason": 7});
    let expected = json!({"type": "exec", "command": "ls", "yieldMs": 0, "background": false, "timeoutSec": 1800, "reason": "7"});
    assert_eq!(action_of("exec", args), expected);
}

#[test]
fn a_point_as_a_pair_is_a_point() {
    let tap = |x: f64, y: f64| json!({"type": "tap", "x": x as i64, "y": y as i64});
    let cases = [
        (json!({"coordinate": [3, "4"]}), tap(3.0, 4.0)),
        (json!({"position": [3, 4, 5]}), tap(3.0, 4.0)),
        (json!({"x": "a", "y": 9, "coordinate": [3, 4]}), tap(3.0, 4.0)),
        (json!({"coordinate": [3], "position": [5, 6]}), tap(0.0, 0.0)),
        (json!({"x": null, "y": 2, "coordinate": [3, 4]}), tap(0.0, 2.0)),
    ];
    for (args, expected) in cases {
        assert_eq!(action_of("tap", args.clone()), expected, "{args}");
    }
    assert_eq!(repairs_of("tap", json!({"coordinate": [3, 4]})), ["x", "y"]);
}

#[test]
fn repairs_name_what_was_missing_wrong_or_of_no_use() {
    let cases = [
        ("tap", json!({}), vec!["x", "y"]),
        ("tap", json!({"x": 1.5, "y": 2, "thought": "t", "reason": "r"}), vec![]),
        ("tap", json!({"x": "1", "y": null, "durationMs": 5}), vec!["x", "y", "durationMs"]),
        ("swipe", json!({"x1": 1, "y1": 1, "x2": 1, "y2": 1}), vec![]),
        ("swipe", json!({"x1": 1, "y1": 1, "x2": 1, "y2": 1, "durationMs": null}), vec!["durationMs"]),
        ("wait", json!({}), vec![]),
        ("write", json!({"path": "a", "content": null, "append": null}), vec!["content"]),
        ("exec", json!({"command": "ls", "workdir": null, "reason": ""}), vec![]),
        ("process", json!({"action": " KILL ", "sessionId": "s"}), vec!["action"]),
        ("process", json!({"action": "kill", "sessionId": 5}), vec!["sessionId"]),
        ("finish", json!({"message": "", "reason": "r"}), vec!["reason"]),
        ("request_human_auth", json!({"capability": "sms", "reason": "r"}), vec!["instruction"]),
        (
            "request_human_auth",
            json!({"capability": "2fa", "instruction": "i", "uiTemplate": []}),
            vec!["uiTemplate"],
        ),
        (
            "request_human_auth",
            json!({"capability": "2fa", "instruction": "i", "templatePath": " t "}),
            vec!["templatePath"],
        ),
    ];
    for (tool, args, expected) in cases {
        let normalized = normalize(tool, &args);
        assert_eq!(normalized.repairs, expected, "{tool} {args}");
        assert_eq!(normalized.strict(tool).is_ok(), expected.is_empty(), "{tool} {args}");
    }
}

#[test]
fn a_strict_call_is_refused_with_its_fields() {
    let error = normalize("tap", &json!({"x": "1"})).strict("tap").unwrap_err();
    assert_eq!(error.message, "The call of tap is not as its schema says: x, y.");
}

#[test]
fn every_format_describes_every_tool() {
    for (format, name, schema) in [
        (Format::OpenAi, "/function/name", "/function/parameters"),
        (Format::Anthropic, "/name", "/input_schema"),
        (Format::Mcp, "/name", "/inputSchema"),
    ] {
        let described = tools(format);
        assert_eq!(described.len(), TOOLS.len());
        for (tool, described) in TOOLS.iter().zip(&described) {
            assert_eq!(described.pointer(name).unwrap(), tool.name);
            let schema = described.pointer(schema).unwrap();
            assert_eq!(schema["properties"]["thought"]["type"], "string");
            assert!(
                schema["required"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|key| schema["properties"][key.as_str().unwrap()].is_object())
            );
        }
    }
    let keyevent = TOOLS.iter().find(|tool| tool.name == "keyevent").unwrap().schema();
    assert_eq!(keyevent["required"], json!(["keycode"]));
}

#[test]
fn a_template_is_read_key_by_key() {
    let sent = json!({"title": "T", "evil": 1, "fields": "nope", "allowTextAttachment": true, "style": {"brandColor": "red"}, "summary": null});
    let (template, left_out) = UiTemplate::read(sent.as_object().unwrap());
    assert_eq!(left_out, ["evil", "fields"]);
    let expected = json!({"title": "T", "allowTextAttachment": true, "style": {"brandColor": "red"}});
    assert_eq!(template, serde_json::from_value(expected).unwrap());
}
