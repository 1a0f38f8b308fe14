//! What can go wrong between us and a phone.

use crate::packet::PacketError;
use crate::shell::ShellError;
use crate::smart_socket::SmartSocketError;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Why something over adb did not work.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AdbError {
    /// Nothing listens at the address.
    #[error("nobody listens at {address}")]
    Refused {
        /// The address.
        address: String,
    },
    /// There is no host of that name, in the system's words.
    #[error("there is no host of that name: {0}")]
    NoHost(String),
    /// The connection could not be made, or broke.
    #[error("the connection broke: {0}")]
    Io(Arc<io::Error>),
    /// A file or a port on this side could not be had.
    #[error("on this side: {0}")]
    Local(Arc<io::Error>),
    /// The other side closed the connection or the stream.
    #[error("the other side closed the connection")]
    Closed,
    /// The time was up.
    #[error("{what} took longer than {} ms", after.as_millis())]
    TimedOut {
        /// What took too long.
        what: &'static str,
        /// How long it was given.
        after: Duration,
    },
    /// The other side said no, in these words.
    #[error("refused: {0}")]
    Refusal(String),
    /// The phone does not know our key and its owner has not accepted it.
    #[error("the phone has not accepted this computer's key")]
    Unauthorized,
    /// The phone wants TLS, which this side does not speak yet.
    #[error("the phone asks for TLS, which is not supported yet")]
    TlsRequired,
    /// What came is not adb.
    #[error("not the adb protocol: {0}")]
    Protocol(String),
    /// The adb program is not there.
    #[error("there is no program {0}")]
    NoProgram(String),
    /// Our key cannot be read or made.
    #[error("the adb key: {0}")]
    Key(String),
}

impl AdbError {
    /// What this machine's own system could not do.
    pub(crate) fn local(error: io::Error) -> Self {
        Self::Local(Arc::new(error))
    }
}

impl From<io::Error> for AdbError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
                Self::Closed
            }
            _ => Self::Io(Arc::new(error)),
        }
    }
}

impl From<PacketError> for AdbError {
    fn from(error: PacketError) -> Self {
        Self::Protocol(error.to_string())
    }
}

impl From<ShellError> for AdbError {
    fn from(error: ShellError) -> Self {
        Self::Protocol(error.to_string())
    }
}

impl From<SmartSocketError> for AdbError {
    fn from(error: SmartSocketError) -> Self {
        Self::Protocol(error.to_string())
    }
}
