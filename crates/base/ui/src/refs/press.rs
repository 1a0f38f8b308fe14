//! An element that is pressed again and again, and the page that it is on.

use super::fingerprints::Fingerprints;
use super::page::{PageIdentity, PageLikeness};
use super::set_value::SetChange;
use super::weight::{LABEL_WORDS, needed};
use crate::bounds::Bounds;
use crate::stable_hash::stable_hash;
use crate::tree::{Node, NodeId, Tree};
use crate::words::{ComparableText, PhraseKind};

/// How many texts beside an element are compared.
const MAX_BESIDE: usize = 64;

/// An element that was pressed.
#[derive(Clone, Debug)]
pub struct Press {
    scene: PageIdentity,
    class: String,
    id: Option<String>,
    /// What it says.
    label: String,
    depth: usize,
    /// How the page is built, whatever it says.
    structure: u64,
    /// What stands beside it, without numbers.
    beside: u64,
    bounds: Bounds,
    /// Whether nothing else on the page looks like it.
    is_alone: bool,
    /// Whether it answers a question.
    is_answer: bool,
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
        let scene = fingerprints.scene();
        let asks = |(_, node): (NodeId, &Node)| node.label().trim_end().ends_with(['?', '？', '؟']);
        // An icon that says of what, such as of the next month, agrees to nothing.
        let is_plain = !node.text.is_empty() || node.content_desc.split_whitespace().count() == 1;
        let agrees = || is_plain && ComparableText::new(node.label()).says(PhraseKind::Confirm, LABEL_WORDS);
        let mut press = Self {
            scene: scene.clone(),
            class: node.class.clone(),
            id: node.resource_id.clone().filter(|id| !id.is_empty()),
            label: node.label().to_owned(),
            depth: tree.depth(element),
            structure: stable_hash(&parts),
            beside: beside(tree, element),
            bounds: fingerprints.screen().visible_bounds(element),
            is_alone: false,
            is_answer: fingerprints.screen().nodes().any(asks) || (scene.dialog && agrees()),
        };
        press.is_alone = press.alike(fingerprints).take(2).count() == 1;
        press
    }

    /// The elements that look like it.
    fn alike<'f>(&'f self, fingerprints: &'f Fingerprints<'_>) -> impl Iterator<Item = NodeId> + 'f {
        let screen = fingerprints.screen();
        let is_like = |(id, node): &(NodeId, &Node)| {
            node.class == self.class
                && screen.tree().depth(*id) == self.depth
                && words(node.label()) == words(&self.label)
        };
        screen.nodes().filter(is_like).map(|(id, _)| id)
    }

    /// Whether a later press is of the same element on the same page or dialog. What does
    /// something to what is shown needs the page as it was, and so does the answer to a
    /// question; for others it may say something else, as a calendar does.
    pub fn is_again(&self, fingerprints: &Fingerprints<'_>, element: NodeId) -> bool {
        let later = Self::new(fingerprints, element);
        let need = needed(fingerprints, element, &self.scene);
        // Of several it is the one with its number.
        let of = |press: &Self| if self.is_alone { words(&press.label) } else { press.label.clone() };
        let is_called_alike = of(self) == of(&later);
        let is_same = match &self.id {
            Some(_) => self.id == later.id && (is_called_alike || (self.is_alone && !need.is_lasting)),
            None => later.id.is_none() && is_called_alike,
        };
        let is_built_alike = self.structure == later.structure;
        let change = self.scene.set_change(&later.scene, &[]);
        is_same
            && self.class == later.class
            && match self.scene.likeness(&later.scene) {
                likeness if need.is_lasting => {
                    let is_set = need.likeness >= PageLikeness::Exact && change > SetChange::None;
                    likeness >= Some(need.likeness) && !is_set
                }
                likeness if self.is_answer || later.is_answer => {
                    likeness >= Some(PageLikeness::Kept) && change < SetChange::Set
                }
                likeness => likeness.is_some() || self.scene.goes_on(&later.scene) || is_built_alike,
            }
    }

    /// The only element of a later screen that is the same: with the same words beside it,
    /// or in the same place if there was and is no other like it.
    pub fn find(&self, fingerprints: &Fingerprints<'_>) -> Option<NodeId> {
        let (screen, tree) = (fingerprints.screen(), fingerprints.screen().tree());
        let is_there = |id: NodeId| {
            let shared = screen.visible_bounds(id).overlap(&self.bounds);
            !shared.is_empty() && shared.area() * 2 >= self.bounds.area()
        };
        let alike: Vec<NodeId> = self.alike(fingerprints).collect();
        let mut same = alike.iter().copied().filter(|id| beside(tree, *id) == self.beside);
        let found = match (same.next(), same.next(), &alike[..]) {
            (Some(id), None, _) => Some(id),
            (None, _, [only]) if self.is_alone && is_there(*only) => Some(*only),
            _ => None,
        };
        found.filter(|id| self.is_again(fingerprints, *id))
    }
}

/// A text without its numbers.
fn words(text: &str) -> String {
    text.replace(char::is_numeric, "")
}

/// The words around an element without numbers: those of the nearest element around it
/// that has others than its own.
fn beside(tree: &Tree, element: NodeId) -> u64 {
    let own: Vec<NodeId> = tree.descendants(element).collect();
    let texts = |around: NodeId| -> Vec<String> {
        let others = tree.descendants(around).filter(|id| *id != element && !own.contains(id));
        let labels = others.map(|id| tree.node(id).label()).filter(|label| !label.is_empty());
        labels.take(MAX_BESIDE).map(words).collect()
    };
    let mut around = std::iter::successors(tree.parent(element), |id| tree.parent(*id)).map(texts);
    stable_hash(&around.find(|texts| !texts.is_empty()).unwrap_or_default())
}
