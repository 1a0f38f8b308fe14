//! Commands that order and compare lines: `sort`, `uniq`, `comm`, `cmp`.

use super::options::{Options, options};
use super::text::inputs;
use super::{BasicCommand, row};
use crate::call::{Call, Write};
use crate::machine::ExitResult;
use crate::stream::{Input, Output, OutputError};
use crate::{Errno, limits};
use std::cmp::Ordering;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("sort", "[-runbCcdfigMsVxz] [-kKEY[,KEY]...] [-o FILE] [-t CHAR] [FILE...]", sort),
    row!("uniq", "[-cduiz] [-w MAXCHARS] [-f FIELDS] [-s CHAR] [INFILE [OUTFILE]]", uniq),
    row!("comm", "[-123] FILE1 FILE2", comm),
    row!("cmp", "[-ls] [-n LEN] FILE1 [FILE2]", cmp),
];

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

/// A place in a line: a field, a character in it, and letters.
fn position(text: &str) -> Result<(usize, usize, String), String> {
    let letters = text.trim_start_matches(|next: char| next.is_ascii_digit() || next == '.');
    let numbers = &text[..text.len() - letters.len()];
    let (field, character) = numbers.split_once('.').unwrap_or((numbers, "0"));
    let wrong = |_| format!("bad -k '{text}'");
    Ok((field.parse().map_err(wrong)?, character.parse().map_err(wrong)?, letters.to_owned()))
}

/// What of a line is compared, and how.
struct SortKey {
    from: (usize, usize),
    to: Option<(usize, usize)>,
    letters: String,
}

impl SortKey {
    fn read(text: &str, usual: &str) -> Result<Self, String> {
        let (from, to) = text.split_once(',').map_or((text, None), |(from, to)| (from, Some(to)));
        let (field, character, mut letters) = position(from)?;
        let to = to.map(position).transpose()?;
        letters.push_str(to.as_ref().map_or("", |to| &to.2));
        if letters.is_empty() {
            usual.clone_into(&mut letters);
        }
        Ok(Self { from: (field, character), to: to.map(|to| (to.0, to.1)), letters })
    }

    /// The part of a line from one place to the other.
    fn part<'l>(&self, line: &'l str, separator: Option<&str>) -> &'l str {
        let from = place(line, separator, self.from.0.saturating_sub(1), self.from.1.saturating_sub(1));
        let to = match self.to {
            None => line.len(),
            Some((field, 0)) => field_end(line, separator, field),
            Some((field, character)) => place(line, separator, field.saturating_sub(1), character),
        };
        let part = line.get(from..to.max(from)).unwrap_or("");
        if self.letters.contains('b') { part.trim_start() } else { part }
    }

    fn compare(&self, one: &str, two: &str) -> Ordering {
        let has = |letter| self.letters.contains(letter);
        let order = if has('n') || has('g') {
            leading(one).total_cmp(&leading(two))
        } else {
            let kept = |next: &char| !has('d') || next.is_alphanumeric() || next.is_whitespace();
            let folded = |next: char| if has('f') { next.to_ascii_uppercase() } else { next };
            one.chars().filter(kept).map(folded).cmp(two.chars().filter(kept).map(folded))
        };
        if has('r') { order.reverse() } else { order }
    }
}

/// Where so many fields of a line end. Without a separator, blanks belong to the field behind them.
fn field_end(line: &str, separator: Option<&str>, fields: usize) -> usize {
    let mut end = 0;
    for field in 0..fields {
        let rest = &line[end..];
        end += match separator {
            Some(separator) => {
                let start = if field > 0 { separator.len() } else { 0 };
                rest[start.min(rest.len())..].find(separator).map_or(rest.len(), |at| start + at)
            }
            None => {
                let blanks = rest.len() - rest.trim_start().len();
                rest[blanks..].find(char::is_whitespace).map_or(rest.len(), |at| blanks + at)
            }
        };
    }
    end
}

/// The place of a character in the field behind so many others.
fn place(line: &str, separator: Option<&str>, fields: usize, character: usize) -> usize {
    let end = field_end(line, separator, fields);
    let skipped = separator.filter(|_| fields > 0 && end < line.len()).map_or(0, str::len);
    line[end + skipped..].char_indices().nth(character).map_or(line.len(), |(at, _)| end + skipped + at)
}

/// How `sort` compares.
struct Sorting<'a> {
    keys: Vec<SortKey>,
    separator: Option<&'a str>,
    stable: bool,
    reverse: bool,
}

impl<'a> Sorting<'a> {
    fn new(given: &'a Options) -> Result<Self, String> {
        let usual: String = "nrgfbdi".chars().filter(|letter| given.has(*letter)).collect();
        let mut keys: Vec<SortKey> =
            given.values('k').map(|key| SortKey::read(key, &usual)).collect::<Result<_, _>>()?;
        if keys.is_empty() {
            keys.push(SortKey { from: (1, 1), to: None, letters: usual });
        }
        let separator = given.value('t').filter(|separator| !separator.is_empty());
        Ok(Self { keys, separator, stable: given.any("su"), reverse: given.has('r') })
    }

    fn by_key(&self, one: &str, two: &str) -> Ordering {
        let order = |key: &SortKey| key.compare(key.part(one, self.separator), key.part(two, self.separator));
        self.keys.iter().map(order).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn order(&self, one: &str, two: &str) -> Ordering {
        let last = if self.stable { Ordering::Equal } else { one.cmp(two) };
        self.by_key(one, two).then(if self.reverse { last.reverse() } else { last })
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
    let given = options(call, "gS:T:mo:k:t:xVbMCcszdfirun")?;
    let end = if given.has('z') { '\0' } else { '\n' };
    let sorting = Sorting::new(&given)?;
    let (mut held, mut count, mut code) = (Vec::new(), 0, 0);
    let operands = if given.operands.is_empty() { vec!["-".to_owned()] } else { given.operands.clone() };
    for word in &operands {
        let input = match call.open(word) {
            Ok(input) => input,
            Err(error) => {
                call.complain(format!("{word}: {error}")).await;
                code = 2;
                continue;
            }
        };
        hold(&input, &mut held, &mut count).await?;
        // The last line of one file is not the beginning of the next.
        if held.last().is_some_and(|byte| *byte != end as u8) {
            held.push(end as u8);
        }
    }
    let text = String::from_utf8_lossy(&held);
    let lines: Vec<&str> = text.split_terminator(end).collect();
    if given.any("cC") {
        let wrong = lines.windows(2).position(|pair| {
            let order = sorting.order(pair[0], pair[1]);
            order.is_gt() || given.has('u') && order.is_eq()
        });
        if let Some(at) = wrong.filter(|_| given.has('c')) {
            let file = operands.first().map_or("-", String::as_str);
            call.complain(format!("{file}: Check line {}", at + 2)).await;
        }
        return Ok(u8::from(wrong.is_some()));
    }
    let mut lines = sorting.sort(lines).await;
    if given.has('u') {
        lines.dedup_by(|one, two| sorting.by_key(one, two).is_eq());
    }
    let output = match given.value('o') {
        Some(file) => call.create(file, Write::Truncate).map_err(|error| format!("{file}: {error}"))?,
        None => call.stdout.clone(),
    };
    let end = [end as u8];
    write_all(&output, lines.iter().flat_map(|line| [line.as_bytes(), &end])).await?;
    Ok(code)
}

/// Writes many short texts, a chunk at a time.
async fn write_all<'a>(output: &Output, texts: impl Iterator<Item = &'a [u8]>) -> Result<(), OutputError> {
    let mut chunk = Vec::new();
    for text in texts {
        chunk.extend_from_slice(text);
        if chunk.len() >= limits::CHUNK {
            output.write(std::mem::take(&mut chunk)).await?;
            tokio::task::consume_budget().await;
        }
    }
    output.write(chunk).await
}

/// The number a line begins with, or zero.
fn leading(text: &str) -> f64 {
    let text = text.trim_start();
    let known =
        |at: usize, next: char| next.is_ascii_digit() || next == '.' || (at == 0 && "+-".contains(next));
    let end = text.char_indices().find(|(at, next)| !known(*at, *next)).map_or(text.len(), |(at, _)| at);
    text[..end].parse().unwrap_or(0.0)
}

async fn uniq(call: &mut Call) -> ExitResult {
    let given = options(call, ">2f#<0s#<0w#<0zicdu")?;
    let end = if given.has('z') { 0 } else { b'\n' };
    let number =
        |letter, none| given.number(letter).and_then(|count| usize::try_from(count).ok()).unwrap_or(none);
    let (fields, skipped, width) = (number('f', 0), number('s', 0), number('w', usize::MAX));
    let compared = |line: &[u8]| -> Vec<u8> {
        let text = String::from_utf8_lossy(line).into_owned();
        let rest: String = text[field_end(&text, None, fields)..].chars().skip(skipped).take(width).collect();
        if given.has('i') { rest.to_ascii_lowercase().into() } else { rest.into() }
    };
    let input = given.operands.first().map_or("-", String::as_str);
    let input = call.open(input).map_err(|error| format!("No file {input}: {error}"))?;
    let output = match given.operands.get(1) {
        Some(file) => call.create(file, Write::Truncate).map_err(|error| format!("{file}: {error}"))?,
        None => call.stdout.clone(),
    };
    let mut run: Option<(bytes::Bytes, u64)> = None;
    loop {
        let line = input.read_until(end).await;
        match (&mut run, line) {
            (Some((last, count)), Some(line)) if compared(last) == compared(&line) => *count += 1,
            (_, line) => {
                let ended = line.is_none();
                if let Some((last, count)) = std::mem::replace(&mut run, line.map(|line| (line, 1)))
                    && (count > 1 || !given.has('d'))
                    && (count == 1 || !given.has('u'))
                {
                    let label = if given.has('c') { format!("{count:>7} ") } else { String::new() };
                    output.write([label.as_bytes(), &last].concat()).await?;
                }
                if ended {
                    return Ok(0);
                }
            }
        }
    }
}

/// The lines that only the first, only the second, and both files have, in columns.
async fn comm(call: &mut Call) -> ExitResult {
    let given = options(call, "<2>2321")?;
    let (open, code) = inputs(call, &given.operands).await;
    let [(_, first), (_, second)] = &open[..] else {
        return Ok(code);
    };
    let (mut one, mut two) = (first.read_line().await, second.read_line().await);
    while one.is_some() || two.is_some() {
        let order = match (&one, &two) {
            (Some(one), Some(two)) => one.cmp(two),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let (column, letter) = match order {
            Ordering::Less => (0, '1'),
            Ordering::Greater => (1, '2'),
            Ordering::Equal => (2, '3'),
        };
        let hidden = ['1', '2'].iter().take(column).filter(|letter| given.has(**letter)).count();
        let line = if order.is_le() { one.as_ref() } else { two.as_ref() };
        if let Some(line) = line.filter(|_| !given.has(letter)) {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            call.out([&b"\t\t"[..column - hidden], text, b"\n"].concat()).await?;
        }
        if order.is_le() {
            one = first.read_line().await;
        }
        if order.is_ge() {
            two = second.read_line().await;
        }
    }
    Ok(code)
}

async fn cmp(call: &mut Call) -> ExitResult {
    let given = options(call, "<1>2ls(silent)(quiet)n#<1[!ls]")?;
    let names = [given.operands[0].clone(), given.operands.get(1).cloned().unwrap_or("-".to_owned())];
    let mut texts = Vec::new();
    for name in &names {
        texts.push(match call.open(name) {
            Ok(input) => input.read_all().await,
            Err(Errno::IsDirectory) => Vec::new(),
            Err(error) => return Err(format!("{name}: {error}").into()),
        });
    }
    let most = given.number('n').and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
    let [one, two] = [0, 1].map(|at| &texts[at][..texts[at].len().min(most)]);
    let (mut line, mut differs) = (1, false);
    for (at, (left, right)) in one.iter().zip(two).enumerate() {
        if left != right {
            differs = true;
            if given.has('l') {
                call.out(format!("{} {left:o} {right:o}\n", at + 1)).await?;
                continue;
            }
            if !given.has('s') {
                let [one, two] = &names;
                call.out(format!("{one} {two} differ: char {}, line {line}\n", at + 1)).await?;
            }
            return Ok(1);
        }
        line += u64::from(*left == b'\n');
    }
    if one.len() != two.len() && !given.has('s') {
        let (name, length) =
            if one.len() < two.len() { (&names[0], one.len()) } else { (&names[1], two.len()) };
        let line = if given.has('l') { String::new() } else { format!(", line {}", line - 1) };
        call.complain(format!("EOF on {name} after byte {length}{line}")).await;
    }
    Ok(u8::from(differs || one.len() != two.len()))
}
