//! A view as one JSON document.

use super::compact::rank;
use super::line::{FieldValue, ViewLine};
use super::summary::ScreenSummary;
use super::{Change, Extent};
use crate::budget::{Piece, Rank, ViewFrame};
use crate::counts::Counts;
use crate::diff::Differences;
use crate::refs::{Fingerprints, Ref};
use crate::role::Role;
use serde_json::{Map, Value as Json, json};

/// The version of the document's form.
const SCHEMA_VERSION: u32 = 1;

/// The document around the objects.
pub(super) struct JsonDocument {
    change: Option<Change>,
    /// The elements without refs among which something has changed.
    unnamed: usize,
    off_screen: Counts,
    app: String,
}

/// An object for every element.
pub(super) fn pieces(
    fingerprints: &Fingerprints<'_>,
    named: &[(Option<Ref>, &ViewLine)],
    differences: &Differences,
) -> Vec<Piece> {
    named
        .iter()
        .map(|(name, line)| piece(object(fingerprints, *name, line), *name, line, differences))
        .collect()
}

/// An object for every element that has changed.
pub(super) fn changes(
    fingerprints: &Fingerprints<'_>,
    named: &[(Option<Ref>, &ViewLine)],
    differences: &Differences,
) -> Vec<Piece> {
    if matches!(differences.change, Change::First | Change::Everything) {
        return pieces(fingerprints, named, differences);
    }
    let touched = named.iter().filter(|(name, _)| differences.touches(*name));
    let touched = touched.map(|(name, line)| {
        let added = name.is_some_and(|name| differences.added.contains(&name));
        let mut object = object(fingerprints, *name, line);
        object.insert("change".to_owned(), json!(if added { "added" } else { "changed" }));
        piece(object, *name, line, differences)
    });
    let gone = differences.gone.keys().map(|name| Piece {
        text: json!({ "ref": name.to_string(), "change": "gone" }).to_string(),
        role: Role::Unknown,
        rank: Rank::Rest,
        around: None,
    });
    touched.chain(gone).collect()
}

fn piece(object: Map<String, Json>, name: Option<Ref>, line: &ViewLine, differences: &Differences) -> Piece {
    Piece {
        text: Json::Object(object).to_string(),
        role: line.role,
        rank: rank(name, line, differences),
        around: None,
    }
}

/// An element: what is not there is left out.
fn object(fingerprints: &Fingerprints<'_>, name: Option<Ref>, line: &ViewLine) -> Map<String, Json> {
    let node = fingerprints.screen().tree().node(line.id);
    let bounds = fingerprints.screen().visible_bounds(line.id);
    let mut object = Map::new();
    let mut put = |key: &str, value: Json| {
        let empty = value.is_null() || value == json!("") || value == json!([]);
        if !empty {
            object.insert(key.to_owned(), value);
        }
    };
    put("ref", name.map(|name| name.to_string()).into());
    put("role", line.role.word().into());
    put("label", line.label.as_str().into());
    put("more", line.more.clone().into());
    match &line.value {
        Some(FieldValue::Text(text)) => put("value", text.as_str().into()),
        Some(FieldValue::Unsure(text)) => {
            put("value", text.as_str().into());
            put("mayBeHint", true.into());
        }
        Some(FieldValue::Hidden) => put("value", Json::from("(hidden)")),
        None => {}
    }
    put("state", line.state.clone().into());
    put("hint", line.hint.clone().into());
    put("id", node.resource_id.clone().unwrap_or_default().into());
    put("bounds", json!([bounds.left, bounds.top, bounds.right, bounds.bottom]));
    object
}

/// The document around the objects of a view.
pub(super) fn frame(summary: &ScreenSummary, differences: &Differences, extent: Extent) -> JsonDocument {
    JsonDocument {
        change: matches!(extent, Extent::Changes(_)).then_some(differences.change),
        unnamed: if matches!(extent, Extent::Changes(_)) { differences.unnamed } else { 0 },
        off_screen: summary.off_screen.clone(),
        app: summary.app.clone(),
    }
}

impl ViewFrame for JsonDocument {
    fn join(&self, kept: &[(usize, &str)], omitted: &Counts) -> String {
        let mut text = format!("{{\"schemaVersion\":{SCHEMA_VERSION}");
        if !self.app.is_empty() {
            text.push_str(&format!(",\"app\":{}", json!(self.app)));
        }
        if let Some(change) = self.change {
            text.push_str(&format!(",\"change\":{}", json!(change.word())));
        }
        if self.unnamed > 0 {
            text.push_str(&format!(",\"changedWithoutRefs\":{}", self.unnamed));
        }
        let nodes: Vec<&str> = kept.iter().map(|(_, text)| *text).collect();
        text.push_str(&format!(",\"nodes\":[{}]", nodes.join(",")));
        for (key, counts) in [("offScreen", &self.off_screen), ("omitted", omitted)] {
            if !counts.is_empty() {
                let rows: Map<String, Json> =
                    counts.rows().map(|(word, count)| (word.to_owned(), count.into())).collect();
                text.push_str(&format!(",\"{key}\":{}", Json::Object(rows)));
            }
        }
        text.push('}');
        text
    }

    fn short(&self, _: &[(usize, &str)], _: &Counts) -> Option<String> {
        None
    }

    fn instead(&self, omitted: &Counts) -> Vec<String> {
        vec![format!("{{\"omitted\":{}}}", omitted.total()), "{}".to_owned()]
    }
}
