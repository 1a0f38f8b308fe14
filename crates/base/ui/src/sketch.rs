//! Trees for tests, drawn as text: a line per element, a space per level, then
//! its class, its bounds and attributes of the dump.

use crate::bounds::Bounds;
use crate::read::set;
use crate::tree::{FLAGS, Node, Tree};

/// Draws a tree. `Button "OK" [0,0][9,9] clickable desc=x id=a:id/b` is a line;
/// a word that is no attribute is a flag, and `_` in a value is a space.
pub(crate) fn sketch(drawing: &str) -> Tree {
    let mut tree = Tree::new(0);
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        let depth = line.len() - line.trim_start().len();
        tree.push(depth, node(line.trim()));
    }
    tree
}

fn node(line: &str) -> Node {
    let mut words = line.split(' ');
    let mut node = Node {
        class: words.next().unwrap_or_default().to_owned(),
        bounds: Bounds::parse("[0,0][9,9]").unwrap(),
        ..Node::default()
    };
    for word in words {
        if let Some(bounds) = Bounds::parse(word) {
            node.bounds = bounds;
        } else if let Some(text) = word.strip_prefix('"') {
            node.text = text.trim_end_matches('"').replace('_', " ");
        } else if let Some((name, value)) = word.split_once('=') {
            let (name, value) = match name {
                "desc" => ("content-desc", value.replace('_', " ")),
                "id" => ("resource-id", value.to_owned()),
                name => (name, value.to_owned()),
            };
            set(&mut node, name, &value).unwrap();
        } else {
            let (flag, _) = FLAGS.iter().find(|(_, name)| *name == word).expect(word);
            node.flags = node.flags.with(*flag, true);
        }
    }
    node
}
