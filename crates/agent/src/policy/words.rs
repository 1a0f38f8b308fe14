//! The words of the built-in rules (`words.tsv`), and how they are found in what an
//! element says: case, accents, invisible letters and look-alikes do not count. Pure.

use clawperator_contract::text::is_invisible;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

/// What a phrase of the table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
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
    Search,
    /// What is written in a field that is not for searching.
    Write,
    /// A secret that agrees to a payment.
    Code,
    /// A currency.
    Money,
    /// What only says in a name that something is a button.
    Part,
}

/// One row of the table.
struct Phrase {
    kind: Kind,
    /// All of these must be there, in any order; the words of each in theirs.
    parts: Vec<Vec<Known>>,
    /// Whether nothing else may be said.
    is_whole: bool,
    /// Letters to be found inside words, for scripts without spaces.
    inside: Option<String>,
}

/// A word of the table.
struct Known {
    word: String,
    is_stem: bool,
}

/// The most letters of a text that are compared.
const MAX_LETTERS: usize = 4000;
/// Any number, in the table.
const NUMBER: &str = "#";

const WORDS: &str = include_str!("words.tsv");

static TABLE: LazyLock<BTreeMap<Kind, Vec<Phrase>>> = LazyLock::new(|| {
    let mut table: BTreeMap<Kind, Vec<Phrase>> = BTreeMap::new();
    for phrase in WORDS.lines().filter_map(row).flatten() {
        table.entry(phrase.kind).or_default().push(phrase);
    }
    table
});

fn phrases(kind: Kind) -> impl Iterator<Item = &'static Phrase> {
    TABLE.get(&kind).into_iter().flatten()
}

/// Letters that are written in several ways, and those that only look like another.
static LETTERS: LazyLock<[BTreeMap<char, Option<char>>; 2]> = LazyLock::new(|| {
    ["same", "like"].map(|kind| {
        let rows = WORDS.lines().filter_map(|line| {
            let (letter, all) = line.strip_prefix(kind)?.strip_prefix('\t')?.split_once('\t')?;
            Some(all.chars().map(move |one| (one, letter.chars().next())))
        });
        rows.flatten().collect()
    })
});

fn row(line: &'static str) -> Option<impl Iterator<Item = Phrase>> {
    let mut cells = line.split('\t');
    let kind = match cells.next()? {
        "pay" => Kind::Pay,
        "calm" => Kind::Calm,
        "install" => Kind::Install,
        "delete" => Kind::Delete,
        "send" => Kind::Send,
        "allow" => Kind::Allow,
        "confirm" => Kind::Confirm,
        "slide" => Kind::Slide,
        "search" => Kind::Search,
        "write" => Kind::Write,
        "code" => Kind::Code,
        "money" => Kind::Money,
        "part" => Kind::Part,
        _ => return None,
    };
    let phrases = cells.nth(1)?.split('|');
    Some(phrases.map(move |written| phrase(kind, written)))
}

fn phrase(kind: Kind, written: &str) -> Phrase {
    let bare = written.trim_start_matches('=');
    let known = |word: &str| Known {
        is_stem: word.ends_with('*'),
        word: folded(&plain(word.trim_end_matches('*'))),
    };
    Phrase {
        kind,
        parts: bare
            .split('+')
            .map(|part| part.split(' ').map(known).collect())
            .collect(),
        is_whole: bare != written,
        inside: bare
            .contains(is_unspaced)
            .then(|| folded(&plain(&bare.replace(' ', "")))),
    }
}

/// A text in words that can be compared, in each way in which it can be read.
#[derive(Debug)]
pub(crate) struct Said {
    readings: Vec<Reading>,
    /// About how many words it has.
    length: usize,
}

/// One way in which a text can be read.
#[derive(Debug)]
struct Reading {
    /// Each word twice: made small before look-alikes are replaced, and after. The
    /// calm ones are left out.
    words: Vec<[String; 2]>,
    /// Words that were torn apart, such as `Pa y`.
    torn: Vec<String>,
    /// All of it without spaces.
    whole: String,
}

impl Said {
    pub(crate) fn new(text: &str) -> Self {
        let plain: String = plain(text).chars().take(MAX_LETTERS).collect();
        let other: String = plain.chars().map(undisguised).collect();
        let other = (other != plain).then(|| split(&other));
        let unspaced = plain.chars().filter(|letter| is_unspaced(*letter)).count();
        Self::of(
            &[vec![split(&plain)], Vec::from_iter(other)].concat(),
            unspaced / 2,
        )
    }

    /// What the name of an element says: `btnpaynow` is `pay`.
    pub(crate) fn of_id(id: &str) -> Self {
        let words = split(&plain(id));
        let bare = words.iter().map(|word| bare(folded(word)));
        let bare = bare.filter(|word| !word.is_empty()).collect();
        Self::of(&[words, bare], 0)
    }

    fn of(ways: &[Vec<String>], unspaced: usize) -> Self {
        Self {
            length: ways[0].len() + unspaced,
            readings: ways.iter().map(|words| Reading::new(words)).collect(),
        }
    }

    /// Tells whether it says one of the phrases of a kind, and either has at most so
    /// many words or begins with it.
    pub(crate) fn says(&self, kind: Kind, most: usize) -> bool {
        let is_short = self.length <= most;
        self.readings.iter().any(|reading| reading.says(kind, is_short))
    }
}

impl Reading {
    fn new(words: &[String]) -> Self {
        let both = |word: &String| [folded(word), folded(&skeleton(word).collect::<String>())];
        let is_piece = |word: &String| word.chars().count() <= 2 && word.chars().all(char::is_alphabetic);
        let torn = (2..=4).flat_map(|many| words.windows(many));
        let torn = torn.filter(|pieces| pieces.iter().any(is_piece));
        let mut reading = Self {
            torn: torn.map(|pieces| folded(&pieces.concat())).collect(),
            whole: words.iter().map(|word| folded(word)).collect(),
            words: words.iter().map(both).collect(),
        };
        for calm in phrases(Kind::Calm) {
            reading.leave_out(calm);
        }
        reading
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

    fn says(&self, kind: Kind, is_short: bool) -> bool {
        let mut phrases = phrases(kind);
        phrases.any(|phrase| match (&phrase.inside, &phrase.parts[0][..]) {
            (Some(letters), _) if phrase.is_whole => self.whole == *letters,
            (Some(letters), _) => {
                self.whole.contains(letters) && (is_short || self.whole.starts_with(letters))
            }
            (None, part) if phrase.is_whole => self.words.len() == part.len() && self.has(part, 0),
            (None, [known]) if is_short && phrase.parts.len() == 1 && self.torn.contains(&known.word) => true,
            _ => {
                let found: Option<Vec<usize>> = phrase.parts.iter().map(|part| self.find(part)).collect();
                found.is_some_and(|found| is_short || found.contains(&0))
            }
        })
    }

    /// Where some words stand in their order.
    fn find(&self, part: &[Known]) -> Option<usize> {
        (0..self.words.len()).find(|at| self.has(part, *at))
    }

    fn has(&self, part: &[Known], at: usize) -> bool {
        let said = self.words.get(at..at + part.len());
        said.is_some_and(|said| part.iter().zip(said).all(|(known, said)| known.is_one_of(said)))
    }
}

impl Known {
    fn is_one_of(&self, said: &[String; 2]) -> bool {
        said.iter().any(|word| match self.is_stem {
            _ if self.word == NUMBER => is_number(word),
            true => word.starts_with(&self.word),
            false => *word == self.word,
        })
    }
}

/// A word of a name without what only says that it is a button.
fn bare(word: String) -> String {
    let parts = phrases(Kind::Part);
    let less = parts.map(|phrase| &phrase.parts[0][0].word).find_map(|part| {
        let less = word.strip_prefix(part).or_else(|| word.strip_suffix(part))?;
        (less.is_empty() || less.chars().count() > 2).then(|| less.to_owned())
    });
    less.map_or(word, bare)
}

fn is_number(word: &str) -> bool {
    word.starts_with(char::is_numeric)
}

/// Tells whether more is shown than is compared, or in another order than it is
/// written in: what it says is not known.
pub(crate) fn is_unclear(text: &str) -> bool {
    text.contains(['\u{202d}', '\u{202e}']) || plain(text).chars().nth(MAX_LETTERS).is_some()
}

/// Tells whether a text has an amount of money in it: a number beside a currency.
pub(crate) fn is_amount(text: &str) -> bool {
    if !text.contains(char::is_numeric) {
        return false;
    }
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut before = None;
    for letter in plain(text).chars().take(MAX_LETTERS) {
        let kind = Some((letter.is_numeric(), letter.is_alphabetic()));
        if kind != before || is_currency(letter) {
            spaced.push(' ');
        }
        before = kind;
        match is_currency(letter) {
            // Any currency will do.
            true => spaced.push_str("usd "),
            false => spaced.push(letter),
        }
    }
    let said = Reading::new(&split(&spaced));
    let is_near = |at: usize| said.words.get(at).is_some_and(|[word, _]| is_number(word));
    let mut money = phrases(Kind::Money);
    money.any(|phrase| {
        let part = &phrase.parts[0];
        (0..said.words.len()).any(|at| {
            let near = (at.saturating_sub(2)..at).chain(at + part.len()..at + part.len() + 2);
            said.has(part, at) && near.into_iter().any(is_near)
        })
    })
}

fn is_currency(letter: char) -> bool {
    matches!(letter, '$' | '\u{a2}'..='\u{a5}' | '\u{58f}' | '\u{60b}' | '\u{9f2}' | '\u{9f3}' | '\u{9fb}'
        | '\u{af1}' | '\u{bf9}' | '\u{e3f}' | '\u{17db}' | '\u{20a0}'..='\u{20cf}' | '\u{a838}')
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
/// letters, several spaces. What several letters stand for is one of them.
fn plain(text: &str) -> String {
    let shown = |letter: &char| !is_invisible(*letter) || letter.is_whitespace();
    let mut plain = String::with_capacity(text.len());
    let mut base = ' ';
    for letter in text.chars().filter(shown).nfkd().filter(shown) {
        if is_combining_mark(letter) {
            if needs_marks(base) && needs_marks(letter) {
                plain.push(letter);
            }
            continue;
        }
        match LETTERS[0].get(&letter) {
            Some(same) => plain.extend(*same),
            None if letter.is_whitespace() && base.is_whitespace() => {}
            None if letter.is_whitespace() => plain.push(' '),
            // One of the two ways to write a syllable of Japanese.
            None if ('\u{3041}'..='\u{3096}').contains(&letter) => {
                plain.extend(char::from_u32(u32::from(letter) + 0x60));
            }
            None => plain.push(letter),
        }
        base = letter;
    }
    plain
}

/// The letter that one looks like.
fn undisguised(letter: char) -> char {
    LETTERS[1].get(&letter).copied().flatten().unwrap_or(letter)
}

/// A text as it is compared as a whole.
pub(crate) fn alike(text: &str) -> String {
    small(&plain(text).chars().map(undisguised).collect::<String>())
}

/// The words of a text. `PayNow` and `pay_now` are two; `P a y` is one.
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
    let is_part = |letter: char| letter.is_alphanumeric() || is_combining_mark(letter);
    let mut words: Vec<String> = Vec::new();
    let mut run = 0;
    for word in spaced
        .split(|letter| !is_part(letter))
        .filter(|word| !word.is_empty())
    {
        let is_single = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
        run = if is_single { run + 1 } else { 0 };
        words.push(word.to_owned());
        // Three letters alone are a word; a fourth goes on with it.
        if run >= 3 {
            let last = words.split_off(words.len() - if run == 3 { 3 } else { 2 });
            words.push(last.concat());
        }
    }
    words
}

/// A text in small letters, and one letter for all that look like it.
fn small(text: &str) -> String {
    let small: String = text
        .chars()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    let is_kept = |letter: &char| !is_combining_mark(*letter) || needs_marks(*letter);
    skeleton(&small).filter(is_kept).collect()
}

/// A word as it is compared.
fn folded(word: &str) -> String {
    if !word.contains(char::is_alphabetic) {
        return word.to_owned();
    }
    let alike = |letter: char| match letter {
        'i' | '1' => 'l',
        '0' => 'o',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        letter => letter,
    };
    let word = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    small(word).chars().map(alike).collect()
}
