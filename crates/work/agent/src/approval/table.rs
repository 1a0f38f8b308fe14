//! The table of approvals: every SQL statement is here.

use super::request::{ApprovalRequest, RequestContent, ScreenPicture, State};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params};
use std::path::Path;
use std::time::Duration;

pub(super) const VERSION: i64 = 2;
/// How long what was given is kept after the decision, in milliseconds.
const KEPT_MS: u64 = 60 * 60 * 1000;
const BUSY: Duration = Duration::from_secs(10);

const TABLE: &str = "
    CREATE TABLE request (
        number      INTEGER PRIMARY KEY AUTOINCREMENT,
        id          TEXT NOT NULL UNIQUE,
        token_hash  BLOB NOT NULL,
        state       TEXT NOT NULL,
        asked       TEXT NOT NULL,
        created_ms  INTEGER NOT NULL,
        expires_ms  INTEGER NOT NULL,
        changed     INTEGER NOT NULL,
        picture     BLOB,
        picture_type TEXT,
        holder      TEXT NOT NULL,
        question    BLOB,
        decided_ms  INTEGER,
        decided_by  TEXT,
        note        TEXT,
        given       TEXT,
        dropped     TEXT,
        sealed      BLOB
    ) STRICT;
    CREATE INDEX request_open ON request (expires_ms) WHERE state = 'pending';
    CREATE INDEX request_changed ON request (changed);";

/// What an earlier version sealed is for a process that has ended.
const FROM_1: &str =
    "ALTER TABLE request DROP COLUMN public_key; ALTER TABLE request ADD COLUMN question BLOB;";

const COLUMNS: &str = "id, state, asked, created_ms, expires_ms, picture IS NOT NULL, decided_ms, decided_by, \
    note, given, dropped";
const NEXT: &str = "(SELECT coalesce(max(changed), 0) + 1 FROM request)";

/// A request as it is stored first.
pub(super) struct Fresh<'f> {
    pub(super) id: &'f str,
    pub(super) token_hash: [u8; 32],
    pub(super) asked: &'f RequestContent,
    pub(super) created_ms: u64,
    pub(super) expires_ms: u64,
    pub(super) picture: Option<&'f ScreenPicture>,
    pub(super) holder: &'f str,
    pub(super) question: Option<[u8; 32]>,
}

pub(super) struct StoredDecision<'v> {
    pub(super) state: State,
    pub(super) by: &'v str,
    pub(super) now_ms: u64,
    pub(super) note: Option<&'v str>,
    pub(super) given: String,
    pub(super) dropped: Option<&'v str>,
    pub(super) sealed: Option<Vec<u8>>,
}

/// Opens a database, makes its table if it is new, and tells the version.
pub(super) fn open(path: &Path) -> rusqlite::Result<(Connection, i64)> {
    let mut database = Connection::open(path)?;
    database.busy_timeout(BUSY)?;
    // What was committed survives a loss of power; what is deleted is gone.
    database.pragma_update(None, "synchronous", "FULL")?;
    database.pragma_update(None, "secure_delete", "ON")?;
    let version =
        |database: &Connection| database.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&change)?;
    if found < VERSION {
        change.execute_batch(if found < 1 { TABLE } else { FROM_1 })?;
        change.pragma_update(None, "user_version", VERSION)?;
    }
    change.commit()?;
    let found = version(&database)?;
    Ok((database, found))
}

pub(super) fn insert(database: &Connection, fresh: &Fresh<'_>) -> rusqlite::Result<()> {
    let sql = format!(
        "INSERT INTO request (id, token_hash, state, asked, created_ms, expires_ms, changed, picture,
        picture_type, holder, question) VALUES (?1, ?2, 'pending', ?3, ?4, ?5, {NEXT}, ?6, ?7, ?8, ?9)"
    );
    let values = params![
        fresh.id,
        fresh.token_hash,
        json(fresh.asked)?,
        signed(fresh.created_ms),
        signed(fresh.expires_ms),
        fresh.picture.map(|picture| &picture.bytes),
        fresh.picture.map(|picture| &picture.media_type),
        fresh.holder,
        fresh.question,
    ];
    database.execute(&sql, values)?;
    Ok(())
}

/// Ends the requests whose time is up, each a change of its own, and forgets what
/// was given too long ago.
pub(super) fn expire(database: &Connection, now_ms: u64) -> rusqlite::Result<()> {
    let sql = format!(
        "UPDATE request SET state = 'timeout', decided_ms = expires_ms, picture = NULL, changed = {NEXT}
        WHERE number = (SELECT min(number) FROM request WHERE state = 'pending' AND expires_ms <= ?1)"
    );
    while database.execute(&sql, [signed(now_ms)])? > 0 {}
    let sql = "UPDATE request SET sealed = NULL, dropped = 'its time was over'
        WHERE sealed IS NOT NULL AND decided_ms + ?2 <= ?1";
    database.execute(sql, [signed(now_ms), signed(KEPT_MS)])?;
    Ok(())
}

/// Forgets the oldest decided requests, as far as there are more than `most`.
pub(super) fn prune(database: &Connection, most: u64) -> rusqlite::Result<()> {
    let sql = "DELETE FROM request WHERE state <> 'pending' AND number IN
        (SELECT number FROM request ORDER BY number LIMIT max(0, (SELECT count(*) FROM request) - ?1))";
    database.execute(sql, [signed(most)])?;
    Ok(())
}

pub(super) fn count_pending(database: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT count(*) FROM request WHERE state = 'pending'";
    let count: i64 = database.query_row(sql, [], |row| row.get(0))?;
    Ok(unsigned(count))
}

pub(super) fn find(database: &Connection, id: &str) -> rusqlite::Result<Option<ApprovalRequest>> {
    let sql = format!("SELECT {COLUMNS} FROM request WHERE id = ?1");
    database.query_row(&sql, [id], read).optional()
}

pub(super) fn list(
    database: &Connection,
    state: Option<State>,
    most: u64,
) -> rusqlite::Result<Vec<ApprovalRequest>> {
    let sql =
        format!("SELECT {COLUMNS} FROM request WHERE ?1 IS NULL OR state = ?1 ORDER BY number DESC LIMIT ?2");
    let mut query = database.prepare(&sql)?;
    query.query_map(params![state, signed(most)], read)?.collect()
}

pub(super) fn last_change(database: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT coalesce(max(changed), 0) FROM request";
    Ok(unsigned(database.query_row(sql, [], |row| row.get(0))?))
}

/// The first request that changed after a change, and the number of that.
pub(super) fn next_change(
    database: &Connection,
    after: u64,
) -> rusqlite::Result<Option<(u64, ApprovalRequest)>> {
    let sql =
        format!("SELECT {COLUMNS}, changed FROM request WHERE changed > ?1 ORDER BY changed, number LIMIT 1");
    let found = database.query_row(&sql, [signed(after)], |row| Ok((unsigned(row.get(11)?), read(row)?)));
    found.optional()
}

/// One column of a request, if there is one.
pub(super) fn column<T: FromSql>(
    database: &Connection,
    column: &str,
    id: &str,
) -> rusqlite::Result<Option<T>> {
    let sql = format!("SELECT {column} FROM request WHERE id = ?1");
    database.query_row(&sql, [id], |row| row.get(0)).optional()
}

/// Gives a pending request another token; tells whether it is pending.
pub(super) fn renew(database: &Connection, id: &str, token_hash: [u8; 32]) -> rusqlite::Result<bool> {
    let sql = "UPDATE request SET token_hash = ?2 WHERE id = ?1 AND state = 'pending'";
    Ok(database.execute(sql, params![id, token_hash])? == 1)
}

pub(super) fn picture(database: &Connection, id: &str) -> rusqlite::Result<Option<ScreenPicture>> {
    let sql = "SELECT picture, picture_type FROM request WHERE id = ?1 AND picture IS NOT NULL";
    let found = database
        .query_row(sql, [id], |row| Ok(ScreenPicture { bytes: row.get(0)?, media_type: row.get(1)? }));
    found.optional()
}

/// The newest request of a question, and who waits for it.
pub(super) fn newest_request(
    database: &Connection,
    question: [u8; 32],
) -> rusqlite::Result<Option<(String, String)>> {
    let sql = "SELECT id, holder FROM request WHERE question = ?1 ORDER BY number DESC LIMIT 1";
    let found = database.query_row(sql, [question], |row| Ok((row.get(0)?, row.get(1)?)));
    found.optional()
}

/// Uses up what was decided of who asks a question: the first half of it.
pub(super) fn void(database: &Connection, question: [u8; 32]) -> rusqlite::Result<()> {
    let sql = "UPDATE request SET question = NULL
        WHERE substr(question, 1, 16) = substr(?1, 1, 16) AND state <> 'pending'";
    database.execute(sql, [question]).map(drop)
}

/// Uses a question up; tells whether it was not yet.
pub(super) fn use_up(database: &Connection, id: &str) -> rusqlite::Result<bool> {
    let sql = "UPDATE request SET question = NULL WHERE id = ?1 AND question IS NOT NULL";
    Ok(database.execute(sql, [id])? == 1)
}

/// Another process waits from now on.
pub(super) fn adopt(database: &Connection, id: &str, holder: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE request SET holder = ?2 WHERE id = ?1 AND state = 'pending'";
    database.execute(sql, [id, holder])?;
    Ok(())
}

/// Decides a request, unless that was done before; tells whether it did.
pub(super) fn decide(
    database: &Connection,
    id: &str,
    verdict: &StoredDecision<'_>,
) -> rusqlite::Result<bool> {
    let sql = format!(
        "UPDATE request SET state = ?2, decided_by = ?3, decided_ms = ?4, note = ?5, given = ?6, dropped = ?7,
        sealed = ?8, picture = NULL, changed = {NEXT} WHERE id = ?1 AND state = 'pending'"
    );
    let values = params![
        id,
        verdict.state,
        verdict.by,
        signed(verdict.now_ms),
        verdict.note,
        verdict.given,
        verdict.dropped,
        verdict.sealed,
    ];
    Ok(database.execute(&sql, values)? == 1)
}

/// Says why what was given is not there any more.
pub(super) fn drop_given(database: &Connection, id: &str, why: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE request SET dropped = ?2, sealed = NULL WHERE id = ?1";
    database.execute(sql, [id, why])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<ApprovalRequest> {
    let asked: String = row.get(2)?;
    let given: Option<String> = row.get(9)?;
    Ok(ApprovalRequest {
        id: row.get(0)?,
        state: row.get(1)?,
        asked: parse(&asked)?,
        created_ms: unsigned(row.get(3)?),
        expires_ms: unsigned(row.get(4)?),
        has_picture: row.get(5)?,
        decided_ms: row.get::<_, Option<i64>>(6)?.map(unsigned),
        decided_by: row.get(7)?,
        note: row.get(8)?,
        given: given.map_or(Ok(Vec::new()), |given| parse(&given))?,
        dropped: row.get(10)?,
    })
}

pub(super) fn json(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn parse<T: serde::de::DeserializeOwned>(text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, error.into())
    })
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

impl ToSql for State {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.word().into())
    }
}

impl FromSql for State {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::from_word(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}
