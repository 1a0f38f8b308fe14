//! How text looks and where it goes.

use crate::area::Area;
use crate::color::Color;
use crate::limits::TEXT_PX;

/// How thick letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Weight {
    #[default]
    Regular,
    /// For buttons and small headings.
    Medium,
    Bold,
}

/// The kind of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Font {
    /// Letters as wide as they need to be.
    #[default]
    Sans,
    Mono,
}

/// How text looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextStyle {
    /// The height of the letters' em square, in pixels.
    pub size_px: f32,
    pub color: Color,
    /// How thick the letters are.
    pub weight: Weight,
    pub font: Font,
}

impl TextStyle {
    /// Regular sans text.
    pub const fn new(size_px: f32, color: Color) -> Self {
        Self { size_px, color, weight: Weight::Regular, font: Font::Sans }
    }

    /// The same with another weight.
    pub const fn weight(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }

    /// The same with another font.
    pub const fn font(self, font: Font) -> Self {
        Self { font, ..self }
    }

    /// The size that is drawn; what is no number is the smallest.
    pub(crate) fn size(&self) -> f32 {
        self.size_px.max(TEXT_PX.0).min(TEXT_PX.1)
    }
}

/// Where a line goes within its area, from side to side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// At the side where reading begins: the left one, or the right one for a
    /// line that begins with a script that runs from right to left.
    #[default]
    Start,
    Center,
    /// At the side where reading ends.
    End,
}

/// Where lines go within their area, from top to bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VerticalAlign {
    #[default]
    Top,
    Middle,
    Bottom,
}

/// The room that text is laid out in and cut off at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Nothing is drawn outside of it.
    pub area: Area,
    pub align: Align,
    /// Where all lines together go.
    pub place: VerticalAlign,
    /// The most lines; what does not fit in them ends in an ellipsis.
    pub lines: u16,
}

impl Block {
    /// One line, at the start, in the middle of the area's height.
    pub const fn line(area: Area) -> Self {
        Self { area, align: Align::Start, place: VerticalAlign::Middle, lines: 1 }
    }

    /// Up to so many lines, from the area's top.
    pub const fn lines(area: Area, lines: u16) -> Self {
        Self { area, align: Align::Start, place: VerticalAlign::Top, lines }
    }

    /// The same with another alignment.
    pub const fn align(self, align: Align) -> Self {
        Self { align, ..self }
    }

    /// The same with another place.
    pub const fn place(self, place: VerticalAlign) -> Self {
        Self { place, ..self }
    }
}
