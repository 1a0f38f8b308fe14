//! Where in a file something stands.

use serde_saphyr::Location;

/// A line and a column, from 1; both 0 where that is not known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

/// Two things are the same wherever they were written.
impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Place {
    /// The place a reader tells.
    #[must_use]
    pub fn of(location: Location) -> Self {
        Self {
            line: location.line(),
            column: location.column(),
        }
    }
}
