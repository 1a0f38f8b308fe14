//! Connections between a host and what listens inside the phone, both ways.

use super::HostSession;
use crate::port::{Listener, PortStream, Socket, SocketReach};
use clawperator_adb::{AdbError, Stream};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, Weak};
use tokio::task::AbortHandle;

/// A socket of adbd's, which runs as `shell`.
const ADBD: Socket = Socket { uid: 2000, reach: SocketReach::Loopback };

/// Carries bytes between a host's stream and a connection inside the phone, until one of them ends.
pub(super) async fn carry(mut stream: Stream, port: PortStream) -> Result<(), AdbError> {
    let PortStream { to, mut from, end: _end } = port;
    let (mut receiving, sending) = stream.split();
    let inwards = async {
        while let Some(data) = receiving.receive().await? {
            if to.send(data).await.is_err() {
                break;
            }
        }
        Ok::<(), AdbError>(())
    };
    let outwards = async {
        while let Some(data) = from.recv().await {
            sending.send(data).await?;
        }
        sending.flush().await?;
        // A side that has sent everything may still listen.
        to.closed().await;
        Ok(())
    };
    tokio::select! {
        ended = inwards => ended,
        ended = outwards => ended,
    }
}

/// What listens inside the phone for a host: its address, where on the host it leads, and the task.
pub(super) type ReversePorts = BTreeMap<String, (String, AbortHandle)>;

/// Listens inside the phone wherever the host has asked for it, and nowhere else.
pub(super) fn listen_for_host(host: &Arc<HostSession>) {
    let wanted: BTreeMap<String, String> = host.reverses(|reverses| {
        let rows = reverses.iter();
        rows.map(|(remote, local)| (remote.to_string(), local.to_string())).collect()
    });
    let mut listening = host.reversed.lock().unwrap_or_else(PoisonError::into_inner);
    let stale = |remote: &String, local: &String| wanted.get(remote) != Some(local);
    listening.retain(|remote, (local, task)| {
        let keep = !stale(remote, local);
        if !keep {
            task.abort();
            host.handset.ports().close(remote);
        }
        keep
    });
    for (remote, local) in wanted {
        if listening.contains_key(&remote) {
            continue;
        }
        if let Some(listener) = host.handset.ports().listen(&remote, ADBD) {
            let task = tokio::spawn(listen(Arc::downgrade(host), listener, local.clone()));
            listening.insert(remote, (local, task.abort_handle()));
        }
    }
}

async fn listen(host: Weak<HostSession>, mut listener: Listener, local: String) {
    while let Some(port) = listener.recv().await {
        let Some(connection) = host.upgrade().and_then(|host| host.connection.upgrade()) else {
            return;
        };
        let local = local.clone();
        tokio::spawn(async move {
            if let Ok(stream) = connection.open(&local).await {
                // Both sides hear of an end.
                let _ = carry(stream, port).await;
            }
        });
    }
}
