//! `clawperator record`: recordings are started, stopped, fetched, read, and
//! become executions.

mod compile;
mod parse;
mod pull;
mod replay;

use super::World;
use super::build;
use super::command::{CHECKING, CommandSpec, GroupSpec, OPTIONS, PLAIN, Run};
use super::flag::{self, FlagSpec, one, switch};
use super::given::{Given, flag_failure};
use crate::recorder::{Keeper, Place};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_recording::limits::MAX_READ_BYTES;
use clawperator_recording::{Recording, SessionId, Start, read};
use clawperator_runtime::Recordings;
use serde::Serialize;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The group.
pub(crate) const GROUP: GroupSpec = GroupSpec {
    name: "record",
    synonyms: &["recording"],
    about: "Records what fingers do on a phone, and does it again.",
    details: "A recording is a file of JSON lines, made on this computer from the phone's input events and \
        screens; nothing is installed. It holds what fingers do, not what executions do. Recordings are in the \
        state folder (CLAWPERATOR_HOME, or ~/.clawperator) under recordings.",
};

const SESSION: &[FlagSpec] = &[one(
    "session-id",
    "ID",
    "The recording's name: letters, digits, - and _.",
)];
const PULL: &[FlagSpec] = &[
    one(
        "session-id",
        "ID",
        "The recording's name; without it, the latest.",
    ),
    one(
        "out",
        "DIR",
        "The folder it is copied to [default: ./recordings/].",
    )
    .missing(ErrorCode::Usage),
];
const PARSE: &[FlagSpec] = &[INPUT, NAMED, OUT];
const COMPILE: &[FlagSpec] = &[INPUT, NAMED, OUT, KEEP_OPEN];
const REPLAY: &[FlagSpec] = &[INPUT, NAMED, KEEP_OPEN];
const INPUT: FlagSpec = one("input", "FILE", "The recording's file.").missing(ErrorCode::Usage);
const NAMED: FlagSpec = one(
    "session-id",
    "ID",
    "A recording of this computer by its name, instead of --input; without either, the latest.",
);
const OUT: FlagSpec = one("out", "FILE", "The file to write.").missing(ErrorCode::Usage);
const KEEP_OPEN: FlagSpec = switch(
    "keep-open",
    "Open apps as they are; without it each is ended first, to begin where it always begins.",
);
const WAITING: &[FlagSpec] = flag::GOAL.split_at(2).1;

const IN_RECORD: CommandSpec = CommandSpec {
    group: GROUP.name,
    flags: &[],
    ..PLAIN
};

/// The commands, in the order of the help.
pub(crate) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "start",
        about: "Starts recording a phone in the background.",
        details: "It ends with record stop, after an hour, when it has become too large, or when the phone goes \
            away. What is typed into password fields is not recorded.",
        flags: &[(OPTIONS, SESSION), (CHECKING, flag::GOAL)],
        examples: &[
            "clawperator record start --device sim",
            "clawperator record start --session-id login-1",
        ],
        run: Run::Flat(build::record_start),
        ..IN_RECORD
    },
    CommandSpec {
        name: "stop",
        about: "Stops the recording of a phone.",
        flags: &[(OPTIONS, SESSION), (CHECKING, flag::GOAL)],
        examples: &[
            "clawperator record stop --device sim",
            "clawperator record stop --session-id login-1",
        ],
        run: Run::Flat(build::record_stop),
        ..IN_RECORD
    },
    CommandSpec {
        name: "pull",
        about: "Copies a recording to a folder.",
        details: "Recordings of this computer are copied from the state folder. With --operator-package, or where \
            this computer has none, the recording is fetched from the phone, where the Operator app made it.",
        flags: &[(OPTIONS, PULL)],
        examples: &[
            "clawperator record pull --session-id login-1 --out ./recordings/",
            "clawperator record pull --operator-package com.clawperator.operator --device sim",
        ],
        run: Run::Act(pull::pull),
        ..IN_RECORD
    },
    CommandSpec {
        name: "parse",
        about: "Turns a recording into a step log.",
        details: "Writes FILE.steps.json unless --out names another file, and a line for each step on standard \
            error.",
        flags: &[(OPTIONS, PARSE)],
        examples: &[
            "clawperator record parse --input recordings/login-1.ndjson",
            "clawperator record parse --input login-1.ndjson --out steps.json",
        ],
        run: Run::Act(parse::parse),
        ..IN_RECORD
    },
    CommandSpec {
        name: "compile",
        about: "Turns a recording into an execution, and says what it is unsure of.",
        details: "Elements are named by id, else by role and label; a point is used only where nothing names the \
            element. Writes FILE.execution.json unless --out names another file.",
        flags: &[(OPTIONS, COMPILE)],
        examples: &[
            "clawperator record compile --input recordings/login-1.ndjson",
            "clawperator record compile --session-id login-1 --out login.json",
        ],
        run: Run::Act(compile::compile),
        ..IN_RECORD
    },
    CommandSpec {
        name: "replay",
        about: "Does what a recording shows, and compares the screens.",
        details: "The exit code is 0 if every step succeeded and the last screen has the same elements as the \
            recorded one. A last screen that was recorded and cannot be seen now is a failure; if none was \
            recorded, the end is unknown, and a warning says so.",
        flags: &[(OPTIONS, REPLAY), (CHECKING, WAITING)],
        examples: &[
            "clawperator record replay --input recordings/login-1.ndjson --device sim",
            "clawperator record replay --session-id login-1 --keep-open",
        ],
        run: Run::Act(replay::replay),
        ..IN_RECORD
    },
];

/// Who keeps recordings for executions.
pub(super) fn keeper(world: &World) -> Arc<dyn Recordings> {
    Arc::new(Keeper {
        place: place(world),
        program: (world.program)().ok(),
        now_ms: world.now_ms,
        random: world.random,
    })
}

fn place(world: &World) -> Place {
    Place::new(&world.phones.state)
}

fn start_of(given: &Given) -> Start {
    if given.has("keep-open") {
        Start::AsItIs
    } else {
        Start::Clean
    }
}

/// The name of a recording that a flag gives.
fn named(given: &Given) -> Result<Option<SessionId>, Failure> {
    let Some(name) = given.value("session-id") else {
        return Ok(None);
    };
    let code = ErrorCode::RecordingSessionNotFound;
    let refused = || {
        let message = format!("\"{}\" is no name of a recording", text::excerpt(name));
        let hint = "Letters, digits, - and _ make a name, but for latest and running. Without --session-id the \
                    latest recording is taken.";
        flag_failure(code, "session-id", message).hint(hint)
    };
    SessionId::new(name).map(Some).ok_or_else(refused)
}

/// The recording that a command line names: a file, a recording of this
/// computer, or the latest of them.
fn source(given: &Given, world: &World) -> Result<PathBuf, Failure> {
    let place = place(world);
    let session = named(given)?;
    match (given.value("input"), session) {
        (Some(_), Some(_)) => {
            let message = "name the recording with --input or --session-id, not both";
            Err(flag_failure(ErrorCode::Usage, "input", message))
        }
        (Some(path), None) => Ok(PathBuf::from(path)),
        (None, session) => {
            let session = session.or_else(|| place.latest());
            let file = session.map(|session| place.file_of(&session));
            file.filter(|file| file.is_file()).ok_or_else(none_found)
        }
    }
}

fn none_found() -> Failure {
    let code = ErrorCode::RecordingSessionNotFound;
    Failure::of(code, code.row().meaning)
}

/// Reads a recording's file.
fn recording(path: &Path) -> Result<Recording, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| {
        let shown = path.display().to_string();
        let message = format!("cannot read \"{}\": {error}", text::excerpt(&shown));
        Failure::new(ErrorCode::RecordingParseFailed, message)
            .hint("Name the file of a recording with --input.")
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let mut bytes = Vec::new();
    let most = MAX_READ_BYTES as u64 + 1;
    file.take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(&error))?;
    Ok(read(&String::from_utf8_lossy(&bytes))?)
}

/// The file that a command writes: as `--out` says, or beside its input.
fn target(given: &Given, input: &Path, extension: &str) -> PathBuf {
    if let Some(out) = given.value("out") {
        return PathBuf::from(out);
    }
    let is_usual = input.extension().is_some_and(|own| own == "ndjson");
    let stem = if is_usual {
        input.with_extension("")
    } else {
        input.to_owned()
    };
    let mut out = stem.into_os_string();
    out.push(format!(".{extension}"));
    out.into()
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        let shown = path.display().to_string();
        let message = format!("cannot write \"{}\": {error}", text::excerpt(&shown));
        Failure::of(ErrorCode::FileWriteFailed, message)
    };
    let text = serde_json::to_string_pretty(value).map_err(|error| failed(&error))?;
    // What is on a user's screen is nobody else's to read.
    crate::recorder::write_private(path, text.as_bytes()).map_err(|error| failed(&error))
}
