//! Golden end-to-end cases: an execution in, an envelope and the phone's log of
//! commands out, on virtual time. docs/testing.md says how to add one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod cancel;
mod case;
mod coverage;
mod keys;
mod log;
mod play;
mod round_trips;
mod shelf;
mod world;

use case::{Case, Route, Sections};
use clawperator_contract::Lane;
use std::sync::Mutex;
use world::World;

/// How many cases run at the same time; each has a clock of its own.
const WORKERS: usize = 2;

/// The section of an answer that is another one on the resident lane.
const RESIDENT: &str = "resident";

#[test]
fn every_case_gives_its_golden_answer_twice() {
    every_case(judge);
}

#[test]
fn every_case_gives_the_same_answer_on_the_resident_lane() {
    every_case(judge_on_the_resident_lane);
}

fn every_case(judge: impl Fn(&Case) -> Option<String> + Sync) {
    let cases = Mutex::new(Case::selected());
    let wrong = Mutex::new(Vec::new());
    let next = || cases.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = next() {
                    let found = judge(&case);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(
        wrong.is_empty(),
        "{} wrong; UPDATE_EXPECT=1 rewrites what is expected\n\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What is wrong with a case, if anything is.
fn judge(case: &Case) -> Option<String> {
    let is_resident = World::read(case).is_ok_and(|world| world.resident_lane.is_some());
    let play = || {
        if is_resident { play::play(case, Lane::Resident) } else { play_with_both_answers(case) }
    };
    let (first, second) = match (play(), play()) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(error), _) | (_, Err(error)) => return Some(format!("{}: {error}", case.name)),
    };
    if first != second {
        let difference = case::difference(&format!("{first:#?}"), &format!("{second:#?}"));
        return Some(format!("{}: two runs differ\n{difference}", case.name));
    }
    case.compare(&first)
}

/// Plays a case; if its answer differs on the resident lane, there as well.
fn play_with_both_answers(case: &Case) -> Result<Sections, String> {
    let mut found = play::play(case, Lane::Dump)?;
    if World::read(case)?.resident_differs.is_some() {
        let there = play::play(case, Lane::Resident)?;
        found.push((RESIDENT.to_owned(), case::answer_of(&there)));
    }
    Ok(found)
}

/// How the answer of a case differs on the resident lane, if it should not.
fn judge_on_the_resident_lane(case: &Case) -> Option<String> {
    let world = World::read(case).ok()?;
    let is_judged = world.resident_differs.is_some() || world.resident_lane.is_some();
    if case.route == Route::Operator || is_judged {
        return None;
    }
    match play::play(case, Lane::Resident) {
        Ok(found) => case.compare_answer(&found),
        Err(error) => Some(format!("{}: {error}", case.name)),
    }
}
