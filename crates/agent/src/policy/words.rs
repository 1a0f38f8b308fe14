//! The words of the built-in rules (`words.tsv`), and how they are found in what an
//! element says: case, accents, invisible letters and look-alikes do not count. Pure.

use clawperator_contract::text::is_invisible;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

/// What a phrase of the table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

static TABLE: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let lines = include_str!("words.tsv").lines();
    let rows = lines.filter(|line| !line.starts_with('#'));
    rows.filter_map(row).flatten().collect()
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

/// A text, in words that can be compared.
#[derive(Debug)]
pub(crate) struct Said {
    /// Each word twice: made small before look-alikes are replaced, and after. The
    /// calm ones are left out.
    words: Vec<[String; 2]>,
    /// All of it without spaces.
    whole: String,
    /// About how many words it has.
    length: usize,
}

impl Said {
    pub(crate) fn new(text: &str) -> Self {
        let words: Vec<String> = split(&plain(text));
        let unspaced = text.chars().filter(|letter| is_unspaced(*letter)).count();
        let both = |word: &String| [folded(word), folded(&skeleton(word).collect::<String>())];
        let mut said = Self {
            length: words.len() + unspaced / 2,
            whole: words.iter().map(|word| folded(word)).collect(),
            words: words.iter().map(both).collect(),
        };
        for calm in TABLE.iter().filter(|phrase| phrase.kind == Kind::Calm) {
            said.leave_out(calm);
        }
        said
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
    pub(crate) fn says(&self, kind: Kind, most: usize) -> bool {
        let mut phrases = TABLE.iter().filter(|phrase| phrase.kind == kind);
        phrases.any(|phrase| match &phrase.inside {
            Some(letters) if phrase.is_whole => self.whole == *letters,
            Some(letters) => {
                self.whole.contains(letters) && (self.length <= most || self.whole.starts_with(letters))
            }
            None if phrase.is_whole => {
                self.find(&phrase.parts[0]) == Some(0) && self.words.len() == phrase.parts[0].len()
            }
            None => {
                let found: Option<Vec<usize>> = phrase.parts.iter().map(|part| self.find(part)).collect();
                found.is_some_and(|found| self.length <= most || found.contains(&0))
            }
        })
    }

    /// Where some words stand in their order.
    fn find(&self, part: &[Known]) -> Option<usize> {
        let fits = |known: &Known, said: &[String; 2]| {
            let fits = |word: &String| match known.is_stem {
                true => word.starts_with(&known.word),
                false => *word == known.word,
            };
            said.iter().any(fits)
        };
        let is_there = |said: &[[String; 2]]| part.iter().zip(said).all(|(known, said)| fits(known, said));
        self.words.windows(part.len()).position(is_there)
    }
}

/// Tells whether a letter is of a script that writes words without spaces, or whose
/// words grow at both ends.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// A text without what only looks different: full width, accents, invisible letters.
fn plain(text: &str) -> String {
    let shown = text
        .chars()
        .filter(|letter| !is_invisible(*letter) || letter.is_whitespace());
    let letters = shown
        .nfkd()
        .filter(|letter| !('\u{300}'..='\u{36f}').contains(letter));
    letters
        .filter(|letter| !is_invisible(*letter) || letter.is_whitespace())
        .collect()
}

/// A text as it is compared as a whole.
pub(crate) fn alike(text: &str) -> String {
    skeleton(&plain(text).to_lowercase()).collect()
}

/// The words of a text. `PayNow` and `pay_now` are two; `P a y` is one.
fn split(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    for letter in text.chars() {
        if before.is_lowercase() && letter.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if letter == '@' { 'a' } else { letter });
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

/// A word as it is compared: small, and one letter for all that look like it.
fn folded(word: &str) -> String {
    let small: String = word
        .to_lowercase()
        .nfkd()
        .filter(|letter| !('\u{300}'..='\u{36f}').contains(letter))
        .collect();
    let has_letters = small.chars().any(char::is_alphabetic);
    let small = match has_letters {
        true => small.trim_end_matches(|letter: char| letter.is_ascii_digit()),
        false => &small,
    };
    let alike = |letter: char| match letter {
        'i' | '1' | '|' => 'l',
        '0' => 'o',
        '3' if has_letters => 'e',
        '4' if has_letters => 'a',
        '5' if has_letters => 's',
        letter => letter,
    };
    skeleton(small).map(alike).collect()
}
