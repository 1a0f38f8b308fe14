//! The checks, one row each.

use crate::foreign;
use crate::outcome::{Outcome, outcome};
use crate::tidy;
use std::path::Path;
use std::process::{Command, Stdio};

/// One check.
#[derive(Clone, Copy)]
pub(crate) struct Check {
    /// Its name in the summary.
    pub(crate) name: &'static str,
    /// Runs it.
    pub(crate) run: fn(&Path) -> Outcome,
}

/// Checks what the style guide says and no other tool checks.
pub(crate) const TIDY: Check = Check {
    name: "tidy",
    run: tidy::run,
};

/// Rewrites what is generated.
pub(crate) const REWRITE: Check = Check {
    name: "docs",
    run: |root| {
        let mut command = cargo(root, &["test", "--quiet", "--workspace"]);
        outcome(command.env("UPDATE_EXPECT", "1"))
    },
};

/// Every check of `cargo xtask test`, cheap ones first.
pub(crate) const CHECKS: &[Check] = &[
    TIDY,
    Check {
        name: "format",
        run: |root| component(root, "fmt", &["fmt", "--all", "--check"]),
    },
    Check {
        name: "lints",
        run: |root| {
            let args = [
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "-D",
                "warnings",
            ];
            component(root, "clippy", &args)
        },
    },
    Check {
        name: "tests",
        run: |root| {
            let mut command = cargo(root, &TESTS);
            outcome(command.env("RUST_TEST_THREADS", test_threads()))
        },
    },
    Check {
        name: "without sim",
        run: without_sim,
    },
    Check {
        name: "doc tests",
        run: |root| outcome(&mut cargo(root, &["test", "--workspace", "--doc", "--locked"])),
    },
    Check {
        name: "docs",
        run: |root| {
            let mut command = cargo(root, &["doc", "--workspace", "--no-deps", "--locked", "--quiet"]);
            outcome(command.env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    Check {
        name: "foreign apt",
        run: foreign::apt,
    },
    Check {
        name: "foreign pip",
        run: foreign::pip,
    },
    Check {
        name: "foreign npm",
        run: foreign::npm,
    },
    Check {
        name: "foreign browser",
        run: foreign::browser,
    },
    Check {
        name: "real dumps",
        run: real_dumps,
    },
    Check {
        name: "licences",
        run: licences,
    },
];

/// What builds and runs the tests. Clippy has checked the benchmarks.
pub(crate) const TESTS: [&str; 6] = ["test", "--workspace", "--lib", "--bins", "--tests", "--locked"];

pub(crate) fn cargo(root: &Path, args: &[&str]) -> Command {
    // Cargo tells its children which one it is; a nightly set for us must not
    // leak into them.
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root).args(args);
    command
}

/// How many tests run at once. Many wait for a process or for time to pass.
fn test_threads() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores * 2).to_string()
}

/// Lints and tests the program without its simulated phones. The whole workspace
/// is named: one package alone would need its dependencies with other features,
/// and so would build them all again.
fn without_sim(root: &Path) -> Outcome {
    let program = ["--workspace", "--no-default-features", "--locked"];
    let lints = [
        &["clippy"][..],
        &program,
        &["--all-targets", "--", "-D", "warnings"],
    ];
    match component(root, "clippy", &lints.concat()) {
        Outcome::Failed(why) => Outcome::Failed(why),
        Outcome::Passed | Outcome::Skipped(_) => outcome(&mut cargo(
            root,
            &[&["test"][..], &program, &["--bin", "clawperator"]].concat(),
        )),
    }
}

/// Runs a part of the toolchain that may not be installed.
fn component(root: &Path, name: &str, args: &[&str]) -> Outcome {
    if !works(cargo(root, &[name, "--version"])) {
        return Outcome::Skipped(format!(
            "cargo {name} is not installed: rustup component add {name}"
        ));
    }
    outcome(&mut cargo(root, args))
}

pub(crate) fn works(mut command: Command) -> bool {
    let quiet = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// The ui tests read real dumps where they are; they may not be copied into the repository.
fn real_dumps(root: &Path) -> Outcome {
    let folder = root.join("../shared/phone/dumps");
    if folder.is_dir() {
        Outcome::Passed
    } else {
        Outcome::Skipped("no real dumps beside the repository; the ui tests ran without them".to_owned())
    }
}

/// Licences, bans and sources. The advisory database is a download from
/// outside, so it is not part of a test run.
fn licences(root: &Path) -> Outcome {
    if !works(cargo(root, &["deny", "--version"])) {
        return Outcome::Skipped("cargo-deny is not installed: cargo install cargo-deny".to_owned());
    }
    outcome(&mut cargo(
        root,
        &["deny", "check", "bans", "licenses", "sources"],
    ))
}
