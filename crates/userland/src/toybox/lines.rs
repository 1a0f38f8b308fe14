//! Commands that choose and order lines: `grep`, `sort`, `uniq`.

use super::options::{Mix, Options, options};
use super::text::{inputs, read_options};
use super::{Row, row};
use crate::call::Call;
use crate::files::Kind;
use crate::limits;
use crate::machine::Ended;
use crate::stream::{Broken, Input};
use regex::bytes::{Regex, RegexBuilder};

pub(super) const ROWS: &[Row] = &[
    row!("grep", "[-EFivclnoqrHhswx] [-m MAX] [-e] PATTERN [FILE...]", grep),
    row!("egrep", "[-ivclnoqr] PATTERN [FILE...]", grep),
    row!("fgrep", "[-ivclnoqr] PATTERN [FILE...]", grep),
    row!("sort", "[-rnuf] [-k FIELD] [-t SEPARATOR] [FILE...]", sort),
    row!("uniq", "[-cdu] [FILE]", uniq),
];

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

/// Compiles a pattern, bounded in size.
pub(super) fn compile(pattern: &str, ignore_case: bool) -> Option<Regex> {
    RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .unicode(true)
        .size_limit(1 << 20)
        .build()
        .ok()
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
    let all: Vec<String> = patterns
        .iter()
        .flat_map(|text| text.split('\n'))
        .map(|text| format!("(?:{})", one(text)))
        .collect();
    let joined = all.join("|");
    Some(match (given.has('x'), given.has('w')) {
        (true, _) => format!("^(?:{joined})$"),
        (false, true) => format!(r"\b(?:{joined})\b"),
        (false, false) => joined,
    })
}

async fn grep(call: &mut Call) -> Ended {
    let mut given = read_options!(call, "EFivclnoqrRHhswxe:m:azL", Mix::Anywhere);
    let name = call.name().to_owned();
    let Some(pattern) = pattern(&name, &mut given) else {
        call.complain("no pattern").await;
        return Ok(2);
    };
    let Some(regex) = compile(&pattern, given.has('i')) else {
        call.complain(format!("bad pattern '{pattern}'")).await;
        return Ok(2);
    };
    let recursive = given.has('r') || given.has('R');
    let mut operands = given.operands.clone();
    if recursive {
        let roots = if operands.is_empty() {
            vec![".".to_owned()]
        } else {
            operands
        };
        operands = roots.iter().flat_map(|root| files_below(call, root)).collect();
    }
    let many = (operands.len() > 1 || recursive || given.has('H')) && !given.has('h');
    let (open, failed) = if recursive && operands.is_empty() {
        (Vec::new(), 0)
    } else {
        inputs(call, &operands).await
    };
    let mut any = false;
    for (file, input) in open {
        let label = if many { format!("{file}:") } else { String::new() };
        let count = grep_one(call, &given, (&regex, &label), &input).await?;
        any |= count > 0;
        if given.has('q') && any {
            return Ok(0);
        }
        if given.has('l') && count > 0 || given.has('L') && count == 0 {
            call.out(format!(
                "{}\n",
                if file == "-" { "(standard input)" } else { &file }
            ))
            .await?;
        } else if given.has('c') {
            call.out(format!("{label}{count}\n")).await?;
        }
    }
    Ok(if failed > 0 { 2 } else { u8::from(!any) })
}

async fn grep_one(
    call: &mut Call,
    given: &Options,
    how: (&Regex, &str),
    input: &Input,
) -> Result<u64, Broken> {
    let (regex, label) = how;
    let most = given
        .value('m')
        .and_then(|most| most.parse().ok())
        .unwrap_or(u64::MAX);
    let silent = "qlLc".chars().any(|letter| given.has(letter));
    let (mut count, mut number) = (0, 0u64);
    while count < most
        && let Some(line) = input.read_line().await
    {
        number += 1;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if regex.is_match(text) == given.has('v') {
            continue;
        }
        count += 1;
        if given.has('q') || given.has('l') {
            break;
        }
        if silent {
            continue;
        }
        let place = if given.has('n') {
            format!("{label}{number}:")
        } else {
            label.to_owned()
        };
        let mut output = Vec::new();
        if given.has('o') {
            for found in regex.find_iter(text).filter(|found| !found.is_empty()) {
                output.extend_from_slice(&[place.as_bytes(), found.as_bytes(), b"\n"].concat());
                if output.len() > limits::CHUNK {
                    call.stdout.write(std::mem::take(&mut output)).await?;
                }
            }
        } else {
            output = [place.as_bytes(), text, b"\n"].concat();
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
            Ok(Kind::Directory) => {
                let below = entries
                    .into_iter()
                    .rev()
                    .filter(|entry| entry.stat.kind != Kind::Link);
                todo.extend(below.map(|entry| format!("{}/{}", word.trim_end_matches('/'), entry.name)));
            }
            Ok(Kind::File | Kind::Link | Kind::Device(_)) | Err(_) => found.push(word),
        }
    }
    found
}

async fn sort(call: &mut Call) -> Ended {
    let given = read_options!(call, "rnufbgk:t:o:", Mix::Anywhere);
    let (open, code) = inputs(call, &given.operands).await;
    let mut lines: Vec<String> = Vec::new();
    let mut held = 0;
    for (_, input) in open {
        let all = input.read_all().await;
        held += all.len();
        if held > limits::MAX_HELD {
            return Ok(call.complain("too much to sort").await);
        }
        lines.extend(String::from_utf8_lossy(&all).lines().map(str::to_owned));
    }
    let field = given.value('k').and_then(|key| {
        let digits: String = key.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    });
    let numeric = given.has('n') || given.has('g') || given.value('k').is_some_and(|key| key.contains('n'));
    let key = |line: &str| -> String {
        let picked = match field {
            Some(field) => {
                let at = field.saturating_sub(1);
                match given.value('t') {
                    Some(separator) if !separator.is_empty() => {
                        line.split(separator).skip(at).collect::<Vec<_>>().join(separator)
                    }
                    _ => line.split_whitespace().skip(at).collect::<Vec<_>>().join(" "),
                }
            }
            None => line.to_owned(),
        };
        if given.has('f') {
            picked.to_uppercase()
        } else {
            picked
        }
    };
    lines.sort_by(|one, two| {
        let (first, second) = (key(one), key(two));
        let by_number = || leading(&first).total_cmp(&leading(&second));
        let order = if numeric { by_number() } else { first.cmp(&second) };
        let order = if given.has('r') { order.reverse() } else { order };
        order.then_with(|| {
            if given.has('r') {
                two.cmp(one)
            } else {
                one.cmp(two)
            }
        })
    });
    if given.has('u') {
        lines.dedup_by(|one, two| {
            if numeric {
                leading(&key(one)).total_cmp(&leading(&key(two))).is_eq()
            } else {
                key(one) == key(two)
            }
        });
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    call.stdout.write(text).await?;
    Ok(code)
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

async fn uniq(call: &mut Call) -> Ended {
    let given = read_options!(call, "cdui", Mix::Anywhere);
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
                        let label = if given.has('c') {
                            format!("{count:>7} ")
                        } else {
                            String::new()
                        };
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
