//! A field that took a secret, as far as it can be found again. Pure. In doubt
//! more fields are meant, not fewer.

use clawperator_redact::{HashKey, Secrets, is_masked};
use clawperator_ui::{Ability, Bounds, Flag, Node, NodeId, Tree};
use serde::{Deserialize, Serialize};

/// How many letters are not guessed one after the other.
const LONG: usize = 4;

/// A field as it can be told again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldMark {
    /// The package; empty if it is unknown.
    package: String,
    id: Option<String>,
    /// The class of a field without an id; empty if it is unknown.
    class: String,
    /// Its number among the fields that look like it, and how many there are.
    alike: (usize, usize),
    /// Where it was seen last.
    bounds: Bounds,
    /// What it said before it takes the secret, and what was said around it,
    /// until that is stored as hashes.
    #[serde(skip)]
    said: (Vec<String>, Vec<String>),
    /// Keyed hashes of what was said around it, in reading order.
    #[serde(default)]
    texts: Vec<String>,
    /// Keyed hashes of the ids of the screen's elements.
    #[serde(default)]
    ids: Vec<String>,
    before: Vec<String>,
}

impl FieldMark {
    /// The field of a screen.
    pub fn of(tree: &Tree, id: NodeId) -> Self {
        let node = tree.node(id);
        let mut mark = Self {
            package: node.package.clone(),
            id: node.resource_id.clone().filter(|id| !id.is_empty()),
            class: node.class.clone(),
            bounds: node.bounds,
            ..Self::default()
        };
        let alike = mark.alike(tree);
        let number = alike.iter().position(|other| *other == id);
        mark.alike = (number.unwrap_or_default(), alike.len());
        let inside = std::iter::once(id).chain(tree.descendants(id));
        let inside = inside.filter(|_| says_nothing(node));
        let texts = inside.flat_map(|id| texts(tree.node(id)));
        let said = texts.filter(|text| !is_masked(text)).chain(node.hint.as_deref());
        mark.said = (said.map(str::to_owned).collect(), around(tree, &mark.package));
        mark.ids = ids(tree, &mark.package).map(str::to_owned).collect();
        mark
    }

    /// The field as it is stored once it takes a secret: what it said is hashed,
    /// unless that is secret too.
    pub(super) fn hashed(mut self, key: &HashKey, secrets: &Secrets) -> Self {
        let (said, around) = std::mem::take(&mut self.said);
        self.texts = hashes(&around, key);
        self.ids.iter_mut().for_each(|id| *id = key.hash(id));
        let open = said.iter().filter(|text| !secrets.are_in(text));
        self.before.extend(open.map(|text| key.hash(text)));
        self
    }

    /// What it is called, as a hash.
    pub(super) fn name(&self, key: &HashKey) -> String {
        let id = self.id.as_deref().unwrap_or_default();
        key.hash(&[&self.package, id, &self.class].join("\n"))
    }

    /// A field of which only the id is known, whole or short, or nothing.
    pub fn by_id(id: Option<&str>) -> Self {
        Self { id: id.map(str::to_owned), ..Self::default() }
    }

    /// The elements of a screen that it may be.
    pub(crate) fn find(&self, tree: &Tree, key: &HashKey) -> Vec<NodeId> {
        let alike = self.alike(tree);
        if self.id.is_some() || hashes(&around(tree, &self.package), key) != self.texts {
            return alike;
        }
        let same = alike.get(self.alike.0).filter(|id| {
            let stays = tree.node(**id).bounds == self.bounds;
            alike.len() == self.alike.1 && stays
        });
        same.map_or(alike.clone(), |same| vec![*same])
    }

    /// The elements that it may have become, if no element of its screen is called
    /// as it was: what is at its place, and every field that was not there before.
    pub(crate) fn find_changed(&self, tree: &Tree, key: &HashKey) -> Vec<NodeId> {
        let now: Vec<String> = ids(tree, &self.package).map(|id| key.hash(id)).collect();
        let stays = self.ids.iter().filter(|id| now.contains(id)).count();
        if self.package.is_empty() || stays * 2 < self.ids.len() {
            return Vec::new();
        }
        let corner = (self.bounds.left, self.bounds.top);
        let may_be = |(id, node): &(NodeId, &Node)| {
            let own = node.resource_id.as_deref().unwrap_or_default();
            let is_known = !own.is_empty() && self.ids.contains(&key.hash(own));
            let is_leaf = tree.descendants(*id).next().is_none();
            let is_there = is_leaf && (node.bounds.left, node.bounds.top) == corner;
            node.package == self.package && !is_known && (is_there || tree.can(*id, Ability::Edit))
        };
        tree.nodes().filter(may_be).map(|(id, _)| id).collect()
    }

    /// Whether this is certainly its screen, with all the fields that look like it:
    /// every id, what is said first, and most of the rest.
    pub(super) fn is_on(&self, tree: &Tree, key: &HashKey) -> bool {
        let (now, said) =
            (ids(tree, &self.package).map(|id| key.hash(id)), hashes(&around(tree, &self.package), key));
        let now: Vec<String> = now.collect();
        let stays = self.texts.iter().filter(|text| said.contains(text)).count();
        self.alike.1 > 0
            && self.alike(tree).len() == self.alike.1
            && self.ids.iter().all(|id| now.contains(id))
            && self.texts.first() == said.first()
            && stays * 4 >= self.texts.len() * 3
    }

    fn alike(&self, tree: &Tree) -> Vec<NodeId> {
        let is_alike = |(id, node): &(NodeId, &Node)| {
            let own = node.resource_id.as_deref().unwrap_or_default();
            let fits = match &self.id {
                Some(wanted) => own == wanted || own.rsplit('/').next() == Some(wanted),
                None if self.class.is_empty() => tree.can(*id, Ability::Edit),
                None => tree.can(*id, Ability::Edit) && own.is_empty() && node.class == self.class,
            };
            fits && (self.package.is_empty() || node.package == self.package)
        };
        tree.nodes().filter(is_alike).map(|(id, _)| id).collect()
    }

    /// Takes over what another mark knows of the same field; whether it is the same.
    pub(crate) fn merge(&mut self, other: &Self) -> bool {
        let field = |mark: &Self| (mark.package.clone(), mark.id.clone(), mark.class.clone());
        let screen = |mark: &Self| (mark.alike, mark.ids.clone(), mark.texts.clone());
        let same = field(self) == field(other) && screen(self) == screen(other);
        if same {
            self.before.extend(other.before.iter().cloned());
            self.before.sort();
            self.before.dedup();
        }
        same
    }

    /// Whether it may mean the field that a matcher's id names.
    pub(crate) fn may_have_id(&self, id: Option<&str>) -> bool {
        let short = |id: &str| id.rsplit('/').next().map(str::to_owned);
        match (&self.id, id) {
            (Some(own), Some(id)) => short(own) == short(id),
            (_, None) | (None, _) => true,
        }
    }
}

/// A field that took a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DarkField {
    pub(super) mark: FieldMark,
    /// What its values are kept under; empty if it may be any field.
    #[serde(default)]
    pub(super) name: String,
    /// Whether it was seen to hold something since then. Before that, what was
    /// typed may still be on its way.
    pub(super) was_full: bool,
    /// Seconds since 1970 when it held something for certain.
    pub(super) since_s: u64,
}

impl DarkField {
    /// Whether an element shows more than it did before the secret was typed.
    pub(super) fn is_full(&self, tree: &Tree, id: NodeId, key: &HashKey) -> bool {
        let mut inside = std::iter::once(id).chain(tree.descendants(id));
        inside.any(|id| {
            // A hint counts only if it was seen before: an app may call the secret one.
            !self.said_before(&tree.node(id).text, key)
        })
    }

    /// Whether the field said this before it took the secret.
    pub(super) fn said_before(&self, text: &str, key: &HashKey) -> bool {
        text.is_empty() || self.mark.before.contains(&key.hash(text))
    }

    /// Remembers where it is now.
    pub(super) fn remember_place(&mut self, tree: &Tree, at: &[NodeId]) {
        if let [only] = at {
            self.mark.bounds = tree.node(*only).bounds;
        }
    }
}

/// Whether what a field says is what it asks for. What it holds may be a guess, which
/// must not be told from others later. An older phone has no hints in its dumps:
/// there, no short text counts, because of a few letters each can be guessed.
fn says_nothing(node: &Node) -> bool {
    let text = node.text.as_str();
    let is_hint = |hint: &str| hint == text;
    let is_long = || text.chars().count() >= LONG;
    text.is_empty() || node.flags.has(Flag::Password) || node.hint.as_deref().map_or_else(is_long, is_hint)
}

fn texts(node: &Node) -> impl Iterator<Item = &str> {
    let texts = [node.text.as_str(), &node.content_desc];
    texts.into_iter().chain(node.hint.as_deref()).filter(|text| !text.is_empty())
}

/// The words beside the fields: another text may mean that other fields have taken their places.
fn around(tree: &Tree, package: &str) -> Vec<String> {
    let plain = tree.nodes().filter(|(id, _)| !tree.can(*id, Ability::Edit));
    let own = plain.filter(|(_, node)| node.package == package && !node.text.is_empty());
    own.map(|(_, node)| node.text.clone()).collect()
}

fn hashes(texts: &[String], key: &HashKey) -> Vec<String> {
    texts.iter().map(|text| key.hash(text)).collect()
}

fn ids<'t>(tree: &'t Tree, package: &str) -> impl Iterator<Item = &'t str> {
    let own = tree.nodes().filter(move |(_, node)| node.package == package);
    let ids = own.filter_map(|(_, node)| node.resource_id.as_deref());
    ids.filter(|id| !id.is_empty())
}
