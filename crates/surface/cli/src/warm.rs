//! The warm path: a server that runs for the same state folder runs the
//! execution, because it has the phone's connection open. Whatever is in the way
//! of that, the command does it itself; nothing was sent then.

use super::args::Args;
use super::flags;
use super::output::Format;
use super::progress::Progress;
use super::world::World;
use clawperator_contract::Failure;
use clawperator_engine::{Finished, Request};

/// Runs a request on the server that runs, if one does and can.
pub(super) fn run(request: &Request, args: &Args, world: &World) -> Result<Option<Finished>, Failure> {
    let is_plain = args.format != Format::Pretty && world.progress == Progress::Hidden;
    if args.has(&flags::NO_DAEMON) || args.has(&flags::REPORT) || !is_plain {
        return Ok(None);
    }
    unix::run(request, world)
}

#[cfg(not(unix))]
mod unix {
    use super::{Failure, Finished, Request, World};

    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn run(_: &Request, _: &World) -> Result<Option<Finished>, Failure> {
        Ok(None)
    }
}

#[cfg(unix)]
mod unix {
    use super::World;
    use crate::device::{asked_to_end, block_on};
    use crate::server_entry::{ServerEntry, surroundings};
    use clawperator_contract::{ErrorCode, Failure};
    use clawperator_engine::{Finished, Message, Order, Request, RunId};
    use std::io;
    use std::path::Path;
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::UnixStream;

    /// The largest request that a server takes.
    const MAX_BODY: usize = 100 * 1024;

    /// A server that has begun an execution.
    struct Begun {
        run_id: RunId,
        reader: BufReader<UnixStream>,
    }

    pub(super) fn run(request: &Request, world: &World) -> Result<Option<Finished>, Failure> {
        let Some(entry) = ServerEntry::find(&world.phones.state) else {
            return Ok(None);
        };
        let fits = entry.version == env!("CARGO_PKG_VERSION") && entry.surroundings == surroundings(world);
        let (Some(socket), true) = (&entry.socket, fits) else {
            return Ok(None);
        };
        let order = Message::Order(Box::new(Order {
            session: world.phones.session.clone(),
            request: request.clone(),
        }));
        let Ok(body) = order.write() else {
            return Ok(None);
        };
        if body.len() > MAX_BODY {
            return Ok(None);
        }
        block_on(async {
            match begin(socket, &body).await {
                Ok(begun) => finish(socket, begun).await.map(Some),
                Err(NotBegun::Refused) => Ok(None),
                Err(NotBegun::Lost) => Err(unknown("the execution")),
            }
        })?
    }

    /// Why a server has not begun.
    enum NotBegun {
        /// It certainly has not: this command can run the execution itself.
        Refused,
        /// It got the order and then was gone.
        Lost,
    }

    fn unknown(what: &str) -> Failure {
        let message = format!("the server ended before it told the outcome of {what}");
        Failure::of(ErrorCode::ExecutionOutcomeUnknown, message)
    }

    async fn send(socket: &Path, path: &str, body: &str) -> Result<BufReader<UnixStream>, NotBegun> {
        let stream = ask(socket, path, body).await.map_err(|_| NotBegun::Refused)?;
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line.trim_end() != "" || line.is_empty() {
            line.clear();
            match reader.read_line(&mut line).await {
                Ok(0) | Err(_) => return Err(NotBegun::Lost),
                Ok(_) if line.starts_with("HTTP/") && line.split(' ').nth(1) != Some("200") => {
                    return Err(NotBegun::Refused);
                }
                Ok(_) => {}
            }
        }
        Ok(reader)
    }

    /// Sends a request. If that fails, the server has not got all of it.
    async fn ask(socket: &Path, path: &str, body: &str) -> io::Result<UnixStream> {
        let mut stream = UnixStream::connect(socket).await?;
        let length = body.len();
        // In this version of HTTP a body ends with its connection.
        let head = format!(
            "POST {path} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        Ok(stream)
    }

    async fn begin(socket: &Path, body: &str) -> Result<Begun, NotBegun> {
        let mut reader = send(socket, "/local/run", body).await?;
        let mut line = String::new();
        reader.read_line(&mut line).await.map_err(|_| NotBegun::Lost)?;
        match Message::read(line.as_bytes()) {
            Ok(Message::Begun(run_id)) => Ok(Begun { run_id, reader }),
            Ok(Message::Order(_) | Message::Ended(_)) | Err(_) => Err(NotBegun::Lost),
        }
    }

    /// Waits for the outcome; a signal cancels the run.
    async fn finish(socket: &Path, begun: Begun) -> Result<Finished, Failure> {
        let Begun { run_id, mut reader } = begun;
        let asked = asked_to_end()?;
        let mut text = String::new();
        let read = async {
            let reading = reader.read_to_string(&mut text);
            tokio::pin!(reading);
            tokio::select! {
                biased;
                read = &mut reading => read,
                () = asked => {
                    // If the server is gone, the reading ends.
                    let _ = send(socket, &format!("/runs/{run_id}/cancel"), "{}").await;
                    reading.await
                }
            }
        };
        let whole = read.await.is_ok();
        // A text that was cut off is no message.
        match Message::read(text.as_bytes()) {
            Ok(Message::Ended(ended)) if whole => Ok(ended.into()),
            Ok(_) | Err(_) => Err(unknown(&run_id.to_string())),
        }
    }
}
