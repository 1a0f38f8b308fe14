//! The checks, one row each.

use crate::foreign;
use crate::genuine;
use crate::outcome::{Outcome, told};
use crate::{licences, pool, tidy};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// One check.
#[derive(Clone, Copy)]
pub(crate) struct Check {
    /// Its name in the summary.
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Path) -> Outcome,
}

const fn check(name: &'static str, run: fn(&Path) -> Outcome) -> Check {
    Check { name, run }
}

/// Checks what the style guide says and no other tool checks.
pub(crate) const TIDY: Check = check("tidy", tidy::run);

/// Rewrites what is generated.
pub(crate) const REWRITE: Check = check("docs", |root| {
    let mut command = cargo(root, &["test", "--quiet", "--workspace"]);
    told(command.env("UPDATE_EXPECT", "1"))
});

/// Every check of `cargo xtask test`, cheap ones first.
pub(crate) const CHECKS: &[Check] = &[
    TIDY,
    check("format", |root| component(root, "fmt", &["fmt", "--all", "--check"])),
    check("lints", lints),
    check("genuine stage", genuine::stage),
    check("tests", pool::run),
    check("genuine tests", genuine::tests),
    check("without sim", without_sim),
    check("doc tests", |root| told(&mut cargo(root, &["test", "--workspace", "--doc", "--locked"]))),
    check("foreign pip", foreign::pip),
    check("foreign npm", foreign::npm),
    check("foreign browser", foreign::browser),
    check("foreign tests", foreign::tests),
    check("real dumps", real_dumps),
    check("licences", licences::run),
    check("advisories", licences::advisories),
];

/// What builds and runs the tests. `--lib` would also build crates whose tests are all in
/// their folder `tests`, a second time.
pub(crate) const TESTS: [&str; 5] = ["test", "--workspace", "--tests", "--locked", "--no-fail-fast"];

/// Features that are off by default and tested all the same. Every build has the same ones:
/// with others, most of the tree would be built again.
const FEATURES: [&str; 2] = ["--features", "clawperator/pool,clawperator-pool/nats"];

/// What builds and runs tests, and lints what it builds, if Clippy is there.
/// Linted by itself, every dependency would be compiled a second time.
pub(crate) fn cargo(root: &Path, args: &[&str]) -> Command {
    // Cargo tells its children which one it is; a nightly set for us must not
    // leak into them.
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root).args(args);
    if args.first() == Some(&"test") {
        command.args(FEATURES);
    }
    // What Cargo tells us about ourselves: a build script that reads it would run again.
    let ours = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    let named = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    named.filter(|name| ours(name)).for_each(|name| {
        command.env_remove(name);
    });
    lint(&mut command);
    command
}

/// Makes the compiler of our own crates one that lints them. A finding is an
/// error.
pub(crate) fn lint(command: &mut Command) {
    if can_lint() {
        command.env("RUSTC_WORKSPACE_WRAPPER", DRIVER).env("CLIPPY_ARGS", DENY_WARNINGS);
    }
}

/// Clippy's compiler, and `-D warnings` as it takes it.
const DRIVER: &str = "clippy-driver";
const DENY_WARNINGS: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

fn can_lint() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| {
        let mut driver = Command::new(DRIVER);
        driver.arg("--version");
        works(driver)
    })
}

/// Builds everything but benchmarks, and lints it.
fn lints(root: &Path) -> Outcome {
    if !can_lint() {
        return Outcome::Skipped("Clippy is not installed: rustup component add clippy".to_owned());
    }
    told(&mut cargo(root, &[&TESTS[..], &["--no-run"]].concat()))
}

/// How many tests run at once. Many wait for a process or for time to pass.
pub(crate) fn test_threads() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores * 2).to_string()
}

/// Tests the program without its simulated phones. The whole workspace is named:
/// one package alone would need its dependencies with other features, and so
/// would build them all again.
fn without_sim(root: &Path) -> Outcome {
    let program = ["--workspace", "--no-default-features", "--locked", "--bin", "clawperator"];
    told(&mut cargo(root, &[&["test"][..], &program].concat()))
}

/// Runs a part of the toolchain that may not be installed.
fn component(root: &Path, name: &str, args: &[&str]) -> Outcome {
    if !works(cargo(root, &[name, "--version"])) {
        return Outcome::Skipped(format!("cargo {name} is not installed: rustup component add {name}"));
    }
    told(&mut cargo(root, args))
}

pub(crate) fn works(mut command: Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
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
