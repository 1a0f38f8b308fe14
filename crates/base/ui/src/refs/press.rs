//! An element that is pressed again and again, and the page that it is on.

use super::fingerprints::Fingerprints;
use super::page::Scene;
use crate::tree::NodeId;

/// An element that was pressed.
#[derive(Clone, Debug)]
pub struct Press {
    scene: Scene,
    class: String,
    id: Option<String>,
    /// What it says, without numbers.
    label: String,
    depth: usize,
}

impl Press {
    /// A press of an element of a screen.
    pub fn new(fingerprints: &Fingerprints<'_>, element: NodeId) -> Self {
        let tree = fingerprints.screen().tree();
        let node = tree.node(element);
        Self {
            scene: fingerprints.scene().clone(),
            class: node.class.clone(),
            id: node.resource_id.clone().filter(|id| !id.is_empty()),
            label: node.label().replace(char::is_numeric, ""),
            depth: tree.depth(element),
        }
    }

    /// Whether a later press is of the same element on the same page or dialog, whatever
    /// the presses before it changed there.
    pub fn is_again(&self, later: &Self) -> bool {
        let same_name = match &self.id {
            Some(_) => self.id == later.id,
            None => later.id.is_none() && self.label == later.label,
        };
        same_name && self.class == later.class && self.scene.goes_on(&later.scene)
    }

    /// The only element of a later screen that is the same.
    pub fn find(&self, fingerprints: &Fingerprints<'_>) -> Option<NodeId> {
        let is_same = |id: &NodeId| {
            let later = Self::new(fingerprints, *id);
            later.label == self.label && later.depth == self.depth && self.is_again(&later)
        };
        let ids = fingerprints.screen().nodes().map(|(id, _)| id);
        let class = |id: &NodeId| fingerprints.screen().tree().node(*id).class == self.class;
        let mut same = ids.filter(class).filter(is_same);
        same.next().filter(|_| same.next().is_none())
    }
}
