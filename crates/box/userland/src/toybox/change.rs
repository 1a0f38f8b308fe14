//! Commands that change files: `cp`, `mv`, `rm`, `mkdir`, `chmod` and their like.

use super::options::{Mix, Options, options};
use super::{BasicCommand, row};
use crate::call::Call;
use crate::files::FileKind;
use crate::machine::ExitResult;
use crate::{Actor, Errno, FileSystem, Ownership};
use std::time::Duration;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("cp", "[-rRafpnvL] SOURCE... DESTINATION", cp),
    row!("mv", "[-fnv] SOURCE... DESTINATION", mv),
    row!("rm", "[-rRfv] FILE...", rm),
    row!("mkdir", "[-p] [-m MODE] DIRECTORY...", mkdir),
    row!("rmdir", "[-p] DIRECTORY...", rmdir),
    row!("touch", "[-amc] [-d DATE] [-t TIME] [-r FILE] FILE...", touch),
    row!("chmod", "[-R] MODE FILE...", chmod),
    row!("chown", "[-R] USER[:GROUP] FILE...", chown),
    row!("ln", "[-sfn] TARGET [NAME]", ln),
    row!("mktemp", "[-dqu] [-p DIR] [TEMPLATE]", mktemp),
];

/// The last name of a path.
pub(super) fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() { "/" } else { trimmed.rsplit('/').next().unwrap_or(trimmed) }
}

/// A source and its destination.
#[derive(Clone, Copy)]
struct PathPair<'p> {
    from: &'p str,
    to: &'p str,
}

/// What `cp` and `mv` do with each pair.
type FileTransfer<'a> = &'a (dyn Fn(&mut FileSystem, &Actor<'_>, PathPair<'_>) -> Result<(), Errno> + Sync);

async fn transfer(call: &mut Call, operands: &[String], work: FileTransfer<'_>) -> ExitResult {
    let words = operands.split_last().filter(|(_, sources)| !sources.is_empty());
    let (destination, sources) = words.ok_or("needs 2 arguments")?;
    let target = call.path(destination);
    let is_directory =
        call.files(|files, actor| files.stat(actor, &target).is_ok_and(|stat| stat.is_directory()));
    if !is_directory && sources.len() > 1 {
        return Err(format!("'{destination}' not directory").into());
    }
    let mut code = 0;
    for source in sources {
        let from = call.path(source);
        let to = if is_directory {
            format!("{}/{}", target.trim_end_matches('/'), base(source))
        } else {
            target.clone()
        };
        let done = call.files(|files, actor| {
            files.lstat(actor, &from).map_err(|error| format!("bad '{source}': {error}"))?;
            work(files, actor, PathPair { from: &from, to: &to }).map_err(|error| match call.name() {
                "mv" => format!("{source}: {error}"),
                _ => format!("'{to}': {error}"),
            })
        });
        if let Err(text) = done {
            code = call.complain(text).await;
        }
        tokio::task::consume_budget().await;
    }
    Ok(code)
}

async fn cp(call: &mut Call) -> ExitResult {
    let given = options(call, "rRafpnvLPHdi", Mix::Anywhere)?;
    let recursive = ['r', 'R', 'a'].into_iter().any(|letter| given.has(letter));
    let how = Copy { recursive, keep: given.has('a') || given.has('p'), skip: given.has('n') };
    // A device is read as it reads, which for all of them but the null device is not a file's copy.
    transfer(call, &given.operands, &move |files, actor, pair| how.copy(files, actor, pair)).await
}

#[derive(Clone, Copy)]
struct Copy {
    recursive: bool,
    keep: bool,
    skip: bool,
}

impl Copy {
    fn copy(self, files: &mut FileSystem, actor: &Actor<'_>, pair: PathPair<'_>) -> Result<(), Errno> {
        let PathPair { from, to } = pair;
        let stat = if self.recursive { files.lstat(actor, from)? } else { files.stat(actor, from)? };
        if self.skip && files.lstat(actor, to).is_ok() {
            return Ok(());
        }
        match stat.kind {
            FileKind::Directory if !self.recursive => return Err(Errno::IsDirectory),
            FileKind::Directory => {
                let (source, target) = (files.canonical(actor, from)?, files.canonical(actor, to)?);
                if target == source || target.starts_with(&format!("{source}/")) {
                    return Err(Errno::Invalid);
                }
                if files.stat(actor, to).is_err() {
                    files.create_dir(actor, to, stat.mode)?;
                }
                for entry in files.list(actor, from)? {
                    let inside = |folder: &str| format!("{folder}/{}", entry.name);
                    self.copy(files, actor, PathPair { from: &inside(from), to: &inside(to) })?;
                }
            }
            FileKind::Link => {
                let target = files.read_link(actor, from)?;
                if files.lstat(actor, to).is_ok() {
                    files.remove(actor, to)?;
                }
                return files.symlink(actor, &target, to);
            }
            FileKind::File | FileKind::Device(_) => {
                let content = files.read(actor, from)?;
                let fresh = files.stat(actor, to).is_err();
                files.write(actor, to, content)?;
                if fresh && stat.kind == FileKind::File && !self.keep {
                    files.chmod(actor, to, stat.mode & !actor.umask)?;
                }
            }
        }
        if self.keep && stat.kind != FileKind::Device(crate::DeviceFile::Null) {
            files.chmod(actor, to, stat.mode)?;
            // Only root keeps the owner; others keep what they may.
            let _ = files.chown(actor, to, Ownership { uid: Some(stat.uid), gid: Some(stat.gid) });
            files.set_mtime(actor, to, stat.mtime)?;
        }
        Ok(())
    }
}

async fn mv(call: &mut Call) -> ExitResult {
    let given = options(call, "fnvi", Mix::Anywhere)?;
    let skip = given.has('n');
    transfer(call, &given.operands, &move |files, actor, PathPair { from, to }| {
        if skip && files.lstat(actor, to).is_ok() {
            return Ok(());
        }
        files.rename(actor, from, to)
    })
    .await
}

async fn rm(call: &mut Call) -> ExitResult {
    let given = options(call, "rRfvi", Mix::Anywhere)?;
    let recursive = given.has('r') || given.has('R');
    if given.operands.is_empty() && !given.has('f') {
        return Err("needs 1 argument".into());
    }
    let mut code = 0;
    for word in &given.operands {
        if matches!(base(word), "." | ".." | "/") {
            code = call.complain(format!("bad path {word}")).await;
            continue;
        }
        let path = call.path(word);
        let remove = if recursive { FileSystem::remove_all } else { FileSystem::remove };
        match call.files(|files, actor| remove(files, actor, &path)) {
            Ok(()) => {}
            Err(Errno::NoEntry | Errno::NotDirectory) if given.has('f') => {}
            Err(error) => code = call.complain(format!("{word}: {error}")).await,
        }
    }
    Ok(code)
}

/// Does something to every operand and tells what failed.
async fn each(
    call: &mut Call,
    operands: &[String],
    work: impl Fn(&mut FileSystem, &Actor<'_>, &str) -> Result<(), Errno> + Send,
) -> ExitResult {
    if operands.is_empty() {
        return Err("needs 1 argument".into());
    }
    let mut code = 0;
    for word in operands {
        let path = call.path(word);
        if let Err(error) = call.files(|files, actor| work(files, actor, &path)) {
            code = call.complain(format!("'{word}': {error}")).await;
        }
    }
    Ok(code)
}

async fn mkdir(call: &mut Call) -> ExitResult {
    let given = options(call, "pm:v", Mix::Anywhere)?;
    let parents = given.has('p');
    let mode = given.value('m').and_then(|text| u32::from_str_radix(text, 8).ok());
    each(call, &given.operands, move |files, actor, path| {
        let create = if parents { FileSystem::create_dir_all } else { FileSystem::create_dir };
        create(files, actor, path, 0o777)?;
        mode.map_or(Ok(()), |mode| files.chmod(actor, path, mode))
    })
    .await
}

async fn rmdir(call: &mut Call) -> ExitResult {
    let given = options(call, "p", Mix::Anywhere)?;
    each(call, &given.operands, FileSystem::remove_dir).await
}

/// Makes a file or folder whose name nothing has yet.
async fn mktemp(call: &mut Call) -> ExitResult {
    let given = options(call, "dqup:t", Mix::Anywhere)?;
    let template = given.operands.first().map_or("tmp.XXXXXXXXXX", String::as_str);
    let stem = template.trim_end_matches('X').to_owned();
    let letters = template.len() - stem.len();
    if letters < 2 {
        return Err(format!("need XX suffix: {template}").into());
    }
    let folder = match given.value('p') {
        Some(folder) => format!("{folder}/"),
        None if given.operands.is_empty() => {
            format!("{}/", call.env.get("TMPDIR").map_or("/data/local/tmp", String::as_str))
        }
        None => String::new(),
    };
    for number in 0..10_000 {
        let name = format!("{folder}{stem}{number:0>letters$}");
        let path = call.path(&name);
        let made = call.files(|files, actor| match files.lstat(actor, &path) {
            Ok(_) => Err(Errno::Exists),
            Err(_) if given.has('u') => Ok(()),
            Err(_) if given.has('d') => files.create_dir(actor, &path, 0o700),
            Err(_) => files.append(actor, &path, b"").and_then(|()| files.chmod(actor, &path, 0o600)),
        });
        match made {
            Ok(()) => return call.print(format!("{name}\n")).await,
            Err(Errno::Exists) => {}
            Err(error) => return Err(format!("Failed to create {template}: {error}").into()),
        }
    }
    Err(format!("Failed to create {template}: {}", Errno::Exists).into())
}

async fn touch(call: &mut Call) -> ExitResult {
    let given = options(call, "cd:t:amr:", Mix::Anywhere)?;
    let mut time = None;
    for (letter, read) in
        [('d', super::date::parse as fn(&str) -> Option<u64>), ('t', super::date::parse_digits)]
    {
        if let Some(text) = given.value(letter) {
            let seconds = read(text).ok_or_else(|| format!("bad date '{text}'"))?;
            time = Some(Duration::from_secs(seconds));
        }
    }
    if let Some(word) = given.value('r') {
        let path = call.path(word);
        let stat = call.files(|files, actor| files.stat(actor, &path));
        time = Some(stat.map_err(|error| format!("-r '{word}': {error}"))?.mtime);
    }
    let create = !given.has('c');
    each(call, &given.operands, move |files, actor, path| {
        if files.stat(actor, path).is_err() {
            if !create {
                return Ok(());
            }
            files.append(actor, path, b"")?;
        }
        files.set_mtime(actor, path, time.unwrap_or(actor.now))
    })
    .await
}

/// A mode in octal, or as `u+x,go=r` on top of another.
pub(crate) fn mode_of(text: &str, old: u32, is_directory: bool) -> Option<u32> {
    if let Ok(mode) = u32::from_str_radix(text, 8) {
        return Some(mode).filter(|mode| *mode <= 0o7777);
    }
    let mut mode = old;
    for clause in text.split(',') {
        let at = clause.find(['+', '-', '='])?;
        let who = clause[..at].chars().try_fold(0u32, |mask, who| {
            Some(
                mask | match who {
                    'u' => 0o700,
                    'g' => 0o070,
                    'o' => 0o007,
                    'a' => 0o777,
                    _ => return None,
                },
            )
        })?;
        let who = if who == 0 { 0o777 } else { who };
        let bits = clause[at + 1..].chars().try_fold(0u32, |bits, letter| {
            Some(
                bits | match letter {
                    'r' => 0o444,
                    'w' => 0o222,
                    'x' => 0o111,
                    'X' if is_directory || old & 0o111 != 0 => 0o111,
                    'X' | 's' | 't' => 0,
                    _ => return None,
                },
            )
        })?;
        match &clause[at..=at] {
            "+" => mode |= bits & who,
            "-" => mode &= !(bits & who),
            _ => mode = (mode & !who) | (bits & who),
        }
    }
    Some(mode)
}

/// Does something to a path and, if asked to, to everything below it.
fn walk(
    files: &mut FileSystem,
    actor: &Actor<'_>,
    path: &str,
    work: &dyn Fn(&mut FileSystem, &Actor<'_>, &str) -> Result<(), Errno>,
) -> Result<(), Errno> {
    work(files, actor, path)?;
    if files.lstat(actor, path)?.is_directory() {
        for entry in files.list(actor, path)? {
            walk(files, actor, &format!("{path}/{}", entry.name), work)?;
        }
    }
    Ok(())
}

/// Does something to every operand but the first, and below it with `-R`.
async fn each_below(
    call: &mut Call,
    given: &Options,
    work: impl Fn(&mut FileSystem, &Actor<'_>, &str) -> Result<(), Errno> + Send,
) -> ExitResult {
    let recursive = given.has('R');
    each(call, &given.operands[1..], move |files, actor, path| {
        if recursive { walk(files, actor, path, &work) } else { work(files, actor, path) }
    })
    .await
}

async fn chmod(call: &mut Call) -> ExitResult {
    let given = options(call, "Rvf", Mix::First)?;
    let [text, _, ..] = &given.operands[..] else {
        return Err("needs 2 arguments".into());
    };
    mode_of(text, 0, false).ok_or_else(|| format!("bad mode '{text}'"))?;
    each_below(call, &given, |files, actor, path| {
        let stat = files.stat(actor, path)?;
        files.chmod(actor, path, mode_of(text, stat.mode, stat.is_directory()).unwrap_or(stat.mode))
    })
    .await
}

async fn chown(call: &mut Call) -> ExitResult {
    let given = options(call, "Rvfh", Mix::First)?;
    let [text, _, ..] = &given.operands[..] else {
        return Err("needs 2 arguments".into());
    };
    let (user, group) = text.split_once([':', '.']).unwrap_or((text, ""));
    let id = |name: &str| {
        if name.is_empty() { Some(None) } else { call.machine.user_id(name).map(Some) }
    };
    let (Some(uid), Some(gid)) = (id(user), id(group)) else {
        return Err(format!("no user '{text}'").into());
    };
    each_below(call, &given, |files, actor, path| files.chown(actor, path, Ownership { uid, gid })).await
}

async fn ln(call: &mut Call) -> ExitResult {
    let given = options(call, "sfnvrT", Mix::Anywhere)?;
    let (target, name) = match given.operands.as_slice() {
        [target] => (target.clone(), base(target).to_owned()),
        [target, name] => (target.clone(), name.clone()),
        _ => return Err("needs 1 or 2 arguments".into()),
    };
    let mut path = call.path(&name);
    let force = given.has('f');
    let symbolic = given.has('s');
    let done = call.files(|files, actor| {
        if !given.has('n') && files.stat(actor, &path).is_ok_and(|stat| stat.is_directory()) {
            path = format!("{}/{}", path.trim_end_matches('/'), base(&target));
        }
        if !symbolic {
            // One file has one name here.
            return Err(Errno::Permission);
        }
        if force && files.lstat(actor, &path).is_ok() {
            files.remove(actor, &path)?;
        }
        files.symlink(actor, &target, &path)
    });
    let kind = if symbolic { "symbolic" } else { "hard" };
    done.map_err(|error| format!("cannot create {kind} link from '{target}' to '{name}': {error}"))?;
    Ok(0)
}
