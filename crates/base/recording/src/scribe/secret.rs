//! What must not be in a recording: a field that once was a password field stays
//! one, even if its text is made visible, and its text is never written.

use crate::limits::{MAX_SECRET_FIELDS, MAX_SECRETS};
use clawperator_contract::text;
use clawperator_redact::{self as redact, DOTS, is_masked};
use clawperator_ui::{Ability, Flag, Node, NodeId, Point, Tree};
use std::collections::BTreeMap;

/// A shorter text than this is too common to be taken out elsewhere.
const SHORTEST: usize = 4;

/// A field, as far as it can be told again.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SecretFieldKey {
    package: String,
    /// Its id, or its class if it has none.
    name: String,
    /// Its left upper corner, if it has no id.
    place: Option<Point>,
}

/// What is secret in this recording.
#[derive(Debug, Default)]
pub(super) struct RecordingSecrets {
    /// The fields that were password fields, and what each asks for while it is empty.
    fields: BTreeMap<SecretFieldKey, Option<String>>,
    /// What was seen in them. The last is the newest.
    texts: Vec<(SecretFieldKey, String)>,
}

impl RecordingSecrets {
    /// The screen with every secret field marked as a password's, and what was
    /// seen in one hidden everywhere else.
    pub(super) fn hidden(&mut self, tree: &Tree) -> Tree {
        for (id, node) in tree.nodes() {
            self.learn(node, tree.can(id, Ability::Edit));
        }
        let mut known = redact::Secrets::default();
        self.texts.iter().for_each(|(_, text)| known.add(text));
        let mut told = Tree::new(tree.rotation);
        for (id, node) in tree.nodes() {
            let mut node = node.clone();
            if self.is_secret(tree, id) {
                node.flags = node.flags.with(Flag::Password, true);
            } else {
                node.text = known.dots(&node.text);
            }
            node.content_desc = known.dots(&node.content_desc);
            node.hint = node.hint.map(|hint| known.dots(&hint));
            told.push(tree.depth(id), node);
        }
        told
    }

    fn learn(&mut self, node: &Node, editable: bool) {
        let key = key(node);
        if node.flags.has(Flag::Password) {
            // Without a dot it is what an empty field asks for.
            let asks = !node.text.contains(DOTS) && !text::is_blank(&node.text);
            if self.fields.len() < MAX_SECRET_FIELDS || self.fields.contains_key(&key) {
                let hint = self.fields.entry(key).or_default();
                if asks {
                    *hint = Some(node.text.clone());
                }
            }
            return;
        }
        let Some(asked) = self.fields.get(&key).filter(|_| editable) else {
            return;
        };
        let shown = &node.text;
        let is_hint = asked.as_ref() == Some(shown) || node.hint.as_ref() == Some(shown);
        if is_hint || shown.chars().count() < SHORTEST || is_masked(shown) {
            return;
        }
        // What is being typed grows: only the whole of it is kept.
        self.texts.retain(|(field, old)| !(*field == key && shown.starts_with(old.as_str())));
        if self.texts.len() >= MAX_SECRETS {
            self.texts.remove(0);
        }
        self.texts.push((key, shown.clone()));
    }

    fn is_secret(&self, tree: &Tree, id: NodeId) -> bool {
        let held_one = || self.fields.contains_key(&key(tree.node(id)));
        tree.is_secret(id) || tree.can(id, Ability::Edit) && held_one()
    }
}

fn key(node: &Node) -> SecretFieldKey {
    let package = node.package.clone();
    match node.resource_id.as_ref().filter(|id| !id.is_empty()) {
        Some(id) => SecretFieldKey { package, name: id.clone(), place: None },
        None => SecretFieldKey {
            package,
            name: node.class.clone(),
            place: Some(Point::new(node.bounds.left, node.bounds.top)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_ui::{Bounds, Flags};

    /// A field that is in no id's or place's way but its own.
    #[derive(Clone, Copy)]
    struct Field {
        package: &'static str,
        id: Option<&'static str>,
        class: &'static str,
        top: i32,
    }

    const BY_ID: Field = Field { package: "a", id: Some("a:id/x"), class: "android.widget.EditText", top: 0 };
    const BY_PLACE: Field = Field { id: None, ..BY_ID };
    const DOTTED: &str = "\u{2022}\u{2022}\u{2022}";

    fn screen(field: Field, text: &str, password: bool, below: &str) -> Tree {
        let node = |text: &str, class: &str, top: i32| Node {
            text: text.to_owned(),
            class: class.to_owned(),
            bounds: Bounds::new(0, top, 9, top + 9),
            ..Node::default()
        };
        let mut tree = Tree::new(0);
        tree.push(0, node("", "android.widget.FrameLayout", 0));
        let asked = Node {
            package: field.package.to_owned(),
            resource_id: field.id.map(str::to_owned),
            flags: Flags::default().with(Flag::Password, password),
            ..node(text, field.class, field.top)
        };
        tree.push(1, asked);
        tree.push(1, node(below, "android.widget.TextView", 500));
        tree
    }

    /// Whether a field is marked as a password's, and what the text below it is.
    fn told(secrets: &mut RecordingSecrets, tree: &Tree) -> (bool, String) {
        let hidden = secrets.hidden(tree);
        let nodes: Vec<&Node> = hidden.nodes().map(|(_, node)| node).collect();
        (nodes[1].flags.has(Flag::Password), nodes[2].text.clone())
    }

    #[test]
    fn a_field_stays_secret_by_its_id_or_else_by_its_place() {
        let moved = |field: Field| Field { top: 300, ..field };
        let other = |field: Field| Field { package: "b", ..field };
        for (once, later, secret) in [
            (BY_ID, BY_ID, true),
            // The keyboard moves it.
            (BY_ID, moved(BY_ID), true),
            (BY_ID, Field { id: Some("a:id/y"), ..BY_ID }, false),
            (BY_ID, other(BY_ID), false),
            (BY_ID, BY_PLACE, false),
            (BY_ID, Field { class: "android.widget.TextView", ..BY_ID }, false),
            (BY_PLACE, BY_PLACE, true),
            (BY_PLACE, Field { id: Some(""), ..BY_PLACE }, true),
            (BY_PLACE, moved(BY_PLACE), false),
            (BY_PLACE, other(BY_PLACE), false),
            (BY_PLACE, Field { class: "a.MyEditText", ..BY_PLACE }, false),
            (BY_PLACE, BY_ID, false),
        ] {
            let mut secrets = RecordingSecrets::default();
            told(&mut secrets, &screen(once, DOTTED, true, ""));
            let shown = screen(later, "hunter2", false, "it is hunter2");
            let below = if secret { "it is •••••••" } else { "it is hunter2" };
            assert_eq!(told(&mut secrets, &shown), (secret, below.to_owned()));
        }
    }

    #[test]
    fn only_what_can_be_a_password_is_taken_out_elsewhere() {
        for (hint, shown, below, expected) in [
            ("", "hunter2", "hunter2", "•••••••"),
            // What an empty field asks for is no secret.
            ("Password", "Password", "Password", "Password"),
            ("Password", "hunter2", "Password", "Password"),
            // A short text is too common, and dots are none.
            ("", "abc", "abc", "abc"),
            ("", "abcd", "abcd", "••••"),
            ("", "••••", "••••", "••••"),
        ] {
            let mut secrets = RecordingSecrets::default();
            told(&mut secrets, &screen(BY_ID, hint, true, ""));
            told(&mut secrets, &screen(BY_ID, DOTTED, true, ""));
            let found = told(&mut secrets, &screen(BY_ID, shown, false, below));
            assert_eq!(found, (true, expected.to_owned()), "{hint} {shown}");
        }
    }

    #[test]
    fn what_is_being_typed_is_kept_once_and_the_newest_texts_stay() {
        let mut secrets = RecordingSecrets::default();
        told(&mut secrets, &screen(BY_ID, DOTTED, true, ""));
        told(&mut secrets, &screen(BY_PLACE, DOTTED, true, ""));
        for text in ["hunt", "hunte", "hunter2", "zebra9"] {
            told(&mut secrets, &screen(BY_ID, text, false, ""));
        }
        told(&mut secrets, &screen(BY_PLACE, "hunter2zz", false, ""));
        let texts: Vec<&str> = secrets.texts.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["hunter2", "zebra9", "hunter2zz"]);
        for number in 0..MAX_SECRETS {
            told(&mut secrets, &screen(BY_ID, &format!("{number}secret"), false, ""));
        }
        assert_eq!(secrets.texts.len(), MAX_SECRETS);
        assert_eq!(secrets.texts[0].1, "0secret");
    }

    #[test]
    fn fields_are_remembered_up_to_a_limit() {
        let mut secrets = RecordingSecrets::default();
        for top in 0..=MAX_SECRET_FIELDS as i32 {
            told(&mut secrets, &screen(Field { top, ..BY_PLACE }, DOTTED, true, ""));
        }
        assert_eq!(secrets.fields.len(), MAX_SECRET_FIELDS);
        // One that is known learns what it asks for all the same.
        told(&mut secrets, &screen(BY_PLACE, "Password", true, ""));
        let found = told(&mut secrets, &screen(BY_PLACE, "Password", false, "Password"));
        assert_eq!(found, (true, "Password".to_owned()));
    }
}
