//! The fields that once held a password: a field that shows its password no
//! longer reports that it is a password field.

use crate::ability::Ability;
use crate::limits::MAX_SECRETS;
use crate::screen::Screen;
use crate::stable_hash::stable_hash;
use crate::tree::{NodeId, Tree};
use clawperator_contract::Flag;
use serde::{Deserialize, Serialize};

/// The fields that held a password, by id or by place; the newest last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PasswordFields(Vec<u64>);

impl PasswordFields {
    /// Remembers the password fields of a screen.
    pub(super) fn note(&mut self, screen: &Screen<'_>) {
        for (id, node) in screen.nodes() {
            let field = identity(screen.tree(), id);
            if node.flags.has(Flag::Password) && !self.0.contains(&field) {
                self.0.push(field);
            }
        }
        let extra = self.0.len().saturating_sub(MAX_SECRETS);
        self.0.drain(..extra);
    }

    /// Whether an element holds a secret, or did.
    pub(super) fn has(&self, tree: &Tree, id: NodeId) -> bool {
        tree.is_secret(id) || (tree.can(id, Ability::Edit) && self.0.contains(&identity(tree, id)))
    }
}

fn identity(tree: &Tree, id: NodeId) -> u64 {
    let node = tree.node(id);
    match node.resource_id.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => stable_hash(&(&node.package, id)),
        None => stable_hash(&(&node.package, node.bounds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refs::{Fingerprints, RefBook};
    use crate::sketch::sketch;

    const DOTS: &str = "\u{2022}\u{2022}\u{2022}";
    const GONE: &str = "A\n View";

    /// What a stale ref says it was and what is there now. The ref is given to
    /// the first element of the last page but one; the last page is looked at.
    fn stale(pages: &[&str]) -> (String, String) {
        let trees: Vec<Tree> = pages.iter().map(|page| sketch(page)).collect();
        let looks: Vec<_> = trees.iter().map(|tree| Fingerprints::new(Screen::new(tree))).collect();
        let mut book = RefBook::default();
        looks.iter().for_each(|look| book.look(look));
        let (here, last) = (looks.len() - 2, looks.len() - 1);
        let name = book.give(&looks[here], NodeId(1)).unwrap();
        let stale = book.resolve(name, &looks[last]).unwrap_err();
        let kept = serde_json::to_string(&book).unwrap();
        assert!(!kept.contains("hunter2"), "{kept}");
        assert!(!stale.to_string().contains("hunter2"), "{stale}");
        (stale.was.unwrap(), stale.now.unwrap_or_default())
    }

    #[test]
    fn a_stale_ref_tells_no_password() {
        let field = |text: &str, more: &str| format!("A\n EditText \"{text}\" clickable{more}");
        let (dots, shown) = (field(DOTS, " id=a:id/x password"), field("hunter2", " id=a:id/x"));
        for (pages, was, now) in [
            // The flag, the id and the memory of the field each hide it.
            (vec![dots.as_str(), GONE], "textfield", ""),
            (vec![&field("hunter2", " password"), GONE], "textfield", ""),
            (vec![&field("hunter2", " id=a:id/login_password"), GONE], "textfield", ""),
            (vec![&dots, &shown, GONE], "textfield", ""),
            (vec![&field(DOTS, " password"), &field("hunter2", ""), GONE], "textfield", ""),
            // The first label that is no password is shown.
            (
                vec!["A\n Row\n  EditText \"hunter2\" password\n  T \"Sign_in\"", GONE],
                "unknown \"Sign in\"",
                "",
            ),
            // What is in its place now is hidden in the same way.
            (vec![&dots, "A\n Button \"OK\" clickable", &shown], "button \"OK\"", "textfield (hidden)"),
            (
                vec!["A\n Button \"OK\" clickable", &field("hunter2", " password")],
                "button \"OK\"",
                "textfield (hidden)",
            ),
            // Other fields are told.
            (vec![&field("Ada", ""), GONE], "textfield \"Ada\"", ""),
            (
                vec!["A\n Button \"OK\" clickable", &field("Ada", "")],
                "button \"OK\"",
                "EditText \"Ada\" at [0,0][9,9]",
            ),
        ] {
            assert_eq!(stale(&pages), (was.to_owned(), now.to_owned()), "{pages:?}");
        }
    }

    /// Whether a field is known to hold a password once others were seen.
    fn is_known(seen: &[&str], field: &str) -> bool {
        let mut fields = PasswordFields::default();
        for page in seen {
            fields.note(&Screen::new(&sketch(page)));
        }
        fields.has(&sketch(field), NodeId(1))
    }

    #[test]
    fn a_field_is_known_again_by_its_id_or_its_place() {
        let by_id = "A\n EditText id=a:id/x password";
        let by_place = "A\n EditText [1,1][8,8] password";
        for (seen, field, known) in [
            (by_id, "A\n EditText id=a:id/x [1,1][8,8]", true),
            (by_id, "A\n EditText id=a:id/y", false),
            (by_id, "A\n EditText", false),
            (by_id, "A\n EditText id=a:id/x package=b", false),
            (by_id, "A\n TextView id=a:id/x", false),
            (by_place, "A\n EditText [1,1][8,8]", true),
            (by_place, "A\n EditText [1,1][8,9]", false),
            (by_place, "A\n EditText [1,1][8,8] package=b", false),
            (by_place, "A\n EditText [1,1][8,8] id=a:id/x", false),
            // Only a password field makes one.
            ("A\n EditText id=a:id/x", "A\n EditText id=a:id/x", false),
        ] {
            assert_eq!(is_known(&[seen], field), known, "{seen}\n{field}");
        }
    }

    #[test]
    fn the_newest_fields_are_remembered_each_once() {
        let field = |number: usize| format!("A\n EditText id=a:id/x{number} password");
        let all: Vec<String> = (0..=MAX_SECRETS).map(field).collect();
        let mut seen: Vec<&str> = all.iter().map(String::as_str).collect();
        seen.extend([seen[MAX_SECRETS]; 3]);
        for (number, known) in [(0, false), (1, true), (MAX_SECRETS, true)] {
            let shown = format!("A\n EditText id=a:id/x{number}");
            assert_eq!(is_known(&seen, &shown), known, "{number}");
        }
    }
}
