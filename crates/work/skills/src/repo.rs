//! A skills repository on disk: its registry and packages.
//!
//! `registry`, `search` and `root`'s rules are pure; `places`, `repository` and
//! `file` touch the disk.

mod artifact;
mod ci;
mod denylist;
mod error;
mod file;
mod from_recording;
mod git;
mod hook;
mod index;
pub mod limits;
mod packages;
mod places;
mod recipe_file;
mod registry;
mod repository;
mod root;
mod scaffold;
mod search;
mod source;
mod staged;
mod sync;
mod validate;

pub use artifact::{ArtifactOrder, compile_artifact};
pub use ci::{CiCheck, CiProblem, CiReport, ci};
pub use denylist::{denylist, usual_denylist};
pub use error::RepoError;
pub use from_recording::{RecordedSkill, denylist_of, skill_of_recording};
pub use hook::{HookPlace, InstalledHook, StagedClean, install_hook, scan_staged};
pub use index::{IndexMode, IndexReport, index};
pub use places::{Places, REGISTRY_VARIABLE};
pub use recipe_file::RecipeFile;
pub use registry::{LISTS, Registry, RegistryFault, SkillEntry, TEXTS};
pub use repository::{Repository, SkillFound, SkillList};
pub use root::{PathFault, RepoRoot};
pub use scaffold::{NewSkill, SkillContents, SkillId, new_package, new_skill, summary_of};
pub use search::{SkillQuery, search};
pub use source::{GitRef, PUBLIC_SOURCE, Source, SourceFault, USUAL_REF};
pub use sync::{SyncOrder, SyncReport, sync};
pub use validate::{FoundFiles, PayloadCheck, Payloads, ValidRegistry, ValidSkill, validate, validate_all};
