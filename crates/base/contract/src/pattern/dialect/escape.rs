//! What a backslash means.

use super::Translator;
use super::refusal::{Cause, DialectRefusal, refuse};
use clawperator_document::text::BLANK;

/// Escapes that stand for a set of characters; `\s` and `\S` are in [`BLANK`].
const SETS: [(char, &str); 4] =
    [('d', "[0-9]"), ('D', "[^0-9]"), ('w', "[0-9A-Za-z_]"), ('W', "[^0-9A-Za-z_]")];
/// Escapes that stand for a character which cannot be seen.
const CONTROLS: [(char, char); 5] = [('f', '\u{c}'), ('n', '\n'), ('r', '\r'), ('t', '\t'), ('v', '\u{b}')];

/// What an escape or a member of a class matches.
pub(super) enum Item {
    Char(char),
    /// A set, as our engine writes it.
    Set(String),
}

/// Whether an escape is in a class, where some have another meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeContext {
    Term,
    Class,
}

impl Translator {
    /// Rewrites an escape outside classes.
    pub(super) fn escape(&mut self, from: usize) -> Result<(), DialectRefusal> {
        match self.peek(0) {
            Some('b') => self.assertion(r"(?-u:\b)"),
            Some('B') => self.assertion(r"(?-u:\B)"),
            _ => {
                self.refuse_reference(from)?;
                let item = self.escaped(EscapeContext::Term)?;
                self.atom(&item_pattern(&item));
                return Ok(());
            }
        }
        self.at += 1;
        Ok(())
    }

    /// A number is a reference only where there are so many groups.
    fn refuse_reference(&self, from: usize) -> Result<(), DialectRefusal> {
        let digits = self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit());
        let digits: String = digits.collect();
        let number = digits.parse().unwrap_or(usize::MAX);
        let is_reference = match self.peek(0) {
            Some('1'..='9') => number <= self.captures,
            Some('k') => self.is_named,
            _ => false,
        };
        if is_reference { Err(refuse(Cause::BackReference, from)) } else { Ok(()) }
    }

    /// Reads what follows a backslash.
    pub(super) fn escaped(&mut self, place: EscapeContext) -> Result<Item, DialectRefusal> {
        let from = self.at - 1;
        let Some(c) = self.next() else {
            return Err(refuse(Cause::LoneBackslash, from));
        };
        if let Some((_, set)) = SETS.iter().find(|(name, _)| *name == c) {
            return Ok(Item::Set((*set).to_owned()));
        }
        if let Some((_, control)) = CONTROLS.iter().find(|(name, _)| *name == c) {
            return Ok(Item::Char(*control));
        }
        let found = match c {
            's' => return Ok(Item::Set(blank(""))),
            'S' => return Ok(Item::Set(blank("^"))),
            'p' | 'P' => {
                if let Some(name) = self.property() {
                    return Ok(Item::Set(format!("\\{c}{{{name}}}")));
                }
                None
            }
            'b' if place == EscapeContext::Class => Some('\u{8}'),
            'k' if place == EscapeContext::Class && self.is_named => {
                return Err(refuse(Cause::BackReference, from));
            }
            'c' => Some(self.control_letter(place)),
            'x' => self.hex(2).and_then(char::from_u32),
            'u' => self.unicode(from)?,
            '0'..='7' => Some(self.octal(c)),
            _ => None,
        };
        Ok(Item::Char(found.unwrap_or(c)))
    }

    /// Reads `{L}` behind `\p`.
    fn property(&mut self) -> Option<String> {
        let back = self.at;
        if self.eat("{") && self.peek(0).is_some_and(|c| c.is_ascii_alphabetic()) {
            let name = self.take_while(usize::MAX, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '='));
            if self.eat("}") {
                return Some(name);
            }
        }
        self.at = back;
        None
    }

    /// Reads the letter behind `\c`; without one, the backslash is plain.
    fn control_letter(&mut self, place: EscapeContext) -> char {
        match self.peek(0) {
            Some(c)
                if c.is_ascii_alphabetic()
                    || (place == EscapeContext::Class && (c.is_ascii_digit() || c == '_')) =>
            {
                self.at += 1;
                char::from(c as u8 % 32)
            }
            _ => {
                self.at -= 1;
                '\\'
            }
        }
    }

    /// Reads so many hexadecimal digits.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let back = self.at;
        let digits = self.take_while(count, |c| c.is_ascii_hexdigit());
        if digits.len() < count {
            self.at = back;
            return None;
        }
        u32::from_str_radix(&digits, 16).ok()
    }

    /// Reads the digits behind `\u`, and the other half of a pair.
    fn unicode(&mut self, from: usize) -> Result<Option<char>, DialectRefusal> {
        let Some(unit) = self.hex(4) else { return Ok(None) };
        if let Some(c) = char::from_u32(unit) {
            return Ok(Some(c));
        }
        let low = if self.eat("\\u") { self.hex(4) } else { None };
        // Four digits fit.
        let pair = [Some(unit), low].map(|unit| unit.unwrap_or_default() as u16);
        match char::decode_utf16(pair).next() {
            Some(Ok(c)) => Ok(Some(c)),
            Some(Err(_)) | None => Err(refuse(Cause::HalfPair, from)),
        }
    }

    /// Reads a number to the base eight of at most 255, as old scripts have it.
    fn octal(&mut self, first: char) -> char {
        let more = if first <= '3' { 2 } else { 1 };
        let digits = self.take_while(more, |c| c.is_digit(8));
        let number = u8::from_str_radix(&format!("{first}{digits}"), 8);
        number.map_or(first, char::from)
    }
}

/// An item as our engine writes it.
pub(super) fn item_pattern(item: &Item) -> String {
    match item {
        Item::Char(c) => literal(*c),
        Item::Set(set) => set.clone(),
    }
}

/// A character that means itself, in a class and outside.
pub(super) fn literal(c: char) -> String {
    if c.is_alphanumeric() { c.to_string() } else { format!("\\x{{{:x}}}", u32::from(c)) }
}

/// ECMAScript's white space, or all that is not.
fn blank(negation: &str) -> String {
    let ranges = BLANK.iter().map(|(first, last)| literal(*first) + "-" + &literal(*last));
    format!("[{negation}{}]", ranges.collect::<String>())
}
