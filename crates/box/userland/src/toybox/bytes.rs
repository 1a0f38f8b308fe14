//! Commands about bytes: sums, `base64`, `dd`.

use super::options::{Mix, options, size};
use super::text::inputs;
use super::{BasicCommand, row};
use crate::call::{Call, Write};
use crate::limits;
use crate::machine::ExitResult;
use crate::stream::Input;
use base64::Engine as _;
use sha1::digest::Digest;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("md5sum", "[-bc] [FILE...]", sums::<md5::Md5>),
    row!("sha1sum", "[-b] [FILE...]", sums::<sha1::Sha1>),
    row!("sha256sum", "[-b] [FILE...]", sums::<sha2::Sha256>),
    row!("base64", "[-di] [-w COLUMNS] [FILE]", base64),
    row!("dd", "[if=FILE] [of=FILE] [bs=N] [count=N] [skip=N] [seek=N]", dd),
];

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn sums<D: Digest + Send>(call: &mut Call) -> ExitResult {
    let given = options(call, "bcs", Mix::Anywhere)?;
    let (open, code) = inputs(call, &given.operands).await;
    for (name, input) in open {
        let mut digest = D::new();
        while let Some(piece) = input.read().await {
            digest.update(&piece);
            tokio::task::consume_budget().await;
        }
        let sum = hexadecimal(&digest.finalize());
        let line = if given.has('b') { format!("{sum}\n") } else { format!("{sum}  {name}\n") };
        call.out(line).await?;
    }
    Ok(code)
}

async fn base64(call: &mut Call) -> ExitResult {
    let given = options(call, "diw:", Mix::Anywhere)?;
    let (open, mut code) = inputs(call, &given.operands).await;
    let engine = base64::engine::general_purpose::STANDARD;
    for (_, input) in open {
        let all = input.read_all().await;
        if given.has('d') {
            let letters: Vec<u8> = all.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
            match engine.decode(&letters) {
                Ok(bytes) => call.stdout.write(bytes).await?,
                Err(_) => code = call.complain("bad input").await,
            }
            continue;
        }
        let columns = given.value('w').and_then(|text| text.parse().ok()).unwrap_or(76usize);
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
