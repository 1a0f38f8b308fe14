//! Connections that stay open between requests.

use crate::queue::TurnGuard;
use clawperator_phone::{Deadline, Phone};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

/// How long a connection stays open that is not used.
pub const IDLE_LIMIT: Duration = Duration::from_secs(300);
/// How long a connection may be idle before it is checked.
pub const HEALTH_CHECK_AFTER: Duration = Duration::from_secs(5);
/// How long a phone may take to answer a check.
const HEALTH_CHECK: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(crate) struct WarmConnection {
    open: Option<OpenPhone>,
    /// Whether a task will close it when it was idle for too long.
    is_watched: bool,
}

#[derive(Debug)]
struct OpenPhone {
    phone: Arc<Phone>,
    used: Instant,
}

impl WarmConnection {
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes a phone that was just connected, unless there is a connection. It
    /// has the serial of the queue.
    pub(crate) fn offer(&mut self, phone: Arc<Phone>) {
        let used = Instant::now();
        self.open.get_or_insert(OpenPhone { phone, used });
    }

    /// The phone, if it still answers. One that was just used is not asked.
    pub(crate) async fn healthy(&mut self) -> Option<Arc<Phone>> {
        let OpenPhone { phone, used } = self.open.take()?;
        if !phone.is_connected() {
            return None;
        }
        let was_idle = used.elapsed() > HEALTH_CHECK_AFTER;
        if was_idle && phone.answer(Deadline::after(HEALTH_CHECK)).await.is_err() {
            return None;
        }
        self.offer(phone.clone());
        Some(phone)
    }
}

/// A turn on a phone. At its end the connection stays open for the idle limit, if there is one.
#[derive(Debug)]
pub(crate) struct PhoneTurn {
    pub(crate) turn: TurnGuard<WarmConnection>,
    pub(crate) idle: Option<Duration>,
}

impl Drop for PhoneTurn {
    fn drop(&mut self) {
        let later = Arc::downgrade(OwnedMutexGuard::mutex(&self.turn));
        let connection = &mut *self.turn;
        let runtime = Handle::try_current();
        let (Some(idle), Ok(runtime)) = (self.idle, runtime) else {
            connection.open = None;
            return;
        };
        // What has not answered this turn must not keep the next ones waiting.
        if connection.open.as_ref().is_some_and(|open| open.phone.is_silent()) {
            connection.open = None;
        }
        if let Some(open) = &mut connection.open {
            open.used = Instant::now();
            if !connection.is_watched {
                connection.is_watched = true;
                runtime.spawn(close_when_idle(later, idle));
            }
        }
    }
}

async fn close_when_idle(connection: Weak<Mutex<WarmConnection>>, idle: Duration) {
    let mut wait = idle;
    loop {
        tokio::time::sleep(wait).await;
        let Some(connection) = connection.upgrade() else {
            return;
        };
        let mut connection = connection.lock().await;
        let left =
            connection.open.as_ref().map_or(Duration::ZERO, |open| idle.saturating_sub(open.used.elapsed()));
        if left.is_zero() {
            *connection = WarmConnection::default();
            return;
        }
        wait = left;
    }
}
