//! The journal of a run of a skill: who ran, its checkpoints, and how it ended.
//! What its executions did is in their own journals, which name the run.
//! Recording never fails a run; ask for [`SkillLog::problem`] afterwards.

use crate::JournalFolder;
use clawperator_events::{
    CheckpointEvent, Event, FORMAT, Journals as _, RemovedJournals, RunJournal, SkillBegin, SkillEnd, cut,
    micros,
};
use clawperator_redact::Secrets;
use std::io;
use tokio::time::Instant;

/// What the journal of a skill's run is made of.
#[derive(Debug)]
pub struct SkillLogSetup<'s> {
    pub folder: &'s JournalFolder,
    pub version: &'static str,
    pub skill_run: &'s str,
    pub skill_id: &'s str,
    pub device: Option<&'s str>,
    /// When it begins, in milliseconds since 1970.
    pub now_ms: u64,
    /// What the skill was given: it is hidden in all that is recorded.
    pub secrets: Secrets,
}

/// How a run of a skill ended.
#[derive(Clone, Copy, Debug)]
pub enum SkillOutcome<'o> {
    Success,
    Failed { code: &'o str, message: &'o str },
}

/// The journal of a skill's run.
#[derive(Debug)]
pub struct SkillLog {
    began: Instant,
    writer: Option<Box<dyn RunJournal>>,
    problem: Option<String>,
    secrets: Secrets,
}

impl SkillLog {
    /// Begins it.
    pub fn begin(setup: SkillLogSetup<'_>) -> Self {
        let mut log = Self { began: Instant::now(), writer: None, problem: None, secrets: setup.secrets };
        let mut removed = RemovedJournals::default();
        match setup.folder.begin(setup.skill_run, setup.now_ms) {
            Ok((writer, gone)) => (log.writer, removed) = (Some(writer), gone),
            Err(error) => log.give_up(&error),
        }
        log.record(&Event::SkillBegin(Box::new(SkillBegin {
            format: FORMAT,
            version: setup.version.to_owned(),
            skill_run: setup.skill_run.to_owned(),
            skill_id: setup.skill_id.to_owned(),
            device: setup.device.map(str::to_owned),
            started_ms: setup.now_ms,
            removed,
        })));
        log
    }

    /// Records a checkpoint.
    pub fn checkpoint(&mut self, id: &str, status: &str, note: Option<&str>) {
        let shown = |text: &str| cut(self.secrets.hide(text));
        let checkpoint = CheckpointEvent { id: shown(id), status: status.to_owned(), note: note.map(shown) };
        self.record(&Event::Checkpoint(checkpoint));
    }

    /// Records the end.
    pub fn end(&mut self, outcome: SkillOutcome<'_>) {
        let (status, code, message) = match outcome {
            SkillOutcome::Success => ("success", None, None),
            SkillOutcome::Failed { code, message } => ("failed", Some(code), Some(message)),
        };
        let end = SkillEnd {
            status: status.to_owned(),
            code: code.map(str::to_owned),
            message: message.map(|message| cut(self.secrets.hide(message))),
            took_us: micros(self.began.elapsed()),
            lines: self.writer.as_ref().map_or(0, |writer| writer.lines()) + 1,
        };
        self.record(&Event::SkillEnd(end));
    }

    /// What went wrong with the journal, if something did.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    fn record(&mut self, event: &Event) {
        let at_us = micros(self.began.elapsed());
        let written = self.writer.as_mut().map(|writer| writer.record(at_us, event));
        if let Some(Err(error)) = written {
            self.give_up(&error);
        }
    }

    fn give_up(&mut self, error: &io::Error) {
        self.writer = None;
        self.problem.get_or_insert_with(|| error.to_string());
    }
}
