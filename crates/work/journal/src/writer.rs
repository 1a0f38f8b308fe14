//! The journal of an execution that runs: lines, trees and pictures go to
//! their folder as they come. What was written stays if the process is killed.

use super::chain::Chain;
use super::limits::{MAX_KEPT_BYTES, MAX_LINES_BYTES, MAX_PICTURE, MAX_PICTURES, MAX_TREES};
use clawperator_events::{Event, Full, RunJournal, digest};
use clawperator_private as private;
use miniz_oxide::deflate::compress_to_vec_zlib;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(super) const LINES: &str = "journal.ndjson";
/// Fast: a tree becomes a tenth of its size even so.
const LEVEL: u8 = 1;

#[derive(Debug)]
pub(crate) struct JournalWriter {
    folder: PathBuf,
    lines: File,
    chain: Chain,
    written: u64,
    full: bool,
    kept: u64,
    trees: BTreeSet<String>,
    pictures: BTreeSet<String>,
}

impl JournalWriter {
    /// Begins one in a folder that was just made for it.
    pub(super) fn new(folder: PathBuf) -> io::Result<Self> {
        let lines = create(&folder.join(LINES))?;
        Ok(Self {
            folder,
            lines,
            chain: Chain::default(),
            written: 0,
            full: false,
            kept: 0,
            trees: BTreeSet::new(),
            pictures: BTreeSet::new(),
        })
    }

    fn write(&mut self, at_us: u64, event: &Event) -> io::Result<()> {
        let line = self.chain.line(at_us, event)?;
        self.written += line.len() as u64;
        self.lines.write_all(line.as_bytes())
    }

    fn keep(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        create(&self.folder.join(name))?.write_all(bytes)?;
        self.kept += bytes.len() as u64;
        Ok(())
    }
}

impl RunJournal for JournalWriter {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn lines(&self) -> u64 {
        self.chain.len()
    }

    // In one piece: a process that is killed leaves whole lines, but for the last.
    fn record(&mut self, at_us: u64, event: &Event) -> io::Result<()> {
        let ends = matches!(event, Event::StepEnd(_) | Event::End(_) | Event::SkillEnd(_));
        if self.written > MAX_LINES_BYTES && !ends {
            if self.full {
                return Ok(());
            }
            self.full = true;
            let most = MAX_LINES_BYTES;
            return self.write(at_us, &Event::Full(Full { most }));
        }
        self.write(at_us, event)
    }

    fn tree(&mut self, dump: &str) -> io::Result<(String, bool)> {
        let name = digest(dump.as_bytes());
        if self.trees.contains(&name) {
            return Ok((name, true));
        }
        if self.trees.len() >= MAX_TREES || self.kept > MAX_KEPT_BYTES {
            return Ok((name, false));
        }
        let packed = compress_to_vec_zlib(dump.as_bytes(), LEVEL);
        self.keep(&tree_file(&name), &packed)?;
        self.trees.insert(name.clone());
        Ok((name, true))
    }

    fn picture(&mut self, png: &[u8]) -> io::Result<Option<String>> {
        let name = digest(png);
        if self.pictures.contains(&name) {
            return Ok(Some(name));
        }
        let most = self.pictures.len() >= MAX_PICTURES || png.len() > MAX_PICTURE;
        if most || self.kept + png.len() as u64 > MAX_KEPT_BYTES {
            return Ok(None);
        }
        self.keep(&picture_file(&name), png)?;
        self.pictures.insert(name.clone());
        Ok(Some(name))
    }
}

/// The file of a tree. Half of its hash is enough of a name.
pub(super) fn tree_file(hash: &str) -> String {
    format!("tree-{}.xml.z", hash.get(..32).unwrap_or(hash))
}

pub(super) fn picture_file(hash: &str) -> String {
    format!("picture-{}.png", hash.get(..32).unwrap_or(hash))
}

/// Makes a file that must not be there yet.
fn create(path: &Path) -> io::Result<File> {
    private::options().write(true).create_new(true).open(path)
}
