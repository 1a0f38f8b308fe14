//! Tests of `redacted.rs`, through the log that uses it.

use clawperator_contract::{Envelope, ErrorCode, Execution, Failure, Status, StepResult, accept};
use clawperator_events::*;
use clawperator_redact::Redaction;
use clawperator_ui::{Bounds, Flag, Flags, Node, Tree};
use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a log has handed on.
#[derive(Clone, Debug, Default)]
struct Kept {
    events: Arc<Mutex<Vec<Event>>>,
    pictures: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Journals for Kept {
    fn begin(&self, _: &str, _: u64) -> io::Result<(Box<dyn RunJournal>, RemovedJournals)> {
        Ok((Box::new(self.clone()), RemovedJournals::default()))
    }
}

impl RunJournal for Kept {
    fn folder(&self) -> &Path {
        Path::new("")
    }

    fn lines(&self) -> u64 {
        0
    }

    fn record(&mut self, _: u64, event: &Event) -> io::Result<()> {
        self.events.lock().unwrap().push(event.clone());
        Ok(())
    }

    fn tree(&mut self, _: &str) -> io::Result<(String, bool)> {
        Ok((String::new(), false))
    }

    fn picture(&mut self, png: &[u8]) -> io::Result<Option<String>> {
        self.pictures.lock().unwrap().push(png.to_vec());
        Ok(Some(String::new()))
    }
}

impl Kept {
    fn last_event(&self) -> Event {
        self.events.lock().unwrap().last().unwrap().clone()
    }
}

/// An execution of these actions.
fn execution(actions: &str) -> Execution {
    let payload = format!(
        r#"{{"commandId":"c","taskId":"t","source":"test","expectedFormat":"android-ui-automator","timeoutMs":30000,"actions":[{actions}]}}"#
    );
    accept(payload.as_bytes()).unwrap().execution
}

/// A log of an execution, and what it hands on.
fn log_of(execution: &Execution, redactions: Redactions) -> (EventLog, Kept) {
    let kept = Kept::default();
    let log = EventLog::new(LogSetup {
        version: "0.0.0",
        clock: Clock::new(|| 0),
        pictures: Pictures::Taken,
        journal: Some(Box::new(kept.clone())),
        skill_run: None,
        redactions,
        subscribers: None,
    });
    log.begin(execution, &RunPlace::default());
    (log, kept)
}

#[test]
fn an_execution_is_kept_without_what_it_types() {
    let execution = execution(
        r#"{"id":"t","type":"enter_text","params":{"matcher":{"role":"textfield"},"text":"hunter2 ä"}},
            {"id":"c","type":"click","params":{"matcher":{"textEquals":"OK"}}}"#,
    );
    let shown = without_typed(&execution).to_string();
    assert!(!shown.contains("hunter") && shown.contains("[9 letters]"), "{shown}");
    let result = StepResult {
        id: "t".to_owned(),
        action_type: "enter_text".to_owned(),
        success: false,
        data: [("text", "hunter2 ä"), ("actual_text", "hunt"), ("message", "no such argument: hunter2 ä")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
    };
    let (log, kept) = log_of(&execution, Redactions::default());
    let data = |step: usize| {
        log.step_end(EndedStep { step, action: &execution.actions()[step], result: &result, took: None });
        let Event::StepEnd(end) = kept.last_event() else {
            panic!("no step has ended");
        };
        assert_eq!(end.data.len(), 3);
        format!("{:?}", end.data)
    };
    assert!(!data(0).contains("hunt"));
    assert!(data(1).contains("hunter2"));
    log.add_own("hunter2 ä");
    assert!(!data(1).contains("hunter2"));
    // What may belong to any step is without all that is typed.
    let (log, _) = log_of(&execution, Redactions::default());
    let failure = Failure::of(ErrorCode::DeviceShellUnavailable, "no such argument: hunter2 ä");
    log.end(&execution, &Err(failure));
    let message = log.end_of_run().unwrap().message.unwrap();
    assert!(message.contains("no such argument") && !message.contains("hunter2"), "{message}");
}

#[test]
fn a_tree_is_kept_without_passwords() {
    let mut screen = Tree::new(0);
    let node = |text: &str, password| Node {
        text: text.to_owned(),
        flags: Flags::default().with(Flag::Password, password),
        ..Node::default()
    };
    screen.push(0, node("Sign in", false));
    screen.push(1, node("s3cret", true));
    screen.push(1, node("you typed s3cret", false));
    screen.push(1, node("PIN", true));
    let log_with = |action: &str| {
        let (log, _) = log_of(&execution(action), Redactions::default());
        log.add_secret("s3cret");
        log
    };
    let log = log_with(r#"{"id":"look","type":"snapshot_ui"}"#);
    let kept = log.kept_tree(&screen);
    assert!(!format!("{kept:?}").contains("s3cret") && !format!("{kept:?}").contains("PIN"));
    assert_eq!(kept.len(), 4);
    for matcher in [r#"{"textEquals":"PIN"}"#, r#"{"where":{"anyOf":[{"textEquals":"PIN"}]}}"#] {
        let log = log_with(&format!(r#"{{"id":"c","type":"click","params":{{"matcher":{matcher}}}}}"#));
        let kept = log.kept_tree(&screen);
        assert!(!format!("{kept:?}").contains("s3cret") && format!("{kept:?}").contains("PIN"));
        let plain = Tree::new(0);
        assert!(matches!(log.kept_tree(&plain), Cow::Borrowed(_)));
    }
}

/// What a step reads is hidden before it is read, wherever it shows up, and
/// in whatever else is said of it.
#[test]
fn what_was_read_is_hidden_however_it_is_written() {
    let (log, _) = log_of(&execution(r#"{"id":"look","type":"snapshot_ui"}"#), Redactions::default());
    let long = "a".repeat(40) + " and more";
    for text in [r#"O'Brien & "Co""#, &long] {
        log.add_secret(text);
    }
    for shown in [
        r#"O'Brien & "Co""#,
        "O&apos;Brien &amp; &quot;Co&quot;",
        "O'Brien &amp; &quot;Co&quot;",
        &format!("{}…", &long[..40]),
    ] {
        let hidden = log.secrets().hide(shown);
        assert!(!hidden.contains("Brien") && !hidden.contains("aaaa"), "{hidden}");
    }
}

/// A screen with a row of one pixel for each of its elements.
fn account() -> Tree {
    let mut screen = Tree::new(0);
    for (row, (id, text)) in
        [("title", "Account"), ("name", "Ada"), ("hello", "Hello, Ada!")].into_iter().enumerate()
    {
        let top = row as i32;
        let node = Node {
            text: text.to_owned(),
            resource_id: Some(format!("app:id/{id}")),
            bounds: Bounds::new(0, top, 1, top + 1),
            ..Node::default()
        };
        screen.push(0, node);
    }
    screen
}

/// Which rows of the last picture are white.
fn white_rows(kept: &Kept) -> Vec<bool> {
    let pictures = kept.pictures.lock().unwrap();
    let pixels = Pixels::read(pictures.last().unwrap()).unwrap();
    pixels.rgb.chunks_exact(3).map(|pixel| pixel == [255; 3]).collect()
}

#[test]
fn what_a_step_reads_is_shown_as_its_redaction_says() {
    let execution = execution(
        r#"{"id":"name","type":"read_text","params":{"matcher":{"resourceId":"app:id/name"}}},
            {"id":"look","type":"snapshot_ui"}"#,
    );
    let screen = account();
    let white = Pixels { width: 1, height: 3, rgb: vec![255; 9] }.write().unwrap();
    let result = |id: &str, text: &str| StepResult {
        id: id.to_owned(),
        action_type: "read_text".to_owned(),
        success: true,
        data: [("text".to_owned(), text.to_owned())].into(),
    };
    let envelope = Envelope {
        command_id: "c".to_owned(),
        task_id: "t".to_owned(),
        status: Status::Success,
        step_results: vec![result("name", "Ada"), result("look", "<node text=\"Ada\"/>")],
        error: None,
        error_code: None,
        hint: None,
    };
    for (way, shown) in [
        (Redaction::None, Some("Ada")),
        (Redaction::Mask, Some("[3 letters]")),
        (Redaction::Hash, Some("sha256:99a563ab2f6e21e9")),
        (Redaction::Drop, None),
    ] {
        let (log, kept) = log_of(&execution, [("name".to_owned(), way)].into());
        let hidden = way != Redaction::None;
        // A picture may show it before any look has seen it.
        assert_eq!(log.has_secrets(), hidden);
        log.look(&screen, Duration::ZERO);
        log.picture(&white, PictureMoment::Look);
        assert_eq!(white_rows(&kept), [true, !hidden, !hidden]);
        let all = log.redact_outcome(&execution, Ok(envelope.clone())).unwrap();
        let tree = format!("{:?}", log.kept_tree(&screen));
        let data = &all.step_results[0].data;
        assert_eq!(data.get("text").map(String::as_str), shown);
        assert_eq!(!tree.contains("Ada"), hidden, "{tree}");
        assert_eq!(!format!("{all:?}").contains("Ada"), hidden, "{all:?}");
        assert!(tree.contains("Account"));
    }
}
