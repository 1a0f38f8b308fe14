//! `sed`: a few commands on each line.

use super::grep::{compile, extended};
use super::options::{Mix, options};
use super::text::{inputs, read_options};
use super::{Row, row};
use crate::call::Call;
use crate::limits;
use crate::machine::Ended;
use crate::stream::Input;
use regex::bytes::{Captures, Regex};

pub(super) const ROWS: &[Row] = &[row!("sed", "[-nErsi] [-e] SCRIPT [FILE...]", sed)];

enum Address {
    Line(u64),
    Last,
    Fits(Regex),
}

enum Verb {
    Substitute {
        regex: Regex,
        with: Vec<Piece>,
        all: bool,
        print: bool,
        nth: usize,
    },
    Print,
    Delete,
    Quit,
    LineNumber,
    Insert(String),
    Append(String),
    Change(String),
    Translate(Vec<char>, Vec<char>),
}

/// A piece of what a match is replaced with.
enum Piece {
    Text(Vec<u8>),
    Group(usize),
}

struct Command {
    from: Option<Address>,
    to: Option<Address>,
    negated: bool,
    verb: Verb,
    /// Inside a range of lines that has begun.
    open: bool,
}

async fn sed(call: &mut Call) -> Ended {
    let mut given = read_options!(call, "nErsie:f:z", Mix::Anywhere);
    let mut script: Vec<String> = given.values('e').map(str::to_owned).collect();
    if script.is_empty() {
        if given.operands.is_empty() {
            return Ok(call.complain("no pattern").await);
        }
        script.push(given.operands.remove(0));
    }
    let is_extended = given.has('E') || given.has('r');
    let mut commands = match Reader::read(&script.join("\n"), is_extended) {
        Ok(commands) => commands,
        Err(problem) => return Ok(call.complain(format!("bad pattern '{problem}'")).await),
    };
    if !given.has('i') {
        let (open, code) = inputs(call, &given.operands).await;
        let all: Vec<Input> = open.into_iter().map(|(_, input)| input).collect();
        let output = call.stdout.clone();
        edit(&all, &output, (&mut commands, given.has('n'))).await?;
        return Ok(code);
    }
    let mut code = 0;
    for word in &given.operands {
        let output = crate::Output::collector(limits::MAX_HELD);
        match call.open(word) {
            Ok(input) => {
                edit(&[input], &output, (&mut commands, given.has('n'))).await?;
                let path = call.path(word);
                let written = call.files(|files, actor| files.write(actor, &path, output.collected()));
                if let Err(error) = written {
                    code = call.complain(format!("{word}: {error}")).await;
                }
            }
            Err(error) => code = call.complain(format!("{word}: {error}")).await,
        }
    }
    Ok(code)
}

/// Runs the commands over all lines of all inputs.
async fn edit(
    inputs: &[Input],
    output: &crate::Output,
    how: (&mut [Command], bool),
) -> Result<(), crate::Broken> {
    let (commands, silent) = how;
    let mut number = 0;
    let mut files = inputs.iter();
    let mut current = files.next();
    let mut next = None;
    loop {
        // One line is read ahead, to know which is the last.
        let mut ahead = None;
        while let Some(input) = current {
            ahead = input.read_line().await;
            if ahead.is_some() {
                break;
            }
            current = files.next();
        }
        let Some(line) = std::mem::replace(&mut next, ahead) else {
            if next.is_none() {
                return Ok(());
            }
            continue;
        };
        number += 1;
        let ended = line.ends_with(b"\n");
        let mut text = line.strip_suffix(b"\n").unwrap_or(&line).to_vec();
        let result = apply(commands, &mut text, (number, next.is_none()));
        let mut bytes = result.before;
        if !silent && !result.deleted {
            bytes.extend_from_slice(&text);
            if ended || next.is_some() {
                bytes.push(b'\n');
            }
        }
        bytes.extend_from_slice(&result.after);
        if !bytes.is_empty() {
            output.write(bytes).await?;
        }
        if result.quit {
            return Ok(());
        }
    }
}

#[derive(Default)]
struct Applied {
    before: Vec<u8>,
    after: Vec<u8>,
    deleted: bool,
    quit: bool,
}

fn apply(commands: &mut [Command], text: &mut Vec<u8>, place: (u64, bool)) -> Applied {
    let mut result = Applied::default();
    for command in commands {
        if !command.selects(text, place) {
            continue;
        }
        match &command.verb {
            Verb::Substitute {
                regex,
                with,
                all,
                print,
                nth,
            } => {
                if let Some(changed) = substitute(regex, with, (*all, *nth), text) {
                    *text = changed;
                    if *print {
                        result
                            .before
                            .extend_from_slice(&[text, b"\n".as_slice()].concat());
                    }
                }
            }
            Verb::Print => result
                .before
                .extend_from_slice(&[text, b"\n".as_slice()].concat()),
            Verb::LineNumber => result
                .before
                .extend_from_slice(format!("{}\n", place.0).as_bytes()),
            Verb::Insert(line) => result.before.extend_from_slice(format!("{line}\n").as_bytes()),
            Verb::Append(line) => result.after.extend_from_slice(format!("{line}\n").as_bytes()),
            Verb::Delete => {
                result.deleted = true;
                break;
            }
            Verb::Change(line) => {
                result.before.extend_from_slice(format!("{line}\n").as_bytes());
                result.deleted = true;
                break;
            }
            Verb::Quit => {
                result.quit = true;
                break;
            }
            Verb::Translate(from, to) => {
                let changed: String = String::from_utf8_lossy(text)
                    .chars()
                    .map(|next| {
                        from.iter()
                            .position(|other| *other == next)
                            .map_or(next, |at| to[at])
                    })
                    .collect();
                *text = changed.into_bytes();
            }
        }
    }
    result
}

fn substitute(regex: &Regex, with: &[Piece], which: (bool, usize), text: &[u8]) -> Option<Vec<u8>> {
    let (all, nth) = which;
    if text.len() > limits::MAX_LINE {
        return None;
    }
    let mut changed = Vec::new();
    let mut end = 0;
    let mut count = 0;
    for found in regex.captures_iter(text) {
        count += 1;
        let whole = found.get(0)?;
        if count < nth || (count > nth && !all) || changed.len() > limits::MAX_LINE {
            continue;
        }
        changed.extend_from_slice(&text[end..whole.start()]);
        for piece in with {
            // A script that doubles a line again and again must not fill the memory.
            if changed.len() <= limits::MAX_LINE {
                changed.extend_from_slice(replacement(piece, &found));
            }
        }
        end = whole.end();
    }
    if count < nth {
        return None;
    }
    changed.extend_from_slice(&text[end..]);
    Some(changed)
}

fn replacement<'a>(piece: &'a Piece, found: &Captures<'a>) -> &'a [u8] {
    match piece {
        Piece::Text(text) => text,
        Piece::Group(number) => found.get(*number).map_or(&[], |group| group.as_bytes()),
    }
}

impl Address {
    fn fits(&self, text: &[u8], place: (u64, bool)) -> bool {
        match self {
            Self::Line(number) => place.0 == *number,
            Self::Last => place.1,
            Self::Fits(regex) => regex.is_match(text),
        }
    }
}

impl Command {
    fn selects(&mut self, text: &[u8], place: (u64, bool)) -> bool {
        let selected = match (&self.from, &self.to) {
            (None, _) => true,
            (Some(from), None) => from.fits(text, place),
            (Some(_), Some(to)) if self.open => {
                let past = matches!(to, Address::Line(number) if place.0 >= *number);
                self.open = !(past || to.fits(text, place));
                !matches!(to, Address::Line(number) if place.0 > *number)
            }
            (Some(from), Some(to)) => {
                let begins = from.fits(text, place);
                self.open = begins && !matches!(to, Address::Line(number) if place.0 >= *number);
                begins
            }
        };
        selected != self.negated
    }
}

struct Reader<'a> {
    rest: &'a str,
    is_extended: bool,
}

impl<'a> Reader<'a> {
    fn read(script: &'a str, is_extended: bool) -> Result<Vec<Command>, String> {
        let mut reader = Self {
            rest: script,
            is_extended,
        };
        let mut commands = Vec::new();
        loop {
            reader.rest = reader.rest.trim_start_matches([' ', '\t', '\n', ';']);
            if reader.rest.is_empty() || reader.rest.starts_with('#') {
                return Ok(commands);
            }
            commands.push(reader.command().ok_or_else(|| script.to_owned())?);
        }
    }

    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn regex(&self, text: &str, ignore_case: bool) -> Option<Regex> {
        let pattern = if self.is_extended {
            text.to_owned()
        } else {
            extended(text)
        };
        compile(&pattern, ignore_case)
    }

    fn address(&mut self) -> Option<Option<Address>> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let number = self.rest[..digits].parse().ok()?;
            self.rest = &self.rest[digits..];
            return Some(Some(Address::Line(number)));
        }
        if let Some(rest) = self.rest.strip_prefix('$') {
            self.rest = rest;
            return Some(Some(Address::Last));
        }
        if let Some(rest) = self.rest.strip_prefix('/') {
            self.rest = rest;
            let text = self.until('/')?;
            let ignore_case = self.rest.starts_with('I');
            self.rest = self.rest.trim_start_matches('I');
            return Some(Some(Address::Fits(self.regex(&text, ignore_case)?)));
        }
        Some(None)
    }

    /// The text up to a delimiter, which a backslash makes a letter like others.
    fn until(&mut self, delimiter: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.take()? {
                next if next == delimiter => return Some(text),
                '\\' => {
                    let next = self.take()?;
                    if next != delimiter {
                        text.push('\\');
                    }
                    text.push(next);
                }
                next => text.push(next),
            }
        }
    }

    fn command(&mut self) -> Option<Command> {
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
            'p' => Verb::Print,
            'd' => Verb::Delete,
            'q' => Verb::Quit,
            '=' => Verb::LineNumber,
            'i' => Verb::Insert(self.line()),
            'a' => Verb::Append(self.line()),
            'c' => Verb::Change(self.line()),
            'y' => {
                let delimiter = self.take()?;
                let from: Vec<char> = self.until(delimiter)?.chars().collect();
                let to: Vec<char> = self.until(delimiter)?.chars().collect();
                if from.len() != to.len() {
                    return None;
                }
                Verb::Translate(from, to)
            }
            _ => return None,
        };
        Some(Command {
            from,
            to,
            negated,
            verb,
            open: false,
        })
    }

    /// The text of `i`, `a` and `c`: the rest of the line.
    fn line(&mut self) -> String {
        let (line, rest) = self
            .rest
            .trim_start()
            .split_once('\n')
            .unwrap_or((self.rest.trim_start(), ""));
        let (line, rest) = match line.strip_suffix('\\').filter(|line| line.is_empty()) {
            Some(_) => rest.split_once('\n').unwrap_or((rest, "")),
            None => (line.strip_prefix('\\').unwrap_or(line), rest),
        };
        self.rest = rest;
        line.to_owned()
    }

    fn substitution(&mut self) -> Option<Verb> {
        let delimiter = self.take()?;
        let pattern = self.until(delimiter)?;
        let with = self.until_raw(delimiter)?;
        let flags = self.rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let letters = &self.rest[..flags];
        self.rest = &self.rest[flags..];
        let digits: String = letters.chars().filter(char::is_ascii_digit).collect();
        let nth = if digits.is_empty() {
            1
        } else {
            digits.parse().ok().filter(|nth| *nth > 0)?
        };
        let regex = self.regex(&pattern, letters.contains(['i', 'I']))?;
        Some(Verb::Substitute {
            regex,
            with: pieces(&with),
            all: letters.contains('g'),
            print: letters.contains('p'),
            nth,
        })
    }

    /// As `until`, but every backslash stays, for the pieces to read.
    fn until_raw(&mut self, delimiter: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.take()? {
                next if next == delimiter => return Some(text),
                '\\' => {
                    text.push('\\');
                    text.push(self.take()?);
                }
                next => text.push(next),
            }
        }
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut run = Vec::new();
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        let group = match next {
            '&' => Some(0),
            '\\' => match rest.next() {
                Some(digit @ '0'..='9') => digit.to_digit(10),
                Some('n') => {
                    run.push(b'\n');
                    None
                }
                Some('t') => {
                    run.push(b'\t');
                    None
                }
                Some(other) => {
                    run.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
                    None
                }
                None => None,
            },
            next => {
                run.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes());
                None
            }
        };
        if let Some(group) = group {
            pieces.push(Piece::Text(std::mem::take(&mut run)));
            pieces.push(Piece::Group(group as usize));
        }
    }
    pieces.push(Piece::Text(run));
    pieces
}
