//! A stream that the other side asks for.

use super::{SharedState, Stream, kind_of};
use crate::error::AdbError;
use crate::packet::{Packet, PacketCommand};
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;

/// A stream that the other side asks for. Dropping it refuses it.
pub struct Incoming {
    service: String,
    remote_id: u32,
    shared: Arc<SharedState>,
    is_answered: bool,
}

impl fmt::Debug for Incoming {
    /// Shows which service is asked for, not what it is asked: commands carry what users type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Incoming({:?})", kind_of(&self.service))
    }
}

impl Incoming {
    pub(super) fn new(service: String, remote_id: u32, shared: Arc<SharedState>) -> Self {
        Self { service, remote_id, shared, is_answered: false }
    }

    /// The service asked for.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Opens the stream.
    ///
    /// # Errors
    /// The reason why the connection is over, or that it has too many streams.
    pub fn accept(mut self) -> Result<Stream, AdbError> {
        let stream = self.shared.register(self.remote_id, None)?;
        self.is_answered = true;
        self.shared.send(Packet::new(
            PacketCommand::Okay,
            stream.local_id(),
            self.remote_id,
            Bytes::new(),
        ))?;
        Ok(stream)
    }

    /// Refuses the stream.
    pub fn refuse(self) {
        drop(self);
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if !self.is_answered {
            // If the connection is over, the answer is not needed.
            let _ = self.shared.send(Packet::new(PacketCommand::Close, 0, self.remote_id, Bytes::new()));
        }
    }
}
