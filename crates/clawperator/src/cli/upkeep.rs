//! The commands that look after this computer and its phones, one row each.

use super::command::{CommandSpec, GroupSpec, OPTIONS, PLAIN, Run};
use super::flag::{FlagSpec, one, switch};
use super::{doctor, logs, operator, version};
use clawperator_contract::ErrorCode;

/// The commands about the Operator app.
pub(crate) const GROUP: GroupSpec = GroupSpec {
    name: "operator",
    synonyms: &[],
    about: "Installs the Operator app on a phone.",
    details: "The Operator app can run executions on the phone itself. It is not needed: without it executions run \
        from here, over adb.",
};

const DOCTOR: &[FlagSpec] = &[
    switch(
        "fix",
        "Do what is safe about what is wrong, say what was done, and look again.",
    ),
    switch("full", "Open an app, too, to see that everything works."),
    switch("check-only", "End with exit code 0, whatever was found."),
];
const VERSION: &[FlagSpec] = &[switch(
    "check-compat",
    "Ask a phone for its Operator app's version and tell whether it fits.",
)];
const LOGS: &[FlagSpec] = &[switch(
    "no-follow",
    "Print what there is and end; do not wait for more.",
)];
const SETUP: &[FlagSpec] = &[one("apk", "FILE", "The app's file.").missing(ErrorCode::Usage)];

const NO_FLAGS: CommandSpec = CommandSpec { flags: &[], ..PLAIN };

/// The commands, in the order of the help.
pub(crate) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "doctor",
        about: "Tells whether executions can run, and what to do if not.",
        details: "Looks at this computer, adb, the simulated phones and every phone, or the one that --device names. \
            Prints text for people on a terminal and with --output pretty, and JSON otherwise and with --json. The \
            exit code is 1 if something is wrong that executions cannot do without.",
        flags: &[(OPTIONS, DOCTOR)],
        examples: &[
            "clawperator doctor",
            "clawperator doctor --device sim --output pretty",
            "clawperator doctor --fix --json",
        ],
        run: Run::Act(doctor::doctor),
        ..PLAIN
    },
    CommandSpec {
        name: "grant-device-permissions",
        about: "Gives the Operator app of a phone what it needs to work.",
        details: "Switches its accessibility service and its notification listener on and allows it to show \
            notifications. What it has already stays as it is.",
        examples: &[
            "clawperator grant-device-permissions --device sim",
            "clawperator grant-device-permissions --operator-package com.clawperator.operator.dev",
        ],
        run: Run::Act(operator::grant),
        ..NO_FLAGS
    },
    CommandSpec {
        name: "version",
        about: "Prints this program's version.",
        details: "With --check-compat the exit code is 1 if the Operator app of the phone does not fit.",
        flags: &[(OPTIONS, VERSION)],
        examples: &[
            "clawperator version",
            "clawperator version --check-compat --device sim",
        ],
        run: Run::Act(version::version),
        ..PLAIN
    },
    CommandSpec {
        name: "logs",
        about: "Prints today's log, and what is added to it.",
        details: "The log has one line of JSON for each thing that happened, and never what was typed or read. It is \
            in CLAWPERATOR_LOG_DIR, or in the folder logs of CLAWPERATOR_HOME; days begin at midnight UTC.",
        flags: &[(OPTIONS, LOGS)],
        examples: &["clawperator logs", "clawperator logs --no-follow"],
        run: Run::Act(logs::logs),
        ..PLAIN
    },
    CommandSpec {
        name: "setup",
        synonyms: &["install"],
        about: "Tells how to set a phone up.",
        examples: &["clawperator setup", "clawperator install"],
        run: Run::Act(operator::guide),
        ..NO_FLAGS
    },
    CommandSpec {
        group: GROUP.name,
        name: "setup",
        synonyms: &["install"],
        about: "Installs the Operator app and gives it what it needs.",
        details: "Installs over an older one. The package is read from the file; --operator-package says which one it \
            must be where it is not the usual one.",
        flags: &[(OPTIONS, SETUP)],
        examples: &[
            "clawperator operator setup --apk operator.apk --device sim",
            "clawperator operator install --apk operator-debug.apk --operator-package com.clawperator.operator.dev",
        ],
        run: Run::Act(operator::setup),
        ..PLAIN
    },
];
