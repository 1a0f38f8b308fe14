//! The log: one line of JSON for each event, in a file per day.
//!
//! It never has what was typed, read or sent: only names, codes and times. It never fails a
//! command: a log that cannot be written is reported once and then left alone.

mod file;

use crate::environment::Environment;
use crate::phones::word_choice;
use clawperator_contract::{Failure, words};
use clawperator_journal::iso_time;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The longest text of one key, in characters.
const MAX_TEXT: usize = 300;

words! {
    /// How important an event is.
    #[derive(Default)]
    pub(crate) Level {
        Debug = "debug",
        #[default]
        Info = "info",
        Warn = "warn",
        Error = "error",
    }
}

/// One event.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogEvent {
    pub(crate) level: Level,
    pub(crate) event: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) device_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<u8>,
}

impl LogEvent {
    pub(crate) fn new(level: Level, event: &'static str, message: impl Into<String>) -> Self {
        Self { level, event, message: message.into(), ..Self::default() }
    }

    /// The event with every text cut to the longest.
    fn cut(mut self) -> Self {
        let texts = [
            Some(&mut self.message),
            self.command_id.as_mut(),
            self.task_id.as_mut(),
            self.device_id.as_mut(),
        ];
        for text in texts.into_iter().flatten() {
            if let Some((at, _)) = text.char_indices().nth(MAX_TEXT) {
                text.truncate(at);
            }
        }
        self
    }
}

/// A line of the file.
#[derive(Serialize)]
struct LogRecord {
    ts: String,
    #[serde(flatten)]
    event: LogEvent,
}

/// Whether events are printed on standard error, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Echo {
    On,
    Off,
}

/// Where the log is, and what is written to it.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// None if there is no place for it.
    folder: Option<PathBuf>,
    /// What is less important is not written.
    pub(super) level: Level,
    /// Whether it is printed on standard error, too.
    pub(super) echo: Echo,
    /// When the process began, since 1970 and on this computer's clock.
    began: (u64, Instant),
    /// Nothing more is written after a failure, by any clone.
    broken: Arc<AtomicBool>,
}

impl Log {
    /// The log that the environment asks for; `state` is the state folder.
    ///
    /// # Errors
    /// `USAGE` if the level is not one of ours.
    pub(crate) fn from_environment(
        environment: Environment<'_>,
        state: &Path,
        now_ms: u64,
    ) -> Result<Self, Failure> {
        let folder = match environment.path("CLAWPERATOR_LOG_DIR") {
            Some(named) => match (named.strip_prefix("~"), environment.path("HOME")) {
                (Ok(rest), Some(home)) => Some(home.join(rest)),
                _ => Some(named),
            },
            // Without a home there is no folder of ours.
            None => Some(state.join("logs")).filter(|folder| folder.is_absolute()),
        };
        let level = word_choice(environment, "CLAWPERATOR_LOG_LEVEL", Level::WORDS, Level::from_any_case)?;
        Ok(Self { folder, level, echo: Echo::Off, began: (now_ms, Instant::now()), broken: Arc::default() })
    }

    /// Writes an event that is important enough; `note` prints on standard error.
    pub(crate) fn add(&mut self, event: LogEvent, note: &mut dyn FnMut(&str)) {
        if event.level < self.level {
            return;
        }
        let line = self.line(event);
        if let (Ok(line), Echo::On) = (&line, self.echo) {
            note(line);
        }
        if let Err(error) = line.and_then(|line| self.write(&line)) {
            self.broken.store(true, Ordering::Relaxed);
            let folder = self.folder.clone().unwrap_or_default();
            note(&format!("[clawperator] WARN: cannot write the log in {}: {error}\n", folder.display()));
        }
    }

    fn now_ms(&self) -> u64 {
        let (then, since) = self.began;
        then.saturating_add(u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// The file of today, in UTC.
    pub(crate) fn today(&self) -> Option<PathBuf> {
        let date = &iso_time(self.now_ms())[..10];
        Some(self.folder.as_ref()?.join(file::name(date)))
    }

    /// An event as a line of the file.
    fn line(&self, event: LogEvent) -> io::Result<String> {
        let mut line = serde_json::to_string(&LogRecord { ts: iso_time(self.now_ms()), event: event.cut() })?;
        line.push('\n');
        Ok(line)
    }

    fn write(&self, line: &str) -> io::Result<()> {
        match self.today() {
            Some(path) if !self.broken.load(Ordering::Relaxed) => file::append(&path, line.as_bytes()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::file::{MAX_FILE, MAX_FILES};
    use super::*;
    use clawperator_contract::ErrorCode;
    use std::fs;

    #[test]
    fn a_log_stays_small() {
        let folder = std::env::temp_dir().join(format!("clawperator-log-{}", std::process::id()));
        let at = |day: u64| {
            let variable = |name: &str| (name == "CLAWPERATOR_LOG_DIR").then(|| folder.clone().into());
            Log::from_environment(Environment(&variable), Path::new("/"), day * 86_400_000).unwrap()
        };
        let event = || LogEvent::new(Level::Info, "test", "é".repeat(1_000));
        for day in 0..30 {
            let log = at(20_000 + day);
            log.write(&log.line(event()).unwrap()).unwrap();
        }
        let count = || fs::read_dir(&folder).unwrap().count();
        assert_eq!(count(), MAX_FILES);
        let log = at(20_029);
        let path = log.today().unwrap();
        fs::write(&path, vec![b'\n'; usize::try_from(MAX_FILE).unwrap() + 1]).unwrap();
        log.write(&log.line(event()).unwrap()).unwrap();
        let line = fs::read_to_string(&path).unwrap();
        assert!(line.len() < 1_000 && line.lines().count() == 1, "{line}");
        assert!(path.with_extension("old.log").exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_unknown_level_is_refused() {
        let loud = |name: &str| (name == "CLAWPERATOR_LOG_LEVEL").then(|| "loud".into());
        let refused = Log::from_environment(Environment(&loud), Path::new("/x"), 0).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Usage);
        assert_eq!(
            refused.message,
            "CLAWPERATOR_LOG_LEVEL must be one of: debug, info, warn, error; not \"loud\""
        );
    }

    #[test]
    fn without_a_home_nothing_is_written() {
        let log = Log::from_environment(Environment(&|_| None), Path::new(".clawperator"), 0).unwrap();
        assert_eq!(log.today(), None);
        let home = |name: &str| match name {
            "HOME" => Some("/home/me".into()),
            "CLAWPERATOR_LOG_DIR" => Some("~/logs".into()),
            "CLAWPERATOR_LOG_LEVEL" => Some("Warn".into()),
            _ => None,
        };
        let log = Log::from_environment(Environment(&home), Path::new("/x"), 0).unwrap();
        let wanted = Path::new("/home/me/logs/clawperator-1970-01-01.log");
        assert_eq!(log.today().as_deref(), Some(wanted));
        assert_eq!(log.level, Level::Warn);
    }
}
