//! ECMAScript's pattern syntax, as it is without flags, rewritten in the syntax of our engine so
//! that it means the same. It must not know the engine: only what it reads and what it writes.
//!
//! It is read by characters, not by UTF-16 units, so that `.` is a whole emoji. What ECMAScript
//! refuses is refused here, by that measure. Beyond it there are `\p{…}`, which without flags would
//! be a `p` and a brace, and flags at the very start, such as `(?i)`. Groups need no numbers and
//! quantifiers no laziness, because a pattern only ever says whether a whole text fits.

mod escape;
mod refusal;

use escape::{EscapeContext, Item, item_pattern, literal};
pub(super) use refusal::DialectRefusal;
use refusal::{Cause, refuse};
use std::collections::BTreeSet;

/// Rewrites a pattern.
///
/// # Errors
/// The first reason to refuse it.
pub(super) fn translate(pattern: &str) -> Result<String, DialectRefusal> {
    let mut translator = Translator::new(pattern);
    translator.flags();
    while let Some(c) = translator.next() {
        translator.term(c)?;
    }
    match translator.open.pop() {
        None => Ok(translator.out),
        Some(from) => Err(refuse(Cause::UnclosedGroup, from)),
    }
}

/// The characters that `.` matches, without and with the flag `s`.
const DOT: &str = r"[^\n\r\x{2028}\x{2029}]";
const ANY: &str = r"[\x{0}-\x{10FFFF}]";
const NONE: &str = r"[^\x{0}-\x{10FFFF}]";

/// A pattern on its way from one syntax to the other.
struct Translator {
    chars: Vec<char>,
    at: usize,
    out: String,
    /// Where the groups that are open begin.
    open: Vec<usize>,
    /// How many groups the whole pattern captures; what a number after a
    /// backslash means depends on it.
    captures: usize,
    /// Whether any has a name, which gives `\k` a meaning.
    is_named: bool,
    names: BTreeSet<String>,
    dot: &'static str,
    /// Whether a quantifier may come next.
    repeatable: bool,
}

impl Translator {
    fn new(pattern: &str) -> Self {
        let chars: Vec<char> = pattern.chars().collect();
        let (captures, is_named) = count_groups(&chars);
        Self {
            out: String::with_capacity(2 * pattern.len()),
            chars,
            at: 0,
            open: Vec::new(),
            captures,
            is_named,
            names: BTreeSet::new(),
            dot: DOT,
            repeatable: false,
        }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek(0)?;
        self.at += 1;
        Some(next)
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Steps over a text, if it comes next.
    fn eat(&mut self, text: &str) -> bool {
        let is_here = (0..).zip(text.chars()).all(|(ahead, c)| self.peek(ahead) == Some(c));
        if is_here {
            self.at += text.chars().count();
        }
        is_here
    }

    /// Steps over the characters from here on that keep a rule.
    fn take_while(&mut self, most: usize, rule: impl Fn(char) -> bool) -> String {
        let rest = self.chars[self.at..].iter().take(most);
        let taken: String = rest.copied().take_while(|c| rule(*c)).collect();
        self.at += taken.chars().count();
        taken
    }

    /// Reads flags at the very start, which are ours, not ECMAScript's.
    fn flags(&mut self) {
        if !self.eat("(?") {
            return;
        }
        let letters = self.take_while(3, |c| "ims".contains(c));
        let given: BTreeSet<char> = letters.chars().collect();
        if given.is_empty() || given.len() < letters.len() || !self.eat(")") {
            self.at = 0;
            return;
        }
        if given.contains(&'s') {
            self.dot = ANY;
        }
        for (flag, ours) in [('i', "(?i)"), ('m', "(?mR)")] {
            if given.contains(&flag) {
                self.out.push_str(ours);
            }
        }
    }

    /// Rewrites what begins with a character that was just read.
    fn term(&mut self, c: char) -> Result<(), DialectRefusal> {
        let from = self.at - 1;
        match c {
            '^' => self.assertion("^"),
            '$' => self.assertion("$"),
            // There is nothing before the first term of a branch.
            '|' => self.assertion("|"),
            '.' => self.atom(self.dot),
            '\\' => return self.escape(from),
            '[' => return self.class(from),
            '(' => return self.open_group(from),
            ')' => {
                self.open.pop().ok_or(refuse(Cause::UnopenedGroup, from))?;
                self.atom(")");
            }
            '*' | '+' | '?' => return self.repeat(from, &c.to_string()),
            '{' => match self.counts(from)? {
                Some(counts) => return self.repeat(from, &counts),
                None => self.atom(&literal(c)),
            },
            _ => self.atom(&literal(c)),
        }
        Ok(())
    }

    /// Writes something that can be repeated.
    fn atom(&mut self, ours: &str) {
        self.out.push_str(ours);
        self.repeatable = true;
    }

    /// Writes something that cannot be repeated.
    fn assertion(&mut self, ours: &str) {
        self.out.push_str(ours);
        self.repeatable = false;
    }

    fn repeat(&mut self, from: usize, quantifier: &str) -> Result<(), DialectRefusal> {
        if !self.repeatable {
            return Err(refuse(Cause::NothingToRepeat, from));
        }
        let lazy = if self.eat("?") { "?" } else { "" };
        self.assertion(&format!("{quantifier}{lazy}"));
        Ok(())
    }

    /// Reads `2}`, `2,}` or `2,5}` behind a brace; any other brace is plain.
    fn counts(&mut self, from: usize) -> Result<Option<String>, DialectRefusal> {
        let back = self.at;
        let least = self.take_while(usize::MAX, |c| c.is_ascii_digit());
        let comma = self.eat(",");
        let most = if comma { self.take_while(usize::MAX, |c| c.is_ascii_digit()) } else { String::new() };
        if least.is_empty() || !self.eat("}") {
            self.at = back;
            return Ok(None);
        }
        // Digits alone fail to be a number only where they are too many.
        let [low, high] = [&least, &most].map(|digits| digits.parse().unwrap_or(u32::MAX));
        Ok(Some(match (comma, most.is_empty()) {
            (false, _) => format!("{{{low}}}"),
            (true, false) if low > high => return Err(refuse(Cause::CountsBackwards, from)),
            (true, false) if high < u32::MAX => format!("{{{low},{high}}}"),
            (true, _) => format!("{{{low},}}"),
        }))
    }

    fn open_group(&mut self, from: usize) -> Result<(), DialectRefusal> {
        let mut written = "(";
        let refused = if self.eat("?:") {
            written = "(?:";
            None
        } else if self.eat("?=") || self.eat("?!") {
            Some(Cause::LookAhead)
        } else if self.eat("?<=") || self.eat("?<!") {
            Some(Cause::LookBehind)
        } else if self.eat("?<") {
            self.name()
        } else if self.eat("?") {
            Some(Cause::UnknownGroup)
        } else {
            None
        };
        if let Some(cause) = refused {
            return Err(refuse(cause, from));
        }
        self.open.push(from);
        self.assertion(written);
        Ok(())
    }

    /// Reads a group's name; says what is wrong with it.
    fn name(&mut self) -> Option<Cause> {
        let letters = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{200c}' | '\u{200d}');
        let name = self.take_while(usize::MAX, letters);
        let begins = name.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'));
        if !begins || !self.eat(">") {
            return Some(Cause::BadName);
        }
        (!self.names.insert(name)).then_some(Cause::NameTwice)
    }

    fn class(&mut self, from: usize) -> Result<(), DialectRefusal> {
        let negated = self.eat("^");
        let mut members = String::new();
        while let Some(first) = self.member(from)? {
            let dash = self.at;
            // A dash before the closing bracket is plain.
            let is_range = self.peek(1) != Some(']') && self.eat("-");
            match (first, if is_range { self.member(from)? } else { None }) {
                (Item::Char(first), Some(Item::Char(last))) if first > last => {
                    return Err(refuse(Cause::RangeBackwards, dash - 1));
                }
                (Item::Char(first), Some(Item::Char(last))) => {
                    members.extend([&*literal(first), "-", &*literal(last)]);
                }
                // No range begins or ends with a set: the dash is plain.
                (first, Some(last)) => {
                    members.extend([item_pattern(&first), literal('-'), item_pattern(&last)]);
                }
                (first, None) => members.push_str(&item_pattern(&first)),
            }
        }
        match (negated, members.is_empty()) {
            (false, true) => self.atom(NONE),
            (true, true) => self.atom(ANY),
            (false, false) => self.atom(&format!("[{members}]")),
            (true, false) => self.atom(&format!("[^{members}]")),
        }
        Ok(())
    }

    /// Reads one member of a class; nothing is its end.
    fn member(&mut self, class: usize) -> Result<Option<Item>, DialectRefusal> {
        match self.next() {
            None => Err(refuse(Cause::UnclosedClass, class)),
            Some(']') => Ok(None),
            Some('\\') => self.escaped(EscapeContext::Class).map(Some),
            Some(c) => Ok(Some(Item::Char(c))),
        }
    }
}

/// How many groups of a pattern capture, and whether one has a name.
fn count_groups(chars: &[char]) -> (usize, bool) {
    let (mut captures, mut is_named, mut in_class, mut at) = (0, false, false, 0);
    while let Some(c) = chars.get(at) {
        match (c, in_class) {
            ('\\', _) => at += 1,
            ('[', false) => in_class = true,
            (']', true) => in_class = false,
            ('(', false) => {
                let named =
                    matches!(chars.get(at + 1..at + 4), Some(['?', '<', c]) if !matches!(c, '=' | '!'));
                captures += usize::from(named || chars.get(at + 1) != Some(&'?'));
                is_named |= named;
            }
            _ => {}
        }
        at += 1;
    }
    (captures, is_named)
}
