//! What must not be seen of a look.

use clawperator_ui::{Bounds, NodeId, Tree};

/// What elements show whose texts are dots in the tree. It stays in this crate.
#[derive(Clone, Default)]
pub(crate) struct Private {
    texts: Vec<(NodeId, String)>,
    /// Where the screen shows something dark.
    pub(crate) areas: Vec<Bounds>,
}

impl std::fmt::Debug for Private {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Private({})", self.texts.len())
    }
}

impl Private {
    pub(super) fn of(tree: &Tree, mut texts: Vec<(NodeId, String)>, mut areas: Vec<Bounds>) -> Self {
        texts.retain(|(id, text)| tree.node(*id).text != *text);
        let hidden = tree.nodes().filter(|(_, node)| node.hides_secret);
        areas.extend(hidden.map(|(_, node)| node.bounds));
        Self { texts, areas }
    }

    /// What an element of the tree shows on the phone.
    pub(crate) fn text<'t>(&'t self, tree: &'t Tree, id: NodeId) -> &'t str {
        let hidden = self.texts.iter().find(|(hidden, _)| *hidden == id);
        hidden.map_or(&tree.node(id).text, |(_, text)| text)
    }
}
