//! The fields that once held a password: a field that shows its password no
//! longer reports that it is a password field.

use crate::ability::Ability;
use crate::limits::MAX_SECRETS;
use crate::screen::Screen;
use crate::stable_hash::stable_hash;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;
use serde::{Deserialize, Serialize};

/// The fields that held a password, by id or by place; the newest last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PasswordFields(Vec<u64>);

impl PasswordFields {
    /// Remembers the password fields of a screen.
    pub(super) fn note(&mut self, screen: &Screen<'_>) {
        for (id, node) in screen.nodes() {
            let field = identity(screen.tree(), id);
            if node.flags.has(Flag::Password) && !self.0.contains(&field) {
                self.0.push(field);
            }
        }
        let extra = self.0.len().saturating_sub(MAX_SECRETS);
        self.0.drain(..extra);
    }

    /// Whether an element holds a secret, or did.
    pub(super) fn has(&self, tree: &Tree, id: NodeId) -> bool {
        tree.is_secret(id) || (tree.can(id, Ability::Edit) && self.0.contains(&identity(tree, id)))
    }
}

fn identity(tree: &Tree, id: NodeId) -> u64 {
    let node = tree.node(id);
    match node.resource_id.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => stable_hash(&(&node.package, id)),
        None => stable_hash(&(&node.package, node.bounds)),
    }
}
