//! Speaks adb. It knows streams and services, not what Android does with them.
//!
//! The framing modules are pure: bytes in, messages out, no IO.

mod connection;
mod deadline;
mod device;
mod dial;
mod error;
mod files;
mod forward_spec;
mod framebuffer;
mod key;
pub mod packet;
mod reverse;
mod server;
pub mod shell;
pub mod smart_socket;
pub mod sync;

pub use connection::{
    AcceptedHost, Authorize, Connection, HostIdentity, Incoming, KeyVerdict, MAX_SERVICE, MAX_STREAMS,
    Receiving, Sending, ServiceReader, ServiceStream, ServiceWriter, Stream,
};
pub use deadline::Deadline;
pub use device::{Device, MAX_OUTPUT, ShellInput, ShellOutput};
pub use dial::lookup;
pub use error::AdbError;
pub use files::{FileTarget, Files, MAX_ENTRIES, MAX_FILE, Transfer, serve_files};
pub use forward_spec::{ForwardSpec, MAX_SPEC, SpecError};
pub use framebuffer::framebuffer_header;
pub use key::{PrivateKey, PublicKey, StoredKey, TOKEN_BYTES};
pub use reverse::{MAX_REVERSES, Reverses, serve_reverse};
pub use server::{DeviceEntry, DeviceState, ServerAddress, ServerClient, ServerEnvironment};
