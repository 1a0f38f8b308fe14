//! Compiles the templates of a skill.

use super::error::RepoError;
use super::file;
use super::limits::MAX_ARTIFACT_BYTES;
use super::registry::SkillEntry;
use super::repository::Repository;
use crate::recipe::{self, ArtifactKind};
use crate::template::{ENDING, Template, TemplateExecution, TemplateFault, Vars, VarsFault, base_name};
use clawperator_contract::{ErrorCode, Failure, text};

/// What to compile.
#[derive(Clone, Copy, Debug)]
pub struct ArtifactOrder<'o> {
    pub skill_id: &'o str,
    /// The artifact's name, with or without its ending.
    pub artifact: &'o str,
    pub vars: &'o str,
}

/// Compiles a template of a skill into an execution.
pub fn compile_artifact(repo: &Repository, order: &ArtifactOrder<'_>) -> Result<TemplateExecution, Failure> {
    let skill = repo.skill(order.skill_id)?;
    let vars = Vars::parse(order.vars).map_err(|fault| bad_vars(&fault, order.vars))?;
    let name = base_name(order.artifact);
    let entry = find(skill, name).ok_or_else(|| RepoError::NoArtifact {
        skill: skill.id().to_owned(),
        name: name.to_owned(),
        known: names(skill),
    })?;
    let text = read(repo, entry)
        .map_err(|reason| RepoError::ArtifactUnreadable { entry: entry.to_owned(), reason })?;
    let template = Template { skill_id: skill.id(), name, text: &text };
    template.compile(&vars).map_err(|fault| template_failure(fault, &template, entry))
}

/// The entry of the template with a name.
fn find<'s>(skill: &'s SkillEntry, name: &str) -> Option<&'s str> {
    let file = format!("/{name}{ENDING}");
    let mut artifacts = skill.artifacts().unwrap_or_default().into_iter();
    artifacts.find(|entry| entry.ends_with(&file))
}

fn names(skill: &SkillEntry) -> Vec<String> {
    let artifacts = skill.artifacts().unwrap_or_default();
    let names = artifacts.iter().filter_map(|entry| entry.strip_suffix(ENDING));
    names.map(|entry| entry.rsplit('/').next().unwrap_or(entry).to_owned()).collect()
}

pub(super) fn read(repo: &Repository, entry: &str) -> Result<String, String> {
    let path = repo.root.file(entry).map_err(|fault| fault.to_string())?;
    let bytes = file::read(&path, MAX_ARTIFACT_BYTES).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes);
    text.map_err(|error| format!("it is not UTF-8 from byte {} on", error.utf8_error().valid_up_to()))
}

/// Why an artifact is neither a recipe nor an execution with placeholders.
pub(super) fn refusal(entry: &str, text: &str) -> Option<Failure> {
    let format = recipe::Format::of(entry).unwrap_or(recipe::Format::Json);
    match ArtifactKind::of(text, format) {
        ArtifactKind::Template => clawperator_contract::accept(text.as_bytes()).err(),
        ArtifactKind::Recipe => {
            let problems = match recipe::parse(text, format) {
                Ok(recipe) => recipe::check(&recipe),
                Err(problems) => problems,
            };
            (!problems.listed.is_empty()).then(|| recipe::failure(&problems, entry))
        }
    }
}

fn bad_vars(fault: &VarsFault, vars: &str) -> Failure {
    let failure = Failure::of(ErrorCode::CompileVarsParseFailed, fault.to_string());
    failure.with_skill(|details| details.vars_json = Some(text::echo(vars)))
}

fn template_failure(fault: TemplateFault, template: &Template<'_>, entry: &str) -> Failure {
    let (skill, name) = (template.skill_id, template.name);
    let message = format!("the artifact \"{name}\" of {skill} cannot be compiled: {fault}");
    let failure = match fault {
        TemplateFault::NoValue(placeholder) => {
            let hint = format!("Give it a value: --vars '{{\"{placeholder}\":\"...\"}}'");
            Failure::new(ErrorCode::CompileVarMissing, message)
                .hint(hint)
                .with_skill(|details| details.placeholder = Some(placeholder))
        }
        TemplateFault::Syntax(error) => {
            Failure::of(ErrorCode::CompileValidationFailed, message).with(|details| {
                details.line = Some(error.line());
                details.column = Some(error.column());
            })
        }
        TemplateFault::Refused(refused) => {
            Failure { details: refused.details, ..Failure::new(ErrorCode::CompileValidationFailed, message) }
        }
    };
    failure.with_skill(|details| {
        details.skill_id = Some(skill.to_owned());
        details.artifact_name = Some(name.to_owned());
        details.artifact = Some(entry.to_owned());
    })
}
