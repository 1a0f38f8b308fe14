//! What scrolls on a page, and whether a later screen shows the same of it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A row of a list, or a text on a page that scrolls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moving {
    pub(super) label: u64,
    pub(super) at: (i32, i32),
    /// The labels in a row; none for a text.
    pub(super) parts: Vec<u64>,
}

impl Moving {
    /// Whether two rows can be one, which is cut off at the edge of its list before or now:
    /// then it has fewer labels and no others.
    fn is_cut(&self, other: &Self) -> bool {
        let has = |one: &Self, two: &Self| two.parts.iter().all(|part| one.parts.contains(part));
        has(self, other) || has(other, self)
    }
}

/// Whether what is seen of a page that scrolls can be what was seen of it before: some of it is
/// there still and in the same order, and nothing stands in the place of something else.
pub(super) fn follows(before: &[Moving], later: &[Moving]) -> bool {
    let of = |all: &[Moving]| -> BTreeSet<u64> { all.iter().map(|moving| moving.label).collect() };
    let (old, new) = (of(before), of(later));
    let kept: Vec<usize> = (0..before.len()).filter(|at| new.contains(&before[*at].label)).collect();
    let found: Vec<usize> = (0..later.len()).filter(|at| old.contains(&later[*at].label)).collect();
    let same = |(one, two): (&usize, &usize)| before[*one].label == later[*two].label;
    if kept.is_empty() || kept.len() != found.len() || !kept.iter().zip(&found).all(same) {
        return false;
    }
    let moved = kept.iter().zip(&found).all(|(one, two)| before[*one].at != later[*two].at);
    let ends = |marks: &[usize], len: usize| -> Vec<(usize, usize)> {
        let starts = std::iter::once(0).chain(marks.iter().map(|mark| mark + 1));
        starts.zip(marks.iter().copied().chain([len])).collect()
    };
    let gaps = ends(&kept, before.len()).into_iter().zip(ends(&found, later.len()));
    let last = kept.len();
    gaps.enumerate().all(|(number, ((from, to), (start, end)))| {
        let (gone, come) = (&before[from..to], &later[start..end]);
        let edge = number == 0 || number == last;
        let rows = gone.iter().chain(come).all(|moving| !moving.parts.is_empty());
        let nearest = |rows: &[Moving]| if number == 0 { rows.last() } else { rows.first() }.cloned();
        let is_cut = || nearest(gone).zip(nearest(come)).is_some_and(|(one, two)| one.is_cut(&two));
        match (gone.len(), come.len()) {
            (0, _) => true,
            // A row is deleted; a text of a page is only scrolled away.
            (_, 0) => rows || (edge && moved),
            (1, _) | (_, 1) => rows && edge && moved && is_cut(),
            _ => false,
        }
    })
}

/// Whether a page is scrolled and nothing is added to it: what was there stands elsewhere,
/// but for few that stay, such as a header, and what is new stands before or after it.
pub(super) fn is_scrolled(before: &[Moving], later: &[Moving]) -> bool {
    let known = |two: &Moving| before.iter().find(|one| one.label == two.label);
    let from = later.iter().position(|two| known(two).is_some());
    let to = later.iter().rposition(|two| known(two).is_some());
    let Some((from, to)) = from.zip(to) else {
        return false;
    };
    let kept = || later[from..=to].iter().map(|two| known(two).map(|one| one.at != two.at));
    let moved = kept().filter(|moved| *moved == Some(true)).count();
    kept().all(|moved| moved.is_some())
        && moved * STICKY >= kept().count() * (STICKY - 1)
        && follows(before, later)
}

/// One in so many of what scrolls may stay where it is.
const STICKY: usize = 4;
