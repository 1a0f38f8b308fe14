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
    /// No tree has it.
    Keyboard,
}

impl Tree {
    /// Whether an element is drawn after another that is not around or inside it: as
    /// the phone says, else in the order of the tree.
    fn is_drawn_after(&self, one: NodeId, other: NodeId) -> bool {
        let around = |id| {
            let mut all: Vec<NodeId> = std::iter::successors(Some(id), |id| self.parent(*id)).collect();
            all.reverse();
            all
        };
        let (one, other) = (around(one), around(other));
        let mut levels = one.iter().zip(&other);
        let Some((one, other)) = levels.find(|(one, other)| one != other) else {
            return false;
        };
        let order = |id: &NodeId| self.node(*id).drawing_order;
        match (order(one), order(other)) {
            (Some(first), Some(second)) if first != second => first > second,
            _ => one > other,
        }
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
    /// An element that is drawn later and takes touches lies over it. An element inside it does so
    /// only where there is a taker for the touch. The keyboard lies over all of them.
    pub fn touch(&self, id: NodeId, taker: Option<NodeId>, keyboard: Option<Bounds>) -> Option<Touch> {
        let bounds = self.visible_bounds(id);
        if bounds.is_empty() {
            return None;
        }
        let is_inside = |other: NodeId| (id.0..self.tree().end(id)).contains(&other.0);
        let is_over = |other: NodeId| {
            if is_inside(other) {
                taker.is_some() && other != id
            } else {
                self.tree().is_drawn_after(other, id)
            }
        };
        let takes = |flags: crate::tree::Flags| flags.has(Flag::Clickable) || flags.has(Flag::LongClickable);
        let covers: Vec<_> = self
            .nodes()
            .filter(|(_, node)| takes(node.flags))
            .map(|(other, node)| (other, node.bounds.overlap(&bounds)))
            .filter(|(other, common)| !common.is_empty() && is_over(*other))
            .map(|(other, common)| (Cover::Element(other), common))
            .chain(keyboard.map(|area| (Cover::Keyboard, area.overlap(&bounds))))
            .collect();
        let cover = |at: Point| {
            let hit = covers.iter().rev().find(|(_, place)| place.contains(at));
            hit.map(|(other, _)| *other)
        };
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
        let free = std::iter::once(middle).chain(points).find(|at| cover(*at).is_none());
        let covered = free.is_none().then(|| cover(middle)).flatten();
        let (across, down): (Vec<_>, Vec<_>) = covers
            .iter()
            .rev()
            .take(MAX_COVERS)
            .map(|(_, place)| ([place.left, place.right], [place.top, place.bottom]))
            .unzip();
        let down = middles(bounds.top, bounds.bottom, down.concat());
        let mut parts = middles(bounds.left, bounds.right, across.concat())
            .into_iter()
            .flat_map(|x| down.iter().map(move |y| Point::new(x, *y)));
        let strip = covered.and_then(|_| parts.find(|at| cover(*at).is_none()));
        // Its own parts leave a place for it, however small.
        let is_own = |cover| matches!(cover, Cover::Element(other) if is_inside(other));
        let own = strip.filter(|_| covered.is_some_and(is_own));
        Some(Touch { at: free.or(own).unwrap_or(middle), cover: covered.filter(|_| own.is_none()), strip })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    #[test]
    fn a_touch_goes_where_nothing_lies_over_the_element() {
        let button = "Button clickable [0,0][100,100]";
        for (over, taker, at, cover) in [
            // Nothing, something that takes no touch, something beside it.
            ("", Some(1), (50, 50), None),
            ("\n V [0,0][100,100]", Some(1), (50, 50), None),
            ("\n V clickable [100,0][200,100]", Some(1), (50, 50), None),
            // The upper half, all but the lower edge, everything.
            ("\n V clickable [0,0][100,60]", Some(1), (50, 70), None),
            ("\n V long-clickable [0,0][100,80]", Some(1), (50, 90), None),
            ("\n V clickable [0,0][100,100]", Some(1), (50, 50), Some(2)),
            // The uppermost of several.
            ("\n V clickable [0,0][100,100]\n W clickable [0,0][100,100]", Some(1), (50, 50), Some(3)),
            // What is inside it, and whether that is in the way.
            ("\n  V clickable [40,40][60,60]", Some(1), (30, 50), None),
            ("\n  V clickable [40,40][60,60]", None, (50, 50), None),
            ("\n  V clickable [0,0][100,96]", Some(1), (50, 98), None),
            ("\n  V clickable [0,0][100,100]", Some(1), (50, 50), Some(2)),
        ] {
            let tree = sketch(&format!("A [0,0][200,200]\n {button}{over}"));
            let touch = Screen::new(&tree).touch(NodeId(1), taker.map(NodeId), None);
            let touch = touch.unwrap();
            let cover = cover.map(|id| Cover::Element(NodeId(id)));
            assert_eq!(((touch.at.x, touch.at.y), touch.cover), (at, cover), "{over}");
        }
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
