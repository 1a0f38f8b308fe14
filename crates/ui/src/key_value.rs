//! From a label to the value that belongs to it, such as "Battery" and "80 %".

use crate::role::Role;
use crate::screen::Screen;
use crate::tree::{Node, NodeId};

/// How the ids of values end in the system's own settings.
const SUMMARY: &str = "/summary";

impl Screen<'_> {
    /// The element that holds the value of a label.
    ///
    /// Going outwards from the label, the first level with anything behind the
    /// label decides, and so does the first row, list item or card: what is
    /// beyond belongs to another label. There, a summary comes before the
    /// first element with a label.
    #[must_use]
    pub fn value_of(&self, label: NodeId) -> Option<NodeId> {
        if !self.sees(label) {
            return None;
        }
        let mut inner = label;
        while let Some(outer) = self.tree().parent(inner) {
            let behind = || self.children(outer).filter(|child| *child > inner);
            if behind().next().is_some() || self.is_border(outer) {
                let all = || behind().flat_map(|child| self.within(child));
                let saying = || all().filter(|(_, node)| !node.label().is_empty());
                let summary = saying().find(|(_, node)| is_summary(node));
                return summary.or_else(|| saying().next()).map(|(id, _)| id);
            }
            inner = outer;
        }
        None
    }

    fn is_border(&self, id: NodeId) -> bool {
        matches!(self.tree().role(id), Role::Row | Role::Listitem | Role::Card)
    }
}

fn is_summary(node: &Node) -> bool {
    node.resource_id
        .as_deref()
        .is_some_and(|id| id.ends_with(SUMMARY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    #[test]
    fn a_value_stands_behind_its_label() {
        for (drawing, expected) in [
            ("A\n L \"k\"\n V \"v\"", Some("v")),
            ("A\n V \"v\"\n L \"k\"", None),
            // A summary first, however deep.
            (
                "A\n L \"k\"\n V \"v\"\n B\n  V \"s\" id=android:id/summary",
                Some("s"),
            ),
            ("A\n L \"k\"\n V \"v\"\n V id=android:id/summary", Some("v")),
            // Further out, if nothing comes after the label itself.
            ("A\n B\n  C\n   L \"k\"\n V desc=v", Some("v")),
            // The first level that has anything decides, even for nothing.
            ("A\n B\n  L \"k\"\n  Divider\n V \"v\"", None),
            (
                "A\n B\n  L \"k\"\n  Unseen [50,50][60,60] \"u\"\n V \"v\"",
                Some("v"),
            ),
            // What is inside the label does not come after it.
            ("A\n L \"k\"\n  X \"x\"\n V \"v\"", Some("v")),
            // Another item's label is no value.
            ("RecyclerView\n F\n  L \"k\"\n F\n  L \"other\"", None),
            ("A\n CardView\n  L \"k\"\n B\n  L \"other\"", None),
            (
                "A [0,0][99,99]\n LinearLayout\n  I [0,0][4,9]\n  L [5,0][9,9] \"k\"\n L [0,9][9,18] \"other\"",
                None,
            ),
            ("L \"k\"", None),
        ] {
            let tree = sketch(drawing);
            let (label, _) = tree.nodes().find(|(_, node)| node.text == "k").unwrap();
            let value = Screen::new(&tree).value_of(label).map(|id| tree.node(id).label());
            assert_eq!(value, expected, "{drawing}");
        }
    }

    #[test]
    fn an_unseen_label_has_no_value() {
        let tree = sketch("A\n L [50,50][60,60] \"k\"\n V \"v\"");
        assert_eq!(Screen::new(&tree).value_of(NodeId(1)), None);
    }
}
