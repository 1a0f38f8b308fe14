//! The one place from which the screen is watched: `uiautomator` takes it or
//! fails at once.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who watches the screen, and what was last written of it.
#[derive(Debug, Default)]
pub(crate) struct Automation(Mutex<Watch>);

#[derive(Debug, Default)]
struct Watch {
    taken: bool,
    last: Option<String>,
}

/// The right to watch, until it is dropped.
#[derive(Debug)]
pub(crate) struct Watching<'a>(&'a Automation);

impl Automation {
    /// Takes the right to watch; none if it is taken.
    pub(crate) fn connect(&self) -> Option<Watching<'_>> {
        let mut watch = self.watch();
        if watch.taken {
            return None;
        }
        watch.taken = true;
        Some(Watching(self))
    }

    /// What was last dumped.
    pub(crate) fn last(&self) -> Option<String> {
        self.watch().last.clone()
    }

    /// Remembers what was dumped.
    pub(crate) fn remember(&self, xml: &str) {
        self.watch().last = Some(xml.to_owned());
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.0.watch().taken = false;
    }
}
