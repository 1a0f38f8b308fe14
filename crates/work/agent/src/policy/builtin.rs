//! The built-in rules: what a person is asked about. Everything else is allowed:
//! looking, reading, the files of the workspace, and the phone's own apps. What
//! elements say is compared with the table of `words`.

use super::Level;
use super::pattern::is_like;
use crate::action::{AgentAction, Capability};
use crate::surroundings::{ActTarget, KeyPress, Sight, Surroundings, TargetShape, press, scrolls};
use crate::tool::{Risk, of_kind};
use clawperator_ui::words::{ComparableText, PhraseKind};

#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltinRule {
    when: When,
    /// The lowest level at which it holds.
    level: Level,
    pub(super) capability: Capability,
    pub(super) reason: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum When {
    Tool(&'static [&'static str]),
    /// For a touch or a key that presses, where it is unknown what it activates.
    Unseen,
    /// For what a finger or a key does in one of these apps.
    App(&'static str),
    /// For what ends a line where that sends.
    Enters,
    /// For a touch of something that says a phrase of this kind.
    Says(PhraseKind),
    /// For a touch of something that sends, where something is written.
    Sends,
    /// For a touch of what agrees to an amount of money.
    Agrees,
}

/// Apps in which people write to each other, whatever their screens look like.
const MESSENGERS: &str = "*messag* *messeng* *.mms* *whatsapp* *telegram* *signal* *threema* *.mail* *email* *.gm \
    *outlook* *slack* *discord* *.dialer* *teams* com.tencent.mm jp.naver.line.android";

const SHELL: &str = "A command in the phone's shell can change anything on the phone.";
const RUNS: &str = "A command on this computer can change the files of the workspace.";
const ASKS: &str = "An app asks for a permission.";
const INSTALLS: &str = "An app is about to be installed or removed.";
const PAYS: &str = "Something is about to be bought or paid for.";
const DELETES: &str = "An account, or everything, is about to be deleted.";
const UNSEEN: &str = "It is not known what this presses: the screen, or what it says there, could not be read, or nothing has the focus.";
const CALLS: &str = "A message or a call to somebody else is about to be made.";
const SENDS: &str = "A message to somebody else is about to be sent.";
const ALLOWS: &str = "A permission is about to be given.";
const PERMISSIONS: &str = "*permissioncontroller* *.packageinstaller.permission*";
const WALLETS: &str = "com.android.vending.billing* *.walletnfcrel *.gms.wallet*";

const fn row(when: When, level: Level, capability: Capability, reason: &'static str) -> BuiltinRule {
    BuiltinRule { when, level, capability, reason }
}

const ROWS: &[BuiltinRule] = &[
    row(When::Tool(&["shell"]), Level::Money, Capability::Permission, SHELL),
    row(When::Tool(&["exec", "run_script"]), Level::Full, Capability::Permission, RUNS),
    row(When::App(PERMISSIONS), Level::Full, Capability::Permission, ASKS),
    row(When::App("*packageinstaller*"), Level::Money, Capability::Permission, INSTALLS),
    row(When::App(WALLETS), Level::Money, Capability::Payment, PAYS),
    row(When::Says(PhraseKind::Pay), Level::Money, Capability::Payment, PAYS),
    row(When::Agrees, Level::Money, Capability::Payment, PAYS),
    row(When::Says(PhraseKind::Delete), Level::Money, Capability::Permission, DELETES),
    row(When::Says(PhraseKind::Install), Level::Money, Capability::Permission, INSTALLS),
    row(When::Unseen, Level::Money, Capability::Permission, UNSEEN),
    row(When::Sends, Level::Full, Capability::Sms, CALLS),
    row(When::Enters, Level::Full, Capability::Sms, SENDS),
    row(When::Says(PhraseKind::Allow), Level::Full, Capability::Permission, ALLOWS),
];

/// The first row that holds for an action at a level.
pub(super) fn judge(action: &AgentAction, on: &Surroundings, level: Level) -> Option<&'static BuiltinRule> {
    let mut rows = ROWS.iter().filter(|row| row.level <= level);
    rows.find(|row| row.holds(action, on))
}

impl BuiltinRule {
    fn holds(&self, action: &AgentAction, on: &Surroundings) -> bool {
        let acts = of_kind(action.kind()).is_some_and(|tool| tool.risk == Risk::Acts);
        let is_inside = acts && !is_harmless(action);
        let any = |holds: &dyn Fn(&ActTarget) -> bool| {
            let mut targets = on.targets.value().into_iter().flatten();
            is_inside && targets.any(|target| touches(action, target) && holds(target))
        };
        match self.when {
            When::Tool(kinds) => kinds.contains(&action.kind()),
            When::Unseen => is_inside && on.targets == Sight::Unseen || any(&|target| target.is_unclear),
            When::App(apps) => is_inside && is_in(apps, on),
            When::Enters => {
                press(action) == Some(KeyPress::Enter)
                    && (is_in(MESSENGERS, on) || on.can_send && is_written(on))
            }
            When::Says(kind) => {
                let is_last = matches!(kind, PhraseKind::Pay | PhraseKind::Delete);
                any(&|target| (is_last || !target.is_of_form) && says(target, kind))
            }
            When::Sends => {
                let writes = is_in(MESSENGERS, on) || on.has_field;
                writes && any(&|target| !target.is_of_form && says(target, PhraseKind::Send))
            }
            When::Agrees => any(&agrees),
        }
    }
}

/// Tells whether what has the focus is a field in which something is written.
fn is_written(on: &Surroundings) -> bool {
    let mut targets = on.targets.value().into_iter().flatten();
    targets.any(|target| target.is_of_form)
}

fn is_in(apps: &str, on: &Surroundings) -> bool {
    on.apps().any(|app| apps.split(' ').any(|like| is_like(like, app)))
}

/// Tells whether an action activates nothing on the screen: it opens an app or goes
/// away from one, moves the focus, or writes. A URI is no app.
pub(super) fn is_harmless(action: &AgentAction) -> bool {
    match action {
        AgentAction::LaunchApp(launch) => !launch.package_name.contains(':'),
        AgentAction::KeyEvent(_) | AgentAction::Type(_) => press(action).is_none(),
        _ => false,
    }
}

/// Tells whether an action activates an element: a finger that scrolls only moves
/// what is made to be moved.
fn touches(action: &AgentAction, target: &ActTarget) -> bool {
    !scrolls(action) || target.says(PhraseKind::Slide, usize::MAX)
}

/// How many words a text has at most that says what a touch does; a longer one is something to
/// read, unless it begins so. One of several texts, as in the row of a list, is shorter.
const LABEL_WORDS: usize = 8;
const PART_WORDS: usize = 5;
/// The most letters of an amount that stands alone, as on what buys for it.
const PRICE: usize = 16;
/// From how many texts on an element is a row or a card.
const ROW_TEXTS: usize = 3;

/// Tells whether what a target says means something of that kind.
fn says(target: &ActTarget, kind: PhraseKind) -> bool {
    let most = match target.texts.len() {
        _ if target.is_button() => usize::MAX,
        0..ROW_TEXTS => LABEL_WORDS,
        _ => PART_WORDS,
    };
    let has_amount = |text: &String| target.texts.len() < ROW_TEXTS && target.amounts.contains(text);
    // "Order" above what its page has is a page's name in a menu.
    let names_a_page = |text: &String| {
        kind == PhraseKind::Pay
            && target.shape == TargetShape::MenuRow
            && ComparableText::new(text).says(PhraseKind::Page, usize::MAX)
    };
    let mut texts = target.texts.iter().filter(|text| !names_a_page(text));
    texts.any(|text| ComparableText::new(text).says(kind, if has_amount(text) { usize::MAX } else { most }))
        || !target.texts.iter().any(names_a_page)
            && target.ids.iter().any(|id| ComparableText::new(id).says(kind, LABEL_WORDS))
}

/// Tells whether a target agrees to an amount: it has one and is a button or says yes, or says yes
/// and one stands beside it. In a row of several texts, one that says nothing but yes counts.
fn agrees(target: &ActTarget) -> bool {
    let is_row = target.texts.len() >= ROW_TEXTS && !target.is_button();
    let is_price = |text: &String| target.texts.len() == 1 && text.chars().count() <= PRICE;
    let has_amount = !target.amounts.is_empty();
    let most = if target.is_button() { LABEL_WORDS } else { PART_WORDS };
    let confirms = |text: &String| {
        let is_short = !is_row || text.split_whitespace().count() <= 2 && !target.amounts.contains(text);
        is_short && ComparableText::new(text).says(PhraseKind::Confirm, most)
    };
    let is_priced = has_amount && (target.is_button() || target.amounts.iter().any(is_price));
    let is_near = has_amount || !is_row && !target.beside.is_empty();
    is_priced || is_near && target.texts.iter().any(confirms)
}
