//! Connections inside the phone as its kernel lists them: while they are open,
//! and for a minute after.

use super::Socket;
use crate::handset::lock;
use crate::time::Time;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long the kernel lists a connection after its end.
const TIME_WAIT: Duration = Duration::from_secs(60);
const MAX_LINES: usize = 256;
/// The first port that a program gets for its end of a connection.
const FIRST_PEER: u16 = 32_768;

/// A connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PortConnection {
    /// The port that was connected to, and its socket.
    pub(crate) port: u16,
    pub(crate) socket: Socket,
    /// The port of who has connected.
    pub(crate) peer: u16,
    pub(crate) state: LineState,
}

/// How far a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineState {
    Open,
    /// It has ended; this side went first.
    Over(PortSide),
}

/// A side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortSide {
    Client,
    Server,
}

/// When a connection ended, and who went first.
type ConnectionEnding = Mutex<Option<(Duration, PortSide)>>;

/// One end of a connection; dropping it ends the connection.
#[derive(Debug)]
pub(crate) struct ConnectionEnd {
    side: PortSide,
    ending: Arc<ConnectionEnding>,
    time: Arc<Time>,
}

impl Drop for ConnectionEnd {
    fn drop(&mut self) {
        lock(&self.ending).get_or_insert((self.time.uptime(), self.side));
    }
}

/// All connections that are listed.
#[derive(Debug)]
pub(super) struct PortConnections {
    time: Arc<Time>,
    listed: Mutex<VecDeque<(PortConnection, Arc<ConnectionEnding>)>>,
}

impl PortConnections {
    pub(super) fn new(time: &Arc<Time>) -> Self {
        Self { time: Arc::clone(time), listed: Mutex::default() }
    }

    /// Lists a connection; its ends, the client's first.
    pub(super) fn add(&self, port: u16, socket: Socket) -> (ConnectionEnd, ConnectionEnd) {
        let ending = Arc::new(ConnectionEnding::default());
        let mut listed = lock(&self.listed);
        let last = listed.back().map(|(line, _)| line.peer);
        let line = PortConnection {
            port,
            socket,
            peer: last.and_then(|last| last.checked_add(1)).unwrap_or(FIRST_PEER),
            state: LineState::Open,
        };
        if listed.len() == MAX_LINES {
            listed.pop_front();
        }
        listed.push_back((line, Arc::clone(&ending)));
        drop(listed);
        let end = |side| ConnectionEnd { side, ending: Arc::clone(&ending), time: Arc::clone(&self.time) };
        (end(PortSide::Client), end(PortSide::Server))
    }

    /// What the kernel lists now.
    pub(super) fn list(&self) -> Vec<PortConnection> {
        let now = self.time.uptime();
        let mut listed = lock(&self.listed);
        listed.retain(|(_, ending)| lock(ending).is_none_or(|(at, _)| now < at + TIME_WAIT));
        let rows = listed.iter().map(|(line, ending)| PortConnection {
            state: lock(ending).map_or(LineState::Open, |(_, side)| LineState::Over(side)),
            ..*line
        });
        rows.collect()
    }

    pub(super) fn clear(&self) {
        lock(&self.listed).clear();
    }
}
