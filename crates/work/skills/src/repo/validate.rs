//! Checks skill packages: what the registry says of them against what is there.

use super::artifact;
use super::registry::{LISTS, SkillEntry, TEXTS};
use super::repository::Repository;
use super::root::PathFault;
use clawperator_contract::{ErrorCode, Failure, Problem, SkillDetails};
use serde::Serialize;

/// Whether templates are checked as executions, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payloads {
    Checked,
    Unread,
}

/// A skill that is valid.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidSkill<'r> {
    pub valid: bool,
    pub skill: &'r SkillEntry,
    pub registry_path: String,
    pub checks: FoundFiles,
    /// What came of its templates, if they were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<PayloadCheck>,
}

/// The files of a skill.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundFiles {
    pub skill_json_path: String,
    pub skill_file_path: String,
    pub script_paths: Vec<String>,
    pub artifact_paths: Vec<String>,
}

/// What came of the templates of a skill.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PayloadCheck {
    /// `passed`, or `skipped`.
    pub payload_validation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// Every skill of a registry, all valid.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidRegistry<'r> {
    pub valid: bool,
    pub total_skills: usize,
    pub registry_path: String,
    pub valid_skills: Vec<&'r str>,
}

/// Checks one skill.
pub fn validate<'r>(repo: &'r Repository, id: &str, payloads: Payloads) -> Result<ValidSkill<'r>, Failure> {
    let skill = repo.skill(id)?;
    let mut found = SkillExamination {
        repo,
        skill,
        files: FoundFiles::default(),
        problems: Vec::new(),
        details: SkillDetails::default(),
    };
    found.files();
    found.compare();
    if !found.problems.is_empty() {
        return Err(found.failure());
    }
    let dry_run = match payloads {
        Payloads::Checked => Some(payload_check(repo, skill)?),
        Payloads::Unread => None,
    };
    Ok(ValidSkill {
        valid: true,
        skill,
        registry_path: repo.registry_path.display().to_string(),
        checks: found.files,
        dry_run,
    })
}

/// Checks every skill.
pub fn validate_all(repo: &Repository, payloads: Payloads) -> Result<ValidRegistry<'_>, Failure> {
    let ids = repo.registry.skills.iter().map(SkillEntry::id);
    let mut valid_skills = Vec::new();
    let mut failures = Vec::new();
    for id in ids {
        match validate(repo, id, payloads) {
            Ok(_) => valid_skills.push(id),
            Err(failure) => failures.push(failure),
        }
    }
    let (total, invalid) = (repo.registry.skills.len(), failures.len());
    let registry_path = repo.registry_path.display().to_string();
    if failures.is_empty() {
        return Ok(ValidRegistry { valid: true, total_skills: total, registry_path, valid_skills });
    }
    let message = format!("{invalid} of {total} skills are not valid");
    let failure = Failure::of(ErrorCode::SkillValidationFailed, message);
    let failure = failure.of_skill(|skill| skill.registry_path = Some(registry_path));
    Err(failure.with_skill(|details| {
        details.total_skills = Some(total);
        details.valid_count = Some(valid_skills.len());
        details.invalid_count = Some(invalid);
        details.failures = failures;
    }))
}

struct SkillExamination<'r> {
    repo: &'r Repository,
    skill: &'r SkillEntry,
    files: FoundFiles,
    problems: Vec<Problem>,
    details: SkillDetails,
}

impl SkillExamination<'_> {
    /// Looks for every file that the entry names.
    fn files(&mut self) {
        let skill = self.skill;
        self.files.skill_json_path = self.file("path", &skill.package_file());
        self.files.skill_file_path = self.file("skillFile", skill.skill_file());
        self.files.script_paths = self.list("scripts", skill.scripts());
        self.files.artifact_paths = self.list("artifacts", skill.artifacts());
    }

    fn list(&mut self, field: &str, entries: Option<Vec<&str>>) -> Vec<String> {
        let Some(entries) = entries else {
            self.problem(field, format!("{field} must be a list of paths"));
            return Vec::new();
        };
        let numbered = entries.iter().enumerate();
        numbered.map(|(at, entry)| self.file(&format!("{field}.{at}"), entry)).collect()
    }

    /// The path of a file that must be there; empty if it is not.
    fn file(&mut self, field: &str, entry: &str) -> String {
        match self.repo.root.file(entry) {
            Ok(path) => path.display().to_string(),
            Err(fault) => {
                if matches!(fault, PathFault::Missing) {
                    self.details.missing_files.push(entry.to_owned());
                }
                self.problem(field, format!("\"{entry}\": {fault}"));
                String::new()
            }
        }
    }

    /// Compares the entry with the package's own `skill.json`.
    fn compare(&mut self) {
        if self.files.skill_json_path.is_empty() {
            return;
        }
        let own = match self.repo.read_package(self.skill) {
            Ok(own) => own,
            Err(reason) => return self.problem("path", format!("skill.json: {reason}")),
        };
        for field in TEXTS.into_iter().chain(LISTS) {
            if own.get(field) != self.skill.get(field) {
                self.details.mismatch_fields.push(field.to_owned());
                self.problem(field, format!("{field} is not the same in skill.json and in the registry"));
            }
        }
    }

    fn problem(&mut self, field: &str, message: String) {
        self.problems.push(Problem {
            code: ErrorCode::SkillValidationFailed,
            ..Problem::new(field.to_owned(), message)
        });
    }

    fn failure(self) -> Failure {
        let messages: Vec<_> = self.problems.iter().map(|problem| &*problem.message).collect();
        let message = format!("the skill {} is not valid: {}", self.skill.id(), messages.join("; "));
        let details = self.details;
        invalid(self.skill, message).with(|all| {
            all.problems = self.problems;
            all.skill = Some(Box::new(details));
        })
    }
}

fn invalid(skill: &SkillEntry, message: String) -> Failure {
    let failure = Failure::of(ErrorCode::SkillValidationFailed, message);
    failure.of_skill(|failed| failed.skill_id = Some(skill.id().to_owned()))
}

/// Checks the recipes of a skill, and its templates as they are, placeholders and all.
fn payload_check(repo: &Repository, skill: &SkillEntry) -> Result<PayloadCheck, Failure> {
    let artifacts = skill.artifacts().unwrap_or_default();
    for entry in &artifacts {
        let text = artifact::read(repo, entry);
        let refused = match &text {
            Ok(text) => artifact::refusal(entry, text),
            Err(reason) => Some(Failure::new(ErrorCode::SkillValidationFailed, reason.clone())),
        };
        if let Some(refused) = refused {
            return Err(bad_payload(skill, entry, refused));
        }
    }
    Ok(if artifacts.is_empty() {
        PayloadCheck { payload_validation: "skipped", reason: Some("the skill has no artifacts") }
    } else {
        PayloadCheck { payload_validation: "passed", reason: None }
    })
}

fn bad_payload(skill: &SkillEntry, entry: &str, refused: Failure) -> Failure {
    let reason = refused.message;
    let message = format!("the artifact {entry} of {} is not valid: {reason}", skill.id());
    let failure = Failure { details: refused.details, ..invalid(skill, message) };
    failure.with_skill(|details| {
        details.artifact = Some(entry.to_owned());
        details.reason = Some(reason);
    })
}
