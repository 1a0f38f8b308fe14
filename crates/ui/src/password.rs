//! What was typed into a password field is nobody's business.

use crate::around::Ability;
use crate::tree::{Node, NodeId, Tree};
use clawperator_contract::Flag;

/// What a phone shows instead of a letter.
const DOT: char = '\u{2022}';

impl Tree {
    /// Puts a dot for every letter of a password that a phone has not hidden
    /// yet: it shows the last one typed for a moment. A text without any dot is
    /// what an empty field asks for.
    pub fn hide_passwords(&mut self) {
        for node in self.nodes_mut().filter(|node| node.flags.has(Flag::Password)) {
            if node.text.contains(DOT) {
                node.text = node.text.chars().map(|_| DOT).collect();
            }
        }
    }
}

/// What is part of the id of a field for a secret.
const SECRET_PARTS: [&str; 3] = ["password", "passwd", "passcode"];
/// What is such an id or a word of it: spinners have no PIN.
const SECRET_WORDS: [&str; 3] = ["pin", "pwd", "cvv"];

impl Tree {
    /// Whether what an element holds is a secret: it says so, or it is a field
    /// whose id does. A field that shows its password no longer says so.
    pub(crate) fn is_secret(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.flags.has(Flag::Password) || (self.can(id, Ability::Edit) && is_named_secret(node))
    }
}

fn is_named_secret(node: &Node) -> bool {
    let id = node.resource_id.as_deref().unwrap_or_default();
    let own = id.rsplit('/').next().unwrap_or_default();
    let mut words = String::new();
    for c in own.chars() {
        if c.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    let joined = words.replace(' ', "");
    let mut words = words.split(|c: char| !c.is_ascii_alphabetic());
    SECRET_PARTS.iter().any(|part| joined.contains(part)) || words.any(|word| SECRET_WORDS.contains(&word))
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
