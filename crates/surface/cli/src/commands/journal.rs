//! The commands of `journal`.

use crate::flags;
use crate::spec::JournalCommand as Journal;
use crate::spec::{ArgumentSpec, Command, CommandSpec, GroupSpec, argument, options, row};

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "journal",
    synonyms: &[],
    about: "Shows what executions did.",
    details: "Every execution on a phone writes a journal to the state folder: what was sent, seen, decided and \
        waited for. Its lines are chained by hashes, so that a change shows. CLAWPERATOR_JOURNAL=off or \
        --no-journal turns it off.",
};

const WHICH: ArgumentSpec =
    argument("JOURNAL", "The command id of an execution, the name of a journal, or its folder.");

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    journal(Journal::List, "list", "Lists journals, the newest first.")
        .flags(&[options(&[flags::JOURNAL_LIMIT])])
        .examples(&["clawperator journal list", "clawperator journal list --limit 5 --output pretty"]),
    journal(Journal::Show, "show", "Shows a journal.")
        .details("Prints text; with --json it prints the lines as they are stored.")
        .arguments(&[WHICH])
        .examples(&[
            "clawperator journal show click-1794734112345-abc1234",
            "clawperator journal show c1 --json",
        ]),
    journal(Journal::Verify, "verify", "Checks that journals were not changed.")
        .details(
            "Exits with 1 and names the first bad line if one was changed. A journal that is cut off passes: \
            the run was killed, or is still running.",
        )
        .arguments(&[WHICH])
        .flags(&[options(&[flags::EVERY_JOURNAL])])
        .examples(&["clawperator journal verify c1", "clawperator journal verify --all"]),
];

const fn journal(command: Journal, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Journal(command), name, about).inside(GROUP.name)
}
