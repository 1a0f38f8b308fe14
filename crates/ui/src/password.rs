//! What was typed into a password field is nobody's business.

use crate::tree::{Flag, Tree};

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

#[cfg(test)]
mod tests {
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
}
