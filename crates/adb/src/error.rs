//! What can go wrong between us and a phone.

use crate::packet::PacketError;
use crate::shell::ShellError;
use crate::smart_socket::SmartSocketError;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Why something over adb did not work.
#[derive(Clone, Debug)]
pub enum AdbError {
    /// Nobody listens at the address.
    Refused {
        /// The address.
        address: String,
    },
    /// There is no host of that name, in the system's words.
    NoHost(String),
    /// The connection could not be made, or broke.
    Io(Arc<io::Error>),
    /// A file or a port on this side could not be had.
    Local(Arc<io::Error>),
    /// The other side closed the connection or the stream.
    Closed,
    /// The time was up.
    TimedOut {
        /// What took too long.
        what: &'static str,
        /// How long it was given.
        after: Duration,
    },
    /// The other side said no, in these words.
    Refusal(String),
    /// The phone does not know our key and its owner has not accepted it.
    Unauthorized,
    /// The phone wants TLS, which this side does not speak yet.
    TlsRequired,
    /// What came is not adb.
    Protocol(String),
    /// The adb program is not there.
    NoProgram(String),
    /// Our key cannot be read or made.
    Key(String),
}

impl AdbError {
    /// What this machine's own system could not do.
    pub(crate) fn local(error: io::Error) -> Self {
        Self::Local(Arc::new(error))
    }
}

impl fmt::Display for AdbError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { address } => write!(f, "nobody listens at {address}"),
            Self::NoHost(reason) => write!(f, "there is no host of that name: {reason}"),
            Self::Io(error) => write!(f, "the connection broke: {error}"),
            Self::Local(error) => write!(f, "on this side: {error}"),
            Self::Closed => f.write_str("the other side closed the connection"),
            Self::TimedOut { what, after } => write!(f, "{what} took longer than {} ms", after.as_millis()),
            Self::Refusal(reason) => write!(f, "refused: {reason}"),
            Self::Unauthorized => f.write_str("the phone has not accepted this computer's key"),
            Self::TlsRequired => f.write_str("the phone asks for TLS, which is not supported yet"),
            Self::Protocol(reason) => write!(f, "not the adb protocol: {reason}"),
            Self::NoProgram(name) => write!(f, "there is no program {name}"),
            Self::Key(reason) => write!(f, "the adb key: {reason}"),
        }
    }
}

impl std::error::Error for AdbError {}

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
