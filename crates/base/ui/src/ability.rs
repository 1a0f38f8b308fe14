//! Finds the element that takes an action: the element itself, one around it, or one inside it.

use crate::limits::MAX_LEVELS_UP;
use crate::screen::Screen;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;

/// What can be done with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    Click,
    LongClick,
    Focus,
    Edit,
    /// What is inside it can be scrolled.
    Scroll,
}

impl Tree {
    /// Tells whether an element can do something itself. Whether it is enabled is another question.
    pub fn can(&self, id: NodeId, ability: Ability) -> bool {
        let flags = self.node(id).flags;
        match ability {
            Ability::Click => flags.has(Flag::Clickable),
            Ability::LongClick => flags.has(Flag::LongClickable),
            Ability::Focus => flags.has(Flag::Focusable),
            Ability::Edit => self.is_editable(id),
            Ability::Scroll => flags.has(Flag::Scrollable),
        }
    }

    /// The element itself, or the closest around it, that can do something;
    /// not from further away than [`MAX_LEVELS_UP`].
    pub fn nearest(&self, id: NodeId, ability: Ability) -> Option<NodeId> {
        std::iter::successors(Some(id), |id| self.parent(*id))
            .take(MAX_LEVELS_UP)
            .find(|id| self.can(*id, ability))
    }
}

impl Screen<'_> {
    /// The first element of the screen that can be scrolled.
    pub fn first_scrollable(&self) -> Option<NodeId> {
        let mut nodes = self.nodes().map(|(id, _)| id);
        nodes.find(|id| self.tree().can(*id, Ability::Scroll))
    }

    /// The first element inside another, without itself, that can be scrolled.
    pub fn first_scrollable_inside(&self, id: NodeId) -> Option<NodeId> {
        let mut nodes = self.within(id).map(|(id, _)| id).skip(1);
        nodes.find(|id| self.tree().can(*id, Ability::Scroll))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    #[test]
    fn the_nearest_that_can_is_found() {
        let tree = sketch(
            "A clickable focusable\n B scrollable long-clickable\n  EditText \"x\"\n   D\n    E\n     F\n      G\n       H\n        I",
        );
        for (id, ability, expected) in [
            (0, Ability::Click, Some(0)),
            (3, Ability::Click, Some(0)),
            (3, Ability::Focus, Some(0)),
            (3, Ability::LongClick, Some(1)),
            (3, Ability::Scroll, Some(1)),
            (3, Ability::Edit, Some(2)),
            (1, Ability::Edit, None),
            // Eight elements, the first included.
            (7, Ability::Click, Some(0)),
            (8, Ability::Click, None),
        ] {
            let found = tree.nearest(NodeId(id), ability).map(|id| id.0);
            assert_eq!(found, expected, "{id} {ability:?}");
        }
    }

    #[test]
    fn the_first_that_scrolls_is_one_that_is_seen() {
        let tree = sketch(
            "A [0,0][9,9]\n B [20,0][30,9] scrollable\n B [0,0][9,9]\n  C scrollable\n   D scrollable\n B scrollable",
        );
        let screen = Screen::new(&tree);
        assert_eq!(screen.first_scrollable(), Some(NodeId(3)));
        for (id, expected) in [(0, Some(3)), (1, None), (2, Some(3)), (3, Some(4)), (4, None), (5, None)] {
            let found = screen.first_scrollable_inside(NodeId(id));
            assert_eq!(found.map(|id| id.0), expected, "{id}");
        }
    }
}
