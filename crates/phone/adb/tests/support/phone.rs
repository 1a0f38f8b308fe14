//! A phone for tests: it asks for a key, accepts every key, and answers a few
//! commands of its own on both shell protocols.

use bytes::{Bytes, BytesMut};
use clawperator_adb::shell::ShellPacket;
use clawperator_adb::sync::{FileEntry, FileStat};
use clawperator_adb::{
    AdbError, Authorize, Connection, Incoming, KeyVerdict, PublicKey, Stream, TOKEN_BYTES,
};
use clawperator_adb::{Files, serve_files};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncWrite};

/// Accepts every key.
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

/// A phone's files, all in one map. `/data` cannot be written.
#[derive(Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<BTreeMap<String, (FileStat, Bytes)>>>);

impl Files for Disk {
    fn stat(&self, path: &str) -> Option<FileStat> {
        let files = self.0.lock().unwrap();
        let folder = FileStat { mode: 0o040_755, size: 4096, modified: 1 };
        let is_folder = ["/", "/sdcard", "/sdcard/", "/data"].contains(&path);
        files.get(path).map(|(stat, _)| *stat).or(is_folder.then_some(folder))
    }

    fn list(&self, path: &str) -> Vec<FileEntry> {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let files = self.0.lock().unwrap();
        let inside = files.iter().filter_map(|(name, (stat, _))| Some((name.strip_prefix(&prefix)?, *stat)));
        inside.map(|(name, stat)| FileEntry { name: name.to_owned(), stat }).collect()
    }

    fn read(&self, path: &str) -> Result<Bytes, String> {
        let files = self.0.lock().unwrap();
        let found = files.get(path).map(|(_, contents)| contents.clone());
        found.ok_or_else(|| format!("open failed: No such file or directory: {path}"))
    }

    fn hold(&mut self, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn write(&mut self, path: &str, stat: FileStat, contents: Bytes) -> Result<(), String> {
        if path.starts_with("/data") {
            return Err("couldn't create file: Permission denied".to_owned());
        }
        self.0.lock().unwrap().insert(path.to_owned(), (stat, contents));
        Ok(())
    }
}

/// A device that answers a few commands of its own, with these features.
pub(crate) async fn serve<R, W>(reader: R, writer: W, features: &str)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let mut owner = Trusting::default();
    let greeting = Connection::from_host(reader, writer, &banner(features), Some(&mut owner)).await;
    if let Ok((device, _)) = greeting {
        answer_all(Arc::new(device)).await;
    }
}

/// What the phone says of itself.
pub(crate) fn banner(features: &str) -> String {
    format!("device::ro.product.name=foreign;ro.product.model=Test;ro.product.device=t;features={features}")
}

/// What one phone has.
struct Phone {
    disk: Disk,
}

/// Answers until the connection ends.
pub(crate) async fn answer_all(device: Arc<Connection>) {
    let phone = Arc::new(Phone { disk: Disk::default() });
    while let Some(incoming) = device.accept().await {
        let phone = phone.clone();
        tokio::spawn(async move {
            // What breaks, breaks for the host too, which is asked about it.
            let _ = phone.answer(incoming).await;
        });
    }
}

impl Phone {
    async fn answer(&self, incoming: Incoming) -> Result<(), AdbError> {
        let service = incoming.service().to_owned();
        let (kind, command) = service.split_once(':').unwrap_or((&service, ""));
        match kind {
            "sync" => serve_files(incoming.accept()?, &mut self.disk.clone()).await,
            "tcp" if command == "7" => {
                let mut stream = incoming.accept()?;
                while let Some(data) = stream.receive().await? {
                    stream.send(data).await?;
                }
                Ok(())
            }
            // Any arguments, such as a terminal's kind, stand between.
            _ if kind.starts_with("shell,v2") => {
                let mut stream = incoming.accept()?;
                answer_v2(&mut stream, command).await
            }
            "shell" => {
                let stream = incoming.accept()?;
                let inside = command.strip_prefix('(').unwrap_or(command);
                let (inside, end) = inside.split_once("\n); echo ").unwrap_or((inside, ""));
                let end = match inside {
                    "cut" => "",
                    _ => end.trim_matches('\''),
                };
                // A terminal ends its lines with both.
                let printed = format!("{inside} on v1\n{end}\r\n");
                stream.send(Bytes::from(printed)).await?;
                stream.flush().await
            }
            _ if ["shell", "exec"].contains(&kind.split(',').next().unwrap()) => {
                let stream = incoming.accept()?;
                stream.send(Bytes::from(format!("{command} on v1\n"))).await?;
                stream.flush().await
            }
            _ => {
                incoming.refuse();
                Ok(())
            }
        }
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
