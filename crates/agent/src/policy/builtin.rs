//! The built-in rules: what a person is asked about. Everything else is allowed:
//! looking, reading, the files of the workspace, and the phone's own apps.

use super::Context;
use super::pattern::is_like;
use crate::action::{AgentAction, Capability};
use crate::tool::{Risk, of_kind};

/// One built-in rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    when: When,
    pub(super) capability: Capability,
    pub(super) reason: &'static str,
}

/// When it holds.
#[derive(Clone, Copy, Debug)]
enum When {
    /// For one of these tools.
    Tool(&'static [&'static str]),
    /// For what a finger or a key does in one of these apps.
    App(&'static [&'static str]),
    /// For what ends a line in one of these apps: there it sends.
    Enters(&'static [&'static str]),
    /// For a touch of something that says one of these words, in one of these
    /// apps.
    Says(&'static [&'static str], &'static [&'static str]),
}

const ANY: &[&str] = &["*"];
/// Apps in which people write to each other.
const MESSENGERS: &[&str] = &[
    "*messag*",
    "*messeng*",
    "*.mms*",
    "*whatsapp*",
    "*telegram*",
    "*signal*",
    "*threema*",
    "*.mail*",
    "*email*",
    "*.gm",
    "*outlook*",
    "*slack*",
    "*discord*",
    "*.dialer*",
    "*teams*",
    "com.tencent.mm",
    "jp.naver.line.android",
];

const ROWS: &[Row] = &[
    Row {
        when: When::Tool(&["shell"]),
        capability: Capability::Permission,
        reason: "A command in the phone's shell can change anything on the phone.",
    },
    Row {
        when: When::Tool(&["exec", "run_script"]),
        capability: Capability::Permission,
        reason: "A command on this computer can change the files of the workspace.",
    },
    Row {
        when: When::App(&["*permissioncontroller*", "*.packageinstaller.permission*"]),
        capability: Capability::Permission,
        reason: "An app asks for a permission.",
    },
    Row {
        when: When::App(&["*packageinstaller*"]),
        capability: Capability::Permission,
        reason: "An app is about to be installed or removed.",
    },
    Row {
        when: When::Says(
            ANY,
            &[
                "install",
                "uninstall",
                "installieren",
                "installer",
                "instalar",
                "installa",
            ],
        ),
        capability: Capability::Permission,
        reason: "An app is about to be installed or removed.",
    },
    Row {
        when: When::App(&["com.android.vending.billing*", "*.walletnfcrel", "*.gms.wallet*"]),
        capability: Capability::Payment,
        reason: "Something is about to be paid for.",
    },
    Row {
        when: When::Says(
            ANY,
            &[
                "buy",
                "pay",
                "purchase",
                "place order",
                "order now",
                "confirm order",
                "checkout",
                "subscribe",
                "donate",
                "kaufen",
                "bezahlen",
                "bestellen",
                "acheter",
                "payer",
                "comprar",
                "pagar",
            ],
        ),
        capability: Capability::Payment,
        reason: "Something is about to be bought or paid for.",
    },
    Row {
        when: When::Says(
            MESSENGERS,
            &[
                "send", "reply", "call", "forward", "senden", "envoyer", "enviar", "invia",
            ],
        ),
        capability: Capability::Sms,
        reason: "A message or a call to somebody else is about to be made.",
    },
    Row {
        when: When::Enters(MESSENGERS),
        capability: Capability::Sms,
        reason: "A message to somebody else is about to be sent.",
    },
    Row {
        when: When::Says(
            ANY,
            &[
                "allow",
                "grant",
                "while using the app",
                "only this time",
                "zulassen",
                "autoriser",
                "permitir",
            ],
        ),
        capability: Capability::Permission,
        reason: "A permission is about to be given.",
    },
];

/// The first row that holds for an action.
pub(super) fn judge(action: &AgentAction, context: &Context<'_>) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.holds(action, context))
}

impl Row {
    fn holds(&self, action: &AgentAction, context: &Context<'_>) -> bool {
        let acts = of_kind(action.kind()).is_some_and(|tool| tool.risk == Risk::Acts);
        // To open an app or to go away from one does nothing in it.
        let is_inside = acts && !is_leaving(action);
        let in_app = |apps: &[&str]| {
            apps.iter()
                .any(|like| is_like(like, context.app.unwrap_or_default()))
        };
        match self.when {
            When::Tool(kinds) => kinds.contains(&action.kind()),
            When::App(apps) => is_inside && context.app.is_some() && in_app(apps),
            When::Enters(apps) => context.app.is_some() && in_app(apps) && ends_line(action),
            When::Says(apps, words) => {
                is_inside && in_app(apps) && context.label.is_some_and(|label| says(label, words))
            }
        }
    }
}

fn is_leaving(action: &AgentAction) -> bool {
    match action {
        AgentAction::LaunchApp(_) => true,
        AgentAction::KeyEvent(key) => {
            let key = key.keycode.trim_start_matches("KEYCODE_");
            ["BACK", "HOME", "APP_SWITCH", "ESCAPE"].contains(&key)
        }
        _ => false,
    }
}

fn ends_line(action: &AgentAction) -> bool {
    match action {
        AgentAction::KeyEvent(key) => key.keycode.ends_with("ENTER"),
        AgentAction::Type(typed) => typed.text.contains(['\n', '\r']),
        _ => false,
    }
}

/// How many words a label has at most that says what a touch does; a longer one
/// is something to read, unless it begins with the word.
const LABEL_WORDS: usize = 6;

/// Tells whether a label has one of these as whole words.
fn says(label: &str, words: &[&str]) -> bool {
    let label = label.to_lowercase();
    let spoken: Vec<&str> = label
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_short = spoken.len() <= LABEL_WORDS;
    let spoken = format!(" {} ", spoken.join(" "));
    words.iter().any(|word| {
        let word = format!(" {word} ");
        spoken.starts_with(&word) || (is_short && spoken.contains(&word))
    })
}
