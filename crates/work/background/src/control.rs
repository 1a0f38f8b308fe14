//! The control channel of a background process: a port of `127.0.0.1` where it
//! is asked things, one line of JSON each way. A caller proves with a token that
//! it can read the process's entry, which only its user can.

use crate::signals::asked_to_end;
use futures_core::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;

/// How long a connection may take to ask and to show its token: one without a
/// token must not hold a place for longer.
const KNOCK_TIME: Duration = Duration::from_millis(1500);
/// How long one question and its answer may take.
pub const CONTROL_TIME: Duration = Duration::from_secs(5);
/// How long to wait after a connection could not be accepted.
const AGAIN: Duration = Duration::from_millis(50);
/// How long an ending process goes on with the answers it has begun.
const LAST_ANSWERS_TIME: Duration = Duration::from_millis(500);
/// The largest question: the names of all phones of a process are far less.
const MAX_REQUEST: u64 = 1 << 16;
/// The largest answer: a picture in base64.
const MAX_ANSWER: usize = 64 << 20;
/// The most questions at a time.
const MAX_ASKING: usize = 16;
/// The most connections at a time, most of which have not asked yet.
const MAX_CONNECTIONS: usize = 256;

/// Where a process is asked: a part of its entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// Never zero: a signal to 0 goes to the sender's whole process group.
    pub pid: NonZeroU32,
    pub control: u16,
    /// What a caller must show.
    pub token: String,
}

/// A question, and the proof that it may be asked.
#[derive(Debug, Deserialize)]
struct Letter {
    token: String,
    ask: Value,
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ControlReply {
    Ok(Value),
    /// Why it cannot be had.
    Error(String),
}

/// What a process answers.
type Answers = Arc<dyn Fn(Value) -> Result<Value, String> + Send + Sync>;
/// What a process is asked that can only be asked to end.
const END: &str = "end";

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum ControlError {
    #[error("has ended")]
    Gone,
    /// The connection ended before the answer did.
    #[error("broke off")]
    BrokeOff,
    /// It does not answer in time, or not as it should.
    #[error("{0}")]
    Silent(&'static str),
    #[error("has ended, and something else listens there")]
    Stranger,
    /// It answered that it cannot.
    #[error("{0}")]
    Refused(String),
}

/// The side that answers, and hears the signals that ask the process to end.
pub struct ControlDesk {
    listener: TcpListener,
    signal: BoxFuture<'static, ()>,
    pub address: Address,
}

impl ControlDesk {
    /// Opens the channel of this process, for who shows this number. To be called inside a runtime.
    pub fn open(secret: u128) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let address = Address {
            pid: NonZeroU32::new(std::process::id()).ok_or(io::ErrorKind::Unsupported)?,
            control: listener.local_addr()?.port(),
            token: format!("{secret:032x}"),
        };
        // Before any process knows of this one, so that no signal comes too early.
        let signal = Box::pin(asked_to_end()?);
        Ok(Self { listener, signal, address })
    }

    /// Answers until `closed` or a signal, then ends what was begun. An answer may
    /// take a while: others are answered meanwhile.
    pub async fn serve(
        mut self,
        answer: impl Fn(Value) -> Result<Value, String> + Send + Sync + 'static,
        closed: impl Future<Output = ()>,
    ) {
        let (token, answer): (_, Answers) = (Arc::new(self.address.token), Arc::new(answer));
        let places = Arc::new(Semaphore::new(MAX_ASKING));
        let mut asking = JoinSet::new();
        tokio::pin!(closed);
        loop {
            tokio::select! {
                () = &mut closed => break,
                () = &mut self.signal => break,
                accepted = self.listener.accept(), if asking.len() < MAX_CONNECTIONS => match accepted {
                    Ok((socket, _)) => {
                        let (token, answer, places) = (token.clone(), answer.clone(), places.clone());
                        asking.spawn(async move {
                            let attended = attend(socket, &token, answer, &places);
                            // A caller that is too slow, or leaves, has no answer to lose.
                            let _ = tokio::time::timeout(CONTROL_TIME, attended).await;
                        });
                    }
                    // Too many open files, for example.
                    Err(_) => tokio::time::sleep(AGAIN).await,
                },
                Some(_) = asking.join_next() => {}
            }
        }
        drop(self.listener);
        // A caller that asked in time gets the answer.
        let answered = async { while asking.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST_ANSWERS_TIME, answered).await;
    }

    /// Waits until a caller or a signal asks this process to end.
    pub async fn asked_to_end(self) {
        let end = Arc::new(Notify::new());
        let asked = Arc::clone(&end);
        let answer = move |order: Value| {
            if order != END {
                return Err("not a question".to_owned());
            }
            asked.notify_one();
            Ok(json!({}))
        };
        self.serve(answer, end.notified()).await;
    }
}

async fn attend(
    mut socket: tokio::net::TcpStream,
    token: &str,
    answer: Answers,
    places: &Semaphore,
) -> io::Result<()> {
    let (reader, mut writer) = socket.split();
    let mut line = Vec::new();
    let mut reader = BufReader::new(reader.take(MAX_REQUEST));
    tokio::time::timeout(KNOCK_TIME, reader.read_until(b'\n', &mut line)).await??;
    let reply = match serde_json::from_slice::<Letter>(&line) {
        Err(error) => ControlReply::Error(format!("not a question: {error}")),
        Ok(letter) if !is_token(token, &letter.token) => ControlReply::Error("the token is wrong".to_owned()),
        Ok(letter) => {
            // Only who knows the token takes one of the few places.
            let _place = places.acquire().await.map_err(io::Error::other)?;
            match tokio::task::spawn_blocking(move || answer(letter.ask)).await {
                Ok(Ok(value)) => ControlReply::Ok(value),
                Ok(Err(why)) => ControlReply::Error(why),
                Err(_) => ControlReply::Error("the process broke down over this question".to_owned()),
            }
        }
    };
    writer.write_all(format!("{}\n", json!(reply)).as_bytes()).await?;
    writer.shutdown().await
}

/// Tells whether a token is ours. It compares every byte, so that the time it
/// takes says nothing about where they differ.
fn is_token(ours: &str, theirs: &str) -> bool {
    let (ours, theirs) = (ours.as_bytes(), theirs.as_bytes());
    let differences = ours.iter().zip(theirs).fold(0, |sum, (a, b)| sum | (a ^ b));
    ours.len() == theirs.len() && differences == 0
}

impl Address {
    /// Asks the process to end. Without an answer it may be ending already, so
    /// its lock says whether it does.
    pub fn ask_to_end(&self) -> bool {
        self.ask::<Value>(&END, CONTROL_TIME).is_ok()
    }

    /// Asks one thing, and waits no longer than this for the answer.
    pub fn ask<T: DeserializeOwned>(&self, ask: &impl Serialize, time: Duration) -> Result<T, ControlError> {
        let since = Instant::now();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.control));
        let socket = TcpStream::connect_timeout(&address, at_least(time));
        let socket = socket.map_err(|error| match error.kind() {
            io::ErrorKind::ConnectionRefused => ControlError::Gone,
            io::ErrorKind::ConnectionReset => ControlError::BrokeOff,
            _ => ControlError::Silent("cannot be reached"),
        })?;
        let letter = json!({"token": self.token, "ask": ask}).to_string();
        let left = || time.saturating_sub(since.elapsed());
        let line = exchange(socket, &letter, left).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                ControlError::Silent("does not answer in time")
            }
            _ => ControlError::BrokeOff,
        })?;
        if line.is_empty() {
            return Err(ControlError::BrokeOff);
        }
        match serde_json::from_slice(&line).map_err(|_| ControlError::Stranger)? {
            ControlReply::Ok(value) => serde_json::from_value(value).map_err(|_| ControlError::Stranger),
            ControlReply::Error(why) => Err(ControlError::Refused(why)),
        }
    }
}

/// Sends a line and reads the line that answers it.
fn exchange(mut socket: TcpStream, line: &str, left: impl Fn() -> Duration) -> io::Result<Vec<u8>> {
    socket.set_write_timeout(Some(at_least(left())))?;
    socket.write_all(line.as_bytes())?;
    socket.write_all(b"\n")?;
    let mut answer = Vec::new();
    let mut chunk = [0; 1 << 16];
    while !answer.ends_with(b"\n") && answer.len() < MAX_ANSWER {
        socket.set_read_timeout(Some(at_least(left())))?;
        match socket.read(&mut chunk)? {
            0 => break,
            count => answer.extend_from_slice(&chunk[..count]),
        }
    }
    Ok(answer)
}

/// A timeout of zero would mean none at all.
fn at_least(time: Duration) -> Duration {
    time.max(Duration::from_millis(1))
}
