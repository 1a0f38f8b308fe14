//! World files: the phone that a skill is tested on, what the skill is given,
//! and what must come of it.

use super::expectation::Expectation;
use super::limits::{MAX_FILE, MAX_LINES};
use super::variant::{Conditions, Variant};
use clawperator_document::Position;
use clawperator_document::yaml::{self, Spanned};
use clawperator_host::app_file;
use clawperator_sim::Latency;
use clawperator_sim::app::App;
use clawperator_sim::fault::Fault;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(super) const ENDING: &str = ".world.yaml";

/// A world file that was read and checked.
#[derive(Debug)]
pub struct WorldFile {
    pub apps: Vec<Arc<App>>,
    pub setup: Vec<String>,
    pub faults: Vec<Fault>,
    pub latency: Latency,
    pub seed: u64,
    pub meanwhile: Vec<Meanwhile>,
    pub artifact: Option<String>,
    pub inputs: BTreeMap<String, Value>,
    pub arguments: Vec<String>,
    pub expect: Expectation,
    variants: Option<Vec<Variant>>,
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawWorldFile {
    /// What the test shows, for people.
    #[serde(default, rename = "about")]
    _about: String,
    /// App files beside the built-in apps, by their paths from this file.
    #[serde(default)]
    apps: Vec<Spanned<String>>,
    #[serde(default)]
    setup: Vec<String>,
    /// What goes wrong once the skill runs.
    #[serde(default)]
    faults: Vec<Spanned<String>>,
    latency: Option<Spanned<String>>,
    /// What is random comes from this.
    #[serde(default)]
    seed: u64,
    /// What happens to the phone while the skill runs.
    #[serde(default)]
    meanwhile: Vec<Meanwhile>,
    /// The variants to try besides the plain one; all of them without this.
    variants: Option<Vec<Spanned<String>>>,
    /// Which recipe of the skill is tested, if it has several.
    artifact: Option<String>,
    /// What the skill is given.
    #[serde(default)]
    inputs: BTreeMap<String, Value>,
    /// What a script gets after the phone.
    #[serde(default)]
    arguments: Vec<String>,
    expect: Expectation,
}

/// A command that somebody else runs on the phone while the skill does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meanwhile {
    at_ms: u64,
    pub run: String,
}

impl Meanwhile {
    /// How long after the start.
    pub fn after(&self) -> Duration {
        Duration::from_millis(self.at_ms)
    }
}

impl WorldFile {
    /// Reads and checks a world file. `shown` is what problems call it.
    pub fn read(file: &Path, shown: &str) -> Result<Self, Vec<String>> {
        let text = app_file::read_text(file, MAX_FILE).map_err(|why| vec![format!("{shown}: it {why}")])?;
        Self::parse(&text, file.parent().unwrap_or(file), shown)
    }

    pub(super) fn parse(text: &str, folder: &Path, shown: &str) -> Result<Self, Vec<String>> {
        Self::of(read_yaml(text, shown)?, folder, shown)
    }

    /// Checks a world that was read. Its app files are found from `folder`.
    pub fn of(written: RawWorldFile, folder: &Path, shown: &str) -> Result<Self, Vec<String>> {
        let mut bad = Bad { file: shown, problems: Vec::new() };
        let lists = [
            ("setup", written.setup.len()),
            ("faults", written.faults.len()),
            ("apps", written.apps.len()),
            ("meanwhile", written.meanwhile.len()),
            ("arguments", written.arguments.len()),
        ];
        for (name, _) in lists.iter().filter(|(_, length)| *length > MAX_LINES) {
            bad.problems.push(format!("{shown}: {name} has more than {MAX_LINES} entries"));
        }
        bad.problems.extend(written.expect.contradiction().map(|why| format!("{shown}: {why}")));
        let world = Self {
            apps: apps(&written.apps, folder, &mut bad),
            faults: faults(&written.faults, &mut bad),
            latency: written.latency.and_then(|word| latency(&word, &mut bad)).unwrap_or(Latency::None),
            variants: written
                .variants
                .map(|words| words.iter().filter_map(|word| variant(word, &mut bad)).collect()),
            setup: written.setup,
            seed: written.seed,
            meanwhile: written.meanwhile,
            artifact: written.artifact,
            inputs: written.inputs,
            arguments: written.arguments,
            expect: written.expect,
        };
        if bad.problems.is_empty() { Ok(world) } else { Err(bad.problems) }
    }

    /// How the phone behaves as the file says.
    pub fn conditions(&self) -> Conditions {
        Conditions {
            latency: self.latency,
            faults: self.faults.clone(),
            seed: self.seed,
            interrupted_at: None,
        }
    }

    /// The variants to try, the plain one first.
    pub(super) fn variants(&self) -> Vec<Variant> {
        let wanted = |variant: &Variant| {
            *variant == Variant::Plain || self.variants.as_ref().is_none_or(|named| named.contains(variant))
        };
        Variant::ALL.iter().copied().filter(wanted).collect()
    }
}

/// Reads YAML, or says where it is wrong.
pub fn read_yaml<T: DeserializeOwned>(text: &str, shown: &str) -> Result<T, Vec<String>> {
    yaml::read(text).map_err(|problem| {
        let hint = problem.hint.as_ref().map(|hint| format!(". {hint}")).unwrap_or_default();
        vec![format!("{shown}{}: {}{hint}", place(problem.position), problem.message)]
    })
}

/// A position behind the name of a file, as far as it is known.
fn place(position: Option<Position>) -> String {
    position.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column))
}

/// What is wrong with a world file.
struct Bad<'f> {
    file: &'f str,
    problems: Vec<String>,
}

impl Bad<'_> {
    fn add<T>(&mut self, at: &Spanned<T>, message: &str) {
        let (file, place) = (self.file, place(yaml::position_of(at)));
        self.problems.push(format!("{file}{place}: {message}"));
    }
}

fn apps(files: &[Spanned<String>], folder: &Path, bad: &mut Bad<'_>) -> Vec<Arc<App>> {
    let mut apps = Vec::new();
    for file in files.iter().take(MAX_LINES) {
        match app_file::read(&folder.join(&file.value)) {
            Ok(found) => apps.extend(found.into_iter().map(Arc::new)),
            Err(problems) => problems.iter().for_each(|problem| bad.add(file, &problem.to_string())),
        }
    }
    apps
}

fn faults(texts: &[Spanned<String>], bad: &mut Bad<'_>) -> Vec<Fault> {
    let mut plan: Vec<Fault> = Vec::new();
    for text in texts.iter().take(MAX_LINES) {
        match Fault::parse(&text.value) {
            Ok(fault) if plan.iter().any(|other| other.point == fault.point) => {
                bad.add(text, &format!("`{}` is given twice", fault.point.name()));
            }
            Ok(fault) => plan.push(fault),
            Err(error) => bad.add(text, &error.to_string()),
        }
    }
    plan
}

fn latency(word: &Spanned<String>, bad: &mut Bad<'_>) -> Option<Latency> {
    let found = Latency::from_word(&word.value);
    if found.is_none() {
        bad.add(word, &format!("latency must be one of: {}", Latency::WORDS.join(", ")));
    }
    found
}

fn variant(word: &Spanned<String>, bad: &mut Bad<'_>) -> Option<Variant> {
    let found = Variant::from_word(&word.value);
    if found.is_none() {
        bad.add(word, &format!("a variant must be one of: {}", Variant::WORDS.join(", ")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<WorldFile, Vec<String>> {
        WorldFile::parse(text, Path::new("/nowhere"), "a.world.yaml")
    }

    #[test]
    fn a_world_file_without_variants_has_all_of_them() {
        let names = |text: &str| {
            let world = read(text).unwrap();
            world.variants().into_iter().map(Variant::word).collect::<Vec<_>>()
        };
        assert_eq!(names("expect: {}"), ["plain", "slow", "restless", "interrupted"]);
        assert_eq!(names("expect: {}\nvariants: []"), ["plain"]);
        assert_eq!(names("expect: {}\nvariants: [slow]"), ["plain", "slow"]);
    }

    #[test]
    fn what_is_wrong_with_a_world_file_has_a_place() {
        for (text, wanted) in [
            ("about: x\n", "a.world.yaml:1:1: missing field `expect`"),
            ("expect: {}\nfaulty: []\n", "a.world.yaml:2:1: unknown field `faulty`"),
            ("expect: {}\nfaults:\n  - fire\n", "a.world.yaml:3:5: unknown fault `fire`"),
            ("expect: {}\nfaults: [reboot, reboot]\n", "a.world.yaml:2:18: `reboot` is given twice"),
            (
                "expect: {}\nlatency: fast\n",
                "a.world.yaml:2:10: latency must be one of: none, pixel-like, slow",
            ),
            ("expect: {}\nvariants: [calm]\n", "a.world.yaml:2:12: a variant must be one of: plain, slow"),
            ("expect: {}\napps: [x.yaml]\n", "a.world.yaml:2:8: /nowhere/x.yaml: cannot be read"),
            ("expect: {status: fine}\n", "a.world.yaml:1:18: unknown variant `fine`"),
            (
                "expect: {status: success, code: VERIFY_FAILED}\n",
                "a.world.yaml: expect has a code, so its status cannot be success",
            ),
        ] {
            let problems = read(text).unwrap_err();
            assert!(problems[0].starts_with(wanted), "{text}: {problems:?}");
        }
    }
}
