//! The commands, one row each.

use super::build;
use super::docs;
use super::draft::Draft;
use super::flag::{self, FlagSpec};
use super::given::Given;
use super::listing;
use super::{Answer, World, journal, record, report, sim, upkeep};
use clawperator_contract::{Direction, Failure, Key};

/// One command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandSpec {
    /// The name of its group, such as `sim` of `sim start`; empty if it is in
    /// none.
    pub(crate) group: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// Other names for it.
    pub(crate) synonyms: &'static [&'static str],
    /// What it does.
    pub(crate) about: &'static str,
    /// What else there is to know.
    pub(crate) details: &'static str,
    /// Its argument, if it takes one: the name and what it says. A name that
    /// ends in `...` can be given several times.
    pub(crate) argument: Option<(&'static str, &'static str)>,
    /// The argument behind that.
    pub(crate) second: Option<(&'static str, &'static str)>,
    /// Makes the words to choose the argument from, where there are only a few.
    pub(crate) words: fn() -> Vec<&'static str>,
    /// Its flags, in groups.
    pub(crate) flags: &'static [(&'static str, &'static [FlagSpec])],
    /// Command lines that work.
    pub(crate) examples: &'static [&'static str],
    /// What it runs.
    pub(crate) run: Run,
}

impl CommandSpec {
    /// What is typed to name it: `click`, `sim start`.
    pub(crate) fn path(&self) -> String {
        format!("{} {}", self.group, self.name).trim_start().to_owned()
    }
}

/// Commands that belong together, and are named behind the group's name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupSpec {
    /// Its name.
    pub(crate) name: &'static str,
    /// Other names for it.
    pub(crate) synonyms: &'static [&'static str],
    /// What its commands are for.
    pub(crate) about: &'static str,
    /// What else there is to know.
    pub(crate) details: &'static str,
}

/// What a command runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// Builds an execution from flags.
    Flat(fn(&Given) -> Result<Draft, Failure>),
    /// Reads an execution.
    Exec,
    /// Prints something about the program itself.
    Print(fn(&Given) -> Result<String, Failure>),
    /// Does something in the world.
    Act(fn(&Given, &mut World) -> Result<Answer, Failure>),
}

pub(super) const OPTIONS: &str = "Options";
const ELEMENT: &str = "Element";
const CONTAINER: &str = "Container";
pub(super) const CHECKING: &str = "Checking";
const GOAL: (&str, &[FlagSpec]) = (CHECKING, flag::GOAL);
const SELECTOR: (&str, &[FlagSpec]) = (ELEMENT, flag::SELECTOR);
const IN_CONTAINER: (&str, &[FlagSpec]) = (CONTAINER, flag::CONTAINER);
const DIRECTIONS: &str = "Directions: down, up, left, right.";

/// What a row has where it says nothing.
pub(super) const PLAIN: CommandSpec = CommandSpec {
    group: "",
    name: "",
    synonyms: &[],
    about: "",
    details: "",
    argument: None,
    second: None,
    words: Vec::new,
    flags: &[GOAL],
    examples: &[],
    run: Run::Exec,
};

/// The commands that are in no group, in the order of the help.
const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "exec",
        synonyms: &["execute"],
        about: "Runs an execution payload.",
        details: "The payload is inline JSON, a file, or - for standard input.\n\
            --timeout replaces the payload's timeoutMs.",
        argument: Some((
            "PAYLOAD",
            "The execution: inline JSON, a file, or - for standard input.",
        )),
        flags: &[(OPTIONS, flag::PAYLOAD), GOAL],
        examples: &[
            "clawperator exec --validate-only examples/open-settings.json",
            r#"clawperator exec --dry-run --payload '{"commandId":"c1","taskId":"t1","source":"docs","expectedFormat":"android-ui-automator","timeoutMs":30000,"actions":[{"id":"snap","type":"snapshot_ui"}]}'"#,
        ],
        run: Run::Exec,
        ..PLAIN
    },
    CommandSpec {
        name: "snapshot",
        about: "Captures the screen: its hierarchy as XML, or a small view of it.",
        details: "compact is one line for each element that matters, with a ref that click, read, type, wait and \
            scroll take; json is the same as objects. --budget and --diff imply compact. With --output pretty, \
            a compact view is printed as it is.",
        flags: &[(OPTIONS, flag::VIEW), GOAL],
        examples: &[
            "clawperator snapshot",
            "clawperator snapshot --format compact --budget 400",
            "clawperator snapshot --diff --output pretty",
        ],
        run: Run::Flat(build::snapshot),
        ..PLAIN
    },
    CommandSpec {
        name: "screenshot",
        about: "Captures the screen as a PNG file.",
        flags: &[(OPTIONS, flag::PATH), GOAL],
        examples: &[
            "clawperator screenshot",
            "clawperator screenshot --path /tmp/settings.png",
        ],
        run: Run::Flat(build::screenshot),
        ..PLAIN
    },
    CommandSpec {
        name: "click",
        synonyms: &["tap"],
        about: "Clicks an element or a point.",
        flags: &[SELECTOR, (OPTIONS, flag::CLICK), GOAL],
        examples: &[
            "clawperator click --text \"Wi-Fi\"",
            "clawperator click --coordinate 540 1200 --long",
        ],
        run: Run::Flat(build::click),
        ..PLAIN
    },
    CommandSpec {
        name: "type",
        synonyms: &["fill"],
        about: "Types text into a field.",
        details: "--text is the text to type here, not a selector. A text that starts with two dashes \
            stands at the end, behind --.",
        argument: Some(("TEXT", "The text to type.")),
        flags: &[(ELEMENT, flag::FIELD_SELECTOR), (OPTIONS, flag::TYPE), GOAL],
        examples: &[
            "clawperator type \"hello world\" --role textfield",
            "clawperator type -18°C --id com.example:id/target --submit",
        ],
        run: Run::Flat(build::enter_text),
        ..PLAIN
    },
    CommandSpec {
        name: "read",
        about: "Reads the text of an element.",
        flags: &[SELECTOR, IN_CONTAINER, (OPTIONS, flag::ALL), GOAL],
        examples: &[
            "clawperator read --selector '{\"resourceId\":\"android:id/title\"}' --json",
            "clawperator read --text \"Price\" --container-id \"android:id/list\" --json",
        ],
        run: Run::Flat(build::read),
        ..PLAIN
    },
    CommandSpec {
        name: "read-value",
        synonyms: &["read-kv"],
        about: "Reads the value that stands beside a label.",
        flags: &[("Label", flag::LABEL), (OPTIONS, flag::ALL), GOAL],
        examples: &[
            "clawperator read-value --label \"Battery\" --json",
            "clawperator read-value --label-id android:id/title --json --all",
        ],
        run: Run::Flat(build::read_value),
        ..PLAIN
    },
    CommandSpec {
        name: "wait",
        about: "Waits until an element is on the screen, or gone from it.",
        details: "--timeout is how long to wait; the execution gets 5 s more, at least 30 s in all.",
        flags: &[SELECTOR, (OPTIONS, flag::GONE), GOAL],
        examples: &[
            "clawperator wait --text-contains \"Done\" --timeout 10000 --json",
            "clawperator wait --text \"Done\" --role button",
            "clawperator wait --text \"Loading\" --gone --timeout 20000",
        ],
        run: Run::Flat(build::wait),
        ..PLAIN
    },
    CommandSpec {
        name: "find",
        synonyms: &["query"],
        about: "Lists every element that fits, with its ref, place and state.",
        details: "Without a selector it lists all there are. Nothing found is a success with totalMatches 0; \
            --gone waits until it is so.",
        flags: &[SELECTOR, (OPTIONS, flag::FIND), (OPTIONS, flag::GONE), GOAL],
        examples: &[
            "clawperator find --role button",
            "clawperator find --text-contains \"Wi-Fi\" --visibility all --limit 5",
        ],
        run: Run::Flat(build::find),
        ..PLAIN
    },
    CommandSpec {
        name: "wait-for-nav",
        synonyms: &["wait-for-navigation"],
        about: "Waits until an app or an element comes up.",
        details: "Needs --timeout (at most 30000), and --app or a selector.",
        flags: &[(OPTIONS, flag::EXPECTED_APP), SELECTOR, GOAL],
        examples: &[
            "clawperator wait-for-nav --app com.android.settings --timeout 5000",
            "clawperator wait-for-nav --text \"Settings\" --timeout 5000",
        ],
        run: Run::Flat(build::wait_for_navigation),
        ..PLAIN
    },
    CommandSpec {
        name: "open",
        synonyms: &["open-uri", "open-url"],
        about: "Opens an app or a URI.",
        details: "A target with a scheme, such as https: or tel:, is a URI; anything else is a package id.",
        argument: Some(("TARGET", "A package id or a URI.")),
        flags: &[(OPTIONS, flag::APP), GOAL],
        examples: &[
            "clawperator open com.android.settings",
            "clawperator open https://clawperator.com",
        ],
        run: Run::Flat(build::open),
        ..PLAIN
    },
    CommandSpec {
        name: "close",
        synonyms: &["close-app"],
        about: "Stops an app.",
        argument: Some(("PACKAGE", "The app's package id.")),
        flags: &[(OPTIONS, flag::APP), GOAL],
        examples: &[
            "clawperator close com.android.settings",
            "clawperator close --app com.android.settings",
        ],
        run: Run::Flat(build::close),
        ..PLAIN
    },
    CommandSpec {
        name: "press",
        synonyms: &["press-key"],
        about: "Presses a key of the phone.",
        details: "Keys: back, home, recents.",
        argument: Some(("KEY", "The key.")),
        words: || Key::WORDS.to_vec(),
        flags: &[(OPTIONS, flag::KEY), GOAL],
        examples: &["clawperator press home", "clawperator press --key recents"],
        run: Run::Flat(build::press),
        ..PLAIN
    },
    CommandSpec {
        name: "back",
        about: "Presses the back key.",
        examples: &["clawperator back", "clawperator back --device emulator-5554"],
        run: Run::Flat(build::back),
        ..PLAIN
    },
    CommandSpec {
        name: "scroll",
        about: "Scrolls once.",
        details: DIRECTIONS,
        argument: Some(("DIRECTION", "Where to scroll to.")),
        words: || Direction::WORDS.to_vec(),
        flags: &[(OPTIONS, flag::SCROLL_DIRECTION), IN_CONTAINER, GOAL],
        examples: &[
            "clawperator scroll down",
            "clawperator scroll up --container-id \"android:id/list\"",
        ],
        run: Run::Flat(build::scroll),
        ..PLAIN
    },
    CommandSpec {
        name: "scroll-until",
        about: "Scrolls until an element is in view.",
        details: DIRECTIONS,
        argument: Some(("DIRECTION", "Where to scroll to [default: down].")),
        words: || Direction::WORDS.to_vec(),
        flags: &[
            SELECTOR,
            IN_CONTAINER,
            (OPTIONS, flag::UNTIL_DIRECTION),
            (OPTIONS, flag::UNTIL_CLICK),
            GOAL,
        ],
        examples: &[
            "clawperator scroll-until --text \"About phone\" --container-id \"android:id/list\"",
            "clawperator scroll-until up --text \"Network\" --click",
        ],
        run: Run::Flat(build::scroll_until),
        ..PLAIN
    },
    CommandSpec {
        name: "scroll-and-click",
        about: "Scrolls until an element is in view, then clicks it.",
        details: DIRECTIONS,
        argument: Some(("DIRECTION", "Where to scroll to [default: down].")),
        words: || Direction::WORDS.to_vec(),
        flags: &[SELECTOR, IN_CONTAINER, (OPTIONS, flag::UNTIL_DIRECTION), GOAL],
        examples: &[
            "clawperator scroll-and-click --text \"About phone\"",
            "clawperator scroll-and-click --text \"Submit\" --direction down",
        ],
        run: Run::Flat(build::scroll_and_click),
        ..PLAIN
    },
    CommandSpec {
        name: "sleep",
        about: "Waits for a fixed time.",
        argument: Some(("MS", "How long, in milliseconds.")),
        examples: &[
            "clawperator sleep 1500",
            "clawperator sleep 60000 --timeout 90000",
        ],
        run: Run::Flat(build::sleep),
        ..PLAIN
    },
    CommandSpec {
        name: "devices",
        about: "Lists the phones that can be reached.",
        details: "Those that the adb server knows, in any state, and the simulated ones that run.",
        flags: &[],
        examples: &["clawperator devices", "clawperator devices --output pretty"],
        run: Run::Act(listing::devices),
        ..PLAIN
    },
    report::COMMAND,
    CommandSpec {
        name: "schema",
        about: "Prints a JSON Schema of the contract, or of app files.",
        details: "Schemas: execution, envelope, matcher, error, doctor, app.",
        argument: Some(("NAME", "The schema's name.")),
        words: || docs::schemas().map(|schema| schema.name).collect(),
        flags: &[],
        examples: &[
            "clawperator schema execution",
            "clawperator schema matcher > matcher.json",
        ],
        run: Run::Print(docs::schema),
        ..PLAIN
    },
    CommandSpec {
        name: "completions",
        about: "Prints a completion script for a shell.",
        details: "Shells: bash, elvish, fish, powershell, zsh.",
        argument: Some(("SHELL", "The shell.")),
        words: || docs::SHELLS.map(|(name, _)| name).to_vec(),
        flags: &[],
        examples: &[
            "clawperator completions bash > ~/.local/share/bash-completion/completions/clawperator",
            "clawperator completions fish > ~/.config/fish/completions/clawperator.fish",
        ],
        run: Run::Print(docs::completions),
        ..PLAIN
    },
    CommandSpec {
        name: "man",
        about: "Prints a manual page.",
        argument: Some((
            "COMMAND...",
            "The command; the program itself where none is named.",
        )),
        words: || names("").collect(),
        flags: &[],
        examples: &[
            "clawperator man > clawperator.1",
            "clawperator man sim start > clawperator-sim-start.1",
        ],
        run: Run::Print(docs::man),
        ..PLAIN
    },
];

/// The groups.
pub(crate) const GROUPS: &[GroupSpec] = &[
    sim::GROUP,
    PACKAGES_GROUP,
    upkeep::GROUP,
    journal::GROUP,
    record::GROUP,
];

/// What is installed on a phone.
const PACKAGES_GROUP: GroupSpec = GroupSpec {
    name: "packages",
    synonyms: &[],
    about: "Tells what is installed on a phone.",
    details: "",
};

/// The commands about packages.
const PACKAGES: &[CommandSpec] = &[CommandSpec {
    group: PACKAGES_GROUP.name,
    name: "list",
    about: "Lists the packages of a phone.",
    flags: &[(OPTIONS, flag::PACKAGES)],
    examples: &[
        "clawperator packages list --device sim",
        "clawperator packages list --third-party",
    ],
    run: Run::Act(listing::packages),
    ..PLAIN
}];

/// Every command, the groups' commands included, in the order of the help.
pub(crate) fn every() -> impl Iterator<Item = &'static CommandSpec> {
    let groups = [sim::COMMANDS, PACKAGES, journal::COMMANDS, record::COMMANDS];
    let groups = groups.into_iter().flatten();
    COMMANDS.iter().chain(upkeep::COMMANDS).chain(groups)
}

/// The names of what is directly in a group, or in none.
fn names(group: &'static str) -> impl Iterator<Item = &'static str> {
    let groups = GROUPS.iter().filter(move |_| group.is_empty());
    let inside = every().filter(move |spec| spec.group == group);
    inside.map(|spec| spec.name).chain(groups.map(|group| group.name))
}

/// Finds a command of a group, or of none, by its name or a synonym.
pub(crate) fn find(group: &str, name: &str) -> Option<&'static CommandSpec> {
    let named = |spec: &&CommandSpec| spec.name == name || spec.synonyms.contains(&name);
    every().filter(|spec| spec.group == group).find(named)
}

/// Finds a group by its name or a synonym.
pub(crate) fn find_group(name: &str) -> Option<&'static GroupSpec> {
    GROUPS
        .iter()
        .find(|group| group.name == name || group.synonyms.contains(&name))
}

/// Every flag there is.
pub(super) fn every_flag() -> impl Iterator<Item = &'static FlagSpec> {
    flag::GLOBAL.iter().chain(every().flat_map(local_flags))
}

/// The flags that a command has for itself.
pub(super) fn local_flags(spec: &'static CommandSpec) -> impl Iterator<Item = &'static FlagSpec> {
    spec.flags.iter().flat_map(|(_, flags)| *flags)
}

/// The flags that a command takes; without a command, every flag there is.
pub(super) fn flags_of(spec: Option<&'static CommandSpec>) -> Box<dyn Iterator<Item = &'static FlagSpec>> {
    match spec {
        Some(spec) => Box::new(local_flags(spec).chain(flag::GLOBAL)),
        None => Box::new(every_flag()),
    }
}

/// Tells whether some table has a flag of that name.
pub(super) fn is_flag(name: &str) -> bool {
    every_flag().any(|flag| flag.name == name)
}

/// The flag that a token names.
pub(super) fn flag_of(token: &str, spec: Option<&'static CommandSpec>) -> Option<&'static FlagSpec> {
    let name = token.strip_prefix("--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    flags_of(spec).find(|flag| flag.names().any(|known| known == name))
}
