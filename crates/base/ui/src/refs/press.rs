//! An element that is pressed again and again, and the page that it is on.

use super::fingerprints::Fingerprints;
use super::page::PageIdentity;
use super::weight::needed;
use crate::stable_hash::stable_hash;
use crate::tree::{Node, NodeId};

/// An element that was pressed.
#[derive(Clone, Debug)]
pub struct Press {
    scene: PageIdentity,
    class: String,
    id: Option<String>,
    /// What it says, without numbers.
    label: String,
    depth: usize,
    /// How the page is built, whatever it says.
    structure: u64,
}

impl Press {
    /// A press of an element of a screen.
    pub fn new(fingerprints: &Fingerprints<'_>, element: NodeId) -> Self {
        let tree = fingerprints.screen().tree();
        let node = tree.node(element);
        let build = |(id, node): (NodeId, &Node)| {
            stable_hash(&(tree.depth(id), &node.class, &node.resource_id, &node.package))
        };
        let parts: Vec<u64> = fingerprints.screen().nodes().map(build).collect();
        Self {
            scene: fingerprints.scene().clone(),
            class: node.class.clone(),
            id: node.resource_id.clone().filter(|id| !id.is_empty()),
            label: node.label().replace(char::is_numeric, ""),
            depth: tree.depth(element),
            structure: stable_hash(&parts),
        }
    }

    /// Whether a later press is of the same element on the same page or dialog. What does
    /// something to what is shown needs the page as it was; for others it may say
    /// something else, as a calendar does.
    pub fn is_again(&self, fingerprints: &Fingerprints<'_>, element: NodeId) -> bool {
        let later = Self::new(fingerprints, element);
        let need = needed(fingerprints, element, &self.scene);
        let is_same = match &self.id {
            Some(_) => self.id == later.id && (self.label == later.label || !need.is_lasting),
            None => later.id.is_none() && self.label == later.label,
        };
        let is_built_alike = self.structure == later.structure;
        is_same
            && self.class == later.class
            && match self.scene.likeness(&later.scene, &[]) {
                likeness if need.is_lasting => likeness >= Some(need.likeness),
                likeness => likeness.is_some() || self.scene.goes_on(&later.scene) || is_built_alike,
            }
    }

    /// The only element of a later screen that is the same.
    pub fn find(&self, fingerprints: &Fingerprints<'_>) -> Option<NodeId> {
        let tree = fingerprints.screen().tree();
        let is_like = |(id, node): &(NodeId, &Node)| {
            node.class == self.class
                && tree.depth(*id) == self.depth
                && node.label().replace(char::is_numeric, "") == self.label
        };
        let ids = fingerprints.screen().nodes().filter(is_like).map(|(id, _)| id);
        let mut same = ids.filter(|id| self.is_again(fingerprints, *id));
        same.next().filter(|_| same.next().is_none())
    }
}
