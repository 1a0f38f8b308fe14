//! The screen's size, and how it is turned.

use clawperator_ui::Bounds;

/// A display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Display {
    /// Its size in pixels, as it was made.
    pub physical: (i32, i32),
    /// The size set with `wm size`.
    pub size_override: Option<(i32, i32)>,
    /// Dots per inch, as it was made.
    pub physical_density: i32,
    /// The density set with `wm density`.
    pub density_override: Option<i32>,
    /// How it is turned, in quarter turns.
    pub rotation: u8,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            physical: (1080, 2400),
            size_override: None,
            physical_density: 420,
            density_override: None,
            rotation: 0,
        }
    }
}

impl Display {
    /// The density in use.
    pub fn density(&self) -> i32 {
        self.density_override.unwrap_or(self.physical_density)
    }

    /// The size in use, as the display is turned.
    pub fn size(&self) -> (i32, i32) {
        let (width, height) = self.size_override.unwrap_or(self.physical);
        if self.rotation.is_multiple_of(2) { (width, height) } else { (height, width) }
    }

    /// All of it.
    pub fn bounds(&self) -> Bounds {
        let (right, bottom) = self.size();
        Bounds::new(0, 0, right, bottom)
    }

    /// Dp in pixels.
    pub fn px(&self, dp: u16) -> i32 {
        (i32::from(dp) * self.density() + 80) / 160
    }
}
