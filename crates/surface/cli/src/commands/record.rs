//! The commands of `record`.

use crate::flags;
use crate::spec::RecordCommand as Record;
use crate::spec::{Command, CommandSpec, FlagGroup, FlatCommand, GroupSpec, options, row};

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "record",
    synonyms: &["recording"],
    about: "Records what a person does on a phone, and replays it.",
    details: "A recording is a file of JSON lines, made on this computer from the phone's input events and \
        screens; nothing is installed. It holds what fingers do, not what executions do. Recordings are in the \
        state folder (CLAWPERATOR_HOME, or ~/.clawperator) under recordings.",
};

const EXECUTION: FlagGroup = FlagGroup { heading: "Execution", flags: flags::EXECUTION };
const RUN: FlagGroup = FlagGroup { heading: "Execution", flags: flags::RUN };

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    record(Command::Flat(FlatCommand::RecordStart), "start", "Starts recording a phone in the background.")
        .details("It ends with record stop, after an hour, when it has become too large, or when the phone \
            disconnects. What is typed into password fields is not recorded.")
        .flags(&[options(&[flags::SESSION_ID]), EXECUTION])
        .examples(&[
            "clawperator record start --device sim",
            "clawperator record start --session-id login-1",
        ]),
    record(Command::Flat(FlatCommand::RecordStop), "stop", "Stops the recording of a phone.")
        .flags(&[options(&[flags::SESSION_ID]), EXECUTION])
        .examples(&["clawperator record stop --device sim", "clawperator record stop --session-id login-1"]),
    record(Command::Record(Record::Pull), "pull", "Copies a recording to a folder.")
        .details("Recordings of this computer are copied from the state folder. With --operator-package, or if \
            this computer has none, the recording is fetched from the phone, where the Operator app made it. While \
            one is running, name the one to copy: the latest is not there yet.")
        .flags(&[options(&[flags::PULLED_SESSION_ID, flags::PULL_OUT])])
        .examples(&[
            "clawperator record pull --session-id login-1 --out ./recordings/",
            "clawperator record pull --operator-package com.clawperator.operator --device sim",
        ]),
    record(Command::Record(Record::Delete), "delete", "Deletes a recording of this computer.")
        .details("What was made of it in the same folder goes with it. A recording that is running is not deleted.")
        .flags(&[options(&[flags::DELETED_SESSION_ID])])
        .examples(&[
            "clawperator record delete --session-id login-1",
            "clawperator record delete --session-id login-1 --output pretty",
        ]),
    record(Command::Record(Record::Parse), "parse", "Turns a recording into a step log.")
        .details("Writes FILE.steps.json unless --out names another file, and prints a line for each step on \
            standard error.")
        .flags(&[options(&[flags::RECORDING_INPUT, flags::LOCAL_SESSION_ID, flags::OUT])])
        .examples(&[
            "clawperator record parse --input recordings/login-1.ndjson",
            "clawperator record parse --input login-1.ndjson --out steps.json",
        ]),
    record(
        Command::Record(Record::Compile),
        "compile",
        "Turns a recording into an execution, and lists what is uncertain.",
    )
    .details("Elements are matched by id, else by role and label; a point is used only where nothing identifies \
            the element. Writes FILE.execution.json unless --out names another file.")
    .flags(&[options(&[flags::RECORDING_INPUT, flags::LOCAL_SESSION_ID, flags::OUT, flags::KEEP_OPEN])])
    .examples(&[
        "clawperator record compile --input recordings/login-1.ndjson",
        "clawperator record compile --session-id login-1 --out login.json",
    ]),
    record(
        Command::Record(Record::Replay),
        "replay",
        "Repeats a recording on a phone, and compares the screens.",
    )
    .details("The exit code is 0 if every step succeeded and the last screen has the same elements as the \
            recorded one. It fails if a last screen was recorded and cannot be seen now. If none was \
            recorded, the end is unknown, and a warning says so.")
    .flags(&[options(&[flags::RECORDING_INPUT, flags::LOCAL_SESSION_ID, flags::KEEP_OPEN]), RUN])
    .examples(&[
        "clawperator record replay --input recordings/login-1.ndjson --device sim",
        "clawperator record replay --session-id login-1 --keep-open",
    ]),
];

const fn record(command: Command, name: &'static str, about: &'static str) -> CommandSpec {
    row(command, name, about).inside(GROUP.name)
}
