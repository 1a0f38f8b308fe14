//! A phone for tests: it asks for a key, accepts every key, and answers a few
//! commands of its own on both shell protocols.

use bytes::{Bytes, BytesMut};
use clawperator_adb::shell::ShellPacket;
use clawperator_adb::{AdbError, Authorize, Connection, KeyVerdict, PublicKey, Stream, TOKEN_BYTES};
use tokio::io::{AsyncRead, AsyncWrite};

/// Accepts whoever shows a key.
#[derive(Default)]
pub(crate) struct Trusting(Vec<PublicKey>);

impl Authorize for Trusting {
    fn known_keys(&self) -> Vec<PublicKey> {
        self.0.clone()
    }

    fn ask(&mut self, key: &PublicKey) -> KeyVerdict {
        self.0.push(key.clone());
        KeyVerdict::Accept
    }

    fn token(&mut self) -> [u8; TOKEN_BYTES] {
        [5; TOKEN_BYTES]
    }
}

/// A device that answers a few commands of its own, with these features.
pub(crate) async fn serve<R, W>(reader: R, writer: W, features: &str)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let banner = format!(
        "device::ro.product.name=foreign;ro.product.model=Test;ro.product.device=t;features={features}"
    );
    let mut owner = Trusting::default();
    let Ok((device, _)) = Connection::from_host(reader, writer, &banner, Some(&mut owner)).await else {
        return;
    };
    while let Some(incoming) = device.accept().await {
        let service = incoming.service().to_owned();
        let Some((kind, command)) = service.split_once(':') else {
            incoming.refuse();
            continue;
        };
        let (kind, command) = (kind.to_owned(), command.to_owned());
        if !["shell", "exec"].contains(&kind.split(',').next().unwrap()) {
            incoming.refuse();
            continue;
        }
        tokio::spawn(async move {
            let mut stream = incoming.accept().unwrap();
            if kind.starts_with("shell,v2") {
                let _ = answer_v2(&mut stream, &command).await;
            } else {
                let _ = stream.send(Bytes::from(format!("{command} on v1\n"))).await;
                let _ = stream.flush().await;
            }
        });
    }
}

async fn answer_v2(stream: &mut Stream, command: &str) -> Result<(), AdbError> {
    let mut out = BytesMut::new();
    match command.split(' ').next().unwrap() {
        "fail" => {
            ShellPacket::Stdout("to out\n".into()).encode(&mut out);
            ShellPacket::Stderr("to err\n".into()).encode(&mut out);
            ShellPacket::Exit(42).encode(&mut out);
        }
        "big" => {
            ShellPacket::Stdout(Bytes::from(vec![b'x'; 900_000])).encode(&mut out);
            ShellPacket::Stdout(Bytes::from(vec![b'y'; 900_000])).encode(&mut out);
            ShellPacket::Exit(0).encode(&mut out);
        }
        "cat" => {
            let mut buffer = BytesMut::new();
            'input: while let Some(data) = stream.receive().await? {
                buffer.extend_from_slice(&data);
                while let Some(packet) = ShellPacket::decode(&mut buffer)? {
                    match packet {
                        ShellPacket::Stdin(data) => ShellPacket::Stdout(data).encode(&mut out),
                        ShellPacket::CloseStdin => break 'input,
                        _ => {}
                    }
                }
            }
            ShellPacket::Exit(0).encode(&mut out);
        }
        _ => {
            ShellPacket::Stdout(Bytes::from(format!("{command}\n"))).encode(&mut out);
            ShellPacket::Exit(0).encode(&mut out);
        }
    }
    stream.send(out.freeze()).await?;
    stream.flush().await
}
