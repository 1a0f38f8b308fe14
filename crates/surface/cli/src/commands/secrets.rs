//! The commands of `secrets`.

use crate::flags::secrets as own;
use crate::spec::SecretsCommand as Secrets;
use crate::spec::{ArgumentSpec, Command, CommandSpec, GroupSpec, argument, options, row};

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "secrets",
    synonyms: &["secret"],
    about: "Keeps values that are typed by name, and never shown.",
    details: "A text that is typed names a value with {{secret:NAME}}. Values are sealed, belong to one session, and \
        end after a time. docs/secrets.md has all of it.",
};

const NAME: ArgumentSpec = argument("NAME", "Its name.");

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    secrets(Secrets::List, "list", "Lists the names of a session's values, and when each ends.")
        .flags(&[options(&[own::SESSION])])
        .examples(&["clawperator secrets list", "clawperator secrets list --session shop"]),
    secrets(Secrets::Set, "set", "Reads a value from standard input and keeps it under a name.")
        .details(
            "A terminal does not show what is typed. A value is never an argument, because others see those.",
        )
        .arguments(&[NAME])
        .flags(&[options(&[own::APP, own::MINUTES, own::SESSION])])
        .examples(&[
            "clawperator secrets set bank.pin --app com.example.bank",
            "clawperator secrets set shop --minutes 10",
        ]),
    secrets(Secrets::Forget, "forget", "Forgets a value, or without a name all values of the session.")
        .arguments(&[NAME])
        .flags(&[options(&[own::SESSION])])
        .examples(&["clawperator secrets forget bank.pin", "clawperator secrets forget"]),
];

const fn secrets(command: Secrets, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Secrets(command), name, about).inside(GROUP.name)
}
