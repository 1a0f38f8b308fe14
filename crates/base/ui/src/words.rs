//! The words that say what a touch does (`words.tsv`), and how they are found in what an element
//! says: case, marks, invisible letters and look-alikes do not count. Refs and the policy ask here.

use clawperator_contract::text::is_invisible;
use regex::Regex;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

/// What a phrase of the table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhraseKind {
    /// Something is paid for, ordered or transferred.
    Pay,
    /// What looks like another phrase and does nothing.
    Calm,
    Install,
    /// An account or everything on the phone is deleted.
    Delete,
    Send,
    Allow,
    /// It agrees to something: a payment, where an amount stands beside it.
    Confirm,
    /// Something that is moved with a finger.
    Slide,
    /// It does something to what is shown, or takes it back.
    Subject,
    Search,
    /// What is written in a field that is not for searching.
    Write,
    /// A secret that agrees to a payment.
    Code,
    /// A verb of paying that is also what a page is called.
    Page,
}

/// One phrase of the table.
struct Phrase {
    /// All of these must be there, in any order; the words of each in theirs.
    parts: Vec<Vec<TableWord>>,
    /// Whether nothing else may be said.
    is_whole: bool,
    /// Letters to be found inside words, for scripts without spaces.
    inside: Option<String>,
}

/// A word of the table.
struct TableWord {
    word: String,
    is_stem: bool,
}

/// The most letters of a text that are compared.
const MAX_LETTERS: usize = 4000;
/// Signs that together look like a letter.
const DRAWN: [(&str, &str); 5] = [("|3", "b"), ("|)", "d"), ("|<", "k"), ("|2", "r"), ("/\\", "a")];
/// Into how many pieces a word is torn at most.
const TORN: usize = 8;
const NUMBER: char = '#';

/// The rows of the table: kind, language, phrases.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = include_str!("words.tsv").lines();
    lines.filter_map(|line| {
        let (kind, rest) = line.split_once('\t')?;
        rest.split_once('\t').map(|(language, phrases)| (kind, language, phrases))
    })
}

/// The phrases of each kind, by the letter that they begin with.
static TABLE: LazyLock<BTreeMap<(PhraseKind, char), Vec<Phrase>>> = LazyLock::new(|| {
    let mut table: BTreeMap<_, Vec<Phrase>> = BTreeMap::new();
    for (kind, _, phrases) in rows() {
        let Ok(kind) = PhraseKind::deserialize(StrDeserializer::<Error>::new(kind)) else {
            continue;
        };
        for phrase in phrases.split('|').map(phrase) {
            let first = phrase.inside.as_ref().unwrap_or(&phrase.parts[0][0].word);
            let letter = first.chars().next().unwrap_or(NUMBER);
            table.entry((kind, letter)).or_default().push(phrase);
        }
    }
    table
});

/// Letters that are written in several ways, and those that only look like another.
static LETTERS: LazyLock<[BTreeMap<char, Option<char>>; 2]> = LazyLock::new(|| {
    ["same", "like"].map(|wanted| {
        let rows = rows().filter(|(kind, ..)| *kind == wanted);
        rows.flat_map(|(_, one, all)| all.chars().map(move |letter| (letter, one.chars().next()))).collect()
    })
});

/// Finds a number beside a currency. A test reads the pattern.
static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = rows().filter(|(kind, ..)| *kind == "money");
    let words = words.flat_map(|(.., phrases)| phrases.split('|'));
    let words: Vec<String> = words.map(|word| plain(word).replace(' ', r"\W+")).collect();
    let before = words.join("|").replace('*', "");
    let after = words.join(r"\b|").replace(r"*\b", "");
    let number = r"\d[\d.,'’\s]*(?:\pL+\s+)?";
    Regex::new(&format!(r"(?i)(?:\p{{Sc}}|\b(?:{before}))[\s.:]*\d|{number}(?:\p{{Sc}}|{after}\b)")).ok()
});

fn phrase(written: &str) -> Phrase {
    let bare = written.trim_start_matches('=');
    let known = |word: &str| TableWord {
        is_stem: word.ends_with('*'),
        word: folded(&plain(word.trim_end_matches('*'))),
    };
    let parts = bare.split('+').map(|part| part.split(' ').map(known).collect());
    let is_inside = bare.contains(is_unspaced);
    Phrase {
        parts: parts.collect(),
        is_whole: bare != written,
        inside: is_inside.then(|| folded(&plain(&bare.replace(' ', "")))),
    }
}

/// A text, in words that can be compared.
#[derive(Debug)]
pub struct ComparableText {
    /// Each word in several ways: made small before look-alikes are replaced, after,
    /// and with signs for letters. The calm ones are left out.
    words: Vec<[String; 3]>,
    /// Words that are torn apart, such as `Pa y`, or drawn with signs.
    torn: Vec<String>,
    /// All of it without spaces.
    whole: String,
    /// About how many words it has.
    length: usize,
}

impl ComparableText {
    /// Takes a text apart.
    pub fn new(text: &str) -> Self {
        let plain: String = plain(text).chars().take(MAX_LETTERS).collect();
        let words = split(&plain);
        let unsigned = |word: &String| word.replace(|letter| !is_letter(letter), "");
        let ways = |word: &String| {
            let (bare, other) = (unsigned(word), undisguised(word));
            [bare.clone(), skeleton(&bare).collect(), other].map(|way| folded(&way))
        };
        let torn = (2..=TORN).flat_map(|many| words.windows(many));
        let torn = torn.filter(|pieces| pieces.iter().any(|piece| piece.chars().count() <= 2));
        let drawn = DRAWN.iter().fold(plain.clone(), |text, (drawn, letter)| text.replace(drawn, letter));
        let drawn = split(&drawn.to_lowercase()).into_iter().filter(|_| drawn != plain);
        let unspaced = plain.matches(is_unspaced).count();
        let mut said = Self {
            torn: torn
                .map(<[String]>::concat)
                .chain(drawn)
                .flat_map(|word| [folded(&undisguised(&word)), folded(&word)])
                .collect(),
            length: words.len() + unspaced / 2,
            whole: words.iter().map(|word| folded(&unsigned(word))).collect(),
            words: words.iter().map(ways).collect(),
        };
        for calm in said.phrases(PhraseKind::Calm) {
            said.leave_out(calm);
        }
        said
    }

    /// The phrases of a kind that begin with a letter that something here begins with.
    fn phrases(&self, kind: PhraseKind) -> impl Iterator<Item = &'static Phrase> + use<> {
        let words = self.words.iter().flatten().chain(&self.torn);
        let letters = words.filter_map(|word| word.chars().next());
        let inside = self.whole.chars().filter(|_| !self.whole.is_ascii());
        let letters: BTreeSet<char> = letters.chain(inside).chain([NUMBER]).collect();
        letters.into_iter().filter_map(move |letter| TABLE.get(&(kind, letter))).flatten()
    }

    fn leave_out(&mut self, calm: &Phrase) {
        if let Some(inside) = &calm.inside {
            self.whole = self.whole.replace(inside, " ");
            return;
        }
        while let Some(at) = self.find(&calm.parts[0]) {
            self.words.drain(at..at + calm.parts[0].len());
        }
    }

    /// Tells whether it says one of the phrases of a kind, and either has at most so
    /// many words or begins with it.
    pub fn says(&self, kind: PhraseKind, most: usize) -> bool {
        let is_short = self.length <= most;
        self.phrases(kind).any(|phrase| match (&phrase.inside, &phrase.parts[..]) {
            (Some(letters), _) if phrase.is_whole => self.whole == *letters,
            (Some(letters), _) => {
                self.whole.contains(letters) && (is_short || self.whole.starts_with(letters))
            }
            (None, [part, ..]) if phrase.is_whole => {
                self.find(part) == Some(0) && self.words.len() == part.len()
            }
            (None, parts) => {
                let is_torn = |known: &TableWord| is_short && self.torn.contains(&known.word);
                let found: Option<Vec<usize>> = parts.iter().map(|part| self.find(part)).collect();
                found.is_some_and(|found| is_short || found.contains(&0))
                    || matches!(parts, [part] if part.len() == 1 && is_torn(&part[0]))
            }
        })
    }

    /// Where some words stand in their order.
    fn find(&self, part: &[TableWord]) -> Option<usize> {
        let fits = |known: &TableWord, said: &[String; 3]| {
            said.iter().any(|word| {
                if known.word.starts_with(NUMBER) {
                    word.starts_with(char::is_numeric)
                } else {
                    *word == known.word || known.is_stem && word.starts_with(&known.word)
                }
            })
        };
        let is_there = |said: &[[String; 3]]| part.iter().zip(said).all(|(known, said)| fits(known, said));
        self.words.windows(part.len()).position(is_there)
    }
}

/// Tells whether more is shown than is compared, in another order than it is written
/// in, or with a part hidden: what it says is not known.
pub fn is_unclear(text: &str) -> bool {
    is_hidden(text)
        || text.contains(['\u{202d}', '\u{202e}'])
        || plain(text).chars().nth(MAX_LETTERS).is_some()
}

/// Tells whether a part of a text is dots, as it is where a secret is said again.
pub fn is_hidden(text: &str) -> bool {
    text.contains("\u{2022}\u{2022}")
}

/// Tells whether a text has an amount of money in it.
pub fn is_amount(text: &str) -> bool {
    let is_found = |amount: &Regex| amount.is_match(&plain(text));
    text.contains(char::is_numeric) && AMOUNT.as_ref().is_some_and(is_found)
}

/// Tells whether a letter is of a script that writes words without spaces, or whose
/// words grow at both ends.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Tells whether a letter, or a mark, is of a script whose words differ by marks.
fn needs_marks(letter: char) -> bool {
    matches!(letter, '\u{900}'..='\u{109f}' | '\u{1700}'..='\u{1aaf}' | '\u{1b00}'..='\u{1c7f}'
        | '\u{3040}'..='\u{30ff}' | '\u{a800}'..='\u{abff}')
}

/// A text without what only looks different: full width, marks on letters, invisible
/// letters. What several letters stand for is one of them.
fn plain(text: &str) -> String {
    let shown = |letter: &char| !is_invisible(*letter) || letter.is_whitespace();
    let mut plain = String::with_capacity(text.len());
    let mut base = ' ';
    for letter in text.chars().filter(shown).nfkd().filter(shown) {
        match (LETTERS[0].get(&letter), is_combining_mark(letter)) {
            (_, true) if needs_marks(base) && needs_marks(letter) => plain.push(letter),
            (_, true) => continue,
            (Some(same), _) => plain.extend(*same),
            (None, _) => plain.push(letter),
        }
        base = letter;
    }
    plain
}

/// A text in which signs are the letters that they look like.
fn undisguised(text: &str) -> String {
    let alike = |letter: char| LETTERS[1].get(&letter).copied().flatten().unwrap_or(letter);
    text.chars().map(alike).collect()
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || is_combining_mark(letter)
}

/// The words of a text. `PayNow` and `pay_now` are two.
fn split(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for letter in text.chars() {
        if before.is_lowercase() && letter.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(letter);
        before = letter;
    }
    let is_part = |letter: char| is_letter(letter) || LETTERS[1].contains_key(&letter);
    let words = spaced.split(|letter| !is_part(letter)).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// A text as it is compared as a whole.
pub fn alike(text: &str) -> String {
    small(&undisguised(&plain(text)))
}

fn folded(word: &str) -> String {
    match word.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
        "" => word.to_owned(),
        word => small(word),
    }
}

/// A text in small letters, and one letter for all that look like it.
fn small(text: &str) -> String {
    let folds = text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    let is_kept = |letter: &char| !is_combining_mark(*letter) || needs_marks(*letter);
    skeleton(&folds.collect::<String>()).filter(is_kept).collect()
}
