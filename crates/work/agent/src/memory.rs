//! What an agent remembers from one task to the next: `MEMORY.md` and the
//! Markdown files below `memory/` of its workspace. It searches and reads them,
//! and nothing else; symbolic links are not followed.

mod files;
mod index;
mod score;
mod token;
mod watch;

use crate::action::MemorySearch;
use crate::result::{ToolError, ToolResult};
use clawperator_contract::{ErrorCode, text};
use files::{MemoryFolder, MemoryPath, PathError};
use index::Index;
use score::{Passage, Query};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

const MAX_RESULTS: usize = 30;
const PER_FILE: usize = 3;
/// The most lines that are read at once.
const MAX_LINES: usize = 2_000;

/// The limits of a user, within which a model may ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemorySettings {
    pub max_results: usize,
    /// Passages with a lower score are left out.
    pub min_score: f64,
    pub max_snippet_chars: usize,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self { max_results: MAX_RESULTS, min_score: 0.0, max_snippet_chars: 1_200 }
    }
}

/// What a memory has, after what has changed was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshCounts {
    pub files: usize,
    pub read: usize,
}

/// The memory of a workspace. A clone is the same memory.
#[derive(Clone, Debug)]
pub struct Memory {
    folder: Arc<MemoryFolder>,
    index: Arc<Mutex<Index>>,
    settings: MemorySettings,
}

impl Memory {
    /// The memory of a workspace. The index is a file that may be deleted at any
    /// time; without one it is only in this process.
    pub fn open(workspace: &Path, index: Option<&Path>, settings: MemorySettings) -> Result<Self, ToolError> {
        let index = Index::open(index).map_err(|error| unusable(&error))?;
        Ok(Self {
            folder: Arc::new(MemoryFolder::new(workspace)),
            index: Arc::new(Mutex::new(index)),
            settings: MemorySettings {
                max_results: settings.max_results.clamp(1, MAX_RESULTS),
                min_score: unit(settings.min_score),
                max_snippet_chars: settings.max_snippet_chars.clamp(200, 8_000),
            },
        })
    }

    /// Searches the memory; `memory_search`.
    pub async fn search(&self, search: MemorySearch) -> ToolResult {
        let memory = self.clone();
        blocking(move || memory.search_now(&search)).await
    }

    /// Reads lines of a file, the first of which is 1; `memory_get`.
    pub async fn get(&self, path: &str, from: f64, lines: f64) -> ToolResult {
        let (memory, path) = (self.clone(), path.to_owned());
        blocking(move || memory.get_now(&path, from, lines)).await
    }

    /// Reads the files that have changed since the last time.
    pub fn refresh(&self) -> Result<RefreshCounts, ToolError> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.refresh(&self.folder).map_err(|error| unusable(&error))
    }

    /// Reads what has changed, searches, and waits for it.
    pub fn search_now(&self, search: &MemorySearch) -> Result<Value, ToolError> {
        if text::is_blank(&search.query) {
            let error = ToolError::new(ErrorCode::ExecutionValidationFailed, "memory_search needs a query");
            return Err(error.with_hint("Give the words to search for."));
        }
        let files = self.refresh()?.files;
        let (min_score, results) = self.find(search)?;
        Ok(json!({"query": search.query, "minScore": min_score, "scannedFiles": files, "results": results}))
    }

    /// Searches what was read last: the least score that counts, and what was found.
    pub fn find(&self, search: &MemorySearch) -> Result<(f64, Vec<Value>), ToolError> {
        let min_score = unit(search.min_score.get()).max(self.settings.min_score);
        let most = whole(search.max_results.get(), 1, self.settings.max_results);
        let query = Query::new(&search.query);
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let found = index.passages(&query).map_err(|error| unusable(&error))?;
        drop(index);
        let best = best(found, min_score, most);
        Ok((min_score, best.iter().map(|passage| self.passage_json(passage)).collect()))
    }

    /// Reads, and waits for it.
    pub fn get_now(&self, path: &str, from: f64, lines: f64) -> Result<Value, ToolError> {
        let path = MemoryPath::parse(path).map_err(path_error)?;
        let Some(content) = self.folder.read(&path).map_err(|error| unreadable(&path, &error))? else {
            return Ok(json!({"path": path.as_str(), "missing": true}));
        };
        let all: Vec<&str> = content.lines().collect();
        let from = whole(from, 1, all.len().max(1));
        let shown: Vec<&str> = all.iter().copied().skip(from - 1).take(whole(lines, 1, MAX_LINES)).collect();
        Ok(json!({"path": path.as_str(), "from": from, "lines": shown.len(), "totalLines": all.len(),
            "text": shown.join("\n")}))
    }

    fn passage_json(&self, passage: &Passage) -> Value {
        let Passage { path, first, last, .. } = passage;
        let citation =
            if first == last { format!("{path}#L{first}") } else { format!("{path}#L{first}-L{last}") };
        let most = self.settings.max_snippet_chars;
        let snippet = match passage.text.char_indices().nth(most) {
            Some((end, _)) => format!("{}\u{2026}", passage.text.get(..end).unwrap_or_default()),
            None => passage.text.clone(),
        };
        json!({"path": path, "startLine": first, "endLine": last, "score": rounded(passage.score),
            "snippet": snippet, "citation": citation})
    }
}

/// The best passages: at most some of each file, none over another.
fn best(mut found: Vec<Passage>, min_score: f64, most: usize) -> Vec<Passage> {
    found.retain(|passage| rounded(passage.score) >= min_score);
    found.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| (&a.path, a.first).cmp(&(&b.path, b.first)))
    });
    let mut kept: Vec<Passage> = Vec::new();
    for passage in found {
        let same = || kept.iter().filter(|other| other.path == passage.path);
        let is_apart = same().all(|other| other.last < passage.first || passage.last < other.first);
        if is_apart && same().count() < PER_FILE {
            kept.push(passage);
        }
        if kept.len() == most {
            break;
        }
    }
    kept
}

async fn blocking(work: impl FnOnce() -> Result<Value, ToolError> + Send + 'static) -> ToolResult {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(data)) => ToolResult::success(data.to_string()).with_data(data),
        Ok(Err(error)) => error.into(),
        Err(error) => ToolError::new(ErrorCode::InternalError, error.to_string()).into(),
    }
}

/// A score with three decimals.
fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

/// A number from 0 to 1; what is none is 0.
fn unit(number: f64) -> f64 {
    if number > 0.0 { number.min(1.0) } else { 0.0 }
}

/// The nearest whole number in a range; what is no number is the least.
fn whole(number: f64, least: usize, most: usize) -> usize {
    // A cast of NaN gives 0, and one of anything else saturates.
    (number.round() as usize).clamp(least, most.max(least))
}

fn path_error(error: PathError) -> ToolError {
    let hint = "Only MEMORY.md and the .md files below memory/ can be read.";
    ToolError::new(ErrorCode::InvalidPath, error.to_string()).with_hint(hint)
}

fn unreadable(path: &MemoryPath, error: &std::io::Error) -> ToolError {
    let message = format!("{} cannot be read: {error}", path.as_str());
    ToolError::new(ErrorCode::MemoryUnusable, message)
}

fn unusable(error: &index::IndexError) -> ToolError {
    ToolError::new(ErrorCode::MemoryUnusable, format!("the memory cannot be searched: {error}"))
}
