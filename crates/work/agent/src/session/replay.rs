//! A session as a script: the same tools in the same order, with elements named
//! by what they said when they were touched, so that it can be played again.

use super::StoredSession;
use super::entry::{ScreenEntry, StepEntry};
use super::page::touch;
use clawperator_ui::{Node, Tree};
use serde_json::{Map, Value, json};

/// The most bytes of a stored tree.
const MAX_TREE: u64 = 16 * 1024 * 1024;

/// The script of a session: one line per step. A step that was not done is left
/// out, because it changed nothing.
pub fn script(session: &StoredSession) -> String {
    let done = session.steps.iter().filter(|step| step.result.ok);
    done.map(|step| format!("{}\n", line(session, step))).collect()
}

/// The tree that was on the screen before a step, if it was stored.
pub fn tree_of(session: &StoredSession, screen: &ScreenEntry) -> Option<Tree> {
    let path = session.file(screen.tree.as_ref()?)?;
    if std::fs::metadata(&path).ok()?.len() > MAX_TREE {
        return None;
    }
    clawperator_ui::read(&std::fs::read_to_string(path).ok()?).ok()
}

fn line(session: &StoredSession, step: &StepEntry) -> Value {
    let action = &step.output.action;
    let mut args = action.as_object().cloned().unwrap_or_default();
    args.shift_remove("type");
    let mut line = Map::from_iter([("tool".to_owned(), json!(step.tool))]);
    if let (Some(touch), Some(screen)) = (touch(action), &step.screen) {
        let from = place(session, screen, touch.at);
        match touch.to {
            None => line.insert("on".to_owned(), from),
            Some(to) => {
                // A movement is over the screen, whatever is under its ends.
                line.insert("from".to_owned(), share(screen, touch.at));
                line.insert("to".to_owned(), share(screen, to))
            }
        };
        for key in ["x", "y", "x1", "y1", "x2", "y2"] {
            args.shift_remove(key);
        }
    }
    line.insert("args".to_owned(), Value::Object(args));
    line.insert("thought".to_owned(), json!(step.output.thought));
    Value::Object(line)
}

/// The element at a place of the picture, or the place itself.
fn place(session: &StoredSession, screen: &ScreenEntry, at: [i32; 2]) -> Value {
    let named = tree_of(session, screen).and_then(|tree| named_element(&tree, phone_place(screen, at)));
    named.unwrap_or_else(|| share(screen, at))
}

fn share(screen: &ScreenEntry, at: [i32; 2]) -> Value {
    let part = |place: i32, size: u32| (f64::from(place) / f64::from(size.max(1)) * 1e4).round() / 1e4;
    json!([part(at[0], screen.scaled[0]), part(at[1], screen.scaled[1])])
}

/// A place of the picture on the phone.
pub fn phone_place(screen: &ScreenEntry, at: [i32; 2]) -> [i32; 2] {
    let scaled = |at: i32, to: u32, from: u32| {
        let place = i64::from(at) * i64::from(to) / i64::from(from.max(1));
        i32::try_from(place).unwrap_or(i32::MAX)
    };
    [scaled(at[0], screen.size[0], screen.scaled[0]), scaled(at[1], screen.size[1], screen.scaled[1])]
}

/// The smallest element at a place that has a name of its own.
fn named_element(tree: &Tree, [x, y]: [i32; 2]) -> Option<Value> {
    let says = |node: &Node| {
        if node.text.is_empty() { node.content_desc.clone() } else { node.text.clone() }
    };
    let count = |text: &str| {
        let has = |node: &Node| node.text == text || node.content_desc == text;
        tree.nodes().filter(|(_, node)| has(node)).count()
    };
    let mut here: Vec<&Node> = tree
        .nodes()
        .map(|(_, node)| node)
        .filter(|node| {
            let bounds = node.bounds;
            bounds.left <= x && x < bounds.right && bounds.top <= y && y < bounds.bottom
        })
        .collect();
    here.sort_by_key(|node| {
        let bounds = node.bounds;
        i64::from(bounds.right - bounds.left) * i64::from(bounds.bottom - bounds.top)
    });
    here.into_iter().find_map(|node| {
        let text = says(node);
        (!text.is_empty() && count(&text) == 1).then(|| json!({"text": text}))
    })
}
