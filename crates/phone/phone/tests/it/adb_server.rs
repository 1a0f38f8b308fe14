//! A stand-in for an adb server: it lists what a test wants and leads every
//! service to a simulated phone.

use crate::world::soon;
use bytes::Bytes;
use clawperator_adb::{Device, ServerEnvironment};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Serves one phone, with this list of devices.
pub(crate) async fn serve_list(list: &str, device: Device) -> ServerEnvironment {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (list, device): (Arc<str>, _) = (list.into(), Arc::new(device));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(answer(socket, Arc::clone(&list), Arc::clone(&device)));
        }
    });
    ServerEnvironment {
        socket: None,
        address: None,
        port: Some(port.to_string()),
        program: "/no/such/adb".into(),
    }
}

/// What is asked for; nothing if the host has gone.
async fn request(socket: &mut TcpStream) -> Option<String> {
    let mut length = [0; 4];
    socket.read_exact(&mut length).await.ok()?;
    let length = usize::from_str_radix(std::str::from_utf8(&length).unwrap(), 16).unwrap();
    let mut text = vec![0; length];
    socket.read_exact(&mut text).await.ok()?;
    Some(String::from_utf8(text).unwrap())
}

async fn answer(mut socket: TcpStream, list: Arc<str>, device: Arc<Device>) {
    let Some(asked) = request(&mut socket).await else {
        return;
    };
    let text = match asked.as_str() {
        "host:devices-l" => list.to_string(),
        "host:version" => "0029".to_owned(),
        asked if asked.ends_with(":features") => {
            if device.has_feature("shell_v2") {
                "shell_v2,cmd".to_owned()
            } else {
                "cmd".to_owned()
            }
        }
        asked if asked.starts_with("host:transport:") => {
            socket.write_all(b"OKAY").await.unwrap();
            return lead(socket, &device).await;
        }
        other => panic!("{other}"),
    };
    let text = format!("OKAY{:04x}{text}", text.len());
    socket.write_all(text.as_bytes()).await.unwrap();
}

/// Leads a service to the phone, both ways.
async fn lead(mut socket: TcpStream, device: &Device) {
    let Some(service) = request(&mut socket).await else {
        return;
    };
    let Ok(mut stream) = device.open(&service, soon()).await else {
        // An adb server says no more, whatever became of the service.
        socket.write_all(b"FAIL0006closed").await.unwrap();
        return;
    };
    socket.write_all(b"OKAY").await.unwrap();
    let (mut from_host, mut to_host) = socket.split();
    let (mut from_phone, mut to_phone) = stream.split();
    let down = async {
        while let Ok(Some(data)) = from_phone.receive().await {
            if to_host.write_all(&data).await.is_err() {
                return;
            }
        }
        // The host may have gone already.
        let _ = to_host.shutdown().await;
    };
    // What the phone no longer takes is still read: closing a socket with unread
    // data would take what the host has not read yet with it.
    let up = async {
        let mut buffer = vec![0; 64 << 10];
        let mut open = true;
        while let Ok(count @ 1..) = from_host.read(&mut buffer).await {
            open = open && {
                let data = Bytes::copy_from_slice(&buffer[..count]);
                to_phone.send(data).await.is_ok()
            };
        }
    };
    tokio::pin!(down, up);
    tokio::select! {
        () = &mut down => up.await,
        () = &mut up => {}
    }
}
