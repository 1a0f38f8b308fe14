//! A `sed` script as commands: what it says, not what it does.

use crate::expression::compile;
use crate::toybox::posix;
use regex::bytes::Regex;
use std::sync::Arc;

pub(super) enum SedAddress {
    Line(u64),
    /// So many lines after the first.
    After(u64),
    Last,
    Fits(Arc<Regex>),
}

pub(super) enum SedVerb {
    Substitute(Substitution),
    Print,
    PrintFirst,
    Delete,
    DeleteFirst,
    Quit(u8),
    LineNumber,
    Insert(String),
    Append(String),
    Change(String),
    Next,
    NextToo,
    /// The line goes to the hold space; alone or behind what is there.
    Hold(bool),
    /// The hold space comes back; alone or behind the line.
    Get(bool),
    Exchange,
    Translate(Vec<char>, Vec<char>),
    List,
    /// A block: where it ends.
    Block(usize),
    /// `b`, `t` or `T`, and where it goes; the end if nowhere.
    Branch(char, usize),
    /// A label or the end of a block.
    Nothing,
}

/// What `s` replaces with what.
pub(super) struct Substitution {
    pub(super) regex: Arc<Regex>,
    pub(super) with: Vec<ReplacementPart>,
    pub(super) all: bool,
    pub(super) print: bool,
    /// The match that is replaced.
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
    /// Inside a range of lines that has begun, and the line it began with.
    pub(super) open: Option<u64>,
}

/// Reads a script, or says what is wrong with it.
pub(super) fn read(script: &str, is_extended: bool) -> Result<Vec<SedCommand>, String> {
    let mut reader = ScriptReader { rest: script, is_extended, wrong: None, last: String::new() };
    let (mut commands, mut blocks, mut labels, mut jumps) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    loop {
        reader.rest = reader.rest.trim_start_matches(|next: char| next.is_whitespace() || next == ';');
        if let Some(comment) = reader.rest.strip_prefix('#') {
            reader.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        if reader.rest.is_empty() {
            break;
        }
        let start = reader.rest;
        let at = commands.len();
        let ends = reader.rest.starts_with('}') && !blocks.is_empty();
        let Some(mut command) = reader.command(ends) else {
            let (whole, next) =
                (start.len() - reader.rest.len() + 1, reader.rest.chars().next().unwrap_or('\0'));
            return Err(reader.wrong.unwrap_or_else(|| format!("bad pattern '{start}'@{whole} ({next})")));
        };
        match &mut command.verb {
            SedVerb::Block(_) => blocks.push(at),
            SedVerb::Branch(..) => jumps.push((at, reader.label())),
            SedVerb::Nothing if ends => {
                let block = blocks.pop().and_then(|block: usize| commands.get_mut(block));
                if let Some(SedCommand { verb: SedVerb::Block(end), .. }) = block {
                    *end = at;
                }
            }
            SedVerb::Nothing => labels.push((reader.label(), at)),
            _ => {}
        }
        commands.push(command);
    }
    if !blocks.is_empty() {
        return Err("no }".to_owned());
    }
    let end = commands.len();
    for (at, name) in jumps {
        let target = labels.iter().find(|(label, _)| *label == name).map(|(_, at)| *at);
        let target = target.or(name.is_empty().then_some(end)).ok_or_else(|| format!("no :{name}"))?;
        if let Some(SedCommand { verb: SedVerb::Branch(_, to), .. }) = commands.get_mut(at) {
            *to = target;
        }
    }
    Ok(commands)
}

struct ScriptReader<'a> {
    rest: &'a str,
    is_extended: bool,
    /// What is wrong beside the grammar.
    wrong: Option<String>,
    /// The expression that an empty one repeats.
    last: String,
}

/// What a letter behind a backslash stands for in a text.
fn escape(letter: char) -> Option<char> {
    let at = "abefnrtv".find(letter)?;
    "\x07\x08\x1b\x0c\n\r\t\x0b".chars().nth(at)
}

impl ScriptReader<'_> {
    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest[..digits].parse().ok();
        self.rest = &self.rest[digits..];
        number
    }

    fn regex(&mut self, text: &str, ignore_case: bool) -> Option<Arc<Regex>> {
        if !text.is_empty() {
            text.clone_into(&mut self.last);
        }
        let text = self.last.clone();
        let pattern = if self.is_extended { posix::extended(&text) } else { posix::basic(&text) };
        // A point fits a newline too: here one is within the text, never its end.
        let compiled = pattern
            .and_then(|pattern| compile(&format!("(?s){pattern}"), ignore_case).map_err(|_| "out of memory"));
        compiled.map_err(|problem| self.wrong = Some(format!("bad regex '{text}': {problem}"))).ok()
    }

    fn address(&mut self) -> Option<Option<SedAddress>> {
        if let Some(rest) = self.rest.strip_prefix('$') {
            self.rest = rest;
            return Some(Some(SedAddress::Last));
        }
        if self.rest.starts_with(['/', '\\']) {
            let start = self.rest;
            self.rest = &self.rest[usize::from(start.starts_with('\\'))..];
            let Some(text) = self.take().and_then(|delimiter| self.until(delimiter)) else {
                self.rest = start;
                return None;
            };
            return Some(Some(SedAddress::Fits(self.regex(&text, false)?)));
        }
        Some(self.number().map(SedAddress::Line))
    }

    /// An expression up to a delimiter, which a backslash or a bracket makes a letter like others.
    fn until(&mut self, delimiter: char) -> Option<String> {
        let (mut text, mut inside) = (String::new(), 0usize);
        loop {
            match self.take()? {
                next if next == delimiter && inside == 0 => return Some(text),
                '\\' if inside == 0 || self.rest.starts_with('n') => {
                    let next = self.take()?;
                    match escape(next) {
                        _ if next == delimiter => text.push(next),
                        Some(meant) => text.push(meant),
                        None => text.extend(['\\', next]),
                    }
                }
                next => {
                    // The first of a bracket may be its end, or a caret before that.
                    let first = text.ends_with('[') || text.ends_with("[^");
                    inside = match (next, inside) {
                        ('[', 0) | (']', 2) => 1,
                        (']', 1) if !first => 0,
                        ('[', 1) if self.rest.starts_with(':') => 2,
                        (_, inside) => inside,
                    };
                    text.push(next);
                }
            }
        }
    }

    fn command(&mut self, ends_block: bool) -> Option<SedCommand> {
        let mut from = self.address()?;
        if from.is_none() && self.rest.starts_with(',') {
            self.rest = &self.rest[1..];
            from = self.address()?;
        }
        let mut to = None;
        if let Some(rest) = self.rest.strip_prefix(',').filter(|_| from.is_some()) {
            self.rest = rest;
            to = match self.rest.strip_prefix('+') {
                Some(rest) => {
                    self.rest = rest;
                    Some(SedAddress::After(self.number()?))
                }
                None => Some(self.address()??),
            };
        }
        self.rest = self.rest.trim_start();
        let negated = self.rest.starts_with('!');
        self.rest = self.rest.trim_start_matches(['!', ' ']);
        let verb = match self.take()? {
            's' => self.substitution()?,
            'y' => self.translation()?,
            'p' => SedVerb::Print,
            'P' => SedVerb::PrintFirst,
            'd' => SedVerb::Delete,
            'D' => SedVerb::DeleteFirst,
            'q' => SedVerb::Quit(self.number().unwrap_or(0) as u8),
            '=' => SedVerb::LineNumber,
            'i' => SedVerb::Insert(self.line()?),
            'a' => SedVerb::Append(self.line()?),
            'c' => SedVerb::Change(self.line()?),
            'n' => SedVerb::Next,
            'N' => SedVerb::NextToo,
            letter @ ('h' | 'H') => SedVerb::Hold(letter == 'H'),
            letter @ ('g' | 'G') => SedVerb::Get(letter == 'G'),
            'x' => SedVerb::Exchange,
            'l' => SedVerb::List,
            '{' => SedVerb::Block(0),
            letter @ ('b' | 't' | 'T') => SedVerb::Branch(letter, 0),
            ':' => SedVerb::Nothing,
            '}' if ends_block => SedVerb::Nothing,
            _ => return None,
        };
        Some(SedCommand { from, to, negated, verb, open: None })
    }

    /// A name: up to the end of the line, or of the command.
    fn label(&mut self) -> String {
        let rest = self.rest.trim_start_matches([' ', '\t']);
        let end =
            rest.find(|next: char| next == ';' || next == '}' || next.is_whitespace()).unwrap_or(rest.len());
        self.rest = &rest[end..];
        rest[..end].to_owned()
    }

    /// The text of `i`, `a` and `c`: the rest of the line, and more lines behind backslashes.
    fn line(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let mut text = String::new();
        if self.rest.is_empty() {
            return None;
        }
        if let Some(rest) = self.rest.strip_prefix("\\\n") {
            self.rest = rest;
        }
        while let Some(next) = self.take().filter(|next| *next != '\n') {
            match next {
                '\\' => text.extend(self.take().map(|next| escape(next).unwrap_or(next))),
                next => text.push(next),
            }
        }
        Some(text)
    }

    /// What stands between the three delimiters of `s` and `y`.
    fn halves(&mut self) -> Option<(String, String)> {
        let start = self.rest;
        let delimiter = self.take()?;
        let Some(pattern) = self.until(delimiter) else {
            self.rest = start;
            return None;
        };
        // Its backslashes are for the pieces to read.
        let mut with = String::new();
        while let Some(next) = self.take() {
            match next {
                next if next == delimiter => return Some((pattern, with)),
                '\\' => {
                    let escaped = self.take().filter(|next| *next != delimiter || *next == '&');
                    with.extend(escaped.map_or(vec![delimiter], |next| vec!['\\', next]));
                }
                next => with.push(next),
            }
        }
        None
    }

    fn translation(&mut self) -> Option<SedVerb> {
        let (from, to) = self.halves()?;
        let plain = |parts: Vec<ReplacementPart>| {
            let bytes: Vec<u8> = parts
                .into_iter()
                .flat_map(|part| match part {
                    ReplacementPart::Text(text) => text,
                    ReplacementPart::Group(_) => b"&".to_vec(),
                })
                .collect();
            String::from_utf8_lossy(&bytes).chars().collect::<Vec<char>>()
        };
        let (from, to): (Vec<char>, _) = (from.chars().collect(), plain(pieces(&to)));
        (from.len() == to.len()).then_some(SedVerb::Translate(from, to))
    }

    fn substitution(&mut self) -> Option<SedVerb> {
        let (pattern, with) = self.halves()?;
        let flags = self.rest.bytes().take_while(|flag| b"gpiI0123456789".contains(flag)).count();
        let letters = &self.rest[..flags];
        self.rest = &self.rest[flags..];
        let digits: String = letters.chars().filter(char::is_ascii_digit).collect();
        let nth = if digits.is_empty() { 1 } else { digits.parse().ok().filter(|nth| *nth > 0)? };
        let regex = self.regex(&pattern, letters.contains(['i', 'I']))?;
        let with = pieces(&with);
        let missing = with.iter().find_map(|part| match part {
            ReplacementPart::Group(group) if *group >= regex.captures_len() => Some(*group),
            ReplacementPart::Group(_) | ReplacementPart::Text(_) => None,
        });
        if let Some(group) = missing {
            self.wrong = Some(format!("no s//\\{group}/"));
            return None;
        }
        let (all, print) = (letters.contains('g'), letters.contains('p'));
        Some(SedVerb::Substitute(Substitution { regex, with, all, print, nth }))
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
            ('\\', other) => run.extend(other.map(|other| escape(other).unwrap_or(other))),
            (next, _) => run.push(next),
        }
    }
    pieces.push(ReplacementPart::Text(run.into_bytes()));
    pieces
}
