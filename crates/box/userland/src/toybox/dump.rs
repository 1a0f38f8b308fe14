//! `od`: bytes as numbers and letters.

use super::options::{integer, options};
use super::text::inputs;
use super::{BasicCommand, row};
use crate::call::Call;
use crate::machine::ExitResult;

pub(super) const ROWS: &[BasicCommand] =
    &[row!("od", "[-bcdosxv] [-j #] [-N #] [-w #] [-A doxn] [-t cdoux[#]] [FILE...]", od)];

/// How a row shows its bytes.
#[derive(Clone, Copy)]
struct DumpFormat {
    letter: char,
    /// Bytes of one number.
    size: usize,
}

/// The letters that stand for a format.
const SHORT: &[(char, &str)] = &[('b', "o1"), ('c', "c"), ('d', "u2"), ('o', "o2"), ('s', "d2"), ('x', "x2")];

/// Reads `x1`, `d4`, `c` and their like, one or several.
fn formats(text: &str) -> Option<Vec<DumpFormat>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let size = match (letter, rest.chars().next()) {
            ('c', _) => 1,
            ('d' | 'o' | 'u' | 'x', Some(size @ ('C' | 'S' | 'I' | 'L'))) => {
                rest = &rest[1..];
                1 << "CSIL".find(size)?
            }
            ('d' | 'o' | 'u' | 'x', _) if digits == 0 => 4,
            ('d' | 'o' | 'u' | 'x', _) => {
                rest[..digits].parse().ok().filter(|size| (1..=8).contains(size))?
            }
            _ => return None,
        };
        rest = &rest[if letter == 'c' { 0 } else { digits }..];
        found.push(DumpFormat { letter, size });
    }
    Some(found)
}

impl DumpFormat {
    /// How wide a number is, with the blanks before it.
    fn width(self) -> usize {
        match (self.letter, self.size) {
            ('c', _) | ('o' | 'u', 1) => 4,
            ('d', 1) => 5,
            ('u', 2) => 6,
            ('d' | 'o', 2) => 8,
            (_, size) => 3 * size,
        }
    }

    fn show(self, bytes: &[u8]) -> String {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        let value = u64::from_le_bytes(whole);
        let digits = if self.letter == 'x' { 2 * self.size } else { (self.size * 8).div_ceil(3) };
        match self.letter {
            'x' => format!("{value:0digits$x}"),
            'o' => format!("{value:0digits$o}"),
            'u' => value.to_string(),
            'd' => ((value << (64 - 8 * self.size)) as i64 >> (64 - 8 * self.size)).to_string(),
            _ => match bytes[0] {
                0 => "\\0".to_owned(),
                7..=13 => format!("\\{}", char::from(b"abtnvfr"[usize::from(bytes[0] - 7)])),
                byte @ 32..=126 => char::from(byte).to_string(),
                byte => format!("{byte:03o}"),
            },
        }
    }
}

async fn od(call: &mut Call) -> ExitResult {
    let given = options(call, "j#<0vw#<1N#<0xsodcbA:t:")?;
    let mut shown = Vec::new();
    for (letter, value) in given.letters() {
        let short = SHORT.iter().find(|row| row.0 == *letter).map(|row| row.1);
        if let Some(text) = short.or(value.as_deref().filter(|_| *letter == 't')) {
            shown.extend(formats(text).ok_or_else(|| format!("bad -t {text}"))?);
        }
    }
    if shown.is_empty() {
        shown.push(DumpFormat { letter: 'o', size: 2 });
    }
    let radix = given.value('A').unwrap_or("o").to_owned();
    let address = |at: usize| match radix.as_str() {
        "d" => format!("{at:07}"),
        "x" => format!("{at:06x}"),
        "n" => String::new(),
        _ => format!("{at:07o}"),
    };
    if !matches!(radix.as_str(), "d" | "o" | "x" | "n") {
        return Err(format!("bad -A '{radix}'").into());
    }
    let number = |letter, none| {
        given.value(letter).and_then(|text| usize::try_from(integer(text).ok()?).ok()).unwrap_or(none)
    };
    let (open, code) = inputs(call, &given.operands).await;
    let mut all = Vec::new();
    for (_, input) in open {
        all.extend(input.read_all().await);
    }
    let start = number('j', 0).min(all.len());
    let end = start.saturating_add(number('N', usize::MAX)).min(all.len());
    let wide = number('w', 16).min(1 << 12);
    // Numbers of different sizes stand below each other.
    let per_byte = shown.iter().map(|format| format.width().div_ceil(format.size)).max().unwrap_or(0);
    let alone = shown.len() == 1;
    let mut last: Option<&[u8]> = None;
    let mut starred = false;
    for (at, row) in all[start..end].chunks(wide).enumerate() {
        if last.is_some_and(|last| last.starts_with(row)) && !given.has('v') {
            if !starred {
                call.out("*\n").await?;
            }
            starred = true;
            continue;
        }
        (last, starred) = (Some(row), false);
        let place = address(start + at * wide);
        let mut text = String::new();
        for (line, format) in shown.iter().enumerate() {
            text.push_str(&if line == 0 { place.clone() } else { " ".repeat(7) });
            let width = if alone { format.width() } else { per_byte * format.size };
            for bytes in row.chunks(format.size) {
                text.push_str(&format!("{:>width$}", format.show(bytes)));
            }
            text.push('\n');
        }
        call.out(text).await?;
        tokio::task::consume_budget().await;
    }
    if radix != "n" {
        call.out(address(end) + "\n").await?;
    }
    Ok(code)
}
