//! Asks a phone's process something, and waits no longer than agreed.

use super::limits::{CONTROL_TIME, MAX_ANSWER};
use super::message::{Letter, Reply, Request};
use super::{Entry, SimError};
use serde::de::DeserializeOwned;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Asks one thing and reads the answer.
pub(crate) fn ask<T: DeserializeOwned>(entry: &Entry, request: &Request) -> Result<T, SimError> {
    if entry.is_gone() {
        return Err(SimError::Gone);
    }
    let mut socket = connect(entry)?;
    let letter = serde_json::json!({ "token": entry.token, "ask": request });
    debug_assert!(serde_json::from_value::<Letter>(letter.clone()).is_ok());
    let line = exchange(&mut socket, &letter.to_string()).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => SimError::NoAnswer("does not answer in time"),
        _ => SimError::NoAnswer("broke off"),
    })?;
    let nonsense = |_| SimError::NoAnswer("does not answer as a simulated phone does");
    match serde_json::from_slice(&line).map_err(nonsense)? {
        Reply::Ok(value) => serde_json::from_value(value).map_err(nonsense),
        Reply::Error(message) => Err(SimError::Cannot(message)),
    }
}

/// Tells whether somebody still listens where the process did.
pub(crate) fn listens(entry: &Entry) -> bool {
    !entry.is_gone() && connect(entry).is_ok()
}

fn connect(entry: &Entry) -> Result<TcpStream, SimError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, entry.control));
    TcpStream::connect_timeout(&address, CONTROL_TIME).map_err(|error| match error.kind() {
        io::ErrorKind::ConnectionRefused => SimError::Gone,
        _ => SimError::NoAnswer("cannot be reached"),
    })
}

fn exchange(socket: &mut TcpStream, letter: &str) -> io::Result<Vec<u8>> {
    let since = Instant::now();
    socket.set_write_timeout(Some(CONTROL_TIME))?;
    socket.write_all(letter.as_bytes())?;
    socket.write_all(b"\n")?;
    let mut line = Vec::new();
    let mut chunk = [0; 1 << 16];
    while !line.ends_with(b"\n") && line.len() < MAX_ANSWER {
        let left = CONTROL_TIME.saturating_sub(since.elapsed());
        // A timeout of zero would mean none at all.
        socket.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match socket.read(&mut chunk)? {
            0 => break,
            count => line.extend_from_slice(&chunk[..count]),
        }
    }
    Ok(line)
}
