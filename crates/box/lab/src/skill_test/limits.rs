//! How much a test of a skill may take.

/// The most phones that run at a time.
pub const MAX_JOBS: u64 = 64;
/// How many phones run at a time by default.
pub const USUAL_JOBS: usize = 4;
/// The most world files of a skill.
pub(super) const MAX_WORLDS: usize = 64;
/// The most bytes of a world file.
pub(super) const MAX_FILE: usize = 1 << 20;
/// The most commands, faults or checks of a world file.
pub(super) const MAX_LINES: usize = 256;
/// How often a recipe is interrupted, each time in a run of its own.
pub(super) const RECIPE_INTERRUPTIONS: u32 = 8;
/// How often a script is interrupted; it runs on real time.
pub(super) const SCRIPT_INTERRUPTIONS: u32 = 2;
