//! Open apps, and the screens each has open.

use crate::view::ViewKey;
use std::collections::BTreeMap;

/// An app that is open: its screens, the first one lowest.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) id: u32,
    pub(crate) package: String,
    /// The app that has started it; none if that was a command.
    pub(crate) started_by: Option<String>,
    pub(crate) screens: Vec<ScreenState>,
}

/// A screen that is open, and what it looks like just now.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScreenState {
    /// Its name in the app file.
    pub(crate) name: String,
    /// The activity it belongs to, in full.
    pub(crate) activity: String,
    /// What tells it from any other screen that was ever open.
    pub(crate) instance: u64,
    /// How many screens are below it.
    pub(crate) depth: usize,
    pub(crate) scrolls: BTreeMap<ViewKey, i32>,
    /// The field that is written in.
    pub(crate) focus: Option<ViewKey>,
    /// How many letters of the field are before the cursor.
    pub(crate) cursor: usize,
    pub(crate) all_selected: bool,
    /// Its dialogs, the last one uppermost.
    pub(crate) dialogs: Vec<String>,
}

impl ScreenState {
    /// How far something is scrolled.
    pub(crate) fn scroll(&self, key: ViewKey) -> i32 {
        self.scrolls.get(&key).copied().unwrap_or(0)
    }
}

impl Task {
    pub(crate) fn top(&self) -> Option<&ScreenState> {
        self.screens.last()
    }
}
