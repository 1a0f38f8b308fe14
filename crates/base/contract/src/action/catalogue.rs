//! The catalogue of actions, one row each, in the order of the canonical type
//! list. The kinds, the steps and the look-ups all come from this list.
//! ARCHITECTURE.md says what else a new action needs.

use super::step;
use super::{ActionEffect as E, ActionSpec, Fallback, Need, OperatorRoute, ParamRule, ParamUse, Relation};
use crate::clamp::{Clamp, Unit};
use crate::data_key::DataKey as D;
use crate::limits::{
    MAX_BUDGET, MAX_COUNT, MAX_GESTURE_MS, MAX_NAVIGATION_TIMEOUT_MS, MAX_QUERY_NODES, MAX_TIMEOUT_MS,
};
use crate::param::ParamKey as P;
use crate::retry::RetryPreset;
use crate::word::{ClickType, Direction, Key, Lane, Validator, ViewStyle, Visibility};

const fn needs(key: P, rule: ParamRule) -> ParamUse {
    ParamUse { key, need: Need::Required, rule, default: Fallback::None }
}

const fn takes(key: P, rule: ParamRule, default: Fallback) -> ParamUse {
    ParamUse { key, need: Need::Optional, rule, default }
}

/// A number that is brought into a range.
const fn clamped(unit: Unit, min: f64, max: f64) -> ParamRule {
    ParamRule::Clamped(Clamp { min, max, unit })
}

const NOT_BLANK_ID: ParamUse = needs(P::ApplicationId, ParamRule::NotBlank);
const MATCHER: ParamUse = needs(P::Matcher, ParamRule::Any);
const CONTAINER: ParamUse = takes(P::Container, ParamRule::Any, Fallback::None);
const SESSION_ID: ParamUse = takes(P::SessionId, ParamRule::NotBlank, Fallback::None);
const DIRECTION: ParamUse = takes(P::Direction, ParamRule::OneOf(Direction::WORDS), Fallback::Word("down"));
const CLICK_TYPE: ParamUse =
    takes(P::ClickType, ParamRule::Known(ClickType::WORDS), Fallback::Word("default"));
const DISTANCE: ParamUse = takes(P::DistanceRatio, ParamRule::Within(0.0, 1.0), Fallback::Number(0.7));
const SETTLE: ParamUse = takes(P::SettleDelayMs, ParamRule::Within(0.0, 10_000.0), Fallback::Number(250.0));
const FIRST_CHILD: ParamUse = takes(P::FindFirstScrollableChild, ParamRule::Any, Fallback::Flag(true));
const STRICT: ParamUse = takes(P::Strict, ParamRule::Any, Fallback::Flag(false));
const FORCE: ParamUse = takes(P::Force, ParamRule::Any, Fallback::Flag(false));
const CONFIRM: ParamUse = takes(P::Confirm, ParamRule::Any, Fallback::None);
const COUNT: ParamUse = takes(P::Count, ParamRule::Count(1.0, MAX_COUNT), Fallback::None);
const UNTIL: ParamUse = takes(P::Until, ParamRule::Any, Fallback::None);
const ALL: ParamUse = takes(P::All, ParamRule::Any, Fallback::Flag(false));

const UI_READINESS: &[(P, RetryPreset)] = &[(P::Retry, RetryPreset::UiReadiness)];
const NO_RETRY: &[(P, RetryPreset)] = &[(P::Retry, RetryPreset::None)];
const APP_LAUNCH: &[(P, RetryPreset)] = &[(P::Retry, RetryPreset::AppLaunch)];

/// What a row has where it says nothing.
const PLAIN: ActionSpec = ActionSpec {
    kind: ActionKind::SnapshotUi,
    name: "",
    aliases: &[],
    doc: "",
    params: &[],
    relations: &[],
    retries: &[],
    removed: &[],
    operator: OperatorRoute::Unsupported,
    time: None,
    effect: E::Observes,
    lane: None,
    private: None,
    recipe: None,
    verb: None,
    commands: &[],
    promised_keys: &[],
    success_keys: &[],
    optional_keys: &[],
    failure_keys: &[],
    build: |_| None,
};

/// Writes the kinds, the steps and the table from one list. A row names its
/// kind and the type of its step; what it does not say is as in `PLAIN`.
macro_rules! actions {
    ($($kind:ident($step:ident) { $($field:ident: $value:expr),* $(,)? })*) => {
        /// The canonical action types.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ActionKind {
            $($kind,)*
        }

        /// One action, checked and ready to run.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Step {
            $($kind(step::$step),)*
        }

        impl Step {
            /// Which action it is.
            pub fn kind(&self) -> ActionKind {
                match self {
                    $(Self::$kind(_) => ActionKind::$kind,)*
                }
            }
        }

        /// How many actions there are.
        const ACTION_COUNT: usize = [$(ActionKind::$kind),*].len();

        /// Every action, in the order of the canonical type list.
        pub const CATALOGUE: [ActionSpec; ACTION_COUNT] = [$(ActionSpec {
            kind: ActionKind::$kind,
            build: |given| step::$step::build(given).map(Step::$kind),
            $($field: $value,)*
            ..PLAIN
        },)*];
    };
}

actions! {
    OpenApp(OpenApp) {
        name: "open_app",
        doc: "Opens an app by its package id, or by its label. A name that does not read like a package (words with \
            dots, the first in lower case) is looked for among the apps with an icon, whatever its case: first a \
            label, then the last part of a package, then what only one label or package begins with. A phone \
            tells labels that an app's manifest spells out, not those of its resources; such an app is found by \
            the last part of its package. Through the Operator app only package ids work.",
        params: &[
            NOT_BLANK_ID,
            CONFIRM,
            takes(P::Fresh, ParamRule::Any, Fallback::Flag(false)),
        ],
        retries: APP_LAUNCH,
        operator: OperatorRoute::App,
        effect: E::Moves,
        recipe: Some(&[P::ApplicationId]),
        commands: &["open"],
        success_keys: &[D::ApplicationId],
        optional_keys: &[D::ResolvedPackage, D::Resumed, D::Confirmed],
    }
    OpenUri(OpenUri) {
        name: "open_uri",
        aliases: &["open_url"],
        doc: "Opens a URI with whatever app handles it.",
        params: &[needs(P::Uri, ParamRule::NotBlank), CONFIRM],
        retries: APP_LAUNCH,
        operator: OperatorRoute::App,
        effect: E::Moves,
        commands: &["open"],
        success_keys: &[D::Uri],
        optional_keys: &[D::Confirmed],
    }
    CloseApp(CloseApp) {
        name: "close_app",
        doc: "Stops an app by its package id, or by its label.",
        params: &[NOT_BLANK_ID],
        retries: &[(P::Retry, RetryPreset::AppClose)],
        operator: OperatorRoute::Host,
        effect: E::Moves,
        recipe: Some(&[P::ApplicationId]),
        commands: &["close"],
        promised_keys: &[D::ApplicationId],
        success_keys: &[D::ApplicationId],
        optional_keys: &[D::ResolvedPackage],
    }
    StartRecording(Recording) {
        name: "start_recording",
        doc: "Starts recording what is done on the phone.",
        params: &[SESSION_ID],
        retries: NO_RETRY,
        operator: OperatorRoute::App,
        effect: E::Borrows,
        commands: &["record start"],
        success_keys: &[D::SessionId, D::FilePath],
        optional_keys: &[D::Warn],
    }
    StopRecording(Recording) {
        name: "stop_recording",
        doc: "Stops the recording.",
        params: &[SESSION_ID],
        retries: NO_RETRY,
        operator: OperatorRoute::App,
        effect: E::Borrows,
        commands: &["record stop"],
        success_keys: &[D::SessionId, D::FilePath, D::EventCount],
        optional_keys: &[D::Warn],
    }
    WaitForNode(WaitForNode) {
        name: "wait_for_node",
        aliases: &["wait_for", "find", "find_node"],
        doc: "Waits until an element is on the screen, or gone from it.",
        params: &[
            MATCHER,
            takes(
                P::TimeoutMs,
                clamped(Unit::Measure, 1.0, MAX_TIMEOUT_MS),
                Fallback::None,
            ),
            STRICT,
            takes(P::Gone, ParamRule::Any, Fallback::Flag(false)),
        ],
        retries: UI_READINESS,
        operator: OperatorRoute::App,
        time: Some(P::TimeoutMs),
        effect: E::Waits,
        recipe: Some(&[P::TimeoutMs, P::Gone]),
        commands: &["wait", "find"],
        optional_keys: &[D::ResourceId, D::Label, D::Count, D::TimeoutMs],
    }
    Click(Click) {
        name: "click",
        aliases: &["tap", "press"],
        doc: "Clicks an element or a point.",
        params: &[
            takes(P::Matcher, ParamRule::Any, Fallback::None),
            takes(P::Coordinate, ParamRule::Any, Fallback::None),
            CLICK_TYPE,
            STRICT,
            FORCE,
            CONFIRM,
            COUNT,
            UNTIL,
        ],
        relations: &[
            Relation::ExactlyOne(P::Matcher, P::Coordinate),
            Relation::Excludes(P::ClickType, "focus", P::Coordinate),
        ],
        retries: UI_READINESS,
        operator: OperatorRoute::App,
        effect: E::Touches,
        recipe: Some(&[P::ClickType]),
        commands: &["click"],
        success_keys: &[D::ClickTypes],
        optional_keys: &[D::Coordinate, D::NotClickable, D::Warn, D::Confirmed, D::Times],
    }
    ScrollAndClick(ScrollAndClick) {
        name: "scroll_and_click",
        doc: "Scrolls until an element is in view, then clicks it.",
        params: &[
            MATCHER,
            takes(
                P::Direction,
                ParamRule::KnownAnyCase(Direction::WORDS),
                Fallback::Word("down"),
            ),
            CONTAINER,
            takes(P::ClickAfter, ParamRule::Any, Fallback::Flag(true)),
            takes(
                P::MaxSwipes,
                clamped(Unit::Count, 1.0, 50.0),
                Fallback::Number(10.0),
            ),
            takes(
                P::DistanceRatio,
                clamped(Unit::Measure, 0.0, 1.0),
                Fallback::Number(0.7),
            ),
            takes(
                P::SettleDelayMs,
                clamped(Unit::Measure, 0.0, 10_000.0),
                Fallback::Number(250.0),
            ),
            FIRST_CHILD,
            CLICK_TYPE,
            STRICT,
            FORCE,
            CONFIRM,
        ],
        relations: &[Relation::NeedsTrue(P::Confirm, P::ClickAfter)],
        retries: &[
            (P::ScrollRetry, RetryPreset::UiScroll),
            (P::ClickRetry, RetryPreset::UiReadiness),
        ],
        operator: OperatorRoute::App,
        effect: E::Touches,
        recipe: Some(&[
            P::Direction,
            P::ClickAfter,
            P::MaxSwipes,
            P::DistanceRatio,
            P::SettleDelayMs,
            P::FindFirstScrollableChild,
            P::ClickType,
        ]),
        commands: &["scroll-until", "scroll-and-click"],
        success_keys: &[
            D::Direction,
            D::DistanceRatio,
            D::SettleDelayMs,
            D::MaxSwipes,
            D::ClickAfter,
        ],
        optional_keys: &[D::ClickTypes, D::NotClickable, D::Confirmed],
    }
    Scroll(Scroll) {
        name: "scroll",
        doc: "Scrolls once.",
        params: &[DIRECTION, CONTAINER, DISTANCE, SETTLE, FIRST_CHILD, COUNT, UNTIL],
        retries: NO_RETRY,
        operator: OperatorRoute::App,
        effect: E::Moves,
        commands: &["scroll"],
        success_keys: &[D::Direction, D::DistanceRatio, D::SettleDelayMs, D::ScrollOutcome],
        optional_keys: &[D::ResolvedContainer, D::Times],
    }
    ScrollUntil(ScrollUntil) {
        name: "scroll_until",
        doc: "Scrolls until an element is in view or the list ends.",
        params: &[
            DIRECTION,
            takes(P::Matcher, ParamRule::Any, Fallback::None),
            CONTAINER,
            takes(P::ClickAfter, ParamRule::Any, Fallback::Flag(false)),
            DISTANCE,
            SETTLE,
            takes(P::MaxScrolls, ParamRule::Count(1.0, 200.0), Fallback::Number(20.0)),
            takes(
                P::MaxDurationMs,
                ParamRule::Within(0.0, MAX_TIMEOUT_MS),
                Fallback::Number(10_000.0),
            ),
            takes(
                P::NoPositionChangeThreshold,
                ParamRule::Count(1.0, 20.0),
                Fallback::Number(3.0),
            ),
            FIRST_CHILD,
            CLICK_TYPE,
            STRICT,
            FORCE,
            CONFIRM,
        ],
        relations: &[
            Relation::WhenTrue(P::ClickAfter, P::Matcher),
            Relation::NeedsTrue(P::Confirm, P::ClickAfter),
        ],
        operator: OperatorRoute::App,
        time: Some(P::MaxDurationMs),
        effect: E::Moves,
        commands: &["scroll-until"],
        success_keys: &[
            D::Direction,
            D::DistanceRatio,
            D::SettleDelayMs,
            D::TerminationReason,
            D::ScrollsExecuted,
            D::ClickAfter,
            D::ClickTypes,
        ],
        optional_keys: &[D::ResolvedContainer, D::NotClickable, D::Confirmed],
    }
    ReadText(ReadText) {
        name: "read_text",
        aliases: &["read"],
        doc: "Reads the text of an element.",
        params: &[
            MATCHER,
            ALL,
            CONTAINER,
            takes(P::Validator, ParamRule::Known(Validator::WORDS), Fallback::None),
            takes(P::ValidatorPattern, ParamRule::Pattern, Fallback::None),
            STRICT,
        ],
        retries: UI_READINESS,
        operator: OperatorRoute::App,
        recipe: Some(&[P::Validator, P::ValidatorPattern]),
        commands: &["read"],
        success_keys: &[D::Text, D::Validator],
        optional_keys: &[D::All, D::Count, D::LeftOut, D::Container],
        failure_keys: &[D::RawText],
    }
    EnterText(EnterText) {
        name: "enter_text",
        aliases: &["type_text", "text_entry", "input_text"],
        doc: "Types text into a field, or sets a slider to a number, and reads it back.",
        params: &[
            MATCHER,
            needs(P::Text, ParamRule::NotBlank),
            takes(P::Submit, ParamRule::Any, Fallback::Flag(false)),
            takes(P::Clear, ParamRule::Any, Fallback::Flag(false)),
            STRICT,
            FORCE,
        ],
        retries: UI_READINESS,
        operator: OperatorRoute::App,
        effect: E::Touches,
        private: Some(P::Text),
        commands: &["type"],
        success_keys: &[D::Submit],
        optional_keys: &[D::Text],
        failure_keys: &[D::ExpectedText, D::ActualText],
    }
    SnapshotUi(SnapshotUi) {
        name: "snapshot_ui",
        aliases: &["snapshot"],
        doc: "Captures the screen: its hierarchy as XML, or a small view of it with refs.",
        params: &[
            takes(P::View, ParamRule::OneOf(ViewStyle::WORDS), Fallback::None),
            takes(P::Budget, ParamRule::Count(1.0, MAX_BUDGET), Fallback::None),
            takes(P::Diff, ParamRule::Any, Fallback::Flag(false)),
            takes(P::Since, ParamRule::NotBlank, Fallback::None),
        ],
        relations: &[
            Relation::Excludes(P::View, "xml", P::Budget),
            Relation::Excludes(P::View, "xml", P::Diff),
            Relation::Excludes(P::View, "xml", P::Since),
        ],
        retries: UI_READINESS,
        removed: &["format"],
        operator: OperatorRoute::App,
        recipe: Some(&[P::View]),
        commands: &["snapshot"],
        promised_keys: &[D::Text],
        success_keys: &[D::Text],
        optional_keys: &[
            D::ForegroundPackage,
            D::ActualFormat,
            D::Warn,
            D::View,
            D::SnapshotId,
            D::Tokens,
            D::Omitted,
            D::OffScreen,
            D::Change,
            D::Keyboard,
            D::InTheWay,
        ],
    }
    TakeScreenshot(TakeScreenshot) {
        name: "take_screenshot",
        aliases: &["screenshot", "capture_screenshot"],
        doc: "Captures the screen as a PNG file.",
        params: &[takes(P::Path, ParamRule::NotBlank, Fallback::None)],
        retries: NO_RETRY,
        operator: OperatorRoute::Host,
        commands: &["screenshot"],
        promised_keys: &[D::Path],
        success_keys: &[D::Path],
        optional_keys: &[D::Warn, D::Scale],
    }
    Sleep(Sleep) {
        name: "sleep",
        doc: "Waits for a fixed time.",
        params: &[needs(P::DurationMs, ParamRule::Within(0.0, MAX_TIMEOUT_MS))],
        retries: NO_RETRY,
        operator: OperatorRoute::App,
        time: Some(P::DurationMs),
        effect: E::Nothing,
        recipe: Some(&[P::DurationMs]),
        commands: &["sleep"],
        success_keys: &[D::DurationMs],
    }
    PressKey(PressKey) {
        name: "press_key",
        aliases: &["key_press"],
        doc: "Presses a key of the phone.",
        params: &[needs(P::Key, ParamRule::OneOf(Key::WORDS)), CONFIRM, COUNT, UNTIL],
        retries: NO_RETRY,
        operator: OperatorRoute::App,
        effect: E::Moves,
        commands: &["press", "back"],
        success_keys: &[D::Key],
        optional_keys: &[D::Keyboard, D::Confirmed, D::Times],
    }
    WaitForNavigation(WaitForNavigation) {
        name: "wait_for_navigation",
        doc: "Waits until an app or an element comes up.",
        params: &[
            takes(P::ExpectedPackage, ParamRule::NotBlank, Fallback::None),
            takes(P::ExpectedNode, ParamRule::Any, Fallback::None),
            needs(P::TimeoutMs, ParamRule::Above(0.0, MAX_NAVIGATION_TIMEOUT_MS)),
        ],
        relations: &[Relation::AtLeastOne(P::ExpectedPackage, P::ExpectedNode)],
        operator: OperatorRoute::App,
        time: Some(P::TimeoutMs),
        effect: E::Waits,
        commands: &["wait-for-nav"],
        success_keys: &[D::ElapsedMs],
        optional_keys: &[D::ResolvedPackage],
        failure_keys: &[D::LastPackage],
    }
    WaitForToast(WaitForToast) {
        name: "wait_for_toast",
        doc: "Waits for a toast with a text in it, as it is written: a short message over everything, which no tree has. \
            A toast counts from the last act on: one that was shown between the last thing that clawperator did on \
            the phone and this step counts, one from before that does not. Only the resident lane sees toasts; on \
            another lane the execution is refused with LANE_UNAVAILABLE, and nothing is done.",
        params: &[
            needs(P::Text, ParamRule::NotBlank),
            takes(
                P::TimeoutMs,
                clamped(Unit::Measure, 1.0, MAX_TIMEOUT_MS),
                Fallback::Number(5_000.0),
            ),
        ],
        time: Some(P::TimeoutMs),
        effect: E::Waits,
        lane: Some(Lane::Resident),
        commands: &["wait-for-toast", "wait"],
        success_keys: &[D::Text, D::TimeoutMs],
    }
    ReadKeyValuePair(ReadKeyValuePair) {
        name: "read_key_value_pair",
        doc: "Reads the value beside a label.",
        params: &[needs(P::LabelMatcher, ParamRule::Any), ALL, STRICT],
        retries: UI_READINESS,
        operator: OperatorRoute::App,
        commands: &["read-value"],
        success_keys: &[D::Label, D::Value],
        optional_keys: &[D::All, D::Count, D::Pairs],
    }
    Query(Query) {
        // Not query_ui: the contract's cases refuse that name.
        name: "query",
        doc: "Lists every element that fits, with its ref, place and state.",
        params: &[
            takes(P::Matcher, ParamRule::Any, Fallback::None),
            takes(
                P::Visibility,
                ParamRule::OneOf(Visibility::WORDS),
                Fallback::Word("on_screen"),
            ),
            takes(P::Limit, ParamRule::Count(1.0, MAX_QUERY_NODES), Fallback::None),
        ],
        retries: UI_READINESS,
        commands: &["find"],
        success_keys: &[D::Query, D::Count, D::SnapshotId],
    }
    DragTo(DragTo) {
        // Neither drag nor swipe: the contract's cases refuse such names.
        name: "drag_to",
        doc: "Moves a finger from an element or a point to another one: a swipe, a drag, or with holdMs a drag of \
            something that is picked up first, such as an icon. Android up to 9 cannot rest a finger before it \
            moves; there the move is slower by holdMs, and the result has a warning.",
        params: &[
            takes(P::Matcher, ParamRule::Any, Fallback::None),
            takes(P::Coordinate, ParamRule::Any, Fallback::None),
            takes(P::ToMatcher, ParamRule::Any, Fallback::None),
            takes(P::ToCoordinate, ParamRule::Any, Fallback::None),
            takes(
                P::DurationMs,
                ParamRule::Within(0.0, MAX_GESTURE_MS),
                Fallback::Number(300.0),
            ),
            takes(P::HoldMs, ParamRule::Within(0.0, MAX_GESTURE_MS), Fallback::Number(0.0)),
            STRICT,
            FORCE,
            CONFIRM,
            COUNT,
            UNTIL,
        ],
        relations: &[
            Relation::ExactlyOne(P::Matcher, P::Coordinate),
            Relation::ExactlyOne(P::ToMatcher, P::ToCoordinate),
        ],
        retries: UI_READINESS,
        time: Some(P::DurationMs),
        effect: E::Touches,
        commands: &["drag"],
        success_keys: &[D::Coordinate, D::ToCoordinate, D::DurationMs],
        optional_keys: &[D::HoldMs, D::Warn, D::Confirmed, D::Times],
    }
    SetClipboard(SetClipboard) {
        name: "set_clipboard",
        doc: "Puts text on the phone's clipboard, and reads it back. Only the resident lane can; on another lane the \
            execution is refused with LANE_UNAVAILABLE, and nothing is done. A secret is not put there.",
        params: &[needs(P::Text, ParamRule::NotBlank)],
        retries: NO_RETRY,
        effect: E::Changes,
        lane: Some(Lane::Resident),
        private: Some(P::Text),
        recipe: Some(&[P::Text]),
        verb: Some("set_clipboard"),
        commands: &["set-clipboard"],
    }
}
