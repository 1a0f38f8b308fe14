//! What a server takes at most.

use std::time::Duration;

/// The largest body of a request.
pub(crate) const MAX_BODY: usize = 100 * 1024;
pub(super) const MAX_HEADERS: usize = 64;
/// The largest request line and headers.
pub(super) const MAX_HEAD: usize = 16 << 10;
/// How long the head of a request may take; also how long a connection may do nothing.
pub(super) const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long the body of a request may take.
pub(super) const BODY_TIME: Duration = Duration::from_secs(10);
/// How long a client may leave an answer unread.
pub(super) const READER_TIME: Duration = Duration::from_secs(30);
/// The most connections at a time. For the next one, another gives way.
const MAX_CONNECTIONS: usize = 2048;
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

/// The most connections for which the system gives this process enough files,
/// with as many left for everything else.
#[cfg(unix)]
pub(super) fn most_connections() -> usize {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let files = getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(soft, hard)| {
        // More than a shell gives it usually, where the system allows it.
        let wanted = (4 * MAX_CONNECTIONS as u64).min(hard).max(soft);
        setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).map_or(soft, |()| wanted)
    });
    MAX_CONNECTIONS.min(usize::try_from(files / 2).unwrap_or(MAX_CONNECTIONS))
}

#[cfg(not(unix))]
pub(super) fn most_connections() -> usize {
    MAX_CONNECTIONS
}
