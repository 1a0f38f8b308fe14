//! The typed steps: one type per action, every value read, defaulted and in
//! its range. This is what a runtime works from.

use crate::matcher::Matcher;
use crate::param::Coordinate;
use crate::pattern::Pattern;
use crate::retry::RetryPolicy;
use crate::word::{Asked, ClickType, Direction, Key, Validator, ViewStyle, Visibility};
use std::sync::Arc;
use std::time::Duration;

/// One action, checked and ready to run.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant's type documents it")]
pub enum Step {
    OpenApp(OpenApp),
    OpenUri(OpenUri),
    CloseApp(CloseApp),
    StartRecording(Recording),
    StopRecording(Recording),
    WaitForNode(WaitForNode),
    Click(Click),
    ScrollAndClick(ScrollAndClick),
    Scroll(Scroll),
    ScrollUntil(ScrollUntil),
    ReadText(ReadText),
    EnterText(EnterText),
    SnapshotUi(SnapshotUi),
    TakeScreenshot(TakeScreenshot),
    Sleep(Sleep),
    PressKey(PressKey),
    WaitForNavigation(WaitForNavigation),
    ReadKeyValuePair(ReadKeyValuePair),
    Query(Query),
}

/// Opens an app.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenApp {
    /// Its package id.
    pub application_id: Arc<str>,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Opens a URI.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenUri {
    /// The URI.
    pub uri: Arc<str>,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Stops an app.
#[derive(Clone, Debug, PartialEq)]
pub struct CloseApp {
    /// Its package id.
    pub application_id: Arc<str>,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Starts or stops a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Its name, if one was chosen.
    pub session_id: Option<Arc<str>>,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// That it is there.
    There,
    /// That it is not there any more.
    Gone,
}

/// Waits for an element, or until there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitForNode {
    /// The element.
    pub matcher: Arc<Matcher>,
    /// What is waited for.
    pub presence: Presence,
    /// How long at the most, if bounded by more than the retries.
    pub timeout: Option<Duration>,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// What a click aims at.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// An element.
    Node(Arc<Matcher>),
    /// A point.
    Point(Coordinate),
}

/// Clicks.
#[derive(Clone, Debug, PartialEq)]
pub struct Click {
    /// What is clicked.
    pub target: Target,
    /// The kind of click.
    pub click_type: Asked<ClickType>,
    /// How to try again.
    pub retry: RetryPolicy,
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
    /// Whether an unscrollable container stands for its first scrollable descendant.
    pub find_first_scrollable_child: bool,
}

/// Scrolls until an element is in view, then clicks it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScrollAndClick {
    /// The element.
    pub matcher: Arc<Matcher>,
    /// Where to.
    pub direction: Asked<Direction>,
    /// How each swipe goes.
    pub swipe: Swipe,
    /// The most swipes.
    pub max_swipes: u32,
    /// Whether the click follows.
    pub click_after: bool,
    /// The kind of click.
    pub click_type: Asked<ClickType>,
    /// How to try again while scrolling.
    pub scroll_retry: RetryPolicy,
    /// How to try the click again.
    pub click_retry: RetryPolicy,
}

/// Scrolls once.
#[derive(Clone, Debug, PartialEq)]
pub struct Scroll {
    /// Where to.
    pub direction: Direction,
    /// How the swipe goes.
    pub swipe: Swipe,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Scrolls until an element is in view or the list ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ScrollUntil {
    /// Where to.
    pub direction: Direction,
    /// The element, if one is sought.
    pub matcher: Option<Arc<Matcher>>,
    /// How each swipe goes.
    pub swipe: Swipe,
    /// The most scrolls.
    pub max_scrolls: u32,
    /// The longest the whole search may take.
    pub max_duration: Duration,
    /// How many scrolls without movement end it.
    pub no_position_change_threshold: u32,
    /// Whether a click follows.
    pub click_after: bool,
    /// The kind of click.
    pub click_type: Asked<ClickType>,
}

/// Whether the first match is wanted or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matches {
    /// The first.
    First,
    /// All.
    All,
}

/// What a text that was read must look like.
#[derive(Clone, Debug, PartialEq)]
pub enum TextCheck {
    /// Like anything.
    None,
    /// Like a temperature.
    Temperature,
    /// Like a version.
    Version,
    /// Like this pattern, from end to end.
    Pattern(Pattern),
    /// A check no runtime knows.
    Unknown(Arc<str>),
}

/// Reads the text of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadText {
    /// The element.
    pub matcher: Arc<Matcher>,
    /// Which matches.
    pub matches: Matches,
    /// Where to look, if not everywhere.
    pub container: Option<Arc<Matcher>>,
    /// What the text must look like.
    pub check: TextCheck,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Types text.
#[derive(Clone, Debug, PartialEq)]
pub struct EnterText {
    /// The field.
    pub matcher: Arc<Matcher>,
    /// The text.
    pub text: Arc<str>,
    /// Whether to submit afterwards.
    pub submit: bool,
    /// Whether to empty the field first.
    pub clear: bool,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Captures the hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotUi {
    /// How it is written.
    pub view: ViewStyle,
    /// The most tokens it may have.
    pub budget: Option<u32>,
    /// Whether only what changed is wanted.
    pub diff: bool,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Captures the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeScreenshot {
    /// The file to write, if one was named.
    pub path: Option<Arc<str>>,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Waits for a fixed time.
#[derive(Clone, Debug, PartialEq)]
pub struct Sleep {
    /// How long.
    pub duration: Duration,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Presses a key.
#[derive(Clone, Debug, PartialEq)]
pub struct PressKey {
    /// The key.
    pub key: Key,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Waits for an app or an element to come up.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitForNavigation {
    /// The package, if one is expected.
    pub expected_package: Option<Arc<str>>,
    /// The element, if one is expected.
    pub expected_node: Option<Arc<Matcher>>,
    /// How long at the most.
    pub timeout: Duration,
}

/// Reads the value beside a label.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadKeyValuePair {
    /// The label.
    pub label_matcher: Arc<Matcher>,
    /// Which matches.
    pub matches: Matches,
    /// How to try again.
    pub retry: RetryPolicy,
}

/// Lists the elements that fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The elements; all of them where none are named.
    pub matcher: Option<Arc<Matcher>>,
    /// Where to look.
    pub visibility: Visibility,
    /// The most elements to tell of.
    pub limit: u32,
    /// How to try again.
    pub retry: RetryPolicy,
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
