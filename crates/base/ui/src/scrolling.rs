//! Scrolling: where a finger goes, and whether anything moved.

use crate::bounds::Bounds;
use crate::limits::MAX_REMEMBERED;
use crate::point::Point;
use crate::screen::Screen;
use crate::stable_hash::{StableHasher, stable_hash};
use crate::tree::{Node, NodeId};
use clawperator_contract::Direction;
use std::cmp::Reverse;
use std::hash::{Hash as _, Hasher as _};

/// How far a finger moves at most for a tap, in pixels of the coarsest screens.
/// On others it is farther.
const SLOP: u32 = 8;

/// A straight way of a finger, both ends inside the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwipeLine {
    pub from: Point,
    pub to: Point,
}

/// The swipe that scrolls a container towards a direction, along its middle.
/// The ratio, between 0 and 1, is how much of the usable way is used.
///
/// There is none where the finger would hardly move: that would be a tap.
pub fn swipe(container: &Bounds, direction: Direction, ratio: f64) -> Option<SwipeLine> {
    // A finger never starts in the outer fifth, where the system may take it
    // for a gesture of its own, and goes half of what then is left.
    const OUTER: f64 = 0.2;
    const STEP: f64 = 0.4;
    if container.is_empty() || ratio.is_nan() {
        return None;
    }
    let step = STEP * ratio.clamp(0.0, 1.0);
    let (from, to) = match direction {
        Direction::Down | Direction::Right => (1.0 - OUTER - step, 1.0 - OUTER - 2.0 * step),
        Direction::Up | Direction::Left => (OUTER + step, OUTER + 2.0 * step),
    };
    let Point { x, y } = container.center();
    let (from, to) = match direction {
        Direction::Down | Direction::Up => {
            let at = |part| Point::new(x, between(container.top, container.bottom, part));
            (at(from), at(to))
        }
        Direction::Left | Direction::Right => {
            let at = |part| Point::new(between(container.left, container.right, part), y);
            (at(from), at(to))
        }
    };
    (from.apart(to) > SLOP).then_some(SwipeLine { from, to })
}

/// A part of the way from a first pixel to the one behind the last, never outside.
fn between(first: i32, end: i32, part: f64) -> i32 {
    let (first, end) = (f64::from(first), f64::from(end));
    // `as` saturates, and both ends fit.
    (first + (end - first) * part).round().clamp(first, end - 1.0) as i32
}

/// What a container held at a time, to be compared with another time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The container itself, and how deep it is in the tree.
    container: (Node, usize),
    /// Which elements there were, and where along the direction.
    places: u64,
    /// The hash of each label, 0 for none.
    labels: Vec<u64>,
    /// Whether every text goes from one edge to the other, so that none is seen to move.
    is_filled: bool,
}

impl Signature {
    /// The container on a later screen, whatever it holds and however large it is
    /// then: of the same kind, as deep, and where most of it was.
    pub fn container(&self, screen: &Screen<'_>) -> Option<NodeId> {
        let (was, depth) = &self.container;
        let alike = screen.nodes().filter(|(_, node)| {
            node.class == was.class && node.package == was.package && node.resource_id == was.resource_id
        });
        let share = |id: NodeId| {
            let (now, before) = (screen.visible_bounds(id), was.bounds);
            let shared = Some(now.overlap(&before)).filter(|shared| !shared.is_empty());
            shared.map_or(0, |shared| shared.area() * 1_000 / now.around(&before).area().max(1))
        };
        let nearest = alike.min_by_key(|(id, _)| Reverse((screen.tree().depth(*id) == *depth, share(*id))));
        nearest.map(|(id, _)| id)
    }

    /// Tells whether nothing inside would be seen to move: there is nothing, or one long
    /// text that goes beyond both edges.
    pub fn is_blind(&self) -> bool {
        self.labels.is_empty() || self.is_filled
    }

    /// Tells whether the container moved between the two times.
    ///
    /// A list that moved by whole rows has everything in the same places with
    /// other labels. One label that changed among many is a clock.
    pub fn moved_from(&self, before: &Self) -> bool {
        const FEW: usize = 3;
        if self.places != before.places || self.labels.len() != before.labels.len() {
            return true;
        }
        let pairs = || self.labels.iter().zip(&before.labels);
        let changed = pairs().filter(|(now, then)| now != then).count();
        let labelled = pairs().filter(|(now, then)| **now != 0 || **then != 0).count();
        changed > 1 || (changed == 1 && labelled <= FEW)
    }
}

impl Screen<'_> {
    /// The swipe that scrolls a container within what is seen of it.
    pub fn swipe(&self, container: NodeId, direction: Direction, ratio: f64) -> Option<SwipeLine> {
        swipe(&self.visible_bounds(container), direction, ratio)
    }

    /// What a container holds now. Everything that is seen inside counts, not only what is directly
    /// inside: that is often one element as large as the container, which never moves.
    pub fn signature(&self, container: NodeId, direction: Direction) -> Signature {
        let mut places = StableHasher::new();
        let inside = self.within(container).skip(1).take(MAX_REMEMBERED);
        let labels = inside
            .map(|(id, node)| {
                let at = match direction {
                    Direction::Down | Direction::Up => node.bounds.top,
                    Direction::Left | Direction::Right => node.bounds.left,
                };
                (self.tree().depth(id), at, &node.resource_id, &node.class).hash(&mut places);
                label_hash(node.label())
            })
            .collect();
        let mut own = self.tree().node(container).clone();
        own.bounds = self.visible_bounds(container);
        let is_across = |node: &Node| match direction {
            Direction::Down | Direction::Up => {
                node.bounds.top <= own.bounds.top && node.bounds.bottom >= own.bounds.bottom
            }
            Direction::Left | Direction::Right => false,
        };
        let mut texts =
            self.within(container).skip(1).filter(|(_, node)| !node.label().is_empty()).peekable();
        let is_filled = texts.peek().is_some() && texts.all(|(_, node)| is_across(node));
        Signature {
            container: (own, self.tree().depth(container)),
            places: places.finish(),
            labels,
            is_filled,
        }
    }
}

fn label_hash(label: &str) -> u64 {
    if label.is_empty() {
        return 0;
    }
    stable_hash(&label)
}
