//! `sed`: the commands `s p d q = i a c` on the lines that an address selects.

mod script;

use super::options::{Mix, options};
use super::text::inputs;
use super::{BasicCommand, row};
use crate::call::Call;
use crate::limits;
use crate::machine::{ExitResult, Stop};
use crate::stream::{Input, Output, OutputError};
use bytes::Bytes;
use regex::bytes::Captures;
use script::{ReplacementPart, SedAddress, SedCommand, SedVerb, Substitution, read};

pub(super) const ROWS: &[BasicCommand] = &[row!("sed", "[-nErsi] [-e] SCRIPT [FILE...]", sed)];

async fn sed(call: &mut Call) -> ExitResult {
    let mut given = options(call, "nErsie:f:z", Mix::Anywhere)?;
    let mut script: Vec<String> = given.values('e').map(str::to_owned).collect();
    if script.is_empty() {
        if given.operands.is_empty() {
            return Err("no pattern".into());
        }
        script.push(given.operands.remove(0));
    }
    let is_extended = given.has('E') || given.has('r');
    let mut commands =
        read(&script.join("\n"), is_extended).map_err(|problem| format!("bad pattern '{problem}'"))?;
    let silent = given.has('n');
    if !given.has('i') {
        let (open, code) = inputs(call, &given.operands).await;
        let all: Vec<Input> = open.into_iter().map(|(_, input)| input).collect();
        let output = call.stdout.clone();
        Edit::new(&all, output, silent).run(&mut commands).await?;
        return Ok(code);
    }
    let mut code = 0;
    for word in &given.operands {
        let output = Output::collector(limits::MAX_HELD);
        match call.open(word) {
            Ok(input) => {
                match Edit::new(&[input], output.clone(), silent).run(&mut commands).await {
                    Err(Stop::Complaint(what, _)) => {
                        code = call.complain(what).await;
                        continue;
                    }
                    edited => edited?,
                }
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

/// What happens after a command.
enum SedNext {
    Onward,
    /// The line is done and not shown.
    Deleted,
    Quit,
}

/// One walk through all lines of all inputs.
struct Edit<'a> {
    files: std::slice::Iter<'a, Input>,
    current: Option<&'a Input>,
    /// One line is read ahead, to know which is the last.
    next: Option<Bytes>,
    number: u64,
    output: Output,
    silent: bool,
    text: Vec<u8>,
    /// Whether the line now in the text had an end.
    ended: bool,
    /// What comes after the line, from `a`.
    after: Vec<u8>,
}

impl<'a> Edit<'a> {
    fn new(inputs: &'a [Input], output: Output, silent: bool) -> Self {
        let mut files = inputs.iter();
        Self {
            current: files.next(),
            files,
            next: None,
            number: 0,
            output,
            silent,
            text: Vec::new(),
            ended: true,
            after: Vec::new(),
        }
    }

    async fn run(mut self, commands: &mut [SedCommand]) -> Result<(), Stop> {
        self.look_ahead().await;
        while let Some(line) = self.advance().await {
            self.text = line;
            match self.cycle(commands).await? {
                SedNext::Onward => self.show().await?,
                SedNext::Deleted => self.write_after().await?,
                SedNext::Quit => return self.show().await,
            }
        }
        Ok(())
    }

    /// Runs the commands on one line.
    async fn cycle(&mut self, commands: &mut [SedCommand]) -> Result<SedNext, Stop> {
        for command in commands {
            tokio::task::consume_budget().await;
            if !command.selects(&self.line()) {
                continue;
            }
            match &command.verb {
                SedVerb::Substitute(it) => {
                    if let Some(changed) = it.apply(&self.text).await? {
                        self.text = changed;
                        if it.print {
                            self.write_line(&self.text).await?;
                        }
                    }
                }
                SedVerb::Print => self.write_line(&self.text).await?,
                SedVerb::LineNumber => self.write_line(self.number.to_string().as_bytes()).await?,
                SedVerb::Insert(line) => self.write_line(line.as_bytes()).await?,
                SedVerb::Append(line) => self.after.extend_from_slice(format!("{line}\n").as_bytes()),
                SedVerb::Change(line) => {
                    self.write_line(line.as_bytes()).await?;
                    return Ok(SedNext::Deleted);
                }
                SedVerb::Delete => return Ok(SedNext::Deleted),
                SedVerb::Quit => return Ok(SedNext::Quit),
            }
        }
        Ok(SedNext::Onward)
    }

    fn line(&self) -> CurrentLine<'_> {
        CurrentLine { text: &self.text, number: self.number, last: self.next.is_none() }
    }

    async fn look_ahead(&mut self) {
        self.next = None;
        while let Some(input) = self.current {
            self.next = input.read_line().await;
            if self.next.is_some() {
                return;
            }
            self.current = self.files.next();
        }
    }

    /// The next line without its end.
    async fn advance(&mut self) -> Option<Vec<u8>> {
        let line = self.next.take()?;
        self.look_ahead().await;
        self.number += 1;
        self.ended = line.ends_with(b"\n");
        Some(line.strip_suffix(b"\n").unwrap_or(&line).to_vec())
    }

    async fn write_line(&self, line: &[u8]) -> Result<(), OutputError> {
        self.output.write([line, b"\n"].concat()).await
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
            let end: &[u8] = if self.ended || self.next.is_some() { b"\n" } else { b"" };
            self.output.write([self.text.as_slice(), end].concat()).await?;
        }
        self.write_after().await
    }
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
            if !self.all {
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
            Self::Line(number) => line.number == *number,
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
            (Some(_), Some(to)) if self.open => {
                let past = matches!(to, SedAddress::Line(number) if line.number >= *number);
                self.open = !(past || to.fits(line));
                !matches!(to, SedAddress::Line(number) if line.number > *number)
            }
            (Some(from), Some(to)) => {
                let begins = from.fits(line);
                self.open = begins && !matches!(to, SedAddress::Line(number) if line.number >= *number);
                begins
            }
        };
        selected != self.negated
    }
}
