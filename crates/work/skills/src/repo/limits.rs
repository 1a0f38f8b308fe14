//! The bounds of what is read of a skills repository.

use std::time::Duration;

/// The most bytes of a registry.
pub const MAX_REGISTRY_BYTES: usize = 8 << 20;
/// The most skills of a registry.
pub const MAX_SKILLS: usize = 10_000;
/// The most bytes of a `skill.json`.
pub const MAX_SKILL_JSON_BYTES: usize = 1 << 20;
/// The most bytes of a file of the index.
pub const MAX_INDEX_BYTES: usize = 16 << 20;
/// How deep below the registry's folder a package can be.
pub const MAX_DEPTH: usize = 8;
/// The most folders that are looked through for packages.
pub const MAX_FOLDERS: usize = 100_000;
/// The most bytes of a template or a recipe.
pub const MAX_ARTIFACT_BYTES: usize = 1 << 20;
/// The most bytes of a list of texts that must not be committed.
pub const MAX_DENYLIST_BYTES: usize = 1 << 20;
/// The most places that a look at staged changes reports.
pub const MAX_LEAKS: usize = 200;
/// How long one call of git may take.
pub const GIT_TIME: Duration = Duration::from_secs(120);
/// The most bytes that are read of what git prints: a registry, at most.
pub const MAX_GIT_OUTPUT: usize = MAX_REGISTRY_BYTES;
/// The most bytes that are kept of what git says of its trouble.
pub(super) const MAX_GIT_TROUBLE: usize = 16 << 10;
