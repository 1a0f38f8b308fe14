//! Calls: they ring, are taken, go on in the background, and end.

use super::timer::Due;
use super::window::SystemWindow;
use super::{Notification, Phone};
use std::time::Duration;

/// The package that shows calls.
const DIALER: &str = "com.google.android.dialer";
/// The titles of the notifications that lead back to a call.
const ONGOING: &str = "Ongoing call";
const INCOMING: &str = "Incoming call";

impl Phone {
    /// An incoming call; a running call stays below it.
    pub fn ring(&mut self, number: &str) {
        self.power.awake = true;
        self.push_window(SystemWindow::Call {
            number: number.to_owned(),
            answered: false,
            since: Duration::ZERO,
        });
        self.window_changed();
    }

    /// An incoming call whose caller gives up after so many milliseconds.
    pub fn ring_for(&mut self, number: &str, ms: u64) {
        self.ring(number);
        self.later(ms, Due::CallerGivesUp(number.to_owned()));
    }

    /// Ends the unanswered calls of a number.
    pub(super) fn caller_gives_up(&mut self, number: &str) {
        let waits = |window: &SystemWindow| matches!(window, SystemWindow::Call { number: calls, answered: false, .. } if calls == number);
        self.windows.retain(|window| !waits(window));
        self.calls.retain(|call| !waits(call));
        self.tell_of_calls();
        self.window_changed();
    }

    /// Takes the call that is in front.
    pub(super) fn answer_call(&mut self) {
        let now = self.clock.uptime;
        if let Some(SystemWindow::Call { answered, since, .. }) = self.windows.last_mut()
            && !*answered
        {
            *answered = true;
            *since = now;
        }
    }

    /// Ends the call in front, or the last one of the background.
    pub(super) fn hang_up(&mut self) {
        let front = self.windows.iter().rposition(is_call);
        match front {
            Some(place) => {
                self.windows.remove(place);
            }
            None => {
                self.calls.pop();
                self.tell_of_calls();
            }
        }
    }

    /// Lets every call go on in the background, where a notification leads back.
    pub(super) fn leave_calls(&mut self) {
        if !self.windows.iter().any(is_call) {
            return;
        }
        let (calls, others) = std::mem::take(&mut self.windows).into_iter().partition(is_call);
        self.windows = others;
        self.calls.append(&mut { calls });
        self.tell_of_calls();
    }

    /// Shows the calls of the background again, if that is what a notification leads to.
    pub(super) fn return_to_call(&mut self, notification: &Notification) -> bool {
        let leads_back = is_of_call(notification) && !self.calls.is_empty();
        if leads_back {
            self.windows.append(&mut self.calls);
            self.tell_of_calls();
            self.window_changed();
        }
        leads_back
    }

    /// One notification for each call of the background, no other.
    fn tell_of_calls(&mut self) {
        self.notifications.retain(|notification| !is_of_call(notification));
        for call in self.calls.clone() {
            if let SystemWindow::Call { number, answered, .. } = call {
                self.notify(Notification {
                    package: DIALER.to_owned(),
                    title: if answered { ONGOING } else { INCOMING }.to_owned(),
                    text: number,
                });
            }
        }
    }
}

fn is_call(window: &SystemWindow) -> bool {
    matches!(window, SystemWindow::Call { .. })
}

pub(super) fn is_of_call(notification: &Notification) -> bool {
    notification.package == DIALER && [ONGOING, INCOMING].contains(&notification.title.as_str())
}
