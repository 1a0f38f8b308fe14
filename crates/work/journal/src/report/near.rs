//! The nearest elements to a selector that matched nothing. Pure.

use super::html::{apart, cut, esc};
use clawperator_contract::{Matcher, read_matcher};
use clawperator_ui::{NearMiss, Screen, Tree};
use serde_json::Value;

const MOST: usize = 5;
/// How much of a text is shown.
const SHOWN: usize = 80;

/// A matcher in words: `textEquals "OK", role "button"`.
pub(super) fn in_words(value: &Value) -> String {
    matcher(value).map_or(String::new(), |matcher| matcher.to_string())
}

/// A matcher in the form of a payload, if it is one.
fn matcher(value: &Value) -> Option<Matcher> {
    read_matcher(value.to_string().as_bytes())
}

pub(super) fn nearest(tree: &Tree, wanted: &Value) -> Vec<NearMiss> {
    match matcher(wanted).filter(|matcher| matcher.reference.is_none()) {
        Some(matcher) => Screen::new(tree).nearest(&matcher.selector(), MOST),
        None => Vec::new(),
    }
}

/// A list of the nearest elements, each with the fields that do not match. The
/// numbers refer to the tree next to it.
pub(super) fn list(tree: &Tree, wanted: &Value) -> String {
    let near = nearest(tree, wanted);
    if near.is_empty() {
        return format!(
            "<p class=\"none\">No element on this screen is similar to <code>{}</code>.</p>",
            esc(&in_words(wanted))
        );
    }
    let mut html =
        format!("<div class=\"near\"><h4>Nearest to <code>{}</code></h4><ol>", esc(&in_words(wanted)));
    for near in &near {
        let number = tree.nodes().position(|(id, _)| id == near.id).unwrap_or(0);
        html.push_str(&format!(
            "<li data-n=\"{number}\" tabindex=\"0\"><span class=\"what\">{}</span><ul>",
            apart(&tree.excerpt(near.id))
        ));
        for miss in &near.mismatches {
            let found = if miss.found.is_empty() {
                "but the element has none".to_owned()
            } else {
                format!("but is <q>{}</q>", apart(&cut(&miss.found, SHOWN)))
            };
            html.push_str(&format!(
                "<li><code>{}</code> should be <q>{}</q>, {found}</li>",
                miss.field,
                apart(&cut(&miss.wanted, SHOWN))
            ));
        }
        html.push_str("</ul></li>");
    }
    html.push_str("</ol></div>");
    html
}

pub(super) fn lines(tree: &Tree, wanted: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for near in nearest(tree, wanted) {
        let mismatches: Vec<_> = near
            .mismatches
            .iter()
            .map(|miss| {
                format!(
                    "{} {:?} instead of {:?}",
                    miss.field,
                    cut(&miss.found, SHOWN),
                    cut(&miss.wanted, SHOWN)
                )
            })
            .collect();
        lines.push(format!("{}: {}", tree.excerpt(near.id), mismatches.join(", ")));
    }
    lines
}
