//! `/proc/net/tcp` and `/proc/net/tcp6`: what listens, and for whom.

use crate::port::{Reach, Socket};

const HEAD4: &str =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const HEAD6: &str = "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
/// Addresses as the kernel writes them: each word of four bytes turned round.
const LOOPBACK4: &str = "0100007F";
const LOOPBACK6: &str = "0000000000000000FFFF00000100007F";
const ANY6: &str = "00000000000000000000000000000000";
/// A socket that listens.
const LISTEN: &str = "0A";
/// The first inode of a socket.
const INODE: usize = 24_000;

pub(super) type Sockets = [(u16, Socket)];

/// What the table of IPv4 says.
pub(super) fn tcp(sockets: &Sockets) -> String {
    table(HEAD4, sockets, |reach| match reach {
        Reach::Loopback => Some(LOOPBACK4),
        Reach::JavaLoopback | Reach::Everyone => None,
    })
}

/// What the table of IPv6 says. The sockets of Java programs are here, those
/// for IPv4 included.
pub(super) fn tcp6(sockets: &Sockets) -> String {
    table(HEAD6, sockets, |reach| match reach {
        Reach::Loopback => None,
        Reach::JavaLoopback => Some(LOOPBACK6),
        Reach::Everyone => Some(ANY6),
    })
}

fn table(head: &str, sockets: &Sockets, address: impl Fn(Reach) -> Option<&'static str>) -> String {
    let mut text = head.to_owned();
    let rows = sockets
        .iter()
        .filter_map(|(port, socket)| Some((port, socket, address(socket.reach)?)));
    for (number, (port, socket, address)) in rows.enumerate() {
        let nobody = "0".repeat(address.len());
        text.push_str(&format!(
            "{number:>4}: {address}:{port:04X} {nobody}:0000 {LISTEN} 00000000:00000000 00:00000000 00000000 {:>5}        0 {} 1 0000000000000000 100 0 0 10 0\n",
            socket.uid,
            INODE + usize::from(*port)
        ));
    }
    text
}
