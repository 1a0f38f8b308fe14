//! Which elements stand in a relation to one of some others. Each relation
//! costs one walk or one sort, however many elements there are on both sides.

use crate::bounds::Bounds;
use crate::tree::{NodeId, Tree};
use clawperator_contract::NodeRelation;
use std::collections::BTreeMap;

/// A truth value for each element of a tree.
pub(crate) type Marks = Vec<bool>;

/// Marks each element that stands in a relation to one that is marked.
pub(crate) fn related(tree: &Tree, relation: NodeRelation, marked: &Marks) -> Marks {
    match relation {
        NodeRelation::Inside => inside(tree, marked),
        NodeRelation::Contains => around(tree, marked),
        NodeRelation::SiblingOf => siblings(tree, marked),
        NodeRelation::Below => beside(tree, marked, |[left, top, right, bottom]| Extent {
            along: (top, bottom),
            across: (left, right),
        }),
        NodeRelation::Above => beside(tree, marked, |[left, top, right, bottom]| Extent {
            along: (-bottom, -top),
            across: (left, right),
        }),
        NodeRelation::LeftOf => beside(tree, marked, |[left, top, right, bottom]| Extent {
            along: (-right, -left),
            across: (top, bottom),
        }),
        NodeRelation::RightOf => beside(tree, marked, |[left, top, right, bottom]| Extent {
            along: (left, right),
            across: (top, bottom),
        }),
    }
}

fn inside(tree: &Tree, marked: &Marks) -> Marks {
    let mut found = vec![false; tree.len()];
    for (id, _) in tree.nodes() {
        found[id.0] = tree
            .parent(id)
            .is_some_and(|outer| marked[outer.0] || found[outer.0]);
    }
    found
}

fn around(tree: &Tree, marked: &Marks) -> Marks {
    let mut found = vec![false; tree.len()];
    for number in (0..tree.len()).rev() {
        if let Some(outer) = tree.parent(NodeId(number)) {
            found[outer.0] |= marked[number] || found[number];
        }
    }
    found
}

fn siblings(tree: &Tree, marked: &Marks) -> Marks {
    let mut inside = vec![0_usize; tree.len()];
    for (id, _) in tree.nodes().filter(|(id, _)| marked[id.0]) {
        if let Some(outer) = tree.parent(id) {
            inside[outer.0] += 1;
        }
    }
    let others = |id: NodeId| {
        tree.parent(id)
            .is_some_and(|outer| inside[outer.0] > usize::from(marked[id.0]))
    };
    tree.nodes().map(|(id, _)| others(id)).collect()
}

/// Where an element begins and ends along the way that a relation points, and
/// across it.
struct Extent {
    along: (i64, i64),
    across: (i64, i64),
}

/// Goes along the relation's way and remembers which part across it is taken by
/// marked elements that have ended.
fn beside(tree: &Tree, marked: &Marks, extent: fn([i64; 4]) -> Extent) -> Marks {
    // An element without a size is nowhere.
    let mut extents: Vec<(NodeId, Extent)> = tree
        .nodes()
        .filter(|(_, node)| !node.bounds.is_empty())
        .map(|(id, node)| {
            let Bounds {
                left,
                top,
                right,
                bottom,
            } = node.bounds;
            (id, extent([left, top, right, bottom].map(i64::from)))
        })
        .collect();
    let mut ends: Vec<(i64, (i64, i64))> = extents
        .iter()
        .filter(|(id, _)| marked[id.0])
        .map(|(_, extent)| (extent.along.1, extent.across))
        .collect();
    ends.sort_unstable();
    extents.sort_unstable_by_key(|(_, extent)| extent.along.0);
    let mut found = vec![false; tree.len()];
    let mut ends = ends.into_iter().peekable();
    let mut taken = Spans::default();
    for (id, extent) in extents {
        while let Some((_, across)) = ends.next_if(|(end, _)| *end <= extent.along.0) {
            taken.add(across);
        }
        found[id.0] = taken.overlap(extent.across);
    }
    found
}

/// A set of numbers as spans that do not touch, each from its key up to and
/// without its value.
#[derive(Default)]
struct Spans(BTreeMap<i64, i64>);

impl Spans {
    fn add(&mut self, (mut low, mut high): (i64, i64)) {
        while let Some((start, end)) = self
            .0
            .range(..=high)
            .next_back()
            .map(|(start, end)| (*start, *end))
        {
            if end < low {
                break;
            }
            self.0.remove(&start);
            (low, high) = (low.min(start), high.max(end));
        }
        self.0.insert(low, high);
    }

    /// Of the spans that start before the end, the last reaches furthest.
    fn overlap(&self, (low, high): (i64, i64)) -> bool {
        self.0
            .range(..high)
            .next_back()
            .is_some_and(|(_, end)| *end > low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    /// ```text
    ///        0     50    100
    ///   0    ┌─1──┐┌─2────┐
    ///  50    └────┘└──────┘
    ///  50    ┌─3────┐┌─4──┐
    /// 100    └──────┘└────┘
    /// ```
    const GRID: &str = "A [0,0][100,100]
 B [0,0][45,50]
 B [45,0][100,50]
 B [0,50][55,100]
 B [55,50][100,100]
  C [60,60][60,70]
A [200,0][300,50]";

    #[test]
    fn each_relation_has_its_elements() {
        let tree = sketch(GRID);
        for (relation, of, expected) in [
            (NodeRelation::Inside, 0, vec![1, 2, 3, 4, 5]),
            (NodeRelation::Inside, 5, vec![]),
            (NodeRelation::Contains, 5, vec![0, 4]),
            (NodeRelation::Contains, 0, vec![]),
            (NodeRelation::SiblingOf, 2, vec![1, 3, 4]),
            // The outermost have no parent that they could share.
            (NodeRelation::SiblingOf, 0, vec![]),
            (NodeRelation::Below, 1, vec![3]),
            (NodeRelation::Below, 2, vec![3, 4]),
            (NodeRelation::Below, 3, vec![]),
            (NodeRelation::Above, 3, vec![1, 2]),
            (NodeRelation::Above, 4, vec![2]),
            (NodeRelation::RightOf, 1, vec![2, 6]),
            (NodeRelation::RightOf, 3, vec![4]),
            (NodeRelation::LeftOf, 6, vec![0, 1, 2]),
            (NodeRelation::LeftOf, 4, vec![3]),
            // What has no size is nowhere.
            (NodeRelation::RightOf, 5, vec![]),
        ] {
            let mut marked = vec![false; tree.len()];
            marked[of] = true;
            let found = related(&tree, relation, &marked);
            let found: Vec<_> = (0..tree.len()).filter(|number| found[*number]).collect();
            assert_eq!(found, expected, "{relation:?} {of}");
        }
    }

    #[test]
    fn two_marked_siblings_are_siblings_of_each_other() {
        let tree = sketch("A\n B\n B\nA\n B");
        let marked = vec![false, true, true, false, true];
        let found = related(&tree, NodeRelation::SiblingOf, &marked);
        assert_eq!(found, [false, true, true, false, false]);
    }

    #[test]
    fn spans_grow_together() {
        let mut spans = Spans::default();
        for span in [(0, 10), (20, 30), (40, 50), (10, 12), (25, 45)] {
            spans.add(span);
        }
        assert_eq!(spans.0.into_iter().collect::<Vec<_>>(), [(0, 12), (20, 50)]);
    }
}
