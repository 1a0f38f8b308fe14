//! What single files promise, through the public API.

mod redacted;
mod stream;
