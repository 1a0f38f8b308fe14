//! A `sed` script as commands: what it says, not what it does.

use crate::expression::compile;
use crate::toybox::grep::extended;
use regex::bytes::Regex;
use std::sync::Arc;

pub(super) enum SedAddress {
    Line(u64),
    Last,
    Fits(Arc<Regex>),
}

pub(super) enum SedVerb {
    Substitute(Substitution),
    Print,
    Delete,
    Quit,
    LineNumber,
    Insert(String),
    Append(String),
    Change(String),
}

/// What `s` replaces with what.
pub(super) struct Substitution {
    pub(super) regex: Arc<Regex>,
    pub(super) with: Vec<ReplacementPart>,
    pub(super) all: bool,
    pub(super) print: bool,
    /// The first match that is replaced.
    pub(super) nth: usize,
}

/// A piece of what a match is replaced with.
pub(super) enum ReplacementPart {
    Text(Vec<u8>),
    Group(usize),
}

pub(super) struct SedCommand {
    pub(super) from: Option<SedAddress>,
    pub(super) to: Option<SedAddress>,
    pub(super) negated: bool,
    pub(super) verb: SedVerb,
    /// Inside a range of lines that has begun.
    pub(super) open: bool,
}

/// Reads a script; where it cannot, gives the script back.
pub(super) fn read(script: &str, is_extended: bool) -> Result<Vec<SedCommand>, String> {
    let mut reader = ScriptReader { rest: script, is_extended };
    reader.all().ok_or_else(|| script.to_owned())
}

struct ScriptReader<'a> {
    rest: &'a str,
    is_extended: bool,
}

impl ScriptReader<'_> {
    fn all(&mut self) -> Option<Vec<SedCommand>> {
        let mut commands = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\n', ';']);
            if self.rest.starts_with('#') {
                self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
                continue;
            }
            if self.rest.is_empty() {
                return Some(commands);
            }
            commands.push(self.command()?);
        }
    }

    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn regex(&self, text: &str, ignore_case: bool) -> Option<Arc<Regex>> {
        let pattern = if self.is_extended { text.to_owned() } else { extended(text) };
        // A point fits a newline too: here one is within the text, never its end.
        compile(&format!("(?s){pattern}"), ignore_case).ok()
    }

    fn address(&mut self) -> Option<Option<SedAddress>> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let number = self.rest[..digits].parse().ok()?;
            self.rest = &self.rest[digits..];
            return Some(Some(SedAddress::Line(number)));
        }
        if let Some(rest) = self.rest.strip_prefix('$') {
            self.rest = rest;
            return Some(Some(SedAddress::Last));
        }
        if let Some(rest) = self.rest.strip_prefix('/') {
            self.rest = rest;
            let text = self.until('/', false)?;
            let ignore_case = self.rest.starts_with('I');
            self.rest = self.rest.trim_start_matches('I');
            return Some(Some(SedAddress::Fits(self.regex(&text, ignore_case)?)));
        }
        Some(None)
    }

    /// The text up to a delimiter, which a backslash makes a letter like others;
    /// that backslash stays if it is wanted raw.
    fn until(&mut self, delimiter: char, is_raw: bool) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.take()? {
                next if next == delimiter => return Some(text),
                '\\' => {
                    let next = self.take()?;
                    if is_raw || next != delimiter {
                        text.push('\\');
                    }
                    text.push(next);
                }
                next => text.push(next),
            }
        }
    }

    fn command(&mut self) -> Option<SedCommand> {
        let from = self.address()?;
        let mut to = None;
        if let Some(rest) = self.rest.strip_prefix(',') {
            self.rest = rest;
            to = Some(self.address()??);
        }
        self.rest = self.rest.trim_start();
        let negated = self.rest.starts_with('!');
        self.rest = self.rest.trim_start_matches(['!', ' ']);
        let verb = match self.take()? {
            's' => self.substitution()?,
            'p' => SedVerb::Print,
            'd' => SedVerb::Delete,
            'q' => SedVerb::Quit,
            '=' => SedVerb::LineNumber,
            'i' => SedVerb::Insert(self.line()),
            'a' => SedVerb::Append(self.line()),
            'c' => SedVerb::Change(self.line()),
            _ => return None,
        };
        Some(SedCommand { from, to, negated, verb, open: false })
    }

    /// The text of `i`, `a` and `c`: the rest of the line.
    fn line(&mut self) -> String {
        let (line, rest) = self.rest.trim_start().split_once('\n').unwrap_or((self.rest.trim_start(), ""));
        let (line, rest) = match line.strip_suffix('\\').filter(|line| line.is_empty()) {
            Some(_) => rest.split_once('\n').unwrap_or((rest, "")),
            None => (line.strip_prefix('\\').unwrap_or(line), rest),
        };
        self.rest = rest;
        line.to_owned()
    }

    fn substitution(&mut self) -> Option<SedVerb> {
        let delimiter = self.take()?;
        let pattern = self.until(delimiter, false)?;
        // Its backslashes are for the pieces to read.
        let with = self.until(delimiter, true)?;
        let flags = self.rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let letters = &self.rest[..flags];
        self.rest = &self.rest[flags..];
        let digits: String = letters.chars().filter(char::is_ascii_digit).collect();
        let nth = if digits.is_empty() { 1 } else { digits.parse().ok().filter(|nth| *nth > 0)? };
        let regex = self.regex(&pattern, letters.contains(['i', 'I']))?;
        Some(SedVerb::Substitute(Substitution {
            regex,
            with: pieces(&with),
            all: letters.contains('g'),
            print: letters.contains('p'),
            nth,
        }))
    }
}

fn pieces(text: &str) -> Vec<ReplacementPart> {
    let mut pieces = Vec::new();
    let mut run = String::new();
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        let escaped = if next == '\\' { rest.next() } else { None };
        let group = match (next, escaped) {
            ('&', _) => Some(0),
            ('\\', Some(digit)) => digit.to_digit(10),
            _ => None,
        };
        if let Some(group) = group {
            pieces.push(ReplacementPart::Text(std::mem::take(&mut run).into_bytes()));
            pieces.push(ReplacementPart::Group(group as usize));
            continue;
        }
        match (next, escaped) {
            ('\\', Some('n')) => run.push('\n'),
            ('\\', Some('t')) => run.push('\t'),
            ('\\', other) => run.extend(other),
            (next, _) => run.push(next),
        }
    }
    pieces.push(ReplacementPart::Text(run.into_bytes()));
    pieces
}
