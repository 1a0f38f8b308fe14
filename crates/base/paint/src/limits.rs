//! The bounds of a picture, by name.

/// The longest side a canvas may have, in pixels.
pub const MAX_SIDE_PX: u32 = 8192;
/// The smallest and the largest text that is drawn; other sizes count as the nearer of the two.
pub const TEXT_PX: (f32, f32) = (1.0, 512.0);
/// The most characters of one line that are drawn: more than a canvas is wide enough for.
pub const MAX_LINE_CHARS: usize = 8192;
/// The largest icon that is drawn; a larger area gets one of this size.
pub const MAX_ICON_PX: u32 = 1024;
/// The most columns of a terminal picture.
pub const MAX_TERMINAL_COLUMNS: u16 = 1000;
/// The most bytes of drawn glyphs and icons that a thread keeps.
pub const MAX_KEPT_BYTES: usize = 2 << 20;
/// The most faces of the system that are searched for a missing character.
pub const MAX_SYSTEM_FACES: usize = 128;
