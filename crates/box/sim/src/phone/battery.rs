//! The phone's battery.

/// A battery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Battery {
    pub level: u8,
    pub plug: Plug,
    pub temperature: i16,
}

/// What a battery is charged from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plug {
    Nothing = 0,
    Ac = 1,
    Usb = 2,
    Wireless = 4,
    Dock = 8,
}

impl Default for Battery {
    fn default() -> Self {
        Self { level: 85, plug: Plug::Usb, temperature: 27 }
    }
}

impl Battery {
    /// Tells whether it is charging.
    pub fn plugged(&self) -> bool {
        self.plug != Plug::Nothing
    }
}
