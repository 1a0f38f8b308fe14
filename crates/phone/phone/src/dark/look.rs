//! What must not be seen of a look.

use clawperator_redact::is_masked;
use clawperator_ui::{Bounds, NodeId, Tree};

/// What elements show whose texts are dots in the tree. The texts stay in this crate.
#[derive(Clone, Default)]
pub struct Private {
    texts: Vec<(NodeId, String)>,
    /// Where the screen shows something dark.
    pub(crate) areas: Vec<Bounds>,
}

/// How what an element shows on the phone compares with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    Same,
    /// It shows as many dots.
    Dots,
    /// It shows as many other letters.
    Length,
    None,
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

    /// Compares what an element of the tree shows on the phone with a text.
    pub fn compare(&self, tree: &Tree, id: NodeId, text: &str) -> Sameness {
        let shown = self.text(tree, id);
        if shown == text {
            Sameness::Same
        } else if shown.chars().count() != text.chars().count() {
            Sameness::None
        } else if is_masked(shown) {
            Sameness::Dots
        } else {
            Sameness::Length
        }
    }

    /// What an element of the tree shows on the phone.
    pub(crate) fn text<'t>(&'t self, tree: &'t Tree, id: NodeId) -> &'t str {
        let hidden = self.texts.iter().find(|(hidden, _)| *hidden == id);
        hidden.map_or(&tree.node(id).text, |(_, text)| text)
    }
}
