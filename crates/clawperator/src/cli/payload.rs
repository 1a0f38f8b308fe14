//! Finds and reads the payload of `exec`: inline JSON, a file, or standard
//! input. No more is read than the contract allows.

use super::given::{Given, invalid_flag};
use clawperator_contract::limits::MAX_INPUT_BYTES;
use clawperator_contract::{ErrorCode, Failure, ReadError, text};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads the payload.
pub(crate) fn read(given: &Given, stdin: &mut dyn Read) -> Result<Vec<u8>, Failure> {
    let source = match (given.argument(), given.value("payload")) {
        (Some(_), Some(_)) => {
            let message = "--payload and the argument are the same: give one of them";
            return Err(invalid_flag("payload", message));
        }
        (argument, flag) => argument.or(flag).filter(|text| !text::is_blank(text)),
    };
    let source =
        source.ok_or_else(|| given.lacks("a payload: inline JSON, a file, or - for standard input"))?;
    let trimmed = text::trim(source);
    if trimmed == "-" {
        return read_bounded(stdin, "standard input");
    }
    // A file may well be called "[draft].json"; none is called "{…}".
    let is_inline = trimmed.starts_with('{') || (trimmed.starts_with('[') && !Path::new(trimmed).exists());
    if is_inline {
        return Ok(trimmed.as_bytes().to_vec());
    }
    let shown = format!("the file \"{}\"", text::excerpt(trimmed));
    let mut file = File::open(trimmed).map_err(|error| unreadable(&shown, &error))?;
    read_bounded(&mut file, &shown)
}

fn read_bounded(source: &mut dyn Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells a full payload from one that is too large.
    let limit = MAX_INPUT_BYTES as u64 + 1;
    source
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(name, &error))?;
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(ReadError::TooLarge.into());
    }
    Ok(bytes)
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    let message = format!("cannot read {name}: {error}");
    Failure::new(ErrorCode::ExecutionValidationFailed, message)
        .hint("Give inline JSON that starts with {, the path of a readable file, or - for standard input.")
}
