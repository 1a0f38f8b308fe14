//! The flags, one row each. Help, parsing, completions and errors come from
//! these rows, and code asks for a flag by its row.

pub(crate) mod agent;
pub(crate) mod approvals;
pub(crate) mod lane;
pub(crate) mod mcp;
pub(crate) mod observe;
pub(crate) mod pool;
pub(crate) mod secrets;
pub(crate) mod serve;
pub(crate) mod skills;
pub(crate) mod watch;

use super::log::Level;
use super::output::Format;
use super::spec::{FlagSpec, Takes, ValueKind, one, setting, switch};
use clawperator_contract::{Direction, ErrorCode, Key, LaneWish, RouteChoice, ViewStyle, Visibility, WHERE};
use clawperator_ui::Role;

pub(crate) const GLOBAL: &[FlagSpec] = &[
    DEVICE,
    OPERATOR_PACKAGE,
    ROUTE,
    LANE,
    LOG_LEVEL,
    VERBOSE,
    JSON,
    OUTPUT,
    TIMEOUT,
    NO_DAEMON,
    pool::POOL,
    pool::ON,
];
pub(crate) const DEVICE: FlagSpec =
    setting("device", "SERIAL", "The phone to use.").aka(&["device-id"]).global();
pub(crate) const OPERATOR_PACKAGE: FlagSpec = setting(
    "operator-package",
    "PACKAGE",
    "Run through this Operator app if it is installed and its service is on.",
)
.aka(&["receiver-package"])
.global();
pub(crate) const ROUTE: FlagSpec = setting(
    "route",
    "ROUTE",
    "What runs the steps: host, operator, or auto: the named Operator app if it is ready.",
)
.words(RouteChoice::WORDS)
.global();
pub(crate) const LANE: FlagSpec = setting(
    "lane",
    "LANE",
    "Where the screen's tree comes from: dump (the phone's own command), resident (the server of lane setup), or \
     auto: the server if it runs or was set up.",
)
.words(LaneWish::WORDS)
.global();
pub(crate) const LOG_LEVEL: FlagSpec =
    setting("log-level", "LEVEL", "What to log: debug, info, warn or error.").words(Level::WORDS).global();
pub(crate) const VERBOSE: FlagSpec = switch("verbose", "Print the log on standard error, too.").global();
pub(crate) const JSON: FlagSpec = switch("json", "Print compact JSON (the default).").global();
pub(crate) const OUTPUT: FlagSpec = setting(
    "output",
    "FORMAT",
    "How to print: json, pretty for people, or agent: short text, and after an act what changed.",
)
.aka(&["format"])
.words(Format::WORDS)
.global();
pub(crate) const TIMEOUT: FlagSpec =
    setting("timeout", "MS", "The time limit, in milliseconds.").aka(&["timeout-ms"]).global();
pub(crate) const NO_DAEMON: FlagSpec =
    switch("no-daemon", "Do not use a server that runs; see serve.").global();

/// The flags of every command that builds or reads an execution.
pub(crate) const EXECUTION: &[FlagSpec] =
    &[VALIDATE_ONLY, DRY_RUN, STRICT, REPORT, NO_JOURNAL, WAIT_FOR_DEVICE];
/// Those of them that are about the run itself.
pub(crate) const RUN: &[FlagSpec] = EXECUTION.split_at(2).1;
/// Of `exec` alone.
pub(crate) const ONCE: FlagSpec =
    switch("once", "Run each commandId only once; a repeat prints the stored answer.");
pub(crate) const VALIDATE_ONLY: FlagSpec =
    switch("validate-only", "Check the execution and print it; do not touch a phone.")
        .aka(&["validate"])
        .anywhere();
pub(crate) const DRY_RUN: FlagSpec = switch("dry-run", "Print the plan; do not touch a phone.").anywhere();
pub(crate) const STRICT: FlagSpec =
    switch("strict", "Refuse a matcher that fits more than one element.").anywhere();
pub(crate) const REPORT: FlagSpec =
    setting("report", "FILE", "Take screenshots during the run and write an HTML report.").anywhere();
pub(crate) const NO_JOURNAL: FlagSpec = switch("no-journal", "Do not write a journal of the run.").anywhere();
pub(crate) const WAIT_FOR_DEVICE: FlagSpec = setting(
    "wait-for-device",
    "MS",
    "How long to wait while another execution uses the phone, in milliseconds.",
)
.anywhere();

/// The flags that select an element or a container: the prefix of their names, and what they match.
macro_rules! selector {
    ($prefix:literal, $what:literal) => {
        &[
            one(concat!($prefix, "text"), "TEXT", concat!("Match ", $what, " by exact text."))
                .field("textEquals"),
            one(concat!($prefix, "text-contains"), "TEXT", concat!("Match ", $what, " by partial text."))
                .field("textContains"),
            one(concat!($prefix, "id"), "ID", concat!("Match ", $what, " by resource id."))
                .aka(&[concat!($prefix, "resource-id")])
                .field("resourceId"),
            one(concat!($prefix, "desc"), "TEXT", concat!("Match ", $what, " by exact content description."))
                .aka(&[concat!($prefix, "content-desc")])
                .field("contentDescEquals"),
            one(
                concat!($prefix, "desc-contains"),
                "TEXT",
                concat!("Match ", $what, " by partial content description."),
            )
            .aka(&[concat!($prefix, "content-desc-contains")])
            .field("contentDescContains"),
            one(concat!($prefix, "role"), "ROLE", concat!("Match ", $what, " by accessibility role."))
                .words(Role::WORDS)
                .field("role"),
            one(
                concat!($prefix, "ref"),
                "REF",
                concat!("Match ", $what, " by a ref such as @e7 from a snapshot or find."),
            )
            .field("ref"),
            one(
                concat!($prefix, "where"),
                "JSON",
                concat!(
                    "Match ",
                    $what,
                    " by more conditions, such as {\"clickable\":true}; docs/selectors.md lists them."
                ),
            )
            .field(WHERE),
            one(concat!($prefix, "selector"), "JSON", "A matcher as raw JSON, instead of the flags above."),
        ]
    };
}

pub(crate) const SELECTOR: &[FlagSpec] = selector!("", "an element");
/// The flags that select the field `type` types into: `--text` is what is typed.
pub(crate) const FIELD_SELECTOR: &[FlagSpec] = SELECTOR.split_at(1).1;
pub(crate) const CONTAINER: &[FlagSpec] = selector!("container-", "a container");

/// The flags that select where a finger moves to.
pub(crate) const TO: &[FlagSpec] = selector!("to-", "the target");

pub(crate) const LABEL: &[FlagSpec] = &[
    one("label", "TEXT", "Match the label by exact text.")
        .aka(&["text", "label-text"])
        .missing(ErrorCode::MissingArgument)
        .field("textEquals"),
    one("label-id", "ID", "Match the label by resource id.")
        .aka(&["id", "resource-id"])
        .missing(ErrorCode::MissingArgument)
        .field("resourceId"),
    one("label-desc", "TEXT", "Match the label by exact content description.")
        .aka(&["desc", "content-desc"])
        .missing(ErrorCode::MissingArgument)
        .field("contentDescEquals"),
];

// `exec`.
pub(crate) const PAYLOAD: FlagSpec = one("payload", "JSON|FILE|-", "The execution, instead of the argument.")
    .value(ValueKind::Bytes)
    .aka(&["execution", "input", "file"])
    .missing(ErrorCode::MissingArgument);

// `snapshot` and `screenshot`.
pub(crate) const VIEW: FlagSpec =
    one("view", "VIEW", "How to write it: xml, compact or json; --format does the same here.")
        .aliases_by_value(&["format"])
        .words(ViewStyle::WORDS);
pub(crate) const BUDGET: FlagSpec =
    one("budget", "TOKENS", "The most tokens of the view, which says what it leaves out [default: 1000].");
/// Of the commands that act.
pub(crate) const LOOK_AFTER: FlagSpec =
    switch("view", "Also show what changed on the screen since the last snapshot, as snapshot --diff does.");
pub(crate) const DIFF: FlagSpec =
    one("diff", "", "Only what changed since that snapshot, or else since the last one of this phone.")
        .takes(Takes::Maybe("SNAPSHOT_ID"));
pub(crate) const PATH: FlagSpec = setting("path", "FILE", "The file to write.").aka(&["file"]);

// `click` and `type`.
pub(crate) const COORDINATE: FlagSpec = one(
    "coordinate",
    "",
    "A point in pixels instead of an element; Y*F of a picture of which one pixel is F on the screen.",
)
.takes(Takes::Two("X", "Y"));
pub(crate) const LONG: FlagSpec = switch("long", "Long-press instead of clicking.");
pub(crate) const FOCUS: FlagSpec = switch("focus", "Tap the element to focus it.");
pub(crate) const TYPED_TEXT: FlagSpec =
    one("text", "TEXT", "The text to type, instead of the argument.").missing(ErrorCode::MissingArgument);
pub(crate) const TEXT_SECRET: FlagSpec = one(
    "text-secret",
    "NAME",
    "Type a value of clawperator secrets, or one that a person gave, instead of a text.",
)
.missing(ErrorCode::MissingArgument);
pub(crate) const SUBMIT: FlagSpec = switch("submit", "Submit after typing.");
pub(crate) const CLEAR_FIELD: FlagSpec =
    switch("clear", "Empty the field before typing. This always happens, with or without this flag.");

// `drag`.
pub(crate) const TO_COORDINATE: FlagSpec =
    one("to-coordinate", "", "The target as a point in pixels instead of an element.")
        .takes(Takes::Two("X", "Y"));
pub(crate) const MOVE_TIME: FlagSpec =
    one("duration", "MS", "How long the finger moves, in milliseconds [default: 300].");
pub(crate) const HOLD: FlagSpec =
    one("hold", "MS", "How long the finger rests before it moves, in milliseconds [default: 0].");

/// Of the commands that touch an element.
pub(crate) const FORCE: FlagSpec =
    switch("force", "Touch the element although another one covers the whole of it.");

/// Of the commands that act and can wait for the effect.
pub(crate) const CONFIRM: FlagSpec = one(
    "confirm",
    "EFFECT",
    "Succeed only if this is seen afterwards: changed, or JSON with appears, disappears or changed.",
);

/// Of the commands that can be repeated.
pub(crate) const COUNT: FlagSpec = one("count", "N", "Do it so often; with --until, at most [default: 20].");
pub(crate) const UNTIL: FlagSpec = one(
    "until",
    "TEXT",
    "Do it again until an element says this text, alone or between other words, in the same case: 23.5 is in \"23.5°C\". A ref or a matcher as JSON works, too.",
);

// `read`, `find` and `wait`.
pub(crate) const READ_ALL: FlagSpec = switch("all", "Read every match, not just the first.");
pub(crate) const VISIBILITY: FlagSpec =
    one("visibility", "WHERE", "Where to search: on_screen, or all of the hierarchy.")
        .words(Visibility::WORDS);
pub(crate) const LIMIT: FlagSpec = one("limit", "COUNT", "The most elements to list, up to 1000.");
pub(crate) const GONE: FlagSpec = switch("gone", "Wait until nothing fits any more.");
pub(crate) const TOAST: FlagSpec = one(
    "toast",
    "TEXT",
    "Wait for a toast with this text in it instead of an element; needs the resident lane.",
);
pub(crate) const TOAST_TEXT: FlagSpec = one("text", "TEXT", "The text, instead of the argument.");

// Apps and keys.
const APP_ALIASES: &[&str] = &["package", "package-id", "application-id", "app-id"];
pub(crate) const APP: FlagSpec = one("app", "PACKAGE", "The app, instead of the argument.")
    .aka(APP_ALIASES)
    .missing(ErrorCode::MissingArgument);
pub(crate) const URI: FlagSpec =
    one("uri", "URI", "The URI, instead of the argument.").aka(&["url"]).missing(ErrorCode::MissingArgument);
pub(crate) const EXPECTED_APP: FlagSpec =
    one("app", "PACKAGE", "The package that must come to the front.").aka(APP_ALIASES);
pub(crate) const KEY: FlagSpec = one("key", "KEY", "The key, instead of the argument.")
    .aka(&["button"])
    .words(Key::WORDS)
    .missing(ErrorCode::MissingArgument);

// Scrolling.
pub(crate) const DIRECTION: FlagSpec =
    one("direction", "DIRECTION", "The direction, instead of the argument.").words(Direction::WORDS);
pub(crate) const REQUIRED_DIRECTION: FlagSpec = DIRECTION.missing(ErrorCode::MissingArgument);
pub(crate) const CLICK_AFTER: FlagSpec = switch("click", "Click the element once it is in view.");

pub(crate) const FRESH: FlagSpec =
    switch("fresh", "Close the app first, so that it starts at its first page.");

// Phones and reports.
pub(crate) const THIRD_PARTY: FlagSpec = switch("third-party", "Only apps that did not come with the phone.");
pub(crate) const REPORT_OUT: FlagSpec =
    setting("out", "FILE", "The page to write [default: the journal's name in this folder].");
pub(crate) const FIXTURE: FlagSpec = setting(
    "fixture",
    "FILE",
    "Write an app file for the simulated phone instead, with the payload beside it.",
);

// Maintenance.
pub(crate) const FIX: FlagSpec =
    switch("fix", "Repair what is safe to repair, say what was done, and check again.");
pub(crate) const FULL: FlagSpec = switch("full", "Also open an app, to see that everything works.");
pub(crate) const CHECK_ONLY: FlagSpec = switch("check-only", "Exit with 0, whatever is found.");
pub(crate) const CHECK_COMPAT: FlagSpec =
    switch("check-compat", "Ask a phone for its Operator app's version and check that it fits.");
pub(crate) const NO_FOLLOW: FlagSpec = switch("no-follow", "Print the log as it is and exit.");
pub(crate) const APK: FlagSpec = setting("apk", "FILE", "The app's APK file.");

// `journal`.
pub(crate) const JOURNAL_LIMIT: FlagSpec = setting("limit", "N", "How many at most [default: 50].");
pub(crate) const EVERY_JOURNAL: FlagSpec = switch("all", "Verify every journal.");

// `record`.
pub(crate) const SESSION_ID: FlagSpec =
    one("session-id", "ID", "The recording's name: letters, digits, - and _.");
pub(crate) const PULLED_SESSION_ID: FlagSpec =
    one("session-id", "ID", "The recording's name [default: the latest].");
pub(crate) const DELETED_SESSION_ID: FlagSpec = one("session-id", "ID", "The recording's name.");
pub(crate) const LOCAL_SESSION_ID: FlagSpec =
    one("session-id", "ID", "A recording on this computer, instead of --input [default: the latest].");
pub(crate) const PULL_OUT: FlagSpec =
    setting("out", "DIR", "The folder to copy it to [default: ./recordings/].");
pub(crate) const RECORDING_INPUT: FlagSpec = setting("input", "FILE", "The recording's file.");
pub(crate) const OUT: FlagSpec = setting("out", "FILE", "The file to write.");
pub(crate) const KEEP_OPEN: FlagSpec = switch(
    "keep-open",
    "Open apps as they are; without it each app is stopped first, so that it starts from its first screen.",
);
