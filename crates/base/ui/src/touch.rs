//! Finds where to touch an element so that it takes the touch, and not what lies over it.

use crate::bounds::Bounds;
use crate::point::Point;
use crate::screen::Screen;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;

/// Where in an element a touch is tried, in percent of its width and height: the middle first.
const PLACES: [i64; 5] = [50, 30, 70, 10, 90];
/// How many covers are looked around for a free part.
const MAX_COVERS: usize = 16;

/// Where to touch an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub at: Point,
    /// What lies over the element there and may take the touch, where every point of it is covered.
    pub cover: Option<Cover>,
    /// A point in a small part of it that is free all the same.
    pub strip: Option<Point>,
}

/// What lies over an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    Element(NodeId),
    /// An element at the same place, of which the phone does not say whether it is above or below.
    Maybe(NodeId),
    /// No tree has it.
    Keyboard,
}

impl Tree {
    /// Whether an element is drawn after another that is not around or inside it; `None` if the
    /// phone does not say. The order of a dump is no answer: siblings stand there by their places.
    fn is_drawn_after(&self, one: NodeId, other: NodeId) -> Option<bool> {
        let around = |id| {
            let mut all: Vec<NodeId> = std::iter::successors(Some(id), |id| self.parent(*id)).collect();
            all.reverse();
            all
        };
        let (one, other) = (around(one), around(other));
        let mut levels = one.iter().zip(&other);
        let Some((one, other)) = levels.find(|(one, other)| one != other) else {
            return Some(false);
        };
        let order = |id: &NodeId| self.node(*id).drawing_order;
        order(one)
            .zip(order(other))
            .filter(|(first, second)| first != second)
            .map(|(first, second)| first > second)
    }
}

/// The middle of each part into which a length is cut.
fn middles(from: i32, to: i32, cuts: Vec<i32>) -> Vec<i32> {
    let mut cuts: Vec<i32> = cuts.into_iter().chain([from, to]).collect();
    cuts.retain(|cut| (from..=to).contains(cut));
    cuts.sort_unstable();
    let parts = cuts.windows(2).filter(|part| part[0] < part[1]);
    parts.map(|part| i32::midpoint(part[0], part[1])).collect()
}

impl Screen<'_> {
    /// Where to touch an element that another takes the touch for, or itself;
    /// `None` if nothing of it is on the screen.
    ///
    /// An element that is drawn later and takes touches lies over it, and one that the phone gives
    /// no order for may do so. An element inside it lies over it only where there is a taker for
    /// the touch. The keyboard lies over all of them.
    pub fn touch(&self, id: NodeId, taker: Option<NodeId>, keyboard: Option<Bounds>) -> Option<Touch> {
        let bounds = self.visible_bounds(id);
        if bounds.is_empty() {
            return None;
        }
        let is_inside = |other: NodeId| (id.0..self.tree().end(id)).contains(&other.0);
        let over = |other: NodeId| {
            if is_inside(other) {
                return (taker.is_some() && other != id).then_some(Cover::Element(other));
            }
            match self.tree().is_drawn_after(other, id) {
                Some(is_over) => is_over.then_some(Cover::Element(other)),
                None => Some(Cover::Maybe(other)),
            }
        };
        let takes = |flags: crate::tree::Flags| flags.has(Flag::Clickable) || flags.has(Flag::LongClickable);
        let all: Vec<_> = self
            .nodes()
            .filter(|(_, node)| takes(node.flags))
            .map(|(other, node)| (other, node.bounds.overlap(&bounds)))
            .filter(|(_, common)| !common.is_empty())
            .filter_map(|(other, common)| Some((over(other)?, common)))
            .chain(keyboard.map(|area| (Cover::Keyboard, area.overlap(&bounds))))
            .collect();
        let (unsure, covers): (Vec<_>, Vec<_>) =
            all.iter().copied().partition(|(cover, _)| matches!(cover, Cover::Maybe(_)));
        let cover = |at: Point| uppermost(&covers, at);
        let along = |from: i32, to: i32, percent: i64| {
            let length = i64::from(to) - i64::from(from);
            (i64::from(from) + length * percent / 100) as i32
        };
        let points = PLACES.iter().flat_map(|down| {
            PLACES.iter().map(|right| {
                let x = along(bounds.left, bounds.right, *right);
                Point::new(x, along(bounds.top, bounds.bottom, *down))
            })
        });
        let middle = bounds.center();
        let mut free = std::iter::once(middle).chain(points).filter(|at| cover(*at).is_none());
        let first = free.next();
        let free = first.into_iter().chain(free).find(|at| uppermost(&unsure, *at).is_none()).or(first);
        let covered = free.is_none().then(|| cover(middle)).flatten();
        let strip = covered.and_then(|_| free_part(bounds, &covers));
        // Its own parts leave a place for it, however small; and a place for certain is better
        // than a doubtful one.
        let is_own = |cover| matches!(cover, Cover::Element(other) if is_inside(other));
        let own = strip.filter(|_| covered.is_some_and(is_own));
        let sure =
            || free.filter(|at| uppermost(&unsure, *at).is_some()).and_then(|_| free_part(bounds, &all));
        let at = sure().or(free).or(own).unwrap_or(middle);
        let cover = covered.filter(|_| own.is_none()).or_else(|| uppermost(&unsure, at));
        Some(Touch { at, cover, strip })
    }
}

fn uppermost(covers: &[(Cover, Bounds)], at: Point) -> Option<Cover> {
    let hit = covers.iter().rev().find(|(_, place)| place.contains(at));
    hit.map(|(cover, _)| *cover)
}

/// A point of an element that none of these covers.
fn free_part(bounds: Bounds, covers: &[(Cover, Bounds)]) -> Option<Point> {
    let (across, down): (Vec<_>, Vec<_>) = covers
        .iter()
        .rev()
        .take(MAX_COVERS)
        .map(|(_, place)| ([place.left, place.right], [place.top, place.bottom]))
        .unzip();
    let down = middles(bounds.top, bounds.bottom, down.concat());
    let across = middles(bounds.left, bounds.right, across.concat());
    let mut parts = across.into_iter().flat_map(|x| down.iter().map(move |y| Point::new(x, *y)));
    parts.find(|at| uppermost(covers, *at).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    #[test]
    fn a_touch_goes_where_nothing_lies_over_the_element() {
        let button = "Button clickable [0,0][100,100]";
        let maybe = |id| Some(Cover::Maybe(NodeId(id)));
        let surely = |id| Some(Cover::Element(NodeId(id)));
        for (over, taker, at, cover, ordered) in [
            // Nothing, something that takes no touch, something beside it.
            ("", Some(1), (50, 50), None, None),
            ("\n V [0,0][100,100]", Some(1), (50, 50), None, None),
            ("\n V clickable [100,0][200,100]", Some(1), (50, 50), None, None),
            // The upper half, all but the lower edge, everything.
            ("\n V clickable [0,0][100,60]", Some(1), (50, 70), None, None),
            ("\n V long-clickable [0,0][100,80]", Some(1), (50, 90), None, None),
            ("\n V clickable [0,0][100,100]", Some(1), (50, 50), maybe(2), surely(2)),
            // The uppermost of several.
            (
                "\n V clickable [0,0][100,100]\n W clickable [0,0][100,100]",
                Some(1),
                (50, 50),
                maybe(3),
                surely(3),
            ),
            // What is inside it, and whether that is in the way.
            ("\n  V clickable [40,40][60,60]", Some(1), (30, 50), None, None),
            ("\n  V clickable [40,40][60,60]", None, (50, 50), None, None),
            ("\n  V clickable [0,0][100,96]", Some(1), (50, 98), None, None),
            ("\n  V clickable [0,0][100,100]", Some(1), (50, 50), surely(2), surely(2)),
        ] {
            let drawn = format!("A [0,0][200,200]\n {button}{over}");
            let (plain, mut with_order) = (sketch(&drawn), Tree::new(0));
            for (id, node) in plain.nodes() {
                let drawing_order = i32::try_from(id.0).ok();
                with_order.push(plain.depth(id), crate::tree::Node { drawing_order, ..node.clone() });
            }
            for (tree, cover) in [(plain, cover), (with_order, ordered)] {
                let touch = Screen::new(&tree).touch(NodeId(1), taker.map(NodeId), None).unwrap();
                assert_eq!(((touch.at.x, touch.at.y), touch.cover), (at, cover), "{over}");
            }
        }
    }

    #[test]
    fn what_comes_first_in_a_dump_may_lie_over_what_comes_later() {
        let tree = sketch(
            "A [0,0][200,200]\n V clickable [0,0][200,200]\n B clickable [0,50][100,150]\n C clickable [60,50][150,150]",
        );
        let touch = |id| Screen::new(&tree).touch(NodeId(id), Some(NodeId(id)), None).unwrap();
        assert_eq!(touch(1).cover, None, "beside the others it is alone");
        assert_eq!(touch(2).cover, Some(Cover::Maybe(NodeId(1))));
        assert_eq!(touch(2).at, Point::new(50, 100));
    }

    #[test]
    fn a_touch_goes_above_the_keyboard() {
        let tree = sketch("A [0,0][100,100]\n Button clickable [0,0][100,100]");
        for (top, at, cover, strip) in [
            (100, (50, 50), None, None),
            (40, (50, 30), None, None),
            (4, (50, 50), Some(Cover::Keyboard), Some((50, 2))),
            (0, (50, 50), Some(Cover::Keyboard), None),
        ] {
            let area = Bounds { left: 0, top, right: 100, bottom: 100 };
            let touch = Screen::new(&tree).touch(NodeId(1), Some(NodeId(1)), Some(area));
            let touch = touch.unwrap();
            let pair = |at: Point| (at.x, at.y);
            assert_eq!((pair(touch.at), touch.cover, touch.strip.map(pair)), (at, cover, strip), "{top}");
        }
    }

    #[test]
    fn what_is_not_on_the_screen_is_not_touched() {
        let tree = sketch("A [0,0][9,9]\n B [20,20][30,30]");
        assert_eq!(Screen::new(&tree).touch(NodeId(1), None, None), None);
    }
}
