//! The bounds of a dump and of what is made of it, by name.

/// The most bytes a dump may have. The largest seen in the wild have a few hundred thousand.
pub const MAX_DUMP_BYTES: usize = 16 << 20;
/// The most elements a screen may have.
pub const MAX_NODES: usize = 50_000;
/// How deep elements may be nested.
pub const MAX_DEPTH: usize = 512;
/// How many elements, itself included, are searched upwards for one that takes an action.
pub const MAX_LEVELS_UP: usize = 8;
/// How many elements of a container are remembered to detect that it moved.
pub const MAX_REMEMBERED: usize = 256;
/// How much of a label or a class a message repeats, in characters.
pub const MAX_EXCERPT: usize = 40;
/// How much of an id a message repeats, in characters. Longer than a label: what
/// matters stands at its end, and a caller wants to use it.
pub const MAX_EXCERPT_ID: usize = 160;
/// The most refs that are remembered; the oldest are forgotten first.
pub const MAX_REFS: usize = 1_024;
/// The most refs of one screen: those of a view, and others that were searched for.
pub const MAX_REFS_HERE: usize = 2 * MAX_REFS;
/// The most scenes that refs are remembered from.
pub const MAX_SCENES: usize = 24;
/// The most labels by which a scene is known again.
pub const MAX_SCENE_LABELS: usize = 128;
/// The most views that a later one can be compared with.
pub const MAX_SHOWN_VIEWS: usize = 8;
/// The most lines that these views have together.
pub const MAX_SHOWN_LINES: usize = 2 * MAX_REFS;
/// How many named elements around an element are part of its fingerprint.
pub const MAX_AROUND: usize = 3;
/// How much of a label a view repeats, in characters.
pub const MAX_VIEW_LABEL: usize = 120;
/// How many texts one line of a view takes from what is inside its element.
pub const MAX_LINE_TEXTS: usize = 6;
/// How deep lines of a view are indented.
pub const MAX_INDENT: usize = 6;
/// The most bytes the answer to a search has.
pub const MAX_QUERY_BYTES: usize = 256 << 10;
/// How many password fields are remembered.
pub const MAX_SECRETS: usize = 128;
