//! A phone, and what can be asked of it. This is the only place that knows a
//! command of a phone's shell; it knows nothing about executions.

mod answer;
mod app;
mod capture;
mod command_line;
mod dispatch;
mod error;
mod facts;
mod fence;
mod file;
mod fingers;
mod foreground;
mod front;
mod guard;
mod input;
mod keyboard;
mod lane;
mod location;
mod log_stream;
mod operator;
mod reaction;
mod recordings;
mod resident;
mod screenshot;
mod script;
mod server;
#[cfg(test)]
#[cfg(unix)]
#[path = "../tests/unit/shell.rs"]
mod shell;
mod shell_command;
mod toast;
mod touch;
mod trial;
mod vitals;
mod windows;

pub use app::{AppLaunch, Launchable, PackageFilter};
pub use capture::{DumpWay, LookResult, LookTo, Views, may_be_locked};
pub use clawperator_events::CommandKind;
pub use command_line::CommandLine;
pub use dispatch::{Parcel, Receipt};
pub use error::{CaptureError, DispatchState, Objection, PhoneError, ResidentTrouble};
pub use fence::Fence;
pub use file::PutFile;
pub use fingers::InputLines;
pub use foreground::{Foreground, Lock};
pub use front::Front;
pub use guard::Precondition;
pub use input::{KeyCode, Typing, can_type_ascii};
pub use keyboard::{Keyboards, TypingKeyboard};
pub use lane::LaneReport;
pub use location::Coordinates;
pub use log_stream::LogStream;
pub use operator::{GrantResult, Grants, Operator, other_variant};
pub use resident::OnlyFocused;
pub(crate) use resident::SYSTEM_UI;
pub use server::{Holder, ServerFiles, ServerProcess, ServerState, StartError, Whose};
pub use shell_command::ShellRan;
pub use toast::SeenToasts;
pub use touch::{Finger, LONG_PRESS, SwipePath};
pub use trial::Trial;
pub use vitals::Vitals;

use crate::dark::Dark;
use crate::quote::Nul;
use answer::CommandAnswer;
use bytes::Bytes;
use clawperator_adb::{AdbError, Deadline, Device, ShellInput, ShellOutput};
use clawperator_events::{CommandEvent, Event, EventLog, TouchEvent, micros};
use clawperator_ui::Tree;
use futures_core::future::BoxFuture;
use script::Script;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

/// The most bytes of one command line. An adb server writes the length of a
/// request in four hexadecimal digits, and the request is more than the line.
pub const MAX_COMMAND: usize = 60_000;

/// A phone.
///
/// Every call takes a deadline, is one round trip unless it says otherwise, and
/// can be cancelled by dropping it.
#[derive(Debug)]
pub struct Phone {
    device: Device,
    serial: String,
    round_trips: AtomicU64,
    dumps_to_file: AtomicBool,
    looks: Mutex<capture::LookHistory>,
    /// The last tree of the phone's own command, and the number of its window.
    last_dump: Mutex<Option<(String, Tree)>>,
    lane: lane::LaneState,
    /// Whether the last command had no answer.
    silent: Arc<AtomicBool>,
    event_log: Mutex<Option<Arc<EventLog>>>,
    /// Until when it may be changed, if that is limited.
    fence: Mutex<Option<Arc<Fence>>>,
    /// What must not be seen of it.
    pub(crate) dark: Arc<Dark>,
}

impl Phone {
    /// What must not be seen of it.
    pub fn dark(&self) -> &Dark {
        &self.dark
    }

    /// A phone that is connected.
    pub fn new(device: Device, serial: impl Into<String>) -> Self {
        Self {
            device,
            serial: serial.into(),
            round_trips: AtomicU64::new(0),
            dumps_to_file: AtomicBool::new(false),
            looks: Mutex::default(),
            last_dump: Mutex::default(),
            lane: lane::LaneState::default(),
            silent: Arc::default(),
            event_log: Mutex::new(None),
            fence: Mutex::new(None),
            dark: Arc::default(),
        }
    }

    /// Hides the fields that took a secret, as far as the folder of all phones
    /// says, whichever process has typed it.
    pub fn remember_in(&self, phones: &Path) {
        self.dark.remember_in(phones, &self.serial);
    }

    /// Whether a field of this phone may hold a secret, so that a picture needs a
    /// look at where it is.
    pub fn may_show_secrets(&self) -> bool {
        self.dark.has_any()
    }

    /// Its name in adb.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// Tells whether the connection is still there, as far as this end knows.
    pub fn is_connected(&self) -> bool {
        match &self.device {
            Device::Direct(connection) => connection.over().is_none(),
            Device::Server { .. } => true,
        }
    }

    /// Notes that the phone did not do what it was asked for in time.
    pub fn falls_silent(&self) {
        self.silent.store(true, Ordering::Relaxed);
    }

    /// Whether the last command that was sent had no answer: the connection may
    /// lead nowhere, whatever this end knows.
    pub fn is_silent(&self) -> bool {
        self.silent.load(Ordering::Relaxed)
    }

    /// Asks the phone for a sign of life.
    pub async fn answer(&self, deadline: Deadline) -> Result<(), PhoneError> {
        self.ask(CommandKind::Vitals, "true", deadline).await.map(drop)
    }

    /// How many commands were sent so far.
    pub fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::Relaxed)
    }

    /// Notes every command and touch from now on there, or no longer.
    pub fn log_to(&self, event_log: Option<Arc<EventLog>>) {
        *self.event_log.lock().unwrap_or_else(PoisonError::into_inner) = event_log;
    }

    fn event_log(&self) -> Option<Arc<EventLog>> {
        self.event_log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes where a finger may have gone.
    fn touches(&self, touch: TouchEvent) {
        if let Some(log) = self.event_log() {
            log.record(&Event::Touch(touch));
        }
    }

    /// Runs a command line to its end.
    fn shell<'f>(
        &'f self,
        line: &'f CommandLine,
        deadline: Deadline,
    ) -> BoxFuture<'f, Result<CommandAnswer, PhoneError>> {
        Box::pin(async move {
            let fenced = self.fenced(line)?;
            let text = fenced.as_deref().unwrap_or(line.text());
            self.begin(text, deadline).await?;
            // A caller's own command may read its input to the end.
            let input = match line.kind() {
                CommandKind::Shell => ShellInput::Bytes(Bytes::new()),
                _ => ShellInput::Open,
            };
            let sending = self.device.shell(text, input, deadline);
            let summary = |output: &ShellOutput| PrintSummary {
                exit_code: output.exit_code,
                out_bytes: output.stdout.len(),
                err_bytes: output.stderr.len(),
            };
            let output = self.send(line, sending, summary).await?;
            if fenced.is_some() {
                fence::check_fence(&output.stdout)?;
            }
            Ok(CommandAnswer::new(line, &output, self.event_log()))
        })
    }

    /// Runs a command line that carries nothing secret to its end.
    async fn ask(
        &self,
        kind: CommandKind,
        line: impl Into<String>,
        deadline: Deadline,
    ) -> Result<CommandAnswer, PhoneError> {
        self.shell(&CommandLine::new(kind, line).without_secrets(), deadline).await
    }

    /// Runs a command that does something and says nothing, and carries nothing secret.
    async fn act(
        &self,
        kind: CommandKind,
        line: impl Into<String>,
        deadline: Deadline,
    ) -> Result<(), PhoneError> {
        self.ask(kind, line, deadline).await?.check_act().map(drop)
    }

    /// Runs a command line whose output is more than text and that carries nothing
    /// secret, to its end. It has a terminal, and no exit code.
    async fn exec(&self, line: CommandLine, deadline: Deadline) -> Result<Bytes, PhoneError> {
        let line = line.without_secrets();
        self.begin(line.text(), deadline).await?;
        let summary = |output: &Bytes| PrintSummary { out_bytes: output.len(), ..PrintSummary::default() };
        let sending = self.device.exec(line.text(), deadline);
        match Box::pin(self.send(&line, sending, summary)).await {
            Err(AdbError::NotOpened(_)) if !self.device.has_feature("shell_v2") => {
                let asked = self.ask(CommandKind::Vitals, "getprop ro.build.version.release", deadline).await;
                let release = asked.ok().map(|answer| answer.out.trim().to_owned());
                Err(PhoneError::TooOld(release.filter(|release| !release.is_empty())))
            }
            output => Ok(output?),
        }
    }

    /// Sends a command that has begun, and notes what came of it.
    async fn send<T, E: fmt::Display>(
        &self,
        line: &CommandLine,
        sending: impl Future<Output = Result<T, E>>,
        summary: impl FnOnce(&T) -> PrintSummary,
    ) -> Result<T, E> {
        self.acts(line.kind());
        let mut sent = Pending::new(self, line);
        let output = sending.await;
        self.acts(line.kind());
        sent.record_end(output.as_ref().map(summary).map_err(ToString::to_string));
        output
    }

    /// Finds out what can be known before anything is sent: such a command has
    /// not reached the phone for certain.
    fn begin<'f>(&'f self, line: &'f str, deadline: Deadline) -> BoxFuture<'f, Result<(), PhoneError>> {
        Box::pin(async move {
            if line.len() > MAX_COMMAND {
                return Err(PhoneError::TooLong { bytes: line.len(), most: MAX_COMMAND });
            }
            if let Device::Direct(connection) = &self.device
                && let Some(cause) = connection.over()
            {
                return Err(PhoneError::Lost { dispatched: DispatchState::No, cause });
            }
            // Something that is not done at once lets a deadline that has passed win.
            let pause = async {
                tokio::task::yield_now().await;
                Ok(())
            };
            if let Err(AdbError::TimedOut { after, .. }) = deadline.run("starting a command", pause).await {
                let dispatched = DispatchState::No;
                return Err(PhoneError::TimedOut { dispatched, after });
            }
            self.round_trips.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }
}

/// What a command printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintSummary {
    pub exit_code: Option<u8>,
    pub out_bytes: usize,
    pub err_bytes: usize,
}

/// A command that was sent and has not ended yet, for the event log. One that
/// is cancelled is recorded as well: it may have been done.
pub struct Pending {
    /// Whether the phone has left it without an answer; none once that is known.
    silent: Option<Arc<AtomicBool>>,
    event_log: Option<Arc<EventLog>>,
    kind: CommandKind,
    line: String,
    since: Instant,
}

impl Pending {
    /// A command that is about to be sent to a phone.
    pub fn new(phone: &Phone, line: &CommandLine) -> Self {
        let event_log = phone.event_log();
        let recorded = event_log.as_ref().map(|_| line.recorded());
        Self {
            silent: Some(phone.silent.clone()),
            event_log,
            kind: line.kind(),
            line: recorded.unwrap_or_default(),
            since: Instant::now(),
        }
    }

    /// Records what it printed, or why there is no answer.
    pub fn record_end(&mut self, with: Result<PrintSummary, String>) {
        if let Some(silent) = self.silent.take() {
            silent.store(with.is_err(), Ordering::Relaxed);
        }
        let Some(log) = self.event_log.take() else { return };
        let (printed, error) = match with {
            Ok(printed) => (printed, None),
            Err(error) => (PrintSummary::default(), Some(error)),
        };
        log.record(&Event::Command(CommandEvent {
            kind: Some(self.kind),
            line: std::mem::take(&mut self.line),
            took_us: micros(self.since.elapsed()),
            exit_code: printed.exit_code,
            out_bytes: printed.out_bytes,
            err_bytes: printed.err_bytes,
            error,
        }));
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.record_end(Err("cancelled before it finished".to_owned()));
    }
}

/// Asks several things at once, in this folder if it is there; each answer ends with a NUL, which
/// none of them prints.
fn in_parts<P: AsRef<str>>(folder: &str, parts: impl IntoIterator<Item = P>) -> Result<Script, Nul> {
    Script::of(&[script::PACKAGES, script::PARTS]).value("folder", folder)?.words(parts)
}
