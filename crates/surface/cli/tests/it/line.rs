//! Whole command lines in, answers out, in process and in a world where nothing
//! changes. The tests of the tables use it, too.

use clawperator_cli::{Answer, Colour, Environment, Progress, Terminal, World, run};
use serde_json::{Value, json};
use std::io::{Cursor, Read};
use std::path::PathBuf;

/// A home that is not there.
pub(crate) fn home() -> PathBuf {
    std::env::temp_dir().join(format!("clawperator-no-home-{}", std::process::id()))
}

/// A world where nothing changes.
pub(crate) fn world(stdin: impl Read + 'static) -> World {
    // No adb, no server at a port that only root could listen on, an empty home,
    // and no log.
    let variable = |name: &str| match name {
        "HOME" => Some(home().into()),
        "ADB_PATH" => Some("/nowhere/adb".into()),
        "ANDROID_ADB_SERVER_PORT" => Some("1".into()),
        "CLAWPERATOR_LOG_DIR" => Some("/dev/null/logs".into()),
        _ => None,
    };
    let mut world = World::from_environment(Environment(&variable)).unwrap();
    world.now_ms = 1_700_000_000_000;
    world.clock = || 1_700_000_000_000;
    world.random = 42;
    world.colour = Colour::Never;
    world.stdin = Box::new(stdin);
    world.secret = || Ok(7);
    world.print = Box::new(|_| Ok(()));
    world.note = Box::new(|_| ());
    world.terminal = Terminal::Absent;
    world.progress = Progress::Hidden;
    world.skills.current = home();
    // No test here starts a phone, so this folder stays empty.
    #[cfg(feature = "sim")]
    {
        world.sim_folder = std::env::temp_dir().join(format!("clawperator-sim-none-{}", std::process::id()));
    }
    world.program = || Err(std::io::ErrorKind::NotFound.into());
    world
}

/// Runs a command line in a world where nothing changes.
pub(crate) fn answer_to(args: &[&str], stdin: &[u8]) -> Answer {
    let mut world = world(Cursor::new(stdin.to_vec()));
    let args = std::iter::once("clawperator").chain(args.iter().copied());
    run(args.map(Into::into), &mut world)
}

/// Runs a command line and reads the JSON it prints.
pub(crate) fn json_of(args: &[&str]) -> (Value, u8) {
    let answer = answer_to(args, b"");
    let json =
        serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{args:?} printed {}", answer.text));
    (json, answer.exit_code)
}

/// Runs a command line that is refused with a code, and returns the answer.
pub(crate) fn assert_refused(args: &[&str], code: &str) -> Value {
    let (answer, exit) = json_of(args);
    assert_eq!((answer["code"].as_str(), exit), (Some(code), 1), "{args:?}: {answer}");
    answer
}

/// Splits a line as a shell would, for examples with quotes.
pub(crate) fn words(line: &str) -> Vec<String> {
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
pub(crate) fn run_line(line: &str, flags: &[&str]) -> Answer {
    let words = words(line);
    assert_eq!(words[0], "clawperator");
    let words = words[1..].iter().take_while(|word| *word != ">");
    let args: Vec<&str> = words.map(String::as_str).chain(flags.iter().copied()).collect();
    answer_to(&args, b"")
}

/// What a command line builds, or the code of its refusal.
pub(crate) fn built(args: &[&str]) -> Value {
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
