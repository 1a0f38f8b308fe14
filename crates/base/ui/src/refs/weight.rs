//! How much of a page must stay for a touch of an element to mean the same, by what the element says.

use super::fingerprints::Fingerprints;
use super::page::{PageIdentity, PageLikeness, Titles, is_set};
use crate::ability::Ability;
use crate::role::Role;
use crate::tree::{NodeId, Tree};
use crate::words::{ComparableText, PhraseKind};
use clawperator_contract::Flag;

/// How many elements inside one are read.
const MAX_NODES_READ: usize = 12;
/// How many words a text has at most that says what a touch does.
pub(super) const LABEL_WORDS: usize = 8;
/// How many keys of one digit are a keypad, what is on it besides, and what takes a digit back.
const KEYS: usize = 10;
const SIGNS: &str = "+-\u{2212}*\u{d7}/\u{f7}=.,%()#";
const BACK_KEYS: [&str; 5] = ["DEL", "C", "AC", "CE", "\u{232b}"];
const BACK_ICONS: [&str; 5] = ["del", "delete", "backspace", "clear", "all clear"];
/// What cannot be taken back.
const FINAL: [PhraseKind; 4] = [PhraseKind::Pay, PhraseKind::Delete, PhraseKind::Install, PhraseKind::Allow];

/// What is done to what is shown.
const DOES_SOMETHING: [PhraseKind; 3] = [PhraseKind::Subject, PhraseKind::Send, PhraseKind::Confirm];

/// What a page must still be, and whether a view of it as it is now is not enough: another
/// caller may hold the ref.
#[derive(Clone, Copy)]
pub(super) struct PageNeed {
    pub(super) likeness: PageLikeness,
    pub(super) is_lasting: bool,
}

impl PageNeed {
    const fn at_least(likeness: PageLikeness) -> Self {
        Self { likeness, is_lasting: false }
    }

    const fn always(likeness: PageLikeness) -> Self {
        Self { likeness, is_lasting: true }
    }
}

/// What a page must still be for a touch of an element: all the same for one that
/// pays, deletes all, installs or permits, agrees to something beside money, answers a
/// dialog, or is among nothing but buttons; without another word, number or value for
/// one that sends or does something to what is shown; without another word for all
/// others but fields, for which it must be about the same, and the way back.
pub(super) fn needed(fingerprints: &Fingerprints<'_>, id: NodeId, before: &PageIdentity) -> PageNeed {
    let (screen, now) = (fingerprints.screen(), fingerprints.scene());
    let tree = screen.tree();
    let flags = tree.node(id).flags;
    let is_set = is_set(tree, id);
    if tree.can(id, Ability::Scroll) || Titles::is_up(tree.node(id)) {
        return PageNeed::at_least(PageLikeness::Near);
    }
    // Nothing but buttons says what a touch of one is about.
    let is_sign = tree.node(id).label().trim().chars().count() == 1;
    let is_bare = !is_set && !is_sign && flags.has(Flag::Clickable) && (before.is_bare() || now.is_bare());
    if tree.can(id, Ability::Edit) || tree.nearest(id, Ability::Click).is_none() {
        return PageNeed::at_least(PageLikeness::About);
    }
    let money = before.money || now.money;
    let target = tree.nearest(id, Ability::Click).unwrap_or(id);
    let inner = (target != id).then_some(id);
    let nodes = [target].into_iter().chain(inner);
    let nodes = nodes.flat_map(|id| screen.within(id).take(MAX_NODES_READ));
    let texts = nodes.flat_map(|(_, node)| {
        let name = node.resource_id.as_deref().unwrap_or_default();
        [&node.text, &node.content_desc, name.rsplit('/').next().unwrap_or_default()]
    });
    let texts = texts.filter(|text| !text.is_empty());
    let said: Vec<ComparableText> = texts.map(ComparableText::new).collect();
    let says = |kind: PhraseKind| said.iter().any(|said| said.says(kind, LABEL_WORDS));
    if !money && is_key_of_keypad(tree, id) {
        return PageNeed::at_least(PageLikeness::About);
    }
    if FINAL.into_iter().any(says) || (money && says(PhraseKind::Confirm)) {
        return PageNeed::always(PageLikeness::Like);
    }
    let does_something = says(PhraseKind::Subject) || says(PhraseKind::Send);
    if is_bare {
        return PageNeed { likeness: PageLikeness::Like, is_lasting: does_something };
    }
    match (fingerprints.is_listed(id), does_something) {
        // Nothing in its row says what it is about: the rows around it do.
        (true, true) if !has_words_beside(tree, target) => PageNeed::always(PageLikeness::Like),
        // Its row says what it is about.
        (true, true) => PageNeed::always(PageLikeness::About),
        (true, false) => PageNeed::at_least(PageLikeness::About),
        (false, true) => PageNeed::always(PageLikeness::Exact),
        (false, false) => PageNeed::at_least(PageLikeness::Kept),
    }
}

/// Whether an element is a key that writes a digit, as on a calculator, or takes one back:
/// what they write changes with every one of them.
fn is_key_of_keypad(tree: &Tree, id: NodeId) -> bool {
    let is_key = |id: &NodeId| {
        let mut letters = tree.node(*id).text.trim().chars();
        tree.can(*id, Ability::Click)
            && letters.next().is_some_and(char::is_numeric)
            && letters.next().is_none()
    };
    let node = tree.node(id);
    let is_icon = || BACK_ICONS.iter().any(|key| node.content_desc.trim().eq_ignore_ascii_case(key));
    let is_back = BACK_KEYS.contains(&node.text.trim()) || (node.text.is_empty() && is_icon());
    let spoken = ComparableText::new(&node.content_desc);
    let does = |kind: PhraseKind| spoken.says(kind, LABEL_WORDS);
    let is_sign = node.text.trim().chars().count() == 1 && SIGNS.contains(node.text.trim());
    let is_sign = is_sign && !FINAL.into_iter().chain(DOES_SOMETHING).any(does);
    let mut around = std::iter::successors(tree.parent(id), |id| tree.parent(*id)).take(2);
    (is_key(&id) || is_sign || is_back)
        && around.any(|around| tree.descendants(around).filter(is_key).take(KEYS).count() == KEYS)
}

/// Whether the row of an element says more than one thing.
fn has_words_beside(tree: &Tree, id: NodeId) -> bool {
    let is_row =
        |id: &NodeId| tree.parent(*id).is_none_or(|list| matches!(tree.role(list), Role::List | Role::Grid));
    let row = std::iter::successors(Some(id), |id| tree.parent(*id)).find(is_row);
    let says = |id: &NodeId| !tree.node(*id).label().is_empty();
    row.is_some_and(|row| tree.descendants(row).chain([row]).filter(says).take(2).count() == 2)
}
