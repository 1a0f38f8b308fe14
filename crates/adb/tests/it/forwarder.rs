//! Forwards of our own: a port here leads to the phone while it is held.

use crate::device::{connect, soon};
use clawperator_adb::{AdbError, ForwardSpec, MAX_CARRIED};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[tokio::test]
async fn a_forward_of_our_own_leads_to_the_phone_until_it_is_dropped() {
    let device = connect("shell_v2").await;
    let forwarder = device
        .forward_local(0, ForwardSpec::Tcp(7), soon())
        .await
        .unwrap();
    let dial = || TcpStream::connect(("127.0.0.1", forwarder.port()));
    let mut sockets = [dial().await.unwrap(), dial().await.unwrap()];
    for (number, socket) in sockets.iter_mut().enumerate() {
        let said = vec![number as u8; 300_000];
        let (mut reader, mut writer) = socket.split();
        let mut back = vec![9; said.len()];
        let (sent, read) = tokio::join!(writer.write_all(&said), reader.read_exact(&mut back));
        sent.unwrap();
        read.unwrap();
        assert!(back == said);
    }
    let taken = device
        .forward_local(forwarder.port(), ForwardSpec::Tcp(7), soon())
        .await;
    assert!(matches!(taken, Err(AdbError::Local(_))), "{taken:?}");

    let port = forwarder.port();
    drop(forwarder);
    for mut socket in sockets {
        // Closed or reset, but over.
        assert!(matches!(socket.read(&mut [0]).await, Ok(0) | Err(_)));
    }
    assert!(TcpListener::bind(("127.0.0.1", port)).await.is_ok());
}

#[tokio::test]
async fn a_forward_that_leads_nowhere_closes_its_connections() {
    let device = connect("shell_v2").await;
    let remote = ForwardSpec::LocalAbstract("nothing".to_owned());
    let forwarder = device.forward_local(0, remote, soon()).await.unwrap();
    let mut socket = TcpStream::connect(("127.0.0.1", forwarder.port())).await.unwrap();
    assert!(matches!(socket.read(&mut [0]).await, Ok(0) | Err(_)));
}

#[tokio::test]
async fn a_forward_carries_so_many_and_no_more() {
    let device = connect("shell_v2").await;
    let forwarder = device
        .forward_local(0, ForwardSpec::Tcp(7), soon())
        .await
        .unwrap();
    let mut sockets = Vec::new();
    for _ in 0..MAX_CARRIED {
        let mut socket = TcpStream::connect(("127.0.0.1", forwarder.port())).await.unwrap();
        socket.write_all(b"x").await.unwrap();
        socket.read_exact(&mut [0]).await.unwrap();
        sockets.push(socket);
    }
    let mut one_more = TcpStream::connect(("127.0.0.1", forwarder.port())).await.unwrap();
    assert!(matches!(one_more.read(&mut [0]).await, Ok(0) | Err(_)));
    // A client that disconnects frees its slot as soon as the forwarder notices.
    drop(sockets.pop());
    let room = soon().run("room for one", async {
        loop {
            let mut socket = TcpStream::connect(("127.0.0.1", forwarder.port())).await?;
            if socket.write_all(b"x").await.is_ok() && socket.read_exact(&mut [0]).await.is_ok() {
                return Ok(());
            }
        }
    });
    room.await.unwrap();
}
