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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    #[test]
    fn an_element_is_one_short_line() {
        let long = "é".repeat(41);
        let cut_off = format!("View \"{}…\" at [0,0][9,9]", "é".repeat(40));
        for (drawing, expected) in [
            (
                "F id=dev.somebody.quite.a.long.name.indeed:id/search_field",
                "F id=dev.somebody.quite.a.long.name.indeed:id/search_field at [0,0][9,9]",
            ),
            (
                "android.widget.TextView \"Wi-Fi\" id=android:id/title [0,63][1080,200]",
                "TextView \"Wi-Fi\" id=android:id/title at [0,63][1080,200]",
            ),
            (
                "android.widget.ImageView desc=a\nb",
                "ImageView \"a\" at [0,0][9,9]",
            ),
            ("View id=", "View at [0,0][9,9]"),
            ("a.b. \"x\\y\"", "element \"x\\\\y\" at [0,0][9,9]"),
            (&format!("View \"{long}\""), &cut_off),
        ] {
            assert_eq!(sketch(drawing).excerpt(NodeId(0)), expected);
        }
    }
}
