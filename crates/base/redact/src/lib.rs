//! Redaction: a text is shown, hashed, masked or dropped; and secrets that are
//! known, such as typed passwords, are hidden in other texts. Pure.
//!
//! It knows texts and JSON, and not who asks.

mod field;
mod fragments;
mod keyed;
mod letters;
mod parts;
mod redaction;
mod secrets;

pub use field::{DOTS, is_masked, is_secret_field};
pub use fragments::Fragments;
pub use keyed::{HashKey, ValueHash};
pub use redaction::{Redaction, mask, masked_letters};
pub use secrets::Secrets;
