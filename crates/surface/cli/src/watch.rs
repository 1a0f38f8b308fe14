//! `watch`: the steps of a server's runs, as they happen. It only reads what the server says.

mod view;

use super::args::Args;
use super::device::{asked_to_end, block_on};
use super::flags;
use super::flags::watch as own;
use super::pool;
use super::progress::{CLEAR, Progress};
use super::serve::{HOST, PORT, token_path};
use super::world::{Answer, World};
use clawperator_agent::model::Events;
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_events::RunEvent;
use clawperator_private as private;
use serde_json::Value;
use std::io::Read as _;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{MissedTickBehavior, interval, timeout};
use view::WatchView;

/// How long the server may take to answer.
const ANSWER: Duration = Duration::from_secs(5);
/// How often the line about the current step is written again.
const PERIOD: Duration = Duration::from_millis(200);
/// How often to ask whether the run has ended.
const CHECK: Duration = Duration::from_secs(1);
/// The most bytes of an answer that are read at once, and of a short one at all.
const PIECE: usize = 16 << 10;
const MAX_ANSWER: u64 = 16 << 20;
const MAX_TOKEN: u64 = 512;

/// The server, and what to show it.
struct ServerAccess {
    host: String,
    port: u16,
    token: String,
}

/// Shows runs until interrupted, or until the one that is asked for has ended.
pub(super) fn watch(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    if pool::is_wanted(args, world)? {
        return pool::watch(args, world);
    }
    let port = args.whole(&own::PORT, 1..=u16::MAX.into())?;
    let server = ServerAccess {
        host: args.value(&own::HOST)?.unwrap_or(HOST).to_owned(),
        port: port.and_then(|port| u16::try_from(port).ok()).unwrap_or(PORT),
        token: token(args, world)?,
    };
    let run = args.argument().map(str::to_owned);
    let device = args.value(&flags::DEVICE)?;
    let query = [("run", run.as_deref()), ("device", device)];
    let query = query.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let query: Vec<_> = query.map(|(key, value)| format!("{key}={}", percent_encoded(value))).collect();
    let path = format!("/page/steps?{}", query.join("&"));
    let view = if args.asks_for_json() { WatchView::json() } else { WatchView::text() };
    let exit = block_on(follow(&server, &EventQuery { path, run }, view, world))??;
    Ok(Answer::text("").exit(exit))
}

fn token(args: &Args, world: &World) -> Result<String, Failure> {
    let path = token_path(args, world)?;
    let read = || {
        let mut token = String::new();
        private::open(&path)?.take(MAX_TOKEN).read_to_string(&mut token)?;
        Ok::<_, std::io::Error>(token)
    };
    let token = read().map_err(|error| {
        Failure::new(ErrorCode::Unauthorized, format!("there is no token in {}: {error}", path.display()))
            .hint("Start clawperator serve, or name its file with --token-file.")
    })?;
    Ok(token.trim().to_owned())
}

/// Which events to show.
struct EventQuery {
    path: String,
    /// The run that is waited for.
    run: Option<String>,
}

async fn follow(
    server: &ServerAccess,
    query: &EventQuery,
    mut view: WatchView,
    world: &mut World,
) -> Result<u8, Failure> {
    let run = query.run.as_deref();
    let mut stream = server.open(&query.path).await?;
    let mut events = Events::default();
    let mut asked = pin!(asked_to_end()?);
    let mut ticks = interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    // A run that never gets its phone has no events, so it is asked for, too.
    let mut checks = interval(CHECK);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut piece = vec![0; PIECE];
    loop {
        let came = tokio::select! {
            biased;
            () = &mut asked => break,
            came = stream.read(&mut piece) => came,
            _ = checks.tick(), if run.is_some() => {
                let run = run.unwrap_or_default();
                let Some(status) = server.run_end(run).await? else { continue };
                clear(world);
                print(world, &format!("{run}: {status}\n"))?;
                return Ok(u8::from(status != "success"));
            }
            _ = ticks.tick(), if world.progress == Progress::Shown => {
                (world.note)(&view.now());
                continue;
            }
        };
        let count = came.map_err(|error| server.connection_failure(&error.to_string()))?;
        if count == 0 {
            return Err(server.connection_failure("the server ended"));
        }
        let came = events.feed(&piece[..count]);
        for data in came.map_err(|_| server.connection_failure("it sends an event that is too large"))? {
            // What a newer server adds is no event that we know.
            let Ok(event) = serde_json::from_str::<RunEvent>(&data) else {
                continue;
            };
            let lines = view.take(&event, &data);
            clear(world);
            print(world, &lines)?;
            if let Some(status) = view.last_end().filter(|_| run.is_some()) {
                return Ok(u8::from(status != "success"));
            }
        }
    }
    clear(world);
    Ok(0)
}

fn clear(world: &mut World) {
    if world.progress == Progress::Shown {
        (world.note)(CLEAR);
    }
}

fn print(world: &mut World, text: &str) -> Result<(), Failure> {
    (world.print)(text.as_bytes()).map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

impl ServerAccess {
    fn connection_failure(&self, why: &str) -> Failure {
        let (host, port) = (text::excerpt(&self.host), self.port);
        Failure::new(ErrorCode::ServeFailed, format!("no server answers on {host}:{port}: {why}"))
            .hint("Start one with clawperator serve, or name its --port.")
    }

    /// Asks for something; the stream is where the body begins.
    async fn open(&self, path: &str) -> Result<TcpStream, Failure> {
        let opening = async {
            let mut stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
            // In this version of HTTP a body ends with its connection.
            let request = format!(
                "GET {path} HTTP/1.0\r\nHost: {}:{}\r\nAuthorization: Bearer {}\r\n\r\n",
                self.host, self.port, self.token
            );
            stream.write_all(request.as_bytes()).await?;
            let head = head(&mut stream).await?;
            Ok::<_, std::io::Error>((stream, head))
        };
        let opened = timeout(ANSWER, opening).await;
        let (stream, head) = opened
            .map_err(|_| self.connection_failure("it does not answer"))?
            .map_err(|error| self.connection_failure(&error.to_string()))?;
        match head.split(' ').nth(1) {
            Some("200") => Ok(stream),
            Some("401") => {
                Err(Failure::of(ErrorCode::Unauthorized, "the server has another token than the file"))
            }
            Some("404") => Err(Failure::new(ErrorCode::RunNotFound, "the server knows no such run")
                .hint("clawperator watch without a run shows all of them; GET /runs lists them.")),
            _ => Err(self.connection_failure(head.lines().next().unwrap_or_default())),
        }
    }

    async fn run_end(&self, run: &str) -> Result<Option<String>, Failure> {
        let stream = self.open(&format!("/runs/{}", percent_encoded(run))).await?;
        let mut body = Vec::new();
        let read = timeout(ANSWER, stream.take(MAX_ANSWER).read_to_end(&mut body)).await;
        read.map_err(|_| self.connection_failure("it does not answer"))?
            .map_err(|error| self.connection_failure(&error.to_string()))?;
        let known: Value = serde_json::from_slice(&body).unwrap_or_default();
        let is_over = known["state"] == "ended";
        Ok(is_over.then(|| known["status"].as_str().unwrap_or("unknown").to_owned()))
    }
}

/// Reads the head of an answer, and nothing of its body.
async fn head(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < PIECE {
        head.push(stream.read_u8().await?);
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

fn percent_encoded(value: &str) -> String {
    value
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}
