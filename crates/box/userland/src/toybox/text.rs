//! Commands that pass text on: `cat`, `head`, `tail`, `wc`, `tee`, `cut`, `tr`.

use super::options::{Mix, Options, options, size};
use super::{BasicCommand, row};
use crate::call::{Call, Write};
use crate::machine::ExitResult;
use crate::stream::Input;
use bytes::Bytes;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("cat", "[-uvet] [FILE...]", cat),
    row!("head", "[-n NUMBER] [-c BYTES] [FILE...]", head),
    row!("tail", "[-n [+]NUMBER] [-c [+]BYTES] [FILE...]", tail),
    row!("wc", "[-lwcm] [FILE...]", wc),
    row!("tee", "[-a] [FILE...]", tee),
    row!("cut", "[-s] [-d DELIMITER] -f FIELDS | -c CHARACTERS [FILE...]", cut),
    row!("tr", "[-ds] SET1 [SET2]", tr),
];

/// Every operand as an open input; one that does not open is reported and fails the command.
pub(super) async fn inputs(call: &mut Call, operands: &[String]) -> (Vec<(String, Input)>, u8) {
    if operands.is_empty() {
        return (vec![("-".to_owned(), call.stdin.clone())], 0);
    }
    let (mut open, mut code) = (Vec::new(), 0);
    for word in operands {
        match call.open(word) {
            Ok(input) => open.push((word.clone(), input)),
            Err(error) => code = call.complain(format!("{word}: {error}")).await,
        }
    }
    (open, code)
}

async fn cat(call: &mut Call) -> ExitResult {
    let given = options(call, "uvetnbs", Mix::Anywhere)?;
    let operands = if given.operands.is_empty() { vec!["-".to_owned()] } else { given.operands };
    let mut code = 0;
    // One after another, so that a complaint comes where the file would.
    for word in operands {
        match call.open(&word) {
            Ok(input) => {
                while let Some(piece) = input.read().await {
                    call.stdout.write(piece).await?;
                    tokio::task::consume_budget().await;
                }
            }
            Err(error) => code = call.complain(format!("{word}: {error}")).await,
        }
    }
    Ok(code)
}

/// `head -5` and `tail -5` mean `-n 5`.
fn old_count(call: &mut Call) {
    if let Some(word) = call.args.get_mut(1)
        && let Some(digits) = word.strip_prefix('-')
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        *word = format!("-n{digits}");
    }
}

async fn head(call: &mut Call) -> ExitResult {
    old_count(call);
    let given = options(call, "n:c:qv", Mix::Anywhere)?;
    let bytes = given.value('c').is_some();
    let text = given.value('c').or(given.value('n')).unwrap_or("10");
    let count = size(text).ok_or("bad count")?;
    let (open, code) = inputs(call, &given.operands).await;
    let many = open.len() > 1 && !given.has('q');
    for (at, (name, input)) in open.iter().enumerate() {
        if many {
            let gap = if at > 0 { "\n" } else { "" };
            call.out(format!("{gap}==> {name} <==\n")).await?;
        }
        let mut left = count;
        while left > 0 {
            let piece = if bytes { input.read().await } else { input.read_line().await };
            let Some(mut piece) = piece else { break };
            if bytes {
                let taken = piece.split_to(piece.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
                left -= taken.len() as u64;
                input.put_back(piece).await;
                call.stdout.write(taken).await?;
            } else {
                left -= 1;
                call.stdout.write(piece).await?;
            }
        }
    }
    Ok(code)
}

async fn tail(call: &mut Call) -> ExitResult {
    old_count(call);
    let given = options(call, "n:c:fq", Mix::Anywhere)?;
    let is_bytes = given.value('c').is_some();
    let text = given.value('c').or(given.value('n')).unwrap_or("10");
    let from_start = text.starts_with('+');
    let count = size(text.trim_start_matches(['+', '-']))
        .and_then(|count| usize::try_from(count).ok())
        .ok_or("bad count")?;
    let (open, code) = inputs(call, &given.operands).await;
    for (_, input) in open {
        let all = Bytes::from(input.read_all().await);
        let start = match (is_bytes, from_start) {
            (true, true) => count.saturating_sub(1).min(all.len()),
            (true, false) => all.len().saturating_sub(count),
            (false, true) => line_start(&all, count.saturating_sub(1)),
            (false, false) => last_lines(&all, count),
        };
        call.stdout.write(all.slice(start..)).await?;
    }
    Ok(code)
}

/// Where the text after so many lines begins.
fn line_start(bytes: &[u8], lines: usize) -> usize {
    let lengths = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len);
    lengths.take(lines).sum()
}

/// Where the last so many lines begin.
fn last_lines(bytes: &[u8], lines: usize) -> usize {
    let lengths = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len);
    bytes.len() - lengths.rev().take(lines).sum::<usize>()
}

async fn wc(call: &mut Call) -> ExitResult {
    let given = options(call, "lwcmL", Mix::Anywhere)?;
    let letters = ['l', 'w', 'm', 'c'];
    let mut shown: Vec<usize> = (0..letters.len()).filter(|at| given.has(letters[*at])).collect();
    if shown.is_empty() {
        shown = vec![0, 1, 3];
    }
    let (open, code) = inputs(call, &given.operands).await;
    let mut total = [0u64; 4];
    let mut rows = Vec::new();
    for (name, input) in open {
        let mut counts = [0u64; 4];
        let mut in_word = false;
        while let Some(piece) = input.read().await {
            for byte in &piece {
                counts[0] += u64::from(*byte == b'\n');
                counts[2] += u64::from(byte & 0xc0 != 0x80);
                let blank = byte.is_ascii_whitespace();
                counts[1] += u64::from(!blank && !in_word);
                in_word = !blank;
            }
            counts[3] += piece.len() as u64;
            tokio::task::consume_budget().await;
        }
        total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        rows.push((counts, name));
    }
    if rows.len() > 1 {
        rows.push((total, "total".to_owned()));
    }
    // A single number is printed without leading blanks.
    let width = if shown.len() == 1 { 0 } else { 7 };
    let mut text = String::new();
    for (counts, name) in rows {
        let numbers: Vec<String> = shown.iter().map(|at| format!("{:>width$}", counts[*at])).collect();
        let name = if given.operands.is_empty() { String::new() } else { format!(" {name}") };
        text.push_str(&format!("{}{name}\n", numbers.join(" ")));
    }
    call.out(text).await?;
    Ok(code)
}

async fn tee(call: &mut Call) -> ExitResult {
    let given = options(call, "ai", Mix::Anywhere)?;
    let mode = if given.has('a') { Write::Append } else { Write::Truncate };
    let (mut outputs, mut code) = (vec![call.stdout.clone()], 0);
    for word in &given.operands {
        match call.create(word, mode) {
            Ok(output) => outputs.push(output),
            Err(error) => code = call.complain(format!("{word}: {error}")).await,
        }
    }
    while let Some(piece) = call.read().await {
        for output in &outputs {
            output.write(piece.clone()).await?;
        }
    }
    Ok(code)
}

/// Ranges such as `1,3-5,7-`, counted from one.
fn ranges(text: &str) -> Option<Vec<(usize, usize)>> {
    let number = |text: &str, none: usize| {
        if text.is_empty() { Some(none) } else { text.parse().ok() }
    };
    text.split(',')
        .map(|part| match part.split_once('-') {
            Some((first, last)) => Some((number(first, 1)?, number(last, usize::MAX)?)),
            None => part.parse().ok().map(|only| (only, only)),
        })
        .collect()
}

async fn cut(call: &mut Call) -> ExitResult {
    let given = options(call, "d:f:c:b:s", Mix::Anywhere)?;
    let wanted = given.value('f').or(given.value('c')).or(given.value('b')).and_then(ranges);
    let wanted = wanted.ok_or("needs -f, -c or -b with a list")?;
    let inside = |at: usize| wanted.iter().any(|(first, last)| (*first..=*last).contains(&at));
    let (open, code) = inputs(call, &given.operands).await;
    for (_, input) in open {
        while let Some(line) = input.read_line().await {
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches('\n');
            if let Some(text) = cut_line(line, &given, &inside) {
                call.out(text + "\n").await?;
            }
        }
    }
    Ok(code)
}

fn cut_line(line: &str, given: &Options, inside: &impl Fn(usize) -> bool) -> Option<String> {
    if given.value('f').is_none() {
        return Some(
            line.chars().enumerate().filter(|(at, _)| inside(at + 1)).map(|(_, next)| next).collect(),
        );
    }
    let delimiter = given.value('d').unwrap_or("\t");
    if delimiter.is_empty() || !line.contains(delimiter) {
        return if given.has('s') { None } else { Some(line.to_owned()) };
    }
    let fields = line.split(delimiter).enumerate().filter(|(at, _)| inside(at + 1)).map(|(_, field)| field);
    Some(fields.collect::<Vec<_>>().join(delimiter))
}

/// The bytes a set such as `a-z\n[:digit:]` names.
fn set(text: &str) -> Vec<u8> {
    let mut text = text.to_owned();
    for (class, bytes) in [
        ("[:alpha:]", "A-Za-z"),
        ("[:digit:]", "0-9"),
        ("[:alnum:]", "0-9A-Za-z"),
        ("[:upper:]", "A-Z"),
        ("[:lower:]", "a-z"),
        ("[:space:]", "\t\n\x0b\x0c\r "),
        ("[:blank:]", "\t "),
        ("[:punct:]", "!-/:-@[-`{-~"),
    ] {
        text = text.replace(class, bytes);
    }
    let (bytes, _) = super::escape::unescape(&text, super::escape::Escapes::Command);
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        match bytes.get(at + 1..at + 3) {
            Some([b'-', last]) if last >= first => {
                all.extend(*first..=*last);
                at += 3;
            }
            _ => {
                all.push(*first);
                at += 1;
            }
        }
    }
    all
}

async fn tr(call: &mut Call) -> ExitResult {
    let given = options(call, "dscC", Mix::First)?;
    let mut from = given.operands.first().map(|text| set(text)).unwrap_or_default();
    if given.has('c') || given.has('C') {
        from = (0..=255).filter(|byte| !from.contains(byte)).collect();
    }
    let to = given.operands.get(1).map(|text| set(text)).unwrap_or_default();
    if from.is_empty() || (to.is_empty() && !given.has('d') && !given.has('s')) {
        return Err("needs two sets".into());
    }
    let mut map: Vec<Option<u8>> = (0..=255).map(Some).collect();
    for (at, byte) in from.iter().enumerate() {
        let with = to.get(at).or(to.last()).copied();
        map[usize::from(*byte)] = if given.has('d') { None } else { Some(with.unwrap_or(*byte)) };
    }
    let squeezed = if to.is_empty() || given.has('d') && to.is_empty() { &from } else { &to };
    let mut last = None;
    while let Some(piece) = call.read().await {
        let mut output = Vec::with_capacity(piece.len());
        for byte in piece.iter().filter_map(|byte| map[usize::from(*byte)]) {
            if given.has('s') && last == Some(byte) && squeezed.contains(&byte) {
                continue;
            }
            last = Some(byte);
            output.push(byte);
        }
        call.stdout.write(output).await?;
    }
    Ok(0)
}
