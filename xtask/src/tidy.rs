//! What the style guide says and no other tool checks.

use crate::outcome::Outcome;
use std::fs;
use std::path::{Path, PathBuf};

/// A file aims at 300 lines; here it has to be split. Tests are exempt, and so
/// are the tables named below.
const MOST_LINES: usize = 500;
const TABLES: &[&str] = &["action/catalogue.rs", "contract/src/error_code.rs", "http/routes.rs"];
/// File names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["utils.rs", "util.rs", "helpers.rs", "common.rs", "misc.rs", "manager.rs"];

/// The page that names tests by the numbers of holes and bugs.
const TOLD: &str = "docs/testing.md";

/// Tests that may wait in real time, and why.
const REAL_WAITS: &[(&str, &str)] = &[
    ("adb/tests/foreign/main.rs", "adb's server does not say when it listens"),
    ("run/tests/foreign/main.rs", "adb's server does not say when it listens"),
    ("sim/tests/foreign/bench.rs", "adb's server does not say when it listens"),
    ("adb/tests/it/faults/link.rs", "faults.rs pauses its clock"),
    ("clawperator/tests/it/lane.rs", "a time limit of the program is real"),
    ("clawperator/tests/it/live.rs", "processes that give no sign yet"),
    ("clawperator/tests/it/record.rs", "processes that give no sign yet"),
    ("clawperator/tests/it/secrets.rs", "a process is killed while it works"),
    ("clawperator/tests/it/serve.rs", "processes that give no sign yet"),
    ("clawperator/tests/it/sim.rs", "processes that give no sign yet"),
    ("clawperator/tests/it/sim_trouble.rs", "processes that give no sign yet"),
    ("pool/tests/cluster/phones.rs", "phones go away for a while beside processes"),
    ("pool/tests/foreign/keys.rs", "a server of NATS has its own clock"),
    ("pool/tests/foreign/server.rs", "a server of NATS has its own clock"),
    ("pool/tests/it/broker.rs", "the same checks run on a server of NATS"),
    ("server/tests/it/crowd.rs", "a time limit of the server is real"),
    ("server/tests/it/documented.rs", "a time limit of the server is real"),
    ("userland/tests/it/world.rs", "this is the machine's own clock"),
];

/// Checks every Rust file.
pub(crate) fn run(root: &Path) -> Outcome {
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "fuzz/fuzz_targets"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let mut faults = Vec::new();
    let mut told = told_tests(&fs::read_to_string(root.join(TOLD)).unwrap_or_default());
    for file in &files {
        match fs::read_to_string(file) {
            Ok(text) => {
                faults.extend(faults_of(file, &text).map(|fault| format!("{}: {fault}", shown(root, file))));
                told.retain(|name| !text.contains(&format!("fn {name}(")));
            }
            Err(error) => faults.push(format!("{}: {error}", shown(root, file))),
        }
    }
    faults.extend(missing_from_clone(root));
    faults.extend(told.iter().map(|name| format!("{TOLD}: there is no test {name}")));
    faults.iter().for_each(|fault| println!("{fault}"));
    match (files.len(), faults.len()) {
        (0, _) => Outcome::Failed("no Rust files were found".to_owned()),
        (_, 0) => Outcome::Passed,
        (_, count) => Outcome::failed(format!("{count} untidy places"), faults),
    }
}

/// The tests of numbered holes and bugs that a page names.
fn told_tests(page: &str) -> Vec<String> {
    let names = page.split('`').skip(1).step_by(2);
    let is_test = |name: &&str| name.starts_with("hole_") || name.starts_with("bug_");
    names.filter(is_test).map(str::to_owned).collect()
}

fn shown(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// What is untidy about one file.
fn faults_of<'f>(file: &'f Path, text: &'f str) -> impl Iterator<Item = String> + use<'f> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_test = file.components().any(|part| part.as_os_str() == "tests");
    let is_table = TABLES.iter().any(|table| file.ends_with(table));
    let code = text.split("#[cfg(test)]").next().unwrap_or(text).lines().count();
    let too_long = code > MOST_LINES && !is_test && !is_table;
    let whole_file = [
        (!text.starts_with("//!"), "the first line does not say what the file is (//!)".to_owned()),
        (EMPTY_NAMES.contains(&name), "the name says nothing about what is inside".to_owned()),
        (too_long, format!("{code} lines without tests; split it at {MOST_LINES}")),
    ];
    // Put together so that this file does not find itself.
    let banned = [concat!("#[ign", "ore"), concat!("todo", "!("), concat!("should_", "panic")];
    let lines = text.lines().enumerate().filter_map(move |(number, line)| {
        let word = banned.into_iter().find(|word| line.contains(word))?;
        Some(format!("line {}: {word}", number + 1))
    });
    whole_file
        .into_iter()
        .filter_map(|(is_fault, text)| is_fault.then_some(text))
        .chain(lines)
        .chain(real_waits(file, text, is_test))
        .chain(undocumented(text).filter(move |_| !is_test))
}

/// What other crates use and no comment says what it is. Fields and variants may
/// speak for themselves, so the compiler's lint is too strict for us.
fn undocumented(text: &str) -> impl Iterator<Item = String> + use<'_> {
    const KINDS: [&str; 7] = ["fn ", "async fn ", "const fn ", "struct ", "enum ", "trait ", "type "];
    let mut is_documented = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let line = line.trim_start();
        if line.starts_with("///") {
            is_documented = true;
        }
        // Between a comment and its item are attributes, perhaps of several lines.
        let item = line.strip_prefix("pub ");
        // A macro passes comments on.
        let item = item.filter(|item| !item.contains('$') && KINDS.iter().any(|kind| item.starts_with(kind)));
        let is_fault = item.is_some() && !is_documented;
        if line.is_empty() || line.ends_with(['{', '}', ';']) {
            is_documented = false;
        }
        is_fault.then(|| format!("line {}: no comment says what it is", number + 1))
    })
}

/// Where a test sleeps for real or measures real time. A test waits for what it
/// needs, or stops the clock.
fn real_waits<'f>(file: &Path, text: &'f str, is_test: bool) -> impl Iterator<Item = String> + use<'f> {
    let allowed = REAL_WAITS.iter().any(|(name, _)| file.ends_with(name));
    let begin =
        if is_test { Some(0) } else { text.lines().position(|line| line.starts_with("#[cfg(test)]")) };
    let pauses = text.contains(concat!("start_", "paused"));
    let tests = text.lines().enumerate().skip(begin.unwrap_or(usize::MAX));
    tests.filter(move |_| !allowed).filter_map(move |(number, line)| {
        let slept = line.contains(concat!("thread::", "sleep"))
            || !pauses && line.contains(concat!("time::", "sleep("));
        let measured = line.contains("std::time::") && line.contains("Instant");
        let what = if slept {
            "sleeps for real"
        } else if measured {
            "measures real time"
        } else {
            return None;
        };
        Some(format!("line {}: a test {what}", number + 1))
    })
}

/// Files the project promises to have.
fn missing_from_clone(root: &Path) -> Vec<String> {
    let promised = [
        "README.md",
        "ARCHITECTURE.md",
        "STYLE.md",
        "CONTEXT.md",
        "CHANGELOG.md",
        "LICENSE",
        "deny.toml",
        ".ci/run",
        "docs/contract.md",
        "docs/performance.md",
    ];
    let missing = promised.iter().filter(|name| !root.join(name).is_file());
    missing.map(|name| format!("{name} is missing")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(name: &str, text: &str) -> usize {
        faults_of(Path::new(name), text).count()
    }

    #[test]
    fn numbered_tests_of_a_page_are_found() {
        let page = "| 1 | `hole_01_a`, `hole_01_b` (server); `tests/it` | `bug_02_c` |";
        assert_eq!(told_tests(page), ["hole_01_a", "hole_01_b", "bug_02_c"]);
    }

    #[test]
    fn untidy_files_are_found() {
        assert_eq!(faults("crates/a/src/noun.rs", "//! A noun.\n"), 0);
        assert_eq!(faults("crates/a/src/noun.rs", "fn f() {}\n"), 1);
        assert_eq!(faults("crates/a/src/utils.rs", "//! Things.\n"), 1);
        let said = "//! A.\n/// Does.\n#[must_use]\npub fn f() {}\n";
        assert_eq!(faults("crates/a/src/noun.rs", said), 0);
        assert_eq!(faults("crates/a/src/noun.rs", "//! A.\npub fn f() {}\n"), 1);
        let long = format!("//! Long.\n{}", "fn f() {}\n".repeat(500));
        assert_eq!(faults("crates/a/src/noun.rs", &long), 1);
        assert_eq!(faults("crates/a/tests/it/noun.rs", &long), 0);
        let tested = format!("//! Long.\n#[cfg(test)]\n{}", "fn f() {}\n".repeat(500));
        assert_eq!(faults("crates/a/src/noun.rs", &tested), 0);
        assert_eq!(faults("crates/a/src/noun.rs", concat!("//! A.\n#[ign", "ore]\n")), 1);
        let sleep = concat!("time::", "sleep(a)");
        for (text, count) in [
            (format!("//! A.\n{sleep}\n"), 0),
            (format!("//! A.\n#[cfg(test)]\n{sleep}\n"), 1),
            (format!("//! A.\n#[cfg(test)]\n{sleep}\nstart_paused\n"), 0),
            (concat!("//! A.\n#[cfg(test)]\nuse std::time::{Duration, Inst", "ant};\n").to_owned(), 1),
        ] {
            assert_eq!(faults("crates/a/src/noun.rs", &text), count, "{text}");
        }
        assert_eq!(faults("crates/a/tests/it/noun.rs", &format!("//! A.\n{sleep}\n")), 1);
    }
}
