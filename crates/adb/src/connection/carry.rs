//! Carries what comes over a socket to a stream of a device, and back.

use super::ServiceStream;
use crate::error::AdbError;
use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};

/// The most connections one forward, or the reverses of one connection, carry
/// at a time.
pub const MAX_CARRIED: usize = 64;

/// Carries both ways until either side ends. A stream has no half-closed state,
/// so the first end is the end of both, as with any adb.
pub(crate) async fn carry<S>(socket: S, mut stream: ServiceStream) -> Result<(), AdbError>
where
    S: AsyncRead + AsyncWrite,
{
    const PIECE: usize = 64 << 10;
    let (mut from_socket, mut to_socket) = split(socket);
    let (mut from_stream, mut to_stream) = stream.split();
    let outward = async {
        loop {
            let mut buffer = BytesMut::with_capacity(PIECE);
            if from_socket.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
            to_stream.send(buffer.freeze()).await?;
        }
    };
    let inward = async {
        while let Some(data) = from_stream.receive().await? {
            to_socket.write_all(&data).await?;
        }
        Ok(to_socket.shutdown().await?)
    };
    tokio::select! {
        // What the device sent before it ended is delivered first.
        biased;
        result = inward => result,
        result = outward => result,
    }
}
