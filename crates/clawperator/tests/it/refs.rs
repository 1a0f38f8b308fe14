//! Refs that an answer to a failure carries are used in the next call, without a look between, on the
//! command line and over MCP, on both lanes.

use crate::lane::jar;
use crate::mcp::Agent;
use crate::sim::Place;
use serde_json::json;
use std::cell::RefCell;
use std::path::Path;

/// The refs in the line of an answer that begins so.
fn refs(answer: &str, line: &str) -> Vec<String> {
    let said = answer.lines().find_map(|said| said.strip_prefix(line));
    let words = said.unwrap_or_else(|| panic!("no {line:?}: {answer}"));
    let words = words.split(|letter: char| letter.is_whitespace() || ",;".contains(letter));
    let refs: Vec<String> = words.filter(|word| word.starts_with("@e")).map(str::to_owned).collect();
    assert!(!refs.is_empty(), "{answer}");
    refs
}

/// What the three kinds of failures tell; `tap` touches a text or a ref and returns the answer.
fn use_what_failures_tell(open: &mut dyn FnMut(&str) -> String, tap: &mut dyn FnMut(&str, bool) -> String) {
    let opened = open("com.clawperator.conformance");
    let shown = opened.lines().find(|line| line.contains("\"Increment\""));
    let shown = shown.unwrap_or_else(|| panic!("{opened}"));
    let increment = shown.trim_start_matches(['~', '+', ' ']).split(' ').next().unwrap().to_owned();
    let missed = tap("increment", false);
    let nearest = refs(&missed, "nearest: ");
    assert_eq!(nearest[0], increment, "{missed}");
    let tapped = tap(&nearest[0], true);
    assert!(tapped.contains("Counter: 1"), "{tapped}");
    open("trouble://duplicates");
    let several = tap("OK", false);
    let candidates = refs(&several, "candidates: ");
    assert!(candidates.len() > 1, "{several}");
    let tapped = tap(&candidates[1], true);
    assert!(tapped.contains("2"), "{tapped}");
    let stale = tap(&increment, false);
    assert!(stale.contains("REF_STALE"), "{stale}");
    let there = refs(&stale, "there now: ");
    tap(&there[0], true);
}

fn on_the_command_line(place: &Place, lane: &str) {
    let run = |args: &[&str]| {
        let mut program = place.program();
        program.env("CLAWPERATOR_OUTPUT", "agent").env("CLAWPERATOR_LANE", lane);
        let output = program.args(args).args(["--device", "sim"]).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.success())
    };
    let mut tap = |what: &str, works: bool| {
        let by = if what.starts_with('@') { "--ref" } else { "--text" };
        let (answer, is_done) = run(&["click", by, what, "--strict"]);
        assert_eq!(is_done, works, "{lane}, {what}: {answer}");
        answer
    };
    use_what_failures_tell(&mut |app| run(&["open", app]).0, &mut tap);
}

fn over_mcp(place: &Place, lane: &str) {
    let variables = [("CLAWPERATOR_LANE", Path::new(lane))];
    let agent = RefCell::new(Agent::start_in(place, &[], &variables));
    // The phone that has the lane, or a new one.
    let listed = agent.borrow_mut().call("device", &json!({}));
    let running = listed.lines().find(|line| line.starts_with("127.0.0.1:"));
    let choice = match running.and_then(|line| line.split(' ').next()) {
        Some(serial) => json!({"use": serial}),
        None => json!({"start": true}),
    };
    agent.borrow_mut().call("device", &choice);
    let mut tap = |what: &str, works: bool| {
        let steps = json!({"steps": [{"do": "tap", "on": what}]});
        let answer = agent.borrow_mut().call("act", &steps);
        let failed = ["NODE_", "REF_"].iter().any(|code| answer.contains(code));
        assert_eq!(failed, !works, "{lane}, {what}: {answer}");
        answer
    };
    let mut open = |app: &str| agent.borrow_mut().call("open", &json!({"app": app}));
    use_what_failures_tell(&mut open, &mut tap);
}

#[test]
fn the_refs_of_a_failure_are_used_in_the_next_call() {
    for (surface, lane) in [
        (on_the_command_line as fn(&Place, &str), "dump"),
        (on_the_command_line, "resident"),
        (over_mcp, "dump"),
        (over_mcp, "resident"),
    ] {
        let place = Place::new();
        if lane == "resident" {
            let file = jar(&place);
            let setup = ["lane", "setup", "--jar", &file, "--allow-unknown", "--device", "sim"];
            assert!(place.program().args(setup).output().unwrap().status.success());
        }
        surface(&place, lane);
    }
}
