//! The desk: once, in time, across processes, and without secrets on disk.

use clawperator_agent::action::{Capability, UiTemplate};
use clawperator_agent::approval::{
    ApprovalPage, ApprovalScreen, Desk, DeskError, NewRequest, PersonDecision, ScreenPicture, State,
    Submission, Who, limits,
};
use clawperator_events::Clock;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A desk in a folder of its own, and the hand of its clock.
struct World {
    folder: PathBuf,
    now: Arc<AtomicU64>,
}

impl World {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("clawperator-desk-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Self { folder, now: Arc::new(AtomicU64::new(1_794_700_000_000)) }
    }

    /// Opens the desk, as another process would.
    fn desk(&self) -> Desk {
        let now = self.now.clone();
        let clock = Clock::new(move || now.load(Ordering::Relaxed));
        Desk::open(&self.folder, Arc::new(clock)).unwrap()
    }

    fn pass(&self, seconds: u64) {
        self.now.fetch_add(seconds * 1000, Ordering::Relaxed);
    }

    /// Whether any file of the desk has these bytes.
    fn stores(&self, text: &str) -> bool {
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let bytes = std::fs::read(&path).unwrap();
                if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                    return true;
                }
            }
        }
        false
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn login() -> NewRequest {
    let template: UiTemplate = serde_json::from_value(json!({"fields": [
        {"id": "user", "label": "User", "type": "text", "required": true},
        {"id": "pass", "label": "Password", "type": "password", "required": true}]}))
    .unwrap();
    NewRequest { template: Some(template), ..NewRequest::new(Capability::Oauth, "Sign in to the shop.") }
}

fn approve(answer: &Value) -> PersonDecision {
    PersonDecision::Approve {
        answer: Submission::new(answer.to_string()),
        note: Some("use hunter2-secret".to_owned()),
    }
}

fn credentials() -> Value {
    json!({"fields": {"user": "walter-the-user", "pass": "hunter2-secret"}})
}

const REJECT: PersonDecision = PersonDecision::Reject { note: None };

#[tokio::test]
async fn an_approved_answer_reaches_who_waits_and_nothing_else() {
    let world = World::new("answer");
    // The page is in another process than the agent.
    let (agent, server) = (world.desk(), world.desk());
    let created = agent.create(login()).await.unwrap();
    let token = created.token.expose();
    let waiting = agent.wait(&created.id);
    let deciding = server.decide(&created.id, Who::Token(token), approve(&credentials()));
    let (decision, decided) = tokio::join!(waiting, deciding);
    let (decision, decided) = (decision.unwrap(), decided.unwrap());
    assert_eq!(decision.request.state, State::Approved);
    let values = decision.artifacts[0].values();
    assert_eq!(values[1].1.expose(), "hunter2-secret");
    assert_eq!(decided.note.as_deref(), Some("use [14 letters]"));
    assert_eq!(
        decision.words(),
        "A person approved the request and gave: credentials with username, password. Note: use [14 letters]"
    );
    let shown = format!("{decision:?} {decided:?} {agent:?} {created:?} {}", json!(decided));
    for secret in ["hunter2", "walter", token] {
        assert!(!shown.contains(secret), "{secret}");
        assert!(!world.stores(secret), "{secret}");
    }
}

#[tokio::test]
async fn a_request_and_what_was_given_outlive_their_process() {
    let world = World::new("restart");
    let first = world.desk();
    let (one, two) = (first.create(login()).await.unwrap(), first.create(login()).await.unwrap());
    drop(first);
    let second = world.desk();
    assert_eq!(second.get(&one.id).await.unwrap().state, State::Pending);
    // The caller has left: the decision counts, and what was given is kept.
    let token = one.token.expose();
    let decided = second.decide(&one.id, Who::Token(token), approve(&credentials()));
    let decided = decided.await.unwrap();
    assert_eq!(decided.dropped, None);
    assert_eq!(second.wait(&one.id).await.unwrap().artifacts.len(), 1);
    drop(second);
    let second = world.desk();
    assert_eq!(second.wait(&one.id).await.unwrap().artifacts.len(), 1);
    assert!(!world.stores("hunter2"));
    // A process that takes over gets the answer.
    let third = world.desk();
    let waiting = tokio::time::timeout(Duration::from_millis(500), third.wait(&two.id));
    assert!(waiting.await.is_err());
    assert!(matches!(second.wait(&two.id).await, Err(DeskError::Elsewhere(_))));
    let answer = approve(&credentials());
    let decided = second.decide(&two.id, Who::User("terminal"), answer).await;
    decided.unwrap();
    assert_eq!(third.wait(&two.id).await.unwrap().artifacts.len(), 1);
    drop((second, third));
    // An hour later it is gone, and the answer says so.
    world.pass(3601);
    let late = world.desk().wait(&one.id).await.unwrap();
    assert!(late.artifacts.is_empty() && late.words().contains("gone"), "{}", late.words());
    assert_eq!(late.request.dropped.as_deref(), Some("its time was over"));
    // A used token stays used.
    let last = world.desk().decide(&one.id, Who::Token(token), REJECT).await;
    assert!(matches!(last, Err(DeskError::Closed(State::Approved))));
}

#[tokio::test]
async fn a_token_opens_its_request_only_and_once() {
    let world = World::new("token");
    let desk = world.desk();
    let (one, two) = (desk.create(login()).await.unwrap(), desk.create(login()).await.unwrap());
    let (of_one, of_two) = (one.token.expose(), two.token.expose());
    for (id, token) in [(&one.id, of_two), (&one.id, ""), (&"ap-0".to_owned(), of_one)] {
        let refused = desk.decide(id, Who::Token(token), REJECT).await;
        assert!(matches!(refused, Err(DeskError::WrongToken)), "{refused:?}");
        assert!(desk.with_token(id, token).await.is_err());
    }
    desk.decide(&one.id, Who::Token(of_one), REJECT).await.unwrap();
    let again = desk.decide(&one.id, Who::Token(of_one), approve(&credentials())).await;
    assert!(matches!(again, Err(DeskError::Closed(State::Rejected))));
    assert_eq!(desk.get(&two.id).await.unwrap().state, State::Pending);
}

#[tokio::test]
async fn a_new_link_takes_the_place_of_the_old_one() {
    let world = World::new("renew");
    let desk = world.desk();
    let created = desk.create(login()).await.unwrap();
    let renewed = desk.renew(&created.id).await.unwrap();
    let old = desk.with_token(&created.id, created.token.expose()).await;
    assert!(matches!(old, Err(DeskError::WrongToken)));
    let token = renewed.token.expose();
    desk.decide(&created.id, Who::Token(token), REJECT).await.unwrap();
    assert!(matches!(desk.renew(&created.id).await, Err(DeskError::Closed(State::Rejected))));
}

#[tokio::test]
async fn nobody_decides_after_the_time_is_up() {
    let world = World::new("timeout");
    let desk = world.desk();
    let created = desk.create(NewRequest { timeout: Duration::ZERO, ..login() }).await.unwrap();
    assert_eq!(created.repairs, ["timeoutSec"]);
    world.pass(29);
    assert_eq!(desk.get(&created.id).await.unwrap().state, State::Pending);
    world.pass(1);
    let late = desk.decide(&created.id, Who::Token(created.token.expose()), approve(&credentials()));
    assert!(matches!(late.await, Err(DeskError::Closed(State::Timeout))));
    let decision = desk.wait(&created.id).await.unwrap();
    assert_eq!(decision.words(), "No person decided in time; do not do it");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_decides_nothing() {
    let world = World::new("unfit");
    let desk = world.desk();
    let created = desk.create(login()).await.unwrap();
    let who = || Who::Token(created.token.expose());
    let unfit = desk.decide(&created.id, who(), approve(&json!({"fields": {"user": "x"}}))).await;
    let Err(error @ DeskError::Unfit(_)) = unfit else {
        panic!("{unfit:?}");
    };
    assert_eq!(error.to_string(), "the answer does not fit: fields.pass: it must be filled in");
    desk.decide(&created.id, who(), approve(&credentials())).await.unwrap();
}

#[tokio::test]
async fn a_request_is_bound_to_the_screen_and_its_picture_goes_with_the_decision() {
    let world = World::new("screen");
    let desk = world.desk();
    let picture = |bytes: &[u8]| ScreenPicture { media_type: "image/png".to_owned(), bytes: bytes.to_vec() };
    let with = |picture| NewRequest {
        screen: Some(ApprovalScreen { hash: "5f3a".to_owned(), picture: Some(picture), app: None }),
        ..login()
    };
    assert!(desk.create(with(picture(b"<svg onload=x>"))).await.is_err());
    let created = desk.create(with(picture(b"\x89PNG-private-screen"))).await.unwrap();
    let request = desk.get(&created.id).await.unwrap();
    assert!(request.still_valid("5f3a") && !request.still_valid("5f3b") && request.has_picture);
    assert!(desk.picture(&created.id).await.unwrap().is_some());
    desk.decide(&created.id, Who::User("terminal"), REJECT).await.unwrap();
    assert_eq!(desk.picture(&created.id).await.unwrap(), None);
    assert!(!world.stores("private-screen"));
}

#[tokio::test]
async fn changes_come_one_by_one() {
    let world = World::new("changes");
    let desk = world.desk();
    let (one, two) = (desk.create(login()).await.unwrap(), desk.create(login()).await.unwrap());
    world.pass(1000);
    let mut after = 0;
    for id in [&one.id, &two.id] {
        let (number, request) = desk.next_change(after).await.unwrap();
        assert_eq!((&request.id, request.state), (id, State::Timeout));
        after = number;
    }
    assert_eq!(desk.last_change().await.unwrap(), after);
}

#[tokio::test]
async fn only_so_many_wait_at_a_time() {
    let world = World::new("many");
    let desk = world.desk();
    for _ in 0..limits::PENDING {
        desk.create(login()).await.unwrap();
    }
    assert!(matches!(desk.create(login()).await, Err(DeskError::TooMany)));
    world.pass(1000);
    desk.create(login()).await.unwrap();
    assert_eq!(desk.list(Some(State::Pending), 10).await.unwrap().len(), 1);
    assert_eq!(desk.list(None, 1000).await.unwrap().len(), 101);
}

/// The original kept logins in a file that everybody could read, and gave them
/// out with every poll.
#[cfg(unix)]
#[tokio::test]
async fn hole_04_credentials_are_in_no_file_and_files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new("hole-04");
    let desk = world.desk();
    let created = desk.create(login()).await.unwrap();
    let answer = approve(&credentials());
    let decided = desk.decide(&created.id, Who::User("terminal"), answer).await.unwrap();
    assert!(!json!(decided).to_string().contains("hunter2") && !world.stores("hunter2"));
    let file = world.folder.join("approvals/approvals.sqlite3");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&world.folder.join("approvals"))), (0o600, 0o700));
}

#[tokio::test]
async fn hole_03_a_new_request_never_takes_the_place_of_another() {
    let world = World::new("hole-03");
    let desk = world.desk();
    let (one, two) = (desk.create(login()).await.unwrap(), desk.create(login()).await.unwrap());
    assert_ne!(one.id, two.id);
    assert!(desk.with_token(&one.id, one.token.expose()).await.is_ok());
}

/// The original agreed to permissions by itself.
#[tokio::test]
async fn hole_09_a_permission_waits_for_a_person_too() {
    let world = World::new("hole-09");
    let desk = world.desk();
    for capability in Capability::ALL {
        let created = desk.create(NewRequest::new(*capability, "Allow it.")).await.unwrap();
        assert_eq!(desk.get(&created.id).await.unwrap().state, State::Pending);
    }
}

/// A yes is for the same question of the same caller, once, also after a restart.
#[tokio::test]
async fn an_answer_is_found_again_after_a_restart_and_used_once() {
    let world = World::new("question");
    let first = world.desk();
    let question = Some([7; 32]);
    let created = first.create(NewRequest { question, ..login() }).await.unwrap();
    let elsewhere = world.desk();
    assert_eq!(first.asked_before([7; 32]).await.unwrap(), Some(created.id.clone()));
    assert_eq!(elsewhere.asked_before([7; 32]).await.unwrap(), None);
    drop(first);
    assert_eq!(elsewhere.asked_before([8; 32]).await.unwrap(), None);
    assert_eq!(elsewhere.asked_before([7; 32]).await.unwrap(), Some(created.id.clone()));
    let (one, two) = tokio::join!(elsewhere.use_up(&created.id), elsewhere.use_up(&created.id));
    assert!(one.unwrap() != two.unwrap());
    assert_eq!(elsewhere.asked_before([7; 32]).await.unwrap(), None);
}

/// A database of an earlier version is used on, and what it sealed counts as gone.
#[tokio::test]
async fn an_earlier_database_is_taken_over() {
    let world = World::new("earlier");
    drop(world.desk());
    let file = world.folder.join("approvals/approvals.sqlite3");
    let database = Connection::open(&file).unwrap();
    let old = "ALTER TABLE request DROP COLUMN question;
        ALTER TABLE request ADD COLUMN public_key BLOB NOT NULL DEFAULT x'00'; PRAGMA user_version = 1;";
    database.execute_batch(old).unwrap();
    let row = "INSERT INTO request (id, token_hash, state, asked, created_ms, expires_ms, changed, holder,
        decided_ms, given, sealed) SELECT 'ap-1', x'00', 'approved', ?1, 0, 1, 1, 'gone', 1794700000000,
        '[{\"kind\":\"text\"}]', x'0102'";
    let asked = json!({"capability": "2fa", "instruction": "x", "origin": "",
        "page": ApprovalPage::new(Capability::ALL[0], None).0});
    database.execute(row, [asked.to_string()]).unwrap();
    drop(database);
    let desk = world.desk();
    let decision = desk.wait("ap-1").await.unwrap();
    assert!(decision.artifacts.is_empty() && decision.request.dropped.is_some());
    desk.create(login()).await.unwrap();
}
