//! Writes the files of a new skill, and lists it in the registry.

use super::file;
use super::registry::{Registry, SkillEntry, pretty};
use super::repository::Repository;
use super::root::RepoRoot;
use clawperator_contract::{ErrorCode, Failure, text};
use serde::Serialize;
use serde_json::{Map, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MAX_ID: usize = 200;

const RUN_JS: &str = include_str!("scaffold/run.js");
const RUN_SH: &str = include_str!("scaffold/run.sh");
const SKILL_MD: &str = include_str!("scaffold/SKILL.md");

/// A skill's id in its two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillId<'i> {
    pub id: &'i str,
    pub application_id: &'i str,
    pub intent: &'i str,
}

/// What was written.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewSkill {
    pub created: bool,
    pub skill_id: String,
    pub registry_path: String,
    pub skill_path: String,
    pub files: Vec<String>,
    pub next: String,
}

impl<'i> SkillId<'i> {
    /// Takes an id apart.
    pub fn parse_or_refuse(id: &'i str) -> Result<Self, Failure> {
        Self::parse(id).ok_or_else(|| {
            let message = format!("\"{}\" cannot be the id of a skill", text::excerpt(id));
            Failure::of(ErrorCode::SkillIdInvalid, message)
        })
    }

    /// Takes an id apart: the app is all but its last part. None if it is not
    /// letters, digits, `-` and `_` in at least two parts with dots between them.
    pub fn parse(id: &'i str) -> Option<Self> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let is_part = |part: &str| !part.is_empty() && part.chars().all(is_letter);
        if id.len() > MAX_ID || !id.split('.').all(is_part) {
            return None;
        }
        let (application_id, intent) = id.rsplit_once('.')?;
        Some(Self { id, application_id, intent })
    }
}

/// What a new skill has besides its `skill.json`.
#[derive(Clone, Debug, Default)]
pub struct SkillContents {
    /// Its files, by their paths in the package.
    pub files: Vec<(String, String)>,
    pub scripts: Vec<String>,
    /// Which of them are templates or recipes.
    pub artifacts: Vec<String>,
}

/// Makes a skill with an example script in the repository of a registry. A
/// registry that is not there is made.
///
/// # Errors
/// If the id cannot be used or is taken, or the files cannot be written; then
/// nothing of the skill is left.
pub fn new_skill(registry_path: &Path, id: &str, summary: Option<&str>) -> Result<NewSkill, Failure> {
    let parts = SkillId::parse_or_refuse(id)?;
    let summary = summary_of(id, summary);
    let mut made = new_package(registry_path, &parts, &summary, &SkillContents::example(&parts, &summary))?;
    made.next = format!(
        "Write what it does into {0}/scripts/run.js and {0}/SKILL.md, then run clawperator skills validate {id}.",
        made.skill_path
    );
    Ok(made)
}

/// What a skill does, in a sentence.
pub fn summary_of(id: &str, given: Option<&str>) -> String {
    let given = given.map(str::trim).filter(|given| !given.is_empty());
    given.map_or_else(|| format!("Describe what {id} does."), str::to_owned)
}

/// Makes a skill of these contents in the repository of a registry. A registry
/// that is not there is made.
///
/// # Errors
/// If the id is taken, or the files cannot be written; then nothing of the skill is left.
pub fn new_package(
    registry_path: &Path,
    parts: &SkillId<'_>,
    summary: &str,
    contents: &SkillContents,
) -> Result<NewSkill, Failure> {
    let id = parts.id;
    let written = |error: io::Error| cannot_write(id, &error);
    let folder = registry_folder(registry_path).map_err(written)?;
    // Two that add a skill at the same time would lose one of them.
    let _lock = file::lock(&folder).map_err(written)?;
    let mut repo = open_or_new(registry_path)?;
    if repo.registry.get(id).is_some() {
        let message = format!("the registry has a skill \"{id}\" already");
        return Err(Failure::of(ErrorCode::SkillAlreadyExists, message));
    }
    let place = folder.join(id);
    if place.symlink_metadata().is_ok() {
        let message = format!("{} is there already", place.display());
        return Err(Failure::of(ErrorCode::SkillAlreadyExists, message));
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let entry = entry(parts, &name, summary, contents);
    let files = write_package(&place, id, &entry, contents).map_err(written)?;
    repo.registry.skills.push(entry);
    repo.registry.skills.sort_by(|one, other| one.id().cmp(other.id()));
    if let Err(error) = file::replace(&repo.registry_path, repo.registry.to_text().as_bytes()) {
        remove(&place);
        return Err(written(error));
    }
    let shown = |path: &Path| path.display().to_string();
    Ok(NewSkill {
        created: true,
        skill_id: id.to_owned(),
        registry_path: shown(&repo.registry_path),
        skill_path: shown(&place),
        files: files.iter().map(|file| shown(file)).collect(),
        next: format!("Run clawperator skills validate {id}."),
    })
}

/// The folder of a registry, made if it is not there, without links in its path.
fn registry_folder(registry_path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(registry_path)?;
    let folder = path.parent().unwrap_or(&path);
    fs::create_dir_all(folder)?;
    folder.canonicalize()
}

fn open_or_new(registry_path: &Path) -> Result<Repository, Failure> {
    if registry_path.symlink_metadata().is_ok() {
        return Ok(Repository::open(registry_path)?);
    }
    let registry_path = std::path::absolute(registry_path).unwrap_or_else(|_| registry_path.to_owned());
    let root =
        RepoRoot::of_registry(&registry_path).map_err(|error| cannot_write("the first skill", &error))?;
    let head = Map::from_iter([("schemaVersion".to_owned(), "1.0".into())]);
    let skills = Vec::new();
    Ok(Repository { registry_path, root, registry: Registry { head, skills } })
}

fn entry(parts: &SkillId<'_>, folder: &str, summary: &str, contents: &SkillContents) -> SkillEntry {
    let path = format!("{folder}/{}", parts.id);
    let listed =
        |files: &[String]| -> Vec<String> { files.iter().map(|file| format!("{path}/{file}")).collect() };
    SkillEntry::with_id(
        parts.id,
        [
            ("applicationId", parts.application_id.into()),
            ("intent", parts.intent.into()),
            ("summary", summary.into()),
            ("path", path.clone().into()),
            ("skillFile", format!("{path}/SKILL.md").into()),
            ("scripts", json!(listed(&contents.scripts))),
            ("artifacts", json!(listed(&contents.artifacts))),
        ],
    )
}

impl SkillContents {
    /// An example script in Node, and one that calls it.
    fn example(parts: &SkillId<'_>, summary: &str) -> Self {
        let fill = |text: &str| {
            text.replace("@SKILL_ID@", parts.id)
                .replace("@APPLICATION_ID@", parts.application_id)
                .replace("@SUMMARY@", &summary.replace('\n', " "))
        };
        let scripts = ["scripts/run.js", "scripts/run.sh"].map(str::to_owned);
        let [node, shell] = scripts.clone();
        Self {
            files: vec![
                ("SKILL.md".to_owned(), fill(SKILL_MD)),
                (node, fill(RUN_JS)),
                (shell, RUN_SH.to_owned()),
            ],
            scripts: scripts.into(),
            artifacts: Vec::new(),
        }
    }
}

/// Writes the package beside its place and moves it there: it is there whole or not at all.
fn write_package(
    place: &Path,
    id: &str,
    entry: &SkillEntry,
    contents: &SkillContents,
) -> io::Result<Vec<PathBuf>> {
    let draft = place.with_file_name(format!(".{id}.{}.draft", std::process::id()));
    let written =
        write_files(&draft, &pretty(entry.keys()), contents).and_then(|()| fs::rename(&draft, place));
    if written.is_err() {
        remove(&draft);
    }
    written?;
    let names = contents.files.iter().map(|(name, _)| name.as_str());
    Ok(names.chain(["skill.json"]).map(|name| place.join(name)).collect())
}

fn write_files(folder: &Path, skill_json: &str, contents: &SkillContents) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("skill.json"), skill_json)?;
    for (name, text) in &contents.files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(&path, text)?;
        if contents.scripts.contains(name) && name.ends_with(".sh") {
            file::make_executable(&path)?;
        }
    }
    Ok(())
}

/// Removes what is left of a skill that could not be made.
fn remove(folder: &Path) {
    // The failure that led here is the one to report.
    let _ = fs::remove_dir_all(folder);
}

fn cannot_write(what: &str, error: &io::Error) -> Failure {
    let message = format!("cannot write the files of {what}: {error}");
    Failure::of(ErrorCode::SkillsScaffoldFailed, message)
}
