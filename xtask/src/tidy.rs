//! What the style guide says and no other tool checks.

use crate::outcome::Outcome;
use std::fs;
use std::path::{Path, PathBuf};

/// A file aims at 300 lines; here it has to be split. Tests are exempt, and so
/// are the tables named below.
const MOST_LINES: usize = 500;
const TABLES: &[&str] = &["action/catalogue.rs"];
/// File names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &[
    "utils.rs",
    "util.rs",
    "helpers.rs",
    "common.rs",
    "misc.rs",
    "manager.rs",
];

/// Checks every Rust file.
pub(crate) fn run(root: &Path) -> Outcome {
    let mut files = Vec::new();
    for folder in ["crates", "xtask", "fuzz/fuzz_targets"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let mut faults = Vec::new();
    for file in &files {
        match fs::read_to_string(file) {
            Ok(text) => {
                faults.extend(faults_of(file, &text).map(|fault| format!("{}: {fault}", shown(root, file))));
            }
            Err(error) => faults.push(format!("{}: {error}", shown(root, file))),
        }
    }
    faults.extend(missing_from_clone(root));
    faults.iter().for_each(|fault| println!("{fault}"));
    match (files.len(), faults.len()) {
        (0, _) => Outcome::Failed("no Rust files were found".to_owned()),
        (_, 0) => Outcome::Passed,
        (_, count) => Outcome::Failed(format!("{count} untidy places")),
    }
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
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let is_test = file.components().any(|part| part.as_os_str() == "tests");
    let is_table = TABLES.iter().any(|table| file.ends_with(table));
    let code = text.split("#[cfg(test)]").next().unwrap_or(text).lines().count();
    let too_long = code > MOST_LINES && !is_test && !is_table;
    let whole_file = [
        (
            !text.starts_with("//!"),
            "the first line does not say what the file is (//!)".to_owned(),
        ),
        (
            EMPTY_NAMES.contains(&name),
            "the name says nothing about what is inside".to_owned(),
        ),
        (
            too_long,
            format!("{code} lines without tests; split it at {MOST_LINES}"),
        ),
    ];
    // Put together so that this file does not find itself.
    let banned = [
        concat!("#[ign", "ore"),
        concat!("todo", "!("),
        concat!("should_", "panic"),
    ];
    let lines = text.lines().enumerate().filter_map(move |(number, line)| {
        let word = banned.into_iter().find(|word| line.contains(word))?;
        Some(format!("line {}: {word}", number + 1))
    });
    whole_file
        .into_iter()
        .filter_map(|(is_fault, text)| is_fault.then_some(text))
        .chain(lines)
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
    fn untidy_files_are_found() {
        assert_eq!(faults("crates/a/src/noun.rs", "//! A noun.\n"), 0);
        assert_eq!(faults("crates/a/src/noun.rs", "fn f() {}\n"), 1);
        assert_eq!(faults("crates/a/src/utils.rs", "//! Things.\n"), 1);
        let long = format!("//! Long.\n{}", "fn f() {}\n".repeat(500));
        assert_eq!(faults("crates/a/src/noun.rs", &long), 1);
        assert_eq!(faults("crates/a/tests/it/noun.rs", &long), 0);
        let tested = format!("//! Long.\n#[cfg(test)]\n{}", "fn f() {}\n".repeat(500));
        assert_eq!(faults("crates/a/src/noun.rs", &tested), 0);
        assert_eq!(
            faults("crates/a/src/noun.rs", concat!("//! A.\n#[ign", "ore]\n")),
            1
        );
    }
}
