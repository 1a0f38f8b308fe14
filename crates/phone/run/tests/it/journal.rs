//! Journals of executions on the simulated phone.

use crate::world::{faulty, plain};
use clawperator_contract::{Envelope, Failure, accept};
use clawperator_events::{
    Clock, CommandEvent, CommandKind, Event, EventLog, EventStream, LogSetup, Pictures, Redactions,
    StreamItem, Subscribers, digest,
};
use clawperator_journal::{JournalFolder, JournalPath, StoredJournal, Verdict};
use clawperator_phone::Phone;
use clawperator_run::{RunOptions, Strictness};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const CONFORMANCE: &str = "com.clawperator.conformance";
const FORM: &str = "com.clawperator.form";

/// A folder of journals that goes away with the test.
pub(crate) struct Journals {
    pub(crate) path: PathBuf,
    pictures: Pictures,
}

impl Journals {
    pub(crate) fn new(pictures: Pictures) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("clawperator-journal-{}-{number}", std::process::id());
        Self { path: std::env::temp_dir().join(name), pictures }
    }

    pub(crate) fn folder(&self) -> JournalFolder {
        JournalFolder::new(self.path.join("journal"))
    }

    pub(crate) fn event_log(&self) -> Arc<EventLog> {
        Arc::new(EventLog::new(LogSetup {
            version: "0.0.0",
            clock: Clock::new(|| 1_794_734_112_345),
            pictures: self.pictures,
            journal: Some(Box::new(self.folder())),
            skill_run: None,
            redactions: Redactions::default(),
            subscribers: None,
        }))
    }

    pub(crate) async fn run(&self, phone: &Arc<Phone>, actions: Value) -> Result<Envelope, Failure> {
        run_with(phone, actions, self.event_log()).await
    }

    pub(crate) fn only(&self) -> StoredJournal {
        let found = self.folder().list().unwrap();
        assert_eq!(found.len(), 1);
        StoredJournal::open(&found[0]).unwrap()
    }
}

impl Drop for Journals {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

pub(crate) async fn run_with(
    phone: &Arc<Phone>,
    actions: Value,
    log: Arc<EventLog>,
) -> Result<Envelope, Failure> {
    let payload = json!({"commandId": "c/1", "taskId": "t", "source": "test", "timeoutMs": 30000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    let checked = accept(payload.to_string().as_bytes())?;
    let options = RunOptions {
        strictness: Strictness::First,
        seed: 1,
        pictures: std::env::temp_dir(),
        now_ms: 1,
        event_log: Some(log),
        ..RunOptions::default()
    };
    crate::world::run(phone, &checked.execution, &options).await
}

pub(crate) fn opened_and_clicked(text: &str) -> Value {
    json!([
        {"id": "open", "type": "open_app", "params": {"applicationId": CONFORMANCE}},
        {"id": "click", "type": "click", "params": {"matcher": {"textEquals": text}, "retry": {"maxAttempts": 2, "initialDelayMs": 10}}},
    ])
}

/// Every byte that a journal keeps, trees unpacked.
pub(crate) fn everything(kept: &StoredJournal) -> String {
    let mut all = String::from_utf8_lossy(&kept.text).into_owned();
    for entry in &kept.entries {
        if let Event::Look(look) = &entry.event {
            all += &kept.tree(&look.tree).unwrap();
        }
    }
    all
}

#[tokio::test(start_paused = true)]
async fn a_run_leaves_a_journal_that_tells_all_of_it() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    let envelope = journals.run(&world.phone, opened_and_clicked("Increment")).await.unwrap();
    let kept = journals.only();
    assert!(matches!(kept.verdict, Verdict::Whole { .. }), "{:?}", kept.verdict);
    assert_eq!(kept.flaws(), []);
    let begin = kept.begin().unwrap();
    assert_eq!((&*begin.command_id, &*begin.task_id), ("c/1", "t"));
    assert_eq!(begin.device, world.phone.serial());
    assert_eq!(begin.payload, digest(begin.execution.to_string().as_bytes()));
    let end = kept.end().unwrap();
    assert_eq!((&*end.status, end.steps), ("success", 2));
    assert_eq!(end.lines, kept.entries.len() as u64);
    // Nothing was typed, so this is the envelope as it is printed.
    let printed = serde_json::to_vec(&envelope).unwrap();
    assert_eq!(end.envelope, digest(&printed));
    let sent: Vec<_> = kept
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Command(command) => Some(command),
            _ => None,
        })
        .collect();
    assert_eq!(sent.len() as u64, world.phone.round_trips());
    assert!(sent.iter().all(|command| command.error.is_none()));
    let touch = kept
        .entries
        .iter()
        .find_map(|entry| match &entry.event {
            Event::Touch(touch) => Some(touch),
            _ => None,
        })
        .unwrap();
    assert!(
        sent.iter()
            .any(|command| { command.line.contains(&format!(" '{}' '{}' ", touch.at[0], touch.at[1])) })
    );
    let choice = kept
        .entries
        .iter()
        .find_map(|entry| match &entry.event {
            Event::Choice(choice) => Some(choice),
            _ => None,
        })
        .unwrap();
    assert_eq!(choice.fits, 1);
    assert!(choice.says.as_ref().unwrap().contains("Increment"));
    assert_eq!(journals.folder().find("c/1").unwrap().name, kept.name);
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_says_what_was_tried_and_waited_for() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    journals.run(&world.phone, opened_and_clicked("nowhere")).await.unwrap();
    let kept = journals.only();
    let end = kept.end().unwrap();
    assert_eq!(end.code.as_deref(), Some("NODE_NOT_FOUND"));
    let waits = kept
        .entries
        .iter()
        .filter(|entry| matches!(&entry.event, Event::Wait(wait) if wait.attempt == Some(1)));
    assert_eq!(waits.count(), 1);
    let looks: Vec<_> = kept
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Look(look) => Some(&look.tree),
            _ => None,
        })
        .collect();
    assert_eq!(looks.len(), 2);
    let files = std::fs::read_dir(&journals.folder().find("c/1").unwrap().path).unwrap().count();
    // The same screen is kept once.
    assert_eq!((looks[0] == looks[1], files), (true, 2));
}

#[tokio::test(start_paused = true)]
async fn no_journal_has_a_password_or_a_typed_text() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    world.phone.launch(FORM, crate::world::soon()).await.unwrap();
    let outcome = journals.run(&world.phone, json!([
        {"id": "in", "type": "click", "params": {"matcher": {"resourceId": "com.clawperator.form:id/open_login"}}},
        {"id": "user", "type": "enter_text", "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_email"}, "text": "Zaphod Beeblebrox"}},
        {"id": "word", "type": "enter_text", "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_password"}, "text": "sw0rdf1sh!"}},
        {"id": "eye", "type": "click", "params": {"matcher": {"resourceId": "com.clawperator.form:id/toggle_password"}}},
        {"id": "read", "type": "read_text", "params": {"matcher": {"resourceId": "com.clawperator.form:id/input_password"}}},
        {"id": "show", "type": "snapshot_ui"},
    ])).await.unwrap();
    let read = &outcome.step_results[4].data["text"];
    assert_eq!((outcome.step_results.len(), read.as_str()), (6, "•".repeat(10).as_str()), "{outcome:?}");
    let kept = journals.only();
    assert!(kept.end().is_some());
    let all = everything(&kept);
    assert!(!all.contains("sw0rdf1sh"), "the password is in it");
    assert!(!format!("{outcome:?}").contains("sw0rdf1sh"), "{outcome:?}");
    assert!(all.contains("[10 letters]") && all.contains("text ["), "{all}");
    // What an open field shows is on the screen, and nowhere else.
    assert!(!String::from_utf8_lossy(&kept.text).contains("\"text\":\"Zaphod"));
}

#[tokio::test(start_paused = true)]
async fn a_look_at_a_restless_screen_is_recorded_as_a_look() {
    let journals = Journals::new(Pictures::Left);
    let world = faulty(&["dump_not_idlex1"]).await;
    journals
        .run(
            &world.phone,
            json!([{"id": "see", "type": "wait_for_node", "params": {
                "matcher": {"role": "text"}, "retry": {"maxAttempts": 2, "initialDelayMs": 10}}}]),
        )
        .await
        .unwrap();
    let kept = journals.only();
    let looks: Vec<&CommandEvent> = kept
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Command(command) if command.kind == Some(CommandKind::Capture) => Some(command),
            _ => None,
        })
        .collect();
    // The second one has less time.
    assert_eq!(looks.len(), 2, "{}", String::from_utf8_lossy(&kept.text));
    assert!(
        looks.iter().all(|look| look.line.starts_with("dump way=")) && looks[0].line != looks[1].line,
        "{looks:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn subscribers_get_what_the_journal_gets() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    let stream = EventStream::new(1000);
    let mut subscriber = stream.subscribe();
    let log = EventLog::new(LogSetup {
        version: "0.0.0",
        clock: Clock::new(|| 1),
        pictures: Pictures::Left,
        journal: Some(Box::new(journals.folder())),
        skill_run: None,
        redactions: Redactions::default(),
        subscribers: Some(Subscribers { run_id: "run-7".to_owned(), streams: vec![stream], tap: None }),
    });
    run_with(&world.phone, opened_and_clicked("Increment"), Arc::new(log)).await.unwrap();
    for entry in journals.only().entries {
        let Some(StreamItem::Event(event)) = subscriber.next().await else {
            panic!("{entry:?} is missing");
        };
        assert_eq!((&*event.run_id, &*event.device), ("run-7", world.phone.serial()));
        assert_eq!((event.seq, event.at_us), (entry.seq, entry.at_us));
        assert_eq!(event.event, entry.event);
    }
    assert_eq!(subscriber.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_killed_leaves_a_journal_that_is_cut_off() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    let long = json!([
        {"id": "home", "type": "press_key", "params": {"key": "home"}},
        {"id": "z", "type": "sleep", "params": {"durationMs": 20000}}]);
    let mut running = Box::pin(journals.run(&world.phone, long));
    let waited = tokio::time::timeout(Duration::from_millis(500), &mut running).await;
    assert!(waited.is_err());
    // A process that is killed drops nothing.
    std::mem::forget(running);
    let kept = journals.only();
    assert_eq!(kept.verdict, Verdict::CutOff);
    assert!(
        kept.entries.iter().any(|entry| matches!(&entry.event, Event::StepBegin(step) if step.id == "z"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_cannot_be_written_fails_nothing() {
    let journals = Journals::new(Pictures::Left);
    std::fs::write(&journals.path, "a file where a folder should be").unwrap();
    let world = plain().await;
    let log = journals.event_log();
    let envelope = run_with(&world.phone, opened_and_clicked("Increment"), Arc::clone(&log)).await.unwrap();
    assert_eq!(serde_json::to_value(&envelope).unwrap()["status"], "success");
    assert!(log.problem().is_some());
    std::fs::remove_file(&journals.path).unwrap();
}

#[tokio::test(start_paused = true)]
async fn with_pictures_every_look_and_step_has_one() {
    let journals = Journals::new(Pictures::Taken);
    let world = plain().await;
    journals.run(&world.phone, opened_and_clicked("Increment")).await.unwrap();
    let kept = journals.only();
    let pictures: Vec<_> = kept
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Picture(picture) => Some(picture),
            _ => None,
        })
        .collect();
    // One for the look, one for each step.
    assert_eq!(pictures.len(), 3);
    assert!(
        pictures
            .iter()
            .all(|picture| { kept.picture(&picture.picture).is_some_and(|png| png.len() == picture.bytes) })
    );
    assert_eq!(kept.flaws(), []);
}

#[tokio::test(start_paused = true)]
async fn a_tree_that_was_changed_or_removed_shows() {
    let journals = Journals::new(Pictures::Left);
    let world = plain().await;
    journals.run(&world.phone, opened_and_clicked("Increment")).await.unwrap();
    let found: JournalPath = journals.folder().list().unwrap().remove(0);
    let tree = std::fs::read_dir(&found.path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "z"))
        .unwrap();
    let mut bytes = std::fs::read(&tree).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&tree, bytes).unwrap();
    let flaws = StoredJournal::open(&found).unwrap().flaws();
    assert_eq!((flaws.len(), flaws[0].missing), (1, false));
    std::fs::remove_file(&tree).unwrap();
    assert!(StoredJournal::open(&found).unwrap().flaws()[0].missing);
}
