//! The bounds of a payload, by name. The range of a single parameter is in its
//! row of the catalogue or of the retry table.

pub use clawperator_document::{MAX_ECHO, MAX_INVALID_KEYS, MAX_LEADING_ECHO, MAX_PROBLEMS};

/// The most actions one execution may hold.
pub const MAX_ACTIONS: usize = 50;
/// The most bytes the normalised execution may take as compact JSON.
pub const MAX_PAYLOAD_BYTES: usize = 64_000;
/// The most bytes read from a caller before parsing. Larger than
/// [`MAX_PAYLOAD_BYTES`] because white space and `\u` escapes do not count
/// towards the normalised size.
pub const MAX_INPUT_BYTES: usize = 1 << 20;
/// The deepest nesting a document may have. A valid execution needs five.
pub const MAX_JSON_DEPTH: usize = 32;
/// The most keys one JSON object may have. A valid one has fewer than 64.
pub const MAX_OBJECT_KEYS: usize = 256;
/// The most bytes that the problems of one rejection take as compact JSON; those
/// that no longer fit are counted. The first always fits.
pub const MAX_PROBLEMS_BYTES: usize = 256 * 1024;
/// The most bytes of compact JSON that refusing a payload takes, whatever the
/// payload: the problems, and the first of them once more at the top.
pub const MAX_REFUSAL_BYTES: usize = 512 * 1024;

/// The shortest execution timeout, in milliseconds.
pub const MIN_TIMEOUT_MS: f64 = 1_000.0;
/// The longest execution timeout, in milliseconds.
pub const MAX_TIMEOUT_MS: f64 = 120_000.0;
/// The longest wait of `wait_for_navigation`, in milliseconds.
pub const MAX_NAVIGATION_TIMEOUT_MS: f64 = 30_000.0;
/// The longest that one gesture may rest, and the longest that it may move, in milliseconds.
pub const MAX_GESTURE_MS: f64 = 30_000.0;
/// What a flat command adds to an action's own wait to get the execution timeout, in milliseconds.
pub const TIMEOUT_HEADROOM_MS: f64 = 5_000.0;

/// The longest command, task or step id, in UTF-16 units.
pub const MAX_ID_LENGTH: usize = 128;
/// The longest `source` label, in UTF-16 units.
pub const MAX_SOURCE_LENGTH: usize = 64;
/// The longest action type as sent, in UTF-16 units.
pub const MAX_TYPE_LENGTH: usize = 64;
/// The longest matcher value, text to enter or package to expect, in UTF-16 units.
pub const MAX_MATCHER_VALUE_LENGTH: usize = 512;
/// How deep the selectors of a matcher's `where` may be nested, itself included.
pub const MAX_SELECTOR_DEPTH: usize = 8;
/// The most conditions that a matcher's `where` may have, at all depths together.
pub const MAX_CONDITIONS: usize = 64;
/// The longest URI, in UTF-16 units.
pub const MAX_URI_LENGTH: usize = 2_048;
/// The most warnings one answer lists; the rest are counted.
pub const MAX_WARNINGS: usize = 500;

/// The most memory a compiled validator pattern may take, in bytes.
pub const MAX_PATTERN_BYTES: usize = 2 << 20;
/// What even the smallest compiled validator pattern counts as, in bytes; what a
/// larger one counts as is twice that, or twice that again.
pub const MIN_PATTERN_BYTES: usize = 1 << 16;
/// The most memory all compiled validator patterns of one execution may count
/// as, in bytes: room for a small one in every action and some large ones.
pub const MAX_PATTERNS_BYTES: usize = 8 << 20;

/// The most tokens that a snapshot may be asked to stay within.
pub const MAX_BUDGET: f64 = 1_000_000.0;
/// How much longer an execution may take because of the look at its end, in milliseconds.
pub const LOOK_MS: f64 = 10_000.0;
/// The most tokens of a compact view if the caller does not say.
pub const VIEW_BUDGET: u32 = 1_000;
/// The most often that one action may be done, and how often at most if only
/// `until` says when to end.
pub const MAX_COUNT: f64 = 100.0;
pub const USUAL_COUNT: u32 = 20;
/// The most elements that a search tells of.
pub const MAX_QUERY_NODES: f64 = 1_000.0;
