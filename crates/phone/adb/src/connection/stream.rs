//! One stream of a connection.

use super::{MAX_ABANDONED, SharedState, StreamProgress};
use crate::error::AdbError;
use crate::packet::{Packet, PacketCommand};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::{Semaphore, mpsc};

/// A two-way stream to a service. Dropping it closes it.
#[derive(Debug)]
pub struct Stream {
    sending: Sending,
    received: mpsc::Receiver<Bytes>,
}

/// The end of a stream that is written to.
#[derive(Debug)]
pub struct Sending {
    pub(super) shared: Arc<SharedState>,
    pub(super) local_id: u32,
    pub(super) may_write: Arc<Semaphore>,
    pub(super) progress: Arc<StreamProgress>,
}

/// The end of a stream that is read from.
#[derive(Debug)]
pub struct Receiving<'s> {
    received: &'s mut mpsc::Receiver<Bytes>,
    sending: &'s Sending,
}

impl Stream {
    pub(super) fn new(sending: Sending, received: mpsc::Receiver<Bytes>) -> Self {
        Self { sending, received }
    }

    pub(super) fn local_id(&self) -> u32 {
        self.sending.local_id
    }

    /// Both ends, to be used at the same time.
    pub fn split(&mut self) -> (Receiving<'_>, &Sending) {
        let Self { sending, received } = self;
        (Receiving { received, sending }, sending)
    }

    /// What comes next; `None` when the other side has closed the stream.
    ///
    /// # Errors
    /// The reason why the connection is over.
    pub async fn receive(&mut self) -> Result<Option<Bytes>, AdbError> {
        self.split().0.receive().await
    }

    /// See [`Sending::send`].
    pub async fn send(&self, data: Bytes) -> Result<(), AdbError> {
        self.sending.send(data).await
    }

    /// See [`Sending::flush`].
    pub async fn flush(&self) -> Result<(), AdbError> {
        self.sending.flush().await
    }
}

impl Receiving<'_> {
    /// Tells whether the other side has closed the stream, though something of
    /// what it sent may not have been received yet.
    pub fn is_closed(&self) -> bool {
        self.sending.remote_id().is_none()
    }

    /// What comes next; `None` when the other side has closed the stream.
    ///
    /// # Errors
    /// The reason why the connection is over.
    pub async fn receive(&mut self) -> Result<Option<Bytes>, AdbError> {
        let Sending { shared, local_id, progress, .. } = self.sending;
        let Some(data) = self.received.recv().await else {
            let is_end = progress.finished.load(Ordering::Acquire);
            return if is_end { Ok(None) } else { Err(shared.reason()) };
        };
        if let Some(remote_id) = self.sending.remote_id() {
            shared.send(Packet::new(PacketCommand::Okay, *local_id, remote_id, Bytes::new()))?;
        }
        Ok(Some(data))
    }
}

impl Sending {
    /// The other side's number for the stream; `None` once it is closed.
    fn remote_id(&self) -> Option<u32> {
        let state = self.shared.state();
        state.streams.get(&self.local_id).map(|ends| ends.remote_id)
    }

    /// Writes all of it, a packet at a time, each once the last was taken.
    ///
    /// # Errors
    /// [`AdbError::Closed`] when the other side closed the stream, or the reason
    /// why the connection is over. What was written before may have arrived.
    pub async fn send(&self, mut data: Bytes) -> Result<(), AdbError> {
        while !data.is_empty() {
            let Ok(permit) = self.may_write.acquire().await else {
                return Err(self.shared.reason());
            };
            permit.forget();
            let remote_id = self.remote_id().ok_or(AdbError::Closed)?;
            self.progress.in_flight.store(true, Ordering::Release);
            let packet = data.split_to(data.len().min(self.shared.send_limit));
            self.shared.send(Packet::new(PacketCommand::Write, self.local_id, remote_id, packet))?;
        }
        Ok(())
    }

    /// Waits until the other side has taken everything that was sent.
    ///
    /// # Errors
    /// As for [`Self::send`].
    pub async fn flush(&self) -> Result<(), AdbError> {
        match self.may_write.acquire().await {
            Ok(_) => Ok(()),
            // Closed, but everything was taken before that.
            Err(_) if !self.progress.in_flight.load(Ordering::Acquire) => Ok(()),
            Err(_) => Err(self.shared.reason()),
        }
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        let Some(ends) = state.streams.get_mut(&self.local_id) else {
            return;
        };
        if ends.remote_id == 0 {
            ends.abandoned = true;
            let abandoned = state.abandoned_count();
            drop(state);
            if abandoned > MAX_ABANDONED {
                self.shared.end(AdbError::Protocol("the other side no longer responds".to_owned()));
            }
            return;
        }
        let remote_id = ends.remote_id;
        state.streams.remove(&self.local_id);
        drop(state);
        // If the connection is over, it is not needed.
        let _ = self.shared.send(Packet::new(PacketCommand::Close, self.local_id, remote_id, Bytes::new()));
    }
}
