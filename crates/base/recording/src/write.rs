//! Writes a recording's lines, each whole and with its end.

use crate::event::{HEADER_TYPE, Header, RecordedAct, RecordedEvent, SCHEMA_VERSION};
use clawperator_contract::Number;
use clawperator_contract::text::escape_controls;
use clawperator_ui::{Attributes, Flag, Tree};
use serde::Serialize;

/// The header with what marks it as one.
#[derive(Serialize)]
struct HeaderLine<'h> {
    r#type: &'static str,
    #[serde(rename = "schemaVersion")]
    schema_version: Option<Number>,
    #[serde(flatten)]
    header: &'h Header,
}

/// The first line.
pub fn header_line(header: &Header) -> String {
    line(&HeaderLine { r#type: HEADER_TYPE, schema_version: Number::new(SCHEMA_VERSION), header })
}

/// The line of an event.
pub fn event_line(event: &RecordedEvent) -> String {
    match &event.act {
        // A text that must not be here is not, whatever the caller says.
        RecordedAct::TextChange(act) if act.untold.is_some() && !act.text.is_empty() => {
            let mut event = event.clone();
            if let RecordedAct::TextChange(act) = &mut event.act {
                act.text.clear();
            }
            line(&event)
        }
        _ => line(event),
    }
}

fn line(value: &impl Serialize) -> String {
    // These types have no maps with other keys than text, so this cannot fail.
    let mut line = escape_controls(serde_json::to_string(value).unwrap_or_default());
    line.push('\n');
    line
}

/// A screen as it may stand in a recording: what is in password fields is not
/// in it, not even how long it is.
pub fn snapshot(tree: &Tree) -> String {
    let mut told = Tree::new(tree.rotation);
    for (id, node) in tree.nodes() {
        let mut node = node.clone();
        if node.flags.has(Flag::Password) {
            node.text.clear();
        }
        told.push(tree.depth(id), node);
    }
    clawperator_ui::write(&told, Attributes::Usual)
}
