//! The command line's tests: whole command lines in, answers out, in process.

mod agent;
mod anything;
mod completions;
mod draft;
mod exec;
mod help;
mod lines;
#[cfg(not(feature = "sim"))]
mod no_sim;
#[cfg(feature = "sim")]
mod page;
mod people;
mod refusal;
mod selector;
#[cfg(feature = "sim")]
mod sim;

use super::{Answer, Colour, Progress, Terminal, World, run};
use crate::environment::Environment;
use serde_json::{Value, json};
use std::io::{Cursor, Read};
use std::path::Path;

/// A world where nothing changes.
fn world(stdin: impl Read + 'static) -> World {
    let home = std::env::temp_dir().join(format!("clawperator-no-home-{}", std::process::id()));
    // No adb, no server at a port that only root could listen on, and an empty
    // home.
    let variable = |name: &str| match name {
        "HOME" => Some(home.clone().into()),
        "ADB_PATH" => Some("/nowhere/adb".into()),
        "ANDROID_ADB_SERVER_PORT" => Some("1".into()),
        _ => None,
    };
    let phones = crate::phones::Phones::from_environment(Environment(&variable)).unwrap();
    World {
        home: home.clone(),
        now_ms: 1_700_000_000_000,
        clock: || 1_700_000_000_000,
        random: 42,
        colour: Colour::Never,
        output: super::Format::default(),
        looks: Default::default(),
        stdin: Box::new(stdin),
        secret: || Ok(7),
        print: Box::new(|_| Ok(())),
        note: Box::new(|_| ()),
        terminal: Terminal::Absent,
        progress: Progress::Hidden,
        // Without an absolute folder there is no log.
        log: crate::log::Log::from_environment(Environment(&|_| None), Path::new(""), 0).unwrap(),
        skills: clawperator_skills::repo::Places {
            named: None,
            current: home.clone(),
            installed: home.join(".clawperator/skills"),
        },
        phones,
        // No test of this file starts a phone, so this folder stays empty.
        #[cfg(feature = "sim")]
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

/// Runs a command line that is refused with a code, and returns the answer.
fn assert_refused(args: &[&str], code: &str) -> Value {
    let (answer, exit) = json_of(args);
    assert_eq!(
        (answer["code"].as_str(), exit),
        (Some(code), 1),
        "{args:?}: {answer}"
    );
    answer
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
fn the_same_line_gives_the_same_bytes() {
    let once = || answer_to(&["click", "--text", "x", "--validate-only"], b"").text;
    assert_eq!(once(), once());
}

#[test]
fn a_run_without_adb_reports_it() {
    let (answer, exit) = json_of(&["exec", PAYLOAD]);
    assert_eq!((answer["code"].as_str(), exit), (Some("ADB_NOT_FOUND"), 1));
    let (answer, _) = json_of(&["exec", "{}"]);
    assert_eq!(answer["code"], "EXECUTION_VALIDATION_FAILED");
}
