//! Commands about bytes: sums, `base64`, `dd`.

use super::options::{options, size};
use super::text::inputs;
use super::{BasicCommand, row};
use crate::call::{Call, Write};
use crate::limits;
use crate::machine::ExitResult;
use crate::stream::Input;
use base64::Engine as _;
use sha1::digest::Digest;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("md5sum", "[-bcs] [FILE...]", sums::<md5::Md5>),
    row!("sha1sum", "[-bcs] [FILE...]", sums::<sha1::Sha1>),
    row!("sha224sum", "[-bcs] [FILE...]", sums::<sha2::Sha224>),
    row!("sha256sum", "[-bcs] [FILE...]", sums::<sha2::Sha256>),
    row!("sha384sum", "[-bcs] [FILE...]", sums::<sha2::Sha384>),
    row!("sha512sum", "[-bcs] [FILE...]", sums::<sha2::Sha512>),
    row!("base64", "[-di] [-w COLUMNS] [FILE]", base64),
    row!("dd", "[if=FILE] [of=FILE] [bs=N] [count=N] [skip=N] [seek=N]", dd),
];

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn sum_of<D: Digest + Send>(input: &Input) -> String {
    let mut digest = D::new();
    while let Some(piece) = input.read().await {
        digest.update(&piece);
        tokio::task::consume_budget().await;
    }
    hexadecimal(&digest.finalize())
}

async fn sums<D: Digest + Send>(call: &mut Call) -> ExitResult {
    let given = options(call, "bc(check)s(status)[!bc]")?;
    if given.has('s') && !given.has('c') {
        return Err("-s only with -c".into());
    }
    let (open, mut code) = inputs(call, &given.operands).await;
    for (name, input) in open {
        if !given.has('c') {
            let sum = sum_of::<D>(&input).await;
            let line = if given.has('b') { format!("{sum}\n") } else { format!("{sum}  {name}\n") };
            call.out(line).await?;
            continue;
        }
        let mut any = false;
        while let Some(line) = input.read_line().await {
            let line = String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned();
            let Some((sum, file)) = line.split_once("  ") else {
                code = call.complain(format!("bad line {line}")).await;
                continue;
            };
            any = true;
            let fits = match call.open(file) {
                Ok(input) => sum_of::<D>(&input).await.eq_ignore_ascii_case(sum),
                Err(_) => {
                    code = 1;
                    continue;
                }
            };
            code = code.max(u8::from(!fits));
            if !given.has('s') {
                call.out(format!("{file}: {}\n", if fits { "OK" } else { "FAILED" })).await?;
            }
        }
        if !any {
            code = call.complain(format!("{name}: no lines")).await;
        }
    }
    Ok(code)
}

async fn base64(call: &mut Call) -> ExitResult {
    let given = options(call, "diw#<0[!dw]")?;
    let (open, code) = inputs(call, &given.operands).await;
    let engine = base64::engine::general_purpose::STANDARD;
    for (_, input) in open {
        let all = input.read_all().await;
        if given.has('d') {
            // What is no letter is passed over; what no byte comes of is left out.
            let known = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
            let mut letters: Vec<u8> =
                all.into_iter().take_while(|byte| *byte != b'=').filter(known).collect();
            if letters.len() % 4 == 1 {
                letters.pop();
            }
            let lenient = base64::engine::GeneralPurposeConfig::new()
                .with_decode_allow_trailing_bits(true)
                .with_decode_padding_mode(base64::engine::DecodePaddingMode::RequireNone);
            let engine = base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, lenient);
            call.stdout.write(engine.decode(&letters).unwrap_or_default()).await?;
            continue;
        }
        let columns = given.number('w').and_then(|columns| usize::try_from(columns).ok()).unwrap_or(76);
        let text = engine.encode(&all);
        let mut lines = String::with_capacity(text.len() + text.len() / 64);
        for line in text.as_bytes().chunks(if columns == 0 { usize::MAX } else { columns }) {
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
pub(super) async fn take(input: &Input, count: usize) -> Vec<u8> {
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

/// What `dd` may be asked to convert.
const CONVERSIONS: &[&str] = &["fsync", "noerror", "notrunc", "sync"];

async fn dd(call: &mut Call) -> ExitResult {
    let words = call.args[1..].to_vec();
    let get = |name: &str| words.iter().rev().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let number = |name: &str, usual: u64| get(name).map_or(Some(usual), size);
    let (Some(block), Some(count), Some(skip), Some(seek)) =
        (number("bs", 512), number("count", u64::MAX), number("skip", 0), number("seek", 0))
    else {
        return Err("bad number".into());
    };
    let block = usize::try_from(block).unwrap_or(usize::MAX).clamp(1, limits::MAX_SUBSTITUTION);
    let from = get("if").unwrap_or("-");
    let input = call.open(from).map_err(|error| format!("{from}: {error}"))?;
    if let Some(unknown) = get("conv").filter(|conv| conv.split(',').any(|name| !CONVERSIONS.contains(&name)))
    {
        return Err(format!("bad conv={unknown}").into());
    }
    let keep = seek > 0 || get("conv").is_some_and(|conv| conv.contains("notrunc"));
    let mode = if keep { Write::Keep } else { Write::Truncate };
    let output = match get("of") {
        None => call.stdout.clone(),
        Some(path) => call.create(path, mode).map_err(|error| format!("{path}: {error}"))?,
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
        call.err(format!("{whole}+{part} records in\n{whole}+{part} records out\n{bytes} bytes copied\n"))
            .await;
    }
    Ok(0)
}
