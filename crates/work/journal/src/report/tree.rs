//! The tree of a screen in a page. Pure.

use super::html::{apart, cut, esc};
use super::screen::{MAX_NODES, nodes};
use clawperator_ui::{Flag, Node, NodeId, Tree};

/// How deep a tree is indented at most.
const MAX_INDENT: usize = 16;
/// How much of a label is shown.
const SHOWN: usize = 120;

/// What elements can do or are, in the order of the page.
const FLAGS: &[(Flag, &str)] = &[
    (Flag::Clickable, "click"),
    (Flag::LongClickable, "long click"),
    (Flag::Scrollable, "scroll"),
    (Flag::Checkable, "check"),
    (Flag::Checked, "checked"),
    (Flag::Selected, "selected"),
    (Flag::Focused, "focused"),
    (Flag::Password, "password"),
];

/// The tree as a list; its lines and the frames of the picture have the same numbers.
pub(super) fn tree_list(tree: &Tree, chosen: Option<usize>) -> String {
    let mut html =
        String::from("<ol class=\"tree\" tabindex=\"0\" aria-label=\"The elements of the screen\">");
    for (number, (id, node)) in nodes(tree) {
        let mut classes = format!("d{}", tree.depth(id).min(MAX_INDENT));
        let usable = FLAGS.iter().any(|(flag, _)| node.flags.has(*flag));
        if node.label().is_empty() && !usable {
            classes.push_str(" dim");
        }
        if chosen == Some(number) {
            classes.push_str(" chosen");
        }
        html.push_str(&format!(
            "<li class=\"{classes}\" data-n=\"{number}\" title=\"{}\">{}</li>",
            node.bounds,
            element(tree, id, node)
        ));
    }
    let left = tree.len().saturating_sub(MAX_NODES);
    if left > 0 {
        html.push_str(&format!("<li class=\"dim\">and {left} more</li>"));
    }
    html.push_str("</ol>");
    html
}

fn element(tree: &Tree, id: NodeId, node: &Node) -> String {
    let class = node.class.rsplit('.').next().unwrap_or_default();
    let mut html = format!("<span class=\"c\">{}</span>", esc(&cut(class, 40)));
    if !node.text.is_empty() {
        html.push_str(&format!(" <b>{}</b>", apart(&cut(&node.text, SHOWN))));
    }
    if !node.content_desc.is_empty() {
        html.push_str(&format!(" <em>{}</em>", apart(&cut(&node.content_desc, SHOWN))));
    }
    if let Some(name) = node.resource_id.as_deref().filter(|name| !name.is_empty()) {
        let short = name.split_once(":id/").map_or(name, |(_, short)| short);
        html.push_str(&format!(" <span class=\"i\">#{}</span>", esc(&cut(short, 60))));
    }
    if !node.flags.has(Flag::Enabled) {
        html.push_str(" <span class=\"f off\">disabled</span>");
    }
    for (_, word) in FLAGS.iter().filter(|(flag, _)| node.flags.has(*flag)) {
        html.push_str(&format!(" <span class=\"f\">{word}</span>"));
    }
    let role = tree.role(id).word();
    html.push_str(&format!(" <span class=\"r\">{role}</span>"));
    html
}
