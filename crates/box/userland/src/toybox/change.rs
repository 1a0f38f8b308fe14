//! Commands that change files: `cp`, `mv`, `rm`, `mkdir`, `chmod` and their like.

use super::options::{Mix, options};
use super::text::read_options;
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

/// What `cp` and `mv` do with each pair of source and destination.
type FileTransfer<'a> = &'a (dyn Fn(&mut FileSystem, &Actor<'_>, (&str, &str)) -> Result<(), Errno> + Sync);

async fn transfer(call: &mut Call, operands: &[String], work: FileTransfer<'_>) -> ExitResult {
    let Some((destination, sources)) = operands.split_last().filter(|(_, sources)| !sources.is_empty())
    else {
        return Ok(call.complain("needs 2 arguments").await);
    };
    let target = call.path(destination);
    let is_directory =
        call.files(|files, actor| files.stat(actor, &target).is_ok_and(|stat| stat.is_directory()));
    if !is_directory && sources.len() > 1 {
        return Ok(call.complain(format!("'{destination}' not directory")).await);
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
            let missing = files.lstat(actor, &from).err();
            missing.map_or_else(
                || work(files, actor, (&from, &to)).map_err(|error| (error, false)),
                |error| Err((error, true)),
            )
        });
        if let Err((error, missing)) = done {
            let text = match (missing, call.name()) {
                (true, _) => format!("bad '{source}': {error}"),
                (false, "mv") => format!("{source}: {error}"),
                (false, _) => format!("'{to}': {error}"),
            };
            code = call.complain(text).await;
        }
        tokio::task::consume_budget().await;
    }
    Ok(code)
}

async fn cp(call: &mut Call) -> ExitResult {
    let given = read_options!(call, "rRafpnvLPHdi", Mix::Anywhere);
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
    fn copy(self, files: &mut FileSystem, actor: &Actor<'_>, pair: (&str, &str)) -> Result<(), Errno> {
        let (from, to) = pair;
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
                    self.copy(
                        files,
                        actor,
                        (&format!("{from}/{}", entry.name), &format!("{to}/{}", entry.name)),
                    )?;
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
    let given = read_options!(call, "fnvi", Mix::Anywhere);
    let skip = given.has('n');
    transfer(call, &given.operands, &move |files, actor, (from, to)| {
        if skip && files.lstat(actor, to).is_ok() {
            return Ok(());
        }
        files.rename(actor, from, to)
    })
    .await
}

async fn rm(call: &mut Call) -> ExitResult {
    let given = read_options!(call, "rRfvi", Mix::Anywhere);
    let recursive = given.has('r') || given.has('R');
    if given.operands.is_empty() && !given.has('f') {
        return Ok(call.complain("needs 1 argument").await);
    }
    let mut code = 0;
    for word in &given.operands {
        if matches!(base(word), "." | ".." | "/") {
            code = call.complain(format!("bad path {word}")).await;
            continue;
        }
        let path = call.path(word);
        let done =
            call.files(
                |files, actor| {
                    if recursive { files.remove_all(actor, &path) } else { files.remove(actor, &path) }
                },
            );
        match done {
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
        return Ok(call.complain("needs 1 argument").await);
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
    let given = read_options!(call, "pm:v", Mix::Anywhere);
    let parents = given.has('p');
    let mode = given.value('m').and_then(|text| u32::from_str_radix(text, 8).ok());
    each(call, &given.operands, move |files, actor, path| {
        if parents {
            files.create_dir_all(actor, path, 0o777)?;
        } else {
            files.create_dir(actor, path, 0o777)?;
        }
        mode.map_or(Ok(()), |mode| files.chmod(actor, path, mode))
    })
    .await
}

async fn rmdir(call: &mut Call) -> ExitResult {
    let given = read_options!(call, "p", Mix::Anywhere);
    each(call, &given.operands, FileSystem::remove_dir).await
}

/// Makes a file or folder whose name nothing has yet.
async fn mktemp(call: &mut Call) -> ExitResult {
    let given = read_options!(call, "dqup:t", Mix::Anywhere);
    let template = given.operands.first().map_or("tmp.XXXXXXXXXX", String::as_str);
    let stem = template.trim_end_matches('X').to_owned();
    let letters = template.len() - stem.len();
    if letters < 2 {
        return Ok(call.complain(format!("need XX suffix: {template}")).await);
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
            Ok(()) => {
                call.out(format!("{name}\n")).await?;
                return Ok(0);
            }
            Err(Errno::Exists) => {}
            Err(error) => {
                return Ok(call.complain(format!("Failed to create {template}: {error}")).await);
            }
        }
    }
    Ok(call.complain(format!("Failed to create {template}: {}", Errno::Exists)).await)
}

async fn touch(call: &mut Call) -> ExitResult {
    let given = read_options!(call, "cd:t:amr:", Mix::Anywhere);
    let mut time = None;
    for (letter, read) in
        [('d', super::date::parse as fn(&str) -> Option<u64>), ('t', super::date::parse_digits)]
    {
        if let Some(text) = given.value(letter) {
            let Some(seconds) = read(text) else {
                return Ok(call.complain(format!("bad date '{text}'")).await);
            };
            time = Some(Duration::from_secs(seconds));
        }
    }
    if let Some(word) = given.value('r') {
        let path = call.path(word);
        match call.files(|files, actor| files.stat(actor, &path)) {
            Ok(stat) => time = Some(stat.mtime),
            Err(error) => return Ok(call.complain(format!("-r '{word}': {error}")).await),
        }
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
fn mode_of(text: &str, old: u32, is_directory: bool) -> Option<u32> {
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

async fn chmod(call: &mut Call) -> ExitResult {
    let mut given = read_options!(call, "Rvf", Mix::First);
    if given.operands.len() < 2 {
        return Ok(call.complain("needs 2 arguments").await);
    }
    let text = given.operands.remove(0);
    if mode_of(&text, 0, false).is_none() {
        return Ok(call.complain(format!("bad mode '{text}'")).await);
    }
    let recursive = given.has('R');
    each(call, &given.operands, move |files, actor, path| {
        let set = |files: &mut FileSystem, actor: &Actor<'_>, path: &str| {
            let stat = files.stat(actor, path)?;
            files.chmod(actor, path, mode_of(&text, stat.mode, stat.is_directory()).unwrap_or(stat.mode))
        };
        if recursive { walk(files, actor, path, &set) } else { set(files, actor, path) }
    })
    .await
}

async fn chown(call: &mut Call) -> ExitResult {
    let mut given = read_options!(call, "Rvfh", Mix::First);
    if given.operands.len() < 2 {
        return Ok(call.complain("needs 2 arguments").await);
    }
    let text = given.operands.remove(0);
    let (user, group) = text.split_once([':', '.']).unwrap_or((&text, ""));
    let id = |name: &str| {
        if name.is_empty() { Some(None) } else { call.machine.user_id(name).map(Some) }
    };
    let (Some(uid), Some(gid)) = (id(user), id(group)) else {
        return Ok(call.complain(format!("no user '{text}'")).await);
    };
    let recursive = given.has('R');
    each(call, &given.operands, move |files, actor, path| {
        let set = |files: &mut FileSystem, actor: &Actor<'_>, path: &str| {
            files.chown(actor, path, Ownership { uid, gid })
        };
        if recursive { walk(files, actor, path, &set) } else { set(files, actor, path) }
    })
    .await
}

async fn ln(call: &mut Call) -> ExitResult {
    let given = read_options!(call, "sfnvrT", Mix::Anywhere);
    let (target, name) = match given.operands.as_slice() {
        [target] => (target.clone(), base(target).to_owned()),
        [target, name] => (target.clone(), name.clone()),
        _ => return Ok(call.complain("needs 1 or 2 arguments").await),
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
    Ok(match done {
        Ok(()) => 0,
        Err(error) => {
            let kind = if symbolic { "symbolic" } else { "hard" };
            call.complain(format!("cannot create {kind} link from '{target}' to '{name}': {error}")).await
        }
    })
}
