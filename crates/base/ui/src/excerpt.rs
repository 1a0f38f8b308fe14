//! An element in a few words, for messages.

use crate::limits::{MAX_EXCERPT, MAX_EXCERPT_ID};
use crate::tree::{NodeId, Tree};
use clawperator_contract::text::cut;

impl Tree {
    /// An element in one short line: its class's own name, its label, its id
    /// and its place. All are escaped: it stays one line whatever they hold.
    pub fn excerpt(&self, id: NodeId) -> String {
        let node = self.node(id);
        let class = node.class.rsplit('.').next().unwrap_or_default();
        let mut line = match class {
            "" => "element".to_owned(),
            class => cut(class, MAX_EXCERPT).escape_debug().to_string(),
        };
        let label = node.label();
        if !label.is_empty() {
            line.push_str(&format!(" {:?}", cut(label, MAX_EXCERPT)));
        }
        if let Some(id) = node.resource_id.as_deref().filter(|id| !id.is_empty()) {
            line.push_str(&format!(" id={}", cut(id, MAX_EXCERPT_ID).escape_debug()));
        }
        line.push_str(&format!(" at {}", node.bounds));
        line
    }
}
