//! The commands that are in no group, one row each; those that look after this
//! computer and its phones are beside it.

use super::command::{CommandSpec, GOAL, OPTIONS, PLAIN, Run, names};
use super::flag::{self, FlagSpec};
use super::{build, docs, listing, report};
use clawperator_contract::{Direction, Key};

const ELEMENT: &str = "Element";
const CONTAINER: &str = "Container";
const SELECTOR: (&str, &[FlagSpec]) = (ELEMENT, flag::SELECTOR);
const IN_CONTAINER: (&str, &[FlagSpec]) = (CONTAINER, flag::CONTAINER);
const DIRECTIONS: &str = "Directions: down, up, left, right.";

/// The commands, in the order of the help.
pub(crate) const COMMANDS: &[CommandSpec] = &[
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
    listing::DEVICES,
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
