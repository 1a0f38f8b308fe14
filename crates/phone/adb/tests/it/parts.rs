//! What single files promise, through the public API.

mod deadline;
mod forward_spec;
mod framebuffer;
mod server_address;
mod shell;
mod smart_socket;
mod sync;
