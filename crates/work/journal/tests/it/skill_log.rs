//! The journal of a run of a skill, and the page that is made of it.

use crate::temp::Temp;
use clawperator_events::{Clock, EventLog, LogSetup, Pictures, Redactions, RunPlace};
use clawperator_journal::report::{SkillRun, skill_page, skill_text, status};
use clawperator_journal::{JournalPath, Judgement, SkillLog, SkillLogSetup, SkillOutcome, StoredJournal};
use clawperator_redact::Secrets;

impl Temp {
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
        log.begin(&checked.execution, &RunPlace { device: "phone-1", ..RunPlace::default() });
        log.step_begin(0, &checked.execution.actions()[0], clawperator_events::StepRunner::Host);
    }

    fn run(&self) -> SkillRun {
        let found: JournalPath = self.folder().find("skill-7").unwrap();
        SkillRun::of(StoredJournal::open(&found).unwrap(), &self.folder()).unwrap()
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
    log.end(SkillOutcome::Failed { code: "SKILL_EXECUTION_FAILED", message: "hunter2 is wrong" });
    assert_eq!(log.problem(), None);
    let run = temp.run();
    assert!(matches!(run.journal.judgement(), Judgement::Whole { .. }));
    let ids: Vec<&str> = run.executions.iter().filter_map(|kept| Some(kept.start()?.id)).collect();
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
    for place in ["id=\"step-0\"", "id=\"step-1\"", "id=\"execution-2\"", "id=\"steps\""] {
        assert_eq!(page.matches(place).count(), 1, "{place}");
    }
    assert!(text.contains("2 executions") && text.contains("checkpoint opened <b>: ok"), "{text}");
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
