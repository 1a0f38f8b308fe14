//! Which elements pay, delete, install or permit, by what they say. Words that
//! are disguised are the policy's matter; a ref needs only what apps write.

use super::page::is_touched;
use crate::ability::Ability;
use crate::screen::Screen;
use crate::tree::NodeId;
use clawperator_contract::Flag;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The table of words; its head says how it is read.
pub const WEIGHTY_WORDS: &str = include_str!("words.tsv");

/// How many characters of an element are read.
const MAX_READ: usize = 160;
/// How many elements inside one are read.
const MAX_NODES_READ: usize = 12;
/// The kinds of the table whose touch cannot be taken back.
const WEIGHTY: [&str; 4] = ["pay", "delete", "install", "allow"];
const CONFIRM: &str = "confirm";
const MONEY: &str = "money";

/// A phrase: its kind, its parts, and whether nothing else may be said.
struct Phrase {
    kind: &'static str,
    parts: Vec<Vec<String>>,
    is_whole: bool,
}

/// The phrases by their first word.
static PHRASES: LazyLock<BTreeMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: BTreeMap<String, Vec<Phrase>> = BTreeMap::new();
    for line in WEIGHTY_WORDS.lines() {
        let mut columns = line.split('\t');
        let (Some(kind), Some(_), Some(all)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        if !WEIGHTY.contains(&kind) && ![CONFIRM, MONEY].contains(&kind) {
            continue;
        }
        for written in all.split('|') {
            let bare = written.trim_start_matches('=').to_lowercase();
            let parts = bare
                .split('+')
                .map(|part| part.split(' ').map(str::to_owned).collect());
            let phrase = Phrase {
                kind,
                parts: parts.collect(),
                is_whole: written.starts_with('='),
            };
            let first = bare.split(['+', ' ']).next().unwrap_or_default();
            let first = first.trim_end_matches('*').to_owned();
            phrases.entry(first).or_default().push(phrase);
        }
    }
    phrases
});

impl Phrase {
    fn is_in(&self, words: &[String]) -> bool {
        let fits = |known: &String, word: &String| match known.strip_suffix('*') {
            _ if known == "#" => word.starts_with(char::is_numeric),
            Some(stem) => word.starts_with(stem),
            None => word == known || (is_unspaced(known) && word.contains(known.as_str())),
        };
        let has = |part: &Vec<String>| {
            let same = |said: &[String]| part.iter().zip(said).all(|(known, word)| fits(known, word));
            words.windows(part.len()).any(same)
        };
        self.parts.iter().all(has) && (!self.is_whole || self.parts[0].len() == words.len())
    }
}

/// Whether a word is of a script that writes without spaces.
fn is_unspaced(word: &str) -> bool {
    word.chars().any(|letter| matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{d7af}'))
}

/// The kinds of what a text says.
fn kinds(text: &str) -> Vec<&'static str> {
    let words: Vec<String> = words(text);
    let mut kinds = Vec::new();
    for word in &words {
        let starts = word.char_indices().map(|(start, _)| start);
        let starts = starts.take(if is_unspaced(word) { MAX_READ } else { 1 });
        for start in starts {
            let ends = word[start..]
                .char_indices()
                .map(|(at, letter)| start + at + letter.len_utf8());
            let known = ends.filter_map(|end| PHRASES.get(&word[start..end]));
            let said = known.flatten().filter(|phrase| phrase.is_in(&words));
            kinds.extend(said.map(|phrase| phrase.kind));
        }
    }
    kinds
}

/// The words of a text, in small letters. `PayNow` and `pay_now` are two.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for letter in text.chars().take(MAX_READ) {
        if before.is_lowercase() && letter.is_uppercase() {
            spaced.push(' ');
        }
        spaced.extend(letter.to_lowercase());
        before = letter;
    }
    let words = spaced.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether any text on a screen is an amount of money.
pub(super) fn shows_money(screen: &Screen<'_>) -> bool {
    let is_sign = |letter| matches!(letter, '$' | '¢'..='¥' | '฿' | '\u{20a0}'..='\u{20cf}');
    let mut labels = screen.nodes().map(|(_, node)| node.label());
    labels.any(|text| {
        text.contains(char::is_numeric) && (text.contains(is_sign) || kinds(text).contains(&MONEY))
    })
}

/// Whether a touch of an element pays, deletes, installs or permits: it says so,
/// or it agrees to something on a page with money.
pub(super) fn is_weighty(screen: &Screen<'_>, id: NodeId, money: bool) -> bool {
    let tree = screen.tree();
    let harmless = tree.can(id, Ability::Edit) || tree.can(id, Ability::Scroll);
    if harmless || tree.node(id).flags.has(Flag::Checkable) || !is_touched(tree, id) {
        return false;
    }
    let target = tree.nearest(id, Ability::Click).unwrap_or(id);
    let nodes = [id, target].map(|id| screen.within(id).take(MAX_NODES_READ));
    let kinds = nodes.into_iter().flatten().flat_map(|(_, node)| {
        let name = node.resource_id.as_deref().unwrap_or_default();
        let name = name.rsplit('/').next().unwrap_or_default();
        [&node.text, &node.content_desc, name].map(kinds).concat()
    });
    let counts = |kind: &str| WEIGHTY.contains(&kind) || (money && kind == CONFIRM);
    kinds.into_iter().any(counts)
}
