//! Trees for tests, drawn as text: a line per element, a space per level, then its class, its
//! bounds and attributes of the dump. The tests of this crate's public API include this file, too.

use super::{Tree, read};

/// Draws a tree. `Button "OK" [0,0][9,9] clickable desc=x id=a:id/b` is a line;
/// a word that is no attribute is a flag, and `_` in a value is a space.
pub(crate) fn sketch(drawing: &str) -> Tree {
    let mut xml = "<hierarchy rotation=\"0\">".to_owned();
    let mut open = 0;
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()).min(open);
        xml.push_str(&"</node>".repeat(open - depth));
        xml.push_str(&node(line.trim()));
        open = depth + 1;
    }
    read(&(xml + &"</node>".repeat(open) + "</hierarchy>")).unwrap()
}

fn node(line: &str) -> String {
    let (class, words) = line.split_once(' ').unwrap_or((line, ""));
    let mut bounds = "[0,0][9,9]";
    let mut attributes = String::new();
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        let spaced = |value: &str| value.replace('_', " ");
        let (name, value) = match word.split_once('=') {
            _ if word.starts_with('[') => {
                bounds = word;
                continue;
            }
            _ if word.starts_with('"') => ("text", spaced(word.trim_matches('"'))),
            Some(("desc", value)) => ("content-desc", spaced(value)),
            Some(("id", value)) => ("resource-id", value.to_owned()),
            Some((name, value)) => (name, value.to_owned()),
            None => (word, "true".to_owned()),
        };
        let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        attributes.push_str(&format!(" {name}=\"{value}\""));
    }
    format!("<node class=\"{class}\" bounds=\"{bounds}\"{attributes}>")
}
