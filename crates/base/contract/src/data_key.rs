//! The keys of a step's result data. Values are typed inside and strings at the border.

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
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What the value says.
            pub fn doc(self) -> &'static str {
                match self {
                    $(Self::$variant => $doc,)*
                }
            }
        }
    };
}

data_keys! {
    Text = "text" "The text that was read or entered, or the view hierarchy.";
    Path = "path" "The file that was written.";
    Warn = "warn" "A warning about the result, such as that the screen may not have settled.";
    ApplicationId = "application_id" "The app as the action names it.";
    Submit = "submit" "Whether the text was submitted.";
    Uri = "uri" "The URI that was opened.";
    Key = "key" "The key that was pressed.";
    DurationMs = "duration_ms" "How long the step slept, or the finger moved.";
    HoldMs = "hold_ms" "How long the finger rested before it moved.";
    ClickTypes = "click_types" "How it was clicked: `click`, `long_click` or `focus`.";
    Coordinate = "coordinate" "The point that was clicked, or where the finger went down, as `(x,y)`.";
    ToCoordinate = "to_coordinate" "The point where the finger went up, as `(x,y)`.";
    ResourceId = "resource_id" "The resource id of the element.";
    Label = "label" "The label of the element.";
    Value = "value" "The value beside the label.";
    Pairs = "pairs" "Every label with its value, as JSON.";
    TimeoutMs = "timeout_ms" "How long the step may wait.";
    ResolvedPackage = "resolved_package" "The package that came to the front, or that a label stands for.";
    LastPackage = "last_package" "The package that was last seen in front.";
    ElapsedMs = "elapsed_ms" "How long the step waited.";
    Validator = "validator" "The validator that checked the text.";
    RawText = "raw_text" "The text that did not pass the validator.";
    All = "all" "`true` if every match was read.";
    Count = "count" "The number of matches.";
    LeftOut = "left_out" "The number of texts that did not pass the validator.";
    Container = "container" "The container that was searched, as a matcher.";
    Direction = "direction" "The direction of the scroll.";
    DistanceRatio = "distance_ratio" "How far one swipe goes, as a share of the container.";
    SettleDelayMs = "settle_delay_ms" "How long the step waited after each swipe.";
    ResolvedContainer = "resolved_container" "The resource id of the element that was scrolled.";
    ScrollOutcome = "scroll_outcome" "`moved`, `edge_reached`, or `unknown` if nothing of what it shows is in the tree.";
    TerminationReason = "termination_reason" "Why scrolling ended.";
    ScrollsExecuted = "scrolls_executed" "How many swipes were made.";
    ClickAfter = "click_after" "Whether the target is clicked once it is in view.";
    MaxSwipes = "max_swipes" "The most swipes that the step may make.";
    ActualFormat = "actual_format" "The format of the hierarchy.";
    ForegroundPackage = "foreground_package" "The package that the hierarchy belongs to.";
    SelectionWarning = "selection_warning" "How many elements fit, if the first of several was used; or that texts are hidden, if nothing fits.";
    ResolvedId = "resolved_id" "The full resource id that a short one stood for.";
    TouchWarning = "touch_warning" "The element that covers this one, or may do so, and may have received the touch; or that the phone could not check what it touched.";
    NotClickable = "not_clickable" "The element that was touched although neither it nor anything around it takes clicks.";
    LookedFor = "looked_for" "What no element fits: the matcher's fields, such as `textContains=Usage`.";
    Nearest = "nearest" "The elements closest to the matcher, if none fits.";
    Candidates = "candidates" "The elements that fit, if strict allows only one.";
    ExpectedText = "expected_text" "The text that the field should show.";
    ActualText = "actual_text" "The text that the field shows.";
    Dispatched = "dispatched" "Whether the phone acted on a step that failed: `no`, `unknown`, or `yes` if it accepted the act.";
    Confirmed = "confirmed" "The effect that was seen after the act: `appears`, `disappears` or `changed`; `already there` if what is to appear was there before, too; `was not there before` if what is to disappear was not.";
    View = "view" "The format of the snapshot: `xml`, `compact` or `json`.";
    SnapshotId = "snapshot_id" "An id of what the snapshot shows, for `since`: the same screen with the same refs has the same id.";
    Tokens = "tokens" "The estimated number of tokens in the view.";
    Omitted = "omitted" "What was left out to stay within the budget.";
    OffScreen = "off_screen" "Elements that take a touch or text but are not on the screen.";
    Change = "change" "What changed since the last snapshot: `first`, `none`, `some` or `all`.";
    MemoryWarning = "memory_warning" "Why the stored refs and snapshot of this phone were lost or could not be stored.";
    Times = "times" "How often it was done, if `count` or `until` was given.";
    Query = "query" "The elements that were found, as JSON.";
    StandsThere = "stands_there" "The element that is now where the ref's element was.";
    Toasts = "toasts" "The messages that the phone showed over everything and this step saw, as JSON; only on the resident lane.";
    EarlierToasts = "earlier_toasts" "The messages that the phone showed before this step's act, as JSON: they belong to what was done before; only on the resident lane.";
    ToastsAgeMs = "toasts_age_ms" "At most how long ago the first of the toasts came, in ms, where that is known.";
    Keyboard = "keyboard" "The keyboard: that it is shown and what it covers, or that the key closed it and nothing else.";
    InTheWay = "in_the_way" "What came over the app or took its place: a dialog of the phone's with its choices, or another app.";
    Scale = "scale" "How many pixels of the screen one of the picture is, if the phone says how large its screen is.";
    Resumed = "resumed" "That the app was open already and came to the front as it was left.";
    SessionId = "sessionId" "The recording's name.";
    FilePath = "filePath" "The recording's file.";
    EventCount = "eventCount" "How many events the recording has.";
    ApprovalId = "approval_id" "The request that a person has to decide first.";
    Error = "error" "The error code.";
    Message = "message" "The error message, for people.";
}

/// The keys that the data of any successful step may have.
pub const COMMON_KEYS: &[DataKey] = &[
    DataKey::SelectionWarning,
    DataKey::ResolvedId,
    DataKey::TouchWarning,
    DataKey::MemoryWarning,
    DataKey::Toasts,
    DataKey::EarlierToasts,
    DataKey::ToastsAgeMs,
];

/// The keys that the data of a failed step always has.
pub const FAILED_KEYS: &[DataKey] = &[DataKey::Error, DataKey::Message, DataKey::Dispatched];

/// The keys that the data of any failed step may have: what was there instead
/// of what was looked for.
pub const COMMON_FAILURE_KEYS: &[DataKey] = &[
    DataKey::LookedFor,
    DataKey::Nearest,
    DataKey::Candidates,
    DataKey::Count,
    DataKey::StandsThere,
    DataKey::ForegroundPackage,
    DataKey::InTheWay,
    DataKey::Toasts,
    DataKey::EarlierToasts,
    DataKey::ToastsAgeMs,
    DataKey::ApprovalId,
];

impl fmt::Display for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
