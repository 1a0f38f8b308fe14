//! Writes a tree: as `uiautomator` writes a dump, to the byte, or as the Operator
//! app writes a snapshot.

use crate::escape::{quote, quote_raw};
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

/// Writes a dump as a resident server does: with every attribute, a line for
/// each element, and two spaces for each level.
pub fn write_indented(tree: &Tree) -> String {
    let mut out = format!("{HEAD}\r\n<hierarchy rotation=\"{}\"", tree.rotation);
    if tree.nodes().next().is_none() {
        out.push_str(" />");
        return out;
    }
    out.push('>');
    let mut open = 0;
    for (id, node) in tree.nodes() {
        close_indented(&mut open, tree.depth(id), &mut out);
        out.push_str("\r\n");
        out.push_str(&"  ".repeat(open + 1));
        write_node(node, Attributes::Extended, &mut out);
        if tree.children(id).next().is_some() {
            out.push('>');
            open += 1;
        } else {
            out.push_str(" />");
        }
    }
    close_indented(&mut open, 0, &mut out);
    out.push_str("\r\n</hierarchy>");
    out
}

fn close_indented(open: &mut usize, depth: usize, out: &mut String) {
    while *open > depth {
        out.push_str("\r\n");
        out.push_str(&"  ".repeat(*open));
        out.push_str("</node>");
        *open -= 1;
    }
}

/// Writes a snapshot: a line for each element, two spaces deeper for each level, and line breaks in
/// texts as they are. Scripts that split a snapshot by line depend on it.
pub fn write_lines(tree: &Tree) -> String {
    let mut out = String::with_capacity(128 + 400 * tree.len());
    out.push_str(&format!("{HEAD}\n<hierarchy rotation=\"{}\">\n", tree.rotation));
    let mut open = 0;
    for (id, node) in tree.nodes() {
        close_lines(&mut open, tree.depth(id), &mut out);
        out.push_str(&"  ".repeat(open + 1));
        out.push_str("<node");
        write_attributes(node, quote_raw, &mut out);
        text_attribute("bounds", &node.bounds.to_string(), quote_raw, &mut out);
        if tree.children(id).next().is_some() {
            out.push_str(">\n");
            open += 1;
        } else {
            out.push_str(" />\n");
        }
    }
    close_lines(&mut open, 0, &mut out);
    out.push_str("</hierarchy>");
    out
}

fn close_lines(open: &mut usize, depth: usize, out: &mut String) {
    while *open > depth {
        out.push_str(&"  ".repeat(*open));
        out.push_str("</node>\n");
        *open -= 1;
    }
}

/// How a value and its quotes are written.
type Quote = fn(&str, &mut String);

fn text_attribute(name: &str, value: &str, quote: Quote, out: &mut String) {
    out.push_str(&format!(" {name}="));
    quote(value, out);
}

/// The attributes that every form has, but for the bounds.
fn write_attributes(node: &Node, quote: Quote, out: &mut String) {
    let mut text = |name: &str, value: &str| text_attribute(name, value, quote, out);
    text("index", &node.index.to_string());
    text("text", &node.text);
    if let Some(id) = &node.resource_id {
        text("resource-id", id);
    }
    text("class", &node.class);
    text("package", &node.package);
    text("content-desc", &node.content_desc);
    for (flag, name) in FLAGS {
        text(name, &node.flags.has(flag).to_string());
    }
}

fn write_node(node: &Node, attributes: Attributes, out: &mut String) {
    out.push_str("<node");
    if node.not_accessibility_friendly {
        text_attribute("NAF", "true", quote, out);
    }
    write_attributes(node, quote, out);
    let mut text = |name: &str, value: &str| text_attribute(name, value, quote, out);
    let extended = attributes == Attributes::Extended;
    if extended {
        let seen = node.visible_to_user.unwrap_or(true);
        text("visible-to-user", &seen.to_string());
    }
    text("bounds", &node.bounds.to_string());
    if extended {
        text("drawing-order", &node.drawing_order.unwrap_or(0).to_string());
        text("hint", node.hint.as_deref().unwrap_or(""));
        text("display-id", &node.display_id.unwrap_or(0).to_string());
    }
}
