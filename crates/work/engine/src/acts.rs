//! The journal of what is done to a leased phone act by act.

use crate::engine::{Engine, Inner};
use crate::request::Journal;
use clawperator_contract::ErrorCode;
use clawperator_events::{Clock, EventLog, Journals, LogSetup, Pictures, Redactions, Subscribers};
use clawperator_journal::Folder;
use clawperator_phone::PhoneLease;
use std::sync::Arc;

/// The log of acts under way. Acts whose log is dropped were cancelled, and it
/// says so.
#[derive(Debug)]
pub struct ActLog(Arc<EventLog>);

impl Engine {
    /// Notes from now on what is done to a phone, under a name, until the phone is
    /// let go of.
    pub fn begin_acts(&self, lease: &mut PhoneLease, journal: Journal, name: &str) -> ActLog {
        let subscribers = Subscribers {
            run_id: name.to_owned(),
            streams: vec![self.0.events.clone()],
            tap: None,
        };
        let log = Arc::new(EventLog::new(self.0.log_setup(journal, subscribers)));
        log.begin_acts(name, "agent", lease.phone().serial());
        lease.log_to(log.clone());
        ActLog(log)
    }
}

impl ActLog {
    /// The log.
    pub fn log(&self) -> &Arc<EventLog> {
        &self.0
    }

    /// Records that the acts are over, and how: the error is a code and a message.
    pub fn end(&self, outcome: Result<(), (&str, &str)>) {
        self.0.end_acts(outcome);
    }
}

impl Drop for ActLog {
    fn drop(&mut self) {
        let code = ErrorCode::ExecutionCancelled.name();
        self.end(Err((code, "cancelled before it finished")));
    }
}

impl Inner {
    /// What every log of this engine is made of.
    pub(crate) fn log_setup(&self, journal: Journal, subscribers: Subscribers) -> LogSetup {
        let settings = &self.settings;
        let journals: Box<dyn Journals> = Box::new(Folder::new(settings.state.join("journal")));
        let (journal, pictures) = match journal {
            Journal::On(pictures) => (Some(journals), pictures),
            Journal::Off => (None, Pictures::Left),
        };
        let clock = settings.clock.clone();
        LogSetup {
            version: settings.version,
            clock: Clock::new(move || clock.now_ms()),
            pictures,
            journal,
            skill_run: None,
            redactions: Redactions::default(),
            subscribers: Some(subscribers),
        }
    }
}
