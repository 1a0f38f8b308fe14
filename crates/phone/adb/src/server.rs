//! A client to an adb server: one connection per request, as the protocol has it.

mod address;
mod device_list;
mod program;

use crate::deadline::Deadline;
use crate::dial::dial;
use crate::error::AdbError;
use crate::smart_socket::{self, AnswerStatus};
pub use address::{ServerAddress, ServerEnvironment};
pub use device_list::{DeviceEntry, DeviceState};
use futures_core::future::BoxFuture;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long a server that was just started may take to answer.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// A client to the adb server at one address.
#[derive(Clone, Debug)]
pub struct ServerClient {
    address: ServerAddress,
    /// The adb program, for starting the server.
    program: PathBuf,
}

impl ServerClient {
    /// A client to a server. Nothing is sent yet.
    pub fn new(address: ServerAddress, program: PathBuf) -> Self {
        Self { address, program }
    }

    /// The server that the environment names.
    ///
    /// # Errors
    /// [`AdbError::Protocol`] if the environment names no address we can use.
    pub fn from_environment(environment: &ServerEnvironment) -> Result<Self, AdbError> {
        Ok(Self::new(ServerAddress::from_environment(environment)?, environment.program.clone()))
    }

    /// The server's version of the protocol.
    ///
    /// # Errors
    /// As for every request: the address refuses, the time is up, the server says no.
    pub async fn version(&self, deadline: Deadline) -> Result<u32, AdbError> {
        let text = self.ask("host:version", deadline).await?;
        parse_version(&text)
    }

    /// The devices the server knows, ready or not.
    ///
    /// # Errors
    /// As for [`Self::version`].
    pub async fn devices(&self, deadline: Deadline) -> Result<Vec<DeviceEntry>, AdbError> {
        let text = self.ask("host:devices-l", deadline).await?;
        Ok(device_list::parse(&text))
    }

    /// Connects the server to a device over TCP. The server's words say what
    /// came of it; an adb server does not fail here even if it failed.
    ///
    /// # Errors
    /// As for [`Self::version`].
    pub async fn connect(&self, address: &str, deadline: Deadline) -> Result<String, AdbError> {
        self.ask(&format!("host:connect:{address}"), deadline).await
    }

    /// The features both a device and the server have.
    ///
    /// # Errors
    /// As for [`Self::version`].
    pub async fn features(&self, serial: &str, deadline: Deadline) -> Result<Vec<String>, AdbError> {
        let text = self.ask(&format!("host-serial:{serial}:features"), deadline).await?;
        Ok(text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// Opens a service of a device.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] with the server's words, such as that it knows no
    /// such device; the device was not asked then. [`AdbError::NotOpened`] if it may have been.
    pub fn open<'f>(
        &'f self,
        serial: &'f str,
        service: &'f str,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<TcpStream, AdbError>> {
        Box::pin(async move {
            let opening = async {
                let mut socket = self.request(&format!("host:transport:{serial}"), deadline).await?;
                say(&mut socket, service).await.map_err(|error| match error {
                    AdbError::Refusal(reason) => AdbError::NotOpened(reason),
                    AdbError::Unauthorized => AdbError::NotOpened(error.to_string()),
                    other => other,
                })?;
                Ok(socket)
            };
            deadline.run("opening a service", opening).await
        })
    }

    /// Sends a request and reads the text that answers it.
    fn ask<'f>(&'f self, request: &'f str, deadline: Deadline) -> BoxFuture<'f, Result<String, AdbError>> {
        Box::pin(async move {
            let asking = async {
                let mut socket = self.request(request, deadline).await?;
                read_text(&mut socket).await
            };
            deadline.run("asking the adb server", asking).await
        })
    }

    /// Sends a request, starting the server if there is none.
    async fn request(&self, request: &str, deadline: Deadline) -> Result<TcpStream, AdbError> {
        let requesting = async {
            let address = self.address.to_string();
            let mut socket = match dial(&address).await {
                Err(AdbError::Refused { .. }) if self.address.is_local() => {
                    self.start().await?;
                    dial(&address).await?
                }
                other => other?,
            };
            say(&mut socket, request).await?;
            Ok(socket)
        };
        deadline.run("asking the adb server", requesting).await
    }

    /// Starts the server with the adb program and waits until it says it runs.
    async fn start(&self) -> Result<(), AdbError> {
        let mut command = tokio::process::Command::new(&self.program);
        command
            .arg("-P")
            .arg(self.address.port().to_string())
            .arg("start-server")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let starting = async {
            let status = command.status().await.map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => AdbError::NoProgram(self.program.display().to_string()),
                _ => error.into(),
            })?;
            if status.success() {
                Ok(())
            } else {
                Err(AdbError::Refusal(format!("the adb server did not start: {status}")))
            }
        };
        Deadline::after(START_TIMEOUT).run("starting the adb server", starting).await
    }
}

fn parse_version(text: &str) -> Result<u32, AdbError> {
    u32::from_str_radix(text, 16).map_err(|_| {
        AdbError::Protocol(format!("the server answered with the version {text:?}, which is not hexadecimal"))
    })
}

/// Sends a request and reads whether it was taken.
async fn say(socket: &mut TcpStream, request: &str) -> Result<(), AdbError> {
    socket.write_all(&smart_socket::encode(request)?).await?;
    read_status(socket).await
}

/// Reads whether a request was taken, or done.
async fn read_status(socket: &mut TcpStream) -> Result<(), AdbError> {
    let mut status = [0; 4];
    socket.read_exact(&mut status).await?;
    match AnswerStatus::parse(status)? {
        AnswerStatus::Okay => Ok(()),
        AnswerStatus::Fail => {
            let reason = read_text(socket).await?;
            let unauthorized = reason.starts_with("device unauthorized");
            Err(if unauthorized { AdbError::Unauthorized } else { AdbError::Refusal(reason) })
        }
    }
}

/// Reads a text with its length before it.
async fn read_text(socket: &mut TcpStream) -> Result<String, AdbError> {
    let mut digits = [0; 4];
    socket.read_exact(&mut digits).await?;
    let mut text = vec![0; smart_socket::parse_length(digits)?];
    socket.read_exact(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
