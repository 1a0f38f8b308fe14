//! The two tasks of a connection: one writes packets, one reads them and acts on them.

use super::{Incoming, MAX_SERVICE, SharedState};
use crate::error::AdbError;
use crate::packet::{Checksum, Decoder, Packet, PacketCommand};
use bytes::{Bytes, BytesMut};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// Writes packets until the connection is over.
pub(super) async fn write_all<W: AsyncWrite + Unpin>(
    writer: W,
    checksum: Checksum,
    shared: Arc<SharedState>,
    packets: mpsc::UnboundedReceiver<Packet>,
) {
    shared.until_over(write_packets(writer, checksum, &shared, packets)).await;
}

/// Writes packets until that fails, and says why.
async fn write_packets<W: AsyncWrite + Unpin>(
    mut writer: W,
    checksum: Checksum,
    shared: &SharedState,
    mut packets: mpsc::UnboundedReceiver<Packet>,
) -> AdbError {
    let mut buffer = BytesMut::new();
    while let Some(packet) = packets.recv().await {
        packet.encode(checksum, &mut buffer);
        let mut count = 1;
        // Whatever else is ready goes out in the same write.
        while let Ok(packet) = packets.try_recv() {
            packet.encode(checksum, &mut buffer);
            count += 1;
        }
        let written = async {
            writer.write_all_buf(&mut buffer).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            return error.into();
        }
        buffer.clear();
        shared.note_written(count);
    }
    AdbError::Closed
}

/// What the reading task works with.
pub(super) struct PacketReader<R> {
    pub(super) reader: R,
    pub(super) buffer: BytesMut,
    pub(super) decoder: Decoder,
    pub(super) shared: Arc<SharedState>,
    pub(super) asked: mpsc::Sender<Incoming>,
}

impl<R: AsyncRead + Unpin> PacketReader<R> {
    /// Acts on packets until the connection is over.
    pub(super) async fn run(self) {
        let shared = self.shared.clone();
        shared.until_over(self.read_packets()).await;
    }

    /// Acts on packets until one is wrong or none come, and says why.
    async fn read_packets(mut self) -> AdbError {
        loop {
            match self.decoder.decode(&mut self.buffer) {
                Ok(Some(packet)) => {
                    if let Err(error) = take(packet, &self.shared, &self.asked) {
                        return error;
                    }
                }
                Ok(None) => match self.reader.read_buf(&mut self.buffer).await {
                    Ok(0) => return AdbError::Closed,
                    Ok(_) => {}
                    Err(error) => return error.into(),
                },
                Err(error) => return error.into(),
            }
        }
    }
}

/// Acts on one packet. An error ends the connection.
fn take(packet: Packet, shared: &Arc<SharedState>, asked: &mpsc::Sender<Incoming>) -> Result<(), AdbError> {
    let (remote_id, local_id) = (packet.arg0, packet.arg1);
    match packet.command {
        // Zero is no stream.
        PacketCommand::Open if remote_id == 0 => {}
        PacketCommand::Open => {
            let name = packet.payload.strip_suffix(b"\0").unwrap_or(&packet.payload);
            let name = &name[..name.len().min(MAX_SERVICE + 1)];
            let service = String::from_utf8_lossy(name).into_owned();
            let incoming = Incoming::new(service, remote_id, shared.clone());
            // One that is not taken is dropped, and thereby refused.
            if name.len() <= MAX_SERVICE {
                let _ = asked.try_send(incoming);
            }
        }
        PacketCommand::Okay => take_okay(remote_id, local_id, shared)?,
        PacketCommand::Write => {
            let state = shared.state();
            // What comes for a stream that was closed meanwhile does not matter.
            if let Some(ends) = state.streams.get(&local_id).filter(|ends| ends.remote_id == remote_id) {
                ends.data.try_send(packet.payload).map_err(|_| {
                    AdbError::Protocol(
                        "the other side sent too many packets without waiting for an acknowledgement"
                            .to_owned(),
                    )
                })?;
            }
        }
        PacketCommand::Close => {
            let ends = shared.state().streams.remove(&local_id);
            if let Some(ends) = ends {
                ends.progress.finished.store(true, Ordering::Release);
                ends.may_write.close();
                // The side that closes a stream waits for the other to close it too.
                if ends.remote_id != 0 {
                    shared.send(Packet::new(PacketCommand::Close, local_id, ends.remote_id, Bytes::new()))?;
                }
            }
        }
        PacketCommand::Connect | PacketCommand::Auth | PacketCommand::StartTls => {
            return Err(AdbError::Protocol(format!("received {packet:?} after the handshake")));
        }
    }
    Ok(())
}

/// The other side accepts a stream, or has taken what we wrote to it.
fn take_okay(remote_id: u32, local_id: u32, shared: &SharedState) -> Result<(), AdbError> {
    let mut state = shared.state();
    let Some(ends) = state.streams.get_mut(&local_id).filter(|_| remote_id != 0) else {
        return Ok(());
    };
    ends.progress.in_flight.store(false, Ordering::Release);
    if ends.abandoned {
        state.streams.remove(&local_id);
        drop(state);
        return shared.send(Packet::new(PacketCommand::Close, local_id, remote_id, Bytes::new()));
    }
    if let Some(opened) = ends.opened.take() {
        ends.remote_id = remote_id;
        // The opener finds out by itself if it gave up.
        let _ = opened.send(());
    }
    if ends.may_write.available_permits() == 0 {
        ends.may_write.add_permits(1);
    }
    Ok(())
}
