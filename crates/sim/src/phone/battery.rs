//! The phone's battery.

/// A battery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Battery {
    /// In percent.
    pub level: u8,
    /// What it is charged from.
    pub plug: Plug,
    /// In degrees.
    pub temperature: i16,
}

/// What a battery is charged from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say it")]
pub enum Plug {
    Nothing = 0,
    Ac = 1,
    Usb = 2,
    Wireless = 4,
    Dock = 8,
}

impl Battery {
    /// Tells whether it is charging.
    #[must_use]
    pub fn plugged(&self) -> bool {
        self.plug != Plug::Nothing
    }
}
