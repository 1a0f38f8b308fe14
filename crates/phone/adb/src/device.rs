//! A device, however it is reached, and what can be asked of it.

use crate::connection::{Connection, HostIdentity, ServiceReader, ServiceStream};
use crate::deadline::Deadline;
use crate::dial::dial;
use crate::error::AdbError;
use crate::server::ServerClient;
use crate::shell::ShellPacket;
use bytes::{Bytes, BytesMut};
use futures_core::future::BoxFuture;
use std::fmt;
use std::sync::Arc;

/// The most bytes one command's output may have.
pub const MAX_OUTPUT: usize = 64 << 20;

/// What is printed after a command on the old protocol: there, the end of a
/// connection looks like the end of a command.
const END: &str = "clawperator: end";

/// A device.
#[derive(Clone, Debug)]
pub enum Device {
    Server {
        server: ServerClient,
        serial: String,
        features: Vec<String>,
    },
    /// Over a connection of our own.
    Direct(Arc<Connection>),
}

/// What a command of a shell gets to read.
#[derive(Clone, Debug)]
pub enum ShellInput {
    /// These bytes, and then their end.
    Bytes(Bytes),
    /// Nothing, and no end before that of the command: its end says that this computer is gone.
    Open,
}

impl From<Bytes> for ShellInput {
    fn from(bytes: Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

/// What a command printed and how it ended.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ShellOutput {
    /// What it printed. On the old protocol also what it printed as errors.
    pub stdout: Bytes,
    /// What it printed as errors.
    pub stderr: Bytes,
    /// How it ended; the old protocol does not say.
    pub exit_code: Option<u8>,
}

impl fmt::Debug for ShellOutput {
    /// Shows how much was printed, not what: it is what is on a user's phone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stdout, stderr, exit) = (self.stdout.len(), self.stderr.len(), self.exit_code);
        write!(f, "ShellOutput({stdout} bytes, {stderr} bytes of errors, exit {exit:?})")
    }
}

impl Device {
    /// A device that an adb server knows.
    ///
    /// # Errors
    /// [`AdbError::Refusal`] if the server knows no such device, or what broke.
    pub fn on_server(
        server: ServerClient,
        serial: &str,
        deadline: Deadline,
    ) -> BoxFuture<'_, Result<Self, AdbError>> {
        Box::pin(async move {
            let features = server.features(serial, deadline).await?;
            Ok(Self::Server { server, serial: serial.to_owned(), features })
        })
    }

    /// A device that listens at a TCP address. It is connected to once: when the
    /// connection is over, every call says so at once, with the same reason, and
    /// to get the device back, connect again.
    ///
    /// # Errors
    /// [`AdbError::Refused`] if nothing listens, [`AdbError::Unauthorized`] if it
    /// does not take our key, [`AdbError::TimedOut`] if its owner takes too long
    /// to say, or what broke.
    pub fn connect<'f>(
        address: &'f str,
        host: &'f HostIdentity<'f>,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<Self, AdbError>> {
        Box::pin(async move {
            let connecting = async {
                let socket = dial(address).await?;
                let (reader, writer) = socket.into_split();
                Connection::to_device(reader, writer, host).await
            };
            let connection = deadline.run("connecting to the device", connecting).await?;
            Ok(Self::Direct(Arc::new(connection)))
        })
    }

    /// Tells whether the device says it can do something.
    pub fn has_feature(&self, name: &str) -> bool {
        match self {
            Self::Server { features, .. } => features.iter().any(|feature| feature == name),
            Self::Direct(connection) => {
                let list = connection.banner().split(';').find_map(|part| part.split_once("features="));
                list.is_some_and(|(_, list)| list.split(',').any(|feature| feature == name))
            }
        }
    }

    /// Opens a service.
    ///
    /// # Errors
    /// [`AdbError::NotOpened`] if the device does not have it, or what broke.
    pub fn open<'f>(
        &'f self,
        service: &'f str,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<ServiceStream, AdbError>> {
        Box::pin(async move {
            match self {
                Self::Server { server, serial, .. } => {
                    server.open(serial, service, deadline).await.map(ServiceStream::Socket)
                }
                Self::Direct(connection) => {
                    let stream = deadline.run("opening a service", connection.open(service)).await?;
                    Ok(ServiceStream::Stream(stream))
                }
            }
        })
    }

    /// Runs a command in the device's shell, with some input, to its end. The
    /// new protocol is used where the device has it.
    ///
    /// # Errors
    /// [`AdbError::TimedOut`], after which the command may still run;
    /// [`AdbError::Closed`] if the device broke off before it said how the
    /// command ended; or what broke.
    pub fn shell<'f>(
        &'f self,
        command: &'f str,
        input: impl Into<ShellInput>,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<ShellOutput, AdbError>> {
        let input = input.into();
        Box::pin(async move {
            if self.has_feature("shell_v2") {
                let mut stream = self.open(&format!("shell,v2,raw:{command}"), deadline).await?;
                deadline.run("a shell command", shell_v2(&mut stream, input)).await
            } else {
                let service = format!("shell:({command}\n); echo '{END}'");
                let input = match input {
                    ShellInput::Bytes(bytes) => bytes,
                    ShellInput::Open => Bytes::new(),
                };
                let printed = self.run_to_end(&service, input, deadline).await?;
                Ok(ShellOutput {
                    // Without our line it is unknown how the command ended.
                    stdout: before_the_end(&printed).ok_or(AdbError::Closed)?,
                    ..ShellOutput::default()
                })
            }
        })
    }

    /// Runs a command whose output is binary, to its end.
    ///
    /// # Errors
    /// As for [`Self::shell`].
    pub fn exec<'f>(
        &'f self,
        command: &'f str,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<Bytes, AdbError>> {
        Box::pin(async move { self.run_to_end(&format!("exec:{command}"), Bytes::new(), deadline).await })
    }

    async fn run_to_end(&self, service: &str, input: Bytes, deadline: Deadline) -> Result<Bytes, AdbError> {
        let mut stream = self.open(service, deadline).await?;
        let (mut reader, mut writer) = stream.split();
        let writing = async { writer.send(input).await };
        let reading = async {
            let mut output = BytesMut::new();
            while let Some(data) = reader.receive().await? {
                append(&mut output, &data)?;
            }
            Ok(output.freeze())
        };
        deadline.run("a shell command", read_while_writing(reading, writing)).await
    }
}

/// What a command printed before our line, if the line came.
fn before_the_end(printed: &Bytes) -> Option<Bytes> {
    let end = printed.trim_ascii_end().strip_suffix(END.as_bytes())?;
    Some(printed.slice_ref(end))
}

/// Reads to the end while writing as much as is wanted: a command may print
/// before it has read its input, and may end without reading all of it.
async fn read_while_writing<T>(
    reading: impl Future<Output = Result<T, AdbError>>,
    writing: impl Future<Output = Result<(), AdbError>>,
) -> Result<T, AdbError> {
    tokio::pin!(reading, writing);
    tokio::select! {
        biased;
        result = &mut reading => result,
        written = &mut writing => match written {
            Ok(()) | Err(AdbError::Closed) => reading.await,
            Err(error) => Err(error),
        },
    }
}

/// Talks to a shell on the new protocol until it says how the command ended.
async fn shell_v2(stream: &mut ServiceStream, input: ShellInput) -> Result<ShellOutput, AdbError> {
    const PIECE: usize = 64 << 10;
    let (mut reader, mut writer) = stream.split();
    let writing = async {
        let ShellInput::Bytes(mut input) = input else {
            return Ok(());
        };
        while !input.is_empty() {
            let mut packet = BytesMut::new();
            ShellPacket::Stdin(input.split_to(input.len().min(PIECE))).encode(&mut packet);
            writer.send(packet.freeze()).await?;
        }
        let mut packet = BytesMut::new();
        ShellPacket::CloseStdin.encode(&mut packet);
        writer.send(packet.freeze()).await
    };
    read_while_writing(read_v2(&mut reader), writing).await
}

async fn read_v2(reader: &mut ServiceReader<'_>) -> Result<ShellOutput, AdbError> {
    let (mut stdout, mut stderr, mut buffer) = (BytesMut::new(), BytesMut::new(), BytesMut::new());
    loop {
        while let Some(packet) = ShellPacket::decode(&mut buffer)? {
            match packet {
                ShellPacket::Stdout(data) => append(&mut stdout, &data)?,
                ShellPacket::Stderr(data) => append(&mut stderr, &data)?,
                ShellPacket::Exit(code) => {
                    return Ok(ShellOutput {
                        stdout: stdout.freeze(),
                        stderr: stderr.freeze(),
                        exit_code: Some(code),
                    });
                }
                ShellPacket::Stdin(_) | ShellPacket::CloseStdin | ShellPacket::WindowSize(_) => {
                    return Err(AdbError::Protocol(
                        "the phone's shell sent a packet that only a host may send".to_owned(),
                    ));
                }
            }
        }
        match reader.receive().await? {
            Some(data) => buffer.extend_from_slice(&data),
            // Without an exit code it is unknown how the command ended.
            None => return Err(AdbError::Closed),
        }
    }
}

fn append(output: &mut BytesMut, data: &[u8]) -> Result<(), AdbError> {
    if output.len() + data.len() > MAX_OUTPUT {
        return Err(AdbError::Protocol(format!("the command printed more than {MAX_OUTPUT} bytes")));
    }
    output.extend_from_slice(data);
    Ok(())
}
