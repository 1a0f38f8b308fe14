//! Writes a dump as `uiautomator` does: every attribute, in its order, with its
//! escapes.

use crate::escape::quote;
use crate::tree::{FLAGS, Node, Tree};

/// Which attributes a dump has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attributes {
    /// Those of most phones, resource ids included.
    Usual,
    /// With what newer phones add: visibility, drawing order, hint, display.
    Extended,
}

const HEAD: &str = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>";

/// Writes a dump.
#[must_use]
pub fn write(tree: &Tree, attributes: Attributes) -> String {
    let mut out = String::with_capacity(128 + 400 * tree.len());
    out.push_str(HEAD);
    out.push_str(&format!("<hierarchy rotation=\"{}\">", tree.rotation));
    // How deep the elements are that have been opened and not closed.
    let mut open = 0;
    for (id, node) in tree.nodes() {
        while open > tree.depth(id) {
            out.push_str("</node>");
            open -= 1;
        }
        write_node(node, attributes, &mut out);
        if tree.children(id).next().is_some() {
            out.push('>');
            open += 1;
        } else {
            out.push_str(" />");
        }
    }
    out.push_str(&"</node>".repeat(open));
    out.push_str("</hierarchy>");
    out
}

fn write_node(node: &Node, attributes: Attributes, out: &mut String) {
    let text = |name: &str, value: &str, out: &mut String| {
        out.push_str(&format!(" {name}="));
        quote(value, out);
    };
    out.push_str("<node");
    if node.not_accessibility_friendly {
        text("NAF", "true", out);
    }
    text("index", &node.index.to_string(), out);
    text("text", &node.text, out);
    if let Some(id) = &node.resource_id {
        text("resource-id", id, out);
    }
    text("class", &node.class, out);
    text("package", &node.package, out);
    text("content-desc", &node.content_desc, out);
    for (flag, name) in FLAGS {
        text(name, &node.flags.has(flag).to_string(), out);
    }
    if attributes == Attributes::Extended {
        text(
            "visible-to-user",
            &node.visible_to_user.unwrap_or(true).to_string(),
            out,
        );
    }
    text("bounds", &node.bounds.to_string(), out);
    if attributes == Attributes::Extended {
        text("drawing-order", &node.drawing_order.unwrap_or(0).to_string(), out);
        text("hint", node.hint.as_deref().unwrap_or(""), out);
        text("display-id", &node.display_id.unwrap_or(0).to_string(), out);
    }
}
