//! Scrolls: towards what was clicked next, or as they were.

use super::Compiler;
use crate::doubt::Unsure;
use crate::event::{Maker, RecordedAct, Scroll};
use crate::selector;
use clawperator_contract::{ActionKind, Direction, Matcher, Number, ParamKey, PayloadAction};
use clawperator_ui::{Ability, Screen};

/// The longest that something is scrolled for.
const SEARCH_MS: u32 = 30_000;
/// How much of a container one full swipe of an action goes.
const FULL_SWIPE: f64 = 0.4;
/// The shortest swipe that still moves something.
const LEAST: f64 = 0.1;

impl Compiler<'_> {
    /// Makes actions of the scrolls so far: one that ends at the target of a click, or one each.
    pub(super) fn flush_scrolls(&mut self, target: Option<(usize, &Matcher)>) {
        let scrolls = std::mem::take(&mut self.scrolls);
        let (Some(&first), Some(&last)) = (scrolls.first(), scrolls.last()) else {
            return;
        };
        let Some((_, matcher)) = target else {
            self.arrive(first);
            for index in scrolls {
                self.scroll_once(index);
            }
            return;
        };
        let in_view = |tree| Screen::new(tree).first(&matcher.selector()).is_some();
        if self.trees[first].as_ref().is_some_and(in_view) {
            self.doubt(first, Unsure::ScrollLeftOut);
            return;
        }
        let direction = self.direction(last);
        let search = PayloadAction::new("", ActionKind::ScrollUntil)
            .with(ParamKey::Direction, direction.word())
            .with(ParamKey::Matcher, matcher.clone())
            .with_some(ParamKey::Container, self.container(first))
            .with(ParamKey::MaxDurationMs, SEARCH_MS);
        self.arrive(first);
        self.act(first, search);
    }

    /// Whether the recorder would have recorded what was scrolled.
    pub(super) fn knows_scrollables(&self, index: usize) -> bool {
        self.recording.header.maker == Maker::Host && self.trees[index].is_some()
    }

    fn scroll_once(&mut self, index: usize) {
        let direction = self.direction(index);
        let travel = self.scroll(index).and_then(|act| act.travel);
        let distance = travel.and_then(|travel| {
            let ratio = (travel.get() / FULL_SWIPE).clamp(LEAST, 1.0);
            Number::new((ratio * 100.0).round() / 100.0)
        });
        let scroll = PayloadAction::new("", ActionKind::Scroll)
            .with(ParamKey::Direction, direction.word())
            .with_some(ParamKey::Container, self.container(index))
            .with_some(ParamKey::DistanceRatio, distance);
        self.doubt(index, Unsure::ScrollDistance);
        self.act(index, scroll);
    }

    fn scroll(&self, index: usize) -> Option<&Scroll> {
        match &self.recording.events.get(index)?.act {
            RecordedAct::Scroll(act) => Some(act),
            RecordedAct::WindowChange(_)
            | RecordedAct::Click(_)
            | RecordedAct::TextChange(_)
            | RecordedAct::PressKey(_) => None,
        }
    }

    /// Where a scroll went: as it was recorded, or by how far it was scrolled before.
    fn direction(&mut self, index: usize) -> Direction {
        let Some(act) = self.scroll(index) else {
            return Direction::Down;
        };
        if let Some(direction) = act.direction {
            return direction;
        }
        let offset = |act: &Scroll| [act.scroll_x.get(), act.scroll_y.get()];
        let [x, y] = offset(act);
        let before = (0..index).rev().find_map(|index| self.scroll(index));
        let [old_x, old_y] = before.map_or([0.0, 0.0], offset);
        if y > old_y {
            Direction::Down
        } else if y < old_y {
            Direction::Up
        } else if x > old_x {
            Direction::Right
        } else if x < old_x {
            Direction::Left
        } else {
            self.doubt(index, Unsure::DirectionGuessed);
            Direction::Down
        }
    }

    /// The container, where the first that can be scrolled is not meant.
    fn container(&self, index: usize) -> Option<Matcher> {
        let act = self.scroll(index)?;
        let screen = Screen::new(self.trees[index].as_ref()?);
        let bounds = act.container?;
        let tree = screen.tree();
        let (id, _) = screen
            .nodes()
            .filter(|(id, _)| tree.can(*id, Ability::Scroll))
            .find(|(_, node)| node.bounds == bounds)?;
        if screen.first_scrollable() == Some(id) {
            return None;
        }
        selector::name(&screen, id, Ability::Scroll).matcher
    }
}
