//! What a server takes at most.

use std::time::Duration;

/// The largest body of a request.
pub(crate) const MAX_BODY: usize = 100 * 1024;
/// The most headers of a request.
pub(super) const MAX_HEADERS: usize = 64;
/// The largest request line and headers.
pub(super) const MAX_HEAD: usize = 16 << 10;
/// How long the head of a request may take; also how long a connection may do
/// nothing.
pub(super) const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long the body of a request may take.
pub(super) const BODY_TIME: Duration = Duration::from_secs(10);
/// The most connections at a time. The next ones wait.
pub(super) const MAX_CONNECTIONS: usize = 2048;
/// The most requests that are being answered at a time.
pub(super) const MAX_REQUESTS: usize = 1536;
/// How long a server that ends waits for what is running.
pub(super) const GRACE: Duration = Duration::from_secs(10);
/// How long it waits for what it has cancelled.
pub(super) const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// How long to wait after a connection could not be accepted.
pub(super) const AGAIN: Duration = Duration::from_millis(50);
/// The most readers of events at a time.
pub(super) const MAX_READERS: usize = 256;
/// How often a reader of events hears that the server is there.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);
