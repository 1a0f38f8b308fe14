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
    #[error("connection refused: nothing listens at {address}")]
    Refused { address: String },
    /// The host name does not resolve; the text is the system's message.
    #[error("the host name cannot be resolved: {0}")]
    NoHost(String),
    /// The connection could not be made, or broke.
    #[error("the connection failed: {0}")]
    Io(Arc<io::Error>),
    /// A file or a port on this computer could not be opened.
    #[error("on this computer: {0}")]
    Local(Arc<io::Error>),
    /// The other side closed the connection or the stream.
    #[error("the other side closed the connection")]
    Closed,
    #[error("{what} took longer than {} ms", after.as_millis())]
    TimedOut {
        what: &'static str,
        /// How long it was given.
        after: Duration,
    },
    /// The other side refused before it was asked for a service, or by the
    /// service itself; the text is its reason.
    #[error("refused: {0}")]
    Refusal(String),
    /// The device was asked for a service and the stream was closed before it
    /// was open. The service may have done its work all the same: a device that
    /// is lost in the middle of it looks like this through an adb server.
    #[error("the service was not opened: {0}")]
    NotOpened(String),
    /// The phone does not know our key and its owner has not accepted it.
    #[error("the phone has not accepted this computer's key")]
    Unauthorized,
    /// The phone requires TLS, which this client does not support yet.
    #[error("the phone requires TLS, which is not supported yet")]
    TlsRequired,
    /// The other side broke the adb protocol, or a setting of adb is wrong.
    #[error("adb protocol error: {0}")]
    Protocol(String),
    /// The adb program was not found.
    #[error("the program {0} was not found")]
    NoProgram(String),
    /// The adb key cannot be read or created.
    #[error("the adb key cannot be used: {0}")]
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
