//! What is let into the tree: licences, one version of each crate, one registry.
//! `deny.toml` says what is allowed. Cargo itself says what is there, so this takes
//! a second; cargo-deny, where it is installed, also asks for known weaknesses.

use crate::check::{cargo, works};
use crate::outcome::{Outcome, told};
use std::collections::BTreeMap;
use std::path::Path;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
const TREE: &[&str] = &[
    "tree",
    "--workspace",
    "--all-features",
    "--locked",
    "--target=all",
    "--edges=normal,build",
    "--prefix=none",
    "--format={p}|{l}",
];

pub(crate) fn run(root: &Path) -> Outcome {
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
    let (rules, lock) = (read("deny.toml"), read("Cargo.lock"));
    let tree = match cargo(root, TREE).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => return Outcome::Failed(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let wrong: Vec<String> = [licences(&rules, &tree), versions(&rules, &lock), sources(&lock)].concat();
    if wrong.is_empty() {
        return Outcome::Passed;
    }
    for line in &wrong {
        println!("{line}");
    }
    Outcome::failed("deny.toml does not allow what is there".to_owned(), wrong)
}

/// Weaknesses that are known. Their list is a download from outside.
pub(crate) fn advisories(root: &Path) -> Outcome {
    if works(cargo(root, &["deny", "--version"])) {
        told(&mut cargo(root, &["deny", "check", "advisories"]))
    } else {
        Outcome::Skipped("cargo-deny is not installed: cargo install cargo-deny".to_owned())
    }
}

/// The words in quotes of a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

fn licences(rules: &str, tree: &str) -> Vec<String> {
    let allows = |line: &str| line.trim_start().starts_with("allow = ");
    let allowed: Vec<&str> = rules.lines().filter(|line| allows(line)).flat_map(quoted).collect();
    let exception = |line: &'_ str| line.contains("crate = ") && line.contains("allow = ");
    let exceptions: Vec<Vec<&str>> =
        rules.lines().filter(|line| exception(line)).map(|line| quoted(line).collect()).collect();
    let mut packages: Vec<&str> =
        tree.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty()).collect();
    packages.sort_unstable();
    packages.dedup();
    let is_wrong = |line: &&str| {
        let (package, licence) = line.split_once('|').unwrap_or((line, ""));
        let name = package.split(' ').next().unwrap_or_default();
        let own = exceptions.iter().find(|words| words.first() == Some(&name));
        let may = |word: &str| allowed.contains(&word) || own.is_some_and(|words| words[1..].contains(&word));
        !package.contains(" (/") && !holds(licence, &may)
    };
    packages.into_iter().filter(is_wrong).map(|line| format!("licence not allowed: {line}")).collect()
}

/// Tells whether an SPDX expression holds: a part in brackets first, then every part
/// of an AND, of each of which one part of an OR must be allowed.
fn holds(licence: &str, may: &dyn Fn(&str) -> bool) -> bool {
    if let Some((before, (inside, after))) =
        licence.rsplit_once('(').and_then(|(before, rest)| Some((before, rest.split_once(')')?)))
    {
        let word = if holds(inside, may) { "yes" } else { "no" };
        return holds(&format!("{before}{word}{after}"), may);
    }
    let licence = licence.replace('/', " OR ");
    // AND binds more than OR.
    licence.split(" OR ").any(|all| all.split(" AND ").all(|one| one.trim() == "yes" || may(one.trim())))
}

fn versions(rules: &str, lock: &str) -> Vec<String> {
    let skipped: Vec<&str> = rules
        .lines()
        .filter(|line| line.contains("reason = "))
        .filter_map(|line| quoted(line).next())
        .collect();
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut lines = lock.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("name = ") {
            let version = lines.next().and_then(|line| quoted(line).next()).unwrap_or_default();
            let name = name.trim_matches('"');
            let is_skipped = |skip: &&str| {
                skip.split_once('@').is_some_and(|(of, from)| of == name && version.starts_with(from))
            };
            if !skipped.iter().any(is_skipped) {
                found.entry(name).or_default().push(version);
            }
        }
    }
    let several = found.into_iter().filter(|(_, versions)| versions.len() > 1);
    several.map(|(name, versions)| format!("several versions of {name}: {}", versions.join(", "))).collect()
}

fn sources(lock: &str) -> Vec<String> {
    let sources = lock.lines().filter_map(|line| line.strip_prefix("source = "));
    let others = sources.filter(|source| source.trim_matches('"') != REGISTRY);
    others.map(|source| format!("a source that is not crates.io: {source}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_holds_if_what_it_asks_for_is_allowed() {
        let may = |word: &str| ["MIT", "Unicode-3.0"].contains(&word);
        for yes in ["MIT", "X OR MIT", "X/MIT", "(X OR MIT) AND Unicode-3.0", "(X AND Y) OR MIT"] {
            assert!(holds(yes, &may), "{yes}");
        }
        for no in ["", "X", "MIT AND X", "(X OR MIT) AND Y", "(MIT OR X) AND (X OR Y)"] {
            assert!(!holds(no, &may), "{no}");
        }
    }

    #[test]
    fn what_is_not_allowed_is_named() {
        let rules =
            "allow = [\"MIT\"]\n { crate = \"b\", allow = [\"ISC\"] },\n { crate = \"c@1\", reason = \"\" },";
        let tree = "a v1|MIT\nb v1|ISC\nc v1|ISC\nours v1 (/work)|X\n";
        assert_eq!(licences(rules, tree), ["licence not allowed: c v1|ISC"]);
        let lock = "name = \"c\"\nversion = \"1.2\"\nname = \"c\"\nversion = \"2.0\"\nname = \"d\"\nversion = \"1\"\nname = \"d\"\nversion = \"2\"\nsource = \"git\"";
        assert_eq!(versions(rules, lock), ["several versions of d: 1, 2"]);
        assert_eq!(sources(lock).len(), 1);
    }
}
