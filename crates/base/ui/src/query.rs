//! The answer to a query: every element that fits, with its ref, its bounds and its state.

use crate::limits::MAX_QUERY_BYTES;
use crate::refs::{Fingerprints, RefBook};
use crate::tokens::estimate;
use crate::tree::{Node, NodeId};
use clawperator_contract::Flag;
use clawperator_contract::limits::VIEW_BUDGET;
use serde_json::{Map, Value, json};

/// The version of the answer's form.
const SCHEMA_VERSION: u32 = 1;

/// The elements that fit, in reading order, and how many of them are wanted.
#[derive(Clone, Debug)]
pub struct QueryMatches<'f> {
    pub ids: &'f [NodeId],
    /// As many as fit a view's budget where there is none.
    pub limit: Option<usize>,
}

/// The most tokens of a list without a limit: a view's, without what an envelope has around it.
const MAX_TOKENS: usize = VIEW_BUDGET as usize - 250;

/// The flags to list, and for which value.
const STATE: [(Flag, bool, &str); 10] = [
    (Flag::Clickable, true, "clickable"),
    (Flag::LongClickable, true, "long-clickable"),
    (Flag::Checkable, true, "checkable"),
    (Flag::Checked, true, "checked"),
    (Flag::Focusable, true, "focusable"),
    (Flag::Focused, true, "focused"),
    (Flag::Scrollable, true, "scrollable"),
    (Flag::Selected, true, "selected"),
    (Flag::Password, true, "password"),
    (Flag::Enabled, false, "disabled"),
];

/// Lists the elements as a JSON document, and gives them refs.
pub fn query(fingerprints: &Fingerprints<'_>, found: &QueryMatches<'_>, book: &mut RefBook) -> Value {
    book.look(fingerprints);
    let mut nodes = Vec::new();
    let (mut bytes, mut tokens) = (0, 0);
    for id in found.ids.iter().take(found.limit.unwrap_or(usize::MAX)) {
        let node = Value::Object(describe(fingerprints, *id, book));
        let text = node.to_string();
        bytes += text.len();
        if found.limit.is_none() {
            // It is a text in an envelope.
            tokens += estimate(&format!("{text:?}"));
        }
        if bytes > MAX_QUERY_BYTES || tokens > MAX_TOKENS && !nodes.is_empty() {
            break;
        }
        nodes.push(node);
    }
    let truncated = nodes.len() < found.ids.len();
    let mut answer = json!({
        "schemaVersion": SCHEMA_VERSION,
        "snapshotId": fingerprints.name(),
        "totalMatches": found.ids.len(),
        "returnedCount": nodes.len(),
        "truncated": truncated,
        "nodes": nodes,
    });
    if truncated {
        answer["more"] = json!("a larger limit, up to 1000, lists more; a matcher fits fewer");
    }
    answer
}

fn describe(fingerprints: &Fingerprints<'_>, id: NodeId, book: &mut RefBook) -> Map<String, Value> {
    let tree = fingerprints.screen().tree();
    let node: &Node = tree.node(id);
    let reference = book.give(fingerprints, id).map(|name| name.to_string());
    let hidden = book.hides(fingerprints, id);
    let (text, label) = if hidden {
        let hint = node.hint.as_deref().unwrap_or_default();
        let named = [node.content_desc.as_str(), hint].into_iter().find(|text| !text.is_empty());
        ("", named.unwrap_or_default())
    } else {
        (node.text.as_str(), node.label())
    };
    let state: Vec<&str> =
        STATE.iter().filter(|(flag, on, _)| node.flags.has(*flag) == *on).map(|(_, _, word)| *word).collect();
    let bounds = node.bounds;
    let rows = [
        ("ref", json!(reference)),
        ("role", json!(tree.role(id).word())),
        ("label", json!(label)),
        ("text", json!(text)),
        ("contentDesc", json!(node.content_desc)),
        ("resourceId", json!(node.resource_id)),
        ("class", json!(node.class)),
        ("package", json!(node.package)),
        (
            "bounds",
            json!({"left": bounds.left, "top": bounds.top, "right": bounds.right, "bottom": bounds.bottom}),
        ),
        ("onScreen", json!(fingerprints.screen().sees(id))),
        ("state", json!(state)),
    ];
    let said = rows.into_iter().filter(|(_, value)| !value.is_null());
    said.map(|(key, value)| (key.to_owned(), value)).collect()
}
