//! A forward of our own: a port on this machine that leads to an address on a
//! device, for as long as it is held.

use crate::connection::{MAX_CARRIED, carry};
use crate::deadline::Deadline;
use crate::device::Device;
use crate::error::AdbError;
use crate::forward_spec::ForwardSpec;
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// How long the device may take to open the address for one connection.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait after the system could not hand over a connection, so that
/// a lack of descriptors does not become a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A listener on loopback whose connections are carried to a device. Dropping
/// it stops the listener and closes what it carries.
#[derive(Debug)]
pub struct Forwarder {
    port: u16,
    task: JoinHandle<()>,
}

impl Device {
    /// Listens at a port of this machine's loopback, zero for any that is free,
    /// and carries each connection to an address on the device. At most
    /// [`MAX_CARRIED`] are carried at a time; more are closed at once.
    ///
    /// # Errors
    /// [`AdbError::Local`] if the port cannot be had.
    pub async fn forward_local(
        &self,
        port: u16,
        remote: ForwardSpec,
        deadline: Deadline,
    ) -> Result<Forwarder, AdbError> {
        let listening = async {
            TcpListener::bind((Ipv4Addr::LOCALHOST, port))
                .await
                .map_err(AdbError::local)
        };
        let listener = deadline.run("listening on this side", listening).await?;
        let port = listener.local_addr().map_err(AdbError::local)?.port();
        let task = tokio::spawn(accept_all(listener, self.clone(), remote.to_string()));
        Ok(Forwarder { port, task })
    }
}

impl Forwarder {
    /// The port on this machine.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Carries connections until it is stopped; what is carried ends with it.
async fn accept_all(listener: TcpListener, device: Device, service: String) {
    let mut carried = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            Some(_) = carried.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, _)) if carried.len() < MAX_CARRIED => {
                carried.spawn(connect(socket, device.clone(), service.clone()));
            }
            Ok((socket, _)) => drop(socket),
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn connect(socket: TcpStream, device: Device, service: String) {
    // A connection that leads nowhere, or breaks, is closed: its owner
    // sees that; there is no one else to tell.
    if let Ok(stream) = device.open(&service, Deadline::after(OPEN_TIMEOUT)).await
        && socket.set_nodelay(true).is_ok()
    {
        let _ = carry(socket, stream).await;
    }
}
