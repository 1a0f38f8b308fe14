//! What an approval takes at most.

use std::time::Duration;

/// The shortest time that a person gets.
pub const MIN_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(1800);
/// The most letters of an instruction.
pub const INSTRUCTION: usize = 2_000;
/// The most letters of a note.
pub const NOTE: usize = 2_000;
/// The most requests that wait for a person at a time.
pub const PENDING: u64 = 100;
/// The most requests that are kept, decided ones included.
pub const KEPT: u64 = 1_000;
/// The largest picture of a screen.
pub const PICTURE: usize = 4 << 20;
/// The largest answer: fields and attachments together, as JSON.
pub const ANSWER: usize = 22 << 20;
/// The most bytes of all files of an answer.
pub const FILES: usize = 16 << 20;
/// The most files of an answer.
pub const FILE_COUNT: usize = 8;
/// The most letters of a value that a person writes.
pub const VALUE: usize = 4_000;
/// The largest file with a template.
pub const TEMPLATE_FILE: usize = 256 << 10;

/// The most letters of each text of a template.
pub(super) const TEMPLATE_ID: usize = 60;
pub(super) const TITLE: usize = 120;
pub(super) const SUMMARY: usize = 300;
pub(super) const HINT: usize = 240;
pub(super) const LABEL: usize = 40;
pub(super) const NOTE_LABEL: usize = 80;
pub(super) const PLACEHOLDER: usize = 180;
/// The most letters of a label of a field.
pub const FIELD_LABEL: usize = 120;
pub(super) const FIELD_ID: usize = 60;
pub(super) const FIELDS: usize = 20;
pub(super) const OPTIONS: usize = 20;
pub(super) const HTML: usize = 18_000;
pub(super) const CSS: usize = 8_000;
pub(super) const SCRIPT: usize = 24_000;
pub(super) const ACCEPT: usize = 120;
pub(super) const BACKGROUND: usize = 220;
pub(super) const FONT: usize = 120;
