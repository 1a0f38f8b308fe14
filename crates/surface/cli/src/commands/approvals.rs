//! The commands of `approvals`.

use crate::flags;
use crate::flags::approvals as own;
use crate::spec::ApprovalsCommand as Approvals;
use crate::spec::{ArgumentSpec, Command, CommandSpec, GroupSpec, argument, options, row};

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "approvals",
    synonyms: &["approval"],
    about: "Shows and decides what agents ask a person for.",
    details: "A request is decided once: on its page, here, or over HTTP. What is given goes to the process that asked, \
        and is sealed on its way. docs/approvals.md has all of it.",
};

const ID: ArgumentSpec = argument("ID", "The request, such as ap-0123456789abcdef.");

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    approvals(Approvals::List, "list", "Lists requests, the newest first.")
        .flags(&[options(&[own::STATE, flags::JOURNAL_LIMIT])])
        .examples(&[
            "clawperator approvals list",
            "clawperator approvals list --state pending --output pretty",
        ]),
    approvals(Approvals::Show, "show", "Shows a request.")
        .details("With --link it also makes a new link to its page and prints it with a QR code; a server must run.")
        .arguments(&[ID])
        .flags(&[options(&[own::LINK])])
        .examples(&[
            "clawperator approvals show ap-0123456789abcdef",
            "clawperator approvals show ap-0123456789abcdef --link",
        ]),
    approvals(Approvals::Approve, "approve", "Approves a request, and gives what it asks for.")
        .details("What is given comes from a file or from standard input, so that it is in no list of processes.")
        .arguments(&[ID])
        .flags(&[options(&[own::ANSWER, own::TEXT_FILE, own::NOTE])])
        .examples(&[
            "clawperator approvals approve ap-0123456789abcdef",
            "clawperator approvals approve ap-0123456789abcdef --text-file -",
            "clawperator approvals approve ap-0123456789abcdef --answer answer.json --note 'once only'",
        ]),
    approvals(Approvals::Reject, "reject", "Rejects a request.")
        .arguments(&[ID])
        .flags(&[options(&[own::NOTE])])
        .examples(&[
            "clawperator approvals reject ap-0123456789abcdef",
            "clawperator approvals reject ap-0123456789abcdef --note 'not this shop'",
        ]),
];

const fn approvals(command: Approvals, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Approvals(command), name, about).inside(GROUP.name)
}
