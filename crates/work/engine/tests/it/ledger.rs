//! A key has one outcome, whatever happens to the process that runs it.

use crate::folder;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::ledger::{
    Acceptance, Claim, Conflict, Ledger, LedgerEntry, LedgerError, OutcomeKind, Phase, StepMark,
    StoredOutcome,
};
use serde_json::{Value, json};
use std::fs;
use std::future::{pending, ready};
use std::path::Path;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

fn claim(key: &str) -> Claim {
    Claim {
        key: key.to_owned(),
        run: format!("run-{key}"),
        digest: [7; 32],
        device: Some("sim-1".to_owned()),
        now_ms: 5,
    }
}

fn outcome(json: &str) -> StoredOutcome {
    StoredOutcome { kind: OutcomeKind::Success, json: json.to_owned() }
}

async fn accept(ledger: &Ledger, claim: Claim) -> Acceptance {
    ledger.accept(claim, Duration::ZERO, pending()).await.unwrap()
}

async fn accepted(ledger: &Ledger, key: &str) -> LedgerEntry {
    match accept(ledger, claim(key)).await {
        Acceptance::New(entry) => entry,
        other => panic!("{other:?}"),
    }
}

async fn done(ledger: &Ledger, key: &str) -> StoredOutcome {
    match accept(ledger, claim(key)).await {
        Acceptance::Done(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_key_returns_its_outcome_byte_for_byte_and_takes_no_other_request() {
    let folder = folder("outcome");
    let ledger = Ledger::open(&folder).unwrap();
    let odd = outcome("{ \"spaces\" : \"stay\u{1f600}\" }");
    let entry = accepted(&ledger, "a").await;
    entry.finish(odd.clone(), 9).await.unwrap();
    // Another process, much later.
    drop(ledger);
    let ledger = Ledger::open(&folder).unwrap();
    assert_eq!(done(&ledger, "a").await, odd);
    let unnamed = Claim { device: None, ..claim("a") };
    assert!(matches!(accept(&ledger, unnamed).await, Acceptance::Done(_)));
    let payload = Claim { digest: [8; 32], ..claim("a") };
    let device = Claim { device: Some("sim-2".to_owned()), ..claim("a") };
    for (other, expect) in [(payload, Conflict::Payload), (device, Conflict::Device("sim-1".to_owned()))] {
        match accept(&ledger, other).await {
            Acceptance::Conflict(conflict) => assert_eq!(conflict, expect),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fs::read_dir(folder.join("keys")).unwrap().count(), 0);
}

/// Otherwise a PIN that was typed is found by trying all.
#[tokio::test]
async fn a_digest_is_stored_with_a_key_and_one_that_was_not_still_counts() {
    let folder = folder("sealed");
    let ledger = Ledger::open(&folder).unwrap();
    let entry = accepted(&ledger, "new").await;
    entry.finish(outcome("{}"), 9).await.unwrap();
    let database = rusqlite::Connection::open(folder.join("ledger.sqlite3")).unwrap();
    let ask = "SELECT digest FROM request";
    let stored: Vec<u8> = database.query_row(ask, [], |row| row.get(0)).unwrap();
    assert_ne!(stored, [7; 32]);
    assert!(!stored.windows(8).any(|part| part == [7; 8]));
    // As an earlier version has stored it.
    let plain = "UPDATE request SET digest = ?1";
    database.execute(plain, [[7; 32]]).unwrap();
    assert_eq!(done(&ledger, "new").await, outcome("{}"));
    let other = Claim { digest: [8; 32], ..claim("new") };
    assert!(matches!(accept(&ledger, other).await, Acceptance::Conflict(Conflict::Payload)));
}

#[tokio::test]
async fn a_request_whose_process_died_is_unknown_for_ever() {
    let folder = folder("died");
    let ledger = Ledger::open(&folder).unwrap();
    let mark = |step, phase| StepMark { step, id: format!("s{step}"), action: "click".to_owned(), phase };
    let (began, ended) = (mark(1, Phase::Began), mark(0, Phase::Ended));
    for (key, started, marks, expect) in [
        ("waiting", false, vec![], json!({"dispatched": "no"})),
        ("sent", true, vec![], json!({"dispatched": "unknown"})),
        (
            "ended",
            true,
            vec![ended.clone()],
            json!({"dispatched": "unknown", "lastActionId": "s0", "lastActionType": "click",
                "lastActionPhase": "ended"}),
        ),
        (
            "began",
            true,
            vec![ended, began],
            json!({"dispatched": "unknown", "lastActionId": "s1", "lastActionType": "click",
                "lastActionPhase": "began"}),
        ),
    ] {
        let entry = accepted(&ledger, key).await;
        if started {
            entry.start("sim-1", 6).await.unwrap();
        }
        for mark in &marks {
            entry.steps().mark(mark);
        }
        // The system lets go of the lock when a process is killed, in the
        // middle of a line, too.
        drop(entry);
        append(&folder, "{\"step\":9,\"id\":\"to");
        let first = done(&ledger, key).await;
        assert_eq!(first.kind, OutcomeKind::Error);
        let error: Value = serde_json::from_str(&first.json).unwrap();
        assert_eq!(error["code"], "EXECUTION_OUTCOME_UNKNOWN");
        for (name, value) in expect.as_object().unwrap() {
            assert_eq!(&error["details"][name], value, "{key}: {error}");
        }
        assert_eq!(error["details"].get("lastActionId").is_some(), !marks.is_empty());
        assert_eq!(done(&ledger, key).await, first);
    }
}

/// Adds to the only key file there is.
fn append(folder: &Path, text: &str) {
    use std::io::Write as _;
    let file = fs::read_dir(folder.join("keys")).unwrap().next().unwrap().unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(file.path()).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[tokio::test]
async fn a_running_request_is_waited_for() {
    let folder = folder("running");
    let (ours, theirs) = (Ledger::open(&folder).unwrap(), Ledger::open(&folder).unwrap());
    let entry = accepted(&theirs, "a").await;
    assert!(matches!(accept(&ours, claim("a")).await, Acceptance::Running));
    // Another payload is refused at once.
    let other = Claim { digest: [8; 32], ..claim("a") };
    assert!(matches!(ours.accept(other, LONG, pending()).await.unwrap(), Acceptance::Conflict(_)));
    let waiting = tokio::spawn(async move { ours.accept(claim("a"), LONG, pending()).await.unwrap() });
    tokio::task::yield_now().await;
    entry.finish(outcome("{}"), 9).await.unwrap();
    match waiting.await.unwrap() {
        Acceptance::Done(found) => assert_eq!(found, outcome("{}")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_request_that_sent_nothing_gives_its_key_back() {
    let ledger = Ledger::open(&folder("released")).unwrap();
    accepted(&ledger, "a").await.release().await.unwrap();
    let entry = accepted(&ledger, "a").await;
    entry.finish(outcome("{}"), 9).await.unwrap();
    done(&ledger, "a").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_at_once_one_runs() {
    let folder = folder("race");
    let ledgers = [Ledger::open(&folder).unwrap(), Ledger::open(&folder).unwrap()];
    for round in 0..10 {
        let mut all = Vec::new();
        for number in 0..16 {
            let ledger = ledgers[number % 2].clone();
            all.push(tokio::spawn(async move {
                let claim = claim(&format!("k{round}"));
                let acceptance = ledger.accept(claim, LONG, pending()).await.unwrap();
                match acceptance {
                    Acceptance::New(entry) => {
                        entry.finish(outcome("\"once\""), 9).await.unwrap();
                        1
                    }
                    Acceptance::Done(found) => {
                        assert_eq!(found, outcome("\"once\""));
                        0
                    }
                    other => panic!("{other:?}"),
                }
            }));
        }
        let mut ran = 0;
        for one in all {
            ran += one.await.unwrap();
        }
        assert_eq!(ran, 1);
    }
}

#[tokio::test]
async fn old_requests_are_forgotten_unless_they_run() {
    let folder = folder("bounds");
    let ledger = Ledger::open(&folder).unwrap();
    let running = accepted(&ledger, "running").await;
    drop(accepted(&ledger, "died").await);
    for number in 0..10 {
        let entry = accepted(&ledger, &format!("k{number}")).await;
        entry.finish(outcome(&"x".repeat(100_000)), 9).await.unwrap();
    }
    ledger.prune(3, u64::MAX).await.unwrap();
    for (key, is_known) in [("k6", false), ("k7", true), ("k9", true), ("died", false)] {
        match (accept(&ledger, claim(key)).await, is_known) {
            (Acceptance::Done(_), true) => {}
            (Acceptance::New(entry), false) => entry.release().await.unwrap(),
            (other, _) => panic!("{key}: {other:?}"),
        }
    }
    assert!(matches!(accept(&ledger, claim("running")).await, Acceptance::Running));
    ledger.prune(u64::MAX, 100_000).await.unwrap();
    assert!(matches!(accept(&ledger, claim("k9")).await, Acceptance::New(_)));
    running.finish(outcome("{}"), 9).await.unwrap();
    done(&ledger, "running").await;
}

#[tokio::test]
async fn an_outcome_stays_while_there_are_few_however_many_keys_were_released() {
    let ledger = Ledger::open(&folder("gaps")).unwrap();
    let entry = accepted(&ledger, "old").await;
    entry.finish(outcome("{}"), 9).await.unwrap();
    drop(accepted(&ledger, "died").await);
    for number in 0..10 {
        let entry = accepted(&ledger, &format!("k{number}")).await;
        entry.release().await.unwrap();
    }
    let running = accepted(&ledger, "running").await;
    ledger.prune(3, u64::MAX).await.unwrap();
    assert_eq!(done(&ledger, "old").await, outcome("{}"));
    assert_eq!(done(&ledger, "died").await.kind, OutcomeKind::Error);
    running.release().await.unwrap();
}

#[tokio::test]
async fn a_stopped_claim_records_nothing() {
    let ledger = Ledger::open(&folder("stopped")).unwrap();
    let entry = accepted(&ledger, "a").await;
    let stopped = ledger.accept(claim("a"), LONG, ready(())).await.unwrap();
    assert!(matches!(stopped, Acceptance::Stopped));
    entry.release().await.unwrap();
    accepted(&ledger, "a").await.release().await.unwrap();
}

#[tokio::test]
async fn a_key_belongs_to_the_phone_that_was_named_or_else_used() {
    let ledger = Ledger::open(&folder("used")).unwrap();
    let claim = |key: &str, device: Option<&str>| Claim { device: device.map(str::to_owned), ..claim(key) };
    for (first, again, conflict) in [
        (None, None, None),
        (None, Some("serial"), None),
        (None, Some("other"), Some("serial")),
        (Some("name"), Some("name"), None),
        (Some("name"), None, None),
        (Some("name"), Some("other"), Some("name")),
    ] {
        let key = format!("{first:?} {again:?}");
        let Acceptance::New(entry) = accept(&ledger, claim(&key, first)).await else {
            panic!("{key} is new");
        };
        entry.start("serial", 6).await.unwrap();
        entry.finish(outcome("{}"), 9).await.unwrap();
        match (accept(&ledger, claim(&key, again)).await, conflict) {
            (Acceptance::Done(_), None) => {}
            (Acceptance::Conflict(Conflict::Device(found)), Some(phone)) => assert_eq!(found, phone),
            (other, _) => panic!("{key}: {other:?}"),
        }
    }
}

#[test]
fn a_new_ledger_can_be_opened_by_many_at_once() {
    let folder = folder("opening");
    let openers: Vec<_> = (0..8)
        .map(|_| {
            let folder = folder.clone();
            std::thread::spawn(move || Ledger::open(&folder))
        })
        .collect();
    for opener in openers {
        opener.join().unwrap().unwrap();
    }
}

#[tokio::test]
async fn an_empty_ledger_is_damaged_and_no_hint_leads_to_running_a_key_again() {
    let place = folder("emptied");
    let ledger = Ledger::open(&place).unwrap();
    accepted(&ledger, "a").await.finish(outcome("{}"), 1).await.unwrap();
    drop(ledger);
    for content in [&b""[..], &b"SQLite format 3\0"[..], &[0; 4096][..]] {
        for file in ["ledger.sqlite3-wal", "ledger.sqlite3-shm"] {
            let _ = fs::remove_file(place.join(file));
        }
        fs::write(place.join("ledger.sqlite3"), content).unwrap();
        // It stays so, however often it is asked.
        for _ in 0..3 {
            let failure = Failure::from(Ledger::open(&place).unwrap_err());
            assert_eq!(failure.code, ErrorCode::StateFolderUnusable);
            let hint = failure.details.unwrap().hint.unwrap();
            assert!(hint.contains("look at the phone first"), "{hint}");
            assert!(!hint.contains("CLAWPERATOR_HOME"), "{hint}");
        }
    }
    // One that is gone is a new one.
    fs::remove_dir_all(&place).unwrap();
    Ledger::open(&place).unwrap();
}

#[tokio::test]
async fn a_ledger_that_cannot_be_used_is_an_error_of_the_state_folder() {
    let unusable = |error: LedgerError| {
        let failure = Failure::from(error);
        assert_eq!(failure.code, ErrorCode::StateFolderUnusable);
        failure.message
    };
    unusable(Ledger::open(Path::new("/dev/null/state")).unwrap_err());
    let place = folder("garbage");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("ledger.sqlite3"), "not a database".repeat(100)).unwrap();
    assert!(unusable(Ledger::open(&place).unwrap_err()).contains("not a database"));
    let place = folder("newer");
    drop(Ledger::open(&place).unwrap());
    let database = rusqlite::Connection::open(place.join("ledger.sqlite3")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    assert!(unusable(Ledger::open(&place).unwrap_err()).contains("newer"));
}

#[cfg(unix)]
#[tokio::test]
async fn d23_a_ledger_that_was_read_only_for_a_while_is_as_before() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = folder("read-only");
    drop(Ledger::open(&place).unwrap());
    let file = place.join("ledger.sqlite3");
    let mode = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o400);
    let refused = Ledger::open(&place).unwrap_err().to_string();
    assert!(refused.contains("read-only"), "{refused}");
    mode(0o600);
    let _ledger = Ledger::open(&place).unwrap();
    // So an earlier version left it.
    let shared = place.join("ledger.sqlite3-shm");
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o400)).unwrap();
    drop(Ledger::open(&place).unwrap());
    for name in ["ledger.sqlite3", "ledger.sqlite3-shm", "ledger.sqlite3-wal"] {
        let is = fs::metadata(place.join(name)).unwrap().permissions().mode();
        assert_eq!(is & 0o777, 0o600, "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_user_can_read_the_ledger() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder("private");
    let ledger = Ledger::open(&folder).unwrap();
    let _running = accepted(&ledger, "a").await;
    let mut looked = 0;
    for place in [&folder, &folder.join("keys")] {
        assert_eq!(fs::metadata(place).unwrap().permissions().mode() & 0o777, 0o700);
        for entry in fs::read_dir(place).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                let mode = entry.metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600, "{entry:?}");
                looked += 1;
            }
        }
    }
    assert!(looked >= 4, "the database, its log, its index and a key");
}
