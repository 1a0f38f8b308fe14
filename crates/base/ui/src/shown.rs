//! The views that were shown lately, by name: a reader sees what changed
//! since the view that this reader saw.

use crate::diff::LastView;
use crate::limits::{MAX_SHOWN_LINES, MAX_SHOWN_VIEWS};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of a view: the screen, and the last ref on it. The same screen can
/// get other refs later; it then has another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotId {
    pub(crate) screen: u64,
    pub(crate) last_ref: u32,
}

impl SnapshotId {
    /// Reads a name as [`fmt::Display`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let (screen, last_ref) = text.split_once('-')?;
        let id = Self { screen: u64::from_str_radix(screen, 16).ok()?, last_ref: last_ref.parse().ok()? };
        // One view has one name.
        (id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{}", self.screen, self.last_ref)
    }
}

/// What a view is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The view that was shown last, to any reader.
    Last,
    /// The view of that name; none is known by a text that is no name.
    Named(Option<SnapshotId>),
}

/// The views that were shown lately, the latest at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownViews(Vec<NamedView>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NamedView {
    id: SnapshotId,
    view: LastView,
}

impl ShownViews {
    /// The view to compare with, if it is still known.
    pub(crate) fn base(&self, base: Base) -> Option<&LastView> {
        let shown = match base {
            Base::Last => self.0.last(),
            Base::Named(id) => self.0.iter().find(|shown| Some(shown.id) == id),
        };
        shown.map(|shown| &shown.view)
    }

    /// Remembers a view as the latest, and forgets the oldest.
    pub(crate) fn note(&mut self, id: SnapshotId, view: LastView) {
        self.0.retain(|shown| shown.id != id);
        self.0.push(NamedView { id, view });
        let mut lines = 0;
        let newest = self.0.iter().rev().take(MAX_SHOWN_VIEWS);
        let fitting = newest.take_while(|shown| {
            lines += shown.view.lines.len();
            lines <= MAX_SHOWN_LINES
        });
        // The latest stays, however long it is.
        let kept = fitting.count().max(1);
        self.0.drain(..self.0.len() - kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        let id = SnapshotId { screen: 0xb8, last_ref: 7 };
        assert_eq!(id.to_string(), "00000000000000b8-7");
        assert_eq!(SnapshotId::parse("00000000000000b8-7"), Some(id));
        for other in ["", "b8-7", "00000000000000b8", "00000000000000b8-07", "x-1", "-", "🙂"] {
            assert_eq!(SnapshotId::parse(other), None, "{other}");
        }
    }

    #[test]
    fn the_oldest_views_are_forgotten() {
        let mut shown = ShownViews::default();
        let id = |last_ref| SnapshotId { screen: 1, last_ref };
        for last_ref in 0..20 {
            shown.note(id(last_ref), LastView::default());
        }
        // What is shown again is new again.
        shown.note(id(12), LastView::default());
        let known = |last_ref| shown.base(Base::Named(Some(id(last_ref)))).is_some();
        let left: Vec<_> = (0..20).filter(|last_ref| known(*last_ref)).collect();
        assert_eq!(left, [12, 13, 14, 15, 16, 17, 18, 19]);
        assert_eq!(shown.base(Base::Named(None)), None);
    }
}
