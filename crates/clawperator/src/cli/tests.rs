//! The command line's tests: whole command lines in, answers out, in process.

use super::{Answer, Colour, World, run};
use serde_json::Value;
use std::io::Cursor;

/// Runs a command line in a world where nothing changes.
fn answer_to(args: &[&str], stdin: &[u8]) -> Answer {
    let mut world = World {
        now_ms: 1_700_000_000_000,
        random: 42,
        colour: Colour::Never,
        stdin: Box::new(Cursor::new(stdin.to_vec())),
    };
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
