//! The typed steps: one type per action, every value read, defaulted and in its range, and how it
//! is built from checked parameters. This is what a runtime works from.
//!
//! A value is `None` only where a rule of the catalogue should have refused the
//! parameters before; then there is no step.

use crate::action::param_values::ResolvedParams;
use crate::confirm::Confirm;
use crate::limits::VIEW_BUDGET;
use crate::matcher::Matcher;
use crate::param::{Coordinate, ParamKey as P};
use crate::pattern::Pattern;
use crate::retry::RetryPolicy;
use crate::word::{ClickType, Direction, Key, UncheckedWord, Validator, ViewStyle, Visibility};
use std::sync::Arc;
use std::time::Duration;

/// Writes the type of each step and how it is built: a field is its name, its
/// type, and what it is made of.
macro_rules! steps {
    ($given:ident: $($(#[$doc:meta])* $step:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty = $value:expr;)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $step {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $step {
            pub(in crate::action) fn build($given: &ResolvedParams<'_>) -> Option<Self> {
                Some(Self { $($field: $value,)* })
            }
        }
    )*};
}

steps! { given:
    /// Opens an app.
    OpenApp {
        application_id: Arc<str> = given.text(P::ApplicationId)?;
        retry: RetryPolicy = given.retry(P::Retry)?;
        /// What must be seen afterwards, if anything.
        confirm: Option<Arc<Confirm>> = given.confirm();
        /// Whether it is closed first, so that it starts at its first page.
        fresh: bool = given.flag(P::Fresh)?;
    }
    /// Opens a URI.
    OpenUri {
        uri: Arc<str> = given.text(P::Uri)?;
        retry: RetryPolicy = given.retry(P::Retry)?;
        confirm: Option<Arc<Confirm>> = given.confirm();
    }
    /// Stops an app.
    CloseApp {
        application_id: Arc<str> = given.text(P::ApplicationId)?;
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Starts or stops a recording.
    Recording {
        /// Its name, if one was chosen.
        session_id: Option<Arc<str>> = given.text(P::SessionId);
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Captures the hierarchy.
    SnapshotUi {
        view: ViewStyle = view(given)?;
        budget: Option<u32> = budget(given, view(given)?);
        /// What it is compared with, if only what changed is wanted.
        diff: Option<DiffBase> = diff_base(given);
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Captures the screen.
    TakeScreenshot {
        /// The file to write, if one was named.
        path: Option<Arc<str>> = given.text(P::Path);
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Lists the elements that fit.
    Query {
        /// The elements; all of them where none are named.
        matcher: Option<Arc<Matcher>> = given.matcher(P::Matcher);
        visibility: Visibility = given.word(P::Visibility, Visibility::from_any_case)?.meaning()?;
        /// The most elements to tell of; as many as fit a view's budget where none is given.
        limit: Option<u32> = given.count(P::Limit);
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Reads the text of an element.
    ReadText {
        matcher: Arc<Matcher> = given.matcher(P::Matcher)?;
        matches: Matches = given.matches()?;
        /// Where to look, if not everywhere.
        container: Option<Arc<Matcher>> = given.matcher(P::Container);
        /// What the text must look like.
        check: TextCheck = TextCheck::new(given.params.text(P::Validator), given.pattern.as_ref())?;
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Reads the value beside a label.
    ReadKeyValuePair {
        label_matcher: Arc<Matcher> = given.matcher(P::LabelMatcher)?;
        matches: Matches = given.matches()?;
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Scrolls once.
    Scroll {
        direction: Direction = given.direction()?.meaning()?;
        swipe: Swipe = given.swipe()?;
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Scrolls until an element is in view or the list ends.
    ScrollUntil {
        direction: Direction = given.direction()?.meaning()?;
        /// The element, if one is sought.
        matcher: Option<Arc<Matcher>> = given.matcher(P::Matcher);
        swipe: Swipe = given.swipe()?;
        max_scrolls: u32 = given.count(P::MaxScrolls)?;
        /// The longest the whole search may take.
        max_duration: Duration = given.millis(P::MaxDurationMs)?;
        /// How many scrolls without movement end it.
        no_position_change_threshold: u32 = given.count(P::NoPositionChangeThreshold)?;
        click_after: bool = given.flag(P::ClickAfter)?;
        click_type: UncheckedWord<ClickType> = given.click_type()?;
        confirm: Option<Arc<Confirm>> = given.confirm();
    }
    /// Scrolls until an element is in view, then clicks it.
    ScrollAndClick {
        matcher: Arc<Matcher> = given.matcher(P::Matcher)?;
        direction: UncheckedWord<Direction> = given.direction()?;
        swipe: Swipe = given.swipe()?;
        max_swipes: u32 = given.count(P::MaxSwipes)?;
        click_after: bool = given.flag(P::ClickAfter)?;
        click_type: UncheckedWord<ClickType> = given.click_type()?;
        /// How to try again while scrolling.
        scroll_retry: RetryPolicy = given.retry(P::ScrollRetry)?;
        /// How to try the click again.
        click_retry: RetryPolicy = given.retry(P::ClickRetry)?;
        confirm: Option<Arc<Confirm>> = given.confirm();
    }
    /// Clicks.
    Click {
        target: ClickTarget = ClickTarget::read(given, P::Matcher, P::Coordinate)?;
        click_type: UncheckedWord<ClickType> = given.click_type()?;
        retry: RetryPolicy = given.retry(P::Retry)?;
        confirm: Option<Arc<Confirm>> = given.confirm();
    }
    /// Moves a finger.
    DragTo {
        from: ClickTarget = ClickTarget::read(given, P::Matcher, P::Coordinate)?;
        to: ClickTarget = ClickTarget::read(given, P::ToMatcher, P::ToCoordinate)?;
        duration: Duration = given.millis(P::DurationMs)?;
        /// How long it rests before it moves.
        hold: Duration = given.millis(P::HoldMs)?;
        retry: RetryPolicy = given.retry(P::Retry)?;
        confirm: Option<Arc<Confirm>> = given.confirm();
    }
    /// Types text.
    EnterText {
        matcher: Arc<Matcher> = given.matcher(P::Matcher)?;
        text: Arc<str> = given.text(P::Text)?;
        submit: bool = given.flag(P::Submit)?;
        /// Whether to empty the field first.
        clear: bool = given.flag(P::Clear)?;
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Presses a key.
    PressKey {
        key: Key = Key::from_any_case(given.params.text(P::Key)?)?;
        retry: RetryPolicy = given.retry(P::Retry)?;
        confirm: Option<Arc<Confirm>> = given.confirm();
    }
    /// Waits for an element, or until there is none.
    WaitForNode {
        matcher: Arc<Matcher> = given.matcher(P::Matcher)?;
        presence: Presence = if given.flag(P::Gone)? { Presence::Gone } else { Presence::There };
        /// How long at the most, if bounded by more than the retries.
        timeout: Option<Duration> = given.millis(P::TimeoutMs);
        retry: RetryPolicy = patient(given)?;
    }
    /// Waits for an app or an element to come up.
    WaitForNavigation {
        expected_package: Option<Arc<str>> = given.text(P::ExpectedPackage);
        expected_node: Option<Arc<Matcher>> = given.matcher(P::ExpectedNode);
        timeout: Duration = given.millis(P::TimeoutMs)?;
    }
    /// Waits for a toast.
    WaitForToast {
        text: Arc<str> = given.text(P::Text)?;
        timeout: Duration = given.millis(P::TimeoutMs)?;
    }
    /// Puts text on the clipboard.
    SetClipboard {
        text: Arc<str> = given.text(P::Text)?;
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
    /// Waits for a fixed time.
    Sleep {
        duration: Duration = given.millis(P::DurationMs)?;
        retry: RetryPolicy = given.retry(P::Retry)?;
    }
}

/// What a snapshot is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffBase {
    /// The last snapshot of the phone, of any caller.
    Last,
    Snapshot(Arc<str>),
}

fn diff_base(given: &ResolvedParams<'_>) -> Option<DiffBase> {
    let last = || given.flag(P::Diff)?.then_some(DiffBase::Last);
    given.text(P::Since).map(DiffBase::Snapshot).or_else(last)
}

/// What is cut short or compared is a view; the hierarchy is whole.
fn view(given: &ResolvedParams<'_>) -> Option<ViewStyle> {
    let is_view = given.count(P::Budget).is_some() || diff_base(given).is_some();
    let usual = if is_view { ViewStyle::Compact } else { ViewStyle::Xml };
    let asked = given.params.text(P::View);
    asked.map_or(Some(usual), |word| ViewStyle::from_any_case(word))
}

fn budget(given: &ResolvedParams<'_>, view: ViewStyle) -> Option<u32> {
    let usual = (view == ViewStyle::Compact).then_some(VIEW_BUDGET);
    given.count(P::Budget).or(usual)
}

/// Whether the first match is wanted or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matches {
    First,
    All,
}

/// What a text that was read must look like.
#[derive(Clone, Debug, PartialEq)]
pub enum TextCheck {
    None,
    Temperature,
    Version,
    /// Like this pattern, from end to end.
    Pattern(Pattern),
    /// A check no runtime knows.
    Unknown(Arc<str>),
}

impl TextCheck {
    /// The check that a validator and its pattern ask for.
    pub(crate) fn new(validator: Option<&Arc<str>>, pattern: Option<&Pattern>) -> Option<Self> {
        let Some(word) = validator else {
            return Some(Self::None);
        };
        Some(match Validator::from_word(word) {
            Some(Validator::Temperature) => Self::Temperature,
            Some(Validator::Version) => Self::Version,
            Some(Validator::Regex) => Self::Pattern(pattern?.clone()),
            None => Self::Unknown(word.clone()),
        })
    }
}

/// How one swipe goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Swipe {
    /// What is scrolled; the first scrollable element where none is named.
    pub container: Option<Arc<Matcher>>,
    /// How far one swipe goes, as a share of the container.
    pub distance_ratio: f64,
    /// How long the screen is left to settle afterwards.
    pub settle_delay: Duration,
    /// Whether that delay was asked for. Otherwise a look that waits until the
    /// screen rests will do.
    pub is_delay_asked: bool,
    /// Whether to scroll the first scrollable descendant of a container that cannot scroll.
    pub find_first_scrollable_child: bool,
}

/// What a click aims at.
#[derive(Clone, Debug, PartialEq)]
pub enum ClickTarget {
    Node(Arc<Matcher>),
    Point(Coordinate),
}

impl ClickTarget {
    fn read(given: &ResolvedParams<'_>, node: P, point: P) -> Option<Self> {
        let at = || given.params.coordinate(point).map(Self::Point);
        given.matcher(node).map(Self::Node).or_else(at)
    }
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    There,
    Gone,
}

/// A caller that says how long to wait, but not how often to look, must not be
/// left early because a preset's attempts are used up.
fn patient(given: &ResolvedParams<'_>) -> Option<RetryPolicy> {
    let mut retry = given.retry(P::Retry)?;
    if given.millis(P::TimeoutMs).is_some() && given.params.retry(P::Retry).is_none() {
        retry.max_attempts = u32::MAX;
    }
    Some(retry)
}
