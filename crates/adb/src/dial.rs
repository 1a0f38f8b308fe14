//! Makes a TCP connection, to a device or to an adb server.

use crate::error::AdbError;
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::time::Duration;
use tokio::net::TcpStream;

/// How long nothing may come before the other side is asked whether it is there.
const IDLE: Duration = Duration::from_secs(15);
/// How long to wait between one such question and the next.
const BETWEEN: Duration = Duration::from_secs(5);
/// How many questions may go unanswered.
const UNANSWERED: u32 = 3;

/// Connects to an address. Nothing is tried twice: whoever wants a connection
/// again asks again.
pub(crate) async fn dial(address: &str) -> Result<TcpStream, AdbError> {
    let socket = TcpStream::connect(address)
        .await
        .map_err(|error| match error.kind() {
            io::ErrorKind::ConnectionRefused => AdbError::Refused {
                address: address.to_owned(),
            },
            _ => error.into(),
        })?;
    // adb sends small packets and waits for each answer; holding one back for
    // the next to join it would cost a pause every time.
    socket.set_nodelay(true)?;
    // A phone that loses its network says nothing. Without this a connection
    // that only listens, such as to a log, would wait for it forever; with it,
    // it is over within half a minute.
    let keepalive = TcpKeepalive::new()
        .with_time(IDLE)
        .with_interval(BETWEEN)
        .with_retries(UNANSWERED);
    SockRef::from(&socket).set_tcp_keepalive(&keepalive)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_are_asked_whether_they_live() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = dial(&listener.local_addr().unwrap().to_string()).await.unwrap();
        let socket_ref = SockRef::from(&socket);
        assert!(socket.nodelay().unwrap() && socket_ref.keepalive().unwrap());
        assert_eq!(socket_ref.tcp_keepalive_time().unwrap(), IDLE);
        assert_eq!(socket_ref.tcp_keepalive_interval().unwrap(), BETWEEN);
        assert_eq!(socket_ref.tcp_keepalive_retries().unwrap(), UNANSWERED);
    }
}
