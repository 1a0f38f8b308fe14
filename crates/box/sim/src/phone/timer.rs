//! What is to happen later.

use crate::app::effect::Effect;
use crate::app::value::Value;
use crate::view::Locals;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most things that wait.
const MAX_TIMERS: usize = 1_000;

/// What happens when its time has come.
#[derive(Clone, Debug)]
pub(crate) enum Due {
    /// An app does something, if it is still the same process.
    Effects {
        package: String,
        pid: u32,
        effects: Arc<[Effect]>,
        locals: Locals,
    },
    /// An app gets a value, if it is still the same process.
    Value {
        package: String,
        pid: u32,
        name: String,
        value: Value,
    },
    /// A screen's own timer, if the screen is still open.
    Screen {
        package: String,
        instance: u64,
        timer: usize,
    },
    /// An app that was waited for hangs on, if it is still the same process.
    StillHangs {
        package: String,
        pid: u32,
    },
    ToastEnds(u64),
    SnackbarEnds(u64),
    CallerGivesUp(String),
    Booted,
}

/// What waits, by when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    waiting: BTreeMap<(u64, u64), Due>,
    next: u64,
}

impl Timers {
    /// Lets something happen at a time of the phone's; whether there was room.
    pub(crate) fn add(&mut self, at_ms: u64, due: Due) -> bool {
        let fits = self.waiting.len() < MAX_TIMERS;
        if fits {
            self.waiting.insert((at_ms, self.next), due);
            self.next += 1;
        }
        fits
    }

    /// The next thing whose time has come, and that time.
    pub(crate) fn pop(&mut self, now_ms: u64) -> Option<(u64, Due)> {
        let entry = self.waiting.first_entry().filter(|entry| entry.key().0 <= now_ms)?;
        let ((at, _), due) = entry.remove_entry();
        Some((at, due))
    }

    /// When the next thing happens.
    pub(crate) fn next_ms(&self) -> Option<u64> {
        self.waiting.keys().next().map(|(at, _)| *at)
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}
