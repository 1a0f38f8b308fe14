//! Golden end-to-end cases: an execution in, an envelope and the phone's log of
//! commands out, on virtual time. docs/testing.md says how to add one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod coverage;
mod folder;
mod keys;
mod log;
mod play;
mod round_trips;
mod shelf;
mod world;

use folder::Folder;
use std::sync::Mutex;

/// How many cases run at the same time; each has a clock of its own.
const WORKERS: usize = 2;

#[test]
fn every_case_gives_its_golden_answer_twice() {
    let folders = Mutex::new(Folder::all());
    let wrong = Mutex::new(Vec::new());
    let next = || folders.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(folder) = next() {
                    let found = judge(&folder);
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

/// What is wrong with a case, by its name.
fn judge(folder: &Folder) -> Vec<String> {
    let (first, second) = (play::play(folder), play::play(folder));
    let (first, second) = match (first, second) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(error), _) | (_, Err(error)) => return vec![format!("{}: {error}", folder.name)],
    };
    if first != second {
        let difference = folder::difference(&format!("{first:#?}"), &format!("{second:#?}"));
        return vec![format!("{}: two runs differ\n{difference}", folder.name)];
    }
    folder.compare(&first)
}
