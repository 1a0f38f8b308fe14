//! What is refused, with which code, and which error comes first.

use crate::line::{assert_refused, built, home, json_of};
use clawperator_cli::{Environment, World, run};

#[test]
fn values_may_start_with_a_dash_but_are_never_a_flag() {
    let text_of = |args: &[&str]| {
        let mut args = args.to_vec();
        args.insert(1, "--validate-only");
        json_of(&args).0["execution"]["actions"][0]["params"].clone()
    };
    assert_eq!(text_of(&["click", "--text", "-18°C"])["matcher"]["textEquals"], "-18°C");
    assert_eq!(text_of(&["click", "--text=--json"])["matcher"]["textEquals"], "--json");
    assert_eq!(text_of(&["click", "--text", "--not-a-flag"])["matcher"]["textEquals"], "--not-a-flag");
    assert_eq!(text_of(&["type", "--id", "x", "--", "--clear"])["text"], "--clear");
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
        (&["record", "strt"], "UNKNOWN_COMMAND", "record start"),
        (&["record", "--json", "puull"], "UNKNOWN_COMMAND", "record pull"),
        #[cfg(feature = "sim")]
        (&["sim", "start", "--prt", "5"], "USAGE", "--port"),
        #[cfg(feature = "sim")]
        (&["sim", "start", "--latency", "pixel-lik"], "USAGE", "pixel-like"),
        #[cfg(feature = "sim")]
        (&["sim", "start", "--fault", "rebot@5%"], "USAGE", "reboot"),
        (&["man", "record", "starts"], "USAGE", "start"),
    ] {
        let answer = assert_refused(args, code);
        assert_eq!(answer["suggestion"], suggestion, "{args:?}");
    }
    let (answer, exit) = json_of(&["frobnicate"]);
    assert_eq!((answer["code"].as_str(), answer.get("suggestion"), exit), (Some("UNKNOWN_COMMAND"), None, 1));
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
        (&["press", " "], invalid),
        (&["press", "--key", " "], invalid),
        (&["press", ""], "MISSING_ARGUMENT"),
        (&["press", "--key", ""], "MISSING_ARGUMENT"),
        (&["open", " "], "MISSING_ARGUMENT"),
        (&["close", "--app", " "], "MISSING_ARGUMENT"),
        (&["scroll", "sideways"], "MISSING_ARGUMENT"),
        (&["scroll", " "], "MISSING_ARGUMENT"),
        (&["scroll-until", "--text", "x", "--direction", ""], "MISSING_ARGUMENT"),
        (&["scroll-until", "--text", "x", "--direction", " "], "MISSING_ARGUMENT"),
        (&["scroll-until", "", "--text", "x"], "MISSING_ARGUMENT"),
        (&["scroll-until", " ", "--text", "x"], "MISSING_ARGUMENT"),
        (&["scroll-and-click", "", "--text", "x"], "MISSING_ARGUMENT"),
        (&["scroll-and-click", "--text", "x", "--direction", " "], "MISSING_ARGUMENT"),
        (&["scroll-until", "--text", "x", "--direction"], invalid),
        (&["wait", "--text", "x", "--timeout", "115001"], invalid),
        (&["sleep", "115001"], invalid),
        (&["screenshot", "--path", " "], invalid),
    ] {
        let mut args = args.to_vec();
        args.insert(1, "--validate-only");
        assert_refused(&args, code);
    }
}

/// Without this a phone of this computer would be touched instead of the one that is meant.
#[test]
fn a_phone_of_a_pool_is_not_named_without_a_pool_or_beside_another_phone() {
    for args in [
        &["snapshot", "--on", "host/serial"][..],
        &["snapshot", "--on", "any:pixel", "--device", "sim"],
        &["click", "--coordinate", "1", "2", "--priority", "high"],
        &["snapshot", "--deadline", "5s"],
        &["snapshot", "--repeatable"],
        &["snapshot", "--tenant", "lab"],
        &["exec", "{}", "--on", "any:pixel"],
        &["snapshot", "--pool", "nats://127.0.0.1:1", "--on", "any:pixel", "--device", "sim"],
        &["devices", "--on", "any:pixel"],
    ] {
        assert_refused(args, "USAGE");
    }
}

#[test]
fn errors_come_in_one_order() {
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
        ("read-value --all", argument),
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

#[test]
fn a_bad_package_in_the_environment_is_refused_by_every_command() {
    for line in [&["version"][..], &["devices"], &["back", "--dry-run"]] {
        let set = |name: &str| match name {
            "CLAWPERATOR_OPERATOR_PACKAGE" => Some("no package".into()),
            "HOME" => Some(home().into()),
            "CLAWPERATOR_LOG_DIR" => Some("/dev/null/logs".into()),
            _ => None,
        };
        let mut world = World::from_environment(Environment(&set)).unwrap();
        let words = std::iter::once("clawperator").chain(line.iter().copied());
        let answer = run(words.map(Into::into), &mut world);
        assert_eq!(answer.exit_code, 1, "{line:?}");
        assert!(answer.text.contains("CLAWPERATOR_OPERATOR_PACKAGE"), "{}", answer.text);
    }
}
