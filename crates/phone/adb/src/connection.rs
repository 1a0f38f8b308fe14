//! One connection between a host and a device: many streams over one pair of pipes. Both sides are
//! the same once the greeting is over, so a phone and its caller share this code.
//!
//! Flow control is adb's: a side writes one packet to a stream and waits for
//! OKAY before the next, and OKAY is sent when the reader has taken the packet.
//! A reader that stops reading therefore stops its writer, and no stream should
//! ever have more than one packet waiting; a few more are borne.

mod greeting;
mod incoming;
mod service;
mod stream;
mod traffic;

use crate::error::AdbError;
use crate::packet::{Decoder, MAX_PAYLOAD, Packet, PacketCommand};
use bytes::{Bytes, BytesMut};
pub use greeting::{AcceptedHost, Authorize, HostIdentity, KeyVerdict};
pub use incoming::Incoming;
pub use service::{ServiceReader, ServiceStream, ServiceWriter};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
pub use stream::{Receiving, Sending, Stream};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;
use traffic::{PacketReader, write_all};

/// The most streams one connection may have open at a time.
pub const MAX_STREAMS: usize = 1024;
/// The longest name of a service that may be asked for.
pub const MAX_SERVICE: usize = 256 * 1024;
/// The most streams that may wait to be accepted; more are refused.
const MAX_WAITING: usize = 256;
/// The most packets that may wait to be written. Streams alone never need as
/// many, so more means that the other side asks without listening.
const MAX_QUEUED: usize = 8 * MAX_STREAMS;
/// The most packets that wait in a stream to be read. It should be one; but adb's newer servers,
/// when a client of theirs ends, send all it left without waiting for an answer.
const MAX_UNTAKEN: usize = 16;
/// The most streams that were given up before the other side answered. More
/// means that it no longer answers at all.
const MAX_ABANDONED: usize = 64;

/// Which end of a connection this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionSide {
    /// It opens streams, and refuses those it is asked for.
    Host,
    /// It is asked for streams.
    Device,
}

/// One end of a connection. Dropping it closes every stream.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<SharedState>,
    incoming: tokio::sync::Mutex<Option<mpsc::Receiver<Incoming>>>,
    /// What the other side said of itself.
    banner: String,
    tasks: Vec<JoinHandle<()>>,
}

/// The part of a service's name that says nothing about its user.
fn kind_of(service: &str) -> String {
    let kind = service.split(':').next().unwrap_or_default();
    kind.chars().take(40).collect()
}

/// What the tasks and the streams of one connection share.
#[derive(Debug)]
struct SharedState {
    state: Mutex<ConnectionState>,
    /// To the task that writes; bounded by [`MAX_QUEUED`].
    outgoing: mpsc::UnboundedSender<Packet>,
    queued: AtomicUsize,
    /// Told when no packet waits to be written.
    drained: Notify,
    /// Has no permits; closed when the connection is over, which ends its tasks
    /// and thereby hangs up.
    ended: Semaphore,
    /// The most bytes the other side takes at a time.
    send_limit: usize,
}

#[derive(Debug, Default)]
struct ConnectionState {
    streams: BTreeMap<u32, StreamEnds>,
    next_id: u32,
    /// Why the connection is over, once it is.
    over: Option<AdbError>,
}

/// The ends of one stream that the reading task holds.
#[derive(Debug)]
struct StreamEnds {
    remote_id: u32,
    /// Takes what was read; holds [`MAX_UNTAKEN`] packets.
    data: mpsc::Sender<Bytes>,
    /// One permit while we may write.
    may_write: Arc<Semaphore>,
    /// Told when the other side accepts the stream.
    opened: Option<oneshot::Sender<()>>,
    progress: Arc<StreamProgress>,
    /// The stream was dropped here, but the other side has yet to accept it; it is closed then.
    abandoned: bool,
}

/// How far a stream has come.
#[derive(Debug, Default)]
struct StreamProgress {
    /// The other side closed the stream, which is an end; a stream that is cut
    /// off with its connection has none.
    finished: AtomicBool,
    /// A packet was written and has not been taken yet.
    in_flight: AtomicBool,
}

impl ConnectionState {
    fn abandoned_count(&self) -> usize {
        self.streams.values().filter(|ends| ends.abandoned).count()
    }
}

impl SharedState {
    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        // Nothing panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a packet to the writing task.
    fn send(&self, packet: Packet) -> Result<(), AdbError> {
        // Counted before it is in the queue, so that the writing task never
        // takes off what was not put on; what is turned away is taken off here.
        if self.queued.fetch_add(1, Ordering::Relaxed) >= MAX_QUEUED {
            self.queued.fetch_sub(1, Ordering::Relaxed);
            return Err(AdbError::Protocol(
                "the other side sends requests but does not read the answers".to_owned(),
            ));
        }
        self.outgoing.send(packet).map_err(|_| self.reason())
    }

    fn note_written(&self, count: usize) {
        if self.queued.fetch_sub(count, Ordering::AcqRel) == count {
            self.drained.notify_waiters();
        }
    }

    /// Waits until every packet was written, or the connection is over.
    async fn drain(&self) {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            // From here on no notice is missed.
            drained.as_mut().enable();
            if self.queued.load(Ordering::Acquire) == 0 {
                return;
            }
            tokio::select! {
                _ = self.ended.acquire() => return,
                () = drained => {}
            }
        }
    }

    /// Why the connection is over.
    fn reason(&self) -> AdbError {
        self.state().over.clone().unwrap_or(AdbError::Closed)
    }

    /// Ends every stream and hangs up.
    fn end(&self, reason: AdbError) {
        let mut state = self.state();
        state.over.get_or_insert(reason);
        for (_, ends) in std::mem::take(&mut state.streams) {
            ends.may_write.close();
        }
        drop(state);
        self.ended.close();
    }

    async fn until_over(&self, work: impl Future<Output = AdbError>) {
        tokio::select! {
            biased;
            _ = self.ended.acquire() => {}
            reason = work => self.end(reason),
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
            return Err(AdbError::Refusal(format!("too many streams: {MAX_STREAMS} are already open")));
        }
        // Zero means "no stream"; numbers in use are skipped after a wrap.
        let mut local_id = state.next_id;
        while local_id == 0 || state.streams.contains_key(&local_id) {
            local_id = local_id.wrapping_add(1);
        }
        state.next_id = local_id.wrapping_add(1);
        let (data, received) = mpsc::channel(MAX_UNTAKEN);
        let may_write = Arc::new(Semaphore::new(usize::from(opened.is_none())));
        let progress = Arc::new(StreamProgress::default());
        let ends = StreamEnds {
            remote_id,
            data,
            may_write: may_write.clone(),
            opened,
            progress: progress.clone(),
            abandoned: false,
        };
        state.streams.insert(local_id, ends);
        let sending = Sending { shared: self.clone(), local_id, may_write, progress };
        Ok(Stream::new(sending, received))
    }
}

impl Connection {
    /// Starts the tasks once the greeting is over.
    fn start<R, W>(reader: R, writer: W, greeted: greeting::GreetingResult, side: ConnectionSide) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, to_write) = mpsc::unbounded_channel();
        let (asked, incoming) = mpsc::channel(MAX_WAITING);
        let shared = Arc::new(SharedState {
            state: Mutex::default(),
            outgoing,
            queued: AtomicUsize::new(0),
            drained: Notify::new(),
            ended: Semaphore::new(0),
            send_limit: greeted.send_limit,
        });
        let reading = PacketReader {
            reader,
            buffer: greeted.rest,
            decoder: Decoder { max_payload: MAX_PAYLOAD, checksum: greeted.checksum },
            shared: shared.clone(),
            asked,
        };
        let tasks = vec![
            tokio::spawn(reading.run()),
            tokio::spawn(write_all(writer, greeted.checksum, shared.clone(), to_write)),
        ];
        // Streams that nothing can take are refused.
        let incoming = (side == ConnectionSide::Device).then_some(incoming);
        Self { shared, incoming: tokio::sync::Mutex::new(incoming), banner: greeted.banner, tasks }
    }

    /// What the other side said of itself when it connected.
    pub fn banner(&self) -> &str {
        &self.banner
    }

    /// Opens a stream to a service of the other side.
    ///
    /// # Errors
    /// [`AdbError::NotOpened`] if the other side does not want it, or the reason
    /// why the connection is over.
    pub async fn open(&self, service: &str) -> Result<Stream, AdbError> {
        if service.len() > MAX_SERVICE || service.len() + 1 > self.shared.send_limit {
            return Err(AdbError::Refusal(format!(
                "the service name has {} bytes, which is too long",
                service.len()
            )));
        }
        let (opened, accepted) = oneshot::channel();
        let stream = self.shared.register(0, Some(opened))?;
        let mut name = BytesMut::from(service.as_bytes());
        name.extend_from_slice(b"\0");
        self.shared.send(Packet::new(PacketCommand::Open, stream.local_id(), 0, name.freeze()))?;
        match accepted.await {
            Ok(()) => Ok(stream),
            Err(_) if self.shared.state().over.is_some() => Err(self.shared.reason()),
            Err(_) => Err(AdbError::NotOpened(format!("the other side closed {:?}", kind_of(service)))),
        }
    }

    /// The next stream the other side asks for; `None` when there will be none.
    pub async fn accept(&self) -> Option<Incoming> {
        self.incoming.lock().await.as_mut()?.recv().await
    }

    /// Why the connection is over, if it is.
    pub fn over(&self) -> Option<AdbError> {
        self.shared.state().over.clone()
    }

    /// Waits until everything that was sent so far is written: dropping the
    /// connection before would lose it.
    pub async fn drain(&self) {
        self.shared.drain().await;
    }

    /// How many streams are open.
    pub fn open_streams(&self) -> usize {
        self.shared.state().streams.len()
    }

    /// How many of them were given up before the other side answered; they are
    /// closed when it does. For tests that count open streams.
    #[doc(hidden)]
    pub fn abandoned_streams(&self) -> usize {
        self.shared.state().abandoned_count()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        self.shared.end(AdbError::Closed);
    }
}
