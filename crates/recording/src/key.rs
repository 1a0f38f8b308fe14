//! The keys and words that this program adds to the format. A reader that does
//! not know them reads the rest.

/// In the header: who made the recording.
pub(crate) const RECORDER: &str = "recorder";
/// The word for this program.
pub(crate) const HOST: &str = "host";
/// In the header: the package of the home screen.
pub(crate) const LAUNCHER: &str = "launcherPackage";
/// In any event: the snapshot is older than what was done last.
pub(crate) const STALE: &str = "stale";
/// In a window change: it only shows how the recording ended.
pub(crate) const CLOSING: &str = "closing";
/// In a click: the point that was touched.
pub(crate) const AT: &str = "at";
/// In a click: its kind, where it is not the usual.
pub(crate) const CLICK_TYPE: &str = "clickType";
/// The word for a long click.
pub(crate) const LONG_CLICK: &str = "long_click";
/// In a scroll: towards what.
pub(crate) const DIRECTION: &str = "direction";
/// In a scroll: where the container is.
pub(crate) const CONTAINER: &str = "container";
/// In a scroll: how far the finger went, as a share of the container.
pub(crate) const TRAVEL: &str = "travel";
/// In a text change: where the field is.
pub(crate) const FIELD: &str = "field";
/// In a text change: why the text is empty.
pub(crate) const UNTOLD: &str = "untold";
/// It is a password's.
pub(crate) const PASSWORD: &str = "password";
/// It was not captured.
pub(crate) const UNSEEN: &str = "unseen";
/// In a text change: a key of the keyboard ended the typing.
pub(crate) const SUBMITTED: &str = "submitted";
/// In a key press: it was worked out from a gesture.
pub(crate) const INFERRED: &str = "inferred";
/// The key of a gesture that could be several.
pub(crate) const UNKNOWN_KEY: &str = "unknown";
