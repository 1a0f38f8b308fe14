//! The tests with clients that we did not write. They are installed where they
//! are missing and may be, and run in a network namespace that has loopback
//! only, so that none of them can reach out, and in a process namespace that
//! ends with the tests, so that nothing they start outlives them.

mod packages;

use crate::check::{TESTS, cargo, works};
use crate::outcome::{Outcome, outcome};
use std::path::Path;
use std::process::Command;

/// A program and the Debian package that has it.
const PROGRAMS: [(&str, &str); 3] = [("adb", "adb"), ("ip", "iproute2"), ("unshare", "util-linux")];

/// The browser for the page.
const BROWSER: [(&str, &str); 1] = [("chromium", "chromium")];

/// A world of their own, with `/proc` for it.
const NAMESPACE: [&str; 5] = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// They wait more than they compute.
const THREADS: &str = "--test-threads=6";

/// The modules of tests that need more than Debian's adb.
const PIP: [&str; 2] = ["wheel_adb::", "python::"];
const NPM: [&str; 1] = ["node::"];
const PAGE: [&str; 1] = ["page::"];

/// Debian's adb, and our own client through its server.
pub(crate) fn apt(root: &Path) -> Outcome {
    let others = [&PIP[..], &NPM, &PAGE].concat();
    let skipped: Vec<&str> = others.into_iter().flat_map(|module| ["--skip", module]).collect();
    test(root, &skipped)
}

/// Clients from the Python package index; one of them brings a newer adb.
pub(crate) fn pip(root: &Path) -> Outcome {
    match packages::PIP.install(root) {
        Ok(()) => test(root, &PIP),
        Err(why) => Outcome::Skipped(why),
    }
}

/// Clients from the Node package registry.
pub(crate) fn npm(root: &Path) -> Outcome {
    match packages::NPM.install(root) {
        Ok(()) => test(root, &NPM),
        Err(why) => Outcome::Skipped(why),
    }
}

/// The page in Debian's Chromium, with tools from the Node package registry.
pub(crate) fn browser(root: &Path) -> Outcome {
    match packages::NPM.install(root).and_then(|()| install(&BROWSER)) {
        Ok(()) => test(root, &PAGE),
        Err(why) => Outcome::Skipped(why),
    }
}

/// Runs the foreign tests of every package that a filter names.
fn test(root: &Path, filter: &[&str]) -> Outcome {
    if let Err(why) = install(&PROGRAMS) {
        return Outcome::Skipped(why);
    }
    // Built before, because a namespace without a network cannot fetch crates.
    // One package alone would need its dependencies with other features, and
    // so would build them all again.
    let target = ["test", "--workspace", "--test", "foreign"];
    // Some clients start the program.
    let program = outcome(&mut cargo(root, &[&TESTS[..], &["--no-run"]].concat()));
    if !matches!(program, Outcome::Passed) {
        return program;
    }
    let build = outcome(&mut cargo(
        root,
        &[&target[..], &["--locked", "--no-run"]].concat(),
    ));
    if !matches!(build, Outcome::Passed) {
        return build;
    }
    let mut namespace = Command::new("unshare");
    namespace.args(NAMESPACE).arg("true");
    if !works(namespace) {
        return Outcome::Skipped("a network namespace needs more rights than we have".to_owned());
    }
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new("unshare");
    command.current_dir(root).args(NAMESPACE).args(["sh", "-c"]);
    command
        .arg("ip link set lo up && exec \"$0\" \"$@\"")
        .arg(cargo)
        .args(target)
        .args(["--offline", "--", THREADS])
        .args(filter);
    outcome(&mut command)
}

/// Installs what is missing; says why where it cannot.
fn install(programs: &[(&str, &'static str)]) -> Result<(), String> {
    let missing: Vec<_> = programs
        .iter()
        .filter(|(program, _)| !exists(program))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    let by_hand = format!("missing: apt-get install {list}");
    if !exists("apt-get") || !is_root() {
        return Err(by_hand);
    }
    println!("installing {list}");
    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(["-qq", "-y"])
            .args(args);
        command.status().is_ok_and(|status| status.success())
    };
    let installed = apt(&["update"]) && apt(&[&["install"], &missing[..]].concat());
    if installed { Ok(()) } else { Err(by_hand) }
}

fn exists(program: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", "command -v \"$0\""]).arg(program);
    works(command)
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.starts_with(b"0\n"))
}
