//! What goes wrong with a repository, and the failure it is to a caller.

use super::registry::RegistryFault;
use clawperator_contract::{ErrorCode, Failure, text};
use std::io;
use std::path::PathBuf;

/// What goes wrong with a repository.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    #[error("there is no skills registry at {}", path_list(.0))]
    NoRegistry(Vec<PathBuf>),
    #[error("cannot read the skills registry {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{} is not a skills registry: {fault}", path.display())]
    Invalid { path: PathBuf, fault: RegistryFault },
    #[error("there is no skill \"{}\" in {}", text::excerpt(id), registry.display())]
    NoSkill { id: String, similar: Option<String>, registry: PathBuf },
    #[error("the skill {skill} has no artifact \"{}\"", text::excerpt(name))]
    NoArtifact { skill: String, name: String, known: Vec<String> },
    #[error("the artifact {entry} cannot be read: {reason}")]
    ArtifactUnreadable { entry: String, reason: String },
}

fn path_list(places: &[PathBuf]) -> String {
    let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    places.join(" or ")
}

impl From<RepoError> for Failure {
    fn from(error: RepoError) -> Self {
        let message = error.to_string();
        match error {
            RepoError::NoRegistry(_) | RepoError::Unreadable { .. } => {
                Self::of(ErrorCode::RegistryReadFailed, message)
            }
            RepoError::Invalid { path, fault } => {
                Self::new(ErrorCode::RegistryReadFailed, message).with(|details| {
                    (details.line, details.column) = (fault.line, fault.column);
                    details.path = Some(path.display().to_string());
                    details.hint = Some("Correct the file; git can show what changed in it.".to_owned());
                })
            }
            RepoError::NoSkill { id, similar, .. } => {
                let mut failure = Self::of(ErrorCode::SkillNotFound, message)
                    .with_skill(|details| details.skill_id = Some(text::excerpt(&id).to_string()));
                if let Some(similar) = &similar {
                    failure = failure.hint(format!("Did you mean \"{similar}\"?"));
                }
                failure.suggestion = similar;
                failure
            }
            RepoError::NoArtifact { skill, name, known } => {
                let hint = if known.is_empty() {
                    "The skill has no artifacts.".to_owned()
                } else {
                    format!("It has: {}.", known.join(", "))
                };
                Self::new(ErrorCode::ArtifactNotFound, message).hint(hint).with_skill(|details| {
                    details.skill_id = Some(skill);
                    details.artifact_name = Some(text::echo(&name));
                })
            }
            RepoError::ArtifactUnreadable { entry, .. } => Self::of(ErrorCode::ArtifactNotFound, message)
                .with_skill(|details| details.artifact = Some(entry)),
        }
    }
}
