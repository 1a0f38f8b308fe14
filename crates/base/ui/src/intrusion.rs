//! Dialogs of the phone itself, which come over any app: their signs are their
//! package and ids, since their words are in the phone's language.

use crate::ability::Ability;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;

/// A dialog of the phone's over an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intrusion {
    /// What it is, in our words.
    pub kind: &'static str,
    /// The elements that answer it.
    pub choices: Vec<NodeId>,
    message: Option<NodeId>,
}

/// Parts of ids, and the kind of the dialog that has an element with one; the first that fits. An
/// app that hangs has the same choices as one that stopped, and one more.
const KINDS: &[(&str, &str)] = &[
    (":id/permission_allow", "permission dialog"),
    (":id/permission_deny", "permission dialog"),
    (":id/grant_dialog", "permission dialog"),
    ("android:id/aerr_wait", "an app isn't responding"),
    ("android:id/aerr_", "an app has stopped"),
    ("id/resolver_list", "choice of an app"),
];
/// What the ids of a dialog's words end with, the best first.
const MESSAGES: &[&str] = &["permission_message", "alertTitle", "message", "title"];
/// Whose dialogs these are.
const OWNERS: &[&str] = &["android", "com.android.systemui"];
const OWNER_ENDS: &[&str] = &[".permissioncontroller", ".packageinstaller", ".intentresolver"];

impl Intrusion {
    /// The dialog that a tree is of, if it is one of the phone's.
    pub fn of(tree: &Tree) -> Option<Self> {
        let (_, root) = tree.nodes().next()?;
        let package = root.package.as_str();
        if !OWNERS.contains(&package) && !OWNER_ENDS.iter().any(|end| package.ends_with(end)) {
            return None;
        }
        let has = |part: &str| tree.nodes().any(|(_, node)| id(node).contains(part));
        let known = KINDS.iter().find(|(part, _)| has(part));
        // Before Android 7 the dialog of an app that stopped was a plain one.
        let plain = || has("android:id/button1").then_some("dialog of the phone");
        let kind = known.map(|(_, kind)| *kind).or_else(plain)?;
        let nodes = || tree.nodes().filter(|(_, node)| !node.label().is_empty());
        let choices: Vec<_> = tree
            .nodes()
            .filter(|(id, node)| node.flags.has(Flag::Enabled) && tree.can(*id, Ability::Click))
            .map(|(id, _)| id)
            .filter(|id| !tree.words(*id).is_empty())
            .collect();
        let by_id = MESSAGES.iter().find_map(|end| nodes().find(|(_, node)| id(node).ends_with(end)));
        let message = by_id.or_else(|| nodes().find(|(id, _)| !choices.contains(id)));
        Some(Self { kind, message: message.map(|(id, _)| id), choices })
    }

    /// What it says.
    pub fn says<'t>(&self, tree: &'t Tree) -> &'t str {
        self.message.map_or("", |id| tree.node(id).label())
    }
}

impl Tree {
    /// The label of an element, or else the first inside it.
    pub fn words(&self, id: NodeId) -> &str {
        let mut labels = std::iter::once(id).chain(self.descendants(id)).map(|id| self.node(id).label());
        labels.find(|label| !label.is_empty()).unwrap_or_default()
    }
}

fn id(node: &crate::tree::Node) -> &str {
    node.resource_id.as_deref().unwrap_or_default()
}
