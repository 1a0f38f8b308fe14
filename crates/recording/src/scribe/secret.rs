//! What must not be in a recording: a field that once was a password field is
//! one for good, whoever makes its text visible, and its text is nowhere.

use crate::limits::{MAX_SECRET_FIELDS, MAX_SECRETS};
use clawperator_contract::text;
use clawperator_ui::{Ability, Flag, Node, Tree};
use std::collections::BTreeMap;

/// What a phone shows instead of a letter.
const DOTS: &[char] = &['\u{2022}', '\u{25cf}'];
/// Ids that have one of these in them, or as a word, are of secret fields.
const TELLING: &[&str] = &["password", "passwd", "passcode", "passphrase"];
const TELLING_WORDS: &[&str] = &["pin", "pwd", "pass"];
/// A shorter text than this is too common to be taken out elsewhere, and one of
/// this length is taken out where it is no whole word, too.
const SHORTEST: usize = 4;
const UNMISTAKABLE: usize = 8;

/// A field, as far as it can be told again.
type FieldKey = (String, String, Option<(i32, i32)>);

/// What is secret in this recording.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    /// The fields that were password fields, and what each asks for while it
    /// is empty.
    fields: BTreeMap<FieldKey, Option<String>>,
    /// What was seen in them. The last is the newest.
    texts: Vec<(FieldKey, String)>,
}

impl Secrets {
    /// The screen with every secret field marked as a password's, and what was
    /// seen in one taken out everywhere else.
    pub(super) fn hidden(&mut self, tree: &Tree) -> Tree {
        for (id, node) in tree.nodes() {
            self.learn(node, tree.can(id, Ability::Edit));
        }
        let mut told = Tree::new(tree.rotation);
        for (id, node) in tree.nodes() {
            let mut node = node.clone();
            if self.is_secret(&node, tree.can(id, Ability::Edit)) {
                node.flags = node.flags.with(Flag::Password, true);
            } else {
                self.scrub(&mut node.text);
            }
            self.scrub(&mut node.content_desc);
            if let Some(hint) = &mut node.hint {
                self.scrub(hint);
            }
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
        if is_hint || shown.chars().count() < SHORTEST || shown.chars().all(|letter| DOTS.contains(&letter)) {
            return;
        }
        // What is being typed grows: only the whole of it is kept.
        self.texts
            .retain(|(field, old)| !(*field == key && shown.starts_with(old.as_str())));
        if self.texts.len() >= MAX_SECRETS {
            self.texts.remove(0);
        }
        self.texts.push((key, shown.clone()));
    }

    fn is_secret(&self, node: &Node, editable: bool) -> bool {
        node.flags.has(Flag::Password)
            || editable && (self.fields.contains_key(&key(node)) || is_telling(node))
    }

    fn scrub(&self, said: &mut String) {
        for (_, secret) in &self.texts {
            if said.contains(secret.as_str()) {
                *said = without(said, secret);
            }
        }
    }
}

/// By package and id, or else by package, class and place.
fn key(node: &Node) -> FieldKey {
    let package = node.package.clone();
    match node.resource_id.as_ref().filter(|id| !id.is_empty()) {
        Some(id) => (package, id.clone(), None),
        None => (
            package,
            node.class.clone(),
            Some((node.bounds.left, node.bounds.top)),
        ),
    }
}

/// Whether a field's id says that it is for a secret.
fn is_telling(node: &Node) -> bool {
    let id = node.resource_id.as_deref().unwrap_or_default();
    let name = id.rsplit('/').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    // `userPin` is two words, and so is `user_pin`; a spinner is none of them.
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if !letter.is_ascii_alphabetic() || letter.is_ascii_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphabetic()) {
            word.push(letter.to_ascii_lowercase());
        }
    }
    TELLING.iter().any(|part| lower.contains(part))
        || TELLING_WORDS.contains(&lower.as_str())
        || words.iter().any(|word| TELLING_WORDS.contains(&word.as_str()))
}

/// A text without a secret that is in it: anywhere if it is long, else where it
/// stands by itself.
fn without(said: &str, secret: &str) -> String {
    let anywhere = secret.chars().count() >= UNMISTAKABLE;
    let joins = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let mut left = String::with_capacity(said.len());
    let mut rest = said;
    while let Some(at) = rest.find(secret) {
        let (before, found) = rest.split_at(at);
        left.push_str(before);
        let after = &found[secret.len()..];
        if !anywhere && (joins(left.chars().next_back()) || joins(after.chars().next())) {
            left.push_str(secret);
        }
        rest = after;
    }
    left.push_str(rest);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_by_its_words() {
        for (id, telling) in [
            ("a:id/password", true),
            ("a:id/passwordInput", true),
            ("a:id/user_pin", true),
            ("a:id/userPin", true),
            ("a:id/PIN", true),
            ("a:id/pin", true),
            ("a:id/spinner", false),
            ("a:id/shipping", false),
            ("a:id/pinned_note", false),
            ("", false),
        ] {
            let node = Node {
                resource_id: Some(id.to_owned()),
                ..Node::default()
            };
            assert_eq!(is_telling(&node), telling, "{id}");
        }
    }

    #[test]
    fn a_short_secret_is_taken_out_as_a_word_only() {
        assert_eq!(without("Show password, pass!", "pass"), "Show password, !");
        assert_eq!(without("xtopsecret9x", "topsecret9"), "xx");
        assert_eq!(without("1234 12345", "1234"), " 12345");
    }
}
