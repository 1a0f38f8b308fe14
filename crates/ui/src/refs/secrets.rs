//! The fields that once held a password: one that shows it no longer says that
//! it is one.

use crate::around::Ability;
use crate::limits::MAX_SECRETS;
use crate::seen::Screen;
use crate::stable_hash::stable_hash;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;
use serde::{Deserialize, Serialize};

/// The fields that held a password, by id or by place; the newest last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Secrets(Vec<u64>);

impl Secrets {
    /// Takes note of the password fields of a screen.
    pub(super) fn note(&mut self, screen: &Screen<'_>) {
        for (id, node) in screen.nodes() {
            let field = of(screen.tree(), id);
            if node.flags.has(Flag::Password) && !self.0.contains(&field) {
                self.0.push(field);
            }
        }
        let extra = self.0.len().saturating_sub(MAX_SECRETS);
        self.0.drain(..extra);
    }

    /// Whether an element holds a secret, or did.
    pub(super) fn has(&self, tree: &Tree, id: NodeId) -> bool {
        tree.is_secret(id) || (tree.can(id, Ability::Edit) && self.0.contains(&of(tree, id)))
    }
}

fn of(tree: &Tree, id: NodeId) -> u64 {
    let node = tree.node(id);
    match node.resource_id.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => stable_hash(&(&node.package, id)),
        None => stable_hash(&(&node.package, node.bounds)),
    }
}
