//! The user land from outside: scripts in, bytes and exit codes out.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "tests look at the host to show that nothing reaches it, fail by panicking, and are tables"
)]

mod world;

mod applets;
mod archives;
mod bounds;
mod cases;
mod genuine_lines;
mod host;
mod lines;
mod parts;
mod properties;
mod sessions;
