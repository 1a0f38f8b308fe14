//! What must not be in a recording: a field that once was a password field stays
//! one, even if its text is made visible, and its text is never written.

use crate::limits::{MAX_SECRET_FIELDS, MAX_SECRETS};
use clawperator_contract::text;
use clawperator_redact::{DOTS, is_masked, remove};
use clawperator_ui::{Ability, Flag, Node, NodeId, Tree};
use std::collections::BTreeMap;

/// A shorter text than this is too common to be taken out elsewhere.
const SHORTEST: usize = 4;

/// A field, as far as it can be told again.
type FieldKey = (String, String, Option<(i32, i32)>);

/// What is secret in this recording.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    /// The fields that were password fields, and what each asks for while it
    /// is empty.
    fields: BTreeMap<FieldKey, Option<String>>,
    /// What was seen in them. The last is the newest.
    texts: Vec<(FieldKey, String)>,
}

impl Secrets {
    /// The screen with every secret field marked as a password's, and what was
    /// seen in one taken out everywhere else.
    pub(super) fn hidden(&mut self, tree: &Tree) -> Tree {
        for (id, node) in tree.nodes() {
            self.learn(node, tree.can(id, Ability::Edit));
        }
        let mut told = Tree::new(tree.rotation);
        for (id, node) in tree.nodes() {
            let mut node = node.clone();
            if self.is_secret(tree, id) {
                node.flags = node.flags.with(Flag::Password, true);
            } else {
                self.scrub(&mut node.text);
            }
            self.scrub(&mut node.content_desc);
            if let Some(hint) = &mut node.hint {
                self.scrub(hint);
            }
            told.push(tree.depth(id), node);
        }
        told
    }

    fn learn(&mut self, node: &Node, editable: bool) {
        let key = key(node);
        if node.flags.has(Flag::Password) {
            // Without a dot it is what an empty field asks for.
            let asks = !node.text.contains(DOTS) && !text::is_blank(&node.text);
            if self.fields.len() < MAX_SECRET_FIELDS || self.fields.contains_key(&key) {
                let hint = self.fields.entry(key).or_default();
                if asks {
                    *hint = Some(node.text.clone());
                }
            }
            return;
        }
        let Some(asked) = self.fields.get(&key).filter(|_| editable) else {
            return;
        };
        let shown = &node.text;
        let is_hint = asked.as_ref() == Some(shown) || node.hint.as_ref() == Some(shown);
        if is_hint || shown.chars().count() < SHORTEST || is_masked(shown) {
            return;
        }
        // What is being typed grows: only the whole of it is kept.
        self.texts
            .retain(|(field, old)| !(*field == key && shown.starts_with(old.as_str())));
        if self.texts.len() >= MAX_SECRETS {
            self.texts.remove(0);
        }
        self.texts.push((key, shown.clone()));
    }

    fn is_secret(&self, tree: &Tree, id: NodeId) -> bool {
        let held_one = || self.fields.contains_key(&key(tree.node(id)));
        tree.is_secret(id) || tree.can(id, Ability::Edit) && held_one()
    }

    fn scrub(&self, said: &mut String) {
        for (_, secret) in &self.texts {
            if said.contains(secret.as_str()) {
                *said = remove(said, secret);
            }
        }
    }
}

/// By package and id, or else by package, class and place.
fn key(node: &Node) -> FieldKey {
    let package = node.package.clone();
    match node.resource_id.as_ref().filter(|id| !id.is_empty()) {
        Some(id) => (package, id.clone(), None),
        None => (
            package,
            node.class.clone(),
            Some((node.bounds.left, node.bounds.top)),
        ),
    }
}
