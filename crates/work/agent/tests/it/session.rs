//! Sessions: files that only grow, survive a crash, and have no secrets.

use clawperator_agent::model::{Script, ScriptScreen, Spending};
use clawperator_agent::session::{
    BeginEntry, EndEntry, ResumeEntry, Session, SessionEntry, SessionError, SessionId, Status, StepEntry,
    StepOutput, StoredSession, list, script,
};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that goes with the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("clawperator-session-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn begin(task: &str) -> BeginEntry {
    BeginEntry {
        task: task.to_owned(),
        model: "script".to_owned(),
        device: "sim".to_owned(),
        started_ms: 1000,
        max_steps: 5,
        ..BeginEntry::default()
    }
}

fn step(number: u32, text: &str) -> SessionEntry {
    SessionEntry::Step(Box::new(StepEntry {
        step: number,
        tool: "type_text".to_owned(),
        output: StepOutput {
            thought: format!("I type {text}"),
            action: json!({"type": "type", "text": text}),
            raw: json!({"tool": "type_text", "args": {"text": text}}).to_string(),
        },
        ..StepEntry::default()
    }))
}

fn file_of(folder: &Path, session: &Session) -> PathBuf {
    folder.join(session.id().as_str()).join("session.jsonl")
}

#[test]
fn a_session_is_read_as_it_was_written() {
    let place = Place::new("written");
    let mut session = Session::begin(&place.0, 7, begin("do it")).unwrap();
    session.append(&step(1, "hello")).unwrap();
    let end = EndEntry {
        journal: None,
        status: Status::Finished,
        message: "done".to_owned(),
        steps: 1,
        spent: Spending::default(),
        at_ms: 2000,
    };
    session.append(&SessionEntry::End(Box::new(end.clone()))).unwrap();
    let picture = session.keep(b"picture", "png").unwrap();
    assert_eq!(session.keep(b"picture", "png").unwrap(), picture);
    let read = StoredSession::read(&place.0, session.id()).unwrap();
    assert_eq!((read.begin.task.as_str(), read.steps.len()), ("do it", 1));
    assert_eq!((read.end, read.unreadable), (Some(end), 0));
    let read = StoredSession::read(&place.0, session.id()).unwrap();
    assert_eq!(fs::read(read.file(&picture).unwrap()).unwrap(), b"picture");
    assert_eq!(read.file("../../etc/passwd"), None);
    let summary = list(&place.0).unwrap().remove(0);
    assert_eq!((summary.steps, summary.status), (1, "finished"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = file_of(&place.0, &session);
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        assert_eq!(mode(&read.file(&picture).unwrap()), 0o600);
    }
}

#[test]
fn a_torn_last_line_is_dropped_and_the_session_goes_on() {
    let place = Place::new("torn");
    let mut session = Session::begin(&place.0, 7, begin("do it")).unwrap();
    session.append(&step(1, "one")).unwrap();
    session.append(&step(2, "two")).unwrap();
    let (id, file) = (session.id().clone(), file_of(&place.0, &session));
    drop(session);
    let whole = fs::read(&file).unwrap();
    let begin_end = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // Killed in the middle of any byte of any line after the first.
    for length in begin_end..whole.len() {
        fs::write(&file, &whole[..length]).unwrap();
        let lines = whole[..length].iter().filter(|byte| **byte == b'\n').count();
        let read = StoredSession::read(&place.0, &id).unwrap();
        assert_eq!((read.steps.len(), read.unreadable), (lines - 1, 0), "{length}");
    }
    let mut session = Session::open(&place.0, &id).unwrap();
    session.append(&SessionEntry::Resumed(ResumeEntry::default())).unwrap();
    session.append(&step(2, "again")).unwrap();
    let read = StoredSession::read(&place.0, &id).unwrap();
    let typed: Vec<_> = read.steps.iter().map(|step| step.output.thought.as_str()).collect();
    assert_eq!((typed, read.unreadable), (vec!["I type one", "I type again"], 0));
}

#[test]
fn facts_8_4_an_append_writes_its_own_line_and_nothing_else() {
    let place = Place::new("append");
    let mut session = Session::begin(&place.0, 7, begin("do it")).unwrap();
    let file = file_of(&place.0, &session);
    let mut before = fs::read(&file).unwrap();
    for number in 0..200 {
        session.append(&step(0, "same")).unwrap();
        let after = fs::read(&file).unwrap();
        assert!(after.starts_with(&before), "{number}");
        let line = &after[before.len()..];
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "{number}");
        before = after;
    }
    // Linux counts what a process reads: none of it is the session's own file.
    #[cfg(target_os = "linux")]
    {
        let flags = fs::read_dir("/proc/self/fd").unwrap().flatten().find_map(|fd| {
            let target = fs::read_link(fd.path()).ok()?;
            let info = format!("/proc/self/fdinfo/{}", fd.file_name().to_str()?);
            (target == file.canonicalize().ok()?).then(|| fs::read_to_string(info).ok())?
        });
        let flags = flags.unwrap();
        let flags = flags.lines().find_map(|line| line.strip_prefix("flags:")).unwrap().trim();
        let flags = u32::from_str_radix(flags, 8).unwrap();
        assert_eq!(flags & 0o3, 0o1, "the file is open for writing only");
        assert_eq!(flags & 0o2000, 0o2000, "and appends");
    }
}

#[test]
fn facts_8_4_sessions_of_the_same_moment_have_different_names() {
    let place = Place::new("names");
    let one = Session::begin(&place.0, 7, begin("a")).unwrap();
    let other = Session::begin(&place.0, 7, begin("b")).unwrap();
    assert_ne!(one.id(), other.id());
    assert_eq!(list(&place.0).unwrap().len(), 2);
}

#[test]
fn facts_8_4_a_typed_password_is_stored_nowhere_not_even_in_the_task() {
    let place = Place::new("secret");
    let secret = "hunter2-\"quoted\"";
    let task = format!("log in with {secret}");
    let mut session = Session::begin(&place.0, 7, begin(&task)).unwrap();
    session.append(&step(1, "user")).unwrap();
    session.hide(secret).unwrap();
    session.append(&step(2, secret)).unwrap();
    let tree = session.keep_text(&format!("<node text='{secret}'/>"), "xml").unwrap();
    let read = StoredSession::read(&place.0, session.id()).unwrap();
    assert_eq!((read.steps.len(), read.unreadable), (2, 0));
    let files = [file_of(&place.0, &session), read.file(&tree).unwrap()];
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        assert!(!text.contains("hunter2"), "{text}");
    }
    assert!(!format!("{session:?}").contains("hunter2"));
}

/// The original wrote typed texts into a shell script. A replay here is data: the
/// text comes back letter by letter, and no shell of this computer reads it.
#[test]
fn hole_13_a_replayed_text_is_data() {
    let place = Place::new("replay");
    let mut session = Session::begin(&place.0, 7, begin("do it")).unwrap();
    let evil = "\"; $(touch /tmp/x) `id` \n' ; rm -rf ~ # \\";
    let SessionEntry::Step(mut typed) = step(1, "x") else {
        panic!("a step");
    };
    typed.tool = "type_text".to_owned();
    typed.output.action = json!({"type": "type", "text": evil});
    typed.result.ok = true;
    session.append(&SessionEntry::Step(typed)).unwrap();
    let stored = StoredSession::read(&place.0, session.id()).unwrap();
    let mut script = Script::parse(&script(&stored)).unwrap();
    let again = script.step(&ScriptScreen::default()).unwrap();
    assert_eq!((again.call.name.as_str(), &again.call.args["text"]), ("type_text", &json!(evil)));
}

#[test]
fn a_session_has_one_writer_and_no_odd_name() {
    let place = Place::new("writer");
    let session = Session::begin(&place.0, 7, begin("a")).unwrap();
    let again = Session::open(&place.0, session.id());
    assert!(matches!(again, Err(SessionError::InUse(_))), "{again:?}");
    for odd in ["", "..", "a/b", "A", "a b", "ä"] {
        assert_eq!(SessionId::parse(odd), None, "{odd}");
    }
    let missing = StoredSession::read(&place.0, &SessionId::parse("nothing").unwrap());
    assert!(matches!(missing, Err(SessionError::NotFound(_))), "{missing:?}");
}
