//! Commands that pass text on: `cat`, `head`, `tail`, `wc`, `tee`, `cut`, `tr`, `nl`, `tac`.

use super::options::{Options, integer, options};
use super::{BasicCommand, row};
use crate::Errno;
use crate::call::{Call, Write};
use crate::expression::compile;
use crate::machine::ExitResult;
use crate::stream::Input;
use bytes::Bytes;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("cat", "[-uvet] [FILE...]", cat),
    row!("head", "[-n NUMBER] [-c BYTES] [FILE...]", head),
    row!("tail", "[-n [+]NUMBER] [-c [+]BYTES] [FILE...]", tail),
    row!("tac", "[FILE...]", tac),
    row!("nl", "[-E] [-b ant] [-s SEPARATOR] [-v START] [-w WIDTH] [FILE...]", nl),
    row!("wc", "[-lwcm] [FILE...]", wc),
    row!("tee", "[-a] [FILE...]", tee),
    row!("cut", "[-Ds] [-bcCfF LIST] [-dO DELIMITER] [FILE...]", cut),
    row!("tr", "[-cdst] SET1 [SET2]", tr),
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
    let given = options(call, "uvte")?;
    let shown = |byte: &u8| visible(*byte, &given);
    let operands = if given.operands.is_empty() { vec!["-".to_owned()] } else { given.operands.clone() };
    let mut code = 0;
    // One after another, so that a complaint comes where the file would.
    for word in operands {
        match call.open(&word) {
            Ok(input) => {
                while let Some(piece) = input.read().await {
                    let piece = if given.any("vte") { piece.iter().flat_map(shown).collect() } else { piece };
                    call.stdout.write(piece).await?;
                    tokio::task::consume_budget().await;
                }
            }
            Err(error) => code = call.complain(format!("{word}: {error}")).await,
        }
    }
    Ok(code)
}

/// A byte as `cat -vte` shows it.
fn visible(byte: u8, given: &Options) -> Vec<u8> {
    let has = |letter| given.has(letter);
    match byte {
        b'\n' if has('e') => b"$\n".to_vec(),
        b'\n' => vec![byte],
        0..=31 if has(if byte == b'\t' { 't' } else { 'v' }) => vec![b'^', byte + 64],
        127 if has('v') => b"^?".to_vec(),
        128.. if has('v') => [b"M-", &visible(byte & 127, given)[..]].concat(),
        _ => vec![byte],
    }
}

async fn head(call: &mut Call) -> ExitResult {
    let mut given = options(call, "?n(lines)#<0c(bytes)#<0qv[-nc]")?;
    // `head -5` means `-n 5`.
    let old = given.operands.first().and_then(|word| Some(word.strip_prefix('-')?.to_owned()));
    let old = old.filter(|digits| !digits.is_empty());
    if let Some(digits) = &old {
        integer(digits)?;
        given.operands.remove(0);
    }
    let old = old.and_then(|digits| integer(&digits).ok());
    let count = given.number('c').or(given.number('n')).or(old).unwrap_or(10);
    let titled = given.operands.len() > 1 && !given.has('q') || given.has('v');
    let mut code = 0;
    let mut gap = "";
    for name in operands(&given) {
        let input = match call.open(&name) {
            Ok(input) => input,
            Err(error) => {
                code = call.complain(format!("{name}: {error}")).await;
                continue;
            }
        };
        if titled {
            call.out(format!("{gap}==> {name} <==\n")).await?;
            gap = "\n";
        }
        let mut left = count;
        while left > 0 {
            let piece = if given.has('c') { input.read().await } else { input.read_line().await };
            let Some(mut piece) = piece else { break };
            if given.has('c') {
                piece.truncate(usize::try_from(left).unwrap_or(usize::MAX));
                left -= piece.len() as i64;
            } else {
                left -= 1;
            }
            call.stdout.write(piece).await?;
        }
        input.spill().await;
    }
    Ok(code)
}

fn operands(given: &Options) -> Vec<String> {
    if given.operands.is_empty() { vec!["-".to_owned()] } else { given.operands.clone() }
}

async fn tail(call: &mut Call) -> ExitResult {
    let mut given = options(call, "?fFs:c(bytes):n(lines):[-cn][-fF]")?;
    let is_old = |word: &&String| word.len() > 1 && word.starts_with(['-', '+']);
    let old = given.operands.first().filter(is_old).cloned();
    if old.is_some() {
        given.operands.remove(0);
    }
    let is_bytes = given.has('c');
    let text = given.value('c').or(given.value('n')).or(old.as_deref()).unwrap_or("10");
    let from_start = text.starts_with('+');
    let count = integer(text)?.unsigned_abs();
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let titled = given.operands.len() > 1;
    let (open, code) = inputs(call, &given.operands).await;
    for (at, (name, input)) in open.into_iter().enumerate() {
        let all = Bytes::from(input.read_all().await);
        let start = match (is_bytes, from_start) {
            // Nothing at all is not counted from the end.
            _ if count == 0 => 0,
            (true, true) => (count - 1).min(all.len()),
            (true, false) => all.len().saturating_sub(count),
            (false, true) => line_start(&all, count - 1),
            (false, false) => last_lines(&all, count),
        };
        if titled {
            let gap = if at > 0 { "\n" } else { "" };
            call.out(format!("{gap}==> {name} <==\n")).await?;
        }
        call.stdout.write(all.slice(start..)).await?;
    }
    Ok(code)
}

async fn tac(call: &mut Call) -> ExitResult {
    let words = call.args[1..].to_vec();
    let (open, code) = inputs(call, &words).await;
    for (_, input) in open {
        let all = input.read_all().await;
        let mut lines: Vec<&[u8]> = all.split_inclusive(|byte| *byte == b'\n').collect();
        lines.reverse();
        call.out(lines.concat()).await?;
    }
    Ok(code)
}

async fn nl(call: &mut Call) -> ExitResult {
    let given = options(call, "v#w#<0b:s:E")?;
    let (open, code) = inputs(call, &given.operands).await;
    let mut number = given.number('v').unwrap_or(1);
    let width = given.number('w').and_then(|width| usize::try_from(width).ok()).unwrap_or(6).min(1 << 12);
    let separator = given.value('s').unwrap_or("\t");
    for (_, input) in open {
        while let Some(line) = input.read_line().await {
            let line = String::from_utf8_lossy(&line).into_owned();
            let counted = given.value('b') == Some("a") || line != "\n";
            let label = if counted { format!("{number:>width$}{separator}") } else { " ".repeat(width + 1) };
            number += i64::from(counted);
            call.out(format!("{label}{line}")).await?;
        }
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
    let given = options(call, "cmwl")?;
    let letters = ['l', 'w', 'c', 'm'];
    let mut shown: Vec<usize> = (0..letters.len()).filter(|at| given.has(letters[*at])).collect();
    if shown.is_empty() {
        shown = vec![0, 1, 2];
    }
    let mut total = [0u64; 4];
    let many = given.operands.len() > 1;
    let row = |counts: [u64; 4], name: &str| {
        let width = if many || given.operands.is_empty() && shown.len() > 1 { 7 } else { 0 };
        let numbers: Vec<String> = shown.iter().map(|at| format!("{:>width$}", counts[*at])).collect();
        let name = if given.operands.is_empty() { String::new() } else { format!(" {name}") };
        format!("{}{name}\n", numbers.join(" "))
    };
    let mut code = 0;
    for name in operands(&given) {
        let mut counts = [0u64; 4];
        let mut in_word = false;
        let input = match call.open(&name) {
            Ok(input) => input,
            Err(error) => {
                code = call.complain(format!("{name}: {error}")).await;
                // What opens and cannot be read has nothing in it.
                if error != Errno::IsDirectory {
                    continue;
                }
                Input::empty()
            }
        };
        while let Some(piece) = input.read().await {
            for byte in &piece {
                counts[0] += u64::from(*byte == b'\n');
                counts[3] += u64::from(byte & 0xc0 != 0x80);
                let blank = byte.is_ascii_whitespace();
                counts[1] += u64::from(!blank && !in_word);
                in_word = !blank;
            }
            counts[2] += piece.len() as u64;
            tokio::task::consume_budget().await;
        }
        total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        call.out(row(counts, &name)).await?;
    }
    if many {
        call.out(row(total, "total")).await?;
    }
    Ok(code)
}

async fn tee(call: &mut Call) -> ExitResult {
    let given = options(call, "ia")?;
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

/// Ranges such as `1,3-5,7-`, counted from one; where one is wrong if it is.
fn ranges(text: &str) -> Result<Vec<(usize, usize)>, usize> {
    let number = |text: &str, none: usize| {
        if text.is_empty() { Some(none) } else { text.parse().ok() }
    };
    let mut ranges = Vec::new();
    let mut start = 0;
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        // What is no number selects nothing.
        if let Some((first, last)) =
            number(first, 1).zip(number(last, usize::MAX)).filter(|_| !part.is_empty())
        {
            if first == 0 {
                return Err(start + part.len());
            }
            if first > last {
                return Err(start);
            }
            ranges.push((first, last));
        }
        start += part.len() + 1;
    }
    Ok(ranges)
}

async fn cut(call: &mut Call) -> ExitResult {
    let given = options(call, "b:|c:|f:|F:|C:|O(output-delimiter):d:sDn[!cbfF]")?;
    let letter = given.last("bcfFC").unwrap_or('f');
    let list = given.value(letter).unwrap_or("");
    let mut wanted = ranges(list)
        .map_err(|at| format!("bad -{letter} '{list}'\n{:>1$}", '^', call.name().len() + 11 + at))?;
    if list.is_empty() {
        return Err("no selections".into());
    }
    if !given.has('D') {
        wanted.sort_unstable();
    }
    let (open, code) = inputs(call, &given.operands).await;
    let delimiter = given.value('d').unwrap_or(if letter == 'F' { "[[:space:]][[:space:]]*" } else { "\t" });
    // Of several letters the first counts; none part nothing.
    let delimiter = match (letter, delimiter.chars().next()) {
        ('F', _) => super::posix::extended(delimiter)?,
        (_, Some(first)) => regex::escape(first.encode_utf8(&mut [0; 4])),
        (_, None) => "[^\\s\\S]".to_owned(),
    };
    let delimiter = compile(&delimiter, false).map_err(|_| "bad -d")?;
    for (_, input) in open {
        while let Some(line) = input.read_line().await {
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            if let Some(mut text) = cut_line(line, &given, (letter, &wanted, &delimiter)) {
                text.push(b'\n');
                call.out(text).await?;
            }
        }
    }
    Ok(code)
}

/// The parts of a line that are wanted, in their order; none where the line is left out.
fn cut_line(
    line: &[u8],
    given: &Options,
    (letter, wanted, delimiter): (char, &[(usize, usize)], &regex::bytes::Regex),
) -> Option<Vec<u8>> {
    let parts: Vec<&[u8]> = match letter {
        'b' => line.chunks(1).collect(),
        'c' | 'C' => line.chunk_by(|_, next| next & 0xc0 == 0x80).collect(),
        _ if !delimiter.is_match(line) => {
            let whole = !given.any("sD") || wanted.iter().any(|(first, _)| *first == 1);
            return whole.then(|| line.to_owned());
        }
        _ => delimiter.split(line).collect(),
    };
    let mut next = 0;
    let mut chosen = Vec::new();
    for (first, last) in wanted {
        let end = (*last).min(parts.len());
        // Without an order of its own nothing is shown twice.
        let start = if given.has('D') { first - 1 } else { next.max(first - 1) };
        chosen.extend_from_slice(parts.get(start..end).unwrap_or(&[]));
        next = next.max(end);
    }
    let between = match letter {
        'F' => " ",
        'f' => given.value('d').unwrap_or("\t"),
        _ => "",
    };
    Some(chosen.join(given.value('O').unwrap_or(between).as_bytes()))
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
        ("[:cntrl:]", "\x01-\x1f\x7f"),
        ("[:graph:]", "!-~"),
        ("[:print:]", " -~"),
        ("[:xdigit:]", "0-9A-Fa-f"),
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
    let given = options(call, "^<1>2Ccstd[+cC]")?;
    let mut from = given.operands.first().map(|text| set(text)).unwrap_or_default();
    if given.has('c') || given.has('C') {
        from = (0..=255).filter(|byte| !from.contains(byte)).collect();
    }
    let to = given.operands.get(1).map(|text| set(text)).unwrap_or_default();
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
