//! Screens for tests, drawn as text: a line per element, a space per level.

use clawperator_ui::{Attributes, Bounds, Flag, Flags, Node, Tree};

const FLAGS: &[(&str, Flag)] = &[
    ("clickable", Flag::Clickable),
    ("long", Flag::LongClickable),
    ("scrollable", Flag::Scrollable),
    ("focused", Flag::Focused),
    ("password", Flag::Password),
    ("checked", Flag::Checked),
];

/// `Button "OK" [0,0][9,9] #a:id/ok clickable` is a line; `_` in a text is a
/// space and `@` comes before a description.
pub(crate) fn tree(drawing: &str) -> Tree {
    let mut tree = Tree::new(0);
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        let depth = line.len() - line.trim_start().len();
        tree.push(depth, node(line.trim()));
    }
    tree
}

pub(crate) fn dump(drawing: &str) -> String {
    clawperator_ui::write(&tree(drawing), Attributes::Usual)
}

fn node(line: &str) -> Node {
    let mut words = line.split(' ');
    let class = words.next().unwrap_or_default();
    let mut node = Node {
        class: format!("android.widget.{class}"),
        bounds: Bounds::parse("[0,0][100,200]").unwrap(),
        flags: Flags::default().with(Flag::Enabled, true),
        ..Node::default()
    };
    for word in words {
        if let Some(bounds) = Bounds::parse(word) {
            node.bounds = bounds;
        } else if let Some(text) = word.strip_prefix('"') {
            node.text = text.trim_end_matches('"').replace('_', " ");
        } else if let Some(text) = word.strip_prefix('@') {
            node.content_desc = text.replace('_', " ");
        } else if let Some(id) = word.strip_prefix('#') {
            node.resource_id = Some(id.to_owned());
        } else {
            let (_, flag) = FLAGS.iter().find(|row| row.0 == word).unwrap();
            node.flags = node.flags.with(*flag, true);
        }
    }
    node
}
