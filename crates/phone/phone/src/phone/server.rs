//! The resident server on a phone: its file, its process, and what is in its way. It runs in the
//! background, so it outlives our connection; a small script beside it ends it when it is idle.

mod state;

pub use state::{Holder, ServerProcess, ServerState};
pub(super) use state::{is_trusted, listener};

use super::script::{LANE, SERVER, Script};
use super::{CommandKind, Phone, PhoneError, in_parts};
use crate::resident::jar::Jar;
use bytes::{Bytes, BytesMut};
use clawperator_adb::{AdbError, Deadline, FileTarget, Transfer};
use futures_core::future::BoxFuture;
use state::PARTS;
use std::time::Duration;
use tokio::time::sleep;

/// Where everything of it is on the phone.
const FOLDER: &str = "/data/local/tmp/clawperator-lane";
/// The words of a phone whose UiAutomation slot is taken.
const SLOT_TAKEN: &str = "already registered";
/// How often it is looked whether the server has come or gone.
const PERIOD: Duration = Duration::from_millis(100);
const SERVICE: &str = "tcp:9008";
const PING: &[u8] = b"GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const PONG: &[u8] = b"\r\n\r\npong";
const MAX_ANSWER: usize = 4096;
/// How much of what the server printed is repeated.
const EXCERPT: usize = 300;

/// What is put on a phone.
#[derive(Clone, Copy, Debug)]
pub struct ServerFiles<'f> {
    pub jar: &'f Jar,
    /// After how many minutes without use it ends by itself.
    pub idle_minutes: u32,
}

/// Why the server does not run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StartError {
    /// Something else holds the phone's one UiAutomation slot.
    #[error("another program holds the phone's UiAutomation slot, of which there is one")]
    SlotTaken,
    /// It ended at once; this is what it printed.
    #[error("the server ended at once: {0}")]
    Ended(String),
    #[error("the server did not answer within {} ms", .0.as_millis())]
    Silent(Duration),
    #[error(transparent)]
    Phone(#[from] PhoneError),
}

/// Whose server is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The one that we started.
    Ours,
    Any,
}

impl Phone {
    /// Puts the server's file and script on the phone, unless they are there.
    /// Up to four round trips. `progress` hears how many bytes have gone.
    pub async fn push_server(
        &self,
        files: ServerFiles<'_>,
        deadline: Deadline,
        progress: impl FnMut(u64),
    ) -> Result<(), PhoneError> {
        let line = format!("mkdir -p {FOLDER} && chmod 700 {FOLDER}");
        self.act_on_server(&line, deadline).await?;
        let silent = Transfer { deadline, progress: |_| () };
        let minutes = files.idle_minutes.to_string();
        let script = Script::of(&[SERVER]).value("folder", FOLDER)?.value("minutes", &minutes)?.text();
        self.push_into_folder("server.sh", script.as_bytes(), silent).await?;
        if self.server_state(deadline).await?.jar.as_deref() == Some(files.jar.sha256()) {
            return Ok(());
        }
        self.push_into_folder("u2.jar", files.jar.bytes(), Transfer { deadline, progress }).await
    }

    async fn push_into_folder(
        &self,
        name: &str,
        bytes: &[u8],
        transfer: Transfer<impl FnMut(u64)>,
    ) -> Result<(), PhoneError> {
        let target = FileTarget { path: &format!("{FOLDER}/{name}"), permissions: 0o644, modified: 0 };
        self.device.push(bytes, target, transfer).await?;
        Ok(())
    }

    /// Starts the server whose file is on the phone, and waits until it listens.
    pub fn start_server(&self, deadline: Deadline) -> BoxFuture<'_, Result<(), StartError>> {
        Box::pin(async move {
            // A script whose server is gone sleeps on for a while.
            let before = self.server_state(deadline).await?;
            self.act_on_server(&end_of(&before, Whose::Ours, "start")?.text(), deadline).await?;
            let given = deadline.left();
            loop {
                if self.server_answers(deadline).await? {
                    return Ok(());
                }
                let state = self.server_state(deadline).await?;
                // It has begun, and is gone.
                if state.ours.is_none() && !state.printed.is_empty() {
                    return Err(end_reason(&state.printed));
                }
                if deadline.left() <= PERIOD {
                    return Err(StartError::Silent(given));
                }
                sleep(PERIOD).await;
            }
        })
    }

    /// Tells whether something at the server's port answers as the server does.
    pub fn server_answers(&self, deadline: Deadline) -> BoxFuture<'_, Result<bool, PhoneError>> {
        Box::pin(async move {
            let asked = async {
                let mut stream = self.device.open(SERVICE, deadline).await?;
                let (mut reader, mut writer) = stream.split();
                writer.send(Bytes::from_static(PING)).await?;
                let mut answer = BytesMut::new();
                while let Some(more) = reader.receive().await? {
                    answer.extend_from_slice(&more);
                    if answer.ends_with(PONG) || answer.len() > MAX_ANSWER {
                        break;
                    }
                }
                Ok(answer.ends_with(PONG))
            };
            match deadline.run("asking the resident server", asked).await {
                Ok(answers) => Ok(answers),
                // Nothing listens there, or not yet.
                Err(AdbError::NotOpened(_) | AdbError::Refusal(_) | AdbError::Closed | AdbError::Io(_)) => {
                    Ok(false)
                }
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Ends the server, and waits until it is gone. Whether there was one.
    pub fn stop_server(&self, whose: Whose, deadline: Deadline) -> BoxFuture<'_, Result<bool, PhoneError>> {
        Box::pin(async move {
            let before = self.server_state(deadline).await?;
            self.act_on_server(&end_of(&before, whose, "stop")?.text(), deadline).await?;
            let ended: Vec<u32> = before.servers(whose).collect();
            loop {
                let state = self.server_state(deadline).await?;
                if state.scripts.is_empty() && !ended.iter().any(|pid| state.has(*pid)) {
                    return Ok(!ended.is_empty());
                }
                sleep(PERIOD).await;
            }
        })
    }

    /// Ends our server and removes all of it from the phone.
    pub fn remove_server(&self, deadline: Deadline) -> BoxFuture<'_, Result<(), PhoneError>> {
        Box::pin(async move {
            self.stop_server(Whose::Ours, deadline).await?;
            self.act_on_server(&format!("rm -rf {FOLDER} && ! ls {FOLDER} 2>/dev/null"), deadline).await
        })
    }

    /// Asks whether the server runs, whose it is, and who else could hold what it needs.
    ///
    /// # Errors
    /// [`PhoneError::Unreadable`] if the answer does not fit the question, or
    /// what broke.
    pub fn server_state(&self, deadline: Deadline) -> BoxFuture<'_, Result<ServerState, PhoneError>> {
        Box::pin(async move {
            let line = in_parts(FOLDER, PARTS)?.line(CommandKind::ServerState).without_secrets();
            let answer = self.shell(&line, deadline).await?;
            let values: Vec<_> = answer.out.split('\0').collect();
            ServerState::parse(&values).ok_or_else(|| answer.unreadable())
        })
    }

    async fn act_on_server(&self, line: &str, deadline: Deadline) -> Result<(), PhoneError> {
        self.act(CommandKind::Server, line, deadline).await
    }
}

/// Ends the servers and our scripts, and then starts a server or takes its marks.
fn end_of(state: &ServerState, whose: Whose, then: &str) -> Result<Script, PhoneError> {
    let processes = state.scripts.iter().copied().chain(state.servers(whose));
    let script = Script::of(&[LANE]).value("folder", FOLDER)?.value("then", then)?;
    Ok(script.words(processes.map(|pid| pid.to_string()))?)
}

/// Why a server that has printed this is gone.
fn end_reason(printed: &str) -> StartError {
    if printed.contains(SLOT_TAKEN) {
        return StartError::SlotTaken;
    }
    StartError::Ended(printed.chars().take(EXCERPT).collect())
}
