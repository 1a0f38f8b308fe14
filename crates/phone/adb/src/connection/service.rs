//! A stream to a service of a device, over our own connection or through an adb server.

use super::{Receiving, Sending, Stream};
use crate::error::AdbError;
use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};

/// A stream to a service, however the device is reached. Dropping it closes it.
#[derive(Debug)]
pub enum ServiceStream {
    Socket(TcpStream),
    /// Over a connection of our own.
    Stream(Stream),
}

/// The end of a service's stream that is read from.
#[derive(Debug)]
pub enum ServiceReader<'s> {
    Socket(ReadHalf<'s>),
    /// Over a connection of our own.
    Stream(Receiving<'s>),
}

/// The end of a service's stream that is written to.
#[derive(Debug)]
pub enum ServiceWriter<'s> {
    Socket(WriteHalf<'s>),
    /// Over a connection of our own.
    Stream(&'s Sending),
}

impl ServiceStream {
    /// Both ends, to be used at the same time.
    pub fn split(&mut self) -> (ServiceReader<'_>, ServiceWriter<'_>) {
        match self {
            Self::Socket(socket) => {
                let (reader, writer) = socket.split();
                (ServiceReader::Socket(reader), ServiceWriter::Socket(writer))
            }
            Self::Stream(stream) => {
                let (reader, writer) = stream.split();
                (ServiceReader::Stream(reader), ServiceWriter::Stream(writer))
            }
        }
    }
}

impl ServiceReader<'_> {
    /// What comes next; `None` at the end.
    pub async fn receive(&mut self) -> Result<Option<Bytes>, AdbError> {
        const PIECE: usize = 64 << 10;
        match self {
            Self::Stream(stream) => stream.receive().await,
            Self::Socket(socket) => {
                let mut buffer = BytesMut::with_capacity(PIECE);
                let count = socket.read_buf(&mut buffer).await?;
                Ok((count > 0).then(|| buffer.freeze()))
            }
        }
    }
}

impl ServiceWriter<'_> {
    /// Writes all of it.
    ///
    /// # Errors
    /// What broke; part of it may have arrived.
    pub async fn send(&mut self, data: Bytes) -> Result<(), AdbError> {
        match self {
            Self::Stream(stream) => stream.send(data).await,
            Self::Socket(socket) => Ok(socket.write_all(&data).await?),
        }
    }
}
