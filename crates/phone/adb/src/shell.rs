//! The shell protocol (v2), spoken on a stream to a device's shell: packets of an id, a length and
//! data, so that output, errors and the exit code stay apart. Pure.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use std::fmt;

/// The size of a header: one byte of id, four of length.
pub const HEADER_BYTES: usize = 5;
/// The largest packet that is accepted.
pub const MAX_PACKET: usize = 1 << 20;

/// One packet.
#[derive(Clone, PartialEq, Eq)]
pub enum ShellPacket {
    Stdin(Bytes),
    Stdout(Bytes),
    /// What the command printed as errors.
    Stderr(Bytes),
    Exit(u8),
    /// There is no more input.
    CloseStdin,
    /// The terminal has another size.
    WindowSize(Bytes),
}

impl fmt::Debug for ShellPacket {
    /// Shows how much a packet carries, not what: it is what users type and see.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin(data) => write!(f, "Stdin({} bytes)", data.len()),
            Self::Stdout(data) => write!(f, "Stdout({} bytes)", data.len()),
            Self::Stderr(data) => write!(f, "Stderr({} bytes)", data.len()),
            Self::Exit(code) => write!(f, "Exit({code})"),
            Self::CloseStdin => f.write_str("CloseStdin"),
            Self::WindowSize(data) => write!(f, "WindowSize({} bytes)", data.len()),
        }
    }
}

/// Why bytes are not a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShellError {
    #[error("unknown shell packet {0}")]
    UnknownId(u8),
    /// More data than [`MAX_PACKET`].
    #[error("the shell packet announces {0} bytes; at most {MAX_PACKET} are allowed")]
    TooLarge(u32),
    /// An exit packet that does not carry one byte.
    #[error("the exit code has {0} bytes, expected 1")]
    BadExit(u32),
}

impl ShellPacket {
    /// Appends the packet to a buffer.
    pub fn encode(&self, out: &mut BytesMut) {
        let exit: [u8; 1];
        let (id, data): (u8, &[u8]) = match self {
            Self::Stdin(data) => (0, data),
            Self::Stdout(data) => (1, data),
            Self::Stderr(data) => (2, data),
            Self::Exit(code) => {
                exit = [*code];
                (3, &exit)
            }
            Self::CloseStdin => (4, &[]),
            Self::WindowSize(data) => (5, data),
        };
        out.reserve(HEADER_BYTES + data.len());
        out.put_u8(id);
        out.put_u32_le(data.len() as u32);
        out.put_slice(data);
    }

    /// Takes the next packet off the front of a buffer, if it is all there.
    ///
    /// # Errors
    /// Any [`ShellError`]; the stream cannot be followed after one.
    pub fn decode(buffer: &mut BytesMut) -> Result<Option<Self>, ShellError> {
        let Some(mut header) = buffer.get(..HEADER_BYTES) else {
            return Ok(None);
        };
        let id = header.get_u8();
        let length = header.get_u32_le();
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        if id > 5 {
            return Err(ShellError::UnknownId(id));
        }
        if size > MAX_PACKET {
            return Err(ShellError::TooLarge(length));
        }
        if buffer.len() < HEADER_BYTES + size {
            return Ok(None);
        }
        buffer.advance(HEADER_BYTES);
        let data = buffer.split_to(size).freeze();
        let packet = match id {
            0 => Self::Stdin(data),
            1 => Self::Stdout(data),
            2 => Self::Stderr(data),
            3 => match data[..] {
                [code] => Self::Exit(code),
                _ => return Err(ShellError::BadExit(length)),
            },
            4 => Self::CloseStdin,
            _ => Self::WindowSize(data),
        };
        Ok(Some(packet))
    }
}
