//! Messages over everything, which go away by themselves.

use super::Phone;
use super::event::EventKind;
use super::timer::Due;

/// The class in its event; a notification has another one.
const CLASS: &str = "android.widget.Toast";
const SHOWN_MS: u64 = 3_500;

/// The toast that is shown, and the last one that was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Toasts {
    shown: Option<u64>,
    /// The last one, whether it is still there or not.
    pub(crate) last: Option<Toast>,
}

/// A message over everything.
#[derive(Clone, Debug)]
pub(crate) struct Toast {
    pub(crate) number: u64,
    pub(crate) text: String,
}

impl Toasts {
    pub(crate) fn current(&self) -> Option<&Toast> {
        self.last.as_ref().filter(|toast| self.shown == Some(toast.number))
    }

    pub(super) fn end(&mut self, number: u64) {
        self.shown.take_if(|shown| *shown == number);
    }
}

impl Phone {
    /// Shows a message over everything.
    pub(crate) fn show_toast(&mut self, package: &str, text: String) {
        let number = self.number();
        self.tell(EventKind::NotificationStateChanged, package, &text);
        if let Some(event) = self.events.back_mut() {
            event.class = CLASS;
        }
        self.toasts = Toasts { shown: Some(number), last: Some(Toast { number, text }) };
        self.later(SHOWN_MS, Due::ToastEnds(number));
    }
}
