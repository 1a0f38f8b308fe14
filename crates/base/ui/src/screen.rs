//! The part of a tree that a user can see.

use crate::bounds::Bounds;
use crate::tree::{Node, NodeId, Tree};

/// The part of a tree that a user can see. It costs nothing to make:
/// visibility is computed on the way through the tree.
///
/// The outermost elements are always in it. Any other is if something of it is
/// on the screen and everything around it is in it too.
#[derive(Clone, Copy, Debug)]
pub struct Screen<'t> {
    tree: &'t Tree,
    area: Bounds,
}

impl<'t> Screen<'t> {
    /// The screen is as large as the outermost elements: a dump does not say
    /// how large the display is.
    pub fn new(tree: &'t Tree) -> Self {
        let area = tree
            .roots()
            .map(|root| tree.node(root).bounds)
            .fold(Bounds::default(), |area, bounds| area.around(&bounds));
        Self::sized(tree, area)
    }

    /// A screen whose area is known.
    pub fn sized(tree: &'t Tree, area: Bounds) -> Self {
        Self { tree, area }
    }

    /// The whole tree.
    pub fn tree(&self) -> &'t Tree {
        self.tree
    }

    /// Where the screen is.
    pub fn area(&self) -> Bounds {
        self.area
    }

    /// The part of an element's bounds that is on the screen.
    pub fn visible_bounds(&self, id: NodeId) -> Bounds {
        self.tree.node(id).bounds.overlap(&self.area)
    }

    /// Every visible element, in reading order.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &'t Node)> + use<'t> {
        self.walk(0, self.tree.len())
    }

    /// An element, if it is visible, and the visible elements inside it.
    pub fn within(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &'t Node)> + use<'t> {
        let end = if self.sees(id) { self.tree.end(id) } else { id.0 };
        self.walk(id.0, end)
    }

    /// The visible children of an element.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'t> {
        let screen = *self;
        let children = self.sees(id).then(|| screen.tree.children(id));
        children.into_iter().flatten().filter(move |child| screen.shows(*child))
    }

    /// Tells whether an element is visible.
    pub fn sees(&self, id: NodeId) -> bool {
        let mut around = self.tree.parent(id);
        if around.is_some() && !self.shows(id) {
            return false;
        }
        while let Some(outer) = around {
            if !self.shows(outer) {
                return false;
            }
            around = self.tree.parent(outer);
        }
        true
    }

    /// Goes through a part of the tree whose ancestors are all visible.
    fn walk(&self, from: usize, end: usize) -> impl Iterator<Item = (NodeId, &'t Node)> + use<'t> {
        let screen = *self;
        let mut next = from;
        std::iter::from_fn(move || {
            while next < end {
                let id = NodeId(next);
                if screen.shows(id) {
                    next += 1;
                    return Some((id, screen.tree.node(id)));
                }
                next = screen.tree.end(id);
                if screen.tree.depth(id) == 0 {
                    return Some((id, screen.tree.node(id)));
                }
            }
            None
        })
    }

    /// Tells whether an element is visible if all its ancestors are. Sharing
    /// an edge with the screen is not enough: the next page of a pager does.
    fn shows(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        node.visible_to_user != Some(false) && !node.bounds.overlap(&self.area).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    #[test]
    fn only_what_is_on_the_screen_is_seen() {
        for (drawing, seen) in [
            ("A [0,0][100,100]\n B [0,0][10,10]\n B [90,90][200,200]", "012"),
            // Beside the screen, on its edge, without a size.
            ("A [0,0][100,100]\n B [0,100][9,109]\n B [-9,0][0,9]\n B [5,5][5,9]\n B [9,9][5,5]", "0"),
            // What is inside the unseen is unseen.
            ("A [0,0][100,100]\n B [200,0][300,9]\n  C [0,0][9,9]\n B [0,0][9,9]", "03"),
            ("A [0,0][100,100]\n B [0,0][9,9] visible-to-user=false\n  C [0,0][9,9]\n B [0,0][9,9]", "03"),
            // The outermost is always there, with nothing in it if it is empty.
            ("A [0,0][0,0]\n B [0,0][9,9]", "0"),
            ("A [0,0][9,9] visible-to-user=false\n B [0,0][9,9]\nA [0,0][9,9]\n B [0,0][1,1]", "023"),
            // A window need not begin at the corner; two are one screen.
            ("A [50,50][100,100]\n B [0,0][60,60]\n B [0,0][50,50]", "01"),
            ("A [0,0][9,9]\n B [0,8][9,20]\nA [0,9][9,30]\n B [0,20][9,99]", "0123"),
            ("", ""),
        ] {
            let tree = sketch(drawing);
            let screen = Screen::new(&tree);
            let ids: String = screen.nodes().map(|(id, _)| id.0.to_string()).collect();
            assert_eq!(ids, seen, "{drawing}");
            for (id, _) in tree.nodes() {
                assert_eq!(screen.sees(id), ids.contains(&id.0.to_string()), "{drawing} {id:?}");
            }
        }
    }

    #[test]
    fn a_part_of_the_screen_can_be_walked() {
        let tree = sketch(
            "A [0,0][100,100]\n B [0,0][50,150]\n  C [0,0][9,9]\n  C [0,200][9,209]\n B [50,0][60,9]\n  C [50,0][51,1]",
        );
        let screen = Screen::new(&tree);
        let within = |id: usize| -> Vec<_> { screen.within(NodeId(id)).map(|(id, _)| id.0).collect() };
        assert_eq!(within(1), [1, 2]);
        assert_eq!(within(3), [0_usize; 0]);
        assert_eq!(within(5), [5]);
        assert_eq!(screen.children(NodeId(1)).collect::<Vec<_>>(), [NodeId(2)]);
        assert_eq!(screen.visible_bounds(NodeId(1)).to_string(), "[0,0][50,100]");
    }
}
