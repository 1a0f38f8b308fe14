//! `gzip` and its like: one compressed file each, no archive.

use super::options::options;
use super::{BasicCommand, row};
use crate::call::{Call, Write};
use crate::limits;
use crate::machine::ExitResult;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("gzip", "[-19cdfkt] [FILE...]", gzip),
    row!("gunzip", "[-cfkt] [FILE...]", gunzip),
    row!("zcat", "[FILE...]", zcat),
];

const SUFFIX: &str = ".gz";
const MAGIC: &[u8] = &[0x1f, 0x8b, 8];
const HEADER: usize = 10;
/// The sum and the length behind the packed bytes.
const TRAILER: usize = 8;
/// Flags of the header: what stands behind it.
const SUMMED: u8 = 2;
const EXTRA: u8 = 4;
const NAMED: u8 = 8;
const REMARKED: u8 = 16;

/// Which way it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GzipMode {
    Pack,
    Unpack,
}

async fn gzip(call: &mut Call) -> ExitResult {
    run(call, GzipMode::Pack).await
}

async fn gunzip(call: &mut Call) -> ExitResult {
    run(call, GzipMode::Unpack).await
}

async fn zcat(call: &mut Call) -> ExitResult {
    call.args.insert(1, "-c".to_owned());
    run(call, GzipMode::Unpack).await
}

async fn run(call: &mut Call, usual: GzipMode) -> ExitResult {
    let given = options(call, "ncdfkqStv123456789[-123456789]")?;
    let way = if given.has('d') || given.has('t') { GzipMode::Unpack } else { usual };
    let level = (b'1'..=b'9').rev().find(|digit| given.has(char::from(*digit)));
    let level = level.map_or(6, |digit| digit - b'0');
    let files = if given.operands.is_empty() { vec!["-".to_owned()] } else { given.operands.clone() };
    let mut code = 0;
    for file in files {
        if way == GzipMode::Unpack && !given.any("ct") && file != "-" && !file.ends_with(SUFFIX) {
            code = call.complain(format!("no {SUFFIX}: {file}")).await;
            continue;
        }
        let all = match call.open(&file) {
            Ok(input) => input.read_all().await,
            Err(error) => {
                code = call.complain(format!("{file}: {error}")).await;
                continue;
            }
        };
        let done = match way {
            GzipMode::Pack => Ok(pack(&all, level)),
            GzipMode::Unpack if !all.starts_with(MAGIC) => Err("not gzip"),
            GzipMode::Unpack => unpack(&all).ok_or("inflate EOF"),
        };
        let done = match done {
            Ok(done) => done,
            Err(wrong) => {
                code = call.complain(wrong).await;
                continue;
            }
        };
        if given.has('t') {
            continue;
        }
        if file == "-" || given.has('c') {
            call.stdout.write(done).await?;
            continue;
        }
        let keeps = !given.has('f');
        if let Err(wrong) = beside(call, &file, (way, keeps), done).await {
            code = call.complain(wrong).await;
        } else if !given.has('k') {
            let path = call.path(&file);
            // It was just read; one that cannot be removed stays.
            let _ = call.files(|files, actor| files.remove(actor, &path));
        }
    }
    Ok(code)
}

/// Writes what was made to a file of its own.
async fn beside(
    call: &mut Call,
    file: &str,
    (way, keeps): (GzipMode, bool),
    done: Vec<u8>,
) -> Result<(), String> {
    let name = match way {
        GzipMode::Pack => format!("{file}{SUFFIX}"),
        GzipMode::Unpack => file.strip_suffix(SUFFIX).unwrap_or(file).to_owned(),
    };
    let path = call.path(&name);
    if keeps && call.files(|files, actor| files.lstat(actor, &path).is_ok()) {
        return Err(format!("{name}: {}", crate::Errno::Exists));
    }
    let output = call.create(&name, Write::Truncate);
    let output = output.map_err(|error| format!("{name}: {error}"))?;
    output.write(done).await.map_err(|_| format!("{name}: No space left on device"))
}

/// Packs bytes as a file of gzip's.
pub(super) fn pack(bytes: &[u8], level: u8) -> Vec<u8> {
    // No name, no time: the same bytes give the same file.
    let mut packed = MAGIC.to_vec();
    packed.extend([0, 0, 0, 0, 0, 0, 3]);
    packed.extend(compress_to_vec(bytes, level));
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend((bytes.len() as u32).to_le_bytes());
    packed
}

/// Unpacks a file of gzip's; none if it is none, or broken.
pub(super) fn unpack(file: &[u8]) -> Option<Vec<u8>> {
    if !file.starts_with(MAGIC) {
        return None;
    }
    let flags = *file.get(3)?;
    let mut at = HEADER;
    if flags & EXTRA != 0 {
        let length = u16::from_le_bytes([*file.get(at)?, *file.get(at + 1)?]);
        at += 2 + usize::from(length);
    }
    for flag in [NAMED, REMARKED] {
        if flags & flag != 0 {
            at += 1 + file.get(at..)?.iter().position(|byte| *byte == 0)?;
        }
    }
    at += if flags & SUMMED != 0 { 2 } else { 0 };
    let end = file.len().checked_sub(TRAILER)?;
    let bytes = decompress_to_vec_with_limit(file.get(at..end)?, limits::MAX_HELD).ok()?;
    let number = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
    let whole = number(end)? == crc32(&bytes) && number(end + 4)? == bytes.len() as u32;
    whole.then_some(bytes)
}

const REMAINDERS: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| (sum >> 8) ^ REMAINDERS[usize::from(sum as u8 ^ byte)])
}
