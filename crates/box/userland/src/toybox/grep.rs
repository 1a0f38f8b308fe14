//! `grep`: the lines that fit, and the lines around them.

use super::options::{Mix, Options, options, size};
use super::text::inputs;
use super::{BasicCommand, row};
use crate::call::{Call, join};
use crate::expression::compile;
use crate::files::FileKind;
use crate::limits;
use crate::machine::{ExitResult, Stop};
use crate::stream::{Input, OutputError};
use bytes::Bytes;
use regex::bytes::Regex;
use std::collections::VecDeque;

pub(super) const ROWS: &[BasicCommand] = &[
    row!(
        "grep",
        "[-EFivclnoqrHhswx] [-m MAX] [-A AFTER] [-B BEFORE] [-C AROUND] [-e] PATTERN [FILE...]",
        grep
    ),
    row!("egrep", "[-ivclnoqr] [-ABC LINES] PATTERN [FILE...]", grep),
    row!("fgrep", "[-ivclnoqr] [-ABC LINES] PATTERN [FILE...]", grep),
];

/// Bytes a kept line costs besides its own.
const ROW: usize = 64;

/// A basic regular expression as an extended one: what a backslash gives a meaning
/// to there has it here without.
pub(super) fn extended(basic: &str) -> String {
    let mut built = String::new();
    let mut rest = basic.chars().peekable();
    let mut bracket = false;
    let mut first = true;
    while let Some(next) = rest.next() {
        match next {
            _ if bracket => {
                bracket = next != ']';
                if next == '\\' || next == '[' && rest.peek() != Some(&':') {
                    built.push('\\');
                }
                built.push(next);
            }
            '[' => {
                bracket = true;
                built.push('[');
                for mark in ['^', ']'] {
                    if rest.peek() == Some(&mark) {
                        rest.next();
                        built.push_str(if mark == ']' { "\\]" } else { "^" });
                    }
                }
            }
            '\\' => match rest.next() {
                Some(mark @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) => built.push(mark),
                Some('<' | '>') => built.push_str("\\b"),
                Some(other) => {
                    built.push('\\');
                    built.push(other);
                }
                None => built.push_str("\\\\"),
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' => {
                built.push('\\');
                built.push(next);
            }
            '*' if first => built.push_str("\\*"),
            next => built.push(next),
        }
        first = first && next == '^';
    }
    built
}

fn pattern(name: &str, given: &mut Options) -> Option<String> {
    let mut patterns: Vec<String> = given.values('e').map(str::to_owned).collect();
    if patterns.is_empty() {
        if given.operands.is_empty() {
            return None;
        }
        patterns.push(given.operands.remove(0));
    }
    let fixed = given.has('F') || name == "fgrep";
    let is_extended = given.has('E') || name == "egrep";
    let one = |text: &str| match (fixed, is_extended) {
        (true, _) => regex::escape(text),
        (false, true) => text.to_owned(),
        (false, false) => extended(text),
    };
    let all: Vec<String> =
        patterns.iter().flat_map(|text| text.split('\n')).map(|text| format!("(?:{})", one(text))).collect();
    let joined = all.join("|");
    Some(match (given.has('x'), given.has('w')) {
        (true, _) => format!("^(?:{joined})$"),
        (false, true) => format!(r"\b(?:{joined})\b"),
        (false, false) => joined,
    })
}

async fn grep(call: &mut Call) -> ExitResult {
    let mut given = options(call, "EFivclnoqrRHhswxe:m:azLA:B:C:", Mix::Anywhere)?;
    let name = call.name().to_owned();
    let wrong = |what: String| Stop::Complaint(what, 2);
    let pattern = pattern(&name, &mut given).ok_or_else(|| wrong("no pattern".to_owned()))?;
    let regex = compile(&pattern, given.has('i'));
    let regex = regex.map_err(|_| wrong(format!("bad pattern '{pattern}'")))?;
    let recursive = given.has('r') || given.has('R');
    let mut operands = given.operands.clone();
    if recursive {
        let roots = if operands.is_empty() { vec![".".to_owned()] } else { operands };
        operands = roots.iter().flat_map(|root| files_below(call, root)).collect();
    }
    let many = (operands.len() > 1 || recursive || given.has('H')) && !given.has('h');
    let (open, failed) =
        if recursive && operands.is_empty() { (Vec::new(), 0) } else { inputs(call, &operands).await };
    if let Some(bad) =
        "ABCm".chars().filter_map(|letter| given.value(letter)).find(|text| size(text).is_none())
    {
        return Err(wrong(format!("bad number '{bad}'")));
    }
    let mut any = false;
    for (file, input) in open {
        let label = if many { file.as_str() } else { "" };
        let count = grep_one(call, &regex, &input, GrepOutput::new(&given, label)).await?;
        any |= count > 0;
        if given.has('q') && any {
            return Ok(0);
        }
        if given.has('l') && count > 0 || given.has('L') && count == 0 {
            call.out(format!("{}\n", if file == "-" { "(standard input)" } else { &file })).await?;
        } else if given.has('c') {
            let mark = if many { ":" } else { "" };
            call.out(format!("{label}{mark}{count}\n")).await?;
        }
    }
    Ok(if failed > 0 { 2 } else { u8::from(!any) })
}

/// What is shown of one file, and what was shown so far.
struct GrepOutput<'a> {
    given: &'a Options,
    label: &'a str,
    /// Lines wanted before and after each that fits.
    around: (u64, u64),
    /// The last lines not shown, with their numbers.
    before: VecDeque<(u64, Bytes)>,
    held: usize,
    /// How many more lines are shown whether they fit or not.
    after: u64,
    /// The number of the last line shown.
    last: Option<u64>,
}

impl<'a> GrepOutput<'a> {
    fn new(given: &'a Options, label: &'a str) -> Self {
        let lines = |letter| given.value(letter).or(given.value('C')).and_then(size).unwrap_or(0);
        Self {
            given,
            label,
            around: (lines('B'), lines('A')),
            before: VecDeque::new(),
            held: 0,
            after: 0,
            last: None,
        }
    }

    /// The prefix of a line; the mark tells lines that fit from their neighbours.
    fn place(&self, number: u64, mark: char) -> String {
        let name = if self.label.is_empty() { String::new() } else { format!("{}{mark}", self.label) };
        if self.given.has('n') { format!("{name}{number}{mark}") } else { name }
    }

    fn line(&mut self, number: u64, mark: char, text: &[u8]) -> Vec<u8> {
        self.last = Some(number);
        [self.place(number, mark).as_bytes(), text, b"\n"].concat()
    }

    /// Keeps a line that does not fit for the next that does, or shows it.
    fn neighbour(&mut self, number: u64, line: &Bytes) -> Vec<u8> {
        if self.after > 0 {
            self.after -= 1;
            return self.line(number, '-', without_end(line));
        }
        if self.around.0 > 0 {
            self.held += line.len() + ROW;
            self.before.push_back((number, line.clone()));
        }
        while self.before.len() as u64 > self.around.0 || self.held > limits::MAX_HELD {
            let Some((_, line)) = self.before.pop_front() else {
                break;
            };
            self.held -= line.len() + ROW;
        }
        Vec::new()
    }

    /// What comes before a line that fits: a mark after a gap, and the lines kept.
    fn lead(&mut self, number: u64) -> Vec<u8> {
        let first = self.before.front().map_or(number, |(first, _)| *first);
        let gap = self.last.is_some_and(|last| last + 1 < first);
        let mut output = Vec::new();
        if gap && self.around != (0, 0) {
            output.extend_from_slice(b"--\n");
        }
        for (number, line) in std::mem::take(&mut self.before) {
            output.extend(self.line(number, '-', without_end(&line)));
        }
        self.held = 0;
        self.after = self.around.1;
        output
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

async fn grep_one(
    call: &mut Call,
    regex: &Regex,
    input: &Input,
    mut shown: GrepOutput<'_>,
) -> Result<u64, OutputError> {
    let given = shown.given;
    let most = given.value('m').and_then(size).unwrap_or(u64::MAX);
    let silent = "qlLc".chars().any(|letter| given.has(letter));
    let (mut count, mut number) = (0, 0u64);
    while (count < most || shown.after > 0)
        && let Some(line) = input.read_line().await
    {
        number += 1;
        let text = without_end(&line);
        if count >= most || regex.is_match(text) == given.has('v') {
            if !silent && !given.has('o') {
                let output = shown.neighbour(number, &line);
                if !output.is_empty() {
                    call.stdout.write(output).await?;
                }
            }
            continue;
        }
        count += 1;
        if given.has('q') || given.has('l') {
            break;
        }
        if silent {
            continue;
        }
        if !given.has('o') {
            let mut output = shown.lead(number);
            output.extend(shown.line(number, ':', text));
            call.stdout.write(output).await?;
            continue;
        }
        let place = shown.place(number, ':');
        let mut output = Vec::new();
        for found in regex.find_iter(text).filter(|found| !found.is_empty()) {
            output.extend_from_slice(&[place.as_bytes(), found.as_bytes(), b"\n"].concat());
            if output.len() > limits::CHUNK {
                call.stdout.write(std::mem::take(&mut output)).await?;
                tokio::task::consume_budget().await;
            }
        }
        call.stdout.write(output).await?;
    }
    Ok(count)
}

/// The regular files at and below a path.
fn files_below(call: &Call, root: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(word) = todo.pop() {
        let path = call.path(&word);
        let (kind, entries) = call.files(|files, actor| {
            let kind = files.stat(actor, &path).map(|stat| stat.kind);
            (kind, files.list(actor, &path).unwrap_or_default())
        });
        match kind {
            Ok(FileKind::Directory) => {
                let below = entries.into_iter().rev().filter(|entry| entry.stat.kind != FileKind::Link);
                todo.extend(below.map(|entry| join(&word, &entry.name)));
            }
            Ok(FileKind::File | FileKind::Link | FileKind::Device(_)) | Err(_) => found.push(word),
        }
    }
    found
}
