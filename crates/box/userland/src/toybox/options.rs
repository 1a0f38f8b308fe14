//! Options of the basic commands, by a specification as toybox writes them.
//!
//! ```text
//! ^<1>2?   first: only before the operands; the fewest and the most operands; unknown ones are operands
//! a b: c; d#<0 (long) e|   alone; with a value; perhaps in the same word; with a number and its
//!                          least; a long name; one of these is needed
//! [-ab] [!ab]   the last of these counts; not both of these
//! ```

use crate::call::Call;

/// What stood on a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Options {
    letters: Vec<(char, Option<String>)>,
    pub(super) operands: Vec<String>,
}

impl Options {
    /// Every letter with its value, in order.
    pub(super) fn letters(&self) -> &[(char, Option<String>)] {
        &self.letters
    }

    pub(super) fn has(&self, letter: char) -> bool {
        self.letters.iter().any(|(given, _)| *given == letter)
    }

    /// How often a letter was given.
    pub(super) fn count(&self, letter: char) -> usize {
        self.letters.iter().filter(|(given, _)| *given == letter).count()
    }

    /// Whether one of these was given.
    pub(super) fn any(&self, letters: &str) -> bool {
        letters.chars().any(|letter| self.has(letter))
    }

    /// The value of a letter's last use.
    pub(super) fn value(&self, letter: char) -> Option<&str> {
        self.letters.iter().rev().find(|(given, _)| *given == letter)?.1.as_deref()
    }

    /// The same as a number.
    pub(super) fn number(&self, letter: char) -> Option<i64> {
        integer(self.value(letter)?).ok()
    }

    /// The last letter that was given of these.
    pub(super) fn last(&self, letters: &str) -> Option<char> {
        self.letters.iter().rev().map(|(given, _)| *given).find(|given| letters.contains(*given))
    }

    /// Every value of a letter, in order.
    pub(super) fn values(&self, letter: char) -> impl Iterator<Item = &str> {
        self.letters
            .iter()
            .filter(move |(given, _)| *given == letter)
            .filter_map(|(_, value)| value.as_deref())
    }
}

/// A complaint that names the help.
pub(super) fn usage(call: &Call, problem: impl std::fmt::Display) -> String {
    format!("{problem} (see \"{} --help\")", call.name())
}

/// Reads options by a specification. What it does not have is refused aloud.
pub(super) fn options(call: &Call, specification: &str) -> Result<Options, String> {
    let rules = OptionRules::read(call, specification);
    let found = rules.parse()?;
    let count = found.operands.len();
    let many = |limit: usize| if limit == 1 { "" } else { "s" };
    if count < rules.least {
        let verb = if rules.least == 1 { "Needs" } else { "Need" };
        return Err(usage(call, format!("{verb} {} argument{}", rules.least, many(rules.least))));
    }
    if count > rules.most {
        return Err(usage(call, format!("Max {} argument{}", rules.most, many(rules.most))));
    }
    let needed: String =
        rules.rules.iter().rev().filter(|rule| rule.needed).map(|rule| rule.letter).collect();
    if !needed.is_empty() && !found.any(&needed) {
        return Err(usage(call, format!("Needs -{needed}")));
    }
    Ok(found)
}

/// The letter of what has only a long name.
const NAMELESS: char = '\0';

/// One option.
#[derive(Debug, Default)]
struct OptionRule<'s> {
    letter: char,
    long: Vec<&'s str>,
    /// `:`, `;` or `#`, if it has a value.
    value: Option<char>,
    least: Option<i64>,
    needed: bool,
}

/// A specification that was read.
struct OptionRules<'s> {
    call: &'s Call,
    first: bool,
    lenient: bool,
    least: usize,
    most: usize,
    rules: Vec<OptionRule<'s>>,
    /// How a group works, and its letters.
    groups: Vec<(char, &'s str)>,
}

impl<'s> OptionRules<'s> {
    fn read(call: &'s Call, specification: &'s str) -> Self {
        let mut letters = specification;
        while letters.starts_with(['^', '?', '<', '>']) {
            letters = &letters[if letters.starts_with(['^', '?']) { 1 } else { 2 }.min(letters.len())..];
        }
        let head = &specification[..specification.len() - letters.len()];
        let bound = |mark: char| head.split_once(mark).and_then(|(_, rest)| rest.get(..1)?.parse().ok());
        let mut found = Self {
            call,
            first: head.contains('^'),
            lenient: head.contains('?'),
            least: bound('<').unwrap_or(0),
            most: bound('>').unwrap_or(usize::MAX),
            rules: Vec::new(),
            groups: Vec::new(),
        };
        let mut rest = letters;
        while let Some(next) = rest.chars().next() {
            rest = &rest[next.len_utf8()..];
            match (next, found.rules.last_mut()) {
                ('[', _) => {
                    let (group, after) = rest.split_once(']').unwrap_or((rest, ""));
                    found.groups.extend(group.chars().next().map(|kind| (kind, &group[1..])));
                    rest = after;
                }
                ('(', last) => {
                    let (long, after) = rest.split_once(')').unwrap_or((rest, ""));
                    match last.filter(|rule| rule.letter != NAMELESS) {
                        Some(rule) => rule.long.push(long),
                        // It is known, and has no letter.
                        None => found.rules.push(OptionRule {
                            letter: NAMELESS,
                            long: vec![long],
                            ..OptionRule::default()
                        }),
                    }
                    rest = after;
                }
                (':' | ';' | '#', Some(rule)) => rule.value = Some(next),
                ('|', Some(rule)) => rule.needed = true,
                ('<', Some(rule)) => {
                    rule.least = rest.get(..1).and_then(|digit| digit.parse().ok());
                    rest = rest.get(1..).unwrap_or("");
                }
                (letter, _) => found.rules.push(OptionRule { letter, ..OptionRule::default() }),
            }
        }
        found
    }

    fn parse(&self) -> Result<Options, String> {
        let call = self.call;
        let mut found = Options::default();
        let mut words = call.args.iter().skip(1);
        // Without any letters a dash means nothing.
        let mut plain = self.rules.is_empty();
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-').filter(|letters| !plain && !letters.is_empty()) else {
                plain |= self.first;
                found.operands.push(word.clone());
                continue;
            };
            if letters == "-" {
                plain = true;
                continue;
            }
            // A value that a long name may have means nothing here.
            let unknown = |text: &str| usage(call, format!("Unknown option '{text}'"));
            if let Some(long) = letters.strip_prefix('-') {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                match self.rules.iter().find(|rule| rule.long.contains(&name)) {
                    Some(rule) if rule.value.is_some() || value.is_none() || rule.letter == NAMELESS => {
                        let value = value.map(str::to_owned);
                        self.add(&mut found, rule, || value.or_else(|| words.next().cloned()))?;
                    }
                    None if self.lenient => found.operands.push(word.clone()),
                    Some(_) | None => return Err(unknown(long)),
                }
                continue;
            }
            for (at, letter) in letters.char_indices() {
                let Some(rule) = self.rules.iter().find(|rule| rule.letter == letter) else {
                    if self.lenient {
                        plain |= self.first;
                        found.operands.push(word.clone());
                        break;
                    }
                    return Err(unknown(&letters[at..]));
                };
                let rest = &letters[at + letter.len_utf8()..];
                self.add(&mut found, rule, || match rest {
                    "" if rule.value != Some(';') => words.next().cloned(),
                    rest => Some(rest.to_owned()),
                })?;
                if rule.value.is_some() {
                    break;
                }
            }
        }
        Ok(found)
    }

    fn add(
        &self,
        found: &mut Options,
        rule: &OptionRule<'_>,
        value: impl FnOnce() -> Option<String>,
    ) -> Result<(), String> {
        let (call, letter) = (self.call, rule.letter);
        let value = if rule.value.is_some() {
            Some(value().ok_or_else(|| usage(call, format!("Missing argument to -{letter}")))?)
        } else {
            None
        };
        if let Some(text) = value.as_deref().filter(|_| rule.value == Some('#')) {
            let number = integer(text)?;
            if let Some(least) = rule.least.filter(|least| number < *least) {
                return Err(usage(call, format!("-{letter} < {least}")));
            }
        }
        for (kind, group) in self.groups.iter().filter(|(_, group)| group.contains(letter)) {
            let other = found.last(group).filter(|other| *other != letter);
            match other {
                Some(other) if *kind == '!' => {
                    return Err(usage(call, format!("No '{letter}' with '{other}'")));
                }
                _ => found.letters.retain(|(given, _)| *given == letter || !group.contains(*given)),
            }
        }
        found.letters.push((letter, value));
        Ok(())
    }
}

/// A number as C writes it, with an optional unit such as `k` or `Md`.
pub(super) fn integer(text: &str) -> Result<i64, String> {
    let wrong = || format!("not integer: {text}");
    let trimmed = text.trim();
    let (sign, digits) = trimmed.strip_prefix('-').map_or((1, trimmed), |rest| (-1, rest));
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'0'..=b'7', ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let end = digits.find(|next: char| !next.is_digit(base)).unwrap_or(digits.len());
    let number = i64::from_str_radix(&digits[..end], base).map_err(|_| wrong())?;
    let mut unit = digits[end..].to_ascii_lowercase();
    let step = if unit.len() == 2 && unit.ends_with('d') { 1000 } else { 1024 };
    unit.truncate(if step == 1000 { 1 } else { unit.len() });
    let power = match unit.as_str() {
        "" | "c" => Some(1),
        "w" => Some(2),
        "b" => Some(512),
        unit => "kmgtpe".find(unit).and_then(|at| i64::checked_pow(step, u32::try_from(at).ok()? + 1)),
    };
    power
        .filter(|_| unit.len() < 2)
        .and_then(|power| number.checked_mul(sign)?.checked_mul(power))
        .ok_or_else(wrong)
}

/// The same, not below zero.
pub(super) fn size(text: &str) -> Option<u64> {
    u64::try_from(integer(text).ok()?).ok()
}
