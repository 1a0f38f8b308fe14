//! A connection to a phone in memory: adb's bytes without a socket. Only there
//! does a paused clock move on exactly when no task can run.

use crate::handset::Handset;
use crate::server::{Welcome, serve_host};
use bytes::Bytes;
use clawperator_adb::{AdbError, Connection, Deadline, Device, HostIdentity};
use futures_core::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// How many bytes are under way between host and phone.
const PIPE: usize = 64 << 10;
/// How long a command of the phone is waited for.
const LONGEST_COMMAND: Duration = Duration::from_secs(120);

/// Connects to a phone in memory, as a host without a key.
///
/// # Errors
/// The phone does not let the host in.
pub fn link<'f>(
    handset: &'f Arc<Handset>,
    welcome: &'f Arc<Welcome>,
) -> BoxFuture<'f, Result<Device, AdbError>> {
    Box::pin(async move {
        let (ours, its) = tokio::io::duplex(PIPE);
        let (reader, writer) = tokio::io::split(its);
        tokio::spawn(serve_host(Arc::clone(handset), reader, writer, Arc::clone(welcome)));
        let (reader, writer) = tokio::io::split(ours);
        let host = HostIdentity {
            banner: "host::features=shell_v2".to_owned(),
            key: None,
            name: "me@here".to_owned(),
        };
        let connection = Connection::to_device(reader, writer, &host).await?;
        Ok(Device::Direct(Arc::new(connection)))
    })
}

/// Runs a command of the phone's shell over a link of its own: what it prints.
///
/// # Errors
/// Why it failed, as text.
pub fn ask<'f>(
    handset: &'f Arc<Handset>,
    welcome: &'f Arc<Welcome>,
    line: &'f str,
) -> BoxFuture<'f, Result<String, String>> {
    Box::pin(async move {
        let deadline = Deadline::after(LONGEST_COMMAND);
        let asked = async {
            let device = link(handset, welcome).await?;
            device.shell(line, Bytes::new(), deadline).await
        };
        let output = deadline.run("a command of the phone", asked).await;
        let output = output.map_err(|error| format!("{line}: {error}"))?;
        let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
        if output.exit_code.unwrap_or(0) != 0 {
            let said = text(&output.stdout) + &text(&output.stderr);
            return Err(format!("{line}: {}", said.trim_end()));
        }
        Ok(text(&output.stdout))
    })
}
