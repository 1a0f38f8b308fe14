//! The connections of a server: which one gives way to a new client when there
//! are too many, and how long a client may leave an answer unread.

use super::limits::READER_TIME;
use axum::body::{Body, HttpBody as _};
use axum::response::Response;
use futures_util::StreamExt as _;
use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep};

/// Every connection of a server.
#[derive(Debug)]
pub(super) struct Crowd {
    most: usize,
    began: Instant,
    lines: Mutex<Vec<Arc<ClientConnection>>>,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct ClientConnection {
    /// Where it comes from; nothing for the local socket.
    address: Option<IpAddr>,
    began: Instant,
    /// When it was taken, or an answer moved on, in milliseconds since the server
    /// began. What a client sends without end does not count.
    moved_ms: AtomicU64,
    /// How many requests have come whole and are being answered.
    answers: AtomicUsize,
    /// Whether the client leaves an answer unread.
    is_unread: AtomicBool,
    end: Notify,
}

impl Crowd {
    pub(super) fn new(most: usize) -> Self {
        let lines = Mutex::default();
        let began = Instant::now();
        Self { most, began, lines }
    }

    /// Adds a connection. If there are too many, one gives way that nothing is
    /// being done for; there is no place if all of them are being answered.
    pub(super) fn join(&self, address: Option<IpAddr>) -> Option<Arc<ClientConnection>> {
        if self.lines().len() >= self.most && !self.make_room() {
            return None;
        }
        let line = Arc::new(ClientConnection {
            address,
            began: self.began,
            moved_ms: AtomicU64::default(),
            answers: AtomicUsize::default(),
            is_unread: AtomicBool::default(),
            end: Notify::new(),
        });
        line.moves();
        self.lines().push(line.clone());
        Some(line)
    }

    /// Ends the connection that waits for its client the longest, of the address
    /// that has most of those. Tells whether there was one.
    pub(super) fn make_room(&self) -> bool {
        let mut lines = self.lines();
        let mut crowds = BTreeMap::<_, usize>::new();
        let waiting = lines.iter().filter(|line| line.waits_for_client());
        waiting.for_each(|line| *crowds.entry(line.address).or_default() += 1);
        let waiting = lines.iter().enumerate().filter(|(_, line)| line.waits_for_client());
        let longest = waiting.max_by_key(|(_, line)| {
            let moved = line.moved_ms.load(Relaxed);
            (crowds.get(&line.address).copied(), std::cmp::Reverse(moved))
        });
        let place = longest.map(|(place, _)| place);
        place.map(|place| lines.swap_remove(place).end.notify_one()).is_some()
    }

    pub(super) fn leave(&self, line: &Arc<ClientConnection>) {
        self.lines().retain(|one| !Arc::ptr_eq(one, line));
    }

    fn lines(&self) -> MutexGuard<'_, Vec<Arc<ClientConnection>>> {
        // A list is whole between any two of its operations.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientConnection {
    /// Waits until it must give way.
    pub(super) async fn wait_for_end(&self) {
        self.end.notified().await;
    }

    fn waits_for_client(&self) -> bool {
        self.answers.load(Relaxed) == 0 || self.is_unread.load(Relaxed)
    }

    fn moves(&self) {
        let ms = self.began.elapsed().as_millis();
        self.moved_ms.store(u64::try_from(ms).unwrap_or(u64::MAX), Relaxed);
        self.is_unread.store(false, Relaxed);
    }
}

/// A request that has come whole, until its answer is written.
pub(super) struct Answering(Arc<ClientConnection>);

impl Answering {
    pub(super) fn new(line: Arc<ClientConnection>) -> Self {
        line.answers.fetch_add(1, Relaxed);
        Self(line)
    }

    /// Ends with the body of the answer. One whose length is known is written at
    /// once, and then it is the client that reads.
    pub(super) fn until_end_of(self, response: Response) -> Response {
        if response.body().size_hint().exact().is_some() {
            return response;
        }
        response.map(|body| {
            let answering = self;
            Body::from_stream(body.into_data_stream().inspect(move |_| {
                let _ = &answering;
            }))
        })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answers.fetch_sub(1, Relaxed);
    }
}

/// A stream that notes when its client reads, and breaks off when nothing is
/// read of an answer for too long.
pub(super) struct WatchedStream<S> {
    pub(super) stream: S,
    pub(super) line: Arc<ClientConnection>,
    /// Runs while the client does not read.
    pub(super) stall: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WatchedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(context, bytes) {
            self.stall = None;
            self.line.moves();
            return Poll::Ready(written);
        }
        self.line.is_unread.store(true, Relaxed);
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(READER_TIME)));
        ready!(stall.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
