//! Which files stand behind the names of programs that may run: the programs, what
//! the kernel starts them with, and what may be read.
//!
//! The system's loader is needed by all, and it runs every program that it can read. So
//! each loader is replaced by one that is no program itself ([`forbid_start`]). Folders
//! of programs are closed besides: an interpreter runs every script that it can read.

use crate::linux::root::SYSTEM;
use crate::{Plan, Programs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// What may run and what may be read of the system, without links in the paths.
#[derive(Serialize, Deserialize)]
pub(crate) struct Runnable {
    /// Files that may be executed, and folders of such files.
    pub(crate) execute: BTreeSet<PathBuf>,
    /// Those of them that the kernel starts programs with.
    pub(crate) loaders: BTreeSet<PathBuf>,
    /// Files and folders of the system that may be read.
    pub(crate) read: Vec<PathBuf>,
}

/// Folders of programs that a program cannot do without.
const PARTS: &[(&str, &[&str])] =
    &[("git", &["/usr/lib/git-core", "/usr/libexec/git-core", "/usr/local/libexec/git-core"])];
/// Names of folders that are for programs.
const FOR_PROGRAMS: &[&str] = &["bin", "games", "libexec", "sbin"];
/// The longest name of an interpreter that is read.
const MAX_NAME: usize = 256;
/// The most parts of a program's file that are looked at.
const MAX_PARTS: u16 = 64;
/// Parts of a program's file: the name of its loader, and what its stack may do, which
/// means nothing in a loader.
const LOADER: u32 = 3;
const STACK: u32 = 0x6474_e551;

impl Runnable {
    /// What a plan lists; nothing if it lists nothing.
    pub(crate) fn of(plan: &Plan) -> Option<Self> {
        let Programs::Only(names) = &plan.programs else {
            return None;
        };
        let path = plan.variables.iter().find(|(name, _)| name == "PATH");
        let search =
            ProgramSearch { folders: path.map_or(OsStr::new(""), |(_, path)| path), write: &plan.write };
        let mut found = Self { execute: BTreeSet::new(), loaders: BTreeSet::new(), read: readable() };
        let named = names.iter().map(OsString::from).chain([plan.program.clone()]);
        for name in named {
            search.add(&name, &mut found);
            let parts = PARTS.iter().find(|(program, _)| name == *program);
            let parts = parts.into_iter().flat_map(|(_, folders)| folders.iter());
            let parts = parts.map(PathBuf::from).filter(|folder| folder.is_dir());
            found.execute.extend(parts);
        }
        Some(found)
    }
}

/// Where programs are looked for.
struct ProgramSearch<'p> {
    folders: &'p OsStr,
    /// A program that could be changed is none that may run.
    write: &'p [PathBuf],
}

impl ProgramSearch<'_> {
    /// Adds every program of a name, and what starts it.
    fn add(&self, name: &OsStr, found: &mut Runnable) {
        let candidates: Vec<PathBuf> = if name.as_bytes().contains(&b'/') {
            vec![name.into()]
        } else {
            std::env::split_paths(self.folders).map(|folder| folder.join(name)).collect()
        };
        for path in candidates.iter().filter(|path| path.is_absolute()) {
            let Ok(real) = path.canonicalize() else {
                continue;
            };
            let is_changed = self.write.iter().any(|folder| real.starts_with(folder));
            if is_changed || !real.is_file() || !found.execute.insert(real.clone()) {
                continue;
            }
            // What cannot be read cannot be run by an interpreter.
            let Ok(file) = File::open(&real) else {
                continue;
            };
            if let Some(loader) = loader(&file).and_then(|loader| loader.canonicalize().ok()) {
                found.execute.insert(loader.clone());
                found.loaders.insert(loader);
            }
            for interpreter in interpreters(&file).unwrap_or_default() {
                self.add(&interpreter, found);
            }
        }
    }
}

/// The interpreter that a script names, and what `env` starts.
fn interpreters(file: &File) -> io::Result<Vec<OsString>> {
    let mut head = [0; MAX_NAME];
    let length = file.read_at(&mut head, 0)?;
    let Some(line) = head[..length].strip_prefix(b"#!") else {
        return Ok(Vec::new());
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let words = line.split(u8::is_ascii_whitespace);
    let mut words = words.filter(|word| !word.is_empty());
    let mut found: Vec<&[u8]> = words.next().into_iter().collect();
    if found.iter().any(|first| first.ends_with(b"/env")) {
        found.extend(words.find(|word| !word.starts_with(b"-") && !word.contains(&b'=')));
    }
    let found = found.into_iter().map(|word| OsStr::from_bytes(word).to_owned());
    Ok(found.collect())
}

/// The loader that a program names.
fn loader(file: &File) -> Option<PathBuf> {
    let (_, part) = part(file, LOADER)?;
    let mut name = [0; MAX_NAME];
    let length = file.read_at(&mut name, long(&part, 8)?).ok()?;
    let end = name[..length].iter().position(|byte| *byte == 0)?;
    Some(OsStr::from_bytes(&name[..end]).into())
}

/// Makes a loader one that starts programs and is none itself: it names a folder as its
/// own loader. The kernel refuses to start such a file, and does not look at that name
/// when it starts a program with it.
pub(crate) fn forbid_start(loader: &File) -> io::Result<()> {
    let (at, mut part) = part(loader, STACK).ok_or(io::ErrorKind::Unsupported)?;
    let end = loader.metadata()?.len();
    let name = b"/\0";
    part[..4].copy_from_slice(&LOADER.to_le_bytes());
    part[8..16].copy_from_slice(&end.to_le_bytes());
    part[32..40].copy_from_slice(&(name.len() as u64).to_le_bytes());
    loader.write_all_at(name, end)?;
    loader.write_all_at(&part, at)
}

/// Where a part of a kind is described in a program of 64 bits, and the description.
fn part(file: &File, kind: u32) -> Option<(u64, [u8; 56])> {
    let mut head = [0; 64];
    file.read_exact_at(&mut head, 0).ok()?;
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let short = |at: usize| Some(u16::from_le_bytes(*head.get(at..)?.first_chunk()?));
    let (first, size, count) = (long(&head, 32)?, short(54)?, short(56)?);
    (0..count.min(MAX_PARTS)).find_map(|number| {
        let mut part = [0; 56];
        let at = first.checked_add(u64::from(number) * u64::from(size))?;
        file.read_exact_at(&mut part, at).ok()?;
        part.starts_with(&kind.to_le_bytes()).then_some((at, part))
    })
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// What may be read of the system: all but its folders of programs. What has no name in UTF-8
/// cannot be named to the launcher, so it stays closed; what a link leads to is listed itself.
fn readable() -> Vec<PathBuf> {
    let is_open = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str);
        !path.is_symlink() && name.is_some_and(|name| !FOR_PROGRAMS.contains(&name))
    };
    let within = |folder: &Path| {
        let all = fs::read_dir(folder).into_iter().flatten().flatten();
        all.map(|entry| entry.path()).filter(is_open).collect()
    };
    let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).filter(is_open).collect();
    for folder in ["/usr", "/usr/local"].map(Path::new) {
        if let Some(at) = read.iter().position(|path| path == folder) {
            let inside: Vec<PathBuf> = within(folder);
            read.splice(at..=at, inside);
        }
    }
    read
}
