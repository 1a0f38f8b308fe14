//! A screen's tree for people: one line an element, indented.

use clawperator_ui::{Flag, Node, Tree};
use std::fmt::Write;

/// What is said of an element, and of which flag. What nearly every element
/// has is said of those that do not.
const WORDS: [(Flag, bool, &str); 9] = [
    (Flag::Clickable, true, "clickable"),
    (Flag::LongClickable, true, "long-clickable"),
    (Flag::Scrollable, true, "scrollable"),
    (Flag::Checkable, true, "checkable"),
    (Flag::Checked, true, "checked"),
    (Flag::Selected, true, "selected"),
    (Flag::Focused, true, "focused"),
    (Flag::Password, true, "password"),
    (Flag::Enabled, false, "disabled"),
];

/// The tree as text for people, a line per element.
pub fn outline(tree: &Tree) -> String {
    let mut out = String::new();
    for (id, node) in tree.nodes() {
        out.push_str(&"  ".repeat(tree.depth(id)));
        line(node, &mut out);
        out.push('\n');
    }
    out
}

fn line(node: &Node, out: &mut String) {
    let class = node.class.rsplit('.').next().unwrap_or_default();
    out.push_str(if class.is_empty() { "?" } else { class });
    // Writing to a string cannot fail.
    if !node.text.is_empty() {
        let _ = write!(out, " {:?}", node.text);
    }
    if !node.content_desc.is_empty() && node.content_desc != node.text {
        let _ = write!(out, " ({:?})", node.content_desc);
    }
    if let Some(id) = node.resource_id.as_deref().filter(|id| !id.is_empty()) {
        let own = id.strip_prefix(&node.package).and_then(|rest| rest.strip_prefix(":id/"));
        let _ = write!(out, " #{}", own.unwrap_or(id));
    }
    let _ = write!(out, " {}", node.bounds);
    for (flag, on, word) in WORDS {
        if node.flags.has(flag) == on {
            let _ = write!(out, " {word}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_one_line_that_says_what_matters() {
        let dump = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="a.b" content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[0,0][10,20]"><node index="0" text="Two&#10;lines" resource-id="a.b:id/go" class="android.widget.Button" package="a.b" content-desc="Go" checkable="false" checked="false" clickable="true" enabled="false" focusable="true" focused="true" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[1,2][3,4]" /></node></hierarchy>"#;
        let tree = clawperator_ui::read(dump).unwrap();
        assert_eq!(
            outline(&tree),
            "FrameLayout [0,0][10,20]\n  Button \"Two\\nlines\" (\"Go\") #go [1,2][3,4] clickable focused disabled\n"
        );
    }
}
