//! The resident server: uiautomator2's `u2.jar`, which reads the screen faster
//! than the phone's own command. It is not a part of this program: the user
//! brings the file. docs/u2-server.md has the facts.

pub(crate) mod client;
pub mod jar;
pub mod mark;
mod wire;
