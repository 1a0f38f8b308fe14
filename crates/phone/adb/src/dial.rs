//! Makes a TCP connection, to a device or to an adb server.

use crate::deadline::Deadline;
use crate::error::AdbError;
use futures_core::future::BoxFuture;
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpStream;

/// How long nothing may come before the other side is asked whether it is there.
const IDLE: Duration = Duration::from_secs(15);
/// How long to wait between one such question and the next.
const BETWEEN: Duration = Duration::from_secs(5);
/// How many questions may go unanswered.
const UNANSWERED: u32 = 3;

/// The addresses that a `host:port` means, each in its one spelling: an IPv4
/// address is never written as an IPv6 one, and they come first. No two of them
/// are the same, and there is at least one.
///
/// # Errors
/// [`AdbError::NoHost`] if the host's name means nothing, or
/// [`AdbError::TimedOut`].
pub fn lookup(address: &str, deadline: Deadline) -> BoxFuture<'_, Result<Vec<SocketAddr>, AdbError>> {
    Box::pin(async move {
        let looking = async {
            let found = tokio::net::lookup_host(address).await;
            found.map_err(|error| AdbError::NoHost(error.to_string()))
        };
        let found = deadline.run("looking up the host", looking).await?;
        let mut addresses = Vec::new();
        for address in found.map(canonical) {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        addresses.sort_by_key(SocketAddr::is_ipv6);
        if addresses.is_empty() {
            return Err(AdbError::NoHost("it has no address".to_owned()));
        }
        Ok(addresses)
    })
}

fn canonical(address: SocketAddr) -> SocketAddr {
    match address.ip().to_canonical() {
        // The unspecified address means this computer.
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, address.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, address.port()).into(),
        IpAddr::V4(ip) => (ip, address.port()).into(),
        // With its scope, which tells one network from another.
        IpAddr::V6(_) => address,
    }
}

/// Connects to an address. Nothing is tried twice: a caller that wants a connection
/// again asks again.
pub(crate) async fn dial(address: &str) -> Result<TcpStream, AdbError> {
    let socket = TcpStream::connect(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::ConnectionRefused => AdbError::Refused { address: address.to_owned() },
        _ => error.into(),
    })?;
    // adb sends small packets and waits for each answer; holding one back for
    // the next to join it would cost a pause every time.
    socket.set_nodelay(true)?;
    // A phone that loses its network says nothing. Without this a connection that only listens,
    // such as to a log, would wait for it forever; with it, it is over within half a minute.
    let keepalive = TcpKeepalive::new().with_time(IDLE).with_interval(BETWEEN).with_retries(UNANSWERED);
    SockRef::from(&socket).set_tcp_keepalive(&keepalive)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_spelling_of_an_address_is_the_same_address() {
        let soon = Deadline::after(Duration::from_secs(20));
        for (spelling, address) in [
            ("127.0.0.1:5555", "127.0.0.1:5555"),
            ("127.1:5555", "127.0.0.1:5555"),
            ("127.0.0.1:05555", "127.0.0.1:5555"),
            ("0.0.0.0:5555", "127.0.0.1:5555"),
            ("::ffff:127.0.0.1:5555", "127.0.0.1:5555"),
            ("[::ffff:127.0.0.1]:5555", "127.0.0.1:5555"),
            ("[0:0::1]:5555", "[::1]:5555"),
            ("[::]:5555", "[::1]:5555"),
        ] {
            let found = lookup(spelling, soon).await.unwrap();
            assert_eq!(found[0].to_string(), address, "{spelling}");
        }
        let here = lookup("localhost:5555", soon).await.unwrap();
        assert!(here[0].ip().is_loopback(), "{here:?}");
        // Too long for a name: no resolver is asked.
        let none = lookup(&format!("{}:5555", "x".repeat(300)), soon).await;
        assert!(matches!(none, Err(AdbError::NoHost(_))), "{none:?}");
    }

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
