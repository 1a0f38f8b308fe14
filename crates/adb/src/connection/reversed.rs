//! The host's end of reverses: lets in the streams it asked for, and no others,
//! and carries them to where they lead.

use super::{Connection, Incoming, MAX_CARRIED, ServiceStream, Shared, carry};
use crate::error::AdbError;
use crate::forward_spec::ForwardSpec;
use crate::reverse::{MAX_REVERSES, Reverse};
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How long an address on this side may take to answer.
const DIAL_TIMEOUT: Duration = Duration::from_secs(10);

/// A reverse that was asked for. Dropping it shuts the door again.
pub(crate) struct Expected {
    shared: Arc<Shared>,
    /// Gone once the reverse is kept.
    reverse: Option<Arc<Reverse>>,
}

impl Connection {
    /// Opens the door for the streams of a reverse, before the device is asked:
    /// it may use it before we have read its answer.
    pub(crate) fn expect_reverse(&self, wanted: &Reverse) -> Result<Expected, AdbError> {
        let mut state = self.shared.state();
        if state.reverses.len() >= MAX_REVERSES {
            return Err(AdbError::Refusal(format!(
                "too many reverse forwards: {MAX_REVERSES} are already open"
            )));
        }
        let reverse = Arc::new(wanted.clone());
        state.reverses.push(reverse.clone());
        Ok(Expected {
            shared: self.shared.clone(),
            reverse: Some(reverse),
        })
    }

    /// Shuts the door for some of the reverses.
    pub(crate) fn forget_reverses(&self, mut which: impl FnMut(&Reverse) -> bool) {
        self.shared.state().reverses.retain(|reverse| !which(reverse));
    }
}

impl Expected {
    /// The device has it, at this port if it chose one; it has no other from
    /// the same address any more.
    pub(crate) fn keep(mut self, port: Option<u16>) {
        let Some(kept) = self.reverse.take() else {
            return;
        };
        let remote = match (&kept.remote, port) {
            (ForwardSpec::Tcp(0), Some(port)) => ForwardSpec::Tcp(port),
            (other, _) => other.clone(),
        };
        let mut state = self.shared.state();
        // It may have been removed meanwhile.
        let is_there = state.reverses.iter().any(|reverse| Arc::ptr_eq(reverse, &kept));
        state
            .reverses
            .retain(|reverse| reverse.remote != remote && !Arc::ptr_eq(reverse, &kept));
        if is_there {
            let local = kept.local.clone();
            state.reverses.push(Arc::new(Reverse { remote, local }));
        }
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        if let Some(unkept) = self.reverse.take() {
            let mut state = self.shared.state();
            state.reverses.retain(|reverse| !Arc::ptr_eq(reverse, &unkept));
        }
    }
}

/// Answers the streams a device asks its host for, until the connection ends.
pub(super) async fn carry_reversed(mut asked: mpsc::Receiver<Incoming>) {
    let mut carried = JoinSet::new();
    loop {
        let incoming = tokio::select! {
            biased;
            Some(_) = carried.join_next() => continue,
            incoming = asked.recv() => incoming,
        };
        // What is carried ends with the set.
        let Some(incoming) = incoming else { return };
        // One that is dropped is refused.
        if let Some(local) = expected(&incoming)
            && carried.len() < MAX_CARRIED
        {
            carried.spawn(connect(incoming, local));
        }
    }
}

/// Where a stream leads, if it was asked for.
fn expected(incoming: &Incoming) -> Option<ForwardSpec> {
    let wanted: ForwardSpec = incoming.service().parse().ok()?;
    let state = incoming.shared.state();
    let is_expected = state.reverses.iter().any(|reverse| reverse.local == wanted);
    is_expected.then_some(wanted)
}

async fn connect(incoming: Incoming, local: ForwardSpec) {
    // A stream that leads nowhere is refused by dropping it, and one that
    // breaks is closed: its user sees that; there is no one else to tell.
    if let Ok(Ok(socket)) = tokio::time::timeout(DIAL_TIMEOUT, dial(&local)).await
        && let Ok(stream) = incoming.accept()
    {
        let _ = carry(socket, ServiceStream::Stream(stream)).await;
    }
}

/// Both directions of a socket, whatever kind it is.
trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Socket for S {}

async fn dial(local: &ForwardSpec) -> io::Result<Box<dyn Socket>> {
    match local {
        ForwardSpec::Tcp(port) => {
            let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).await?;
            socket.set_nodelay(true)?;
            Ok(Box::new(socket))
        }
        ForwardSpec::LocalFilesystem(path) => dial_unix(path).await,
        // Such a name starts with a zero byte, where the system has them.
        ForwardSpec::LocalAbstract(name) => dial_unix(&format!("\0{name}")).await,
        // Hosts have none of these.
        ForwardSpec::LocalReserved(_) | ForwardSpec::Dev(_) | ForwardSpec::Jdwp(_) => {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

#[cfg(unix)]
async fn dial_unix(path: &str) -> io::Result<Box<dyn Socket>> {
    Ok(Box::new(tokio::net::UnixStream::connect(path).await?))
}

#[cfg(not(unix))]
async fn dial_unix(_path: &str) -> io::Result<Box<dyn Socket>> {
    Err(io::ErrorKind::Unsupported.into())
}
