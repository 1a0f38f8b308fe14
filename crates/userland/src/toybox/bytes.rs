//! Commands about bytes: sums, `base64`, `dd`, `od`, `xxd`, `cmp`, `diff`.

use super::options::{Mix, options, size};
use super::text::{inputs, read_options};
use super::{Row, row};
use crate::call::{Call, Write};
use crate::limits;
use crate::machine::Ended;
use crate::stream::{Broken, Input};
use base64::Engine as _;
use sha1::digest::Digest;

pub(super) const ROWS: &[Row] = &[
    row!("md5sum", "[-bc] [FILE...]", sums::<md5::Md5>),
    row!("sha1sum", "[-b] [FILE...]", sums::<sha1::Sha1>),
    row!("sha224sum", "[-b] [FILE...]", sums::<sha2::Sha224>),
    row!("sha256sum", "[-b] [FILE...]", sums::<sha2::Sha256>),
    row!("sha512sum", "[-b] [FILE...]", sums::<sha2::Sha512>),
    row!("base64", "[-di] [-w COLUMNS] [FILE]", base64),
    row!("dd", "[if=FILE] [of=FILE] [bs=N] [count=N] [skip=N] [seek=N]", dd),
    row!("od", "[-A BASE] [-t TYPE] [-N BYTES] [FILE]", od),
    row!("xxd", "[-p] [-l BYTES] [-s OFFSET] [FILE]", xxd),
    row!("hexdump", "[-C] [FILE]", xxd),
    row!("cmp", "[-s] FILE1 FILE2", compare),
    row!("diff", "[-q] FILE1 FILE2", compare),
];

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn sums<D: Digest + Send>(call: &mut Call) -> Ended {
    let given = read_options!(call, "bcs", Mix::Anywhere);
    let (open, code) = inputs(call, &given.operands).await;
    for (name, input) in open {
        let mut digest = D::new();
        while let Some(piece) = input.read().await {
            digest.update(&piece);
            tokio::task::consume_budget().await;
        }
        let sum = hexadecimal(&digest.finalize());
        let line = if given.has('b') {
            format!("{sum}\n")
        } else {
            format!("{sum}  {name}\n")
        };
        call.out(line).await?;
    }
    Ok(code)
}

async fn base64(call: &mut Call) -> Ended {
    let given = read_options!(call, "diw:", Mix::Anywhere);
    let (open, mut code) = inputs(call, &given.operands).await;
    let engine = base64::engine::general_purpose::STANDARD;
    for (_, input) in open {
        let all = input.read_all().await;
        if given.has('d') {
            let letters: Vec<u8> = all
                .into_iter()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect();
            match engine.decode(&letters) {
                Ok(bytes) => call.stdout.write(bytes).await?,
                Err(_) => code = call.complain("bad input").await,
            }
            continue;
        }
        let columns = given
            .value('w')
            .and_then(|text| text.parse().ok())
            .unwrap_or(76usize);
        let text = engine.encode(&all);
        let mut lines = String::with_capacity(text.len() + text.len() / 64);
        for line in text
            .as_bytes()
            .chunks(if columns == 0 { usize::MAX } else { columns })
        {
            lines.push_str(&String::from_utf8_lossy(line));
            if columns > 0 {
                lines.push('\n');
            }
        }
        call.stdout.write(lines).await?;
    }
    Ok(code)
}

/// Reads so many bytes and forgets them.
async fn pass_over(input: &Input, mut count: u64) {
    while count > 0
        && let Some(mut piece) = input.read().await
    {
        let passed = piece.len().min(usize::try_from(count).unwrap_or(usize::MAX));
        count -= passed as u64;
        input.put_back(piece.split_off(passed)).await;
    }
}

/// Reads exactly so many bytes, fewer only at the end.
async fn take(input: &Input, count: usize) -> Vec<u8> {
    let mut block = Vec::new();
    while block.len() < count
        && let Some(mut piece) = input.read().await
    {
        let wanted = piece.split_to(piece.len().min(count - block.len()));
        block.extend_from_slice(&wanted);
        input.put_back(piece).await;
    }
    block
}

async fn dd(call: &mut Call) -> Ended {
    let words = call.args[1..].to_vec();
    let get = |name: &str| {
        words
            .iter()
            .rev()
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    };
    let number = |name: &str, usual: u64| get(name).map_or(Some(usual), size);
    let (Some(block), Some(count), Some(skip), Some(seek)) = (
        number("bs", 512),
        number("count", u64::MAX),
        number("skip", 0),
        number("seek", 0),
    ) else {
        return Ok(call.complain("bad number").await);
    };
    let block = usize::try_from(block)
        .unwrap_or(usize::MAX)
        .clamp(1, limits::MAX_SUBSTITUTION);
    let input = match call.open(get("if").unwrap_or("-")) {
        Ok(input) => input,
        Err(error) => {
            return Ok(call
                .complain(format!("{}: {error}", get("if").unwrap_or("-")))
                .await);
        }
    };
    let keep = seek > 0 || get("conv").is_some_and(|conv| conv.contains("notrunc"));
    let output = match get("of") {
        None => call.stdout.clone(),
        Some(path) => match call.create(path, if keep { Write::Keep } else { Write::Truncate }) {
            Ok(output) => output,
            Err(error) => return Ok(call.complain(format!("{path}: {error}")).await),
        },
    };
    output.skip(seek.saturating_mul(block as u64));
    pass_over(&input, skip.saturating_mul(block as u64)).await;
    let (mut whole, mut part, mut bytes) = (0u64, 0u64, 0u64);
    while whole + part < count {
        let piece = take(&input, block).await;
        if piece.is_empty() {
            break;
        }
        if piece.len() == block {
            whole += 1;
        } else {
            part += 1;
        }
        bytes += piece.len() as u64;
        output.write(piece).await?;
        tokio::task::consume_budget().await;
    }
    if get("status") != Some("none") {
        call.err(format!(
            "{whole}+{part} records in\n{whole}+{part} records out\n{bytes} bytes copied\n"
        ))
        .await;
    }
    Ok(0)
}

async fn dump(
    call: &mut Call,
    input: &Input,
    most: u64,
    line: impl Fn(u64, &[u8]) -> String,
) -> Result<u64, Broken> {
    let mut at = 0u64;
    while at < most {
        let wanted = usize::try_from((most - at).min(16)).unwrap_or(16);
        let row = take(input, wanted).await;
        if row.is_empty() {
            break;
        }
        call.out(line(at, &row)).await?;
        at += row.len() as u64;
    }
    Ok(at)
}

async fn od(call: &mut Call) -> Ended {
    let given = read_options!(call, "A:t:N:vbcxj:w:", Mix::Anywhere);
    let (open, code) = inputs(call, &given.operands).await;
    let address = given.value('A').unwrap_or("o").to_owned();
    let kind = given.value('t').map_or(
        if given.has('c') {
            'c'
        } else if given.has('x') {
            'X'
        } else {
            'o'
        },
        |kind| kind.chars().next().unwrap_or('o'),
    );
    let two = given.value('t').is_none() && !given.has('c') && !given.has('b');
    let most = given.value('N').and_then(size).unwrap_or(u64::MAX);
    let place = move |at: u64| match address.as_str() {
        "n" => String::new(),
        "x" => format!("{at:06x}"),
        "d" => format!("{at:07}"),
        _ => format!("{at:07o}"),
    };
    let cell = move |bytes: &[u8]| -> String {
        let value = bytes
            .iter()
            .rev()
            .fold(0u32, |value, byte| value << 8 | u32::from(*byte));
        match (kind, bytes.first().copied().unwrap_or(0)) {
            ('x', _) => format!(" {value:02x}"),
            ('X', _) => format!(" {value:04x}"),
            ('u' | 'd', _) => format!(" {value:>3}"),
            ('c', b'\n') => "  \\n".to_owned(),
            ('c', b'\t') => "  \\t".to_owned(),
            ('c', 0) => "  \\0".to_owned(),
            ('c', byte) if byte.is_ascii_graphic() || byte == b' ' => format!("   {}", char::from(byte)),
            _ if two => format!(" {value:06o}"),
            _ => format!(" {value:03o}"),
        }
    };
    for (_, input) in open {
        let row = |at: u64, bytes: &[u8]| {
            let cells: String = bytes.chunks(if two { 2 } else { 1 }).map(&cell).collect();
            format!("{}{cells}\n", place(at))
        };
        let end = dump(call, &input, most, row).await?;
        let last = place(end);
        if !last.is_empty() {
            call.out(last + "\n").await?;
        }
    }
    Ok(code)
}

async fn xxd(call: &mut Call) -> Ended {
    let given = read_options!(call, "pl:s:g:c:CrvN:n:", Mix::Anywhere);
    let plain = given.has('p');
    let (open, code) = inputs(call, &given.operands).await;
    let most = given
        .value('l')
        .or(given.value('n'))
        .and_then(size)
        .unwrap_or(u64::MAX);
    for (_, input) in open {
        if let Some(skip) = given.value('s').and_then(size) {
            pass_over(&input, skip).await;
        }
        let shown = |byte: &u8| {
            if byte.is_ascii_graphic() || *byte == b' ' {
                char::from(*byte)
            } else {
                '.'
            }
        };
        let row = |at: u64, bytes: &[u8]| {
            if plain {
                return hexadecimal(bytes);
            }
            let pairs: Vec<String> = bytes.chunks(2).map(hexadecimal).collect();
            let text: String = bytes.iter().map(shown).collect();
            format!("{at:08x}: {:<39}  {text}\n", pairs.join(" "))
        };
        dump(call, &input, most, row).await?;
        if plain {
            call.out("\n").await?;
        }
    }
    Ok(code)
}

/// `cmp` and `diff`: whether two files are the same, and where they are not.
async fn compare(call: &mut Call) -> Ended {
    let given = read_options!(call, "slqurNaB", Mix::Anywhere);
    let [one, two] = given.operands.as_slice() else {
        return Ok(call.complain("needs 2 arguments").await);
    };
    let (open, failed) = inputs(call, &given.operands).await;
    let [(_, left), (_, right)] = open.as_slice() else {
        return Ok(failed.max(2));
    };
    let (mut at, mut line) = (1u64, 1u64);
    loop {
        let (first, second) = (take(left, 4096).await, take(right, 4096).await);
        let same = first
            .iter()
            .zip(&second)
            .take_while(|(first, second)| first == second)
            .count();
        line += first[..same].iter().filter(|byte| **byte == b'\n').count() as u64;
        at += same as u64;
        if same == first.len() && same == second.len() {
            if first.is_empty() {
                return Ok(0);
            }
            continue;
        }
        let text = match (call.name(), same == first.len() || same == second.len()) {
            ("diff", _) => format!("Files {one} and {two} differ\n"),
            (_, true) => format!("cmp: EOF on {}\n", if same == first.len() { one } else { two }),
            (_, false) => format!("{one} {two} differ: char {at}, line {line}\n"),
        };
        if !given.has('s') {
            if text.starts_with("cmp: ") {
                call.err(text).await;
            } else {
                call.out(text).await?;
            }
        }
        return Ok(1);
    }
}
