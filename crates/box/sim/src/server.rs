//! The phone's side of adb: lets hosts in and opens what they ask for.

mod damage;
mod files;
mod hosts;
mod ports;
mod shell;

use crate::fault::FaultPoint;
use crate::handset::Handset;
use bytes::{Bytes, BytesMut};
use clawperator_adb::{
    AdbError, Authorize, Connection, Files, Incoming, KeyVerdict, PublicKey, Reverses, Stream, TOKEN_BYTES,
    framebuffer_header, serve_files, serve_reverse,
};
use damage::{Damage, DamagedWriter};
use futures_core::future::BoxFuture;
use hosts::Hosts;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// What the phone can do beyond the first protocol.
const FEATURES: &str = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,sendrecv_v2";

/// The most hosts at a time, and how long one may take to say who it is. A
/// person may have to look at the phone first.
const MAX_HOSTS: usize = 64;
const GREETING_TIME: Duration = Duration::from_secs(60);

/// How long a host may take to read what it was sent before a reboot.
const FAREWELL: Duration = Duration::from_secs(1);

/// How the phone meets its hosts.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// What it can do, by commas; [`Welcome::default`] has all.
    pub features: String,
    pub keys: HostKeys,
}

/// Whether a host must show a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKeys {
    /// It must, and every key is accepted.
    Asked,
    /// It must, and none is accepted.
    Refused,
    NotAsked,
}

impl Default for Welcome {
    fn default() -> Self {
        Self { features: FEATURES.to_owned(), keys: HostKeys::Asked }
    }
}

/// Serves a phone to every host that connects, until it is dropped.
pub fn serve(handset: Arc<Handset>, listener: TcpListener, welcome: Welcome) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let welcome = Arc::new(welcome);
        let mut hosts = Hosts::default();
        loop {
            match listener.accept().await {
                Ok((socket, _)) => {
                    if socket.set_nodelay(true).is_err() {
                        continue;
                    }
                    let (reader, writer) = socket.into_split();
                    let writer = hosts.make_room(MAX_HOSTS, writer);
                    let last = Arc::clone(&writer.last);
                    let (handset, welcome) = (Arc::clone(&handset), Arc::clone(&welcome));
                    hosts.serve(last, serve_host(handset, reader, writer, welcome));
                }
                // Too many open files, for example; the host is let in later.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    })
}

/// Serves a phone to one host, over whatever carries bytes.
pub async fn serve_host<R, W>(handset: Arc<Handset>, reader: R, writer: W, welcome: Arc<Welcome>)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    if handset.strike(FaultPoint::Offline).is_some() || !handset.with(|phone| phone.power.booted) {
        return;
    }
    let mut boots = handset.boots.subscribe();
    let damage = Damage::drawn(&handset);
    let writer = DamagedWriter::new(writer, damage);
    let keys = match handset.strike(FaultPoint::Unauthorized) {
        Some(_) => HostKeys::Refused,
        None => welcome.keys,
    };
    let mut owner = KeyPolicy { handset: Arc::clone(&handset), keys, tokens: 0 };
    let owner = (keys != HostKeys::NotAsked).then_some(&mut owner as &mut dyn Authorize);
    let banner = banner(&handset, &welcome.features);
    let greeting = Connection::from_host(reader, writer, &banner, owner);
    let Ok(Ok((connection, _))) = tokio::time::timeout(GREETING_TIME, greeting).await else {
        return;
    };
    let connection = Arc::new(connection);
    let host = Arc::new(HostSession {
        handset: Arc::clone(&handset),
        connection: Arc::downgrade(&connection),
        reverses: Mutex::default(),
        reversed: Mutex::default(),
        hangs_up: Notify::new(),
    });
    let mut services = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = boots.changed() => {
                // Who asked for the reboot hears that it was accepted. A host
                // that does not read is not waited for.
                let _ = tokio::time::timeout(FAREWELL, connection.drain()).await;
                break;
            }
            () = host.hangs_up.notified() => break,
            incoming = connection.accept() => match incoming {
                Some(incoming) => {
                    let host = Arc::clone(&host);
                    services.spawn(async move {
                        host.handset.note_use();
                        // What breaks, breaks for the host too, which is asked about it.
                        let _ = host.answer(incoming).await;
                        host.handset.note_use();
                    });
                }
                None => break,
            },
            Some(_) = services.join_next() => {}
        }
    }
}

/// The phone's files, as one host pushes and pulls them. What hosts are sending shares one bound.
pub fn host_files(handset: &Arc<Handset>) -> impl Files + use<> {
    files::Disk::new(Arc::clone(handset))
}

/// What the phone says of itself.
fn banner(handset: &Handset, features: &str) -> String {
    handset.with(|phone| {
        let property = |name: &str| format!("{name}={};", phone.properties.get(name));
        let named: String =
            ["ro.product.name", "ro.product.model", "ro.product.device"].map(property).concat();
        format!("device::{named}features={features}")
    })
}

/// The user who accepts a host's key, or does not.
struct KeyPolicy {
    handset: Arc<Handset>,
    keys: HostKeys,
    tokens: u8,
}

impl Authorize for KeyPolicy {
    fn known_keys(&self) -> Vec<PublicKey> {
        if self.keys == HostKeys::Refused {
            return Vec::new();
        }
        self.handset.known_keys(|keys| keys.clone())
    }

    fn ask(&mut self, key: &PublicKey) -> KeyVerdict {
        if self.keys == HostKeys::Refused {
            return KeyVerdict::Ignore;
        }
        self.handset.known_keys(|keys| {
            if keys.len() < MAX_HOSTS {
                keys.push(key.clone());
            }
        });
        KeyVerdict::Accept
    }

    fn token(&mut self) -> [u8; TOKEN_BYTES] {
        // Nothing is kept from anyone here: every key is accepted. What counts
        // is that the same run sends the same bytes.
        self.tokens = self.tokens.wrapping_add(1);
        [self.tokens; TOKEN_BYTES]
    }
}

/// One host that was let in.
struct HostSession {
    handset: Arc<Handset>,
    connection: Weak<Connection>,
    reverses: Mutex<Reverses>,
    /// What listens inside the phone for the host.
    reversed: Mutex<ports::ReversePorts>,
    /// Told when the connection is to end here and now.
    hangs_up: Notify,
}

impl Drop for HostSession {
    /// Closes what listened for a host that is gone.
    fn drop(&mut self) {
        let reversed = self.reversed.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (address, (_, task)) in std::mem::take(reversed) {
            task.abort();
            self.handset.ports().close(&address);
        }
    }
}

impl HostSession {
    async fn answer(self: &Arc<Self>, incoming: Incoming) -> Result<(), AdbError> {
        let service = incoming.service().to_owned();
        self.handset.ask(&service);
        let (kind, rest) = service.split_once(':').unwrap_or((&service, ""));
        let mut words = kind.split(',');
        match words.next().unwrap_or_default() {
            "shell" | "exec" if self.breaks_off(rest).await => {
                self.hangs_up.notify_one();
                // The owner of the connection ends it, and this task with it.
                std::future::pending().await
            }
            "shell" => {
                self.handset.disturb(rest);
                let options: Vec<&str> = words.collect();
                shell::serve(&self.handset, incoming.accept()?, &options, rest).await
            }
            "exec" if self.handset.with(|phone| phone.is_like("old_adb")) => {
                incoming.refuse();
                Ok(())
            }
            "exec" => {
                self.handset.disturb(rest);
                shell::exec(&self.handset, incoming.accept()?, rest).await
            }
            "sync" => {
                self.handset.disturb("");
                if let Some(ms) = self.handset.strike(FaultPoint::SlowSync) {
                    self.handset.time().sleep(Duration::from_millis(ms)).await;
                }
                let mut disk = host_files(&self.handset);
                serve_files(incoming.accept()?, &mut disk).await
            }
            "framebuffer" => self.framebuffer(incoming.accept()?).await,
            "tcp" | "localabstract" | "localreserved" | "localfilesystem" => {
                let address = service.replace("tcp:127.0.0.1:", "tcp:").replace("tcp:localhost:", "tcp:");
                match self.handset.ports().connect(&address).await {
                    Some(port) => ports::carry(incoming.accept()?, port).await,
                    None => {
                        incoming.refuse();
                        Ok(())
                    }
                }
            }
            "reverse" => {
                serve_reverse(incoming, &self.reverses).await?;
                ports::listen_for_host(self);
                Ok(())
            }
            "reboot" => {
                // It stays open until the connection ends, as a phone's does.
                let _stream = incoming.accept()?;
                self.handset.reboot();
                std::future::pending().await
            }
            "jdwp" | "track-jdwp" | "track-app" => self.track(incoming.accept()?).await,
            name => match refusal(name) {
                Some(text) => say(incoming.accept()?, text).await,
                None => {
                    incoming.refuse();
                    Ok(())
                }
            },
        }
    }

    /// Tells whether the connection ends with this command, which has run by then or never will.
    async fn breaks_off(&self, command: &str) -> bool {
        if self.handset.strike(FaultPoint::HangUp).is_some() {
            return true;
        }
        let lost = self.handset.strike(FaultPoint::AnswerLost).is_some();
        if lost {
            self.handset.disturb(command);
            shell::run_silently(&self.handset, command).await;
        }
        lost
    }

    async fn framebuffer(&self, stream: Stream) -> Result<(), AdbError> {
        let picture = self.handset.with(|phone| phone.picture());
        let Ok(picture) = picture else { return Ok(()) };
        let header = framebuffer_header(picture.width(), picture.height());
        let mut out = BytesMut::from(&header[..]);
        out.extend_from_slice(picture.pixels());
        stream.send(out.freeze()).await?;
        stream.flush().await
    }

    /// No process here can be debugged; the list stays empty.
    async fn track(&self, mut stream: Stream) -> Result<(), AdbError> {
        stream.send(Bytes::from_static(b"0000")).await?;
        while stream.receive().await?.is_some() {}
        Ok(())
    }

    fn reverses<R>(&self, work: impl FnOnce(&mut Reverses) -> R) -> R {
        work(&mut self.reverses.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a phone in a shop answers to who wants more than it gives.
fn refusal(service: &str) -> Option<&'static str> {
    match service {
        "root" => Some("adbd cannot run as root in production builds\n"),
        "unroot" => Some("adbd not running as root\n"),
        "remount" => Some("Not running as root. Try \"adb root\" first.\n"),
        "disable-verity" | "enable-verity" => Some("verity cannot be changed on a production build\n"),
        "tcpip" | "usb" => Some("the simulated phone can only be reached over TCP\n"),
        _ => None,
    }
}

async fn say(stream: Stream, text: &'static str) -> Result<(), AdbError> {
    stream.send(Bytes::from_static(text.as_bytes())).await?;
    stream.flush().await
}
