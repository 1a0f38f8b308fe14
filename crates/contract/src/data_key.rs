//! The keys of a step's result data. Values are typed inside and strings at
//! the border.

use std::fmt;

macro_rules! data_keys {
    ($($variant:ident = $name:literal $doc:literal;)*) => {
        /// A known key of `StepResult.data`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum DataKey {
            $(#[doc = $doc] $variant,)*
        }

        impl DataKey {
            /// Every known key.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The key as it is written.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What the value says.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self {
                    $(Self::$variant => $doc,)*
                }
            }
        }
    };
}

data_keys! {
    Text = "text" "The text read or entered, or the hierarchy.";
    Path = "path" "The file written.";
    Warn = "warn" "What is to be known of the result, such as that it may be early.";
    ApplicationId = "application_id" "The package acted on.";
    Submit = "submit" "Whether the text was submitted.";
    Uri = "uri" "The link that was opened.";
    Key = "key" "The key that was pressed.";
    DurationMs = "duration_ms" "How long was slept.";
    ClickTypes = "click_types" "How it was clicked: `click`, `long_click` or `focus`.";
    Coordinate = "coordinate" "The point that was clicked, as `(x,y)`.";
    ResourceId = "resource_id" "The resource id of the element.";
    Label = "label" "The label of the element.";
    Value = "value" "The value beside the label.";
    Pairs = "pairs" "Every label with its value, as JSON.";
    TimeoutMs = "timeout_ms" "How long the step would have waited.";
    ResolvedPackage = "resolved_package" "The package that came to the front.";
    LastPackage = "last_package" "The package that was in front last.";
    ElapsedMs = "elapsed_ms" "How long was waited.";
    Validator = "validator" "What the text was checked to be.";
    RawText = "raw_text" "The text that is not what it was to be.";
    All = "all" "`true` where every match was read.";
    Count = "count" "How many there are.";
    Container = "container" "The container that was looked in, as a matcher.";
    Direction = "direction" "Where to was scrolled.";
    DistanceRatio = "distance_ratio" "How far one swipe went.";
    SettleDelayMs = "settle_delay_ms" "How long was waited after a swipe.";
    ResolvedContainer = "resolved_container" "The resource id of what was scrolled.";
    ScrollOutcome = "scroll_outcome" "`moved` or `edge_reached`.";
    TerminationReason = "termination_reason" "Why scrolling ended.";
    ScrollsExecuted = "scrolls_executed" "How many swipes there were.";
    ClickAfter = "click_after" "Whether the target was to be clicked.";
    MaxSwipes = "max_swipes" "How many swipes there could have been.";
    ActualFormat = "actual_format" "The form of the hierarchy.";
    ForegroundPackage = "foreground_package" "The package the hierarchy is of.";
    SelectionWarning = "selection_warning" "How many elements fitted where the first was used.";
    TouchWarning = "touch_warning" "What lies over the element and may have taken the touch.";
    Nearest = "nearest" "What comes nearest to the matcher, where nothing fits.";
    Candidates = "candidates" "Elements that fit, where one was asked for.";
    ExpectedText = "expected_text" "The text the field should show.";
    ActualText = "actual_text" "The text the field shows.";
    Dispatched = "dispatched" "Whether the phone may have acted in a step that failed: `no` or `unknown`.";
    View = "view" "How the snapshot is written: `xml`, `compact` or `json`.";
    SnapshotId = "snapshot_id" "A name of exactly what was seen: the same for the same screen.";
    Tokens = "tokens" "How many tokens the view has, as estimated.";
    Omitted = "omitted" "What was left out to stay within the budget.";
    OffScreen = "off_screen" "What takes a touch or text and is not on the screen.";
    Change = "change" "What changed since the last snapshot: `first`, `none`, `some` or `all`.";
    MemoryWarning = "memory_warning" "Why what was known of this phone was forgotten, or could not be kept.";
    Query = "query" "What was found, as JSON.";
    StandsThere = "stands_there" "What stands where the ref's element stood.";
    SessionId = "sessionId" "The recording's name.";
    FilePath = "filePath" "The recording's file.";
    EventCount = "eventCount" "How many events the recording has.";
    Error = "error" "The code of the failure.";
    Message = "message" "The failure, for people.";
}

/// The keys that the data of any successful step may have.
pub const COMMON_KEYS: &[DataKey] = &[
    DataKey::SelectionWarning,
    DataKey::TouchWarning,
    DataKey::MemoryWarning,
];

/// The keys that the data of a failed step always has.
pub const FAILED_KEYS: &[DataKey] = &[DataKey::Error, DataKey::Message, DataKey::Dispatched];

/// The keys that the data of any failed step may have: what was there instead
/// of what was looked for.
pub const COMMON_FAILURE_KEYS: &[DataKey] = &[
    DataKey::Nearest,
    DataKey::Candidates,
    DataKey::Count,
    DataKey::StandsThere,
    DataKey::ForegroundPackage,
];

impl fmt::Display for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
