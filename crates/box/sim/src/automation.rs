//! The one place from which the screen is watched: the second program gets an exception.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What Android says to the second. There is no space before `already`.
pub(crate) const TAKEN: &str = "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5d1c0dealready registered!";
/// What Android says to who has lost it.
pub(crate) const LOST: &str = "UiAutomation not connected!";

/// Who takes the place from others, if that is a fault: its process, its user and its number.
pub(crate) const THIEF: (&str, u32, u32) = ("io.appium.uiautomator2.server", 10_199, 1_199);

/// Who watches the screen, and what was last written of it.
#[derive(Debug, Default)]
pub(crate) struct Automation(Mutex<AutomationWatch>);

#[derive(Debug, Default)]
struct AutomationWatch {
    holder: Holder,
    tickets: u64,
    last: Option<String>,
}

/// Who watches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Holder {
    #[default]
    Nobody,
    Ticket(u64),
    Thief,
}

/// The right to watch, until it is dropped or stolen.
#[derive(Debug)]
pub(crate) struct Watching<'a> {
    automation: &'a Automation,
    pub(crate) ticket: u64,
}

impl Automation {
    /// Takes the right to watch; none if it is taken.
    pub(crate) fn connect(&self) -> Option<Watching<'_>> {
        let mut watch = self.watch();
        if watch.holder != Holder::Nobody {
            return None;
        }
        watch.tickets += 1;
        let ticket = watch.tickets;
        watch.holder = Holder::Ticket(ticket);
        Some(Watching { automation: self, ticket })
    }

    pub(crate) fn is_taken(&self) -> bool {
        self.watch().holder != Holder::Nobody
    }

    /// Tells whether the right with this ticket is still one.
    pub(crate) fn holds(&self, ticket: u64) -> bool {
        self.watch().holder == Holder::Ticket(ticket)
    }

    /// Another program takes the place from its holder.
    pub(crate) fn steal(&self) {
        self.watch().holder = Holder::Thief;
    }

    pub(crate) fn has_thief(&self) -> bool {
        self.watch().holder == Holder::Thief
    }

    pub(crate) fn end_thief(&self) {
        let mut watch = self.watch();
        if watch.holder == Holder::Thief {
            watch.holder = Holder::Nobody;
        }
    }

    pub(crate) fn last(&self) -> Option<String> {
        self.watch().last.clone()
    }

    pub(crate) fn remember(&self, xml: &str) {
        self.watch().last = Some(xml.to_owned());
    }

    fn watch(&self) -> MutexGuard<'_, AutomationWatch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let mut watch = self.automation.watch();
        if watch.holder == Holder::Ticket(self.ticket) {
            watch.holder = Holder::Nobody;
        }
    }
}
