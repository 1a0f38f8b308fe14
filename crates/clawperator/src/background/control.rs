//! The control channel of a background process: a port of `127.0.0.1` where it
//! is asked things, one line each way. A caller proves with a token that it can
//! read the process's entry, which only its user can.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// How long a connection may take to ask and to show its token: one without a
/// token must not hold a place for longer.
pub(crate) const KNOCK_TIME: Duration = Duration::from_millis(1500);
/// How long one question and its answer may take.
pub(crate) const CONTROL_TIME: Duration = Duration::from_secs(5);
/// How long to wait after a connection could not be accepted.
const AGAIN: Duration = Duration::from_millis(50);
/// The longest line that asks a process to end.
const MAX_TOKEN: u64 = 256;
/// The answer of a process that is about to end.
const ENDING: &str = "ending\n";

/// Opens a control channel, and tells its port.
pub(crate) fn listen() -> io::Result<(std::net::TcpListener, u16)> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Tells whether a token is ours. It compares every byte, so that the time it
/// takes says nothing about where they differ.
pub(crate) fn is_token(ours: &str, theirs: &str) -> bool {
    let (ours, theirs) = (ours.as_bytes(), theirs.as_bytes());
    let differences = ours.iter().zip(theirs).fold(0, |sum, (a, b)| sum | (a ^ b));
    ours.len() == theirs.len() && differences == 0
}

/// Waits until a caller that knows the token asks this process to end.
pub(crate) async fn asked_to_end(listener: &TcpListener, token: &str) {
    loop {
        let Ok((mut socket, _)) = listener.accept().await else {
            // Too many open files, for example.
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        let (reader, mut writer) = socket.split();
        let mut line = String::new();
        let mut reader = BufReader::new(reader.take(MAX_TOKEN));
        let heard = tokio::time::timeout(KNOCK_TIME, reader.read_line(&mut line)).await;
        if matches!(heard, Ok(Ok(_))) && is_token(token, line.trim_end()) {
            // The caller may have left; the request holds all the same.
            let _ = writer.write_all(ENDING.as_bytes()).await;
            return;
        }
    }
}

/// Asks a process to end; tells whether it answered.
pub(crate) fn ask_to_end(port: u16, token: &str) -> bool {
    let asked = connect(port, CONTROL_TIME).and_then(|socket| exchange(socket, token, CONTROL_TIME, 64));
    asked.is_ok_and(|answer| answer == ENDING.as_bytes())
}

/// Connects to the port of a process.
pub(crate) fn connect(port: u16, time: Duration) -> io::Result<TcpStream> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, at_least(time))
}

/// Sends a line and reads the line that answers it, up to so many bytes.
pub(crate) fn exchange(
    mut socket: TcpStream,
    line: &str,
    time: Duration,
    most: usize,
) -> io::Result<Vec<u8>> {
    let since = Instant::now();
    socket.set_write_timeout(Some(at_least(time)))?;
    socket.write_all(line.as_bytes())?;
    socket.write_all(b"\n")?;
    let mut answer = Vec::new();
    let mut chunk = [0; 1 << 16];
    while !answer.ends_with(b"\n") && answer.len() < most {
        let left = time.saturating_sub(since.elapsed());
        socket.set_read_timeout(Some(at_least(left)))?;
        match socket.read(&mut chunk)? {
            0 => break,
            count => answer.extend_from_slice(&chunk[..count]),
        }
    }
    Ok(answer)
}

/// A timeout of zero would mean none at all.
fn at_least(time: Duration) -> Duration {
    time.max(Duration::from_millis(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_a_caller_with_the_token_ends_a_process() {
        let (listener, port) = listen().unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let asking = tokio::task::spawn_blocking(move || {
            let answers = ["", "secre", "secret2", "secret"].map(|token| ask_to_end(port, token));
            assert_eq!(answers, [false, false, false, true]);
        });
        asked_to_end(&listener, "secret").await;
        asking.await.unwrap();
    }
}
