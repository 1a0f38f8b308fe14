//! The commands of `lane`.

use crate::flags::lane as own;
use crate::spec::LaneCommand as Lane;
use crate::spec::{Command, CommandSpec, GroupSpec, options, row};

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "lane",
    synonyms: &[],
    about: "Sets up the fast lane: a server on the phone that reads the screen in milliseconds.",
    details: "The server is uiautomator2's u2.jar. It is not a part of this program, and nothing works only with it. \
        docs/fast-lane.md says what it puts on the phone, how to take that away, and when not to use it.",
};

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    lane(Lane::Setup, "setup", "Puts the server on a phone and starts it.")
        .aka(&["install", "start"])
        .details("Finds u2.jar, checks its digest against the known ones, pushes it to /data/local/tmp/clawperator-lane, \
            starts it there and checks that it answers. From then on executions on this phone use it, and start it \
            again where it does not run.")
        .flags(&[options(&[own::JAR, own::DOWNLOAD, own::INDEX_URL, own::ALLOW_UNKNOWN, own::IDLE])])
        .examples(&[
            "clawperator lane setup --device sim",
            "clawperator lane setup --download",
            "clawperator lane setup --jar u2.jar --idle 60",
        ]),
    lane(Lane::Status, "status", "Says whether the server runs, since when, and who else is in its way.")
        .details("reads says whether the server that runs can read the screen; if not, message says why. A phone has one \
            UiAutomation slot. slot lists the programs on the phone that can hold it, and how to \
            end them.")
        .examples(&["clawperator lane status", "clawperator lane status --device sim --output pretty"]),
    lane(Lane::Stop, "stop", "Ends the server on a phone.")
        .details("Its file stays, and the next execution that may use it starts it again. remove takes it away.")
        .flags(&[options(&[own::ANY])])
        .examples(&["clawperator lane stop", "clawperator lane stop --any --device sim"]),
    lane(Lane::Remove, "remove", "Ends the server and removes everything of it from the phone.")
        .aka(&["uninstall"])
        .details("Afterwards there is no file and no process of it on the phone, and executions read the screen with \
            the phone's own command again.")
        .examples(&["clawperator lane remove", "clawperator lane remove --device sim"]),
];

const fn lane(command: Lane, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Lane(command), name, about).inside(GROUP.name)
}
