//! A `sync:` stream, read in the pieces the protocol has.

use crate::connection::ServiceStream;
use crate::error::AdbError;
use crate::sync::{Id, MAX_PATH};
use bytes::{Buf, Bytes, BytesMut};

/// One end of a `sync:` stream.
pub(super) struct SyncChannel {
    stream: ServiceStream,
    buffer: BytesMut,
}

impl SyncChannel {
    pub(super) fn new(stream: ServiceStream) -> Self {
        Self { stream, buffer: BytesMut::new() }
    }

    pub(super) async fn send(&mut self, data: Bytes) -> Result<(), AdbError> {
        self.stream.split().1.send(data).await
    }

    /// Sends, and if the other side has hung up, hears what it said before.
    pub(super) async fn send_or_hear_why(&mut self, data: Bytes) -> Result<(), AdbError> {
        match self.send(data).await {
            Err(AdbError::Closed) => match self.id().await {
                Err(AdbError::Refusal(reason)) => Err(AdbError::Refusal(reason)),
                _ => Err(AdbError::Closed),
            },
            other => other,
        }
    }

    /// Waits until what was sent has been taken.
    pub(super) async fn flush(&mut self) -> Result<(), AdbError> {
        match &self.stream {
            ServiceStream::Stream(stream) => stream.flush().await,
            ServiceStream::Socket(_) => Ok(()),
        }
    }

    /// Exactly so many bytes. Callers bound the count.
    pub(super) async fn take(&mut self, count: usize) -> Result<Bytes, AdbError> {
        while self.buffer.len() < count {
            match self.stream.split().0.receive().await? {
                Some(data) => self.buffer.extend_from_slice(&data),
                None => return Err(AdbError::Closed),
            }
        }
        Ok(self.buffer.split_to(count).freeze())
    }

    pub(super) async fn number(&mut self) -> Result<u32, AdbError> {
        Ok(self.take(4).await?.get_u32_le())
    }

    pub(super) async fn text(&mut self, length: u32) -> Result<String, AdbError> {
        // A SEND has a comma and a mode behind its path.
        const MODE: usize = 16;
        let length = length as usize;
        if length > MAX_PATH + MODE {
            return Err(AdbError::Protocol(format!(
                "the other side sent a name of {length} bytes, which is too long"
            )));
        }
        Ok(String::from_utf8_lossy(&self.take(length).await?).into_owned())
    }

    /// The next four letters, as they come.
    pub(super) async fn letters(&mut self) -> Result<Id, AdbError> {
        let mut letters = [0; 4];
        self.take(4).await?.copy_to_slice(&mut letters);
        Ok(Id(letters))
    }

    /// The next four letters of an answer; a refusal is an error.
    pub(super) async fn id(&mut self) -> Result<Id, AdbError> {
        let id = self.letters().await?;
        if id != Id::FAIL {
            return Ok(id);
        }
        let length = self.number().await?.min(MAX_PATH as u32);
        Err(AdbError::Refusal(self.text(length).await?))
    }

    /// The next four letters, which must be these.
    pub(super) async fn expect(&mut self, wanted: Id) -> Result<(), AdbError> {
        let found = self.id().await?;
        if found == wanted {
            return Ok(());
        }
        Err(AdbError::Protocol(format!("received {found}, expected {wanted}")))
    }
}
