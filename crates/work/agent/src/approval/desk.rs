//! The desk: where requests are made, shown, decided and waited for.

use super::answer::Submission;
use super::artifact::Artifact;
use super::error::DeskError;
use super::limits;
use super::page::ApprovalPage;
use super::request::{ApprovalRequest, CreatedRequest, NewRequest, RequestContent, ScreenPicture, State};
use super::table::{self, Fresh};
use super::token::{ApprovalToken, is_token, random_id};
use clawperator_contract::text;
use clawperator_events::Clock;
use clawperator_phone::{HeldFile, is_held};
use clawperator_private as private;
use clawperator_redact::Secrets;
use futures_core::future::BoxFuture;
use rusqlite::{Connection, TransactionBehavior};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How often to look for decisions that other processes stored.
pub(super) const POLL: Duration = Duration::from_millis(250);
/// The most answers that are kept in memory.
pub(super) const ANSWERS: usize = 32;
/// The most files of ended processes that are looked at.
const HOLDERS: usize = 1_000;
pub(super) const UNREADABLE: &str = "it could not be sealed, or the key that opens it is gone";

/// Where requests are made, shown, decided and waited for.
#[derive(Clone, Debug)]
pub struct Desk(pub(super) Arc<DeskState>);

#[derive(Debug)]
pub(super) struct DeskState {
    database: Mutex<Connection>,
    file: PathBuf,
    pub(super) state: PathBuf,
    pub(super) holders: PathBuf,
    pub(super) clock: Arc<Clock>,
    memory: Mutex<DeskMemory>,
    pub(super) changed: watch::Sender<u64>,
}

/// What only this process knows.
#[derive(Debug, Default)]
pub(super) struct DeskMemory {
    /// Proves that this process lives, once it waits for something.
    holder: Option<(String, HeldFile)>,
    /// What it got, the latest last.
    pub(super) answers: Vec<(String, Arc<Vec<Artifact>>)>,
}

impl Drop for DeskMemory {
    fn drop(&mut self) {
        if let Some((_, file)) = &self.holder {
            file.remove();
        }
    }
}

/// Who decides.
#[derive(Clone, Copy, Debug)]
pub enum Who<'w> {
    Token(&'w str),
    /// The user of this computer, at this surface.
    User(&'static str),
}

/// What a person decides.
#[derive(Debug)]
pub enum PersonDecision {
    Approve { answer: Submission, note: Option<String> },
    Reject { note: Option<String> },
}

pub(super) type Result<T> = std::result::Result<T, DeskError>;

impl Desk {
    /// Opens the desk of a state folder, and makes it if it is not there.
    pub fn open(state: &Path, clock: Arc<Clock>) -> Result<Self> {
        let folder = state.join("approvals");
        let (file, holders) = (folder.join("approvals.sqlite3"), folder.join("waiting"));
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| DeskError::Io { path, error }
        };
        private::folder(&holders).map_err(failed(&holders))?;
        // SQLite gives its other files the mode of this one.
        private::append(&file).map_err(failed(&file))?;
        let opened = table::open(&file);
        let (database, found) = opened.map_err(|error| DeskError::Database { path: file.clone(), error })?;
        if found != table::VERSION {
            return Err(DeskError::Version { path: file, found });
        }
        remove_leftovers(&holders);
        Ok(Self(Arc::new(DeskState {
            database: Mutex::new(database),
            file,
            state: state.to_owned(),
            holders,
            clock,
            memory: Mutex::default(),
            changed: watch::Sender::new(0),
        })))
    }

    /// Makes a request. This process is the one that waits for its answer.
    pub fn create(&self, new: NewRequest) -> BoxFuture<'_, Result<CreatedRequest>> {
        Box::pin(async move { self.create_as(random_id()?, new).await })
    }

    /// Makes a request with an id from [`random_id`], so that it can be taken back
    /// while this is under way.
    pub(crate) async fn create_as(&self, id: String, new: NewRequest) -> Result<CreatedRequest> {
        let instruction = new.words();
        let (page, mut repairs) = match new.page {
            Some(page) => (page, Vec::new()),
            None => ApprovalPage::new(new.capability, new.template.as_ref()),
        };
        if instruction != new.instruction {
            repairs.push("instruction".to_owned());
        }
        let timeout = new.timeout.clamp(limits::MIN_TIMEOUT, limits::MAX_TIMEOUT);
        if timeout != new.timeout {
            repairs.push("timeoutSec".to_owned());
        }
        let (hash, picture) = new.screen.map_or((None, None), |screen| (Some(screen.hash), screen.picture));
        if picture.as_ref().is_some_and(|picture| !is_picture(picture)) {
            return Err(DeskError::Invalid("the picture must be a PNG, JPEG or WebP of at most 4 MiB"));
        }
        let asked = RequestContent {
            capability: new.capability,
            instruction,
            author: new.author,
            origin: text::visible(&new.origin).chars().take(limits::HINT).collect(),
            session: new.session,
            device: new.device,
            screen: hash,
            again_of: new.again_of,
            page,
        };
        let (token, holder) = (ApprovalToken::random()?, self.holder()?);
        let (now, question) = (self.0.clock.now_ms(), new.question);
        let expires_ms = now.saturating_add(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        let (stored_id, token_hash) = (id.clone(), token.hash());
        let stored = self.call(move |database| {
            table::expire(database, now)?;
            table::prune(database, limits::KEPT - 1)?;
            if table::count_pending(database)? >= limits::PENDING {
                return Ok(false);
            }
            let fresh = Fresh {
                id: &stored_id,
                token_hash,
                asked: &asked,
                created_ms: now,
                expires_ms,
                picture: picture.as_ref(),
                holder: &holder,
                question,
            };
            table::insert(database, &fresh).map(|()| true)
        });
        if !stored.await? {
            return Err(DeskError::TooMany);
        }
        self.tell();
        Ok(CreatedRequest { id, token, expires_ms, repairs })
    }

    /// A request.
    pub fn get<'f>(&'f self, id: &'f str) -> BoxFuture<'f, Result<ApprovalRequest>> {
        Box::pin(async move {
            let (now, wanted) = (self.0.clock.now_ms(), id.to_owned());
            let found = self.call(move |database| {
                table::expire(database, now)?;
                table::find(database, &wanted)
            });
            found.await?.ok_or_else(|| not_found(id))
        })
    }

    /// The request of an id, for a caller with its token.
    ///
    /// # Errors
    /// [`DeskError::WrongToken`], also if there is no such request.
    pub fn with_token<'f>(&'f self, id: &'f str, token: &'f str) -> BoxFuture<'f, Result<ApprovalRequest>> {
        Box::pin(async move {
            let wanted = id.to_owned();
            let stored = self.call(move |database| table::column(database, "token_hash", &wanted));
            let stored: Vec<u8> = stored.await?.unwrap_or_default();
            if !is_token(token, &stored) {
                return Err(DeskError::WrongToken);
            }
            self.get(id).await
        })
    }

    /// Makes a new link for a request without a decision. The old one is void.
    pub fn renew<'f>(&'f self, id: &'f str) -> BoxFuture<'f, Result<CreatedRequest>> {
        Box::pin(async move {
            let request = self.get(id).await?;
            let token = ApprovalToken::random()?;
            let (name, hash) = (id.to_owned(), token.hash());
            let renewed = self.call(move |database| table::renew(database, &name, hash));
            if !renewed.await? {
                return Err(DeskError::Closed(request.state));
            }
            Ok(CreatedRequest { id: request.id, token, expires_ms: request.expires_ms, repairs: Vec::new() })
        })
    }

    /// The newest requests, the newest first.
    pub fn list(&self, state: Option<State>, most: u64) -> BoxFuture<'_, Result<Vec<ApprovalRequest>>> {
        Box::pin(async move {
            let now = self.0.clock.now_ms();
            self.call(move |database| {
                table::expire(database, now)?;
                table::list(database, state, most)
            })
            .await
        })
    }

    /// The picture of the screen that a request is about, while it is pending.
    pub fn picture<'f>(&'f self, id: &'f str) -> BoxFuture<'f, Result<Option<ScreenPicture>>> {
        Box::pin(async move {
            let id = id.to_owned();
            self.call(move |database| table::picture(database, &id)).await
        })
    }

    /// Decides a request. It is decided once; a token is of no use after that.
    ///
    /// # Errors
    /// [`DeskError::WrongToken`], [`DeskError::Closed`], [`DeskError::Unfit`],
    /// or why it cannot be stored; then nothing was decided.
    pub fn decide<'f>(
        &'f self,
        id: &'f str,
        who: Who<'f>,
        verdict: PersonDecision,
    ) -> BoxFuture<'f, Result<ApprovalRequest>> {
        Box::pin(async move {
            let (request, by) = match who {
                Who::Token(token) => (self.with_token(id, token).await?, "page"),
                Who::User(surface) => (self.get(id).await?, surface),
            };
            if request.state != State::Pending {
                return Err(DeskError::Closed(request.state));
            }
            let (state, note, answer) = match verdict {
                PersonDecision::Reject { note } => (State::Rejected, note, None),
                PersonDecision::Approve { answer, note } => (State::Approved, note, Some(answer)),
            };
            let page = &request.asked.page;
            let artifacts = answer.as_ref().map_or(Ok(Vec::new()), |answer| answer.artifacts(page));
            let artifacts = artifacts.map_err(DeskError::Unfit)?;
            let note = note
                .filter(|_| page.note.is_some() || state == State::Rejected)
                .and_then(|note| clean_note(&note, &artifacts));
            let given: Vec<_> = artifacts.iter().map(Artifact::describe).collect();
            let (desk, name, now) = (self.clone(), id.to_owned(), self.0.clock.now_ms());
            let decided = self.call(move |database| {
                table::expire(database, now)?;
                let answer = answer.filter(|_| !given.is_empty());
                let sealed = answer.as_ref().and_then(|answer| {
                    let key = desk.key()?;
                    key.seal(&super::wait::label(&name), answer.bytes().to_vec()).ok()
                });
                let dropped = (answer.is_some() && sealed.is_none()).then_some(UNREADABLE);
                let verdict = table::StoredDecision {
                    state,
                    by,
                    now_ms: now,
                    note: note.as_deref(),
                    given: table::json(&given)?,
                    dropped,
                    sealed,
                };
                table::decide(database, &name, &verdict)
            });
            let is_decided = decided.await?;
            let request = self.get(id).await?;
            if !is_decided {
                return Err(DeskError::Closed(request.state));
            }
            self.tell();
            Ok(request)
        })
    }

    /// Rejects a request for the agent that made it: it is not needed any more, for
    /// this reason. One that was decided stays as it is.
    pub fn withdraw<'f>(&'f self, id: &'f str, why: &'static str) -> BoxFuture<'f, Result<ApprovalRequest>> {
        Box::pin(async move {
            let (name, now) = (id.to_owned(), self.0.clock.now_ms());
            let ended = self.call(move |database| {
                let verdict = table::StoredDecision {
                    state: State::Rejected,
                    by: "agent",
                    now_ms: now,
                    note: Some(why),
                    given: "[]".to_owned(),
                    dropped: None,
                    sealed: None,
                };
                table::decide(database, &name, &verdict)
            });
            ended.await?;
            self.tell();
            self.get(id).await
        })
    }

    /// Now, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.0.clock.now_ms()
    }

    /// What a person gave for a request, if this process waited for it.
    pub fn artifacts(&self, id: &str) -> Option<Arc<Vec<Artifact>>> {
        let memory = self.memory();
        let found = memory.answers.iter().rev().find(|answer| answer.0 == id);
        found.map(|answer| answer.1.clone())
    }

    /// The number of the last change of any request.
    pub fn last_change(&self) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move { self.call(table::last_change).await })
    }

    /// Waits for the first request that changes after a change.
    pub fn next_change(&self, after: u64) -> BoxFuture<'_, Result<(u64, ApprovalRequest)>> {
        Box::pin(async move {
            let mut changed = self.0.changed.subscribe();
            loop {
                let now = self.0.clock.now_ms();
                let next = self.call(move |database| {
                    table::expire(database, now)?;
                    table::next_change(database, after)
                });
                if let Some(next) = next.await? {
                    return Ok(next);
                }
                let _ = tokio::time::timeout(POLL, changed.changed()).await;
            }
        })
    }

    /// Whether a request was made here, rather than by another process.
    pub fn is_ours<'f>(&'f self, id: &'f str) -> BoxFuture<'f, Result<bool>> {
        Box::pin(async move {
            let (id, own) = (id.to_owned(), self.holder()?);
            self.call(move |database| Ok(table::column(database, "holder", &id)? == Some(own))).await
        })
    }

    /// The name under which this process proves that it lives.
    pub(super) fn holder(&self) -> Result<String> {
        let mut memory = self.memory();
        if let Some((name, _)) = &memory.holder {
            return Ok(name.clone());
        }
        let name = random_id()?;
        let path = self.0.holders.join(&name);
        let failed = |error| DeskError::Io { path: path.clone(), error };
        let held = HeldFile::try_lock(&path).map_err(failed)?;
        let held = held.ok_or_else(|| failed(io::ErrorKind::AlreadyExists.into()))?;
        memory.holder = Some((name.clone(), held));
        Ok(name)
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, DeskMemory> {
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        self.0.changed.send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    /// Does something with the database, in one transaction, where it may take its time.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let inner = self.0.clone();
        let done = tokio::task::spawn_blocking(move || {
            let mut database = inner.database.lock().unwrap_or_else(PoisonError::into_inner);
            let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&change)?;
            change.commit()?;
            Ok(done)
        });
        let path = || self.0.file.clone();
        match done.await {
            Ok(done) => done.map_err(|error| DeskError::Database { path: path(), error }),
            Err(error) => Err(DeskError::Io { path: path(), error: io::Error::other(error) }),
        }
    }
}

pub(super) fn not_found(id: &str) -> DeskError {
    DeskError::NotFound(text::excerpt(id).to_string())
}

/// What a person wrote, without what else they gave.
fn clean_note(note: &str, artifacts: &[Artifact]) -> Option<String> {
    let mut secrets = Secrets::default();
    for (_, secret) in artifacts.iter().flat_map(Artifact::values) {
        secrets.add(secret.expose());
    }
    let cut: String = note.trim().chars().take(limits::NOTE).collect();
    Some(secrets.hide(&cut)).filter(|note| !note.is_empty())
}

fn is_picture(picture: &ScreenPicture) -> bool {
    let begins: &[u8] = match picture.media_type.as_str() {
        "image/png" => b"\x89PNG",
        "image/jpeg" => b"\xff\xd8",
        "image/webp" => b"RIFF",
        _ => return false,
    };
    picture.bytes.len() <= limits::PICTURE && picture.bytes.starts_with(begins)
}

/// Whether the process of that name lives. If that cannot be told, it does not:
/// then what is given is dropped.
pub(super) fn is_alive(holders: &Path, name: &str) -> bool {
    is_held(&holders.join(name)).unwrap_or(false)
}

fn remove_leftovers(holders: &Path) {
    let Ok(files) = std::fs::read_dir(holders) else {
        return;
    };
    for file in files.take(HOLDERS).flatten() {
        // A lock that can be taken was left by a process that ended.
        if let Ok(Some(held)) = HeldFile::try_lock(&file.path()) {
            held.remove();
        }
    }
}
