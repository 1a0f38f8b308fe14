//! What listens inside the phone: the ports and sockets its programs open.

use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

/// The most that listens at a time, and how much waits in a connection.
const MAX_PORTS: usize = 64;
const DEPTH: usize = 16;

/// One end of a connection inside the phone.
#[derive(Debug)]
pub(crate) struct PortStream {
    pub(crate) to: mpsc::Sender<Bytes>,
    pub(crate) from: mpsc::Receiver<Bytes>,
}

/// Two ends of a connection.
pub(crate) fn pair() -> (PortStream, PortStream) {
    let (one_to, two_from) = mpsc::channel(DEPTH);
    let (two_to, one_from) = mpsc::channel(DEPTH);
    let one = PortStream {
        to: one_to,
        from: one_from,
    };
    let two = PortStream {
        to: two_to,
        from: two_from,
    };
    (one, two)
}

/// An echo port that every phone has, to try a forward.
const ECHO: &str = "tcp:7";

fn echo() -> PortStream {
    let (here, mut there) = pair();
    tokio::spawn(async move {
        while let Some(bytes) = there.from.recv().await {
            if there.to.send(bytes).await.is_err() {
                break;
            }
        }
    });
    here
}

/// What takes connections to one address.
pub(crate) type Listener = mpsc::Receiver<PortStream>;

/// Everything that listens, by address: `tcp:9008`, `localabstract:name`.
#[derive(Debug, Default)]
pub(crate) struct Ports(Mutex<BTreeMap<String, mpsc::Sender<PortStream>>>);

impl Ports {
    /// Listens at an address; none if it is taken, or too many are.
    pub(crate) fn listen(&self, address: &str) -> Option<Listener> {
        let mut ports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A dropped listener frees its address.
        ports.retain(|_, sender| !sender.is_closed());
        if ports.len() >= MAX_PORTS || ports.contains_key(address) {
            return None;
        }
        let (sender, listener) = mpsc::channel(DEPTH);
        ports.insert(address.to_owned(), sender);
        Some(listener)
    }

    /// Connects to an address, if something listens there.
    pub(crate) async fn connect(&self, address: &str) -> Option<PortStream> {
        if address == ECHO {
            return Some(echo());
        }
        let sender = {
            let ports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            ports.get(address).cloned()?
        };
        let (here, there) = pair();
        sender.send(there).await.ok()?;
        Some(here)
    }

    /// Closes an address.
    pub(crate) fn close(&self, address: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(address);
    }

    /// Closes every address.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
