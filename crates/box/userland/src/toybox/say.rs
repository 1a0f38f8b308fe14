//! Commands that only say something: `echo`, `printf`, `yes`, `seq`, `true`, `false`.

use super::escape::{Escapes, unescape};
use super::options::options;
use super::{BasicCommand, row};
use crate::call::Call;
use crate::limits;
use crate::machine::ExitResult;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("echo", "[-neE] [WORD...]", echo),
    row!("printf", "FORMAT [ARGUMENT...]", printf),
    row!("yes", "[WORD...]", yes),
    row!("seq", "[-s STRING] [-w] [FIRST [STEP]] LAST", seq),
    row!("true", "", end::<0>),
    row!(":", "", end::<0>),
    row!("sync", "", end::<0>),
    row!("false", "", end::<1>),
];

/// Does nothing but end with this exit code.
async fn end<const CODE: u8>(_: &mut Call) -> ExitResult {
    Ok(CODE)
}

async fn echo(call: &mut Call) -> ExitResult {
    let (mut newline, mut escapes) = (true, false);
    let mut first = 1;
    while let Some(letters) = call.args.get(first).and_then(|word| word.strip_prefix('-')) {
        if letters.is_empty() || !letters.bytes().all(|letter| b"neE".contains(&letter)) {
            break;
        }
        for letter in letters.chars() {
            match letter {
                'n' => newline = false,
                letter => escapes = letter == 'e',
            }
        }
        first += 1;
    }
    let text = call.args[first.min(call.args.len())..].join(" ");
    let (mut bytes, ended) =
        if escapes { unescape(&text, Escapes::Command) } else { (text.into_bytes(), false) };
    if newline && !ended {
        bytes.push(b'\n');
    }
    call.print(bytes).await
}

async fn yes(call: &mut Call) -> ExitResult {
    let line = if call.args.len() > 1 { call.args[1..].join(" ") } else { "y".to_owned() } + "\n";
    let block = line.repeat((4096 / line.len()).max(1));
    loop {
        call.out(&block).await?;
        // A file or the null device never makes it wait.
        tokio::task::yield_now().await;
    }
}

async fn seq(call: &mut Call) -> ExitResult {
    let options = options(call, "<1>3?s:w")?;
    let words: Vec<&str> = options.operands.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let read = |text: &str| number(text).ok_or_else(|| format!("strtod {text}: Argument list too long"));
    let (first, step, last) = match words[..] {
        [last] => ("1", "1", last),
        [first, last] => (first, "1", last),
        [first, step, last, ..] => (first, step, last),
        [] => ("1", "1", "0"),
    };
    let places =
        |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.trim_end_matches('0').len());
    let precision = places(first).max(places(step)).min(17);
    let width = if options.has('w') {
        let digits = |text: &str| text.split('.').next().map_or(0, str::len);
        digits(first).max(digits(last)) + if precision > 0 { precision + 1 } else { 0 }
    } else {
        0
    };
    let (first, step, last) = (read(first)?, read(step)?, read(last)?);
    let separator = options.value('s').unwrap_or("\n").to_owned();
    let (mut block, mut count) = (String::new(), 0u64);
    loop {
        let at = first + step * count as f64;
        if step == 0.0 || at > last && step > 0.0 || at < last && step < 0.0 {
            break;
        }
        if count > 0 {
            block.push_str(&separator);
        }
        block.push_str(&format!("{at:0width$.precision$}"));
        count += 1;
        if block.len() > limits::CHUNK {
            call.out(std::mem::take(&mut block)).await?;
            tokio::task::yield_now().await;
        }
    }
    if count > 0 {
        block.push('\n');
    }
    call.print(block).await
}

/// Widest field `printf` fills.
const MAX_WIDTH: usize = 4096;

async fn printf(call: &mut Call) -> ExitResult {
    let words = if call.args.get(1).is_some_and(|word| word == "--") { 2 } else { 1 };
    let format =
        call.args.get(words).cloned().ok_or_else(|| super::options::usage(call, "Needs 1 argument"))?;
    let mut arguments =
        call.args[words + 1..].iter().map(String::as_str).collect::<Vec<_>>().into_iter().peekable();
    let mut output = Vec::new();
    let mut problems = Vec::new();
    loop {
        let before = arguments.len();
        let is_over = fill(&format, &mut arguments, &mut output, &mut problems) || arguments.len() == 0;
        if is_over || arguments.len() == before || output.len() > limits::MAX_SUBSTITUTION {
            break;
        }
    }
    call.out(output).await?;
    for problem in &problems {
        call.complain(problem).await;
    }
    Ok(u8::from(!problems.is_empty()))
}

type Arguments<'a> = std::iter::Peekable<std::vec::IntoIter<&'a str>>;

/// Goes through the format once; whether a `\c` ended everything.
fn fill(
    format: &str,
    arguments: &mut Arguments<'_>,
    output: &mut Vec<u8>,
    problems: &mut Vec<String>,
) -> bool {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (bytes, ended) = unescape(&rest[..at], Escapes::Format);
        output.extend_from_slice(&bytes);
        if ended {
            return true;
        }
        rest = &rest[at + 1..];
        if output.len() > limits::MAX_SUBSTITUTION {
            return true;
        }
        if let Some(after) = rest.strip_prefix('%') {
            output.push(b'%');
            rest = after;
            continue;
        }
        let field = FormatField::read(&mut rest, arguments);
        let Some(kind) = rest.chars().next() else {
            problems.push("missing format letter".to_owned());
            return true;
        };
        rest = &rest[kind.len_utf8()..];
        let argument = arguments.next();
        match field.render(kind, argument, problems) {
            Some((bytes, ended)) => {
                output.extend_from_slice(&bytes);
                if ended {
                    return true;
                }
            }
            None => {
                problems.push(format!("bad %{kind}@{}", format.len() - rest.len()));
                return true;
            }
        }
    }
    let (bytes, ended) = unescape(rest, Escapes::Format);
    output.extend_from_slice(&bytes);
    ended
}

/// The text between a `%` and its letter.
#[derive(Clone, Default)]
struct FormatField {
    flags: String,
    width: usize,
    precision: Option<usize>,
}

impl FormatField {
    fn read(rest: &mut &str, arguments: &mut Arguments<'_>) -> Self {
        let mut field = Self::default();
        let flags = rest.bytes().take_while(|byte| b"-+ #0".contains(byte)).count();
        rest[..flags].clone_into(&mut field.flags);
        *rest = &rest[flags..];
        let width = number(rest, arguments).unwrap_or(0);
        if width < 0 {
            field.flags.push('-');
        }
        field.width = usize::try_from(width.unsigned_abs()).unwrap_or(0).min(MAX_WIDTH);
        if let Some(after) = rest.strip_prefix('.') {
            *rest = after;
            let precision = number(rest, arguments).unwrap_or(0);
            field.precision = usize::try_from(precision).ok().map(|precision| precision.min(MAX_WIDTH));
        }
        field
    }

    fn render(
        &self,
        kind: char,
        argument: Option<&str>,
        problems: &mut Vec<String>,
    ) -> Option<(Vec<u8>, bool)> {
        let text = argument.unwrap_or("");
        let cut = |text: &str| text.chars().take(self.precision.unwrap_or(usize::MAX)).collect::<String>();
        let mut value = |text: &str| {
            let (value, is_whole) = whole(text);
            if !is_whole {
                problems.push(format!("bad %{kind} {text}"));
            }
            value
        };
        Some(match kind {
            's' => (self.pad(&cut(text), false), false),
            'c' => (self.pad(&text.chars().take(1).collect::<String>(), false), false),
            'b' => unescape(text, Escapes::Command),
            'd' | 'i' => {
                let value = value(text);
                let sign = self.sign(value >= 0);
                (self.pad(&format!("{sign}{}", self.digits(value.to_string())), true), false)
            }
            'u' => (self.pad(&(value(text) as u64).to_string(), true), false),
            'x' | 'X' | 'o' => {
                let value = value(text);
                let (digits, lead) = match kind {
                    'x' => (format!("{value:x}"), "0x"),
                    'X' => (format!("{value:X}"), "0X"),
                    _ => (format!("{value:o}"), "0"),
                };
                let lead = if self.flags.contains('#') && value != 0 { lead } else { "" };
                (self.pad(&format!("{lead}{}", self.digits(digits)), true), false)
            }
            'f' | 'F' | 'g' | 'G' | 'e' | 'E' => {
                let number: f64 = text.trim().parse().unwrap_or_else(|_| value(text) as f64);
                let sign = self.sign(number >= 0.0);
                let shown = format!("{sign}{}", self.decimal(number, kind.to_ascii_lowercase()));
                let shown = if kind.is_ascii_uppercase() { shown.to_uppercase() } else { shown };
                (Self { precision: None, ..self.clone() }.pad(&shown, true), false)
            }
            _ => return None,
        })
    }

    /// What stands before a number that is not below zero.
    fn sign(&self, positive: bool) -> &'static str {
        match positive {
            true if self.flags.contains('+') => "+",
            true if self.flags.contains(' ') => " ",
            _ => "",
        }
    }

    /// A number with a point, as `%f`, `%e` and `%g` write it.
    fn decimal(&self, number: f64, kind: char) -> String {
        let places = self.precision.unwrap_or(6).min(100);
        let scientific = |places: usize| {
            let text = format!("{number:.places$e}");
            let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
            (digits.to_owned(), power.parse::<i32>().unwrap_or(0))
        };
        let with_power = |digits: &str, power: i32| {
            format!("{digits}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
        };
        if kind == 'f' || !number.is_finite() {
            return format!("{number:.places$}");
        }
        if kind == 'e' {
            let (digits, power) = scientific(places);
            return with_power(&digits, power);
        }
        let places = places.max(1);
        let short = |digits: String| {
            if digits.contains('.') {
                digits.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                digits
            }
        };
        let (digits, power) = scientific(places - 1);
        let room = i32::try_from(places).unwrap_or(i32::MAX);
        if power < -4 || power >= room {
            return with_power(&short(digits), power);
        }
        short(format!("{number:.*}", usize::try_from(room - 1 - power).unwrap_or(0)))
    }

    /// Digits with at least as many as the precision asks for.
    fn digits(&self, digits: String) -> String {
        let Some(precision) = self.precision else {
            return digits;
        };
        let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
        format!("{sign}{digits:0>precision$}")
    }

    fn pad(&self, text: &str, is_number: bool) -> Vec<u8> {
        let width = self.width;
        if self.flags.contains('-') {
            format!("{text:<width$}").into_bytes()
        } else if is_number && self.flags.contains('0') && self.precision.is_none() {
            let (sign, digits) = match text.strip_prefix(['-', '+']) {
                Some(digits) => (&text[..1], digits),
                None => ("", text),
            };
            let width = width.saturating_sub(sign.len());
            format!("{sign}{digits:0>width$}").into_bytes()
        } else {
            format!("{text:>width$}").into_bytes()
        }
    }
}

/// A width or precision: digits, or `*` for the next argument.
fn number(rest: &mut &str, arguments: &mut Arguments<'_>) -> Option<i64> {
    if let Some(after) = rest.strip_prefix('*') {
        *rest = after;
        return arguments.next().map(|text| whole(text).0);
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok();
    *rest = &rest[digits..];
    number
}

/// The number that a text begins with as C writes it, or the code of a quoted letter; and whether
/// that is all of it. Nothing is zero.
fn whole(text: &str) -> (i64, bool) {
    let text = text.trim();
    if let Some(letter) = text.strip_prefix(['\'', '"']) {
        return (letter.chars().next().map_or(0, |letter| i64::from(u32::from(letter))), true);
    }
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let (digits, base) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    let end = digits.find(|digit: char| !digit.is_digit(base)).unwrap_or(digits.len());
    let value = i64::from_str_radix(&digits[..end], base).unwrap_or(if end == 0 { 0 } else { i64::MAX });
    (value.wrapping_mul(sign), end == digits.len())
}
