//! The journal of a run of a skill: who ran, its checkpoints, and how it ended.
//! What its executions did is in their own journals, which name the run.
//! Recording never fails a run; ask for [`SkillLog::problem`] afterwards.

use crate::Folder;
use clawperator_events::{
    Checkpoint, Event, FORMAT, Journals as _, Removed, RunJournal, SkillBegin, SkillEnd, cut, micros,
};
use clawperator_redact::Secrets;
use std::io;
use tokio::time::Instant;

/// What the journal of a skill's run is made of.
#[derive(Debug)]
pub struct SkillLogSetup<'s> {
    /// The folder in which it gets its journal.
    pub folder: &'s Folder,
    pub version: &'static str,
    pub skill_run: &'s str,
    pub skill_id: &'s str,
    /// The phone, if the caller named one.
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
        let mut log = Self {
            began: Instant::now(),
            writer: None,
            problem: None,
            secrets: setup.secrets,
        };
        let mut removed = Removed::default();
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
        let checkpoint = Checkpoint {
            id: shown(id),
            status: status.to_owned(),
            note: note.map(shown),
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{SkillRun, skill_page, skill_text, status};
    use crate::{JournalPath, Judgement, StoredJournal};
    use clawperator_events::{Clock, EventLog, LogSetup, Pictures, Redactions, RunPlace};
    use std::path::PathBuf;

    /// A temporary folder that is removed after the test.
    struct Temp(PathBuf);

    impl Temp {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("clawperator-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            Self(folder)
        }

        fn folder(&self) -> Folder {
            Folder::new(&self.0)
        }

        fn begin(&self, now_ms: u64) -> SkillLog {
            let mut secrets = Secrets::default();
            secrets.add("hunter2");
            SkillLog::begin(SkillLogSetup {
                folder: &self.folder(),
                version: "0.0.0",
                skill_run: "skill-7",
                skill_id: "com.ex.echo",
                device: Some("phone-1"),
                now_ms,
                secrets,
            })
        }

        fn execute(&self, command_id: &str, now_ms: u64, skill_run: Option<&str>) {
            let payload = format!(
                r#"{{"commandId":"{command_id}","taskId":"t","source":"test","expectedFormat":"android-ui-automator","timeoutMs":30000,"actions":[{{"id":"s","type":"sleep","params":{{"durationMs":1}}}}]}}"#
            );
            let checked = clawperator_contract::accept(payload.as_bytes()).unwrap();
            let log = EventLog::new(LogSetup {
                version: "0.0.0",
                clock: Clock::new(move || now_ms),
                pictures: Pictures::Left,
                journal: Some(Box::new(self.folder())),
                skill_run: skill_run.map(str::to_owned),
                redactions: Redactions::default(),
                subscribers: None,
            });
            log.begin(
                &checked.execution,
                &RunPlace {
                    device: "phone-1",
                    ..RunPlace::default()
                },
            );
            log.step_begin(
                0,
                &checked.execution.actions()[0],
                clawperator_events::StepRunner::Host,
            );
        }

        fn run(&self) -> SkillRun {
            let found: JournalPath = self.folder().find("skill-7").unwrap();
            SkillRun::of(StoredJournal::open(&found).unwrap(), &self.folder()).unwrap()
        }
    }

    impl Drop for Temp {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_run_of_a_skill_is_whole_and_has_its_executions() {
        let temp = Temp::new("skill-log");
        temp.execute("before", 1, Some("skill-7"));
        let mut log = temp.begin(5);
        temp.execute("first", 5, Some("skill-7"));
        temp.execute("of nobody", 6, None);
        temp.execute("of another", 7, Some("skill-8"));
        temp.execute("second", 8, Some("skill-7"));
        log.checkpoint("opened <b>", "ok", Some("typed hunter2"));
        log.end(SkillOutcome::Failed {
            code: "SKILL_EXECUTION_FAILED",
            message: "hunter2 is wrong",
        });
        assert_eq!(log.problem(), None);
        let run = temp.run();
        assert!(matches!(run.journal.judgement(), Judgement::Whole { .. }));
        let ids: Vec<&str> = run
            .executions
            .iter()
            .filter_map(|kept| Some(kept.start()?.id))
            .collect();
        assert_eq!(ids, ["first", "second"]);
        assert_eq!(status(&run.journal), "failed");
        let stored = String::from_utf8_lossy(&run.journal.text).into_owned();
        let (page, text) = (skill_page(&run), skill_text(&run));
        for shown in [&stored, &page, &text] {
            assert!(!shown.contains("hunter2"), "{shown}");
            assert!(shown.contains("SKILL_EXECUTION_FAILED"), "{shown}");
        }
        assert!(page.contains("opened &lt;b&gt;") && !page.contains("opened <b>"));
        // Steps are counted through, so that each has a place of its own.
        for place in [
            "id=\"step-0\"",
            "id=\"step-1\"",
            "id=\"execution-2\"",
            "id=\"steps\"",
        ] {
            assert_eq!(page.matches(place).count(), 1, "{place}");
        }
        assert!(
            text.contains("2 executions") && text.contains("checkpoint opened <b>: ok"),
            "{text}"
        );
    }

    #[test]
    fn a_run_that_was_killed_is_cut_off_and_still_shown() {
        let temp = Temp::new("skill-killed");
        drop(temp.begin(5));
        temp.execute("first", 6, Some("skill-7"));
        let run = temp.run();
        assert_eq!(status(&run.journal), "cut off");
        assert!(skill_page(&run).contains("The journal is cut off."));
        assert!(skill_text(&run).contains("first on phone-1"));
    }
}
