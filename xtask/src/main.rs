//! The project's tasks. `cargo xtask test` is the one that matters: it runs
//! every check, goes on after a failure, and says at the end what passed, what
//! failed and what was skipped and why.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to people")]

mod check;
mod foreign;
mod fuzz;
mod genuine;
mod licences;
mod outcome;
mod pool;
mod tidy;

use check::{CHECKS, Check};
use outcome::Outcome;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "cargo xtask TASK

  test [--no-foreign]
          run every check: format, lints, tests, doc tests, tidiness, licences.
          The clients that we did not write are installed first: 830 MB from PyPI and
          npm into target/foreign, and adb and chromium by apt-get. --no-foreign (or
          --offline) leaves them out, and fetches nothing
  foreign run only the tests with clients that we did not write
  genuine [test]
          start a simulated phone behind Google's adbd, mksh and toybox from Debian's
          packages, and say where adb can connect to it, until Ctrl-C; or run the tests
          with them. 7 MB are fetched into target/genuine with apt-get; nothing is
          installed, and no root is needed
  licences
          check only licences, versions and sources of what we depend on
  tidy    check only what the style guide says and no other tool checks
  docs    rewrite what is generated: schemas and reference pages
  fuzz [DOOR] [--seconds N]
          run the fuzzer on one door of the program, or on each (60 seconds)
";

const ABOUT_CLIENTS: &str = "The clients that we did not write are installed where they are missing: 830 MB from PyPI \
    and npm into target/foreign, and adb and chromium by apt-get. cargo xtask test --no-foreign leaves them out.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let task: Vec<&str> = args.iter().map(String::as_str).collect();
    match task[..] {
        ["test"] => {
            println!("{ABOUT_CLIENTS}");
            std::thread::spawn(|| genuine::prepare(&root()));
            std::thread::spawn(|| foreign::install_all(&root()));
            run(CHECKS)
        }
        ["test", "--no-foreign" | "--offline"] => {
            let has_stage = genuine::is_there(&root());
            let others = CHECKS.iter().filter(|check| {
                !check.name.starts_with("foreign") && (has_stage || !check.name.starts_with("genuine"))
            });
            run(&others.copied().collect::<Vec<_>>())
        }
        ["foreign"] => run(&checks_named("foreign")),
        ["genuine"] => genuine::open(&root()),
        ["genuine", "test"] => run(&checks_named("genuine")),
        ["licences"] => run(&checks_named("licences")),
        ["tidy"] => run(&[check::TIDY]),
        ["docs"] => run(&[check::REWRITE]),
        ["fuzz", ref rest @ ..] => fuzz::fuzz(&root(), rest),
        _ => {
            eprint!("{USAGE}");
            ExitCode::FAILURE
        }
    }
}

/// The checks whose names begin so.
fn checks_named(name: &str) -> Vec<Check> {
    let named = CHECKS.iter().filter(|check| check.name.starts_with(name));
    named.copied().collect()
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn run(checks: &[Check]) -> ExitCode {
    let started = Instant::now();
    let mut results = Vec::new();
    for check in checks {
        println!("== {}", check.name);
        let began = Instant::now();
        results.push((check, (check.run)(&root()), began.elapsed()));
    }
    println!("\n== summary");
    for (check, outcome, took) in &results {
        let seconds = took.as_secs_f32();
        match outcome {
            Outcome::Passed => println!("passed   {:<15} {seconds:6.1} s", check.name),
            Outcome::PassedAgain(tests) => {
                println!(
                    "passed   {:<15} {seconds:6.1} s; only when run again, alone: {}",
                    check.name,
                    tests.join(", ")
                );
            }
            Outcome::Skipped(why) => println!("skipped  {:<15} {why}", check.name),
            Outcome::Failed(why) => println!("FAILED   {:<15} {why}", check.name),
        }
    }
    let count =
        |wanted: fn(&Outcome) -> bool| results.iter().filter(|(_, outcome, _)| wanted(outcome)).count();
    let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
    let passed = results.len() - failed - skipped;
    println!("total    {:.0} s", started.elapsed().as_secs_f32());
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
