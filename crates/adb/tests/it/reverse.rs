//! Reverses over a connection of our own: the phone calls, and only where it
//! was asked to.

use crate::device::{connect, soon};
use bytes::Bytes;
use clawperator_adb::{AdbError, Device, ForwardSpec, Rebind, Reverse};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A listener here that answers everyone who says "hello" with these words.
async fn listener(words: &'static [u8]) -> ForwardSpec {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut heard = [0; 5];
            socket.read_exact(&mut heard).await.unwrap();
            assert_eq!(&heard, b"hello");
            socket.write_all(words).await.unwrap();
        }
    });
    ForwardSpec::Tcp(port)
}

fn reverse(port: u16, local: &ForwardSpec) -> Reverse {
    Reverse {
        remote: ForwardSpec::Tcp(port),
        local: local.clone(),
    }
}

/// What the phone hears at an address of its own.
async fn dial(device: &Device, port: u16) -> String {
    let output = device
        .shell(&format!("dial tcp:{port}"), Bytes::new(), soon())
        .await
        .unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[tokio::test]
async fn a_reverse_leads_the_phone_here_until_it_is_removed() {
    let device = connect("shell_v2").await;
    let (first, second) = (listener(b"first").await, listener(b"second").await);
    let ask = |wanted: Reverse, rebind| {
        let device = device.clone();
        async move { device.reverse(&wanted, rebind, soon()).await }
    };
    assert_eq!(
        ask(reverse(8080, &first), Rebind::Replace).await.unwrap(),
        Some(8080)
    );
    assert_eq!(dial(&device, 8080).await, "first");

    let refused = ask(reverse(8080, &second), Rebind::Refuse).await;
    assert!(matches!(refused, Err(AdbError::Refusal(_))), "{refused:?}");
    assert_eq!(dial(&device, 8080).await, "first");
    ask(reverse(8080, &second), Rebind::Replace).await.unwrap();
    assert_eq!(dial(&device, 8080).await, "second");

    let chosen = ask(reverse(0, &first), Rebind::Refuse).await.unwrap().unwrap();
    assert_eq!(dial(&device, chosen).await, "first");
    assert_eq!(
        device.reverses(soon()).await.unwrap(),
        [reverse(8080, &second), reverse(chosen, &first)]
    );

    device
        .reverse_remove(&ForwardSpec::Tcp(8080), soon())
        .await
        .unwrap();
    let missing = device.reverse_remove(&ForwardSpec::Tcp(8080), soon()).await;
    assert!(matches!(missing, Err(AdbError::Refusal(_))), "{missing:?}");
    assert!(dial(&device, 8080).await.contains("nothing listens"));
    device.reverse_remove_all(soon()).await.unwrap();
    assert_eq!(device.reverses(soon()).await.unwrap(), []);
}

#[tokio::test]
async fn a_reverse_that_leads_nowhere_is_refused_to_the_phone() {
    let device = connect("shell_v2").await;
    let gone = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let wanted = reverse(8080, &ForwardSpec::Tcp(gone.port()));
    device.reverse(&wanted, Rebind::Replace, soon()).await.unwrap();
    assert!(dial(&device, 8080).await.contains("not opened"));
    let unsupported = reverse(8081, &ForwardSpec::Jdwp(1));
    device
        .reverse(&unsupported, Rebind::Replace, soon())
        .await
        .unwrap();
    assert!(dial(&device, 8081).await.contains("not opened"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_reverse_may_lead_to_a_unix_socket() {
    let path = std::env::temp_dir().join(format!("clawperator-reverse-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut heard = [0; 5];
        socket.read_exact(&mut heard).await.unwrap();
        socket.write_all(b"from a file").await.unwrap();
    });
    let device = connect("shell_v2").await;
    let local = format!("localfilesystem:{}", path.display());
    let wanted = reverse(8080, &local.parse().unwrap());
    device.reverse(&wanted, Rebind::Replace, soon()).await.unwrap();
    assert_eq!(dial(&device, 8080).await, "from a file");
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn what_is_carried_ends_with_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let local = ForwardSpec::Tcp(listener.local_addr().unwrap().port());
    let device = connect("shell_v2").await;
    device
        .reverse(&reverse(8080, &local), Rebind::Replace, soon())
        .await
        .unwrap();
    let calling = tokio::spawn({
        let device = device.clone();
        async move { dial(&device, 8080).await }
    });
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut heard = [0; 5];
    socket.read_exact(&mut heard).await.unwrap();
    calling.abort();
    let _ = calling.await;
    drop(device);
    assert!(matches!(socket.read(&mut heard).await, Ok(0) | Err(_)));
}
