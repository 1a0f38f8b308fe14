//! Writes the registry and its indexes from the packages. The same packages give the same bytes.

use super::file;
use super::limits::{MAX_INDEX_BYTES, MAX_REGISTRY_BYTES};
use super::packages::{self, PackageProblem};
use super::registry::{Registry, SkillEntry, pretty};
use super::repository::absolute;
use super::root::RepoRoot;
use clawperator_contract::{ErrorCode, Failure, Problem};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const SCHEMA_VERSION: &str = "1.0";
/// What the short index has of each skill.
const MIN_FIELDS: [&str; 5] = ["id", "applicationId", "intent", "summary", "path"];
/// How many digits of the hash of an id choose its shard.
const PREFIX_DIGITS: usize = 2;
const SHARDS: [&str; 2] = ["by-app", "by-prefix"];

/// What to do with files that are not as they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexMode {
    Write,
    Check,
}

/// What was done.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexReport {
    /// Always true: the index is as it should be.
    pub indexed: bool,
    pub registry_path: String,
    pub total_skills: usize,
    pub added: Vec<String>,
    pub changed: Vec<String>,
    pub removed: Vec<String>,
    /// The files that were written or removed, relative to the repository.
    pub files: Vec<String>,
}

/// Makes the index of a repository anew.
///
/// `now` is the time as a text. It is written only if the registry had one and
/// its skills have changed.
///
/// # Errors
/// All that is wrong with the packages; then nothing is written. Or, if only
/// checked, every file that is not as it should be.
pub fn index(registry_path: &Path, mode: IndexMode, now: &str) -> Result<IndexReport, Failure> {
    let registry_path = absolute(registry_path);
    let failed = |error: io::Error| {
        let message = format!("cannot index {}: {error}", registry_path.display());
        Failure::of(ErrorCode::RegistryReadFailed, message)
    };
    let root = RepoRoot::of_registry(&registry_path).map_err(failed)?;
    // `of_registry` has just found this folder.
    let folder = registry_path.parent().unwrap_or(root.path()).canonicalize().map_err(failed)?;
    let _lock = match mode {
        IndexMode::Write => Some(file::lock(&folder).map_err(failed)?),
        IndexMode::Check => None,
    };
    let found = packages::collect(&root, &folder);
    if !found.problems.is_empty() {
        return Err(index_failure(&found.problems));
    }
    let old = read_old(&registry_path)?;
    let skills: Vec<SkillEntry> = found.skills.into_values().collect();
    let mut report = compare(&old, &skills, &registry_path);
    let registry = Registry { head: head(&old, &skills, now), skills };
    let name = registry_path.file_name().unwrap_or_default().to_string_lossy();
    let built = IndexFiles::of(&registry, &packages::relative(&root, &folder), &name);
    let mut stale = built.stale(&root, &folder)?;
    if mode == IndexMode::Check {
        // A repository may leave out its shards; the manifest has their hashes.
        let is_left_out = |path: &str| {
            let folders = SHARDS.iter().map(|kind| folder.join("generated").join(kind));
            let mut folders = folders.filter(|place| root.path().join(path).starts_with(place));
            folders.any(|place| !place.exists())
        };
        stale.retain(|path, _| !is_left_out(path));
        return if stale.is_empty() { Ok(report) } else { Err(out_of_date(&report, &stale)) };
    }
    for (path, text) in &stale {
        write(&root.path().join(path), text.as_deref()).map_err(failed)?;
    }
    report.files = stale.into_keys().collect();
    Ok(report)
}

fn read_old(registry_path: &Path) -> Result<Registry, Failure> {
    if registry_path.symlink_metadata().is_err() {
        return Ok(Registry::default());
    }
    let bytes = file::read(registry_path, MAX_REGISTRY_BYTES).map_err(|error| {
        let message = format!("cannot read {}: {error}", registry_path.display());
        Failure::of(ErrorCode::RegistryReadFailed, message)
    })?;
    // A registry that is no registry is what this is to repair.
    Ok(Registry::parse(&bytes).unwrap_or_default())
}

fn compare(old: &Registry, skills: &[SkillEntry], registry_path: &Path) -> IndexReport {
    let known: BTreeMap<&str, &SkillEntry> = old.skills.iter().map(|skill| (skill.id(), skill)).collect();
    let ids: BTreeSet<&str> = skills.iter().map(SkillEntry::id).collect();
    let owned = |ids: Vec<&str>| ids.into_iter().map(str::to_owned).collect();
    let those = |fits: &dyn Fn(&SkillEntry) -> bool| {
        let fitting = skills.iter().filter(|skill| fits(skill));
        owned(fitting.map(SkillEntry::id).collect())
    };
    IndexReport {
        indexed: true,
        registry_path: registry_path.display().to_string(),
        total_skills: skills.len(),
        added: those(&|skill| !known.contains_key(skill.id())),
        changed: those(&|skill| known.get(skill.id()).is_some_and(|before| *before != skill)),
        removed: owned(known.keys().copied().filter(|id| !ids.contains(id)).collect()),
        files: Vec::new(),
    }
}

/// The registry's other keys: as they were, with the time renewed if there was
/// one and a skill has changed.
fn head(old: &Registry, skills: &[SkillEntry], now: &str) -> Map<String, Value> {
    let mut head = old.head.clone();
    head.entry("schemaVersion").or_insert_with(|| SCHEMA_VERSION.into());
    if old.skills != skills
        && let Some(time) = head.get_mut("generatedAt")
    {
        *time = now.into();
    }
    head
}

/// Every file of the index, by its path in the repository.
struct IndexFiles(BTreeMap<String, String>);

struct IndexFile {
    path: String,
    text: String,
    count: usize,
}

impl IndexFiles {
    fn of(registry: &Registry, folder: &str, name: &str) -> Self {
        let generated = format!("{folder}/generated");
        let skills = &registry.skills;
        let about = registry.head.get("generatedAt");
        let list = |path: String, more: Option<(&str, &str)>, skills: &[&SkillEntry]| {
            let mut object = opening(about);
            // A shard is all that a reader of it needs; the list of all is short.
            let said = |skill: &&SkillEntry| match more {
                Some(_) => json!(skill),
                None => short(skill),
            };
            object.extend(more.map(|(key, value)| (key.to_owned(), value.into())));
            object.insert("count".to_owned(), skills.len().into());
            object.insert("skills".to_owned(), skills.iter().map(said).collect());
            IndexFile::new(path, pretty(&object), skills.len())
        };
        let all: Vec<&SkillEntry> = skills.iter().collect();
        let registry_file = IndexFile::new(format!("{folder}/{name}"), registry.to_text(), all.len());
        let min = list(format!("{generated}/skills-index.min.json"), None, &all);
        let lines: String = all.iter().map(|skill| format!("{}\n", json!(skill))).collect();
        let jsonl = IndexFile::new(format!("{generated}/skills-index.jsonl"), lines, all.len());
        let shards = |kind: usize, key: &str, name_of: &dyn Fn(&SkillEntry) -> String| {
            let mut shards: BTreeMap<String, Vec<&SkillEntry>> = BTreeMap::new();
            all.iter().for_each(|skill| shards.entry(name_of(skill)).or_default().push(skill));
            let shard = |(name, skills): (String, Vec<&SkillEntry>)| {
                let path = format!("{generated}/{}/{name}.json", SHARDS[kind]);
                let file = list(path, Some((key, &name)), &skills);
                (name, file)
            };
            shards.into_iter().map(shard).collect::<Vec<_>>()
        };
        let by_app = shards(0, "applicationId", &|skill| skill.application_id().to_owned());
        let by_prefix = shards(1, "prefix", &|skill| prefix(skill.id()));
        let mut manifest = opening(about);
        manifest.insert("totalSkills".to_owned(), all.len().into());
        manifest.insert(
            "artifacts".to_owned(),
            json!({"registry": registry_file.row(), "minIndex": min.row(), "jsonlIndex": jsonl.row()}),
        );
        let rows = |key: &str, shards: &[(String, IndexFile)]| -> Value {
            let row = |(name, file): &(String, IndexFile)| {
                let mut row = Map::from_iter([(key.to_owned(), name.clone().into())]);
                row.extend(file.row());
                Value::Object(row)
            };
            shards.iter().map(row).collect()
        };
        manifest.insert(
            "shards".to_owned(),
            json!({"byApp": rows("applicationId", &by_app), "byPrefix": rows("prefix", &by_prefix)}),
        );
        let manifest = IndexFile::new(format!("{generated}/manifest.json"), pretty(&manifest), all.len());
        let shards = by_app.into_iter().chain(by_prefix).map(|(_, file)| file);
        let files = [registry_file, min, jsonl, manifest].into_iter().chain(shards);
        Self(files.map(|file| (file.path, file.text)).collect())
    }

    /// The files that are not as they should be: what they should be, or nothing.
    fn stale(&self, root: &RepoRoot, folder: &Path) -> Result<BTreeMap<String, Option<String>>, Failure> {
        let mut stale = BTreeMap::new();
        let place = |path: &str| {
            root.place(path).map_err(|fault| {
                let message = format!("cannot write {path}: {fault}");
                Failure::of(ErrorCode::FileWriteFailed, message)
            })
        };
        for (path, text) in &self.0 {
            let place = place(path)?;
            let same = file::read(&place, MAX_INDEX_BYTES).is_ok_and(|found| found == text.as_bytes());
            if !same {
                stale.insert(path.clone(), Some(text.clone()));
            }
        }
        for path in shards_there(folder) {
            let path = packages::relative(root, &path);
            if !self.0.contains_key(&path) {
                place(&path)?;
                stale.insert(path, None);
            }
        }
        Ok(stale)
    }
}

impl IndexFile {
    fn new(path: String, text: String, count: usize) -> Self {
        Self { path, text, count }
    }

    fn row(&self) -> Map<String, Value> {
        let hash = format!("{:x}", Sha256::digest(&self.text));
        Map::from_iter([
            ("file".to_owned(), self.path.clone().into()),
            ("sha256".to_owned(), hash.into()),
            ("count".to_owned(), self.count.into()),
        ])
    }
}

/// What every file of the index begins with.
fn opening(generated_at: Option<&Value>) -> Map<String, Value> {
    let mut object = Map::from_iter([("schemaVersion".to_owned(), SCHEMA_VERSION.into())]);
    object.extend(generated_at.map(|time| ("generatedAt".to_owned(), time.clone())));
    object
}

fn short(skill: &SkillEntry) -> Value {
    let fields = MIN_FIELDS.iter().filter_map(|key| Some((*key, skill.get(key)?)));
    Value::Object(fields.map(|(key, value)| (key.to_owned(), value.clone())).collect())
}

fn prefix(id: &str) -> String {
    let mut digits = format!("{:x}", Sha1::digest(id));
    digits.truncate(PREFIX_DIGITS);
    digits
}

/// The shards that are there, of skills that may be there no more.
fn shards_there(folder: &Path) -> Vec<PathBuf> {
    let folders = SHARDS.map(|name| folder.join("generated").join(name));
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
}

fn write(path: &Path, text: Option<&str>) -> io::Result<()> {
    let Some(text) = text else {
        return fs::remove_file(path);
    };
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    file::replace(path, text.as_bytes())
}

fn index_failure(found: &[PackageProblem]) -> Failure {
    let first = &found[0];
    let more = match found.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let message = format!("the packages cannot be indexed: {}: {}{more}", first.file, first.message);
    let problem = |problem: &PackageProblem| Problem {
        code: ErrorCode::SkillValidationFailed,
        ..Problem::new(problem.file.clone(), problem.message.clone())
    };
    Failure::of(ErrorCode::SkillValidationFailed, message)
        .with(|details| details.problems = found.iter().map(problem).collect())
}

fn out_of_date(report: &IndexReport, stale: &BTreeMap<String, Option<String>>) -> Failure {
    let mut reasons = Vec::new();
    for (what, ids) in [
        ("not in the registry", &report.added),
        ("changed since it was written", &report.changed),
        ("in the registry without a package", &report.removed),
    ] {
        if !ids.is_empty() {
            reasons.push(format!("{what}: {}", ids.join(", ")));
        }
    }
    let count = stale.len();
    let message = if reasons.is_empty() {
        format!("the index is out of date: {count} files are not what the packages give")
    } else {
        format!("the index is out of date: {}", reasons.join("; "))
    };
    let problem = |(path, text): (&String, &Option<String>)| Problem {
        code: ErrorCode::SkillValidationFailed,
        ..Problem::new(
            path.clone(),
            match text {
                Some(_) => "is missing or not what the packages give".to_owned(),
                None => "belongs to no package".to_owned(),
            },
        )
    };
    Failure::new(ErrorCode::SkillValidationFailed, message)
        .hint("Run clawperator skills index and commit what it writes.")
        .with(|details| details.problems = stale.iter().map(problem).collect())
}
