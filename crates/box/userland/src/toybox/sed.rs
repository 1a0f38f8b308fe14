//! `sed`: edits the lines that an address selects.

mod script;

use super::options::options;
use super::text::inputs;
use super::{BasicCommand, row};
use crate::call::Call;
use crate::limits;
use crate::machine::{ExitResult, Stop};
use crate::stream::{Input, Output, OutputError};
use bytes::Bytes;
use regex::bytes::Captures;
use script::{ReplacementPart, SedAddress, SedCommand, SedVerb, Substitution, read};

pub(super) const ROWS: &[BasicCommand] =
    &[row!("sed", "[-inrszE] [-e SCRIPT]...|SCRIPT [-f SCRIPT_FILE]... [FILE...]", sed)];

async fn sed(call: &mut Call) -> ExitResult {
    let mut given = options(call, "e:f:i;nErz(null-data)s[+Er]")?;
    let mut script: Vec<String> = given.values('e').map(str::to_owned).collect();
    for file in given.values('f') {
        let path = call.path(file);
        let read = call.files(|files, actor| files.read(actor, &path));
        let text = read.map_err(|error| format!("{file}: {error}"))?;
        script.push(String::from_utf8_lossy(&text).into_owned());
    }
    if script.is_empty() {
        if given.operands.is_empty() {
            return Err("no pattern".into());
        }
        script.push(given.operands.remove(0));
    }
    let mut commands = read(&script.join("\n"), given.any("Er"))?;
    let edit = Edit::new(call, given.has('n'), if given.has('z') { 0 } else { b'\n' });
    if !given.any("is") {
        let (open, code) = inputs(call, &given.operands).await;
        let all: Vec<Input> = open.into_iter().map(|(_, input)| input).collect();
        let ended = edit.run(&mut commands, &all).await?;
        return Ok(code.max(ended));
    }
    let mut code = 0;
    for word in &given.operands {
        let input = match call.open(word) {
            Ok(input) => input,
            Err(error) => {
                code = call.complain(format!("{word}: {error}")).await;
                continue;
            }
        };
        let mut edit = edit.clone();
        if given.has('i') {
            edit.output = Output::collector(limits::MAX_HELD);
        }
        let edited = edit.output.clone();
        match edit.run(&mut commands, &[input]).await {
            Err(Stop::Complaint(what, _)) => {
                code = call.complain(what).await;
                continue;
            }
            ended => code = code.max(ended?),
        }
        let path = call.path(word);
        let backup =
            given.value('i').filter(|suffix| !suffix.is_empty()).map(|suffix| format!("{path}{suffix}"));
        let written = call.files(|files, actor| {
            if let Some(backup) = backup {
                let old = files.read(actor, &path)?;
                files.write(actor, &backup, old)?;
            }
            if given.has('i') { files.write(actor, &path, edited.collected()) } else { Ok(()) }
        });
        if let Err(error) = written {
            code = call.complain(format!("{word}: {error}")).await;
        }
    }
    Ok(code)
}

/// What happens after a command.
enum SedNext {
    Onward,
    /// The line is done and not shown.
    Deleted,
    /// The same, and what is left of it is edited again.
    Again,
    Quit(u8),
}

/// One walk through all lines of all inputs.
#[derive(Clone)]
struct Edit {
    /// The inputs, the current one last.
    inputs: Vec<Input>,
    /// One line is read ahead, to know which is the last.
    next: Option<Bytes>,
    number: u64,
    output: Output,
    silent: bool,
    /// What ends a line.
    end: u8,
    text: Vec<u8>,
    held: Vec<u8>,
    /// Whether the line now in the text had an end.
    ended: bool,
    /// Whether something was replaced since the line came.
    replaced: bool,
    /// What comes after the line, from `a`.
    after: Vec<u8>,
}

impl Edit {
    fn new(call: &Call, silent: bool, end: u8) -> Self {
        Self {
            inputs: Vec::new(),
            next: None,
            number: 0,
            output: call.stdout.clone(),
            silent,
            end,
            text: Vec::new(),
            held: Vec::new(),
            ended: true,
            replaced: false,
            after: Vec::new(),
        }
    }

    async fn run(mut self, commands: &mut [SedCommand], inputs: &[Input]) -> Result<u8, Stop> {
        self.inputs = inputs.iter().rev().cloned().collect();
        self.look_ahead().await;
        let mut again = false;
        while again || self.advance(false).await? {
            self.replaced &= again;
            again = false;
            match self.cycle(commands).await? {
                SedNext::Onward => self.show().await?,
                SedNext::Deleted => self.write_after().await?,
                SedNext::Again => {
                    self.write_after().await?;
                    again = true;
                }
                SedNext::Quit(code) => {
                    self.show().await?;
                    if let Some(input) = self.inputs.last() {
                        input.spill().await;
                    }
                    return Ok(code);
                }
            }
        }
        Ok(0)
    }

    /// Runs the commands on one line.
    async fn cycle(&mut self, commands: &mut [SedCommand]) -> Result<SedNext, Stop> {
        let mut at = 0;
        while let Some(command) = commands.get_mut(at) {
            tokio::task::consume_budget().await;
            at += 1;
            if !command.selects(&self.line()) {
                if let SedVerb::Block(end) = command.verb {
                    at = end;
                }
                continue;
            }
            let first = self.text.iter().position(|byte| *byte == b'\n');
            match &command.verb {
                SedVerb::Substitute(it) => {
                    let Some(changed) = it.apply(&self.text).await? else {
                        continue;
                    };
                    (self.text, self.replaced) = (changed, true);
                    if it.print {
                        self.write_line(&self.text).await?;
                    }
                }
                SedVerb::Print => self.write_line(&self.text).await?,
                SedVerb::PrintFirst => {
                    self.write_line(&self.text[..first.unwrap_or(self.text.len())]).await?;
                }
                SedVerb::List => self.write_line(&listed(&self.text)).await?,
                SedVerb::LineNumber => self.write_line(self.number.to_string().as_bytes()).await?,
                SedVerb::Insert(line) => self.write_line(line.as_bytes()).await?,
                SedVerb::Append(line) if line.is_empty() => {}
                SedVerb::Append(line) => self.after.extend_from_slice(format!("{line}\n").as_bytes()),
                SedVerb::Change(line) => {
                    if command.open.is_none() || command.negated {
                        self.write_line(line.as_bytes()).await?;
                    }
                    return Ok(SedNext::Deleted);
                }
                SedVerb::DeleteFirst if first.is_some() => {
                    self.text.drain(..=first.unwrap_or(0));
                    return Ok(SedNext::Again);
                }
                SedVerb::Delete | SedVerb::DeleteFirst => return Ok(SedNext::Deleted),
                SedVerb::Quit(code) => return Ok(SedNext::Quit(*code)),
                SedVerb::Next | SedVerb::NextToo => {
                    if self.next.is_none() {
                        return Ok(SedNext::Onward);
                    }
                    let joins = matches!(command.verb, SedVerb::NextToo);
                    if !joins {
                        self.show().await?;
                    }
                    self.advance(joins).await?;
                }
                SedVerb::Hold(behind) => join(&mut self.held, &self.text, *behind)?,
                SedVerb::Get(behind) => join(&mut self.text, &self.held, *behind)?,
                SedVerb::Exchange => std::mem::swap(&mut self.text, &mut self.held),
                SedVerb::Translate(from, to) => {
                    self.text = translated(&self.text, from, to);
                }
                SedVerb::Branch(letter, to) => {
                    let goes = *letter == 'b' || self.replaced == (*letter == 't');
                    self.replaced &= *letter == 'b';
                    at = if goes { *to } else { at };
                }
                SedVerb::Block(_) | SedVerb::Nothing => {}
            }
        }
        Ok(SedNext::Onward)
    }

    fn line(&self) -> CurrentLine<'_> {
        CurrentLine { text: &self.text, number: self.number, last: self.next.is_none() }
    }

    async fn look_ahead(&mut self) {
        self.next = None;
        while let Some(input) = self.inputs.last() {
            self.next = input.read_until(self.end).await;
            if self.next.is_some() {
                return;
            }
            self.inputs.pop();
        }
    }

    /// Takes the next line, without its end; whether there was one.
    async fn advance(&mut self, joins: bool) -> Result<bool, Stop> {
        let Some(line) = self.next.take() else {
            return Ok(false);
        };
        self.look_ahead().await;
        self.number += 1;
        self.ended = line.ends_with(&[self.end]);
        join(&mut self.text, line.strip_suffix(&[self.end]).unwrap_or(&line), joins)?;
        Ok(true)
    }

    async fn write_line(&self, line: &[u8]) -> Result<(), OutputError> {
        self.output.write([line, &[self.end]].concat()).await
    }

    async fn write_after(&mut self) -> Result<(), Stop> {
        if !self.after.is_empty() {
            self.output.write(std::mem::take(&mut self.after)).await?;
        }
        Ok(())
    }

    /// Shows the line and what comes after it.
    async fn show(&mut self) -> Result<(), Stop> {
        if !self.silent {
            let has_end = self.ended || self.next.is_some() || !self.after.is_empty();
            let end: &[u8] = if has_end { &[self.end] } else { b"" };
            self.output.write([self.text.as_slice(), end].concat()).await?;
        }
        self.write_after().await
    }
}

/// Puts a text in the place of another, or behind it on a line of its own.
fn join(text: &mut Vec<u8>, more: &[u8], behind: bool) -> Result<(), Stop> {
    if !behind {
        text.clear();
    } else if text.len() + more.len() > limits::MAX_SPACE {
        return Err("line too long".into());
    } else {
        text.push(b'\n');
    }
    text.extend_from_slice(more);
    Ok(())
}

/// A text with letters in the place of others.
fn translated(text: &[u8], from: &[char], to: &[char]) -> Vec<u8> {
    let with = |next| from.iter().position(|it| *it == next).and_then(|at| to.get(at).copied());
    let text = String::from_utf8_lossy(text);
    text.chars().map(|next| with(next).unwrap_or(next)).collect::<String>().into_bytes()
}

/// A line as `l` shows it: what cannot be seen as escapes, and its end.
fn listed(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let shown = text.chars().map(|next| match next {
        '\\' => "\\\\".to_owned(),
        next => match "\x07\x08\x0c\n\r\t\x0b".find(next) {
            Some(at) => format!("\\{}", &"abfnrtv"[at..=at]),
            None if next.is_control() => format!("\\{:03o}", u32::from(next)),
            None => next.to_string(),
        },
    });
    shown.chain(["$".to_owned()]).collect::<String>().into_bytes()
}

/// The line that an address is compared with.
struct CurrentLine<'a> {
    text: &'a [u8],
    number: u64,
    last: bool,
}

impl Substitution {
    /// The changed text; none where nothing fits.
    async fn apply(&self, text: &[u8]) -> Result<Option<Vec<u8>>, Stop> {
        let (mut changed, mut end, mut count) = (Vec::new(), 0, 0);
        for found in self.regex.captures_iter(text) {
            tokio::task::consume_budget().await;
            count += 1;
            let Some(whole) = found.get(0).filter(|_| count >= self.nth) else {
                continue;
            };
            changed.extend_from_slice(&text[end..whole.start()]);
            for piece in &self.with {
                changed.extend_from_slice(replacement(piece, &found));
                // A script that doubles a line again and again must not fill the memory.
                if changed.len() > limits::MAX_SPACE {
                    return Err("line too long".into());
                }
            }
            end = whole.end();
            if !self.all || self.nth > 1 {
                break;
            }
        }
        if count < self.nth {
            return Ok(None);
        }
        changed.extend_from_slice(&text[end..]);
        Ok(Some(changed))
    }
}

fn replacement<'a>(piece: &'a ReplacementPart, found: &Captures<'a>) -> &'a [u8] {
    match piece {
        ReplacementPart::Text(text) => text,
        ReplacementPart::Group(number) => found.get(*number).map_or(&[], |group| group.as_bytes()),
    }
}

impl SedAddress {
    fn fits(&self, line: &CurrentLine<'_>) -> bool {
        match self {
            Self::Line(number) => line.number == (*number).max(1),
            Self::After(_) => false,
            Self::Last => line.last,
            Self::Fits(regex) => regex.is_match(line.text),
        }
    }
}

impl SedCommand {
    fn selects(&mut self, line: &CurrentLine<'_>) -> bool {
        let selected = match (&self.from, &self.to) {
            (None, _) => true,
            (Some(from), None) => from.fits(line),
            (Some(from), Some(to)) => {
                let open = self.open;
                let begins = open.is_none() && from.fits(line);
                let start = open.unwrap_or(line.number);
                let past = match to {
                    SedAddress::Line(number) => line.number >= *number,
                    // The line that ends such a range is behind it.
                    SedAddress::After(more) => line.number > start + more,
                    SedAddress::Last => line.last,
                    SedAddress::Fits(_) => !begins && to.fits(line),
                };
                let beyond = open.is_some()
                    && match to {
                        SedAddress::Line(number) => line.number > *number,
                        SedAddress::After(_) => past,
                        SedAddress::Last | SedAddress::Fits(_) => false,
                    };
                self.open = ((open.is_some() || begins) && !past).then_some(start);
                (open.is_some() && !beyond) || begins
            }
        };
        selected != self.negated
    }
}
