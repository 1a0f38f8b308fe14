//! The tables of commands and flags, held against the contract's.

use super::line::{built, json_of, words};
use crate::commands;
use crate::flags;
use crate::spec::FlagSpec;
use clawperator_contract::{CATALOGUE, MATCHER_FIELDS, WHERE};

#[test]
fn every_action_type_and_alias_is_a_command() {
    let args = |command: &str| match command {
        "open" | "close" => "com.x",
        "sleep" => "5",
        "wait-for-toast" => "x",
        "drag" => "--text x --to-text y",
        "scroll" => "down",
        "press" => "back",
        "type" => "hi --id x",
        "read-value" => "--label x",
        "wait-for-nav" => "--app x --timeout 5000",
        "find" | "snapshot" | "screenshot" | "record start" | "record stop" => "",
        _ => "--text x",
    };
    let mut count = 0;
    for action in &CATALOGUE {
        for name in std::iter::once(&action.name).chain(action.aliases) {
            for typed in [(*name).to_owned(), name.replace('_', "-")] {
                let spec = commands::find("", &typed).unwrap_or_else(|| panic!("{typed}"));
                let line = format!("{typed} {} --validate-only", args(&spec.path()));
                let answer = json_of(&words(&line).iter().map(String::as_str).collect::<Vec<_>>()).0;
                assert_eq!(answer["ok"], true, "{line}: {answer}");
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
    for (line, kind) in [
        ("open-app com.x", "open_app"),
        ("open_url https://x", "open_uri"),
        ("start_recording", "start_recording"),
        ("take_screenshot", "take_screenshot"),
        ("wait-for-node --text x", "wait_for_node"),
        ("scroll_and_click --text x", "scroll_and_click"),
        ("wait --toast Saved", "wait_for_toast"),
        ("wait-for-toast Saved --timeout 3000", "wait_for_toast"),
        // These names belong to other commands.
        ("find --text x", "query"),
        ("swipe --coordinate 1 2 --to-coordinate 3 4", "drag_to"),
        ("press back", "press_key"),
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        assert_eq!(built(&args)[0], kind, "{line}");
    }
}

#[test]
fn the_words_for_a_log_level_are_all_taken() {
    for word in flags::LOG_LEVEL.words {
        let (answer, exit) = json_of(&["back", "--validate-only", "--log-level", word]);
        assert_eq!(exit, 0, "{answer}");
    }
}

#[test]
fn the_contract_knows_the_flag_of_each_field_of_a_matcher() {
    for field in MATCHER_FIELDS {
        let flag = flags::SELECTOR.iter().find(|flag| flag.field == Some(field.name));
        assert_eq!(flag.map(|flag| flag.name), Some(field.flag), "{}", field.name);
    }
    assert!(flags::SELECTOR.iter().any(|flag| flag.name == WHERE && flag.field == Some(WHERE)));
}

#[test]
fn the_tables_agree_with_themselves_and_the_contract() {
    for flag in commands::every_flag() {
        if let Some(field) = flag.field {
            let is_known = field == WHERE || MATCHER_FIELDS.iter().any(|known| known.name == field);
            assert!(is_known, "{field}");
        }
        // Values before a command are skipped without knowing the command. There,
        // --view is refused with and without a value.
        for other in commands::every_flag() {
            let is_same = flag.names().any(|name| other.names().any(|known| known == name));
            assert!(
                !is_same || flag.takes.count() == other.takes.count() || flag.name == flags::LOOK_AFTER.name,
                "{}",
                flag.name
            );
        }
    }
    for spec in commands::every() {
        let own: Vec<&str> = commands::flags_of(spec).flat_map(FlagSpec::names).collect();
        for (at, name) in own.iter().enumerate() {
            assert!(!own[..at].contains(name), "{} has --{name} twice", spec.path());
        }
    }
    crate::help::program().debug_assert();
}
