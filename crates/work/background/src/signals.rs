//! The signals that ask a process to end.

use std::io;

/// Waits for a signal that asks the process to end.
#[cfg(unix)]
pub fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

/// Waits for a signal that asks the process to end.
#[cfg(not(unix))]
pub fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without signals there are other ways to end: `sim stop`, timeouts.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
