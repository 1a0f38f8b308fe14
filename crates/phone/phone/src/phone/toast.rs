//! Toasts: short messages over everything, which no tree has. The resident server remembers the
//! last one, however long ago it was, until a call makes it forget it. That is done before every
//! act, so what it tells was shown since the last act.

use super::lane::not_running;
use super::resident::ServerCall;
use super::{CommandKind, Phone, PhoneError};
use crate::resident::client::excerpt;
use clawperator_adb::Deadline;
use clawperator_contract::{Lane, WarningCode};
use serde_json::{Value, json};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long the word of the server holds that there is none.
const FRESH: Duration = Duration::from_millis(250);
/// How long one question may take: a look or an act waits for it.
const ASKING: Duration = Duration::from_secs(1);
/// The longest toast that is read, in letters. Android shows two lines.
const MAX_LETTERS: usize = 1_000;
/// The most toasts that are kept until a step tells of them.
const MAX_TOASTS: usize = 8;

/// What is known of toasts.
#[derive(Debug, Default)]
pub(super) struct ToastMemory {
    /// The last one, since the last act.
    last: Option<String>,
    /// Those that were seen and that are in no result yet.
    untold: SeenToasts,
    /// When the last act began.
    acted_at: Option<Instant>,
    /// Whether the step that runs has acted: what it saw before is not its own.
    has_acted: bool,
    /// When the server said that there was none, if nothing was done since.
    none_at: Option<Instant>,
    /// Whether the server may tell one from before the last act.
    is_old: bool,
    /// Whether the server may have heard one since the last act that it can no longer tell.
    missed: bool,
}

/// Toasts that a step saw.
#[derive(Debug, Default)]
pub struct SeenToasts {
    /// Those since its act, or since the last act if it did nothing.
    pub own: Vec<String>,
    /// Those that came before its act.
    pub earlier: Vec<String>,
    /// How many more there were, before these.
    pub left_out: usize,
    /// When none of them had come yet, if that is known.
    pub none_at: Option<Instant>,
}

impl Phone {
    /// The last toast since the last act, as far as it was on the resident lane.
    ///
    /// # Errors
    /// [`PhoneError::Resident`] on another lane, or if the server does not answer;
    /// or what broke.
    pub async fn toast(&self, deadline: Deadline) -> Result<Option<String>, PhoneError> {
        if self.toasts().is_old {
            self.forget_toast(deadline).await?;
        }
        let toast = match self.ask_for_toasts("getLastToast", deadline).await? {
            Value::Null => None,
            Value::String(toast) => Some(toast.chars().take(MAX_LETTERS).collect()),
            other => {
                return Err(PhoneError::Unreadable {
                    command: CommandKind::Toast,
                    excerpt: excerpt(&other.to_string()),
                });
            }
        };
        let mut toasts = self.toasts();
        let none_at = toasts.none_at.or(toasts.acted_at);
        toasts.none_at = toast.is_none().then(Instant::now);
        let untold = &mut toasts.untold;
        if toast.is_some() && untold.own.is_empty() && untold.earlier.is_empty() {
            untold.none_at = none_at;
        }
        if toast.is_some() && toast != toasts.last {
            let own = &mut toasts.untold.own;
            own.extend(toast.clone());
            if own.len() > MAX_TOASTS {
                own.remove(0);
                toasts.untold.left_out += 1;
            }
        }
        toasts.last.clone_from(&toast);
        Ok(toast)
    }

    /// Those that were seen since this was last asked.
    pub fn take_toasts(&self) -> SeenToasts {
        let mut toasts = self.toasts();
        toasts.has_acted = false;
        std::mem::take(&mut toasts.untold)
    }

    /// Makes sure that a toast which is seen later was not shown before what is
    /// about to be done. An act never fails because of it.
    pub(crate) async fn leave_toasts_behind(&self, deadline: Deadline) {
        let is_known = |none_at: Option<Instant>| none_at.is_some_and(|at| at.elapsed() < FRESH);
        let is_none = is_known(self.toasts().none_at);
        let forgot = match self.lane() {
            Lane::Resident if is_none => Ok(()),
            Lane::Resident => self.forget_toast(deadline).await,
            Lane::Dump => Err(not_running()),
        };
        // One that is gone has forgotten all.
        if let (Lane::Resident, Some(error)) = (self.lane(), forgot.as_ref().err())
            && !error.is_without_server()
        {
            let message = format!("the resident server did not forget the last toast before an act: {error}");
            self.warn(WarningCode::ToastsNotForgotten, message);
        }
        let mut toasts = self.toasts();
        toasts.is_old = forgot.is_err();
        // To forget it later is to forget one that the act has shown.
        toasts.missed = forgot.is_err();
        (toasts.last, toasts.none_at) = (None, None);
        toasts.acted_at = Some(Instant::now());
        if !std::mem::replace(&mut toasts.has_acted, true) {
            toasts.untold.earlier = std::mem::take(&mut toasts.untold.own);
        }
    }

    /// Whether one may have been shown since the last act that the server can no
    /// longer tell: then it is no sign that none was seen.
    pub fn missed_toasts(&self) -> bool {
        self.toasts().missed
    }

    /// Notes that the server did not hear all of them.
    pub(super) fn miss_toasts(&self) {
        self.toasts().missed = true;
    }

    /// Starts anew for another holder of the phone. What the server has of the last act stays.
    pub(crate) fn forget_told_toasts(&self) {
        let mut toasts = self.toasts();
        let ToastMemory { is_old, missed, acted_at, .. } = *toasts;
        *toasts = ToastMemory { is_old, missed, acted_at, ..ToastMemory::default() };
    }

    async fn forget_toast(&self, deadline: Deadline) -> Result<(), PhoneError> {
        self.ask_for_toasts("clearLastToast", deadline).await?;
        self.toasts().is_old = false;
        Ok(())
    }

    async fn ask_for_toasts(&self, method: &str, deadline: Deadline) -> Result<Value, PhoneError> {
        if self.lane() != Lane::Resident {
            return Err(not_running());
        }
        let deadline = Deadline::after(deadline.left().min(ASKING));
        let call = ServerCall::new(CommandKind::Toast, method, json!([]));
        self.call_server(&call, deadline).await
    }

    fn toasts(&self) -> MutexGuard<'_, ToastMemory> {
        self.lane.toasts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
