//! Options of the basic commands: letters, with or without a value.

use crate::call::Call;
use crate::limits;

/// What stood on a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Options {
    letters: Vec<(char, Option<String>)>,
    pub(super) operands: Vec<String>,
}

/// How options may stand among the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mix {
    Anywhere,
    /// Only before the first operand, as for commands that run another one.
    First,
}

impl Options {
    pub(super) fn has(&self, letter: char) -> bool {
        self.letters.iter().any(|(given, _)| *given == letter)
    }

    /// The value of a letter's last use.
    pub(super) fn value(&self, letter: char) -> Option<&str> {
        self.letters.iter().rev().find(|(given, _)| *given == letter)?.1.as_deref()
    }

    /// Every value of a letter, in order.
    pub(super) fn values(&self, letter: char) -> impl Iterator<Item = &str> {
        self.letters
            .iter()
            .filter(move |(given, _)| *given == letter)
            .filter_map(|(_, value)| value.as_deref())
    }
}

/// Reads options by a specification such as `rn:`: `r` alone, `n` with a value.
/// A letter it does not have is refused aloud.
pub(super) fn options(call: &Call, specification: &str, mix: Mix) -> Result<Options, String> {
    let options = parse(&call.args[1.min(call.args.len())..], specification, mix);
    options.map_err(|problem| format!("{problem} (see \"{} --help\")", call.name()))
}

fn parse(args: &[String], specification: &str, mix: Mix) -> Result<Options, String> {
    let mut found = Options::default();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            found.operands.extend(words.cloned());
            break;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            found.operands.push(word.clone());
            if mix == Mix::First {
                found.operands.extend(words.cloned());
                break;
            }
            continue;
        };
        if let Some(long) = letters.strip_prefix('-') {
            return Err(format!("Unknown option '{long}'"));
        }
        for (at, letter) in letters.char_indices() {
            let place = specification.find(letter).filter(|_| letter != ':');
            let Some(place) = place else {
                return Err(format!("Unknown option '{letter}'"));
            };
            if specification[place + letter.len_utf8()..].starts_with(':') {
                let rest = &letters[at + letter.len_utf8()..];
                let value = if rest.is_empty() { words.next().cloned() } else { Some(rest.to_owned()) };
                let value = value.ok_or_else(|| format!("Missing argument to '{letter}'"))?;
                found.letters.push((letter, Some(value)));
                break;
            }
            found.letters.push((letter, None));
        }
    }
    Ok(found)
}

/// A word with a text in it replaced, up to a bound; past it, the word as it was.
pub(super) fn replaced(word: &str, text: &str, with: &str) -> String {
    let times = word.matches(text).count();
    if times.saturating_mul(with.len()) > limits::MAX_HELD {
        word.to_owned()
    } else {
        word.replace(text, with)
    }
}

/// A number with an optional unit, as `1k` or `2M`.
pub(super) fn size(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "" | "c" => 1,
        "b" => 512,
        "k" | "K" => 1 << 10,
        "kB" | "kd" => 1000,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit)
}
