//! The recording that a command line names, and the file that a command writes.

use crate::args::Args;
use crate::flags;
use crate::output::write_file;
use crate::recorder::RecordingFolder;
use crate::world::World;
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_recording::limits::MAX_READ_BYTES;
use clawperator_recording::{AppStart, Recording, RecordingId, read};
use serde::Serialize;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

pub(super) fn place(world: &World) -> RecordingFolder {
    RecordingFolder::new(&world.phones.state)
}

pub(super) fn start_of(args: &Args) -> AppStart {
    if args.has(&flags::KEEP_OPEN) { AppStart::AsItIs } else { AppStart::Clean }
}

/// The name of a recording, if a flag gives one.
pub(super) fn recording_name(args: &Args) -> Result<Option<RecordingId>, Failure> {
    let Some(name) = args.value(&flags::LOCAL_SESSION_ID)? else {
        return Ok(None);
    };
    let code = ErrorCode::RecordingSessionNotFound;
    let refused = || {
        let message = format!("\"{}\" is not a valid name of a recording", text::excerpt(name));
        let hint = "A name has letters, digits, - and _, and is not latest or running. Without --session-id the \
                    latest recording is used.";
        args.failure(code, &flags::LOCAL_SESSION_ID, message).hint(hint)
    };
    RecordingId::new(name).map(Some).ok_or_else(refused)
}

/// The recording that a command line names: a file, a recording of this
/// computer, or the latest of them.
pub(super) fn source(args: &Args, world: &World) -> Result<PathBuf, Failure> {
    let place = place(world);
    let session = recording_name(args)?;
    match (args.value(&flags::RECORDING_INPUT)?, session) {
        (Some(_), Some(_)) => {
            let message = "name the recording with --input or --session-id, not both";
            Err(args.usage(&flags::RECORDING_INPUT, message))
        }
        (Some(path), None) => Ok(PathBuf::from(path)),
        (None, session) => {
            if session.is_none() {
                place.refuse_running(None)?;
            }
            let session = session.or_else(|| place.latest());
            let file = session.map(|session| place.file_of(&session));
            file.filter(|file| file.is_file()).ok_or_else(none_found)
        }
    }
}

pub(super) fn none_found() -> Failure {
    let code = ErrorCode::RecordingSessionNotFound;
    Failure::of(code, code.row().meaning)
}

pub(crate) fn recording(path: &Path) -> Result<Recording, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        let message = format!("cannot read \"{}\": {error}", text::excerpt(&path.display().to_string()));
        Failure::new(ErrorCode::RecordingParseFailed, message)
            .hint("Name the file of a recording with --input.")
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let mut bytes = Vec::new();
    let most = MAX_READ_BYTES as u64 + 1;
    file.take(most).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    Ok(read(&String::from_utf8_lossy(&bytes))?)
}

/// The file that a command writes: as `--out` says, or beside its input.
pub(super) fn target(args: &Args, input: &Path, extension: &str) -> Result<PathBuf, Failure> {
    if let Some(out) = args.value(&flags::OUT)? {
        return Ok(PathBuf::from(out));
    }
    let is_usual = input.extension().is_some_and(|own| own == "ndjson");
    let stem = if is_usual { input.with_extension("") } else { input.to_owned() };
    let mut out = stem.into_os_string();
    out.push(format!(".{extension}"));
    Ok(out.into())
}

pub(super) fn write(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    // Texts and numbers can always be written.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    write_file(path, text.as_bytes())
}
