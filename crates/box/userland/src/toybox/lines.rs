//! Commands that order lines: `sort`, `uniq`.

use super::options::{Mix, Options, options};
use super::text::inputs;
use super::{BasicCommand, row};
use crate::call::Call;
use crate::limits;
use crate::machine::ExitResult;
use crate::stream::{Input, OutputError};
use std::borrow::Cow;
use std::cmp::Ordering;

pub(super) const ROWS: &[BasicCommand] =
    &[row!("sort", "[-rnuf] [-k FIELD] [-t SEPARATOR] [FILE...]", sort), row!("uniq", "[-cdu] [FILE]", uniq)];

/// Lines that are sorted at once, before the runtime has its turn.
const RUN: usize = 256;

/// Adds all of an input to what is held already, unless that is too much.
async fn hold(input: &Input, held: &mut Vec<u8>, lines: &mut usize) -> Result<(), String> {
    while let Some(piece) = input.read().await {
        *lines += piece.iter().filter(|byte| **byte == b'\n').count();
        if *lines > limits::MAX_HELD_LINES {
            return Err(format!("input has more than {} lines", limits::MAX_HELD_LINES));
        }
        if held.len() + piece.len() > limits::MAX_HELD {
            return Err(format!("input has more than {} bytes", limits::MAX_HELD));
        }
        held.extend_from_slice(&piece);
    }
    Ok(())
}

/// How `sort` compares.
struct Sorting<'a> {
    given: &'a Options,
    field: Option<usize>,
    numeric: bool,
}

impl<'a> Sorting<'a> {
    fn new(given: &'a Options) -> Self {
        let key = given.value('k').unwrap_or_default();
        let digits = key.bytes().take_while(u8::is_ascii_digit).count();
        Self {
            given,
            field: key[..digits].parse().ok(),
            numeric: given.has('n') || given.has('g') || key.contains('n'),
        }
    }

    fn key<'l>(&self, line: &'l str) -> Cow<'l, str> {
        let picked = match (self.field, self.given.value('t')) {
            (None, _) => Cow::Borrowed(line),
            (Some(field), Some(separator)) if !separator.is_empty() => {
                let at = field.saturating_sub(1);
                Cow::Owned(line.split(separator).skip(at).collect::<Vec<_>>().join(separator))
            }
            (Some(field), _) => {
                let at = field.saturating_sub(1);
                Cow::Owned(line.split_whitespace().skip(at).collect::<Vec<_>>().join(" "))
            }
        };
        if self.given.has('f') { Cow::Owned(picked.to_uppercase()) } else { picked }
    }

    fn by_key(&self, one: &str, two: &str) -> Ordering {
        let (first, second) = (self.key(one), self.key(two));
        if self.numeric { leading(&first).total_cmp(&leading(&second)) } else { first.cmp(&second) }
    }

    fn order(&self, one: &str, two: &str) -> Ordering {
        let order = self.by_key(one, two).then_with(|| one.cmp(two));
        if self.given.has('r') { order.reverse() } else { order }
    }

    /// Sorts short runs and merges them, because one sort of millions of lines
    /// would keep the runtime from everything else.
    async fn sort<'l>(&self, mut lines: Vec<&'l str>) -> Vec<&'l str> {
        for run in lines.chunks_mut(RUN) {
            run.sort_by(|one, two| self.order(one, two));
            tokio::task::consume_budget().await;
        }
        let mut width = RUN;
        while width < lines.len() {
            let mut merged = Vec::with_capacity(lines.len());
            for pair in lines.chunks(2 * width) {
                let (mut left, mut right) = pair.split_at(width.min(pair.len()));
                while let ([first, one @ ..], [second, two @ ..]) = (left, right) {
                    if self.order(first, second).is_le() {
                        merged.push(*first);
                        left = one;
                    } else {
                        merged.push(*second);
                        right = two;
                    }
                    if merged.len() % RUN == 0 {
                        tokio::task::consume_budget().await;
                    }
                }
                merged.extend_from_slice(left);
                merged.extend_from_slice(right);
            }
            lines = merged;
            width *= 2;
        }
        lines
    }
}

async fn sort(call: &mut Call) -> ExitResult {
    let given = options(call, "rnufbgk:t:o:", Mix::Anywhere)?;
    let (open, code) = inputs(call, &given.operands).await;
    let (mut held, mut count) = (Vec::new(), 0);
    for (_, input) in open {
        hold(&input, &mut held, &mut count).await?;
        // The last line of one file is not the beginning of the next.
        if held.last().is_some_and(|byte| *byte != b'\n') {
            held.push(b'\n');
        }
    }
    let text = String::from_utf8_lossy(&held);
    let sorting = Sorting::new(&given);
    let mut lines = sorting.sort(text.lines().collect()).await;
    if given.has('u') {
        lines.dedup_by(|one, two| sorting.by_key(one, two).is_eq());
    }
    write_all(call, lines.iter().flat_map(|line| [line.as_bytes(), b"\n"])).await?;
    Ok(code)
}

/// Writes many short texts, a chunk at a time.
async fn write_all<'a>(call: &Call, texts: impl Iterator<Item = &'a [u8]>) -> Result<(), OutputError> {
    let mut chunk = Vec::new();
    for text in texts {
        chunk.extend_from_slice(text);
        if chunk.len() >= limits::CHUNK {
            call.stdout.write(std::mem::take(&mut chunk)).await?;
            tokio::task::consume_budget().await;
        }
    }
    call.stdout.write(chunk).await
}

/// The number a line begins with, or zero.
fn leading(text: &str) -> f64 {
    let text = text.trim_start();
    let end = text
        .char_indices()
        .take_while(|(at, next)| next.is_ascii_digit() || *next == '.' || (*at == 0 && *next == '-'));
    let length = end.last().map_or(0, |(at, _)| at + 1);
    text[..length].parse().unwrap_or(0.0)
}

async fn uniq(call: &mut Call) -> ExitResult {
    let given = options(call, "cdui", Mix::Anywhere)?;
    let operands: Vec<String> = given.operands.iter().take(1).cloned().collect();
    let (open, code) = inputs(call, &operands).await;
    let mut run: Option<(String, u64)> = None;
    for (_, input) in open {
        loop {
            let line = input
                .read_line()
                .await
                .map(|line| String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned());
            match (&mut run, line) {
                (Some((last, count)), Some(line)) if *last == line => *count += 1,
                (_, line) => {
                    let ended = line.is_none();
                    if let Some((last, count)) = std::mem::replace(&mut run, line.map(|line| (line, 1)))
                        && (count > 1 || !given.has('d'))
                        && (count == 1 || !given.has('u'))
                    {
                        let label = if given.has('c') { format!("{count:>7} ") } else { String::new() };
                        call.out(format!("{label}{last}\n")).await?;
                    }
                    if ended {
                        break;
                    }
                }
            }
        }
    }
    Ok(code)
}
