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

/// An execution as it was given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'g> {
    pub(super) payload: &'g [u8],
    /// The time limit of the command line.
    pub(super) timeout_ms: Option<f64>,
}

/// Runs a request on the server that runs, if one does and can.
pub(super) fn run(
    given: Given<'_>,
    request: &Request,
    args: &Args,
    world: &World,
) -> Result<Option<Finished>, Failure> {
    let is_plain = args.format() != Format::Pretty && world.progress == Progress::Hidden;
    if args.has(&flags::NO_DAEMON) || args.has(&flags::REPORT) || !is_plain {
        return Ok(None);
    }
    unix::run(given, request, world)
}

#[cfg(not(unix))]
mod unix {
    use super::{Failure, Finished, Given, Request, World};

    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn run(_: Given<'_>, _: &Request, _: &World) -> Result<Option<Finished>, Failure> {
        Ok(None)
    }
}

#[cfg(unix)]
mod unix {
    use super::{Given, World};
    use crate::device::{asked_to_end, block_on};
    use crate::server_entry::{ServerEntry, surroundings};
    use clawperator_contract::{ErrorCode, Failure};
    use clawperator_engine::{Finished, Outcome, OutcomeKind, Request, StoredOutcome};
    use clawperator_run::operator::RouteWish;
    use clawperator_run::{LastStep, Strictness};
    use serde_json::{Value, json};
    use std::io;
    use std::path::Path;
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::UnixStream;

    /// The largest request that a server takes.
    const MAX_BODY: usize = 100 * 1024;

    /// A server that has begun an execution.
    struct Begun {
        run_id: String,
        reader: BufReader<UnixStream>,
    }

    pub(super) fn run(
        given: Given<'_>,
        request: &Request,
        world: &World,
    ) -> Result<Option<Finished>, Failure> {
        let Some(entry) = ServerEntry::find(&world.phones.state) else {
            return Ok(None);
        };
        let fits = entry.version == env!("CARGO_PKG_VERSION") && entry.surroundings == surroundings(world);
        let (Some(socket), true) = (&entry.socket, fits) else {
            return Ok(None);
        };
        let Some(body) = body(given, request, &world.phones.session).filter(|body| body.len() <= MAX_BODY)
        else {
            return Ok(None);
        };
        block_on(async {
            match begin(socket, &body).await {
                Ok(begun) => finish(socket, begun).await.map(Some),
                Err(NotBegun::Refused) => Ok(None),
                Err(NotBegun::Lost) => Err(unknown("the execution")),
            }
        })?
    }

    fn body(given: Given<'_>, request: &Request, session: &str) -> Option<String> {
        let (route, package) = match &request.route {
            RouteWish::Host => ("host", None),
            RouteWish::Auto(app) => ("auto", Some(app.package.to_string())),
            RouteWish::Operator(app) => ("operator", Some(app.package.to_string())),
        };
        let order = json!({
            "payload": std::str::from_utf8(given.payload).ok()?,
            "timeoutMs": given.timeout_ms,
            "device": request.device,
            "waitMs": request.wait.map(|wait| wait.as_millis() as u64),
            "key": request.key,
            "route": route,
            "package": package,
            "lane": request.lane.word(),
            "patienceMs": request.patience.map(|patience| patience.as_millis() as u64),
            "shows": request.last == LastStep::Shows,
            "strict": request.strictness == Strictness::Unique,
            "journal": request.journal != clawperator_engine::Journal::Off,
            "skillRun": request.skill_run,
            "session": session,
        });
        Some(order.to_string())
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
        let mut run_id = String::new();
        let read = reader.read_line(&mut run_id).await;
        let run_id = run_id.strip_suffix('\n').filter(|_| read.is_ok());
        let run_id = run_id.ok_or(NotBegun::Lost)?.to_owned();
        Ok(Begun { run_id, reader })
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
        let outcome = text.split_once('\n').filter(|_| whole).and_then(|(kind, json)| {
            let kind = match kind {
                "success" => OutcomeKind::Success,
                "failed" => OutcomeKind::Failed,
                "error" => OutcomeKind::Error,
                _ => return None,
            };
            // A text that was cut off is no JSON.
            serde_json::from_str::<Value>(json).ok()?;
            let json = json.to_owned();
            Some(StoredOutcome { kind, json })
        });
        let outcome = outcome.ok_or_else(|| unknown(&run_id))?;
        Ok(Finished {
            outcome: Outcome::Stored(outcome),
            event_log: None,
            not_stored: None,
            recipe: None,
        })
    }
}
