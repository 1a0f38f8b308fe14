//! The commands that build or read an execution, and those that print
//! something about the program itself.

use crate::flags;
use crate::spec::FlatCommand as Flat;
use crate::spec::{ArgumentSpec, Command, CommandSpec, FlagGroup, Often, ValueKind, argument, options, row};
use clawperator_contract::{Direction, Key};

pub(super) const SELECTOR: FlagGroup = FlagGroup { heading: "Element", flags: flags::SELECTOR };
const CONTAINER: FlagGroup = FlagGroup { heading: "Container", flags: flags::CONTAINER };
pub(super) const EXECUTION: FlagGroup = FlagGroup { heading: "Execution", flags: flags::EXECUTION };
pub(super) const POOL: FlagGroup = FlagGroup { heading: "Pool", flags: flags::pool::JOB };
pub(super) const REPEAT: FlagGroup = options(&[flags::COUNT, flags::UNTIL]);
pub(super) const LOOK_AFTER: FlagGroup =
    FlagGroup { heading: "View", flags: &[flags::LOOK_AFTER, flags::BUDGET] };
const DIRECTION: ArgumentSpec = argument("DIRECTION", "Scroll direction.").words(Direction::WORDS);
const DIRECTION_OR_DOWN: ArgumentSpec =
    ArgumentSpec { doc: "Scroll direction [default: down].", ..DIRECTION };

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    row(Command::Exec, "exec", "Runs an execution payload.")
        .aka(&["execute"])
        .details("The payload is inline JSON, a file, or - for standard input.\n\
            --timeout replaces the payload's timeoutMs.")
        .arguments(&[argument("PAYLOAD", "The execution: inline JSON, a file, or - for standard input.")
            .value(ValueKind::Bytes)])
        .flags(&[options(&[flags::PAYLOAD, flags::ONCE]), EXECUTION, POOL])
        .examples(&[
            "clawperator exec --validate-only examples/open-settings.json",
            "clawperator exec examples/open-settings.json --pool local --on any:phone",
            r#"clawperator exec --dry-run --payload '{"commandId":"c1","taskId":"t1","source":"docs","expectedFormat":"android-ui-automator","timeoutMs":30000,"actions":[{"id":"snap","type":"snapshot_ui"}]}'"#,
        ]),
    flat(Flat::Snapshot, "snapshot", "Captures the screen: its hierarchy as XML, or a small view of it.")
        .details("compact prints one line for each element that matters, with a ref that click, read, type, wait and \
            scroll take; json prints the same as objects. --budget and --diff imply compact. With --output pretty, \
            a compact view is printed as text.")
        .flags(&[options(&[flags::VIEW, flags::BUDGET, flags::DIFF]), EXECUTION])
        .examples(&[
            "clawperator snapshot",
            "clawperator snapshot --format compact --budget 400",
            "clawperator snapshot --diff --output pretty",
            "clawperator snapshot --diff b8cedf0e24201de5-6",
        ]),
    flat(Flat::Screenshot, "screenshot", "Captures the screen as a PNG file.")
        .flags(&[options(&[flags::PATH]), EXECUTION])
        .examples(&["clawperator screenshot", "clawperator screenshot --path /tmp/settings.png"]),
    flat(Flat::Click, "click", "Clicks an element or a point.")
        .aka(&["tap"])
        .flags(&[
            SELECTOR,
            options(&[flags::COORDINATE, flags::LONG, flags::FOCUS, flags::FORCE, flags::CONFIRM]),
            REPEAT,
            LOOK_AFTER,
            EXECUTION,
        ])
        .examples(&[
            "clawperator click --text \"Wi-Fi\"",
            "clawperator click --coordinate 540 1200 --long",
            "clawperator click --ref @e7 --until 23.5 --count 10",
            "clawperator click --text \"Wi-Fi\" --confirm '{\"appears\":{\"textEquals\":\"Use Wi-Fi\"}}'",
        ]),
    flat(Flat::Drag, "drag", "Moves a finger from an element or a point to another one.")
        .aka(&["swipe"])
        .details("--hold rests the finger first, to pick something up, such as an icon. Android up to 9 cannot do \
            that: there the move is slower instead, and the result has a warning.")
        .flags(&[
            SELECTOR,
            options(&[flags::COORDINATE]),
            FlagGroup { heading: "Target", flags: flags::TO },
            options(&[flags::TO_COORDINATE, flags::MOVE_TIME, flags::HOLD, flags::FORCE, flags::CONFIRM]),
            REPEAT,
            LOOK_AFTER,
            EXECUTION,
        ])
        .examples(&[
            "clawperator drag --coordinate 540 1800 --to-coordinate 540 600",
            "clawperator drag --text \"Maps\" --to-coordinate 540 300 --hold 600",
            "clawperator drag --ref @e3 --to-ref @e9 --duration 500",
        ]),
    flat(Flat::Type, "type", "Types text into a field.")
        .aka(&["fill"])
        .details("Here --text is the text to type, not a selector. Put -- before a text that starts with two dashes.")
        .arguments(&[argument("TEXT", "The text to type.")])
        .flags(&[
            FlagGroup { heading: "Element", flags: flags::FIELD_SELECTOR },
            options(&[
                flags::TYPED_TEXT,
                flags::TEXT_SECRET,
                flags::SUBMIT,
                flags::CLEAR_FIELD,
                flags::FORCE,
            ]),
            LOOK_AFTER,
            EXECUTION,
        ])
        .examples(&[
            "clawperator type \"hello world\" --role textfield",
            "clawperator type -18°C --id com.example:id/target --submit",
            "clawperator type --text-secret bank.pin --id com.example.bank:id/pin",
        ]),
    flat(Flat::Read, "read", "Reads the text of an element.")
        .flags(&[SELECTOR, CONTAINER, options(&[flags::READ_ALL]), EXECUTION])
        .examples(&[
            "clawperator read --selector '{\"resourceId\":\"android:id/title\"}' --json",
            "clawperator read --text \"Price\" --container-id \"android:id/list\" --json",
        ]),
    flat(Flat::ReadValue, "read-value", "Reads the value beside a label.")
        .aka(&["read-kv"])
        .flags(&[FlagGroup { heading: "Label", flags: flags::LABEL }, options(&[flags::READ_ALL]), EXECUTION])
        .examples(&[
            "clawperator read-value --label \"Battery\" --json",
            "clawperator read-value --label-id android:id/title --json --all",
        ]),
    flat(Flat::Wait, "wait", "Waits until an element is on the screen, or gone from it, or for a toast.")
        .details("--timeout is how long to wait; the execution gets 5 s more, and at least 30 s in all. \
            A toast counts if it was shown since the last thing that clawperator did on the phone.")
        .flags(&[SELECTOR, options(&[flags::GONE, flags::TOAST]), LOOK_AFTER, EXECUTION])
        .examples(&[
            "clawperator wait --text-contains \"Done\" --timeout 10000 --json",
            "clawperator wait --text \"Done\" --role button",
            "clawperator wait --text \"Loading\" --gone --timeout 20000",
            "clawperator wait --toast \"Saved\" --timeout 3000",
        ]),
    flat(Flat::Find, "find", "Lists every element that fits, with its ref, position and state.")
        .aka(&["query"])
        .details("Without a selector it lists all elements. No match is a success with totalMatches 0; \
            --gone waits until there is no match.")
        .flags(&[SELECTOR, options(&[flags::VISIBILITY, flags::LIMIT, flags::GONE]), EXECUTION])
        .examples(&[
            "clawperator find --role button",
            "clawperator find --text-contains \"Wi-Fi\" --visibility all --limit 5",
        ]),
    flat(Flat::WaitForToast, "wait-for-toast", "Waits for a toast with a text in it.")
        .details("The same as wait --toast TEXT. It needs the resident lane: clawperator lane setup.")
        .arguments(&[argument("TEXT", "What the toast must have in it.")])
        .flags(&[options(&[flags::TOAST_TEXT]), LOOK_AFTER, EXECUTION])
        .examples(&[
            "clawperator wait-for-toast \"Saved\" --timeout 3000",
            "clawperator wait-for-toast \"Copied\" --lane resident",
        ]),
    flat(Flat::WaitForNavigation, "wait-for-nav", "Waits until an app or an element comes up.")
        .aka(&["wait-for-navigation"])
        .details("Needs --timeout (at most 30000), and --app or a selector.")
        .flags(&[options(&[flags::EXPECTED_APP]), SELECTOR, LOOK_AFTER, EXECUTION])
        .examples(&[
            "clawperator wait-for-nav --app com.android.settings --timeout 5000",
            "clawperator wait-for-nav --text \"Settings\" --timeout 5000",
        ]),
    flat(Flat::Open, "open", "Opens an app or a URI.")
        .aka(&["open-uri", "open-url"])
        .details("A target with a scheme, such as https: or tel:, is a URI; anything else is a package id or the \
            name of an app.")
        .arguments(&[argument("TARGET", "A package id, the name of an app, or a URI.")])
        .flags(&[options(&[flags::APP, flags::URI, flags::FRESH, flags::CONFIRM]), LOOK_AFTER, EXECUTION])
        .examples(&[
            "clawperator open com.android.settings",
            "clawperator open Settings",
            "clawperator open https://clawperator.com",
            "clawperator open com.android.settings --confirm changed",
        ]),
    flat(Flat::Close, "close", "Stops an app.")
        .aka(&["close-app"])
        .arguments(&[argument("PACKAGE", "The app's package id.")])
        .flags(&[options(&[flags::APP]), LOOK_AFTER, EXECUTION])
        .examples(&[
            "clawperator close com.android.settings",
            "clawperator close --app com.android.settings",
        ]),
    flat(Flat::Press, "press", "Presses a key of the phone.")
        .aka(&["press-key"])
        .arguments(&[argument("KEY", "The key.").words(Key::WORDS)])
        .flags(&[options(&[flags::KEY, flags::CONFIRM]), REPEAT, LOOK_AFTER, EXECUTION])
        .examples(&[
            "clawperator press home",
            "clawperator press --key recents",
            "clawperator press home --confirm '{\"changed\":true,\"timeoutMs\":2000}'",
        ]),
    flat(Flat::Back, "back", "Presses the back key.")
        .flags(&[options(&[flags::CONFIRM]), REPEAT, LOOK_AFTER, EXECUTION])
        .examples(&[
            "clawperator back",
            "clawperator back --device emulator-5554",
            "clawperator back --confirm '{\"disappears\":{\"textEquals\":\"Use Wi-Fi\"}}'",
        ]),
    flat(Flat::Scroll, "scroll", "Scrolls once.")
        .arguments(&[DIRECTION])
        .flags(&[options(&[flags::REQUIRED_DIRECTION]), CONTAINER, REPEAT, LOOK_AFTER, EXECUTION])
        .examples(&["clawperator scroll down", "clawperator scroll up --container-id \"android:id/list\""]),
    flat(Flat::ScrollUntil, "scroll-until", "Scrolls until an element is in view.")
        .arguments(&[DIRECTION_OR_DOWN])
        .flags(&[
            SELECTOR,
            CONTAINER,
            options(&[flags::DIRECTION, flags::CLICK_AFTER, flags::FORCE, flags::CONFIRM]),
            LOOK_AFTER,
            EXECUTION,
        ])
        .examples(&[
            "clawperator scroll-until --text \"About phone\" --container-id \"android:id/list\"",
            "clawperator scroll-until up --text \"Network\" --click",
            "clawperator scroll-until --text \"Network\" --click --confirm changed",
        ]),
    flat(Flat::ScrollAndClick, "scroll-and-click", "Scrolls until an element is in view, then clicks it.")
        .arguments(&[DIRECTION_OR_DOWN])
        .flags(&[
            SELECTOR,
            CONTAINER,
            options(&[flags::DIRECTION, flags::FORCE, flags::CONFIRM]),
            LOOK_AFTER,
            EXECUTION,
        ])
        .examples(&[
            "clawperator scroll-and-click --text \"About phone\"",
            "clawperator scroll-and-click --text \"Submit\" --direction down",
            "clawperator scroll-and-click --text \"About phone\" --confirm changed",
        ]),
    flat(Flat::Sleep, "sleep", "Waits for a fixed time.")
        .arguments(&[argument("MS", "How long, in milliseconds.")])
        .flags(&[EXECUTION])
        .examples(&["clawperator sleep 1500", "clawperator sleep 60000 --timeout 90000"]),
    row(Command::Schema, "schema", "Prints a JSON Schema of the contract, of app files, or of skills.")
        .arguments(&[argument("NAME", "The schema's name.").words(&[
            "execution",
            "envelope",
            "matcher",
            "error",
            "doctor",
            "recipe",
            "registry",
            "skill",
            "app",
        ])])
        .examples(&["clawperator schema execution", "clawperator schema recipe > recipe.json"]),
    row(Command::Completions, "completions", "Prints a completion script for a shell.")
        .arguments(&[argument("SHELL", "The shell.").words(&["bash", "elvish", "fish", "powershell", "zsh"])])
        .examples(&[
            "clawperator completions bash > ~/.local/share/bash-completion/completions/clawperator",
            "clawperator completions fish > ~/.config/fish/completions/clawperator.fish",
        ]),
    row(Command::Man, "man", "Prints a manual page.")
        .arguments(&[argument("COMMAND", "The command [default: the program itself].").often(Often::Many)])
        .examples(&[
            "clawperator man > clawperator.1",
            "clawperator man record pull > clawperator-record-pull.1",
        ]),
];

const fn flat(command: Flat, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Flat(command), name, about)
}
