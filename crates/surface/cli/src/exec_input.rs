//! Finds and reads the payload of `exec`: inline JSON, a file, or standard
//! input. It reads no more than the contract allows.

use super::args::Args;
use super::flags;
use clawperator_contract::limits::MAX_INPUT_BYTES;
use clawperator_contract::{ErrorCode, Failure, ReadError, text};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

pub(super) fn read(args: &Args, stdin: &mut dyn Read) -> Result<Vec<u8>, Failure> {
    args.refuse_both(&flags::PAYLOAD)?;
    let source = args.argument_bytes().or(args.bytes(&flags::PAYLOAD)?);
    let is_blank = |source: &&OsStr| source.to_str().is_some_and(text::is_blank);
    let source = source.filter(|source| !is_blank(source));
    let source =
        source.ok_or_else(|| args.missing("a payload: inline JSON, a file, or - for standard input"))?;
    // Bytes that are not UTF-8 can only be the name of a file.
    let Some(trimmed) = source.to_str().map(text::trim) else {
        return read_file(Path::new(source));
    };
    if trimmed == "-" {
        return read_bounded(stdin, "standard input");
    }
    // A file can be called "[draft].json", but hardly "{…}".
    let is_inline = trimmed.starts_with('{') || (trimmed.starts_with('[') && !Path::new(trimmed).exists());
    if is_inline {
        return Ok(trimmed.as_bytes().to_vec());
    }
    read_file(Path::new(trimmed))
}

fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = format!("the file \"{}\"", text::excerpt(&path.to_string_lossy()));
    let mut file = File::open(path).map_err(|error| unreadable(&shown, &error))?;
    read_bounded(&mut file, &shown)
}

fn read_bounded(source: &mut dyn Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells a full payload from one that is too large.
    let limit = MAX_INPUT_BYTES as u64 + 1;
    source.take(limit).read_to_end(&mut bytes).map_err(|error| unreadable(name, &error))?;
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(ReadError::TooLarge.into());
    }
    Ok(bytes)
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::new(ErrorCode::ExecutionValidationFailed, format!("cannot read {name}: {error}"))
        .hint("Give inline JSON that starts with {, the path of a readable file, or - for standard input.")
}
