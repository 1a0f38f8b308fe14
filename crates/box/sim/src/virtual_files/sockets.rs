//! `/proc/net/tcp` and `/proc/net/tcp6`: what listens, and for whom, and who is connected.

use crate::port::{LineState, PortConnection, PortSide, Socket, SocketReach};

const HEAD4: &str =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const HEAD6: &str = "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
/// Addresses as the kernel writes them: each word of four bytes turned round.
const LOOPBACK4: &str = "0100007F";
const LOOPBACK6: &str = "0000000000000000FFFF00000100007F";
const ANY6: &str = "00000000000000000000000000000000";
/// The states of a socket: it is connected, it was, it listens.
const OPEN: &str = "01";
const OVER: &str = "06";
const LISTEN: &str = "0A";
/// The first inode of a socket.
const INODE: u32 = 24_000;
/// Who connects: adbd, and the commands of the shell, which are no Java programs.
const CLIENT: Socket = Socket { uid: 2000, reach: SocketReach::Loopback };

/// The phone's sockets.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    pub(super) listening: Vec<(u16, Socket)>,
    pub(super) lines: Vec<PortConnection>,
}

/// One socket in a table.
struct SocketRow {
    socket: Socket,
    local: u16,
    /// The port at the other side, of what is connected.
    remote: Option<u16>,
    state: &'static str,
}

/// What the table of IPv4 says.
pub(super) fn tcp(sockets: &Sockets) -> String {
    table(HEAD4, sockets, |row| match row.socket.reach {
        SocketReach::Loopback => Some(LOOPBACK4),
        SocketReach::JavaLoopback | SocketReach::Everyone => None,
    })
}

/// What the table of IPv6 says. The sockets of Java programs are here, those for IPv4 included.
pub(super) fn tcp6(sockets: &Sockets) -> String {
    table(HEAD6, sockets, |row| match (row.socket.reach, row.remote) {
        (SocketReach::Loopback, _) => None,
        (SocketReach::JavaLoopback, _) | (SocketReach::Everyone, Some(_)) => Some(LOOPBACK6),
        (SocketReach::Everyone, None) => Some(ANY6),
    })
}

impl Sockets {
    fn rows(&self) -> Vec<SocketRow> {
        let mut rows: Vec<SocketRow> = Vec::new();
        for (port, socket) in &self.listening {
            rows.push(SocketRow { socket: *socket, local: *port, remote: None, state: LISTEN });
        }
        for line in &self.lines {
            rows.extend([PortSide::Client, PortSide::Server].into_iter().filter_map(|side| end(line, side)));
        }
        rows
    }
}

/// The socket at one side of a connection. After the end the kernel keeps that of
/// who went first, and it has no owner.
fn end(line: &PortConnection, side: PortSide) -> Option<SocketRow> {
    let (socket, local, remote) = match side {
        PortSide::Client => (CLIENT, line.peer, line.port),
        PortSide::Server => (line.socket, line.port, line.peer),
    };
    let (state, uid) = match line.state {
        LineState::Open => (OPEN, socket.uid),
        LineState::Over(first) if first == side => (OVER, 0),
        LineState::Over(_) => return None,
    };
    Some(SocketRow { socket: Socket { uid, ..socket }, local, remote: Some(remote), state })
}

fn table(head: &str, sockets: &Sockets, address: impl Fn(&SocketRow) -> Option<&'static str>) -> String {
    let mut text = head.to_owned();
    let rows = sockets.rows();
    let rows = rows.iter().filter_map(|row| Some((row, address(row)?)));
    for (number, (row, address)) in rows.enumerate() {
        let SocketRow { local, state, socket, .. } = row;
        let (there, remote) = match row.remote {
            Some(remote) => (address.to_owned(), remote),
            None => ("0".repeat(address.len()), 0),
        };
        let inode = match *state {
            OVER => 0,
            _ => INODE + u32::from(*local),
        };
        text.push_str(&format!(
            "{number:>4}: {address}:{local:04X} {there}:{remote:04X} {state} 00000000:00000000 00:00000000 00000000 {:>5}        0 {inode} 1 0000000000000000 100 0 0 10 0\n",
            socket.uid,
        ));
    }
    text
}
