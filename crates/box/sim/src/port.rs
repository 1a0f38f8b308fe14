//! What listens inside the phone: the ports and sockets its programs open, and
//! who is connected to them.

mod line;

pub(crate) use line::{LineState, PortConnection, PortSide};

use crate::time::Time;
use bytes::Bytes;
use line::{ConnectionEnd, PortConnections};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

/// The most that listens at a time, and how much waits in a connection.
const MAX_PORTS: usize = 64;
const DEPTH: usize = 16;
/// How much is sent at a time.
const PIECE: usize = 64 << 10;

/// One end of a connection inside the phone.
#[derive(Debug)]
pub(crate) struct PortStream {
    pub(crate) to: mpsc::Sender<Bytes>,
    pub(crate) from: mpsc::Receiver<Bytes>,
    /// What the kernel lists of it, if it does.
    pub(crate) end: Option<ConnectionEnd>,
}

impl PortStream {
    /// Sends bytes in pieces; whether the receiver is still there.
    pub(crate) async fn send_all(&self, bytes: impl Into<Bytes>) -> bool {
        let mut bytes = bytes.into();
        while !bytes.is_empty() {
            if self.to.send(bytes.split_to(bytes.len().min(PIECE))).await.is_err() {
                return false;
            }
        }
        true
    }
}

/// Two ends of a connection.
pub(crate) fn pair() -> (PortStream, PortStream) {
    let (one_to, two_from) = mpsc::channel(DEPTH);
    let (two_to, one_from) = mpsc::channel(DEPTH);
    let one = PortStream { to: one_to, from: one_from, end: None };
    let two = PortStream { to: two_to, from: two_from, end: None };
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

/// What the kernel tells of a socket that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Socket {
    pub(crate) uid: u32,
    pub(crate) reach: SocketReach,
}

/// Who can reach a socket that listens, and which table of the kernel has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketReach {
    Loopback,
    /// This phone only; of a Java program, so it is listed as IPv6.
    JavaLoopback,
    /// Everyone; of a Java program, so it is listed as IPv6.
    Everyone,
}

impl Socket {
    /// A socket of a Java program that everyone can reach.
    pub(crate) fn open(uid: u32) -> Self {
        Self { uid, reach: SocketReach::Everyone }
    }

    /// A socket of a Java program for this phone only.
    pub(crate) fn local(uid: u32) -> Self {
        Self { uid, reach: SocketReach::JavaLoopback }
    }
}

/// A listener's socket and how it gets its connections.
#[derive(Debug)]
struct PortListener {
    socket: Socket,
    sender: mpsc::Sender<PortStream>,
}

/// Everything that listens, by address: `tcp:9008`, `localabstract:name`; and
/// the connections to it.
#[derive(Debug)]
pub(crate) struct Ports {
    listening: Mutex<BTreeMap<String, PortListener>>,
    lines: PortConnections,
}

impl Ports {
    pub(crate) fn new(time: &Arc<Time>) -> Self {
        Self { listening: Mutex::default(), lines: PortConnections::new(time) }
    }

    /// Listens at an address; none if it is taken, or too many are.
    pub(crate) fn listen(&self, address: &str, socket: Socket) -> Option<Listener> {
        let mut ports = self.table();
        if ports.len() >= MAX_PORTS || ports.contains_key(address) {
            return None;
        }
        let (sender, listener) = mpsc::channel(DEPTH);
        ports.insert(address.to_owned(), PortListener { socket, sender });
        Some(listener)
    }

    /// The ports of TCP that something listens on.
    pub(crate) fn sockets(&self) -> Vec<(u16, Socket)> {
        let ports = self.table();
        let rows = ports.iter();
        rows.filter_map(|(address, listening)| Some((tcp(address)?, listening.socket))).collect()
    }

    /// The connections of TCP that the kernel lists.
    pub(crate) fn lines(&self) -> Vec<PortConnection> {
        self.lines.list()
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<String, PortListener>> {
        let mut ports = self.listening.lock().unwrap_or_else(PoisonError::into_inner);
        // A dropped listener frees its address.
        ports.retain(|_, listening| !listening.sender.is_closed());
        ports
    }

    /// Connects to an address, if something listens there.
    pub(crate) async fn connect(&self, address: &str) -> Option<PortStream> {
        if address == ECHO {
            return Some(echo());
        }
        let (sender, socket) = {
            let ports = self.table();
            let listening = ports.get(address)?;
            (listening.sender.clone(), listening.socket)
        };
        let (mut here, mut there) = pair();
        if let Some(port) = tcp(address) {
            let ends = self.lines.add(port, socket);
            (here.end, there.end) = (Some(ends.0), Some(ends.1));
        }
        sender.send(there).await.ok()?;
        Some(here)
    }

    pub(crate) fn close(&self, address: &str) {
        self.table().remove(address);
    }

    pub(crate) fn clear(&self) {
        self.table().clear();
        self.lines.clear();
    }
}

/// The port of an address of TCP.
fn tcp(address: &str) -> Option<u16> {
    address.strip_prefix("tcp:")?.parse().ok()
}
