//! The fonts in the binary, and how much room their characters take. Room
//! never depends on the machine's fonts: layout must be the same everywhere.

use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, GlyphId};
use epaint_default_fonts::{EMOJI_ICON, HACK_REGULAR, NOTO_EMOJI_REGULAR, UBUNTU_LIGHT};

use crate::script::{is_wide, is_without_width};
use crate::style::{Font, TextStyle, Weight};

/// The room of a character that no font in the binary has, in ems.
const WIDE_ADVANCE: f32 = 1.0;
const NARROW_ADVANCE: f32 = 0.6;
/// A tab is as wide as so many spaces.
const TAB_SPACES: f32 = 4.0;

/// A font in the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmbeddedFont {
    Sans,
    Mono,
    Emoji,
    /// Solid icons. Its maker put icons on letters and on private characters
    /// too; those are not taken from it.
    Symbols,
}

/// In the order of [`EmbeddedFont`]. A font that cannot be read is left out, and
/// its characters become boxes.
static FACES: LazyLock<[Option<FontRef<'static>>; 4]> = LazyLock::new(|| {
    [UBUNTU_LIGHT, HACK_REGULAR, NOTO_EMOJI_REGULAR, EMOJI_ICON]
        .map(|bytes| FontRef::try_from_slice(bytes).ok())
});

/// A character's glyph in a font of the binary.
pub(crate) struct FontMatch {
    pub(crate) face: &'static FontRef<'static>,
    pub(crate) glyph: GlyphId,
    /// How large an em of this font is drawn beside the main font's.
    pub(crate) scale: f32,
    /// How far its outline is pushed out, in ems.
    pub(crate) swell: f32,
}

impl Font {
    const fn order(self) -> [EmbeddedFont; 4] {
        match self {
            Self::Sans => {
                [EmbeddedFont::Sans, EmbeddedFont::Emoji, EmbeddedFont::Mono, EmbeddedFont::Symbols]
            }
            Self::Mono => {
                [EmbeddedFont::Mono, EmbeddedFont::Sans, EmbeddedFont::Emoji, EmbeddedFont::Symbols]
            }
        }
    }
}

impl EmbeddedFont {
    /// Emoji are drawn larger than an em in their own font.
    const fn scale(self) -> f32 {
        match self {
            Self::Sans | Self::Mono => 1.0,
            Self::Emoji => 0.86,
            Self::Symbols => 0.9,
        }
    }

    /// How far the outline of a letter is pushed out to give it a weight, in ems. The sans font is
    /// a light one: even regular text is made a little heavier. Pictures would lose their details.
    pub(crate) const fn swell(self, weight: Weight) -> f32 {
        match (self, weight) {
            (Self::Sans, Weight::Regular) => 0.009,
            (Self::Sans, Weight::Medium) => 0.021,
            (Self::Sans, Weight::Bold) => 0.033,
            (Self::Mono, Weight::Medium) => 0.012,
            (Self::Mono, Weight::Bold) => 0.024,
            (Self::Mono, Weight::Regular) | (Self::Emoji | Self::Symbols, _) => 0.0,
        }
    }

    fn may_have(self, c: char) -> bool {
        self != Self::Symbols || matches!(c, '\u{2000}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
    }
}

/// The glyph of a character, if a font in the binary has it.
pub(crate) fn find(c: char, style: &TextStyle) -> Option<FontMatch> {
    style.font.order().into_iter().filter(|embedded| embedded.may_have(c)).find_map(|embedded| {
        let face = FACES.get(embedded as usize)?.as_ref()?;
        let glyph = face.glyph_id(c);
        let swell = embedded.swell(style.weight);
        (glyph.0 != 0).then_some(FontMatch { face, glyph, scale: embedded.scale(), swell })
    })
}

/// Pixels from one line's top to the next one's.
pub fn line_height(style: &TextStyle) -> f32 {
    // What a phone's own font has, so that a layout has a phone's proportions.
    style.size() * 1.172
}

/// How wide a text is on one line, in pixels. The same on every machine: a
/// character that no font in the binary has takes a fixed room.
pub fn text_width(text: &str, style: &TextStyle) -> f32 {
    text.chars().map(|c| advance(c, style)).sum()
}

/// The room of one character, in pixels.
pub(crate) fn advance(c: char, style: &TextStyle) -> f32 {
    style.size() * advance_em(c, style)
}

fn advance_em(c: char, style: &TextStyle) -> f32 {
    if c == '\t' {
        return TAB_SPACES * advance_em(' ', style);
    }
    if is_without_width(c) {
        return 0.0;
    }
    let Some(found) = find(c, style) else {
        return if is_wide(c) { WIDE_ADVANCE } else { NARROW_ADVANCE };
    };
    // Heavier letters need some of the room that they grow by.
    own_advance_em(found.face, found.glyph) * found.scale + found.swell * 1.2
}

/// What a font itself says that a glyph needs, in its own ems.
pub(crate) fn own_advance_em(face: &FontRef<'_>, glyph: GlyphId) -> f32 {
    face.h_advance_unscaled(glyph) / face.units_per_em().unwrap_or(1000.0)
}
