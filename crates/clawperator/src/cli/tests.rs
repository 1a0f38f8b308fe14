//! The command line's tests: whole command lines in, answers out, in process.

mod lines;

use super::command::{self, Run};
use super::flag::{self, Takes};
use super::{Answer, Colour, Terminal, World, run};
use clawperator_contract::{CATALOGUE, Direction, Key};
use serde_json::{Value, json};
use std::io::{Cursor, Read};
use std::path::Path;

/// A world where nothing changes.
fn world(stdin: impl Read + 'static) -> World {
    let home = std::env::temp_dir().join(format!("clawperator-no-home-{}", std::process::id()));
    // No adb, no server at a port that only root could listen on, and a home
    // that is nobody's.
    let phones = super::Phones::from_environment(|name| match name {
        "HOME" => Some(home.display().to_string()),
        "ADB_PATH" => Some("/nowhere/adb".to_owned()),
        "ANDROID_ADB_SERVER_PORT" => Some("1".to_owned()),
        _ => None,
    });
    World {
        now_ms: 1_700_000_000_000,
        random: 42,
        colour: Colour::Never,
        stdin: Box::new(stdin),
        secret: || Ok(7),
        say: Box::new(|_| Ok(())),
        note: Box::new(|_| ()),
        terminal: Terminal::Wide(80),
        // A log has no place in a folder that is not said in full.
        log: super::Log::from_environment(|_| None, Path::new(""), 0),
        phones,
        // No test of this file starts a phone, so this folder stays empty.
        sim_folder: std::env::temp_dir().join(format!("clawperator-sim-none-{}", std::process::id())),
        program: || Err(std::io::ErrorKind::NotFound.into()),
    }
}

/// Runs a command line in a world where nothing changes.
fn answer_to(args: &[&str], stdin: &[u8]) -> Answer {
    let mut world = world(Cursor::new(stdin.to_vec()));
    let args = std::iter::once("clawperator").chain(args.iter().copied());
    run(args.map(Into::into), &mut world)
}

/// Runs a command line and reads the JSON it prints.
fn json_of(args: &[&str]) -> (Value, u8) {
    let answer = answer_to(args, b"");
    let json =
        serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{args:?} printed {}", answer.text));
    (json, answer.exit_code)
}

#[test]
fn these_tests_leave_nothing_in_a_home() {
    let mut world = world(std::io::empty());
    let refused = run(["clawperator", "clik"].map(Into::into), &mut world);
    assert_eq!(refused.exit_code, 1);
    assert_eq!(world.log.today(), None);
    for place in [&world.phones.state, &world.phones.key_file] {
        assert!(place.starts_with(std::env::temp_dir()), "{}", place.display());
        assert!(!place.exists(), "{}", place.display());
    }
}

#[test]
fn every_case_of_the_flat_commands_holds() {
    let mut count = 0;
    let mut faults = Vec::new();
    for line in include_str!("tests/vectors.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let mut args: Vec<_> = case["argv"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        args.push("--validate-only");
        let (answer, exit) = json_of(&args);
        count += 1;
        let expect = case["expect"].as_object().unwrap();
        let shown = |key: &str| answer.get(key).or(answer["execution"].get(key));
        let mut fine = case["exit"] == exit && expect.iter().all(|(key, value)| shown(key) == Some(value));
        fine &= exit == 1 || answer["execution"].get("mode") == expect.get("mode");
        if !fine {
            faults.push(format!("{}: {answer}", case["name"]));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {count}:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert_eq!(count, 97);
}

const PAYLOAD: &str = r#"{"command_id":"cmd-001","task_id":"task-001","source":"docs","expected_format":"android-ui-automator","timeout_ms":30000,"actions":[{"id":"snap-1","type":"snapshot"}]}"#;

/// Splits a line as a shell would, for examples with quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    assert_eq!(quote, None, "{line}");
    words.retain(|word| !word.is_empty());
    words
}

/// Runs a documented line with more flags at its end, as a reader would try it.
fn run_line(line: &str, flags: &[&str]) -> Answer {
    let words = words(line);
    assert_eq!(words[0], "clawperator");
    let words = words[1..].iter().take_while(|word| *word != ">");
    let args: Vec<&str> = words.map(String::as_str).chain(flags.iter().copied()).collect();
    answer_to(&args, b"")
}

#[test]
fn the_command_lines_of_the_contract_documents_build_what_they_say() {
    let cases = [
        (
            r#"clawperator wait --text "Done" --role button"#,
            json!({"matcher": {"textEquals": "Done", "role": "button"}}),
        ),
        (
            r#"clawperator read --text "Price" --container-id "android:id/list" --json"#,
            json!({"matcher": {"textEquals": "Price"}, "container": {"resourceId": "android:id/list"}}),
        ),
        (
            r#"clawperator type "hello world" --role textfield"#,
            json!({"matcher": {"role": "textfield"}, "text": "hello world", "submit": false, "clear": false}),
        ),
        (
            r#"clawperator scroll-until --text "About phone" --container-id "android:id/list""#,
            json!({"matcher": {"textEquals": "About phone"}, "container": {"resourceId": "android:id/list"},
                "direction": "down"}),
        ),
        (
            r#"clawperator click --text "Wi-Fi""#,
            json!({"matcher": {"textEquals": "Wi-Fi"}}),
        ),
        (
            r#"clawperator read --selector '{"resourceId":"android:id/title"}' --json"#,
            json!({"matcher": {"resourceId": "android:id/title"}}),
        ),
        (
            r#"clawperator wait --text-contains "Done" --timeout 10000 --json"#,
            json!({"matcher": {"textContains": "Done"}, "timeoutMs": 10000}),
        ),
        (
            r#"clawperator read-value --label "Battery" --json"#,
            json!({"labelMatcher": {"textEquals": "Battery"}}),
        ),
    ];
    for (line, params) in cases {
        let answer: Value = serde_json::from_str(&run_line(line, &["--validate-only"]).text).unwrap();
        assert_eq!(
            answer["execution"]["actions"][0]["params"], params,
            "{line}: {answer}"
        );
    }
    let snapshot: Value =
        serde_json::from_str(&run_line("clawperator snapshot --json --device S1", &["--validate-only"]).text)
            .unwrap();
    assert_eq!(
        snapshot["execution"]["actions"],
        json!([{"id": "snap", "type": "snapshot_ui"}])
    );
    assert_eq!(
        snapshot["execution"]["commandId"],
        "snapshot-1700000000000-6100000"
    );
}

#[test]
fn mixing_a_raw_selector_with_flags_is_refused_in_the_documented_words() {
    let line = r#"clawperator read --text "Price" --selector '{"textEquals":"Price"}'"#;
    let answer = run_line(line, &["--validate-only"]);
    let answer_json: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(answer.exit_code, 1);
    assert_eq!(answer_json["code"], "EXECUTION_VALIDATION_FAILED");
    assert_eq!(
        answer_json["message"],
        "use --selector OR the simple flags, not both"
    );
}

#[test]
fn exec_prints_the_documented_wrappers() {
    let execution = json!({"commandId": "cmd-001", "taskId": "task-001", "source": "docs",
        "expectedFormat": "android-ui-automator", "timeoutMs": 30000,
        "actions": [{"id": "snap-1", "type": "snapshot_ui"}]});
    for flag in ["--validate-only", "--validate"] {
        let (answer, exit) = json_of(&["exec", flag, "--payload", PAYLOAD, "--json"]);
        assert_eq!(
            (answer, exit),
            (json!({"ok": true, "validated": true, "execution": execution}), 0)
        );
    }
    let (answer, exit) = json_of(&["exec", "--dry-run", "--validate-only", PAYLOAD]);
    let plan = json!({"commandId": "cmd-001", "timeoutMs": 30000, "actionCount": 1,
        "actions": [{"id": "snap-1", "type": "snapshot_ui"}]});
    assert_eq!(
        (answer, exit),
        (json!({"ok": true, "dryRun": true, "plan": plan}), 0)
    );
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
            assert_eq!(
                (answer.text, answer.exit_code),
                (wanted.clone(), 0),
                "{flag} {value}"
            );
        }
    }
    let bom = answer_to(
        &["exec", "--validate-only", "-"],
        format!("\u{feff}{PAYLOAD}\n").as_bytes(),
    );
    assert_eq!(bom.text, wanted);
    std::fs::remove_file(&file).unwrap();
    for (args, code) in [
        (vec!["exec"], "MISSING_ARGUMENT"),
        (vec!["exec", "--payload"], "MISSING_ARGUMENT"),
        (vec!["exec", "--payload", ""], "MISSING_ARGUMENT"),
        (
            vec!["exec", PAYLOAD, "--payload", PAYLOAD],
            "EXECUTION_VALIDATION_FAILED",
        ),
        (
            vec!["exec", "--file", PAYLOAD, "--input", PAYLOAD],
            "EXECUTION_VALIDATION_FAILED",
        ),
        (
            vec!["exec", "/nowhere/at/all.json"],
            "EXECUTION_VALIDATION_FAILED",
        ),
        (vec!["exec", "/"], "EXECUTION_VALIDATION_FAILED"),
        (vec!["exec", "[]"], "EXECUTION_VALIDATION_FAILED"),
    ] {
        let (answer, exit) = json_of(&args);
        assert_eq!(
            (answer["code"].as_str(), exit),
            (Some(code), 1),
            "{args:?}: {answer}"
        );
    }
}

#[test]
fn bad_bytes_get_a_clear_error() {
    let code_of = |bytes: &[u8]| {
        let answer = answer_to(&["exec", "--validate-only", "-"], bytes);
        let json: Value = serde_json::from_str(&answer.text).unwrap();
        assert_eq!(answer.exit_code, 1);
        (
            json["code"].as_str().unwrap().to_owned(),
            json["message"].as_str().unwrap().to_owned(),
        )
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
fn a_timeout_flag_replaces_the_payload_s() {
    let (answer, _) = json_of(&["exec", "--validate-only", PAYLOAD, "--timeout", "5000"]);
    assert_eq!(answer["execution"]["timeoutMs"], 5000);
    for bad in ["999", "120001", "x", "Infinity", "-5"] {
        let (answer, exit) = json_of(&["exec", "--validate-only", PAYLOAD, "--timeout", bad]);
        assert_eq!(
            (answer["code"].as_str(), exit),
            (Some("EXECUTION_VALIDATION_FAILED"), 1),
            "{bad}"
        );
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

#[test]
fn values_may_start_with_a_dash_but_are_never_a_flag() {
    let text_of = |args: &[&str]| {
        let mut args = args.to_vec();
        args.insert(1, "--validate-only");
        json_of(&args).0["execution"]["actions"][0]["params"].clone()
    };
    assert_eq!(
        text_of(&["click", "--text", "-18°C"])["matcher"]["textEquals"],
        "-18°C"
    );
    assert_eq!(
        text_of(&["click", "--text=--json"])["matcher"]["textEquals"],
        "--json"
    );
    assert_eq!(
        text_of(&["click", "--text", "--not-a-flag"])["matcher"]["textEquals"],
        "--not-a-flag"
    );
    assert_eq!(
        text_of(&["type", "--id", "x", "--", "--clear"])["text"],
        "--clear"
    );
    let (answer, _) = json_of(&["click", "--text", "--id", "x"]);
    assert_eq!(answer["message"], "--text requires a value");
    for args in [
        &["open", "-hfoo", "--nope"][..],
        &["sleep", "-h5"],
        &["back", "-x"],
        &["click", "--coordinate", "-1", "-2"],
    ] {
        assert_eq!(json_of(args).1, 1, "{args:?}");
    }
}

#[test]
fn mistakes_get_a_suggestion() {
    for (args, code, suggestion) in [
        (&["clik"][..], "UNKNOWN_COMMAND", "click"),
        (&["screen-shot"], "UNKNOWN_COMMAND", "screenshot"),
        (&["click", "--txt", "x"], "USAGE", "--text"),
        (&["schema", "executions"], "USAGE", "execution"),
        (&["sim", "strt"], "UNKNOWN_COMMAND", "sim start"),
        (&["sim", "--json", "screeen"], "UNKNOWN_COMMAND", "sim screen"),
        (&["sim", "start", "--prt", "5"], "USAGE", "--port"),
        (&["sim", "start", "--latency", "pixel-lik"], "USAGE", "pixel-like"),
        (&["sim", "start", "--fault", "rebot@5%"], "USAGE", "reboot"),
        (&["man", "sim", "starts"], "USAGE", "start"),
    ] {
        let (answer, exit) = json_of(args);
        assert_eq!((answer["code"].as_str(), exit), (Some(code), 1), "{args:?}");
        assert_eq!(answer["suggestion"], suggestion, "{args:?}");
    }
    let (answer, exit) = json_of(&["frobnicate"]);
    assert_eq!(
        (answer["code"].as_str(), answer.get("suggestion"), exit),
        (Some("UNKNOWN_COMMAND"), None, 1)
    );
}

#[test]
fn pretty_output_is_the_same_json_for_people() {
    let compact = answer_to(&["back", "--validate-only"], b"");
    let pretty = answer_to(&["back", "--validate-only", "--output", "pretty"], b"");
    assert_eq!(compact.text.lines().count(), 1);
    assert!(pretty.text.lines().count() > 10);
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(read(&compact.text), read(&pretty.text));
    let usage = answer_to(&["--output=pretty", "clik"], b"");
    assert!(usage.text.lines().count() > 3, "{}", usage.text);
    assert_eq!(json_of(&["back", "--output", "xml"]).0["code"], "USAGE");
}

#[test]
fn the_right_code_for_what_is_missing_or_blank() {
    let invalid = "EXECUTION_VALIDATION_FAILED";
    for (args, code) in [
        (&["type", "--text"][..], "MISSING_ARGUMENT"),
        (&["snapshot", "--timeout", ""], "USAGE"),
        (&["snapshot", "--device", " "], "USAGE"),
        (&["wait-for-nav", "--app", ""], invalid),
        (&["wait-for-nav", "--app", "p"], "MISSING_ARGUMENT"),
        (&["wait-for-nav", "--timeout", "5"], "MISSING_ARGUMENT"),
        (&["read-value"], "MISSING_ARGUMENT"),
        (&["read-value", "--label", ""], "MISSING_ARGUMENT"),
        (&["read-value", "--label", "", "--label-id", "x"], invalid),
        (&["read-value", "--label", " "], invalid),
        (&["read-value", "--label", "x", "--all"], invalid),
        (&["press", " "], invalid),
        (&["press", "--key", " "], invalid),
        (&["press", ""], "MISSING_ARGUMENT"),
        (&["press", "--key", ""], "MISSING_ARGUMENT"),
        (&["open", " "], "MISSING_ARGUMENT"),
        (&["close", "--app", " "], "MISSING_ARGUMENT"),
        (&["scroll", "sideways"], "MISSING_ARGUMENT"),
        (&["scroll", " "], "MISSING_ARGUMENT"),
        (
            &["scroll-until", "--text", "x", "--direction", ""],
            "MISSING_ARGUMENT",
        ),
        (
            &["scroll-until", "--text", "x", "--direction", " "],
            "MISSING_ARGUMENT",
        ),
        (&["scroll-until", "", "--text", "x"], "MISSING_ARGUMENT"),
        (&["scroll-until", " ", "--text", "x"], "MISSING_ARGUMENT"),
        (&["scroll-and-click", "", "--text", "x"], "MISSING_ARGUMENT"),
        (
            &["scroll-and-click", "--text", "x", "--direction", " "],
            "MISSING_ARGUMENT",
        ),
        (&["scroll-until", "--text", "x", "--direction"], invalid),
        (&["wait", "--text", "x", "--timeout", "115001"], invalid),
        (&["sleep", "115001"], invalid),
        (&["screenshot", "--path", " "], invalid),
    ] {
        let mut args = args.to_vec();
        args.insert(1, "--validate-only");
        let (answer, exit) = json_of(&args);
        assert_eq!(
            (answer["code"].as_str(), exit),
            (Some(code), 1),
            "{args:?}: {answer}"
        );
    }
}

#[test]
fn what_is_wrong_is_said_in_one_order() {
    let selector = "MISSING_SELECTOR";
    let argument = "MISSING_ARGUMENT";
    let invalid = "EXECUTION_VALIDATION_FAILED";
    for (line, code) in [
        ("click --long --focus", selector),
        ("click --coordinate 1 2 --long --focus", invalid),
        ("click --coordinate 1 x", invalid),
        ("type", argument),
        ("type --id x", argument),
        ("type hi", selector),
        ("type --text", argument),
        ("type --id x --text", argument),
        ("read --all", selector),
        ("read-value --all", invalid),
        ("wait --timeout 0", invalid),
        ("wait", selector),
        ("wait-for-nav", argument),
        ("wait-for-nav --timeout 0", invalid),
        ("wait-for-nav --timeout 5", argument),
        ("sleep --timeout x", argument),
        ("scroll --timeout x", invalid),
        ("scroll up --direction down", invalid),
        ("scroll-until --timeout x", invalid),
        ("scroll-until sideways", selector),
        ("scroll-until up --direction down", selector),
        ("scroll-until sideways --selector {", argument),
        ("scroll-until up --direction down --text x", invalid),
        ("scroll-and-click sideways --selector {", argument),
        ("scroll-and-click --click", "USAGE"),
        ("open --timeout x", argument),
        ("press --timeout x", argument),
        ("close --timeout x", invalid),
    ] {
        let args: Vec<_> = line.split(' ').collect();
        assert_eq!(built(&args), code, "{line}");
    }
    for (args, word) in [
        (&["click", "--text", "", "--selector", "{"][..], "not both"),
        (&["click", "--text", "", "--coordinate", "1", "2"], "not both"),
        (&["click", "--text", "", "--long", "--focus"], "exclusive"),
        (&["read", "--text", "", "--all"], "blank"),
    ] {
        let message = json_of(args).0["message"].to_string();
        assert!(message.contains(word), "{args:?}: {message}");
    }
}

/// What a command line builds, or the code of its refusal.
fn built(args: &[&str]) -> Value {
    let mut args = args.to_vec();
    args.push("--validate-only");
    let (answer, exit) = json_of(&args);
    if exit == 0 {
        let action = &answer["execution"]["actions"][0];
        json!([action["type"], action["params"]])
    } else {
        answer["code"].clone()
    }
}

#[test]
fn spaces_alone_are_the_number_0() {
    let invalid = "EXECUTION_VALIDATION_FAILED";
    for (args, expected) in [
        (&["sleep", " "][..], json!(["sleep", {"durationMs": 0}])),
        (
            &["sleep", "10", "--timeout", " "],
            json!(["sleep", {"durationMs": 10}]),
        ),
        (&["sleep", ""], json!("MISSING_ARGUMENT")),
        (
            &["click", "--coordinate", " ", "2"],
            json!(["click", {"coordinate": {"x": 0, "y": 2}}]),
        ),
        (&["click", "--coordinate", "", "2"], json!(invalid)),
        (&["click", "--coordinate", "-0", "2"], json!(invalid)),
        // Too little for an execution, and nothing to wait for.
        (&["snapshot", "--timeout", " "], json!(invalid)),
        (&["wait", "--text", "x", "--timeout", " "], json!(invalid)),
    ] {
        assert_eq!(built(args), expected, "{args:?}");
    }
}

#[test]
fn a_snapshot_s_format_is_its_view_and_pretty_is_how_it_is_printed() {
    let view = |params: Value| json!(["snapshot_ui", params]);
    for (line, expected) in [
        ("snapshot", json!(["snapshot_ui", null])),
        ("snapshot --format compact", view(json!({"view": "compact"}))),
        ("snapshot --format=json", view(json!({"view": "json"}))),
        ("--format xml snapshot", view(json!({"view": "xml"}))),
        (
            "snapshot --view compact --output pretty",
            view(json!({"view": "compact"})),
        ),
        ("snapshot --output json", json!(["snapshot_ui", null])),
        ("snapshot --format pretty", json!(["snapshot_ui", null])),
        (
            "snapshot --budget 400 --diff",
            view(json!({"budget": 400, "diff": true})),
        ),
        ("snapshot --format yaml", json!("USAGE")),
        ("snapshot --output compact", json!("USAGE")),
        ("snapshot --view yaml", json!("EXECUTION_VALIDATION_FAILED")),
        ("snapshot --view xml --diff", json!("EXECUTION_VALIDATION_FAILED")),
        ("snapshot --budget many", json!("EXECUTION_VALIDATION_FAILED")),
        ("snapshot --budget 0", json!("EXECUTION_VALIDATION_FAILED")),
        // Elsewhere it is what it always was.
        ("click --text a --format compact", json!("USAGE")),
        (
            "click --text a --format json",
            json!(["click", {"matcher": {"textEquals": "a"}}]),
        ),
    ] {
        let args: Vec<_> = line.split(' ').collect();
        assert_eq!(built(&args), expected, "{line}");
    }
}

#[test]
fn refs_and_searches_are_built_from_flags() {
    let by_ref = json!({"ref": "@e7"});
    for (line, expected) in [
        ("click --ref @e7", json!(["click", {"matcher": by_ref}])),
        (
            "click --ref @e7 --role button",
            json!(["click", {"matcher": {"role": "button", "ref": "@e7"}}]),
        ),
        ("read --ref @e7", json!(["read_text", {"matcher": by_ref}])),
        (
            "type x --ref @e7",
            json!(["enter_text", {"matcher": by_ref, "text": "x", "submit": false, "clear": false}]),
        ),
        ("wait --ref @e7", json!(["wait_for_node", {"matcher": by_ref}])),
        (
            "scroll down --container-ref @e7",
            json!(["scroll", {"direction": "down", "container": by_ref}]),
        ),
        (
            "wait --text a --gone --timeout 500",
            json!(["wait_for_node", {"matcher": {"textEquals": "a"}, "timeoutMs": 500, "gone": true}]),
        ),
        ("find", json!(["query", {}])),
        (
            "find --role button --limit 5 --visibility all",
            json!(["query", {"matcher": {"role": "button"}, "visibility": "all", "limit": 5}]),
        ),
        (
            "query --text a --gone",
            json!(["wait_for_node", {"matcher": {"textEquals": "a"}, "gone": true}]),
        ),
        ("find --gone", json!("MISSING_SELECTOR")),
        ("find --limit 0", json!("EXECUTION_VALIDATION_FAILED")),
        ("find --limit x", json!("EXECUTION_VALIDATION_FAILED")),
        ("find --visibility some", json!("EXECUTION_VALIDATION_FAILED")),
        ("click --ref e7", json!("EXECUTION_VALIDATION_FAILED")),
        (
            "click --ref @e7 --coordinate 1 2",
            json!("EXECUTION_VALIDATION_FAILED"),
        ),
    ] {
        let args: Vec<_> = line.split(' ').collect();
        assert_eq!(built(&args), expected, "{line}");
    }
}

#[test]
fn a_target_with_a_scheme_is_a_uri() {
    for (target, kind) in [
        ("https://example.com", "open_uri"),
        (" https://x", "open_uri"),
        ("tel:123", "open_uri"),
        ("MAILTO:a@b", "open_uri"),
        ("com.example.app", "open_app"),
        ("com.example:process", "open_app"),
        ("://", "open_app"),
    ] {
        let (answer, _) = json_of(&["open", target, "--validate-only"]);
        assert_eq!(answer["execution"]["actions"][0]["type"], kind, "{target}");
    }
}

#[test]
fn a_raw_selector_is_judged_like_any_matcher() {
    let (answer, _) = json_of(&[
        "click",
        "--selector",
        r#"{"role":"x","id":"a","role":"y"}"#,
        "--validate-only",
    ]);
    assert_eq!(
        answer["execution"]["actions"][0]["params"]["matcher"],
        json!({"resourceId": "a", "role": "y"})
    );
    assert_eq!(answer["warnings"][0]["code"], "DUPLICATE_KEY");
    let (answer, _) = json_of(&["read", "--id", "x", "--container-selector", r#"{"colour":"red"}"#]);
    assert_eq!(answer["details"]["path"], "actions.0.params.container");
}

#[test]
fn the_same_line_gives_the_same_bytes() {
    let once = || answer_to(&["click", "--text", "x", "--validate-only"], b"").text;
    assert_eq!(once(), once());
}

#[test]
fn a_run_without_a_phone_says_what_is_missing() {
    let (answer, exit) = json_of(&["exec", PAYLOAD]);
    assert_eq!((answer["code"].as_str(), exit), (Some("ADB_NOT_FOUND"), 1));
    let (answer, _) = json_of(&["exec", "{}"]);
    assert_eq!(answer["code"], "EXECUTION_VALIDATION_FAILED");
}

/// Tells whether a line names a command and only what that takes.
fn understood(line: &str) -> bool {
    let words = words(line).into_iter().map(Into::into).collect();
    matches!(super::parser::parse(words), Ok(super::parser::Parsed::Command(_)))
}

#[test]
fn every_command_has_help_with_examples_that_work() {
    for spec in command::every() {
        assert!(spec.examples.len() >= 2, "{}", spec.path());
        for name in spec.synonyms.iter().chain([&spec.name]) {
            let mut line = vec![spec.group, name, "--help"];
            line.retain(|word| !word.is_empty());
            let help = answer_to(&line, b"");
            assert_eq!(help.exit_code, 0);
            for example in spec.examples {
                assert!(help.text.contains(example), "{name}: {}", help.text);
            }
        }
        let flags: &[&str] = match spec.run {
            Run::Flat(_) | Run::Exec => &["--validate-only"],
            Run::Print(_) => &[],
            // What acts is not to act here; that the line is understood is all
            // there is to see.
            Run::Act(_) => {
                for example in spec.examples {
                    assert!(understood(example), "{example}");
                }
                continue;
            }
        };
        for example in spec.examples {
            // The file in the example stands at the root of the repository.
            let example = example.replace(
                "examples/",
                concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/"),
            );
            let answer = run_line(&example, flags);
            assert_eq!(answer.exit_code, 0, "{example}: {}", answer.text);
        }
    }
}

#[test]
fn commands_and_catalogue_name_each_other() {
    for spec in &CATALOGUE {
        for name in spec.commands {
            let (group, name) = name.split_once(' ').unwrap_or(("", name));
            assert!(command::find(group, name).is_some(), "{name}");
        }
    }
    for command in command::every() {
        if !matches!(command.run, Run::Flat(_)) {
            assert!(
                CATALOGUE
                    .iter()
                    .all(|spec| !spec.commands.contains(&command.path().as_str())),
                "{}",
                command.name
            );
            continue;
        }
        for example in command.examples {
            let answer: Value = serde_json::from_str(&run_line(example, &["--validate-only"]).text).unwrap();
            let kind = answer["execution"]["actions"][0]["type"].as_str().unwrap();
            let spec = CATALOGUE.iter().find(|spec| spec.name == kind).unwrap();
            assert!(
                spec.commands.contains(&command.path().as_str()),
                "{example} builds {kind}"
            );
        }
    }
}

#[test]
fn help_names_every_word_there_is_to_choose_from() {
    let schemas: Vec<_> = super::docs::schemas().map(|schema| schema.name).collect();
    let shells = super::docs::SHELLS.map(|(name, _)| name);
    for (command, words) in [
        ("scroll", Direction::WORDS),
        ("scroll-until", Direction::WORDS),
        ("scroll-and-click", Direction::WORDS),
        ("press", Key::WORDS),
        ("schema", &schemas[..]),
        ("completions", &shells[..]),
    ] {
        let details = command::every()
            .find(|spec| spec.name == command)
            .unwrap()
            .details;
        let (_, listed) = details.rsplit_once(": ").unwrap();
        assert_eq!(listed.trim_end_matches('.'), words.join(", "), "{command}");
    }
}

#[test]
fn schemas_completions_and_manuals_are_printed() {
    for name in ["execution", "envelope", "matcher", "error", "app"] {
        let committed = format!("{}/../../schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
        // The contract's own tests write the others.
        if name == "app" && std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&committed, answer_to(&["schema", name], b"").text).unwrap();
        }
        let committed = std::fs::read_to_string(committed).unwrap();
        assert_eq!(answer_to(&["schema", name], b"").text, committed);
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = answer_to(&["completions", shell], b"").text;
        assert!(
            script.contains("scroll-and-click") && script.contains("text-contains"),
            "{shell}"
        );
    }
    let page = answer_to(&["man"], b"").text;
    assert!(
        page.contains(".TH clawperator 1") && page.contains("scroll\\-until"),
        "{page}"
    );
    let page = answer_to(&["man", "tap"], b"").text;
    assert!(
        page.contains(".TH clawperator-click 1") && page.contains("\\-\\-coordinate"),
        "{page}"
    );
}

#[test]
fn a_group_lists_its_commands() {
    for line in [&["sim"][..], &["sim", "--help"], &["sim", "-h"]] {
        let help = answer_to(line, b"");
        assert_eq!(help.exit_code, 0);
        for spec in command::every().filter(|spec| spec.group == "sim") {
            assert!(help.text.contains(spec.name), "{}", help.text);
        }
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = answer_to(&["completions", shell], b"").text;
        assert!(
            script.contains("no-auth") && script.contains("foreground"),
            "{shell}"
        );
    }
    let page = answer_to(&["man", "sim", "start"], b"").text;
    assert!(
        page.contains(".TH clawperator-sim-start 1") && page.contains("\\-\\-no\\-auth"),
        "{page}"
    );
    let (answer, exit) = json_of(&["sim", "--json"]);
    assert_eq!((answer["code"].as_str(), exit), (Some("USAGE"), 1));
}

#[test]
fn nonsense_about_a_simulated_phone_is_refused_before_one_starts() {
    for (args, flag) in [
        (&["sim", "start", "--port", "65536"][..], "--port"),
        (&["sim", "start", "--port", "-1"], "--port"),
        (&["sim", "start", "--port", "65535", "--count", "2"], "--port"),
        (&["sim", "start", "--port", "65533", "--count", "4"], "--port"),
        (&["sim", "start", "--count", "0"], "--count"),
        (&["sim", "start", "--count", "257"], "--count"),
        (&["sim", "start", "--seed", "9007199254740992"], "--seed"),
        (&["sim", "start", "--seed", "x"], "--seed"),
        (&["sim", "start", "--latency", ""], "--latency"),
        (&["sim", "start", "--time", "slow"], "--time"),
        (&["sim", "start", "--fault", "fire"], "--fault"),
        (&["sim", "start", "--fault", "reboot,"], "--fault"),
        (
            &["sim", "start", "--fault", "reboot", "--fault", "reboot@200%"],
            "--fault",
        ),
        (&["sim", "start", "--fault", "reboot,reboot@5%"], "--fault"),
        (&["sim", "start", "--fault", "connection_reset"], "--fault"),
        (&["sim", "faults", "--set", "reboot=1"], "--set"),
        (&["sim", "faults", "--set", "reboot", "--points"], "--points"),
        (&["sim", "status", "sim-1", "--device", "sim-2"], "--device"),
        (&["sim", "start", "--idle", "-1"], "--idle"),
        (&["sim", "start", "--idle"], "--idle"),
        (&["sim", "screen", "--columns", "0"], "--columns"),
        (&["sim", "screen", "--columns", "401"], "--columns"),
        (&["sim", "faults", "--set", "x", "--clear"], "--set"),
        (&["sim", "faults", "--set", "reboot", "--clear"], "--clear"),
        (&["sim", "screen", "--out", "-", "--tree"], "--out"),
        (&["sim", "stop", "--all", "sim-1"], "--all"),
    ] {
        let (answer, exit) = json_of(args);
        assert_eq!(
            (answer["code"].as_str(), exit),
            (Some("USAGE"), 1),
            "{args:?}: {answer}"
        );
        assert_eq!(answer["details"]["flag"], flag, "{args:?}: {answer}");
    }
    for (args, code) in [
        (
            &["sim", "start", "--apps", "/nowhere/at/all"][..],
            "SIM_APP_INVALID",
        ),
        (&["sim", "start"], "SIM_START_FAILED"),
        (&["sim", "screen"], "SIM_START_FAILED"),
        (&["sim", "stop"], "SIM_NOT_RUNNING"),
        (&["sim", "status", "sim-7"], "SIM_NOT_RUNNING"),
        (&["sim", "advance"], "MISSING_ARGUMENT"),
        (&["sim", "advance", "soon"], "USAGE"),
        (&["sim", "advance", "-5"], "USAGE"),
        (&["sim", "advance", "86400001"], "USAGE"),
        (&["sim", "advance", "5", "sim-1", "more"], "USAGE"),
        (&["sim", "check"], "MISSING_ARGUMENT"),
        (&["sim", "faults", "--set", "reboot"], "SIM_NOT_RUNNING"),
    ] {
        let (answer, exit) = json_of(args);
        assert_eq!(
            (answer["code"].as_str(), exit),
            (Some(code), 1),
            "{args:?}: {answer}"
        );
    }
    let (answer, exit) = json_of(&["sim", "list"]);
    assert_eq!((answer, exit), (json!({"phones": []}), 0));
    let (answer, _) = json_of(&["sim", "faults"]);
    assert!(answer["points"].as_array().unwrap().len() >= 16, "{answer}");
}

#[test]
fn the_page_of_the_simulated_phone_names_every_fault_and_command() {
    let page = include_str!("../../../../docs/sim.md");
    for (point, name, does) in clawperator_sim::fault::Point::ALL {
        let value = point.value().unwrap_or("none");
        let row = format!("| `{name}` | {value} | {} |", does.trim());
        assert!(page.contains(&row), "{row}");
    }
    for spec in command::every().filter(|spec| spec.group == "sim") {
        assert!(page.contains(&spec.path()), "{}", spec.path());
    }
}

#[test]
fn the_page_of_commands_is_up_to_date() {
    let mut page = "# Commands\n\n<!-- Written from the tables by `UPDATE_EXPECT=1 cargo test -p clawperator`. -->\n\n\
        Results and structured errors are JSON on standard output, one line unless `--output pretty` is given; \
        colour is used only on a terminal and never with `NO_COLOR`. The exit code is 0 on success and 1 on any \
        failure. `--flag=value` works, `--` ends the flags, and a value may start with a dash unless it is itself \
        a flag. The flags of every command may also stand before it. `--help` and `--version` before `--` beat \
        everything else on the line.\n"
        .to_owned();
    page.push_str("\n## Flags of every command\n\n| flag | also | meaning |\n|---|---|---|\n");
    page.push_str(&flag_rows(flag::GLOBAL));
    page.push_str(
        "\n## Flags of every command that builds an execution\n\n| flag | also | meaning |\n|---|---|---|\n",
    );
    page.push_str(&flag_rows(flag::GOAL));
    for spec in command::every() {
        page.push_str(&format!("\n## {}\n\n{}", spec.path(), spec.about));
        if !spec.details.is_empty() {
            page.push_str(&format!(" {}", spec.details.replace('\n', " ")));
        }
        if !spec.synonyms.is_empty() {
            page.push_str(&format!(" Also: `{}`.", spec.synonyms.join("`, `")));
        }
        page.push_str("\n\n```sh\n");
        spec.examples
            .iter()
            .for_each(|example| page.push_str(&format!("{example}\n")));
        page.push_str("```\n");
        let own: Vec<_> = spec
            .flags
            .iter()
            .filter(|(heading, _)| *heading != "Checking")
            .collect();
        if spec.argument.is_some() || !own.is_empty() {
            page.push_str("\n| flag | also | meaning |\n|---|---|---|\n");
        }
        for (name, doc) in spec.argument.iter().chain(&spec.second) {
            page.push_str(&format!(
                "| `{}` (argument) | | {doc} |\n",
                name.replace('|', "\\|")
            ));
        }
        own.iter().for_each(|(_, flags)| page.push_str(&flag_rows(flags)));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "docs/cli.md is out of date; run UPDATE_EXPECT=1 cargo test and review the change"
    );
}

fn flag_rows(flags: &[flag::FlagSpec]) -> String {
    let row = |flag: &flag::FlagSpec| {
        let value = match flag.takes {
            Takes::Nothing => String::new(),
            Takes::One(value) | Takes::Several(value) => format!(" {value}"),
            Takes::Two(first, second) => format!(" {first} {second}"),
        };
        let value = value.replace('|', "\\|");
        let also: Vec<_> = flag.aliases.iter().map(|alias| format!("`--{alias}`")).collect();
        format!(
            "| `--{}{value}` | {} | {} |\n",
            flag.name,
            also.join(", "),
            flag.doc
        )
    };
    flags.iter().map(row).collect()
}
