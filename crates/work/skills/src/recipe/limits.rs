//! The bounds of a recipe.

use clawperator_document::Limits;

/// The most bytes of a recipe file.
pub const MAX_RECIPE_BYTES: usize = 256 * 1024;
/// The most steps of a recipe; no execution has room for more.
pub const MAX_STEPS: usize = clawperator_contract::limits::MAX_ACTIONS;
/// The most inputs of a recipe, and the most outputs.
pub const MAX_VALUES: usize = 64;
/// The most entries of any other list of a recipe.
pub const MAX_ENTRIES: usize = 64;
/// The longest text of a recipe, in UTF-16 units.
pub const MAX_TEXT: usize = 2_000;
/// The longest id of a recipe, in UTF-16 units.
pub const MAX_RECIPE_ID: usize = 200;
/// The longest name of an input or an output, and the longest id of a step.
/// The ids of actions are made of it.
pub const MAX_NAME: usize = 100;
/// The most times that a step is tried again: the contract's ten attempts.
pub const MAX_RETRIES: f64 = 9.0;
/// The most findings of one recipe; the rest are counted.
pub const MAX_FINDINGS: usize = clawperator_document::MAX_PROBLEMS;

/// What is read of a recipe or a profile file.
pub(crate) const LIMITS: Limits = Limits { bytes: MAX_RECIPE_BYTES, depth: 20, keys: 64 };
