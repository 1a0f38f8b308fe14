//! What was typed into a password field is nobody's business.

use crate::tree::{Flag, Tree};

/// What a phone shows instead of a letter.
const DOT: char = '\u{2022}';

impl Tree {
    /// Puts a dot for every letter of a password, as most phones do by
    /// themselves.
    pub fn hide_passwords(&mut self) {
        for node in self.nodes_mut().filter(|node| node.flags.has(Flag::Password)) {
            if node.text.chars().any(|letter| letter != DOT) && node.hint.as_deref() != Some(&*node.text) {
                node.text = node.text.chars().map(|_| DOT).collect();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sketch::sketch;

    #[test]
    fn a_password_becomes_dots_of_the_same_length() {
        let mut tree = sketch(
            "A \"secret\"\n B \"secr\u{e9}t\" password\n B \"\" password\n B \"PIN\" password hint=PIN",
        );
        tree.hide_passwords();
        let texts: Vec<_> = tree.nodes().map(|(_, node)| node.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "secret",
                "\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}\u{2022}",
                "",
                "PIN"
            ]
        );
    }
}
