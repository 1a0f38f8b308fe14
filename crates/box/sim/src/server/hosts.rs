//! The hosts that are connected: bounded, and none can keep others out.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;
use tokio::task::{AbortHandle, JoinSet};

/// The hosts that are connected. If there are too many, the one to which the
/// phone has said nothing for the longest is disconnected.
#[derive(Default)]
pub(super) struct Hosts {
    serving: JoinSet<()>,
    known: Vec<(AbortHandle, LastWord)>,
    words: Arc<AtomicU64>,
}

/// The number of the last word that was said to a host; 0 for none.
type LastWord = Arc<AtomicU64>;

impl Hosts {
    /// Makes room for one more host, so that there are no more than `most`.
    /// Its writer must be wrapped in the [`CountingWriter`] that this returns.
    pub(super) fn make_room<W>(&mut self, most: usize, writer: W) -> CountingWriter<W> {
        while self.serving.try_join_next().is_some() {}
        self.known.retain(|(task, _)| !task.is_finished());
        if self.known.len() >= most {
            let last = |(_, last): &(AbortHandle, LastWord)| last.load(Ordering::Relaxed);
            // The first of those that are equal, which came first.
            let quiet = (0..self.known.len()).min_by_key(|index| last(&self.known[*index]));
            if let Some(index) = quiet {
                self.known.remove(index).0.abort();
            }
        }
        CountingWriter { writer, all: Arc::clone(&self.words), last: LastWord::default() }
    }

    /// Serves a host whose words are counted here.
    pub(super) fn serve(&mut self, last: LastWord, serving: impl Future<Output = ()> + Send + 'static) {
        let task = self.serving.spawn(serving);
        self.known.push((task, last));
    }
}

/// A writer to a host that counts what it writes.
pub(super) struct CountingWriter<W> {
    writer: W,
    all: Arc<AtomicU64>,
    pub(super) last: LastWord,
}

impl<W: AsyncWrite + Unpin> AsyncWrite for CountingWriter<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let number = self.all.fetch_add(1, Ordering::Relaxed) + 1;
        self.last.store(number, Ordering::Relaxed);
        Pin::new(&mut self.writer).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(context)
    }
}
