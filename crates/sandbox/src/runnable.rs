//! Which files stand behind the names of programs that may run: the programs, what
//! the kernel starts them with, and what may be read.
//!
//! A program that is not listed must not be readable, either: the system's loader is
//! needed by all, and it runs every program that it can read. So folders of programs
//! are closed, and only the listed files in them are open.

use crate::linux::root::SYSTEM;
use crate::{Plan, Programs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What may run and what may be read of the system, without links in the paths.
#[derive(Serialize, Deserialize)]
pub(crate) struct Runnable {
    /// Files that may be executed, and folders of such files.
    pub(crate) execute: BTreeSet<PathBuf>,
    /// Files and folders of the system that may be read.
    pub(crate) read: Vec<PathBuf>,
}

/// Folders of programs that a program cannot do without.
const PARTS: &[(&str, &[&str])] = &[(
    "git",
    &[
        "/usr/lib/git-core",
        "/usr/libexec/git-core",
        "/usr/local/libexec/git-core",
    ],
)];
/// Names of folders that are for programs.
const FOR_PROGRAMS: &[&str] = &["bin", "games", "libexec", "sbin"];
/// How deep in a folder of libraries programs are looked for.
const DEPTH: usize = 3;
/// The longest name of an interpreter that is read.
const MAX_NAME: usize = 256;
/// The most parts of a program's file that are looked at.
const MAX_PARTS: usize = 64;

impl Runnable {
    /// What a plan lists; nothing if it lists nothing.
    pub(crate) fn of(plan: &Plan) -> Option<Self> {
        static READ: OnceLock<Vec<PathBuf>> = OnceLock::new();
        let Programs::Only(names) = &plan.programs else {
            return None;
        };
        let path = plan.variables.iter().find(|(name, _)| name == "PATH");
        let search = Search {
            folders: path.map_or(OsStr::new(""), |(_, path)| path),
            write: &plan.write,
        };
        let mut execute = BTreeSet::new();
        let named = names.iter().map(OsString::from).chain([plan.program.clone()]);
        for name in named {
            search.add(&name, &mut execute);
            let parts = PARTS.iter().find(|(program, _)| name == *program);
            let parts = parts.into_iter().flat_map(|(_, folders)| folders.iter());
            execute.extend(parts.map(PathBuf::from).filter(|folder| folder.is_dir()));
        }
        Some(Self {
            execute,
            read: READ.get_or_init(readable).clone(),
        })
    }
}

/// Where programs are looked for.
struct Search<'p> {
    folders: &'p OsStr,
    /// A program that could be changed is none that may run.
    write: &'p [PathBuf],
}

impl Search<'_> {
    /// Adds every program of a name, and what starts it.
    fn add(&self, name: &OsStr, found: &mut BTreeSet<PathBuf>) {
        let candidates: Vec<PathBuf> = match name.as_bytes().contains(&b'/') {
            true => vec![name.into()],
            false => std::env::split_paths(self.folders)
                .map(|folder| folder.join(name))
                .collect(),
        };
        for path in candidates.iter().filter(|path| path.is_absolute()) {
            let Ok(real) = path.canonicalize() else {
                continue;
            };
            let is_changed = self.write.iter().any(|folder| real.starts_with(folder));
            if real.is_file() && !is_changed && found.insert(real.clone()) {
                // What cannot be read cannot be run by an interpreter.
                for starter in starters(&real).unwrap_or_default() {
                    self.add(&starter, found);
                }
            }
        }
    }
}

/// What the kernel starts a file with: the loader of a program, the interpreter of a
/// script, and what `env` starts.
fn starters(path: &Path) -> io::Result<Vec<OsString>> {
    let file = File::open(path)?;
    let mut head = [0; MAX_NAME];
    let length = file.read_at(&mut head, 0)?;
    let head = &head[..length];
    let Some(line) = head.strip_prefix(b"#!") else {
        return Ok(loader(&file, head).into_iter().collect());
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let Some(first) = words.next() else {
        return Ok(Vec::new());
    };
    let mut starters = vec![first];
    if first.ends_with(b"/env") {
        starters.extend(words.find(|word| !word.starts_with(b"-") && !word.contains(&b'=')));
    }
    Ok(starters
        .into_iter()
        .map(|word| OsStr::from_bytes(word).to_owned())
        .collect())
}

/// The loader that a program of 64 bits names (`PT_INTERP`).
fn loader(file: &File, head: &[u8]) -> Option<OsString> {
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let long = |bytes: &[u8], at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let short = |at: usize| Some(u16::from_le_bytes(*head.get(at..)?.first_chunk()?));
    let (first, size, count) = (long(head, 32)?, short(54)?, short(56)?);
    for number in 0..count.min(MAX_PARTS as u16) {
        let mut part = [0; 56];
        let at = first.checked_add(u64::from(number) * u64::from(size))?;
        file.read_exact_at(&mut part, at).ok()?;
        if part.starts_with(&[3, 0, 0, 0]) {
            let mut name = [0; MAX_NAME];
            let length = file.read_at(&mut name, long(&part, 8)?).ok()?;
            let end = name[..length].iter().position(|byte| *byte == 0)?;
            return Some(OsStr::from_bytes(&name[..end]).to_owned());
        }
    }
    None
}

/// What may be read of the system: all but its programs.
fn readable() -> Vec<PathBuf> {
    let mut read = Vec::new();
    for path in SYSTEM.iter().map(Path::new).filter(|path| !path.is_symlink()) {
        match path.file_name().and_then(OsStr::to_str).unwrap_or_default() {
            "usr" => shared(path, &mut read),
            "bin" | "sbin" | "store" => {}
            name if name.starts_with("lib") => libraries(path, &mut read),
            _ => read.push(path.to_owned()),
        }
    }
    read
}

/// What may be read of `/usr` and `/usr/local`.
fn shared(folder: &Path, read: &mut Vec<PathBuf>) {
    for entry in entries(folder) {
        let (path, name) = (entry.path(), entry.file_name());
        match name.to_str().unwrap_or_default() {
            "local" => shared(&path, read),
            name if FOR_PROGRAMS.contains(&name) => {}
            name if name.starts_with("lib") => libraries(&path, read),
            _ => read.push(path),
        }
    }
}

/// What may be read of a folder of libraries: all but the programs, which many
/// packages put beside them.
fn libraries(folder: &Path, read: &mut Vec<PathBuf>) {
    for entry in entries(folder) {
        let path = entry.path();
        match path.is_dir() {
            true if has_programs(&path, DEPTH) => libraries(&path, read),
            false if is_program(&entry) => {}
            _ => read.push(path),
        }
    }
}

/// Whether there is a program in a folder.
fn has_programs(folder: &Path, depth: usize) -> bool {
    entries(folder).iter().any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => depth > 1 && has_programs(&entry.path(), depth - 1),
        Ok(kind) => kind.is_file() && is_program(entry),
        Err(_) => false,
    })
}

/// Whether a file is a program rather than a library: both may be executable files
/// of the same kind, but a library says in its name what it is.
fn is_program(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let is_library = name.as_bytes().windows(3).any(|part| part == b".so");
    let runs = entry
        .metadata()
        .map_or(true, |file| file.permissions().mode() & 0o111 != 0);
    let is_elf = || {
        let mut head = [0; 4];
        File::open(entry.path()).and_then(|file| file.read_exact_at(&mut head, 0))?;
        io::Result::Ok(head == *b"\x7fELF")
    };
    !is_library && runs && is_elf().unwrap_or(true)
}

/// What is in a folder, except for links: what they lead to is listed itself. What
/// has no name in UTF-8 cannot be named to the launcher, so it stays closed.
fn entries(folder: &Path) -> Vec<DirEntry> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_link = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    all.filter(|entry| !is_link(entry) && entry.file_name().to_str().is_some())
        .collect()
}
