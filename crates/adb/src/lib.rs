//! Speaks adb. It knows streams and services, not what Android does with them.
//!
//! The framing modules are pure: bytes in, messages out, no IO.

mod connection;
mod deadline;
mod device;
mod error;
mod key;
pub mod packet;
mod server;
pub mod shell;
pub mod smart_socket;

pub use connection::{
    Authorize, Caller, Connection, Host, Incoming, KeyVerdict, MAX_SERVICE, MAX_STREAMS, Receiving, Sending,
    Stream,
};
pub use deadline::Deadline;
pub use device::{Device, MAX_OUTPUT, ServiceReader, ServiceStream, ServiceWriter, ShellOutput};
pub use error::AdbError;
pub use key::{Key, PublicKey, TOKEN_BYTES};
pub use server::{DeviceEntry, DeviceState, DeviceTracker, Server, ServerAddress, ServerEnvironment};
