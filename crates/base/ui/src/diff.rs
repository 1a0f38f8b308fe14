//! What has changed from one view to the next, by ref.

use crate::refs::Ref;
use crate::sequence::moved;
use crate::stable_hash::stable_hash;
use clawperator_contract::words;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

words! {
    /// What has changed since the last view.
    pub Change {
        /// There is no last view.
        First = "first",
        Nothing = "none",
        Some = "some",
        Everything = "all",
    }
}

/// What the last view showed: each ref and its line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastView {
    pub(crate) lines: BTreeMap<Ref, String>,
    /// The refs in the order of their lines.
    #[serde(default)]
    pub(crate) order: Vec<Ref>,
    /// The lines without a ref.
    #[serde(default)]
    pub(crate) unnamed: UnnamedLines,
}

/// Lines without a ref: how many there are, and a hash of all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnnamedLines {
    pub(crate) count: usize,
    pub(crate) hash: u64,
}

impl UnnamedLines {
    /// Their order does not matter.
    pub(crate) fn new(mut lines: Vec<String>) -> Self {
        if lines.is_empty() {
            return Self::default();
        }
        lines.sort_unstable();
        Self { count: lines.len(), hash: stable_hash(&lines) }
    }
}

/// What has changed between two views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Differences {
    pub(crate) change: Change,
    pub(crate) added: BTreeSet<Ref>,
    /// What has another line than before.
    pub(crate) changed: BTreeSet<Ref>,
    /// What is no longer there, and its line.
    pub(crate) gone: BTreeMap<Ref, String>,
    /// How many elements without refs there are, if any of them has changed; it is unknown which.
    pub(crate) unnamed: usize,
    /// Whether the screen before this one could not be read.
    pub(crate) unread: bool,
}

impl Differences {
    /// Tells whether a ref's line is new or has changed.
    pub(crate) fn touches(&self, name: Option<Ref>) -> bool {
        name.is_some_and(|name| self.added.contains(&name) || self.changed.contains(&name))
    }
}

pub(crate) fn compare(before: Option<&LastView>, now: &LastView) -> Differences {
    let in_order = |view: &LastView, other: &LastView| -> Vec<Ref> {
        let order = view.order.iter().copied();
        order.filter(|name| other.lines.contains_key(name)).collect()
    };
    let moved: Vec<Ref> = before.map_or_else(Vec::new, |before| {
        let (old, new) = (in_order(before, now), in_order(now, before));
        let [_, places] = moved(&old, &new);
        places.into_iter().map(|place| new[place]).collect()
    });
    let (now, unnamed) = (&now.lines, now.unnamed);
    let Some((before, unnamed_before)) = before.map(|view| (&view.lines, view.unnamed)) else {
        return Differences {
            change: Change::First,
            added: BTreeSet::new(),
            changed: BTreeSet::new(),
            gone: BTreeMap::new(),
            unnamed: 0,
            unread: false,
        };
    };
    let mut added: BTreeSet<Ref> = now.keys().filter(|name| !before.contains_key(name)).copied().collect();
    let other = |(name, line): &(&Ref, &String)| before.get(name).is_some_and(|before| before != *line);
    let mut changed: BTreeSet<Ref> = now.iter().filter(other).map(|(name, _)| *name).collect();
    changed.extend(moved);
    let mut gone: BTreeMap<Ref, String> = before
        .iter()
        .filter(|(name, _)| !now.contains_key(name))
        .map(|(name, line)| (*name, line.clone()))
        .collect();
    let is_new = !added.is_empty() && added.len() == now.len();
    // The same words under another name: the line has the name.
    for name in added.clone().into_iter().filter(|_| !is_new) {
        let line = &now[&name];
        if let Some(old) = gone.iter().find_map(|(old, gone)| (gone == line).then_some(*old)) {
            gone.remove(&old);
            added.remove(&name);
            changed.insert(name);
        }
    }
    let others = unnamed != unnamed_before;
    let change = if added.is_empty() && changed.is_empty() && gone.is_empty() {
        if others { Change::Some } else { Change::Nothing }
    } else if is_new || now.is_empty() {
        Change::Everything
    } else {
        Change::Some
    };
    Differences {
        change,
        added,
        changed,
        gone,
        unnamed: if others { unnamed.count.max(unnamed_before.count) } else { 0 },
        unread: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(lines: &str) -> LastView {
        let lines: Vec<(Ref, String)> = lines
            .split_whitespace()
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, text)| (Ref::parse(name).unwrap(), text.to_owned()))
            .collect();
        LastView {
            order: lines.iter().map(|(name, _)| *name).collect(),
            lines: lines.into_iter().collect(),
            ..LastView::default()
        }
    }

    #[test]
    fn lines_are_compared_by_their_refs() {
        for (before, now, change, added, changed, gone) in [
            ("@e1:a @e2:b", "@e1:a @e2:b", Change::Nothing, "", "", ""),
            ("@e1:a @e2:b", "@e2:b @e1:a", Change::Some, "", "@e1", ""),
            ("@e1:a @e2:b @e3:c", "@e3:c @e1:a @e2:b", Change::Some, "", "@e3", ""),
            ("@e1:a @e2:b", "@e1:a @e2:c", Change::Some, "", "@e2", ""),
            ("@e1:a @e2:b", "@e1:a @e3:c", Change::Some, "@e3", "", "@e2"),
            ("@e1:a @e2:b", "@e1:a @e3:b", Change::Some, "", "@e3", ""),
            ("@e1:a", "@e2:a", Change::Everything, "@e2", "", "@e1"),
            ("@e1:a", "", Change::Everything, "", "", "@e1"),
            ("", "", Change::Nothing, "", "", ""),
        ] {
            let found = compare(Some(&view(before)), &view(now));
            let names =
                |names: Vec<&Ref>| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            assert_eq!(found.change, change, "{before} {now}");
            assert_eq!(names(found.added.iter().collect()), added);
            assert_eq!(names(found.changed.iter().collect()), changed);
            assert_eq!(names(found.gone.keys().collect()), gone);
        }
        assert_eq!(compare(None, &view("@e1:a")).change, Change::First);
    }
}
