//! The ledger: which keyed requests were accepted, and what came of them.
//!
//! A request with a key is recorded before anything is sent to a phone, and its
//! outcome is recorded before the caller gets it. So a key has one outcome for
//! ever, and a request whose process died is never run a second time.
//!
//! Records are in SQLite. Whether a request is still running is decided by a
//! lock on its `KeyFile`, which the system releases when the process dies.

mod key_file;
mod table;

pub use key_file::{Phase, StepMark};

use clawperator_contract::{ErrorCode, Failure, OperatorDetails, words};
use clawperator_phone::{SealKey, Waiters, lock_within};
use clawperator_private as private;
use futures_core::future::BoxFuture;
use key_file::KeyFile;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use std::fs::{Permissions, set_permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use table::{LedgerRow, Origin};

/// The most requests that are kept. Older ones are forgotten, unless they run.
pub const MAX_REQUESTS: u64 = 10_000;
/// How long to wait for another process that makes the ledger.
const CREATING: Duration = Duration::from_secs(10);
/// The most bytes of records that are kept.
pub const MAX_BYTES: u64 = 256 << 20;

/// The requests that this user's processes have accepted.
#[derive(Clone, Debug)]
pub struct Ledger {
    database: Arc<Mutex<Connection>>,
    file: PathBuf,
    keys: PathBuf,
    /// Hashes digests, so that a short text of a payload cannot be guessed. It
    /// lasts as long as the records.
    seal: Arc<SealKey>,
    waiters: Waiters,
}

/// A request that wants to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub key: String,
    pub run: String,
    /// The digest of the payload. Only a keyed hash of it is stored.
    pub digest: [u8; 32],
    /// The phone that the caller named.
    pub device: Option<String>,
    pub now_ms: u64,
}

/// What the ledger says of a claim.
#[derive(Debug)]
pub enum Acceptance {
    /// It is new: run it, and store its outcome.
    New(LedgerEntry),
    /// It was run before; this came of it.
    Done(StoredOutcome),
    /// The key belongs to another payload or another phone.
    Conflict(Conflict),
    /// It is still running, in this process or another.
    Running,
    /// It was stopped while it waited for a running one; it is not recorded.
    Stopped,
}

/// What differs between two requests with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    Payload,
    /// The phone; this one was named first, or used if none was named.
    Device(String),
}

/// An outcome, as the caller got it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoredOutcome {
    pub kind: OutcomeKind,
    /// Its JSON, byte for byte.
    #[serde(with = "crate::order::raw_json")]
    pub json: String,
}

impl StoredOutcome {
    /// The same, and that it could not be stored.
    pub(crate) fn not_stored(self, why: &str) -> Self {
        // We wrote it.
        let mut value: serde_json::Value = serde_json::from_str(&self.json).unwrap_or_default();
        match self.kind {
            OutcomeKind::Error => value["details"]["notStored"] = why.into(),
            OutcomeKind::Success | OutcomeKind::Failed => value["notStored"] = why.into(),
        }
        let json = value.to_string();
        Self { json, ..self }
    }
}

words! {
    /// How a request can end.
    pub OutcomeKind {
        Success = "success",
        /// A step failed; there is an envelope.
        Failed = "failed",
        /// There is no envelope, but an error object.
        Error = "error",
    }
}

/// A request that is recorded and has no outcome yet. While it lives no other
/// process runs the key; if it is dropped without [`LedgerEntry::finish`] or
/// [`LedgerEntry::release`], the outcome is unknown.
#[derive(Debug)]
pub struct LedgerEntry {
    ledger: Ledger,
    key: String,
    file: Arc<KeyFile>,
}

/// What is recorded of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunRecord {
    Done(StoredOutcome),
    Running,
}

/// A run for which commands may have reached a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BegunRun {
    pub run: String,
    pub serial: String,
}

/// Why the ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("cannot use the ledger at {}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("cannot use the ledger at {}: {error}", path.display())]
    Database { path: PathBuf, error: rusqlite::Error },
    /// There is a file, and it is no ledger: something has emptied or replaced it.
    #[error("the ledger at {} is damaged: it has no tables", path.display())]
    Damaged { path: PathBuf },
    #[error("the ledger at {} has version {found}, which a newer program wrote", path.display())]
    Version { path: PathBuf, found: i64 },
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        // Another folder, or an empty one, would let every old key run again.
        Self::new(ErrorCode::StateFolderUnusable, error.to_string()).hint(
            "Repair or restore this file. A new or another one knows none of the keys that were used, so a request \
             that is sent again would run again: look at the phone first.",
        )
    }
}

impl Ledger {
    /// Opens the ledger in a folder, and creates it if it is not there.
    pub fn open(folder: &Path) -> Result<Self, LedgerError> {
        let file = folder.join("ledger.sqlite3");
        let keys = folder.join("keys");
        let failed = |path: &Path, error| LedgerError::Io { path: path.to_owned(), error };
        private::folder(&keys).map_err(|error| failed(&keys, error))?;
        if !file.try_exists().map_err(|error| failed(&file, error))? {
            create(folder, &file)?;
        }
        let mode = |path: &Path| Ok(std::fs::metadata(path)?.permissions());
        let usual = mode(&file).map_err(|error| failed(&file, error))?;
        // SQLite would give its other files this mode, and they would keep it.
        if usual.readonly() {
            let error = io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only");
            return Err(failed(&file, error));
        }
        for beside in ["ledger.sqlite3-shm", "ledger.sqlite3-wal"].map(|name| folder.join(name)) {
            if mode(&beside).is_ok_and(|mode: Permissions| mode.readonly()) {
                set_permissions(&beside, usual.clone()).map_err(|error| failed(&beside, error))?;
            }
        }
        let seal = folder.join("digest.key");
        Ok(Self {
            database: Arc::new(Mutex::new(table::open(&file, Origin::Stored)?)),
            seal: Arc::new(SealKey::at(&seal).map_err(|error| failed(&seal, error))?),
            file,
            keys,
            waiters: Waiters::default(),
        })
    }

    /// Records a claim, or tells what came of it before. A request that is
    /// running is waited for, until `stop` is ready.
    ///
    /// # Errors
    /// [`LedgerError`]; then nothing may be sent.
    pub async fn accept(
        &self,
        claim: Claim,
        wait: Duration,
        stop: impl Future<Output = ()>,
    ) -> Result<Acceptance, LedgerError> {
        // What is known already needs no lock.
        if let Some(row) = self.row(&claim.key).await? {
            if let Some(conflict) = row.conflict(&claim, &self.seal) {
                return Ok(Acceptance::Conflict(conflict));
            }
            if let Some(outcome) = row.outcome {
                return Ok(Acceptance::Done(outcome));
            }
        }
        let path = self.keys.join(KeyFile::name(&claim.key));
        // Only the waiting is stopped: a claim that is being recorded gets its
        // entry, or else its outcome would be unknown.
        let locked = tokio::select! {
            biased;
            locked = KeyFile::lock(&path, &self.waiters, wait) => locked,
            () = stop => return Ok(Acceptance::Stopped),
        };
        let Some(file) = locked.map_err(|error| LedgerError::Io { path, error })? else {
            return Ok(Acceptance::Running);
        };
        let ledger = self.clone();
        self.call(move |database| ledger.settle(database, &claim, file)).await
    }

    /// Decides on a claim while this process holds the lock of its key.
    fn settle(&self, database: &Connection, claim: &Claim, file: KeyFile) -> rusqlite::Result<Acceptance> {
        let Some(row) = table::find(database, &claim.key)? else {
            table::insert(database, claim, &self.seal)?;
            return Ok(Acceptance::New(LedgerEntry {
                ledger: self.clone(),
                key: claim.key.clone(),
                file: Arc::new(file),
            }));
        };
        let conflict = row.conflict(claim, &self.seal);
        let outcome = match row.outcome {
            Some(outcome) => outcome,
            // A process that runs it would hold the lock: it has died.
            None => {
                let outcome = unknown_outcome(&claim.key, row.started, file.last_step());
                table::finish(database, &claim.key, &outcome, claim.now_ms)?;
                outcome
            }
        };
        file.remove();
        Ok(match conflict {
            Some(conflict) => Acceptance::Conflict(conflict),
            None => Acceptance::Done(outcome),
        })
    }

    /// Forgets the oldest requests, so that the ledger stays in its limits. A
    /// request that is running stays.
    pub fn prune(&self, most: u64, bytes: u64) -> BoxFuture<'_, Result<(), LedgerError>> {
        Box::pin(async move {
            let keys = self.keys.clone();
            self.call(move |database| {
                table::prune(database, most, bytes)?;
                for key in table::old_without_outcome(database, most)? {
                    // A lock that can be taken was left by a process that died.
                    if let Ok(Some(file)) = KeyFile::try_lock(&keys.join(KeyFile::name(&key))) {
                        table::remove(database, &key)?;
                        file.remove();
                    }
                }
                Ok(())
            })
            .await
        })
    }

    /// What came of a run. One whose process died has an outcome from now on: it is unknown.
    pub fn run<'f>(
        &'f self,
        run: &'f str,
        now_ms: u64,
    ) -> BoxFuture<'f, Result<Option<RunRecord>, LedgerError>> {
        Box::pin(async move {
            let (run, keys) = (run.to_owned(), self.keys.clone());
            self.call(move |database| {
                let Some((key, row)) = table::find_run(database, &run)? else {
                    return Ok(None);
                };
                if let Some(outcome) = row.outcome {
                    return Ok(Some(RunRecord::Done(outcome)));
                }
                let Ok(Some(file)) = KeyFile::try_lock(&keys.join(KeyFile::name(&key))) else {
                    return Ok(Some(RunRecord::Running));
                };
                let outcome = unknown_outcome(&key, row.started, file.last_step());
                table::finish(database, &key, &outcome, now_ms)?;
                file.remove();
                Ok(Some(RunRecord::Done(outcome)))
            })
            .await
        })
    }

    /// The last run that began of those whose key begins like this.
    pub async fn begun(&self, key: String) -> Result<Option<BegunRun>, LedgerError> {
        self.call(move |database| table::find_begun(database, &key)).await
    }

    async fn row(&self, key: &str) -> Result<Option<LedgerRow>, LedgerError> {
        let key = key.to_owned();
        self.call(move |database| table::find(database, &key)).await
    }

    /// Does something with the database where it may take its time.
    async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let database = self.database.clone();
        let done = tokio::task::spawn_blocking(move || {
            // Whatever was not committed is rolled back with its transaction.
            work(&mut database.lock().unwrap_or_else(PoisonError::into_inner))
        });
        let path = || self.file.clone();
        match done.await {
            Ok(done) => done.map_err(|error| LedgerError::Database { path: path(), error }),
            Err(error) => Err(LedgerError::Io { path: path(), error: io::Error::other(error) }),
        }
    }
}

/// Makes a ledger whole before it has its name, so that one without tables is never a new one.
fn create(folder: &Path, file: &Path) -> Result<(), LedgerError> {
    let failed = |error| LedgerError::Io { path: file.to_owned(), error };
    let _alone = lock_within(&folder.join("create.lock"), CREATING).map_err(failed)?;
    if file.try_exists().map_err(failed)? {
        return Ok(());
    }
    let fresh = folder.join("fresh.sqlite3");
    // Left by a process that was killed meanwhile.
    let _ = std::fs::remove_file(&fresh);
    // SQLite gives its other files the mode of this one.
    let created = private::options().append(true).create(true).open(&fresh);
    created.map_err(failed)?;
    drop(table::open(&fresh, Origin::New)?);
    std::fs::rename(&fresh, file).map_err(failed)
}

impl LedgerEntry {
    /// Records that from now on commands may reach the phone of this serial.
    ///
    /// # Errors
    /// [`LedgerError`]; then nothing may be sent.
    pub async fn start(&self, serial: &str, now_ms: u64) -> Result<(), LedgerError> {
        let (key, serial) = (self.key.clone(), serial.to_owned());
        self.ledger.call(move |database| table::start(database, &key, &serial, now_ms)).await
    }

    /// Where the steps of the run are marked.
    pub fn steps(&self) -> StepMarks {
        StepMarks(Arc::downgrade(&self.file))
    }

    /// Stores the outcome.
    ///
    /// # Errors
    /// [`LedgerError`]; then the outcome is unknown to later callers.
    pub async fn finish(self, outcome: StoredOutcome, now_ms: u64) -> Result<(), LedgerError> {
        let (key, file) = (self.key.clone(), self.file.clone());
        self.ledger
            .call(move |database| {
                table::finish(database, &key, &outcome, now_ms)?;
                file.remove();
                Ok(())
            })
            .await?;
        // The outcome is stored; if there is no room, the next one tries again.
        let _ = self.ledger.prune(MAX_REQUESTS, MAX_BYTES).await;
        Ok(())
    }

    /// Forgets the request: nothing was sent, so the key may be used again.
    pub async fn release(self) -> Result<(), LedgerError> {
        let (key, file) = (self.key.clone(), self.file.clone());
        self.ledger
            .call(move |database| {
                table::remove(database, &key)?;
                file.remove();
                Ok(())
            })
            .await
    }
}

/// Marks how far a run is, in one system call. It does not keep the key locked.
#[derive(Clone, Debug)]
pub struct StepMarks(Weak<KeyFile>);

impl StepMarks {
    /// Marks that a step began or ended.
    pub fn mark(&self, step: &StepMark) {
        if let Some(file) = self.0.upgrade() {
            file.mark(step);
        }
    }
}

/// The outcome of a request whose process died.
fn unknown_outcome(key: &str, started: bool, last: Option<StepMark>) -> StoredOutcome {
    let died =
        format!("the process that ran \"{key}\" ended before it stored the outcome, or could not store it");
    let message = match (&last, started) {
        (Some(StepMark { id, action, phase, .. }), _) => {
            format!("{died}; the last known step is \"{id}\" ({action}), which {}", phase.word())
        }
        (None, true) => format!("{died}; no step is known to have begun"),
        (None, false) => format!("{died}, while it waited for the phone; nothing was sent"),
    };
    let known = OperatorDetails {
        command_id: Some(key.to_owned()),
        last_action_id: last.as_ref().map(|step| step.id.clone()),
        last_action_type: last.as_ref().map(|step| step.action.clone()),
        last_action_phase: last.map(|step| step.phase.word().to_owned()),
        ..OperatorDetails::default()
    };
    let failure = Failure::of(ErrorCode::ExecutionOutcomeUnknown, message).with(|details| {
        details.dispatched = Some(if started { "unknown" } else { "no" }.to_owned());
        details.operator = Some(Box::new(known));
    });
    StoredOutcome {
        kind: OutcomeKind::Error,
        // Texts and numbers can always be written.
        json: serde_json::to_string(&failure).unwrap_or_default(),
    }
}
