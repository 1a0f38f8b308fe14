//! A journal on disk: its lines, its trees and its pictures, and whether any of them was changed.

use super::chain::{self, JournalEntry, Verdict};
use super::folder::{JournalError, JournalPath, is_name_of};
use super::limits::{MAX_LINE, MAX_PICTURE, MAX_READ};
use super::writer::{LINES, picture_file, tree_file};
use clawperator_events::{BeginEvent, CheckpointEvent, EndEvent, Event, SkillBegin, SkillEnd, digest};
use clawperator_private as private;
use clawperator_ui::limits::MAX_DUMP_BYTES;
use miniz_oxide::inflate::core::decompress;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_PARSE_ZLIB_HEADER, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use std::cell::OnceCell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::PathBuf;

/// A journal that is on disk.
#[derive(Debug)]
pub struct StoredJournal {
    pub name: String,
    /// Its lines, as far as they hold.
    pub entries: Vec<JournalEntry>,
    pub verdict: Verdict,
    /// The lines as they are written.
    pub text: Vec<u8>,
    folder: PathBuf,
    judged: OnceCell<Judgement>,
}

/// Which run a journal is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunStart<'j> {
    /// The command id of the execution, or the id of a skill's run.
    pub id: &'j str,
    /// When it began, in milliseconds since 1970.
    pub started_ms: u64,
}

/// The state of a journal with its trees and pictures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Nothing was changed, and the last line is the end.
    Whole {
        /// The last line's hash, which covers all of them.
        seal: String,
    },
    /// Nothing was changed, but the end is missing.
    CutOff {
        /// The length of an incomplete last line.
        unfinished: usize,
    },
    /// There is no line at all.
    Empty,
    Changed {
        /// The first changed line, counted from 1.
        line: usize,
        why: String,
    },
}

impl Judgement {
    /// One word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Whole { .. } => "whole",
            Self::CutOff { .. } => "cut off",
            Self::Empty => "empty",
            Self::Changed { .. } => "changed",
        }
    }

    /// Whether the lines that exist are intact. A journal without lines is not.
    pub fn holds(&self) -> bool {
        matches!(self, Self::Whole { .. } | Self::CutOff { .. })
    }
}

/// Why a journal may have no lines.
pub const EMPTY: &str =
    "it has no lines: the disk was full, the run was killed at once, or the file was emptied";

/// What is wrong with a tree or a picture that a line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The line, counted from 1.
    pub line: usize,
    pub file: String,
    pub missing: bool,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = if self.missing { "is missing" } else { "was changed after it was written" };
        write!(f, "line {}: {} {why}", self.line, self.file)
    }
}

impl StoredJournal {
    /// Reads the lines of a journal.
    pub fn open(found: &JournalPath) -> Result<Self, JournalError> {
        let path = found.path.join(LINES);
        let read = private::open(&path).and_then(|file| read_bounded(file, MAX_READ));
        let text = read.map_err(|error| JournalError::Io { path, error })?;
        let (entries, verdict) = chain::read(&text);
        Ok(Self {
            name: found.name.clone(),
            entries,
            verdict,
            text,
            folder: found.path.clone(),
            judged: OnceCell::new(),
        })
    }

    /// Whether its lines, its name, its trees and its pictures are intact. They are read once.
    pub fn judgement(&self) -> &Judgement {
        self.judged.get_or_init(|| self.judge())
    }

    fn judge(&self) -> Judgement {
        if self.text.is_empty() {
            return Judgement::Empty;
        }
        if let Verdict::Broken { line, why } = &self.verdict {
            let (line, why) = (*line, why.to_string());
            return Judgement::Changed { line, why };
        }
        if let Some(start) = self.start()
            && !is_name_of(&self.name, &start)
        {
            let why = "its folder has the name of another run".to_owned();
            return Judgement::Changed { line: 1, why };
        }
        if let Some(flaw) = self.flaws().first() {
            let (line, why) = (flaw.line, flaw.to_string());
            return Judgement::Changed { line, why };
        }
        match &self.verdict {
            Verdict::Whole { seal } => Judgement::Whole { seal: seal.clone() },
            Verdict::CutOff | Verdict::Broken { .. } => {
                let ends = self.text.iter().rposition(|byte| *byte == b'\n');
                let unfinished = self.text.len() - ends.map_or(0, |end| end + 1);
                Judgement::CutOff { unfinished }
            }
        }
    }

    /// The first event of a journal, if its line holds. The rest is not read.
    pub fn first_event(found: &JournalPath) -> Option<Event> {
        let file = private::open(&found.path.join(LINES)).ok()?;
        let mut line = Vec::new();
        let mut lines = BufReader::new(file).take(MAX_LINE as u64 + 1);
        lines.read_until(b'\n', &mut line).ok()?;
        let (entries, _) = chain::read(&line);
        entries.into_iter().next().map(|entry| entry.event)
    }

    /// Which run it is of, and when that began.
    pub fn start(&self) -> Option<RunStart<'_>> {
        match &self.entries.first()?.event {
            Event::Begin(begin) => Some(RunStart { id: &begin.command_id, started_ms: begin.started_ms }),
            Event::SkillBegin(begin) => Some(RunStart { id: &begin.skill_run, started_ms: begin.started_ms }),
            _ => None,
        }
    }

    /// What it began with, if it is of a run of a skill.
    pub fn skill_begin(&self) -> Option<&SkillBegin> {
        match &self.entries.first()?.event {
            Event::SkillBegin(begin) => Some(begin),
            _ => None,
        }
    }

    /// How it ended, if it is of a run of a skill.
    pub fn skill_end(&self) -> Option<&SkillEnd> {
        match &self.entries.last()?.event {
            Event::SkillEnd(end) => Some(end),
            _ => None,
        }
    }

    /// The checkpoints of a run of a skill, in order.
    pub fn checkpoints(&self) -> impl Iterator<Item = &CheckpointEvent> {
        self.entries.iter().filter_map(|entry| match &entry.event {
            Event::Checkpoint(checkpoint) => Some(checkpoint),
            _ => None,
        })
    }

    /// What it began with, if it is of an execution.
    pub fn begin(&self) -> Option<&BeginEvent> {
        match &self.entries.first()?.event {
            Event::Begin(begin) => Some(begin),
            _ => None,
        }
    }

    /// How it ended, if it is of an execution.
    pub fn end(&self) -> Option<&EndEvent> {
        match &self.entries.last()?.event {
            Event::End(end) => Some(end),
            _ => None,
        }
    }

    /// A tree that a line names, as a dump.
    pub fn tree(&self, hash: &str) -> Option<String> {
        let bytes = self.unpacked(hash)?;
        String::from_utf8(bytes).ok()
    }

    /// A picture that a line names.
    pub fn picture(&self, hash: &str) -> Option<Vec<u8>> {
        let file = self.file(&picture_file(hash))?;
        let bytes = read_bounded(file, MAX_PICTURE as u64 + 1).ok()?;
        (digest(&bytes) == hash).then_some(bytes)
    }

    /// Every tree and picture that does not match its line, in the order of the lines.
    pub fn flaws(&self) -> Vec<Flaw> {
        let flaw = |(number, entry): (usize, &JournalEntry)| {
            let (file, holds) = match &entry.event {
                Event::Look(look) if look.kept => {
                    (tree_file(&look.tree), self.unpacked(&look.tree).is_some())
                }
                Event::Picture(seen) => {
                    let file = picture_file(&seen.picture);
                    (file, self.picture(&seen.picture).is_some())
                }
                _ => return None,
            };
            (!holds).then(|| Flaw { line: number + 1, missing: self.file(&file).is_none(), file })
        };
        self.entries.iter().enumerate().filter_map(flaw).collect()
    }

    fn unpacked(&self, hash: &str) -> Option<Vec<u8>> {
        let file = self.file(&tree_file(hash))?;
        let packed = read_bounded(file, MAX_DUMP_BYTES as u64).ok()?;
        let bytes = decompress_to_vec_zlib_with_limit(&packed, 2 * MAX_DUMP_BYTES).ok()?;
        (digest(&bytes) == hash && fills(&packed, bytes.len())).then_some(bytes)
    }

    fn file(&self, name: &str) -> Option<File> {
        // A forged hash must not lead out of the folder.
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        plain.then(|| private::open(&self.folder.join(name)).ok()).flatten()
    }
}

/// Whether the compressed data has no trailing bytes.
fn fills(packed: &[u8], unpacked: usize) -> bool {
    let flags = TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut bytes = vec![0; unpacked];
    let (_, read, _) = decompress(&mut Box::default(), packed, &mut bytes, 0, flags);
    read == packed.len()
}

fn read_bounded(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
