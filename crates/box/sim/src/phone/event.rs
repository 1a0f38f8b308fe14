//! What accessibility tools hear: what `uiautomator events` prints.

use super::Phone;
use super::clock::log_time;
use super::dump::DumpViews;
use clawperator_contract::words;
use clawperator_ui::{Bounds, Tree};
use std::sync::Arc;
use std::time::Duration;

const MAX_EVENTS: usize = 200;

words! {
    /// The kind of an event, and its number.
    pub EventKind {
        ViewClicked = "TYPE_VIEW_CLICKED",
        ViewLongClicked = "TYPE_VIEW_LONG_CLICKED",
        ViewFocused = "TYPE_VIEW_FOCUSED",
        ViewTextChanged = "TYPE_VIEW_TEXT_CHANGED",
        WindowStateChanged = "TYPE_WINDOW_STATE_CHANGED",
        NotificationStateChanged = "TYPE_NOTIFICATION_STATE_CHANGED",
        WindowContentChanged = "TYPE_WINDOW_CONTENT_CHANGED",
        ViewScrolled = "TYPE_VIEW_SCROLLED",
        /// A key, which only those see who ask for keys.
        BackPressed = "KEYCODE_BACK",
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct PhoneEvent {
    pub number: u64,
    pub uptime_ms: u64,
    /// When, since the Unix epoch.
    pub time: Duration,
    pub kind: EventKind,
    pub package: String,
    pub text: String,
    pub class: &'static str,
    /// What was clicked; told of clicks only.
    pub source: Option<Source>,
    /// The screen at that moment; kept for clicks and keys during a recording.
    pub screen: Option<Arc<Tree>>,
}

/// The view an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub resource_id: String,
    pub text: String,
    pub content_desc: String,
    pub bounds: Bounds,
}

impl PhoneEvent {
    /// The line that `uiautomator events` prints.
    pub fn print(&self) -> String {
        format!(
            "{} EventType: {}; EventTime: {}; PackageName: {}; MovementGranularity: 0; Action: 0; ContentChangeTypes: []; WindowChangeTypes: [] [ ClassName: {}; Text: [{}]; ContentDescription: null; ItemCount: -1; CurrentItemIndex: -1; Enabled: true; Password: false; Checked: false; FullScreen: false; Scrollable: false; BeforeText: null; FromIndex: -1; ToIndex: -1; ScrollX: 0; ScrollY: 0; MaxScrollX: 0; MaxScrollY: 0; AddedCount: -1; RemovedCount: -1; ParcelableData: null ]; recordCount: 0\n",
            log_time(self.time),
            self.kind.word(),
            self.uptime_ms,
            self.package,
            self.class,
            self.text,
        )
    }
}

impl Phone {
    /// Tells accessibility tools of something.
    pub(crate) fn tell(&mut self, kind: EventKind, package: &str, text: &str) {
        let matters = matches!(kind, EventKind::ViewClicked | EventKind::BackPressed);
        let screen = (self.keeps_screens && matters).then(|| self.tree(DumpViews::All)).flatten();
        let event = PhoneEvent {
            number: self.number(),
            uptime_ms: self.clock.uptime_ms(),
            time: self.clock.now(),
            kind,
            package: package.to_owned(),
            text: text.to_owned(),
            class: "android.view.View",
            source: None,
            screen: screen.map(Arc::new),
        };
        if self.events.len() >= MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
        self.last_activity_ms = self.clock.uptime_ms();
    }

    /// Tells that something on the screen is no longer the same.
    pub(crate) fn content_changed(&mut self) {
        let package = self.front_owner();
        self.tell(EventKind::WindowContentChanged, &package, "");
    }
}
