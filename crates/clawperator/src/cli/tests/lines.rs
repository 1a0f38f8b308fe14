//! Lines that are wrong, odd or in an unusual order: what is said of them.

use super::super::flag::{self, FlagSpec};
use super::super::{command, grammar, parser};
use super::{Value, answer_to, json, json_of, words};
use clawperator_contract::ErrorCode;

/// What is printed for a line that is written as in a shell.
fn told(line: &str) -> Value {
    let words = words(line);
    let args: Vec<&str> = words.iter().map(String::as_str).collect();
    json_of(&args).0
}

#[test]
fn what_is_missing_is_said_before_what_is_too_much() {
    for (line, code, suggestion) in [
        ("click Login", "MISSING_SELECTOR", Some("--text")),
        ("tap Login", "MISSING_SELECTOR", Some("--text")),
        ("click 'Log in' now", "MISSING_SELECTOR", Some("--text")),
        ("read X", "MISSING_SELECTOR", Some("--text")),
        ("wait X", "MISSING_SELECTOR", Some("--text")),
        ("type hi Login", "MISSING_SELECTOR", None),
        ("scroll-until down Login", "MISSING_SELECTOR", Some("--text")),
        ("find --gone Login", "MISSING_SELECTOR", Some("--text")),
        ("click --container-id x", "MISSING_SELECTOR", Some("--id")),
        ("click --label x", "MISSING_SELECTOR", None),
        ("type -- hi --id x", "MISSING_SELECTOR", None),
        ("wait-for-nav p --timeout 5000", "MISSING_ARGUMENT", Some("--app")),
        ("wait-for-nav p", "MISSING_ARGUMENT", None),
        ("read-value Battery", "MISSING_ARGUMENT", Some("--label")),
        // Nothing is missing here, or a flag is misspelt.
        ("click Login --text x", "USAGE", None),
        // A flag that is there already is not what was meant.
        ("click --container-id x --id y", "USAGE", None),
        ("click --text x --txt y", "USAGE", None),
        // Nobody forgot the value of another command's switch.
        ("scroll-and-click --click", "USAGE", None),
        ("read --gone", "USAGE", None),
        ("wait --clear", "USAGE", None),
        ("scroll --click", "USAGE", None),
        ("read --label x --gone", "USAGE", None),
        ("find Login", "USAGE", Some("--text")),
        ("snapshot compact", "USAGE", Some("--view")),
        ("back now", "USAGE", None),
        ("type hello world --id x", "USAGE", None),
        ("open a b", "USAGE", None),
        ("exec a b", "USAGE", None),
        ("click --txt x", "USAGE", Some("--text")),
        ("click --bogus", "USAGE", None),
        ("sim advance 5 sim-1 more", "USAGE", None),
        // A single dash makes no flag of ours.
        ("click -t x", "USAGE", Some("--text")),
        ("click -id x", "USAGE", Some("--id")),
        ("type -x hi --id f", "USAGE", None),
        ("snapshot -o pretty", "USAGE", Some("--output")),
        ("back -5", "USAGE", None),
        ("scroll --down", "USAGE", Some("down")),
        ("press --home", "USAGE", Some("home")),
        ("version --check", "USAGE", Some("--check-compat")),
    ] {
        let answer = told(line);
        assert_eq!(answer["code"], code, "{line}: {answer}");
        let found = answer.get("suggestion").and_then(Value::as_str);
        assert_eq!(found, suggestion, "{line}: {answer}");
    }
}

#[test]
fn a_flag_without_its_value_is_said_when_its_turn_comes() {
    let selector = "MISSING_SELECTOR";
    let argument = "MISSING_ARGUMENT";
    let invalid = "EXECUTION_VALIDATION_FAILED";
    for flag in ["--id", "--role", "--selector", "--text-contains", "--resource-id"] {
        for command in ["type", "fill"] {
            assert_eq!(told(&format!("{command} {flag}"))["code"], argument, "{flag}");
            assert_eq!(
                told(&format!("{command} {flag} a {flag} b"))["code"],
                argument,
                "{flag}"
            );
            assert_eq!(told(&format!("{command} hi {flag}"))["code"], invalid, "{flag}");
        }
        assert_eq!(told(&format!("click {flag}"))["code"], invalid, "{flag}");
        assert_eq!(
            told(&format!("click {flag} a {flag} b"))["code"],
            invalid,
            "{flag}"
        );
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
        (
            "scroll-and-click down --container-id a --container-id b",
            selector,
        ),
        ("scroll-until sideways --text t --container-id", argument),
        ("scroll-until sideways --text", argument),
        ("scroll-until --text t --container-id", invalid),
        ("scroll-until --direction", selector),
        ("scroll-until --text t --direction", invalid),
        ("scroll-until --text x --direction -5", invalid),
        ("scroll-and-click --text x --direction --click", invalid),
        ("scroll-until --text x --direction ' '", argument),
        ("scroll-until --text x --direction sideways", argument),
        ("read --container-id", selector),
        ("read --container-id a --container-id b", selector),
        ("read --text t --container-id", invalid),
        ("wait-for-nav --text", argument),
        ("wait-for-nav --app p --text a --text b", argument),
        ("wait-for-nav --text --timeout 5000", invalid),
        ("wait-for-nav --app", invalid),
        ("read-value --label", argument),
        ("read-value --all --label", invalid),
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
fn a_hint_works_when_it_is_followed() {
    let quotes = "in quotes: ";
    let dashes = "Put -- before";
    for (line, words) in [
        ("click @e7", "Did you mean --ref @e7?"),
        ("click 100 200", "Did you mean --coordinate 100 200?"),
        ("read 100 200", "Did you mean --text \"100 200\"?"),
        (
            "click '{\"role\":\"x\"}'",
            "Did you mean --selector '{\"role\":\"x\"}'?",
        ),
        ("click com.a:id/ok", "Did you mean --id com.a:id/ok?"),
        ("read-value com.a:id/ok", "Did you mean --label-id com.a:id/ok?"),
        ("click Log in", "Did you mean --text \"Log in\"?"),
        ("click 'cost $5'", "Did you mean --text 'cost $5'?"),
        ("scroll-until About", "Did you mean --text \"About\"?"),
        (
            "scroll-and-click About phone",
            "Did you mean --text \"About phone\"?",
        ),
        ("scroll-and-click @e7", "Did you mean --ref @e7?"),
        ("scroll-until Login down", "Did you mean --text \"Login\"?"),
        ("click", "--ref"),
        ("click", "--coordinate"),
        ("click --text Log in", "in quotes: \"Log in\"."),
        ("click --text-contains Log in now", "in quotes: \"Log in now\"."),
        ("type hello world --id x", "in quotes: \"hello world\"."),
        ("type --id=x hello world", "in quotes: \"hello world\"."),
        ("click --text=Log in", "in quotes: \"--text=Log in\"."),
        ("type --loud --id x", dashes),
        ("exec --odd.json", dashes),
        ("-- click --text x", "Nothing is a command behind --."),
        ("sim -- start", "Nothing is a command behind --."),
    ] {
        let answer = told(line);
        let hint = answer["details"]["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(words), "{line}: {answer}");
    }
    for (line, words) in [
        ("click ' '", "Did you mean"),
        ("click ''", "Did you mean"),
        ("scroll-until ' '", "Did you mean"),
        ("scroll-until Down", "Did you mean"),
        ("scroll-until Login down", "Login down"),
        ("scroll-until Log in", "\"Log\""),
        ("click --selector '{\"role\":\"x\"}' Login", "Did you mean"),
        ("click --coordinate 1 2 3", "Did you mean"),
        ("click --focus 3 4", "Did you mean"),
        ("click {role:x}", "Did you mean"),
        ("snapshot Login", "Did you mean"),
        ("type hello world", "Did you mean"),
        ("type hello --id x --enter-now", dashes),
        ("open --bundle com.a", dashes),
        ("scroll down --times 3", dashes),
        ("scroll --times", dashes),
        ("press back home", quotes),
        ("open a b", quotes),
        ("close a b", quotes),
        ("scroll down 3", quotes),
        ("exec {} {}", quotes),
        ("type hello --id x world", quotes),
        ("wait-for-nav p --app q", "Did you mean"),
    ] {
        let answer = told(line);
        let hint = answer["details"]["hint"].as_str().unwrap_or_default();
        assert!(!hint.contains(words), "{line}: {answer}");
    }
}

#[test]
fn a_flag_is_guessed_only_where_it_is_likely() {
    for (line, suggestion) in [
        ("screenshot --out a.png", Some("--path")),
        ("open --package com.a", Some("--app")),
        ("type hello --id x --enter", Some("--submit")),
        ("click --coord 1 2", Some("--coordinate")),
        ("click --contains Log", Some("--text-contains")),
        ("wait --for 5000", None),
        ("logs --follow", None),
        ("sim start --auth", None),
        ("man sim strat", Some("start")),
        ("snapshot --format compac", Some("compact")),
        ("--bogus x click --text y", None),
    ] {
        let answer = told(line);
        assert_eq!(answer["code"], "USAGE", "{line}: {answer}");
        let found = answer.get("suggestion").and_then(Value::as_str);
        assert_eq!(found, suggestion, "{line}: {answer}");
    }
}

#[test]
fn the_hint_names_what_was_typed() {
    for (line, words) in [
        ("click Login", "Did you mean --text \"Login\"?"),
        ("click 'Log in'", "Did you mean --text \"Log in\"?"),
        ("read-value Battery", "Did you mean --label \"Battery\"?"),
        ("click --container-id x", "click has no flag --container-id."),
        ("type -- hi --id x", "put --id before it"),
        ("type --id x -- hi --clear", "put --clear before it"),
        ("--text x click", "clawperator click --text"),
        ("--port 5 sim start", "clawperator sim start --port"),
        ("type hello world --id x", "in quotes"),
    ] {
        let answer = told(line);
        let hint = answer["details"]["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(words), "{line}: {answer}");
    }
    for (line, message) in [
        ("exec --execution", "--execution requires a value"),
        (
            "exec --file a --input b",
            "--file and --input are one flag: give one of them",
        ),
        (
            "exec {} --execution {}",
            "--execution and the argument are the same: give one of them",
        ),
        (
            "click --desc a --content-desc b",
            "--desc and --content-desc are one flag: give one of them",
        ),
        ("click --desc a --desc b", "--desc must not appear more than once"),
        ("click --content-desc ' '", "--content-desc must not be blank"),
        ("click --desc ' '", "--desc must not be blank"),
        ("click -t x", "there is no flag -t here"),
        ("--bogus x click --text y", "there is no flag --bogus here"),
        ("--focus=5000 click", "--focus takes no value"),
        ("-- click --text x", "no command was given"),
        (
            "snapshot --format yaml",
            "--format must be xml, compact, json or pretty, not \"yaml\"",
        ),
        (
            "snapshot --output yaml",
            "--output must be json or pretty, not \"yaml\"",
        ),
        (
            "click --format xml",
            "--format must be json or pretty, not \"xml\"",
        ),
        ("click --long=x --id y", "--long takes no value"),
        (
            "type --id x -- hi --no-such",
            "there is no place for the argument \"--no-such\" here",
        ),
        ("type --id x hi --no-such=5", "there is no flag --no-such here"),
    ] {
        let answer = told(line);
        assert_eq!(answer["message"], message, "{line}: {answer}");
    }
}

#[test]
fn a_command_that_is_not_there_is_met_halfway() {
    for (line, suggestion) in [
        ("clikc", Some("click")),
        ("CLICK", Some("click")),
        // Both are two changes away: a name comes before a synonym.
        ("tpa", Some("type")),
        ("tapp", Some("tap")),
        ("snap", Some("snapshot")),
        ("scro", Some("scroll")),
        ("open-app", Some("open-uri")),
        ("recrod start", Some("record")),
        ("sim strat", Some("sim start")),
        ("--validate-only clik --text x", Some("click")),
        ("help clik", Some("click")),
        ("action click", Some("click")),
        ("action open-app p", Some("open")),
        ("action press-key back", Some("press")),
        ("observe screenshot", Some("screenshot")),
        ("inspect ui", Some("snapshot")),
        ("action", None),
        ("action swipe", None),
        ("sim action click", None),
        ("frobnicate", None),
        ("-", None),
    ] {
        let answer = told(line);
        assert_eq!(answer["code"], "UNKNOWN_COMMAND", "{line}: {answer}");
        let found = answer.get("suggestion").and_then(Value::as_str);
        assert_eq!(found, suggestion, "{line}: {answer}");
    }
    let long = "click".repeat(100);
    assert_eq!(told(&long).get("suggestion"), None);
}

#[test]
fn help_and_the_version_beat_every_mistake() {
    let click = answer_to(&["click", "--help"], b"").text;
    let whole = answer_to(&["--help"], b"").text;
    let group = answer_to(&["sim"], b"").text;
    let version = concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned();
    assert!(click.contains("clawperator click") && whole.contains("clawperator [OPTIONS]"));
    for (line, text) in [
        ("click --bogus --help", &click),
        ("click --text --help", &click),
        ("tap Login --help --id", &click),
        ("--help click", &click),
        ("--output xml click --help", &click),
        ("clik --help", &whole),
        ("--bogus --help", &whole),
        ("help", &whole),
        ("sim help", &group),
        ("sim strat --help", &group),
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
    assert_eq!(
        answer["execution"]["actions"][0]["params"]["matcher"]["textEquals"],
        "-h"
    );
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
        assert_eq!(
            told(line)["execution"]["actions"],
            wanted["execution"]["actions"],
            "{line}"
        );
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
        ("sim ' ' --json", "USAGE"),
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
fn a_flag_is_met_halfway_without_a_command_too() {
    for (line, suggestion) in [
        ("--outptut", "--output"),
        ("--outptut pretty click", "--output"),
        ("--versio", "--version"),
        ("click --hel", "--help"),
        ("click --contnt-desc x", "--content-desc"),
    ] {
        let answer = told(line);
        assert_eq!(answer["suggestion"], suggestion, "{line}: {answer}");
    }
}

#[test]
fn a_point_may_be_joined_to_its_flag() {
    for line in [
        "click --coordinate 1 2",
        "click --coordinate=1 2",
        "click --long --coordinate=1 2",
    ] {
        let answer = told(&format!("{line} --validate-only"));
        let point = &answer["execution"]["actions"][0]["params"]["coordinate"];
        assert_eq!(*point, json!({"x": 1, "y": 2}), "{line}: {answer}");
    }
    for line in [
        "click --coordinate=1",
        "click --coordinate=1 -2",
        "click --coordinate=",
    ] {
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
fn a_payload_s_name_is_trimmed_before_it_is_looked_for() {
    let file = std::env::temp_dir().join(format!("clawperator-trimmed-{}.json", std::process::id()));
    std::fs::write(&file, super::PAYLOAD).unwrap();
    let path = file.to_str().unwrap();
    for name in [
        format!(" {path} "),
        format!("{path}\n"),
        format!("\u{feff}{path}"),
    ] {
        let (answer, exit) = json_of(&["exec", "--validate-only", &name]);
        assert_eq!((&answer["ok"], exit), (&json!(true), 0), "{name:?}: {answer}");
    }
    std::fs::remove_file(&file).unwrap();
    let (answer, _) = json_of(&[
        "exec",
        "--validate-only",
        &format!("\u{feff}\n{}", super::PAYLOAD),
    ]);
    assert_eq!(answer["ok"], true, "{answer}");
}

#[test]
fn no_line_is_too_odd_to_be_answered() {
    for spec in command::every() {
        grammar::lenient(spec).debug_assert();
    }
    let names = command::every().flat_map(|spec| [spec.group, spec.name]);
    let flags = command::every_flag().flat_map(FlagSpec::names);
    let mut vocabulary: Vec<String> = names.map(str::to_owned).collect();
    vocabulary.extend(flags.map(|name| format!("--{name}")));
    let odd = [
        "",
        " ",
        "-",
        "--",
        "---",
        "--=",
        "-h",
        "-V",
        "-t",
        "-5",
        "x",
        "=",
        "--text=",
        "--coordinate=1",
        "help",
        "action",
        "\u{feff}",
        "compact",
        "json",
        "--no-such",
        "{}",
        "--json=yes",
    ];
    // Often enough to meet each other.
    vocabulary.extend(odd.iter().cycle().take(200).map(|word| (*word).to_owned()));
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..400 {
        let length = 1 + next(6);
        let line = (0..length).map(|_| vocabulary[next(vocabulary.len())].clone());
        let line: Vec<String> = std::iter::once("clawperator".to_owned()).chain(line).collect();
        let parsed = parser::parse(line.iter().map(Into::into).collect());
        if let Err(failure) = parsed {
            assert!(!failure.message.is_empty(), "{line:?}");
            assert_ne!(failure.code, ErrorCode::InternalError, "{line:?}");
        }
    }
}

#[test]
fn the_words_for_a_log_level_are_all_taken() {
    let row = flag::GLOBAL.iter().find(|flag| flag.name == "log-level").unwrap();
    for word in row.words {
        let (answer, exit) = json_of(&["back", "--validate-only", "--log-level", word]);
        assert_eq!(exit, 0, "{answer}");
    }
}
