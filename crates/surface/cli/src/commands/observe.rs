//! The command `observe`.

use crate::flags;
use crate::flags::observe as own;
use crate::spec::{Command, CommandSpec, options, row};

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[row(
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
])];
