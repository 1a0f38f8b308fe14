//! Asks a phone's process something, and waits no longer than agreed.

use super::limits::{HELLO_TIME, MAX_ANSWER, POLL};
use super::message::{Letter, Reply, Request};
use super::{Entry, SimError};
use crate::background::control::{self, CONTROL_TIME};
use serde::de::DeserializeOwned;
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Asks one thing and reads the answer.
pub(crate) fn ask<T: DeserializeOwned>(entry: &Entry, request: &Request) -> Result<T, SimError> {
    match ask_within(CONTROL_TIME, entry, request) {
        // A process that ends leaves questions unanswered that came too late.
        Err(SimError::BrokeOff | SimError::Gone) if entry.ends_within(HELLO_TIME) => Err(SimError::Gone),
        answer => answer,
    }
}

/// Asks a process whether it is there.
pub(crate) fn greet(entry: &Entry) -> Result<(), SimError> {
    let since = Instant::now();
    loop {
        let left = HELLO_TIME.saturating_sub(since.elapsed());
        match ask_within::<serde_json::Value>(left, entry, &Request::Hello) {
            // It ends, or we were too slow; a greeting can be repeated.
            Err(SimError::BrokeOff | SimError::Gone) if since.elapsed() < HELLO_TIME => {
                if entry.ends_within(POLL) {
                    return Err(SimError::Gone);
                }
            }
            answer => return answer.map(|_| ()),
        }
    }
}

fn ask_within<T: DeserializeOwned>(time: Duration, entry: &Entry, request: &Request) -> Result<T, SimError> {
    if entry.is_gone() {
        return Err(SimError::Gone);
    }
    let since = Instant::now();
    let socket = connect(entry, time)?;
    let letter = serde_json::json!({ "token": entry.token, "ask": request });
    debug_assert!(serde_json::from_value::<Letter>(letter.clone()).is_ok());
    let left = time.saturating_sub(since.elapsed());
    let answered = control::exchange(socket, &letter.to_string(), left, MAX_ANSWER);
    let line = answered.map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => SimError::NoAnswer("does not answer in time"),
        _ => SimError::BrokeOff,
    })?;
    if line.is_empty() {
        return Err(SimError::BrokeOff);
    }
    let nonsense = |_| SimError::NotAPhone;
    match serde_json::from_slice(&line).map_err(nonsense)? {
        Reply::Ok(value) => serde_json::from_value(value).map_err(nonsense),
        Reply::Error(message) => Err(SimError::Cannot(message)),
    }
}

fn connect(entry: &Entry, time: Duration) -> Result<TcpStream, SimError> {
    control::connect(entry.control, time).map_err(|error| match error.kind() {
        io::ErrorKind::ConnectionRefused => SimError::Gone,
        io::ErrorKind::ConnectionReset => SimError::BrokeOff,
        _ => SimError::NoAnswer("cannot be reached"),
    })
}
