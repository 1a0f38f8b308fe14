//! Finds the elements that have a relation to one of a set of elements. Each
//! relation costs one walk or one sort, whatever the size of the set.

use crate::bounds::Bounds;
use crate::tree::{NodeId, Tree};
use clawperator_contract::NodeRelation;
use std::collections::BTreeMap;
use std::ops::Range;

/// A truth value for each element of a tree.
pub(crate) type NodeMarks = Vec<bool>;

/// Marks each element that has a relation to a marked one.
pub(crate) fn related(tree: &Tree, relation: NodeRelation, marked: &NodeMarks) -> NodeMarks {
    match relation {
        NodeRelation::Inside => inside(tree, marked),
        NodeRelation::Contains => around(tree, marked),
        NodeRelation::SiblingOf => siblings(tree, marked),
        NodeRelation::Below => beside(tree, marked, |[left, top, right, bottom]| Projection {
            along: top..bottom,
            across: left..right,
        }),
        NodeRelation::Above => beside(tree, marked, |[left, top, right, bottom]| Projection {
            along: -bottom..-top,
            across: left..right,
        }),
        NodeRelation::LeftOf => beside(tree, marked, |[left, top, right, bottom]| Projection {
            along: -right..-left,
            across: top..bottom,
        }),
        NodeRelation::RightOf => beside(tree, marked, |[left, top, right, bottom]| Projection {
            along: left..right,
            across: top..bottom,
        }),
    }
}

fn inside(tree: &Tree, marked: &NodeMarks) -> NodeMarks {
    let mut found = vec![false; tree.len()];
    for (id, _) in tree.nodes() {
        found[id.0] = tree.parent(id).is_some_and(|outer| marked[outer.0] || found[outer.0]);
    }
    found
}

fn around(tree: &Tree, marked: &NodeMarks) -> NodeMarks {
    let mut found = vec![false; tree.len()];
    for number in (0..tree.len()).rev() {
        if let Some(outer) = tree.parent(NodeId(number)) {
            found[outer.0] |= marked[number] || found[number];
        }
    }
    found
}

fn siblings(tree: &Tree, marked: &NodeMarks) -> NodeMarks {
    let mut inside = vec![0_usize; tree.len()];
    for (id, _) in tree.nodes().filter(|(id, _)| marked[id.0]) {
        if let Some(outer) = tree.parent(id) {
            inside[outer.0] += 1;
        }
    }
    let others =
        |id: NodeId| tree.parent(id).is_some_and(|outer| inside[outer.0] > usize::from(marked[id.0]));
    tree.nodes().map(|(id, _)| others(id)).collect()
}

/// Where an element is along the direction of a relation, and across it.
struct Projection {
    along: Range<i64>,
    across: Range<i64>,
}

/// Goes through the elements in the relation's direction, and remembers which
/// part across it the marked elements cover that have ended.
fn beside(tree: &Tree, marked: &NodeMarks, project: fn([i64; 4]) -> Projection) -> NodeMarks {
    // An element without a size is nowhere.
    let mut elements: Vec<(NodeId, Projection)> = tree
        .nodes()
        .filter(|(_, node)| !node.bounds.is_empty())
        .map(|(id, node)| {
            let Bounds { left, top, right, bottom } = node.bounds;
            (id, project([left, top, right, bottom].map(i64::from)))
        })
        .collect();
    let mut ends: Vec<(i64, Range<i64>)> = elements
        .iter()
        .filter(|(id, _)| marked[id.0])
        .map(|(_, element)| (element.along.end, element.across.clone()))
        .collect();
    ends.sort_unstable_by_key(|(end, _)| *end);
    elements.sort_unstable_by_key(|(_, element)| element.along.start);
    let mut found = vec![false; tree.len()];
    let mut ends = ends.into_iter().peekable();
    let mut covered = RangeSet::default();
    for (id, element) in elements {
        while let Some((_, across)) = ends.next_if(|(end, _)| *end <= element.along.start) {
            covered.add(across);
        }
        found[id.0] = covered.overlaps(&element.across);
    }
    found
}

/// A set of numbers as ranges that do not touch: each start and its end.
#[derive(Default)]
struct RangeSet(BTreeMap<i64, i64>);

impl RangeSet {
    fn add(&mut self, mut range: Range<i64>) {
        while let Some((&start, &end)) = self.0.range(..=range.end).next_back() {
            if end < range.start {
                break;
            }
            self.0.remove(&start);
            range = range.start.min(start)..range.end.max(end);
        }
        self.0.insert(range.start, range.end);
    }

    /// Of the ranges that start before the end, the last reaches furthest.
    fn overlaps(&self, range: &Range<i64>) -> bool {
        let last = self.0.range(..range.end).next_back();
        last.is_some_and(|(_, end)| *end > range.start)
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
    fn ranges_that_touch_become_one() {
        let mut set = RangeSet::default();
        for range in [0..10, 20..30, 40..50, 10..12, 25..45] {
            set.add(range);
        }
        assert_eq!(set.0.into_iter().collect::<Vec<_>>(), [(0, 12), (20, 50)]);
    }
}
