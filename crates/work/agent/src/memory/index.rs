//! The index of a memory: SQLite's full-text search over parts of files. It can
//! be made again at any time, so it is thrown away rather than repaired.

use super::RefreshCounts;
use super::files::{MemoryFile, MemoryFolder, MemoryPath, is_unchanged};
use super::score::{FileChunk, Passage, Query};
use super::token::{TokenUse, words};
use super::watch::FolderWatch;
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// The version of the tables; another one is thrown away.
const VERSION: i64 = 2;
const BUSY: Duration = Duration::from_secs(5);
/// How long the system is trusted to tell of changes: on some file systems it does not.
const LOOK_AGAIN: Duration = Duration::from_secs(10);
/// The most lines of a part of a file, and how many of them are also in the next
/// part: a passage at the seam is found.
const LINES: usize = 60;
const SEAM: usize = 6;
/// How many parts are looked at closely.
const CANDIDATES: usize = 48;
/// How many parts are ranked to choose them. To rank, SQLite reads all parts that
/// have one of the words: for common words that takes longer than a search may.
const RANKED: i64 = 400;

const TABLES: &str = "
    CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL);
    CREATE TABLE chunk (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, first INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE INDEX chunk_file ON chunk (file);
    CREATE VIRTUAL TABLE word USING fts5 (words, content = '', contentless_delete = 1,
        tokenize = \"unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'\");
    INSERT INTO word (word, rank) VALUES ('hashsize', 33554432);
";

#[derive(Debug, thiserror::Error)]
pub(super) enum IndexError {
    #[error("{0}")]
    Files(#[from] std::io::Error),
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
}

#[derive(Debug)]
pub(super) struct Index {
    database: Connection,
    /// What was found when the files were looked at last.
    last: Option<LastRefresh>,
}

#[derive(Debug)]
struct LastRefresh {
    at: Instant,
    files: usize,
    watch: FolderWatch,
}

impl Index {
    /// Opens an index; a file that is none, or an old one, is replaced.
    pub(super) fn open(file: Option<&Path>) -> Result<Self, IndexError> {
        let Some(file) = file else {
            return Self::ready(Connection::open_in_memory()?);
        };
        if let Some(folder) = file.parent() {
            clawperator_private::folder(folder)?;
        }
        match Connection::open(file).map_err(IndexError::from).and_then(Self::ready) {
            Ok(index) => Ok(index),
            Err(_) => {
                std::fs::remove_file(file)?;
                Self::ready(Connection::open(file)?)
            }
        }
    }

    fn ready(database: Connection) -> Result<Self, IndexError> {
        database.busy_timeout(BUSY)?;
        // It can be lost without harm, so nothing waits for the disk.
        database.execute_batch(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;",
        )?;
        let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version != VERSION {
            if version != 0 {
                return Err(rusqlite::Error::InvalidQuery.into());
            }
            database.execute_batch(&format!(
                "BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"
            ))?;
        }
        Ok(Self { database, last: None })
    }

    /// Reads the files that have changed, and no others.
    pub(super) fn refresh(&mut self, folder: &MemoryFolder) -> Result<RefreshCounts, IndexError> {
        if let Some(last) = &self.last
            && last.at.elapsed() < LOOK_AGAIN
            && is_unchanged(&last.watch)
        {
            let (files, read) = (last.files, 0);
            return Ok(RefreshCounts { files, read });
        }
        self.last = None;
        let (at, listed) = (Instant::now(), folder.list()?);
        let files = listed.found.len();
        let read = self.update(folder, &listed.found)?;
        self.last = listed.watch.map(|watch| LastRefresh { at, files, watch });
        Ok(RefreshCounts { files, read })
    }

    /// Makes the index fit the files; how many were read.
    fn update(&mut self, folder: &MemoryFolder, found: &[MemoryFile]) -> Result<usize, IndexError> {
        let mut known = self.indexed_files()?;
        let mut changed = Vec::new();
        for file in found {
            match known.remove(&file.path) {
                Some((_, stamp)) if stamp == file.stamp => {}
                Some((id, _)) => changed.push((Some(id), file)),
                None => changed.push((None, file)),
            }
        }
        if changed.is_empty() && known.is_empty() {
            return Ok(0);
        }
        let read = changed.len();
        let database = self.database.transaction()?;
        for (id, _) in known.values() {
            forget(&database, *id)?;
        }
        {
            let mut add = Adding::new(&database)?;
            for (id, file) in changed {
                if let Some(id) = id {
                    forget(&database, id)?;
                }
                let Ok(path) = MemoryPath::parse(&file.path) else {
                    continue;
                };
                // One that cannot be read, or became a link, is not there.
                if let Ok(Some(text)) = folder.read(&path) {
                    add.file(&file.path, &file.stamp, &text)?;
                }
            }
        }
        database.commit()?;
        Ok(read)
    }

    fn indexed_files(&self) -> Result<BTreeMap<String, (i64, String)>, IndexError> {
        let mut rows = self.database.prepare("SELECT path, id, stamp FROM file")?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(super) fn passages(&self, query: &Query) -> Result<Vec<Passage>, IndexError> {
        if query.words.is_empty() {
            return Ok(Vec::new());
        }
        let counts = self.counts(query)?;
        let rarity = self.rarity(&counts)?;
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        for question in questions(&query.words, &counts) {
            if seen.len() >= CANDIDATES {
                break;
            }
            let mut rows = self.database.prepare(&format!(
                "SELECT chunk.id, file.path, chunk.first, chunk.text FROM (
                    SELECT rowid AS id FROM word WHERE word MATCH ?1 ORDER BY {} LIMIT ?2
                ) AS best JOIN chunk ON chunk.id = best.id JOIN file ON file.id = chunk.file",
                question.order
            ))?;
            let mut rows = rows.query(params![question.words, CANDIDATES as i64])?;
            while let Some(row) = rows.next()? {
                if !seen.insert(row.get::<_, i64>(0)?) {
                    continue;
                }
                let chunk = FileChunk {
                    path: row.get_ref(1)?.as_str().unwrap_or_default(),
                    first: row.get::<_, u32>(2)? as usize,
                    text: row.get_ref(3)?.as_str().unwrap_or_default(),
                };
                found.extend(query.passages(&chunk, &rarity));
            }
        }
        Ok(found)
    }

    /// How many parts have each word of a query.
    fn counts(&self, query: &Query) -> Result<Vec<i64>, IndexError> {
        let mut count = self.database.prepare("SELECT count(*) FROM word WHERE word MATCH ?1")?;
        let counts = query.words.iter().map(|word| count.query_row([quoted(word)], |row| row.get(0)));
        Ok(counts.collect::<Result<_, _>>()?)
    }

    /// How rare each word of a query is, as BM25 counts it, from how many parts have it.
    fn rarity(&self, counts: &[i64]) -> Result<Vec<f64>, IndexError> {
        let all: i64 = self.database.query_row("SELECT count(*) FROM chunk", [], |row| row.get(0))?;
        let rarity = |with: i64| {
            let (all, with) = (all as f64, with as f64);
            (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
        };
        let there: Vec<f64> = counts.iter().filter(|with| **with > 0).map(|with| rarity(*with)).collect();
        let usual = there.iter().sum::<f64>() / there.len().max(1) as f64;
        let each = counts.iter().map(|with| match with {
            0 => usual,
            with => rarity(*with),
        });
        Ok(each.collect())
    }
}

/// What the full-text search is asked.
#[derive(Debug, PartialEq, Eq)]
struct SearchQuery {
    words: String,
    order: &'static str,
}

const BEST: &str = "rank, rowid DESC";
/// The latest first: notes are often named after their day.
const LATEST: &str = "rowid DESC";

/// The questions, one after the other: for the rare words, as many as can be
/// ranked, because a part without them hardly fits; then, if words are left, for
/// parts that have all words, and for parts that have any.
fn questions(words: &[String], counts: &[i64]) -> Vec<SearchQuery> {
    let mut known: Vec<(i64, &String)> = counts.iter().copied().zip(words).collect();
    known.retain(|(count, _)| *count > 0);
    known.sort_unstable();
    let mut ranked = 0;
    let rare = known
        .iter()
        .take_while(|(count, _)| {
            ranked += count;
            ranked <= RANKED
        })
        .count();
    let question = |words: &[(i64, &String)], with: &str, order| {
        let quoted: Vec<_> = words.iter().map(|(_, word)| quoted(word)).collect();
        let words = quoted.join(with);
        SearchQuery { words, order }
    };
    let mut questions = Vec::new();
    if rare > 0 {
        questions.push(question(&known[..rare], " OR ", BEST));
    }
    if rare < known.len() {
        questions.push(question(&known, " AND ", LATEST));
        questions.push(question(&known, " OR ", LATEST));
    }
    questions
}

fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}

fn forget(database: &Connection, file: i64) -> Result<(), IndexError> {
    database.execute("DELETE FROM word WHERE rowid IN (SELECT id FROM chunk WHERE file = ?1)", [file])?;
    database.execute("DELETE FROM chunk WHERE file = ?1", [file])?;
    database.execute("DELETE FROM file WHERE id = ?1", [file])?;
    Ok(())
}

struct Adding<'d> {
    database: &'d Connection,
    file: rusqlite::Statement<'d>,
    chunk: rusqlite::Statement<'d>,
    word: rusqlite::Statement<'d>,
}

impl<'d> Adding<'d> {
    fn new(database: &'d Connection) -> Result<Self, IndexError> {
        Ok(Self {
            database,
            file: database.prepare("INSERT INTO file (path, stamp) VALUES (?1, ?2)")?,
            chunk: database.prepare("INSERT INTO chunk (file, first, text) VALUES (?1, ?2, ?3)")?,
            word: database.prepare("INSERT INTO word (rowid, words) VALUES (?1, ?2)")?,
        })
    }

    fn file(&mut self, path: &str, stamp: &str, text: &str) -> Result<(), IndexError> {
        self.file.execute([path, stamp])?;
        let file = self.database.last_insert_rowid();
        let lines: Vec<&str> = text.lines().collect();
        let mut start = 0;
        while start < lines.len() {
            let end = (start + LINES).min(lines.len());
            let part = lines[start..end].join("\n");
            let first = u32::try_from(start + 1).unwrap_or(u32::MAX);
            self.chunk.execute(params![file, first, part])?;
            let chunk = self.database.last_insert_rowid();
            self.word.execute(params![chunk, words(&part, TokenUse::Index).join(" ")])?;
            if end == lines.len() {
                break;
            }
            start = end - SEAM;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_not_ranked_one_by_one() {
        for (counts, expected) in [
            (&[5, 7][..], &["\"a\" OR \"b\""][..]),
            (&[7, 5], &["\"b\" OR \"a\""]),
            (&[5, 0], &["\"a\""]),
            (&[0, 0], &[]),
            (&[RANKED, 5], &["\"b\"", "\"b\" AND \"a\"", "\"b\" OR \"a\""]),
            (&[RANKED + 1, RANKED + 2], &["\"a\" AND \"b\"", "\"a\" OR \"b\""]),
        ] {
            let words = ["a".to_owned(), "b".to_owned()];
            let asked = questions(&words, counts);
            let asked_words: Vec<_> = asked.iter().map(|asked| asked.words.as_str()).collect();
            assert_eq!(asked_words, expected, "{counts:?}");
            let ranked = asked.iter().filter(|asked| asked.order == BEST).count();
            assert_eq!(ranked, usize::from(counts.iter().any(|count| (1..=RANKED).contains(count))));
        }
    }
}
