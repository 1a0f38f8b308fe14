//! The ledger's table: every SQL statement is here.

use super::{BegunRun, Claim, Conflict, LedgerError, OutcomeKind, StoredOutcome};
use clawperator_phone::SealKey;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode as SqliteCode, OptionalExtension as _, TransactionBehavior, params};
use std::path::Path;
use std::time::Duration;

const VERSION: i64 = 2;
/// How long to wait for another process's transaction.
const BUSY: Duration = Duration::from_secs(10);
/// How many requests are forgotten at a time for want of room.
const BATCH: u64 = 100;
/// How often the switch to the write-ahead log is tried. SQLite does not wait
/// by itself there; other steps wait as long, see [`BUSY`].
const WAL_TRIES: u32 = 500;
/// The time between two tries.
const WAL_PAUSE: Duration = Duration::from_millis(20);
/// The oldest requests beyond the `?1` newest ones. They are counted, because
/// released keys leave gaps in the ids.
const OLD: &str =
    "id IN (SELECT id FROM request ORDER BY id LIMIT max(0, (SELECT count(*) FROM request) - ?1))";

const TABLES: &str = "
    CREATE TABLE request (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        key         TEXT NOT NULL UNIQUE,
        digest      BLOB NOT NULL,
        device      TEXT,
        accepted_ms INTEGER NOT NULL,
        started_ms  INTEGER,
        ended_ms    INTEGER,
        kind        TEXT,
        outcome     TEXT
    ) STRICT;
    CREATE INDEX request_open ON request (id) WHERE outcome IS NULL;";

/// What version 2 has beside version 1.
const RUN_NAMES: &str = "
    ALTER TABLE request ADD COLUMN run TEXT;
    CREATE INDEX request_run ON request (run);";

pub(super) struct LedgerRow {
    digest: Vec<u8>,
    device: Option<String>,
    /// Whether commands may have reached the phone.
    pub(super) started: bool,
    pub(super) outcome: Option<StoredOutcome>,
}

impl LedgerRow {
    /// What differs from a claim with the same key. A claim that names no phone
    /// means whichever it was.
    pub(super) fn conflict(&self, claim: &Claim, seal: &SealKey) -> Option<Conflict> {
        // Earlier versions stored the digest itself.
        if self.digest != sealed(claim, seal) && self.digest != claim.digest {
            return Some(Conflict::Payload);
        }
        let first = self.device.as_ref()?;
        let other = claim.device.as_ref().is_some_and(|device| device != first);
        other.then(|| Conflict::Device(first.clone()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    New,
    /// It was made before, so it has tables.
    Stored,
}

pub(super) fn open(path: &Path, origin: Origin) -> Result<Connection, LedgerError> {
    let failed = |error| LedgerError::Database { path: path.to_owned(), error };
    let mut database = Connection::open(path).map_err(failed)?;
    database.busy_timeout(BUSY).map_err(failed)?;
    let has_tables = version(&database).map_err(failed)? > 0;
    if origin == Origin::Stored && !has_tables {
        return Err(LedgerError::Damaged { path: path.to_owned() });
    }
    let found = prepare(&mut database).map_err(failed)?;
    if found == VERSION {
        Ok(database)
    } else {
        let path = path.to_owned();
        Err(LedgerError::Version { path, found })
    }
}

/// Prepares a database, and tells the version of its tables.
fn prepare(database: &mut Connection) -> rusqlite::Result<i64> {
    use_write_ahead_log(database)?;
    // What was committed survives a loss of power.
    database.pragma_update(None, "synchronous", "FULL")?;
    if version(database)? < VERSION {
        let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have been faster.
        let found = version(&change)?;
        if found < 1 {
            change.execute_batch(TABLES)?;
        }
        if found < VERSION {
            change.execute_batch(RUN_NAMES)?;
            change.pragma_update(None, "user_version", VERSION)?;
        }
        change.commit()?;
    }
    version(database)
}

fn version(database: &Connection) -> rusqlite::Result<i64> {
    database.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Another process that opens the database at the same time can be in the way.
fn use_write_ahead_log(database: &Connection) -> rusqlite::Result<()> {
    let mut tries = 1;
    loop {
        match database.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if tries < WAL_TRIES && error.sqlite_error_code() == Some(SqliteCode::DatabaseBusy) =>
            {
                tries += 1;
                std::thread::sleep(WAL_PAUSE);
            }
            done => return done,
        }
    }
}

pub(super) fn find(database: &Connection, key: &str) -> rusqlite::Result<Option<LedgerRow>> {
    let sql = "SELECT digest, device, started_ms, kind, outcome FROM request WHERE key = ?1";
    database.query_row(sql, [key], read).optional()
}

/// The request of a run, and its key.
pub(super) fn find_run(database: &Connection, run: &str) -> rusqlite::Result<Option<(String, LedgerRow)>> {
    let sql = "SELECT digest, device, started_ms, kind, outcome, key FROM request WHERE run = ?1";
    let found = database.query_row(sql, [run], |row| Ok((row.get(5)?, read(row)?)));
    found.optional()
}

/// The last run whose key begins like this and for which commands may have reached a phone.
pub(super) fn find_begun(database: &Connection, key: &str) -> rusqlite::Result<Option<BegunRun>> {
    let sql = "SELECT run, device FROM request WHERE key BETWEEN ?1 AND ?1 || '~' AND started_ms IS NOT NULL
        AND run IS NOT NULL ORDER BY id DESC LIMIT 1";
    let found = database.query_row(sql, [key], |row| Ok(BegunRun { run: row.get(0)?, serial: row.get(1)? }));
    found.optional()
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<LedgerRow> {
    let kind: Option<OutcomeKind> = row.get(3)?;
    let json: Option<String> = row.get(4)?;
    Ok(LedgerRow {
        digest: row.get(0)?,
        device: row.get(1)?,
        started: row.get::<_, Option<i64>>(2)?.is_some(),
        outcome: kind.zip(json).map(|(kind, json)| StoredOutcome { kind, json }),
    })
}

pub(super) fn insert(database: &Connection, claim: &Claim, seal: &SealKey) -> rusqlite::Result<()> {
    let sql = "INSERT INTO request (key, digest, device, accepted_ms, run) VALUES (?1, ?2, ?3, ?4, ?5)";
    let accepted_ms = signed(claim.now_ms);
    let values = params![claim.key, sealed(claim, seal), claim.device, accepted_ms, claim.run];
    database.execute(sql, values)?;
    Ok(())
}

fn sealed(claim: &Claim, seal: &SealKey) -> Vec<u8> {
    seal.hash(&format!("{:?}", claim.digest)).into_bytes()
}

/// Marks a request as started. If its caller named no phone, it belongs to this one from now on.
pub(super) fn start(database: &Connection, key: &str, serial: &str, now_ms: u64) -> rusqlite::Result<()> {
    let sql = "UPDATE request SET started_ms = ?2, device = coalesce(device, ?3) WHERE key = ?1";
    database.execute(sql, params![key, signed(now_ms), serial])?;
    Ok(())
}

pub(super) fn finish(
    database: &Connection,
    key: &str,
    outcome: &StoredOutcome,
    now_ms: u64,
) -> rusqlite::Result<()> {
    let sql = "UPDATE request SET kind = ?2, outcome = ?3, ended_ms = ?4 WHERE key = ?1 AND outcome IS NULL";
    database.execute(sql, params![key, outcome.kind, outcome.json, signed(now_ms)])?;
    Ok(())
}

pub(super) fn remove(database: &Connection, key: &str) -> rusqlite::Result<()> {
    database.execute("DELETE FROM request WHERE key = ?1", [key])?;
    Ok(())
}

/// Forgets the oldest requests that have an outcome, as far as there are more
/// than `most`, or they take more than `bytes`.
pub(super) fn prune(database: &Connection, most: u64, bytes: u64) -> rusqlite::Result<()> {
    let old = format!("DELETE FROM request WHERE outcome IS NOT NULL AND {OLD}");
    database.execute(&old, [signed(most)])?;
    let oldest = "DELETE FROM request WHERE id IN
        (SELECT id FROM request WHERE outcome IS NOT NULL ORDER BY id LIMIT ?1)";
    while used_bytes(database)? > bytes {
        if database.execute(oldest, [signed(BATCH)])? == 0 {
            break;
        }
    }
    Ok(())
}

/// The keys of old requests that have no outcome.
pub(super) fn old_without_outcome(database: &Connection, most: u64) -> rusqlite::Result<Vec<String>> {
    let sql = format!("SELECT key FROM request WHERE outcome IS NULL AND {OLD} LIMIT ?2");
    let mut old = database.prepare(&sql)?;
    let keys = old.query_map([signed(most), signed(BATCH)], |row| row.get(0))?;
    keys.collect()
}

fn used_bytes(database: &Connection) -> rusqlite::Result<u64> {
    let ask = |name: &str| database.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = ask("page_count")? - ask("freelist_count")?;
    Ok(u64::try_from(pages * ask("page_size")?).unwrap_or_default())
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl ToSql for OutcomeKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.word().into())
    }
}

impl FromSql for OutcomeKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let word = value.as_str()?;
        let mut all = [Self::Success, Self::Failed, Self::Error].into_iter();
        all.find(|kind| kind.word() == word).ok_or(FromSqlError::InvalidType)
    }
}
