//! Command lines that are wrong or in an unusual order: what is reported, and
//! what comes first.

use crate::PAYLOAD;
use crate::line::{answer_to, assert_refused, built, json_of, words};
use serde_json::{Value, json};

/// What is printed for a line that is written as in a shell.
fn told(line: &str) -> Value {
    let words = words(line);
    let args: Vec<&str> = words.iter().map(String::as_str).collect();
    json_of(&args).0
}

#[test]
fn what_is_missing_is_reported_before_what_is_unexpected() {
    for (line, code) in [
        ("click Login", "MISSING_SELECTOR"),
        ("tap Login", "MISSING_SELECTOR"),
        ("read X", "MISSING_SELECTOR"),
        ("type hi Login", "MISSING_SELECTOR"),
        ("scroll-until down Login", "MISSING_SELECTOR"),
        ("find --gone Login", "MISSING_SELECTOR"),
        ("click --container-id x", "MISSING_SELECTOR"),
        ("click --label x", "MISSING_SELECTOR"),
        ("type -- hi --id x", "MISSING_SELECTOR"),
        ("wait-for-nav p --timeout 5000", "MISSING_ARGUMENT"),
        ("wait-for-nav p", "MISSING_ARGUMENT"),
        ("read-value Battery", "MISSING_ARGUMENT"),
        // Nothing is missing here.
        ("click Login --text x", "USAGE"),
        ("click --container-id x --id y", "USAGE"),
        ("find Login", "USAGE"),
        ("snapshot compact", "USAGE"),
        ("back now", "USAGE"),
        ("type hello world --id x", "USAGE"),
        ("open a b", "USAGE"),
        ("exec a b", "USAGE"),
        #[cfg(feature = "sim")]
        ("sim advance 5 sim-1 more", "USAGE"),
        // A flag that no command has, or a switch of another command.
        ("click --txt x", "USAGE"),
        ("click --bogus", "USAGE"),
        ("scroll-and-click --click", "USAGE"),
        ("read --gone", "USAGE"),
        ("wait --clear", "USAGE"),
        ("read --label x --gone", "USAGE"),
        // There are no flags with one dash.
        ("click -t x", "USAGE"),
        ("type -x hi --id f", "USAGE"),
        ("snapshot -o pretty", "USAGE"),
        ("back -5", "USAGE"),
    ] {
        let answer = told(line);
        assert_eq!(answer["code"], code, "{line}: {answer}");
    }
}

#[test]
fn a_flag_without_its_value_is_reported_when_it_is_needed() {
    let selector = "MISSING_SELECTOR";
    let argument = "MISSING_ARGUMENT";
    let invalid = "EXECUTION_VALIDATION_FAILED";
    for flag in ["--id", "--role", "--selector", "--text-contains", "--resource-id"] {
        for command in ["type", "fill"] {
            assert_eq!(told(&format!("{command} {flag}"))["code"], argument, "{flag}");
            assert_eq!(told(&format!("{command} {flag} a {flag} b"))["code"], argument, "{flag}");
            assert_eq!(told(&format!("{command} hi {flag}"))["code"], invalid, "{flag}");
        }
        assert_eq!(told(&format!("click {flag}"))["code"], invalid, "{flag}");
        assert_eq!(told(&format!("click {flag} a {flag} b"))["code"], invalid, "{flag}");
    }
    for (line, code) in [
        ("scroll --container-id", argument),
        ("scroll sideways --container-id", argument),
        ("scroll --container-id a --container-id b", argument),
        ("scroll sideways --container-id a --container-id b", argument),
        ("scroll down --container-id", invalid),
        ("scroll --direction", argument),
        ("scroll --direction -x", argument),
        ("scroll-until --container-id", selector),
        ("scroll-until down --container-id", selector),
        ("scroll-and-click --container-id", selector),
        ("scroll-and-click down --container-id a --container-id b", selector),
        ("scroll-until sideways --text t --container-id", argument),
        ("scroll-until sideways --text", argument),
        ("scroll-until --text t --container-id", invalid),
        ("scroll-until --direction", selector),
        ("scroll-until --text t --direction", invalid),
        ("scroll-until --text x --direction -5", invalid),
        ("scroll-and-click --text x --direction --click", invalid),
        ("scroll-until --text x --direction ' '", argument),
        ("scroll-until --text x --direction sideways", argument),
        ("drag --text x", selector),
        ("drag --to-text x", selector),
        ("drag --text x --coordinate 1 2 --to-text y", invalid),
        ("drag --text x --to-coordinate 1 -2", invalid),
        ("drag --text x --to-text y --hold soon", invalid),
        ("drag --text x --to-text y --duration 30001", invalid),
        ("read --container-id", selector),
        ("read --container-id a --container-id b", selector),
        ("read --text t --container-id", invalid),
        ("wait-for-nav --text", argument),
        ("wait-for-nav --app p --text a --text b", argument),
        ("wait-for-nav --text --timeout 5000", invalid),
        ("wait-for-nav --app", invalid),
        ("read-value --label", argument),
        ("read-value --all --label", argument),
        ("read-value --all --json --label", argument),
        ("read-value --label --label-id x", argument),
        ("click --timeout", "USAGE"),
        ("type --timeout", "USAGE"),
        ("screenshot --path", "USAGE"),
    ] {
        let answer = told(line);
        assert_eq!(answer["code"], code, "{line}: {answer}");
    }
}

#[test]
fn the_nearest_name_is_suggested() {
    for (line, code, suggestion) in [
        ("click --txt x", "USAGE", Some("--text")),
        ("click --contnt-desc x", "USAGE", Some("--content-desc")),
        ("click --hel", "USAGE", Some("--help")),
        ("--outptut", "USAGE", Some("--output")),
        ("--outptut pretty click", "USAGE", Some("--output")),
        ("--versio", "USAGE", Some("--version")),
        ("logs --follow", "USAGE", None),
        #[cfg(feature = "sim")]
        ("sim start --keys", "USAGE", None),
        ("wait --text x --for 5000", "USAGE", None),
        ("man record strat", "USAGE", Some("start")),
        ("snapshot --format compac", "USAGE", Some("compact")),
        ("clikc", "UNKNOWN_COMMAND", Some("click")),
        ("CLICK", "UNKNOWN_COMMAND", Some("click")),
        ("recrod start", "UNKNOWN_COMMAND", Some("record")),
        ("record strat", "UNKNOWN_COMMAND", Some("record start")),
        ("--validate-only clik --text x", "UNKNOWN_COMMAND", Some("click")),
        ("help clik", "UNKNOWN_COMMAND", Some("click")),
        ("action swipe", "UNKNOWN_COMMAND", None),
        ("frobnicate", "UNKNOWN_COMMAND", None),
        ("-", "UNKNOWN_COMMAND", None),
    ] {
        let answer = told(line);
        assert_eq!(answer["code"], code, "{line}: {answer}");
        let found = answer.get("suggestion").and_then(Value::as_str);
        assert_eq!(found, suggestion, "{line}: {answer}");
    }
    let long = "click".repeat(100);
    assert_eq!(told(&long).get("suggestion"), None);
}

#[test]
fn a_message_names_what_was_typed() {
    for (line, message) in [
        ("exec --execution", "--execution requires a value"),
        ("exec --file a --input b", "--file and --input are one flag: give one of them"),
        ("exec {} --execution {}", "--execution and the argument mean the same: give only one"),
        ("click --desc a --content-desc b", "--desc and --content-desc are one flag: give one of them"),
        ("click --desc a --desc b", "--desc must not appear more than once"),
        ("click --content-desc ' '", "--content-desc must not be blank"),
        ("click --desc ' '", "--desc must not be blank"),
        ("click -t x", "click has no flag -t"),
        ("--bogus x click --text y", "unknown flag --bogus"),
        ("--focus=5000 click", "--focus takes no value"),
        ("--text x click", "--text must come after click"),
        ("-- click --text x", "no command was given"),
        ("record -- start", "record needs a command"),
        ("snapshot --format yaml", "--format must be xml, compact, json, pretty or agent, not \"yaml\""),
        ("snapshot --output yaml", "--output must be json, pretty or agent, not \"yaml\""),
        ("click --format xml", "--format must be json, pretty or agent, not \"xml\""),
        ("wait --toast Saved --text x", "--toast must stand alone: a toast is no element of the screen"),
        ("wait --toast Saved --gone", "--toast must stand alone: a toast is no element of the screen"),
        ("wait-for-toast --timeout 5", "wait-for-toast needs a text"),
        ("click --long=x --id y", "--long takes no value"),
        ("type --id x -- hi --no-such", "unexpected argument \"--no-such\""),
        ("type --id x hi --no-such=5", "type has no flag --no-such"),
    ] {
        let answer = told(line);
        assert_eq!(answer["message"], message, "{line}: {answer}");
    }
}

#[test]
fn flags_have_the_names_that_other_tools_use() {
    let app = json!({"applicationId": "com.x"});
    for flag in ["--app", "--package", "--package-id", "--application-id", "--app-id"] {
        for (command, kind) in [("open", "open_app"), ("close", "close_app")] {
            assert_eq!(built(&[command, flag, "com.x"]), json!([kind, app]), "{flag}");
        }
        let waits = built(&["wait-for-nav", flag, "com.x", "--timeout", "5000"]);
        assert_eq!(waits[1]["expectedPackage"], "com.x", "{flag}");
    }
    for flag in ["--uri", "--url"] {
        // Without a scheme, too: the flag says what it is.
        for uri in ["https://x.y", "x.y"] {
            assert_eq!(built(&["open", flag, uri]), json!(["open_uri", {"uri": uri}]));
        }
        assert_refused(&["open", flag], "MISSING_ARGUMENT");
        assert_refused(&["open", flag, " "], "MISSING_ARGUMENT");
        assert_refused(&["open", flag, "tel:1", "com.x"], "EXECUTION_VALIDATION_FAILED");
        assert_refused(&["open", flag, "tel:1", "--app", "com.x"], "EXECUTION_VALIDATION_FAILED");
    }
    for flag in ["--path", "--file"] {
        let built = built(&["screenshot", flag, "/tmp/a.png"]);
        assert_eq!(built, json!(["take_screenshot", {"path": "/tmp/a.png"}]));
    }
    for flag in ["--key", "--button"] {
        assert_eq!(built(&["press", flag, "back"]), json!(["press_key", {"key": "back"}]));
    }
    assert_eq!(built(&["back", "--no-daemon"]), built(&["--no-daemon", "back"]));
}

#[test]
fn help_and_the_version_win_over_every_mistake() {
    let click = answer_to(&["click", "--help"], b"").text;
    let whole = answer_to(&["--help"], b"").text;
    let group = answer_to(&["record", "--help"], b"").text;
    let version = concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned();
    assert!(click.contains("clawperator click") && whole.contains("Usage: clawperator COMMAND"));
    for (line, text) in [
        ("click --bogus --help", &click),
        ("click --text --help", &click),
        ("tap Login --help --id", &click),
        ("--help click", &click),
        ("--output xml click --help", &click),
        ("clik --help", &whole),
        ("--bogus --help", &whole),
        ("help", &whole),
        ("record help", &group),
        ("help record", &group),
        ("help click", &click),
        ("record strat --help", &group),
        ("click --version", &version),
        ("--version", &version),
        ("-V", &version),
        ("clik --help --version", &version),
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let answer = answer_to(&args, b"");
        assert_eq!((&answer.text, answer.exit_code), (text, 0), "{line}");
    }
    for (line, text) in [
        ("type --id x --validate-only -- --help", "--help"),
        ("type --id x --validate-only -- --version", "--version"),
        ("type --id x --validate-only --text=--help", "--help"),
    ] {
        let answer = told(line);
        let typed = &answer["execution"]["actions"][0]["params"]["text"];
        assert_eq!(typed, text, "{line}: {answer}");
    }
    let answer = told("click --validate-only --text -h");
    assert_eq!(answer["execution"]["actions"][0]["params"]["matcher"]["textEquals"], "-h");
}

#[test]
fn flags_of_every_command_may_stand_before_it() {
    let wanted = told("click --text x --validate-only --timeout 5000");
    for line in [
        "--validate-only click --text x --timeout 5000",
        "--validate --timeout 5000 tap --text x",
        "--timeout-ms=5000 --json --validate-only click --text x",
        "--timeout 9000 --output json click --timeout 5000 --text x --validate-only",
        "--device d --operator-package p --log-level info --validate-only click --timeout 5000 --text x",
        "--strict --wait-for-device 5 --validate-only click --timeout 5000 --text x",
    ] {
        assert_eq!(told(line)["execution"]["actions"], wanted["execution"]["actions"], "{line}");
        assert_eq!(told(line)["execution"]["timeoutMs"], 5000, "{line}");
    }
    for (line, code) in [
        ("--text x click", "USAGE"),
        ("--coordinate 1 2 click", "USAGE"),
        ("--text=x click", "USAGE"),
        ("--text x", "USAGE"),
        ("--validate-only devices", "USAGE"),
        ("--bogus click --text x", "USAGE"),
        ("--device click", "USAGE"),
        ("--json", "USAGE"),
        ("record ' ' --json", "USAGE"),
    ] {
        let answer = told(line);
        assert_eq!(answer["code"], code, "{line}: {answer}");
        let itself = line.split([' ', '=']).next();
        let suggestion = answer.get("suggestion").and_then(Value::as_str);
        assert_ne!(suggestion, itself, "{line}: {answer}");
    }
    assert_eq!(json_of(&[""]).0["code"], "USAGE");
}

#[test]
fn a_point_may_be_joined_to_its_flag() {
    for line in ["click --coordinate 1 2", "click --coordinate=1 2", "click --long --coordinate=1 2"] {
        let answer = told(&format!("{line} --validate-only"));
        let point = &answer["execution"]["actions"][0]["params"]["coordinate"];
        assert_eq!(*point, json!({"x": 1, "y": 2}), "{line}: {answer}");
    }
    for line in ["click --coordinate=1", "click --coordinate=1 -2", "click --coordinate="] {
        assert_eq!(told(line)["details"]["flag"], "--coordinate", "{line}");
    }
}

#[test]
fn what_cannot_run_is_refused_whatever_the_goal() {
    for goal in ["--json", "--validate-only", "--dry-run"] {
        for (flags, flag) in [
            ("--wait-for-device x", "--wait-for-device"),
            ("--wait-for-device 600001", "--wait-for-device"),
            ("--operator-package ' '", "--operator-package"),
            ("--operator-package=", "--operator-package"),
            ("--operator-package -x", "--operator-package"),
            ("--receiver-package -x", "--receiver-package"),
            ("--device ' '", "--device"),
            ("--device-id=", "--device-id"),
            ("--log-level loud", "--log-level"),
            ("--report x.html --no-journal", "--report"),
        ] {
            let answer = told(&format!("click --text x {goal} {flags}"));
            assert_eq!(answer["code"], "USAGE", "{goal} {flags}: {answer}");
            assert_eq!(answer["details"]["flag"], flag, "{goal} {flags}: {answer}");
        }
    }
    assert_eq!(told("devices --operator-package -x")["code"], "USAGE");
}

#[test]
fn the_name_of_a_payload_is_trimmed() {
    let file = std::env::temp_dir().join(format!("clawperator-trimmed-{}.json", std::process::id()));
    std::fs::write(&file, PAYLOAD).unwrap();
    let path = file.to_str().unwrap();
    for name in [format!(" {path} "), format!("{path}\n"), format!("\u{feff}{path}")] {
        let (answer, exit) = json_of(&["exec", "--validate-only", &name]);
        assert_eq!((&answer["ok"], exit), (&json!(true), 0), "{name:?}: {answer}");
    }
    std::fs::remove_file(&file).unwrap();
    let (answer, _) = json_of(&["exec", "--validate-only", &format!("\u{feff}\n{PAYLOAD}")]);
    assert_eq!(answer["ok"], true, "{answer}");
}
