//! `grep`: the lines that fit, and the lines around them.

use super::change::base;
use super::options::{Options, options, size};
use super::{BasicCommand, posix, row};
use crate::Errno;
use crate::call::{Call, join};
use crate::expression::compile;
use crate::files::FileKind;
use crate::limits;
use crate::machine::ExitResult;
use crate::pattern::Pattern;
use crate::stream::{Input, Output, OutputError};
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

/// Everything that is looked for, as one expression.
fn pattern(call: &Call, given: &mut Options) -> Result<String, String> {
    let mut patterns: Vec<String> = given.values('e').map(str::to_owned).collect();
    for file in given.values('f') {
        let path = call.path(file);
        let text = call
            .files(|files, actor| files.read(actor, &path))
            .map_err(|error| format!("Bad '{file}': {error}"))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        patterns.extend(text.lines().map(str::to_owned));
    }
    if patterns.is_empty() && given.has('f') {
        // An empty file fits nothing.
        return Ok("[^\\s\\S]".to_owned());
    }
    if patterns.is_empty() {
        if given.operands.is_empty() {
            return Err("no REGEX".to_owned());
        }
        patterns.push(given.operands.remove(0));
    }
    let fixed = given.has('F') || call.name() == "fgrep";
    let is_extended = given.has('E') || call.name() == "egrep";
    let one = |text: &str| match (fixed, is_extended) {
        (true, _) => Ok(regex::escape(text)),
        (false, true) => posix::extended(text),
        (false, false) => posix::basic(text),
    };
    let all: Vec<String> = patterns
        .iter()
        .flat_map(|text| text.split('\n'))
        .map(|text| {
            one(text).map_err(|wrong| format!("bad regex '{text}': {wrong}")).map(|one| format!("(?:{one})"))
        })
        .collect::<Result<_, _>>()?;
    let joined = all.join("|");
    Ok(match (given.has('x'), given.has('w')) {
        (true, _) => format!("^(?:{joined})$"),
        (false, true) => format!(r"\b(?:{joined})\b"),
        (false, false) => joined,
    })
}

async fn grep(call: &mut Call) -> ExitResult {
    let mut given = options(
        call,
        "(line-buffered)(color)ZzEFHIab(byte-offset)h(no-filename)ino(only-matching)rRsvwc(count)L(files-without-match)l(files-with-matches)q(quiet)(silent)e:f:C#B#A#m#xS(exclude):M(include):[!wx][!EF]",
    )?;
    let pattern = pattern(call, &mut given)?;
    let regex =
        compile(&pattern, given.has('i')).map_err(|_| format!("bad regex '{pattern}': out of memory"))?;
    let recursive = given.has('r') || given.has('R');
    let mut operands = given.operands.clone();
    if recursive {
        let roots = if operands.is_empty() { vec![".".to_owned()] } else { operands };
        operands = roots.iter().flat_map(|root| files_below(call, root)).collect();
        let fits = |letter: char, file: &str| {
            given.values(letter).any(|glob| Pattern(glob.to_owned()).fits(base(file)) == Ok(true))
        };
        operands.retain(|file| !fits('S', file) && (!given.has('M') || fits('M', file)));
    }
    let many = (operands.len() > 1 || recursive || given.has('H')) && !given.has('h');
    let silent = call.clone();
    if given.has('s') {
        call.stderr = Output::null();
    }
    // A folder is named and holds nothing.
    let (mut open, mut failed) = (Vec::new(), false);
    for word in operands.iter().map(String::as_str).chain((operands.is_empty() && !recursive).then_some("-"))
    {
        match call.open(word) {
            Ok(input) => open.push((if word == "-" { "(standard input)" } else { word }.to_owned(), input)),
            Err(error) => {
                failed |= error != Errno::IsDirectory;
                call.complain(format!("{word}: {error}")).await;
            }
        }
    }
    call.stderr = silent.stderr;
    let mut any = false;
    for (file, input) in open {
        let label = if many { file.as_str() } else { "" };
        let count = grep_one(call, &regex, &input, GrepOutput::new(&given, label)).await?;
        any |= count > 0;
        if given.has('q') && any {
            return Ok(0);
        }
        let end = if given.has('Z') { '\0' } else { '\n' };
        if given.has('l') && count > 0 || given.has('L') && count == 0 {
            call.out(format!("{file}{end}")).await?;
        } else if given.has('c') {
            let mark = if many { ":" } else { "" };
            call.out(format!("{label}{mark}{count}\n")).await?;
        }
    }
    Ok(if failed { 2 } else { u8::from(!any) })
}

/// What is shown of one file, and what was shown so far.
struct GrepOutput<'a> {
    given: &'a Options,
    label: &'a str,
    /// What ends a line.
    end: u8,
    /// Where in its file the line begins.
    offset: u64,
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
        let wanted = |letter| given.value(letter).and_then(size).filter(|lines| *lines > 0);
        let lines = |letter| wanted(letter).or(wanted('C')).unwrap_or(0);
        Self {
            given,
            label,
            end: if given.has('z') { 0 } else { b'\n' },
            offset: 0,
            around: (lines('B'), lines('A')),
            before: VecDeque::new(),
            held: 0,
            after: 0,
            last: None,
        }
    }

    /// The prefix of a line; the mark tells lines that fit from their neighbours.
    fn place(&self, number: u64, mark: char) -> String {
        let mut place = if self.label.is_empty() { String::new() } else { format!("{}{mark}", self.label) };
        if self.given.has('n') {
            place.push_str(&format!("{number}{mark}"));
        }
        if self.given.has('b') {
            place.push_str(&format!("{}{mark}", self.offset));
        }
        place
    }

    fn line(&mut self, number: u64, mark: char, text: &[u8]) -> Vec<u8> {
        self.last = Some(number);
        [self.place(number, mark).as_bytes(), text, &[self.end]].concat()
    }

    /// Keeps a line that does not fit for the next that does, or shows it.
    fn neighbour(&mut self, number: u64, line: &Bytes) -> Vec<u8> {
        if self.after > 0 {
            self.after -= 1;
            let text = self.without_end(line).to_owned();
            return self.line(number, '-', &text);
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
            let text = self.without_end(&line).to_owned();
            output.extend(self.line(number, '-', &text));
        }
        self.held = 0;
        self.after = self.around.1;
        output
    }

    fn without_end<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        line.strip_suffix(&[self.end]).unwrap_or(line)
    }
}

async fn grep_one(
    call: &mut Call,
    regex: &Regex,
    input: &Input,
    mut shown: GrepOutput<'_>,
) -> Result<u64, OutputError> {
    let given = shown.given;
    let most = given.value('m').and_then(size).unwrap_or(u64::MAX).max(1);
    let silent = given.any("qlLc");
    let (mut count, mut number, mut start) = (0, 0u64, 0);
    while count < most
        && let Some(line) = input.read_until(shown.end).await
    {
        number += 1;
        shown.offset = start;
        start += line.len() as u64;
        let text = shown.without_end(&line);
        if regex.is_match(text) == given.has('v') {
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
        let mut output = shown.lead(number);
        if !given.has('o') {
            output.extend(shown.line(number, ':', text));
            call.stdout.write(output).await?;
            continue;
        }
        shown.last = Some(number);
        let line_start = shown.offset;
        for found in regex.find_iter(text).filter(|found| !found.is_empty()) {
            shown.offset = line_start + found.start() as u64;
            output.extend(shown.line(number, ':', found.as_bytes()));
            if output.len() > limits::CHUNK {
                call.stdout.write(std::mem::take(&mut output)).await?;
                tokio::task::consume_budget().await;
            }
        }
        call.stdout.write(output).await?;
    }
    input.spill().await;
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
