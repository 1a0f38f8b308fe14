//! A connection that breaks, or goes silent, after so many bytes.

use crate::fault::FaultPoint;
use crate::handset::Handset;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;

/// What happens to a connection, and after how many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    None,
    ResetAfter(u64),
    StallAfter(u64),
}

impl Damage {
    /// What the phone's faults say of a new connection.
    pub(super) fn drawn(handset: &Handset) -> Self {
        if let Some(bytes) = handset.strike(FaultPoint::ConnectionReset) {
            return Self::ResetAfter(bytes);
        }
        handset.strike(FaultPoint::ConnectionStall).map_or(Self::None, Self::StallAfter)
    }
}

/// Where bytes go to the host, for as long as it lasts.
pub(super) struct DamagedWriter<W> {
    writer: W,
    damage: Damage,
    written: u64,
}

impl<W> DamagedWriter<W> {
    pub(super) fn new(writer: W, damage: Damage) -> Self {
        Self { writer, damage, written: 0 }
    }

    /// How many bytes may still be written, or what happens instead.
    fn room(&self) -> Poll<io::Result<usize>> {
        let (limit, ending) = match self.damage {
            Damage::None => return Poll::Ready(Ok(usize::MAX)),
            Damage::ResetAfter(limit) => (limit, Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))),
            // Nothing ever wakes this task: that is what silence is.
            Damage::StallAfter(limit) => (limit, Poll::Pending),
        };
        match usize::try_from(limit.saturating_sub(self.written)) {
            Ok(0) => ending,
            room => Poll::Ready(Ok(room.unwrap_or(usize::MAX))),
        }
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for DamagedWriter<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let room = match self.room() {
            Poll::Ready(Ok(room)) => room.min(bytes.len()),
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending => return Poll::Pending,
        };
        let written = std::task::ready!(Pin::new(&mut self.writer).poll_write(context, &bytes[..room]))?;
        self.written += written as u64;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(context)
    }
}
