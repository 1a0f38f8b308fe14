//! What was typed into a password field is never shown.

use crate::ability::Ability;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;
use clawperator_redact::{DOTS, is_secret_field};

/// So many letters of a value in an id are no accident.
const MUCH: usize = 6;

impl Tree {
    /// Puts a dot for every letter of a password that a phone has not hidden yet: it shows the last
    /// one typed for a moment. A text without any dot is what an empty field asks for.
    pub fn hide_passwords(&mut self) {
        for node in self.nodes_mut().filter(|node| node.flags.has(Flag::Password)) {
            if node.text.contains(DOTS) {
                node.text = node.text.chars().map(|_| DOTS[0]).collect();
            }
        }
    }
}

impl Tree {
    /// Shows every id as `hide` has it, unless that hides only a word, which may be
    /// one of its programmer.
    pub fn hide_ids(&mut self, mut hide: impl FnMut(&str) -> String) {
        for id in self.nodes_mut().filter_map(|node| node.resource_id.as_mut()) {
            let shown = hide(id);
            let hidden = || id.chars().zip(shown.chars()).filter(|(one, other)| one != other);
            if hidden().count() >= MUCH || hidden().any(|(letter, _)| letter.is_numeric()) {
                *id = shown;
            }
        }
    }

    /// Shows every text, description and hint as `hide` has it for its element,
    /// and marks the elements in which that changed something.
    pub fn hide_texts(&mut self, mut hide: impl FnMut(NodeId, &str) -> String) {
        for (place, node) in self.nodes_mut().enumerate() {
            let texts = [&mut node.text, &mut node.content_desc];
            for text in texts.into_iter().chain(&mut node.hint) {
                if text.is_empty() {
                    continue;
                }
                let shown = hide(NodeId(place), text);
                node.hides_secret |= shown != *text;
                *text = shown;
            }
        }
    }
}

impl Tree {
    /// What is said where nothing has a text: some texts are hidden, and no text finds them.
    /// Which ones is not said, since that would tell the secret.
    pub fn hidden_texts(&self) -> Option<String> {
        let hidden = self.nodes().filter(|(id, node)| node.hides_secret && !self.is_secret(*id));
        match hidden.count() {
            0 => None,
            1 => Some("1 element repeats a secret and is not found by its text".to_owned()),
            count => Some(format!("{count} elements repeat a secret and are not found by their texts")),
        }
    }

    /// Whether an element's content is a secret: it is a password field, or its
    /// id says so. A field that shows its password no longer has the flag.
    pub fn is_secret(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let named = || is_secret_field(node.resource_id.as_deref().unwrap_or_default());
        node.flags.has(Flag::Password) || (self.can(id, Ability::Edit) && named())
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::NodeId;

    use crate::sketch::sketch;

    #[test]
    fn the_last_letter_of_a_password_becomes_a_dot_too() {
        let mut tree = sketch(
            "A \"\u{2022}x\"\n B \"\u{2022}\u{2022}\u{e9}\" password\n B \"\" password\n B \"PIN\" password",
        );
        tree.hide_passwords();
        let texts: Vec<_> = tree.nodes().map(|(_, node)| node.text.as_str()).collect();
        assert_eq!(texts, ["\u{2022}x", "\u{2022}\u{2022}\u{2022}", "", "PIN"]);
    }

    #[test]
    fn an_id_tells_of_a_secret() {
        for (id, secret) in [
            ("a:id/password", true),
            ("a:id/newPassword2", true),
            ("a:id/edit_pin", true),
            ("a:id/editPin", true),
            ("a:id/spinner", false),
            ("a:id/shipping", false),
            ("password:id/name", false),
        ] {
            let tree = sketch(&format!("A\n EditText id={id}\n TextView id={id}"));
            assert_eq!(tree.is_secret(NodeId(1)), secret, "{id}");
            assert!(!tree.is_secret(NodeId(2)), "{id}");
        }
    }
}
