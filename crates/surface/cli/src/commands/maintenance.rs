//! The commands about phones, reports, this computer and the Operator app.

use crate::flags;
use crate::flags::observe as own;
use crate::spec::{Command, CommandSpec, GroupSpec, argument, options, row};

pub(super) const PACKAGES: GroupSpec =
    GroupSpec { name: "packages", synonyms: &[], about: "Lists what is installed on a phone.", details: "" };

/// The commands about the Operator app.
pub(super) const OPERATOR: GroupSpec = GroupSpec {
    name: "operator",
    synonyms: &[],
    about: "Installs the Operator app on a phone.",
    details: "The Operator app can run executions on the phone itself. It is optional: without it executions run \
        from this computer, over adb.",
};

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    row(
        Command::Observe,
        "observe",
        "Shows the screen as a model sees it: a scaled picture and the elements on it.",
    )
    .details("Prints a list on a terminal and with --output pretty, and JSON with the pictures in base 64 otherwise \
            and with --json. A list comes with the picture in a file: the one of --path, or a new one in the folder for \
            pictures. A window that forbids pictures is black there, and named.")
    .flags(&[options(&[own::SOM, own::IMAGE, own::MODEL, own::PACKAGES, flags::PATH])])
    .examples(&[
        "clawperator observe --som --output pretty",
        "clawperator observe --json --image jpeg --model claude-opus-4.6",
        "clawperator observe --som --path screen.png",
    ]),
    row(Command::Devices, "devices", "Lists the phones that can be reached.")
        .details("These are the phones that the adb server knows, in any state, and the simulated phones that run.")
        .examples(&["clawperator devices", "clawperator devices --output pretty"]),
    row(Command::Packages, "list", "Lists the packages of a phone.")
        .inside(PACKAGES.name)
        .details("apps has those with an icon, and their labels as far as the phone says them.")
        .flags(&[options(&[flags::THIRD_PARTY])])
        .examples(&["clawperator packages list --device sim", "clawperator packages list --third-party"]),
    row(Command::Report, "report", "Writes an HTML report of an execution, from its journal.")
        .details("The report is one HTML file that loads nothing from elsewhere. It has screenshots if the execution \
            ran with --report; otherwise it draws the elements of each screen. With --fixture it writes an app file \
            for the simulated phone instead, and the payload beside it, so that the run can be repeated there.")
        .arguments(&[argument(
            "JOURNAL",
            "The command id of an execution, the name of a journal, or its folder.",
        )])
        .flags(&[options(&[flags::REPORT_OUT, flags::FIXTURE])])
        .examples(&[
            "clawperator report click-1794734112345-abc1234 --out click.html",
            "clawperator report c1 --fixture world.yaml",
        ]),
    row(Command::Doctor, "doctor", "Checks whether executions can run, and says what to do if not.")
        .details("Checks this computer, adb, the simulated phones and every phone, or the phone that --device names. \
            Prints text on a terminal and with --output pretty, and JSON otherwise and with --json. The exit code is \
            1 if something is wrong that executions need.")
        .flags(&[options(&[flags::FIX, flags::FULL, flags::CHECK_ONLY])])
        .examples(&[
            "clawperator doctor",
            "clawperator doctor --device sim --output pretty",
            "clawperator doctor --fix --json",
        ]),
    row(
        Command::GrantPermissions,
        "grant-device-permissions",
        "Gives the Operator app of a phone the permissions it needs.",
    )
    .details("Turns on its accessibility service and its notification listener, and allows it to show \
            notifications. It changes nothing that is already granted.")
    .examples(&[
        "clawperator grant-device-permissions --device sim",
        "clawperator grant-device-permissions --operator-package com.clawperator.operator.dev",
    ]),
    row(Command::Version, "version", "Prints this program's version.")
        .details("With --check-compat the exit code is 1 if the phone's Operator app does not fit.")
        .flags(&[options(&[flags::CHECK_COMPAT])])
        .examples(&["clawperator version", "clawperator version --check-compat --device sim"]),
    row(Command::Logs, "logs", "Prints today's log and follows it.")
        .details("The log has one line of JSON for each event, and never what was typed or read. It is in \
            CLAWPERATOR_LOG_DIR, or in the folder logs of CLAWPERATOR_HOME. Days begin at midnight UTC.")
        .flags(&[options(&[flags::NO_FOLLOW])])
        .examples(&["clawperator logs", "clawperator logs --no-follow"]),
    row(Command::SetupGuide, "setup", "Says how to set up a phone.")
        .aka(&["install"])
        .examples(&["clawperator setup", "clawperator install"]),
    row(Command::OperatorSetup, "setup", "Installs the Operator app and grants its permissions.")
        .inside(OPERATOR.name)
        .aka(&["install"])
        .details("Replaces an older version. The package name is read from the file; --operator-package says which \
            package it must be, if not the usual one.")
        .flags(&[options(&[flags::APK])])
        .examples(&[
            "clawperator operator setup --apk operator.apk --device sim",
            "clawperator operator install --apk operator-debug.apk --operator-package com.clawperator.operator.dev",
        ]),
];
