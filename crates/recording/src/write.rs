//! Writes a recording's lines, each whole and with its end.

use crate::event::{
    Act, Click, Event, HEADER_TYPE, Header, KnownBy, Maker, Press, PressKey, SCHEMA_VERSION, Scroll, Sight,
    TextChange, Untold, WindowChange,
};
use crate::key;
use clawperator_contract::Number;
use clawperator_ui::{Attributes, Bounds, Flag, Tree};
use serde_json::{Map, Value, json};

/// The first line.
#[must_use]
pub fn header_line(header: &Header) -> String {
    let mut line = Map::new();
    let mut say = |name: &str, value: Value| line.insert(name.to_owned(), value);
    say("type", json!(HEADER_TYPE));
    say("schemaVersion", json!(Number::new(SCHEMA_VERSION)));
    say("sessionId", json!(header.session_id));
    say("startedAt", json!(header.started_at));
    say("operatorPackage", json!(header.operator_package));
    if header.maker == Maker::Host {
        say(key::RECORDER, json!(key::HOST));
    }
    if let Some(launcher) = &header.launcher {
        say(key::LAUNCHER, json!(launcher));
    }
    ended(line)
}

/// The line of an event.
#[must_use]
pub fn event_line(event: &Event) -> String {
    let mut line = Map::new();
    line.insert("ts".to_owned(), json!(event.ts));
    line.insert("seq".to_owned(), json!(event.seq));
    line.insert("type".to_owned(), json!(event.act.name()));
    let mut say = |name: &str, value: Value| {
        line.insert(name.to_owned(), value);
    };
    match &event.act {
        Act::WindowChange(act) => window_change(act, &mut say),
        Act::Click(act) => click(act, &mut say),
        Act::Scroll(act) => scroll(act, &mut say),
        Act::TextChange(act) => text_change(act, &mut say),
        Act::PressKey(act) => press_key(act, &mut say),
    }
    say("snapshot", json!(event.snapshot));
    if event.sight == Sight::Stale {
        say(key::STALE, json!(true));
    }
    ended(line)
}

fn window_change(act: &WindowChange, say: &mut impl FnMut(&str, Value)) {
    say("packageName", json!(act.package));
    say("className", json!(act.class_name));
    say("title", json!(act.title));
    if act.closing {
        say(key::CLOSING, json!(true));
    }
}

fn click(act: &Click, say: &mut impl FnMut(&str, Value)) {
    say("packageName", json!(act.package));
    say("resourceId", json!(act.resource_id));
    say("text", json!(act.text));
    say("contentDesc", json!(act.content_desc));
    let [left, top, right, bottom] = act.bounds;
    let bounds = json!({"left": left, "top": top, "right": right, "bottom": bottom});
    say("bounds", bounds);
    if act.press == Press::Long {
        say(key::CLICK_TYPE, json!(key::LONG_CLICK));
    }
    if let Some((x, y)) = act.at {
        say(key::AT, json!({"x": x, "y": y}));
    }
}

fn scroll(act: &Scroll, say: &mut impl FnMut(&str, Value)) {
    say("packageName", json!(act.package));
    say("resourceId", json!(act.resource_id));
    let names = ["scrollX", "scrollY", "maxScrollX", "maxScrollY"];
    for (name, offset) in names.into_iter().zip(act.offsets) {
        say(name, json!(offset));
    }
    if let Some(direction) = act.direction {
        say(key::DIRECTION, json!(direction.word()));
    }
    if let Some(container) = act.container {
        say(key::CONTAINER, rectangle(container));
    }
    if let Some(travel) = act.travel {
        say(key::TRAVEL, json!(travel));
    }
}

fn text_change(act: &TextChange, say: &mut impl FnMut(&str, Value)) {
    say("packageName", json!(act.package));
    say("resourceId", json!(act.resource_id));
    // Whatever it was told, a text that must not be here is not.
    let text = if act.untold.is_some() { "" } else { &act.text };
    say("text", json!(text));
    if let Some(field) = act.field {
        say(key::FIELD, rectangle(field));
    }
    match act.untold {
        Some(Untold::Password) => say(key::UNTOLD, json!(key::PASSWORD)),
        Some(Untold::Unseen) => say(key::UNTOLD, json!(key::UNSEEN)),
        None => {}
    }
    if act.submitted {
        say(key::SUBMITTED, json!(true));
    }
}

fn press_key(act: &PressKey, say: &mut impl FnMut(&str, Value)) {
    let word = act.key.map_or(key::UNKNOWN_KEY, clawperator_contract::Key::word);
    say("key", json!(word));
    if act.by == KnownBy::Gesture {
        say(key::INFERRED, json!(true));
    }
}

fn rectangle(bounds: Bounds) -> Value {
    json!({"left": bounds.left, "top": bounds.top, "right": bounds.right, "bottom": bounds.bottom})
}

fn ended(line: Map<String, Value>) -> String {
    let mut line = Value::Object(line).to_string();
    line.push('\n');
    line
}

/// A screen as it may stand in a recording: what is in password fields is not
/// in it, not even how long it is.
#[must_use]
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
