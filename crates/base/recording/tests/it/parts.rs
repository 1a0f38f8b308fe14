//! What single files promise, through the public API.

mod gesture;
mod input;
mod session_id;
mod suggest;
