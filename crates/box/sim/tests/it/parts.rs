//! What single files promise, through the public API.

mod phone_settings;
mod time;
