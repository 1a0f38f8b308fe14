//! The hash of the labels that identify an element: without typed text, states and times.

use crate::ability::Ability;
use crate::role::Role;
use crate::stable_hash::stable_hash;
use crate::tree::{NodeId, Tree};
use crate::words::is_amount;
use clawperator_contract::text::is_blank;

/// The texts that name a state and never an element.
const STATES: [&str; 2] = ["on", "off"];

/// The labels of an element that identify it: text, description and hint.
fn labels(tree: &Tree, id: NodeId) -> [&str; 3] {
    let node = tree.node(id);
    let is_set = tree.can(id, Ability::Edit) || tree.class_role(id) == Some(Role::Slider);
    let text = if is_set || is_transient(tree, id) { "" } else { &node.text };
    [text, &node.content_desc, node.hint.as_deref().unwrap_or_default()]
}

/// The hash of an element's own labels; 0 for none.
pub(super) fn label_hash(tree: &Tree, id: NodeId) -> u64 {
    match labels(tree, id) {
        labels if labels.into_iter().all(is_blank) => 0,
        labels => stable_hash(&labels),
    }
}

/// The hash of an element's own words, whatever numbers are among them but those that
/// name something; 0 where there is nothing but a value.
pub(super) fn word_hash(tree: &Tree, id: NodeId) -> u64 {
    let words = |text: &str| text.replace(|letter: char| letter.is_numeric() || ".,:".contains(letter), "");
    if labels(tree, id).into_iter().any(has_name_number) {
        label_hash(tree, id)
    } else if is_value(tree, id) {
        0
    } else {
        stable_hash(&labels(tree, id).map(words))
    }
}

/// The hash of an element's own words and numbers; 0 for a count of letters beside a field.
pub(super) fn exact_hash(tree: &Tree, id: NodeId) -> u64 {
    let is_count = |text: &str| {
        let digits = text.chars().filter(char::is_ascii_digit).count();
        digits <= MAX_COUNT && !text.contains([':', '.', ',', '-'])
    };
    let labels = labels(tree, id);
    let is_field = |id: NodeId| tree.can(id, Ability::Edit);
    let beside = tree.parent(id).is_some_and(|outer| tree.children(outer).any(is_field));
    if beside && is_value(tree, id) && labels.into_iter().all(is_count) { 0 } else { label_hash(tree, id) }
}

/// The hash of a title, whatever it counts: `Inbox (3)`, `3 items`.
pub(super) fn title_hash(tree: &Tree, id: NodeId) -> u64 {
    let uncounted = |text: &str| -> String {
        let text = text.trim_start_matches(|letter: char| letter.is_numeric() || letter == ' ');
        let mut depth = 0;
        let outside = text.chars().filter(|letter| {
            depth += i32::from("([".contains(*letter)) - i32::from(")]".contains(*letter));
            depth <= 0 || !letter.is_numeric()
        });
        outside.collect()
    };
    stable_hash(&labels(tree, id).map(uncounted))
}

/// The most digits of a count, such as of letters.
const MAX_COUNT: usize = 4;
/// The digits of a number that names something: of a card or a year, and of a phone.
const NAME_RUN: usize = 4;
const NAME_DIGITS: usize = 7;

/// Whether a text has a number that names something, as that of a phone, an account
/// or an invoice, or a date with its year. A large count has commas or points.
fn has_name_number(text: &str) -> bool {
    let digits = |part: &str| part.chars().filter(|letter| letter.is_numeric()).count();
    let is_joined = |letter: char| letter.is_numeric() || ".,".contains(letter);
    let is_dialled = |letter: char| letter.is_numeric() || " -/()+".contains(letter);
    let mut whole = text
        .split(|letter| !is_joined(letter))
        .filter(|part| !part.trim_end_matches(['.', ',']).contains(['.', ',']));
    let mut dialled = text.split(|letter| !is_dialled(letter));
    let is_long =
        whole.any(|part| digits(part) >= NAME_RUN) || dialled.any(|part| digits(part) >= NAME_DIGITS);
    is_long && !is_amount(text)
}

/// Whether an element says no more than a number, perhaps with a unit, or signs.
pub(super) fn is_value(tree: &Tree, id: NodeId) -> bool {
    labels(tree, id).into_iter().all(|text| {
        let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
        letters <= 2 && !text.trim_start().starts_with(char::is_alphabetic)
    })
}

/// Whether a text changes by itself or with a switch. Any other text that
/// changes, above all an amount, may have been the reason for a decision.
fn is_transient(tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let text = node.text.trim();
    let class = node.class.rsplit('.').next().unwrap_or_default();
    STATES.iter().any(|state| text.eq_ignore_ascii_case(state))
        || matches!(class, "TextClock" | "Chronometer")
        || (is_time(text) && is_beside_bar(tree, id))
        || counts_letters(tree, id)
}

/// Whether a text beside a field says how many letters of how many are typed:
/// `3 of 200`. An empty field shows its hint, and none are typed.
fn counts_letters(tree: &Tree, id: NodeId) -> bool {
    let text = &tree.node(id).text;
    let mut numbers =
        text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).map(str::parse::<usize>);
    let (Some(Ok(typed)), Some(Ok(most)), None) = (numbers.next(), numbers.next(), numbers.next()) else {
        return false;
    };
    let fits = |field: NodeId| {
        let length = tree.node(field).text.chars().count();
        tree.can(field, Ability::Edit) && (typed == 0 || typed == length)
    };
    let beside = tree.parent(id).is_some_and(|outer| tree.children(outer).any(fits));
    typed <= most && beside
}

/// How far a song or a film has come: `1:05` or `0:42 / 3:10`.
fn is_time(text: &str) -> bool {
    let part = |c: char| c.is_ascii_digit() || matches!(c, ':' | '/' | '-' | ' ');
    text.contains(':') && text.chars().all(part)
}

fn is_beside_bar(tree: &Tree, id: NodeId) -> bool {
    let is_bar = |id: NodeId| {
        let class = &tree.node(id).class;
        class.ends_with("SeekBar") || class.ends_with("ProgressBar")
    };
    tree.parent(id).is_some_and(|outer| tree.children(outer).any(is_bar))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    #[test]
    fn states_and_running_times_identify_nothing() {
        for (drawing, says) in [
            ("A\n TextView \"On\"", false),
            ("A\n TextView \"Online\"", true),
            ("A\n ToggleButton \"OFF\" checkable", false),
            ("A\n ToggleButton \"OFF\" checkable desc=Light", true),
            ("A\n EditText \"typed\"", false),
            ("A\n EditText \"typed\" desc=Name", true),
            ("A\n TextClock \"12:01\"", false),
            ("A\n TextView \"12:01\"", true),
            ("A\n TextView \"0:42_/_3:10\"\n SeekBar", false),
            ("A\n TextView \"42\"\n SeekBar", true),
            ("A\n TextView \"3_of_200\"\n EditText \"tea\"", false),
            ("A\n TextView \"0/200\"\n EditText \"Notes\"", false),
            ("A\n TextView \"4_of_200\"\n EditText \"tea\"", true),
            ("A\n TextView \"3_EUR\"\n EditText \"tea\"", true),
            ("A\n TextView \"3_of_200\"", true),
        ] {
            assert_eq!(label_hash(&sketch(drawing), NodeId(1)) != 0, says, "{drawing}");
        }
    }
}
