//! The adb program and the server, looked at without starting anything.

use super::{ServerClient, say};
use crate::deadline::Deadline;
use crate::dial::dial;
use crate::error::AdbError;
use futures_core::future::BoxFuture;
use std::io;
use std::process::Stdio;
use tokio::io::AsyncReadExt;

/// The most of what the program prints that is read.
const MAX_PRINTED: u64 = 4 << 10;

impl ServerClient {
    /// Where the server is, or would be.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// The server's version of the protocol; one that does not run is not started.
    ///
    /// # Errors
    /// [`AdbError::Refused`] if none runs, or what broke.
    pub fn version_if_running(&self, deadline: Deadline) -> BoxFuture<'_, Result<u32, AdbError>> {
        Box::pin(async move {
            let asking = async {
                let mut socket = dial(&self.address.to_string()).await?;
                say(&mut socket, "host:version").await?;
                super::read_text(&mut socket).await
            };
            let text = deadline.run("asking the adb server", asking).await?;
            super::parse_version(&text)
        })
    }

    /// The version that the adb program says it has.
    ///
    /// # Errors
    /// [`AdbError::NoProgram`] if it is not there, [`AdbError::Protocol`] with
    /// its words if they name no version, or what broke.
    pub fn program_version(&self, deadline: Deadline) -> BoxFuture<'_, Result<String, AdbError>> {
        Box::pin(async move {
            let mut command = tokio::process::Command::new(&self.program);
            command
                .arg("version")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .kill_on_drop(true);
            let running = async {
                let mut child = command.spawn().map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => AdbError::NoProgram(self.program.display().to_string()),
                    _ => AdbError::local(error),
                })?;
                let mut printed = Vec::new();
                if let Some(out) = child.stdout.take() {
                    out.take(MAX_PRINTED).read_to_end(&mut printed).await?;
                }
                child.wait().await.map_err(AdbError::local)?;
                Ok(String::from_utf8_lossy(&printed).into_owned())
            };
            let printed = deadline.run("the adb program", running).await?;
            parse(&printed).ok_or_else(|| {
                let start: String = printed.trim().chars().take(80).collect();
                AdbError::Protocol(format!("the adb program printed {start:?}"))
            })
        })
    }
}

/// Reads `Android Debug Bridge version 1.0.41`, and the line behind it where
/// there is one: `Version 34.0.5-10900879`.
fn parse(printed: &str) -> Option<String> {
    let after = |start: &str| printed.lines().find_map(|line| line.trim().strip_prefix(start));
    let protocol = after("Android Debug Bridge version ")?.trim();
    Some(match after("Version ") {
        Some(release) => format!("{protocol} ({})", release.trim()),
        None => protocol.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ServerAddress;
    use std::time::Duration;

    #[test]
    fn a_version_is_read_from_what_programs_print() {
        let new = "Android Debug Bridge version 1.0.41\nVersion 34.0.5-10900879\nInstalled as /usr/bin/adb\n";
        assert_eq!(parse(new).as_deref(), Some("1.0.41 (34.0.5-10900879)"));
        assert_eq!(parse("Android Debug Bridge version 1.0.32\n").as_deref(), Some("1.0.32"));
        assert_eq!(parse("hello\n"), None);
    }

    #[tokio::test]
    async fn what_is_not_adb_is_said_to_be_so() {
        let soon = || Deadline::after(Duration::from_secs(10));
        let server = |program: &str| ServerClient::new(ServerAddress::new("127.0.0.1", 1), program.into());
        let missing = server("/no/such/adb").program_version(soon()).await;
        assert!(matches!(missing, Err(AdbError::NoProgram(_))), "{missing:?}");
        let other = server("/bin/echo").program_version(soon()).await;
        assert!(matches!(other, Err(AdbError::Protocol(_))), "{other:?}");
        let none = server("/no/such/adb").version_if_running(soon()).await;
        assert!(matches!(none, Err(AdbError::Refused { .. })), "{none:?}");
    }
}
