//! One connection between a host and a device: many streams over one pair of
//! pipes. Both sides are the same once the greeting is over, so a phone and its
//! caller share this code.
//!
//! Flow control is adb's: a side writes one packet to a stream and waits for
//! OKAY before the next, and OKAY is sent when the reader has taken the packet.
//! A reader that stops reading therefore stops its writer, and no stream ever
//! has more than one packet waiting.

mod greeting;
mod stream;

use crate::error::AdbError;
use crate::packet::{Checksum, Command, Decoder, Packet};
use bytes::{Bytes, BytesMut};
pub use greeting::{Authorize, Caller, Host, KeyVerdict};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
pub use stream::{Receiving, Sending, Stream};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;

/// The most streams one connection may have open at a time.
pub const MAX_STREAMS: usize = 1024;
/// The longest name of a service that may be asked for.
pub const MAX_SERVICE: usize = 64 * 1024;

/// One end of a connection. Dropping it closes every stream.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<Shared>,
    incoming: tokio::sync::Mutex<mpsc::UnboundedReceiver<Incoming>>,
    /// What the other side said of itself.
    banner: String,
    tasks: [JoinHandle<()>; 2],
}

/// A stream that the other side asks for.
#[derive(Debug)]
pub struct Incoming {
    service: String,
    remote_id: u32,
    shared: Arc<Shared>,
}

/// What the tasks and the streams of one connection share.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// To the task that writes. It holds at most one packet of data and a few
    /// of control per stream, and streams are bounded.
    outgoing: mpsc::UnboundedSender<Packet>,
    max_payload: usize,
}

#[derive(Debug, Default)]
struct State {
    streams: BTreeMap<u32, Ends>,
    next_id: u32,
    /// Why the connection is over, once it is.
    over: Option<AdbError>,
}

/// The ends of one stream that the reading task holds.
#[derive(Debug)]
struct Ends {
    remote_id: u32,
    /// Takes what was read; holds one packet.
    data: mpsc::Sender<Bytes>,
    /// One permit while we may write.
    may_write: Arc<Semaphore>,
    /// Told when the other side accepts the stream.
    opened: Option<oneshot::Sender<()>>,
    /// Set when the other side closes the stream, which is an end; a stream
    /// that is cut off with its connection is none.
    finished: Arc<AtomicBool>,
    /// Nobody waits for the stream any more, but the other side has yet to
    /// accept it; it is closed then.
    abandoned: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a packet to the writing task.
    fn send(&self, packet: Packet) -> Result<(), AdbError> {
        self.outgoing.send(packet).map_err(|_| self.reason())
    }

    /// Why the connection is over.
    fn reason(&self) -> AdbError {
        self.state().over.clone().unwrap_or(AdbError::Closed)
    }

    /// Ends every stream.
    fn end(&self, reason: AdbError) {
        let mut state = self.state();
        state.over.get_or_insert(reason);
        for (_, ends) in std::mem::take(&mut state.streams) {
            ends.may_write.close();
        }
    }

    /// Makes room for a stream and gives it a number.
    fn register(
        self: &Arc<Self>,
        remote_id: u32,
        opened: Option<oneshot::Sender<()>>,
    ) -> Result<Stream, AdbError> {
        let mut state = self.state();
        if let Some(reason) = &state.over {
            return Err(reason.clone());
        }
        if state.streams.len() >= MAX_STREAMS {
            return Err(AdbError::Refusal(format!(
                "{MAX_STREAMS} streams are open already"
            )));
        }
        // Zero means "no stream"; numbers in use are skipped after a wrap.
        let mut local_id = state.next_id;
        while local_id == 0 || state.streams.contains_key(&local_id) {
            local_id = local_id.wrapping_add(1);
        }
        state.next_id = local_id.wrapping_add(1);
        let (data, received) = mpsc::channel(1);
        let may_write = Arc::new(Semaphore::new(usize::from(opened.is_none())));
        let finished = Arc::new(AtomicBool::new(false));
        let ends = Ends {
            remote_id,
            data,
            may_write: may_write.clone(),
            opened,
            finished: finished.clone(),
            abandoned: false,
        };
        state.streams.insert(local_id, ends);
        let sending = Sending {
            shared: self.clone(),
            local_id,
            may_write,
            finished,
        };
        Ok(Stream::new(sending, received))
    }
}

impl Connection {
    /// Starts the tasks once the greeting is over.
    fn start<R, W>(reader: R, writer: W, greeted: greeting::Greeted) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, to_write) = mpsc::unbounded_channel();
        let (asked, incoming) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            outgoing,
            max_payload: greeted.max_payload,
        });
        let reading = Reading {
            reader,
            buffer: greeted.rest,
            decoder: Decoder {
                max_payload: greeted.max_payload,
                checksum: greeted.checksum,
            },
            shared: shared.clone(),
            asked,
        };
        let reading = tokio::spawn(reading.run());
        let writing = tokio::spawn(write_all(writer, greeted.checksum, to_write));
        Self {
            shared,
            incoming: tokio::sync::Mutex::new(incoming),
            banner: greeted.banner,
            tasks: [reading, writing],
        }
    }

    /// What the other side said of itself when it connected.
    #[must_use]
    pub fn banner(&self) -> &str {
        &self.banner
    }

    /// Opens a stream to a service of the other side.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] if the other side does not want it, or the reason
    /// why the connection is over.
    pub async fn open(&self, service: &str) -> Result<Stream, AdbError> {
        if service.len() > MAX_SERVICE || service.len() + 1 > self.shared.max_payload {
            return Err(AdbError::Refusal(format!(
                "a service name of {} bytes",
                service.len()
            )));
        }
        let (opened, accepted) = oneshot::channel();
        let stream = self.shared.register(0, Some(opened))?;
        let mut name = BytesMut::from(service.as_bytes());
        name.extend_from_slice(b"\0");
        self.shared
            .send(Packet::new(Command::Open, stream.local_id(), 0, name.freeze()))?;
        match accepted.await {
            Ok(()) => Ok(stream),
            Err(_) if self.shared.state().over.is_some() => Err(self.shared.reason()),
            Err(_) => {
                let shown: String = service.chars().take(80).collect();
                Err(AdbError::Refusal(format!("the service {shown:?} was not opened")))
            }
        }
    }

    /// The next stream the other side asks for; `None` when there will be none.
    pub async fn accept(&self) -> Option<Incoming> {
        self.incoming.lock().await.recv().await
    }

    /// Why the connection is over, if it is.
    #[must_use]
    pub fn over(&self) -> Option<AdbError> {
        self.shared.state().over.clone()
    }

    /// How many streams are open.
    #[must_use]
    pub fn open_streams(&self) -> usize {
        self.shared.state().streams.len()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        self.shared.end(AdbError::Closed);
    }
}

impl Incoming {
    /// The service asked for.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Opens the stream.
    ///
    /// # Errors
    /// The reason why the connection is over, or that it has too many streams.
    pub fn accept(self) -> Result<Stream, AdbError> {
        let stream = match self.shared.register(self.remote_id, None) {
            Ok(stream) => stream,
            Err(error) => {
                self.refuse();
                return Err(error);
            }
        };
        self.shared.send(Packet::new(
            Command::Okay,
            stream.local_id(),
            self.remote_id,
            Bytes::new(),
        ))?;
        Ok(stream)
    }

    /// Refuses the stream.
    pub fn refuse(self) {
        // If the connection is over, nobody waits for the answer.
        let _ = self
            .shared
            .send(Packet::new(Command::Close, 0, self.remote_id, Bytes::new()));
    }
}

async fn write_all<W: AsyncWrite + Unpin>(
    mut writer: W,
    checksum: Checksum,
    mut packets: mpsc::UnboundedReceiver<Packet>,
) {
    let mut buffer = BytesMut::new();
    while let Some(packet) = packets.recv().await {
        packet.encode(checksum, &mut buffer);
        // Whatever else is ready goes out in the same write.
        while let Ok(packet) = packets.try_recv() {
            packet.encode(checksum, &mut buffer);
        }
        // A broken pipe shows on the reading side, which tells everyone.
        if writer.write_all_buf(&mut buffer).await.is_err() || writer.flush().await.is_err() {
            return;
        }
        buffer.clear();
    }
}

/// What the reading task works with.
struct Reading<R> {
    reader: R,
    buffer: BytesMut,
    decoder: Decoder,
    shared: Arc<Shared>,
    asked: mpsc::UnboundedSender<Incoming>,
}

impl<R: AsyncRead + Unpin> Reading<R> {
    async fn run(mut self) {
        let reason = loop {
            match self.decoder.decode(&mut self.buffer) {
                Ok(Some(packet)) => {
                    if let Err(error) = take(packet, &self.shared, &self.asked) {
                        break error;
                    }
                }
                Ok(None) => match self.reader.read_buf(&mut self.buffer).await {
                    Ok(0) => break AdbError::Closed,
                    Ok(_) => {}
                    Err(error) => break error.into(),
                },
                Err(error) => break error.into(),
            }
        };
        self.shared.end(reason);
    }
}

/// Acts on one packet. An error ends the connection.
fn take(
    packet: Packet,
    shared: &Arc<Shared>,
    asked: &mpsc::UnboundedSender<Incoming>,
) -> Result<(), AdbError> {
    let (remote_id, local_id) = (packet.arg0, packet.arg1);
    match packet.command {
        Command::Open => {
            let name = packet.payload.strip_suffix(b"\0").unwrap_or(&packet.payload);
            let incoming = Incoming {
                service: String::from_utf8_lossy(name).into_owned(),
                remote_id,
                shared: shared.clone(),
            };
            // Nobody accepts streams here, so the answer is no.
            if let Err(unwanted) = asked.send(incoming) {
                unwanted.0.refuse();
            }
        }
        Command::Okay => take_okay(remote_id, local_id, shared)?,
        Command::Write => {
            let state = shared.state();
            match state
                .streams
                .get(&local_id)
                .filter(|ends| ends.remote_id == remote_id)
            {
                Some(ends) => ends.data.try_send(packet.payload).map_err(|_| {
                    AdbError::Protocol("a packet came before the last one was acknowledged".to_owned())
                })?,
                // The stream was closed while this was under way.
                None => {
                    drop(state);
                    shared.send(Packet::new(Command::Close, 0, remote_id, Bytes::new()))?;
                }
            }
        }
        Command::Close => {
            if let Some(ends) = shared.state().streams.remove(&local_id) {
                ends.finished.store(true, Ordering::Release);
                ends.may_write.close();
            }
        }
        Command::Connect | Command::Auth | Command::StartTls => {
            return Err(AdbError::Protocol(format!(
                "{packet:?} in the middle of a connection"
            )));
        }
    }
    Ok(())
}

/// The other side accepts a stream, or has taken what we wrote to it.
fn take_okay(remote_id: u32, local_id: u32, shared: &Shared) -> Result<(), AdbError> {
    let mut state = shared.state();
    let Some(ends) = state.streams.get_mut(&local_id) else {
        return Ok(());
    };
    if ends.abandoned {
        state.streams.remove(&local_id);
        drop(state);
        return shared.send(Packet::new(Command::Close, local_id, remote_id, Bytes::new()));
    }
    if let Some(opened) = ends.opened.take() {
        ends.remote_id = remote_id;
        // Whoever opened the stream finds out by itself if it gave up.
        let _ = opened.send(());
    }
    if ends.may_write.available_permits() == 0 {
        ends.may_write.add_permits(1);
    }
    Ok(())
}
