//! Commands that change files: `cp`, `mv`, `rm`, `mkdir`, `chmod` and their like.

use super::options::{Options, options, usage};
use super::{BasicCommand, row};
use crate::call::Call;
use crate::files::FileKind;
use crate::machine::ExitResult;
use crate::{Access, Actor, Errno, FileSystem, Ownership};
use std::time::Duration;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("cp", "[-aDdfHiLlnPpRrsTuv] [-t TARGET] SOURCE... [DEST]", cp),
    row!("mv", "[-finTv] [-t TARGET] SOURCE... [DEST]", mv),
    row!("rm", "[-fiRrv] FILE...", rm),
    row!("mkdir", "[-pv] [-m MODE] DIR...", mkdir),
    row!("rmdir", "[-p] DIR...", rmdir),
    row!("touch", "[-acmh] [-d DATE] [-t TIME] [-r FILE] FILE...", touch),
    row!("chmod", "[-R] MODE FILE...", chmod),
    row!("chown", "[-RHLP] [-fvh] USER[:GROUP] FILE...", chown),
    row!("chgrp", "[-RHLP] [-fvh] GROUP FILE...", chown),
    row!("ln", "[-fnrsTv] [-t DIR] FROM... TO", ln),
    row!("mktemp", "[-dqtu] [-p DIR] [TEMPLATE]", mktemp),
];

/// The last name of a path.
pub(super) fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() { "/" } else { trimmed.rsplit('/').next().unwrap_or(trimmed) }
}

/// Asks on the input; no answer is no.
pub(super) async fn agrees(call: &mut Call, what: &str) -> bool {
    call.err(format!("{what} (y/N):")).await;
    call.stdin.read_line().await.is_some_and(|line| line.starts_with(b"y") || line.starts_with(b"Y"))
}

/// A source and its destination.
#[derive(Clone, Copy)]
struct PathPair<'p> {
    from: &'p str,
    to: &'p str,
}

/// What `cp`, `mv` and `ln` do with each pair; the words are for complaints.
type FileTransfer<'a> =
    &'a (dyn Fn(&mut FileSystem, &Actor<'_>, PathPair<'_>, PathPair<'_>) -> Result<(), String> + Sync);

async fn transfer(call: &mut Call, given: &Options, work: FileTransfer<'_>) -> ExitResult {
    let mut operands = given.operands.clone();
    operands.extend(given.value('t').map(str::to_owned));
    let name = call.name().to_owned();
    // `ln FILE` links into this folder.
    if name == "ln" && operands.len() == 1 {
        operands.push(".".to_owned());
    }
    let words = operands.split_last().filter(|(_, sources)| !sources.is_empty());
    let (destination, sources) = words.ok_or("Needs 2 arguments")?;
    let target = call.path(destination);
    let kept = name == "ln" && given.has('n');
    let about = if kept { FileSystem::lstat } else { FileSystem::stat };
    let is_directory =
        call.files(|files, actor| about(files, actor, &target).is_ok_and(|stat| stat.is_directory()));
    if !is_directory && (sources.len() > 1 || given.has('t')) && name != "ln" {
        return Err(format!("'{destination}' not directory").into());
    }
    let mut code = 0;
    for source in sources {
        let inside = is_directory.then(|| format!("{}/{}", destination.trim_end_matches('/'), base(source)));
        let word = inside.as_deref().unwrap_or(destination);
        let (from, to) = (call.path(source), call.path(word));
        let exists = call.files(|files, actor| files.lstat(actor, &to).is_ok());
        if exists && given.has('n') && name != "ln" {
            continue;
        }
        if exists && given.has('i') && !agrees(call, &format!("{name}: overwrite '{word}'")).await {
            continue;
        }
        let words = PathPair { from: source, to: word };
        let done = call.files(|files, actor| work(files, actor, PathPair { from: &from, to: &to }, words));
        if let Err(text) = done {
            code = call.complain(text).await;
        } else if given.has('v') && name == "cp" {
            call.out(format!("cp '{source}'\n")).await?;
        } else if given.has('v') && name == "ln" {
            call.err(format!("'{word}' -> '{source}'\n")).await;
        }
        tokio::task::consume_budget().await;
    }
    Ok(code)
}

async fn cp(call: &mut Call) -> ExitResult {
    let given =
        options(call, "<1(preserve)D(parents)RHLPprudaslvnF(remove-destination)fit:T[-HLPd][-niu][+Rr]")?;
    let how = Copy { recursive: given.any("rRa"), keep: given.any("ap"), linked: given.any("ad") };
    // A device is read as it reads, which for all of them but the null device is not a file's copy.
    transfer(call, &given, &move |files, actor, pair, words| {
        let stat = files.stat(actor, pair.from).or_else(|_| files.lstat(actor, pair.from));
        let stat = stat.map_err(|error| format!("bad '{}': {error}", words.from))?;
        if stat.is_directory() && !how.recursive {
            let why = files.stat(actor, pair.to).err().map(|error| format!(": {error}")).unwrap_or_default();
            return Err(format!("Skipped dir '{}'{why}", words.to));
        }
        if files.stat(actor, pair.to).is_ok_and(|there| there.inode == stat.inode) {
            return Err(format!("'{}' is '{}'", words.to, words.from));
        }
        files.access(actor, pair.from, Access::Read).map_err(|error| format!("{}: {error}", words.from))?;
        how.copy(files, actor, pair).map_err(|error| format!("{}: {error}", words.to))
    })
    .await
}

#[derive(Clone, Copy)]
struct Copy {
    recursive: bool,
    keep: bool,
    /// A link stays a link.
    linked: bool,
}

impl Copy {
    fn copy(self, files: &mut FileSystem, actor: &Actor<'_>, pair: PathPair<'_>) -> Result<(), Errno> {
        let PathPair { from, to } = pair;
        let keeps_links = self.recursive || self.linked;
        let stat = if keeps_links { files.lstat(actor, from)? } else { files.stat(actor, from)? };
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
    let given = options(call, "<1v(verbose)nF(remove-destination)fit:T[-ni]")?;
    transfer(call, &given, &|files, actor, pair, words| {
        files.rename(actor, pair.from, pair.to).map_err(|error| format!("bad '{}': {error}", words.from))
    })
    .await
}

async fn ln(call: &mut Call) -> ExitResult {
    let given = options(call, "<1rt:Tvnfs")?;
    let (symbolic, force) = (given.has('s'), given.has('f'));
    transfer(call, &given, &move |files, actor, pair, words| {
        let mut link = || {
            if !symbolic {
                files.lstat(actor, pair.from)?;
            }
            if force && files.lstat(actor, pair.to).is_ok() {
                files.remove(actor, pair.to)?;
            } else if files.lstat(actor, pair.to).is_ok() {
                return Err(Errno::Exists);
            }
            // One file has one name here.
            if symbolic { files.symlink(actor, words.from, pair.to) } else { Err(Errno::Permission) }
        };
        let kind = if symbolic { "symbolic" } else { "hard" };
        link().map_err(|error| {
            format!("cannot create {kind} link from '{}' to '{}': {error}", words.from, words.to)
        })
    })
    .await
}

async fn rm(call: &mut Call) -> ExitResult {
    let given = options(call, "f(force)iRrv[-fi]")?;
    let recursive = given.any("rR");
    if given.operands.is_empty() && !given.has('f') {
        return Err(usage(call, "Needs 1 argument").into());
    }
    let mut code = 0;
    for word in &given.operands {
        if base(word) == "." {
            continue;
        }
        if base(word) == ".." || base(word) == "/" && !word.is_empty() {
            code = call.complain(format!("bad path {word}")).await;
            continue;
        }
        let path = call.path(word);
        if given.has('i') && !agrees(call, &format!("rm {word}")).await {
            continue;
        }
        let remove = if recursive { FileSystem::remove_all } else { FileSystem::remove };
        match call.files(|files, actor| remove(files, actor, &path)) {
            Ok(()) if given.has('v') => call.out(format!("rm '{word}'\n")).await?,
            Ok(()) => {}
            Err(Errno::NoEntry | Errno::NotDirectory) if given.has('f') => {}
            Err(error) => code = call.complain(format!("{word}: {error}")).await,
        }
    }
    Ok(code)
}

/// Does something to every operand and tells what failed.
pub(super) async fn each(
    call: &mut Call,
    operands: &[String],
    work: impl Fn(&mut FileSystem, &Actor<'_>, &str) -> Result<(), Errno> + Send,
) -> ExitResult {
    let mut code = 0;
    for word in operands {
        let path = call.path(word);
        if let Err(error) = call.files(|files, actor| work(files, actor, &path)) {
            // Some quote the name.
            let quote = if matches!(call.name(), "mkdir" | "touch") { "'" } else { "" };
            code = call.complain(format!("{quote}{word}{quote}: {error}")).await;
        }
    }
    Ok(code)
}

async fn mkdir(call: &mut Call) -> ExitResult {
    let given = options(call, "<1vp(parent)(parents)m:")?;
    let parents = given.has('p');
    let mode = match given.value('m') {
        Some(text) => Some(mode_of(text, 0o777, true).ok_or_else(|| format!("bad mode '{text}'"))?),
        None => None,
    };
    each(call, &given.operands, move |files, actor, path| {
        let create = if parents { FileSystem::create_dir_all } else { FileSystem::create_dir };
        create(files, actor, path, 0o777)?;
        mode.map_or(Ok(()), |mode| files.chmod(actor, path, mode))
    })
    .await
}

async fn rmdir(call: &mut Call) -> ExitResult {
    let given = options(call, "<1(ignore-fail-on-non-empty)p(parents)")?;
    let parents = given.has('p');
    let mut code = 0;
    for word in &given.operands {
        let mut word = word.as_str();
        loop {
            code = code.max(each(call, &[word.to_owned()], FileSystem::remove_dir).await?);
            match word.trim_end_matches('/').rsplit_once('/') {
                Some((above, _)) if parents && code == 0 && !above.is_empty() => word = above,
                _ => break,
            }
        }
    }
    Ok(code)
}

/// Letters for a name that nothing has yet.
fn letters(number: usize, count: usize) -> String {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut state = number.wrapping_mul(0x9e37_79b9).wrapping_add(0x1234_5678);
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            char::from(LETTERS[(state >> 16) % LETTERS.len()])
        })
        .collect()
}

/// Makes a file or folder whose name nothing has yet.
async fn mktemp(call: &mut Call) -> ExitResult {
    let given = options(call, ">1uqd(directory)p:t")?;
    let template = given.operands.first().map_or("tmp.XXXXXXXXXX", String::as_str);
    let stem = template.trim_end_matches('X').to_owned();
    let count = template.len() - stem.len();
    let kind = if given.has('d') { "directory" } else { "file" };
    if given.has('q') {
        call.stderr = crate::Output::null();
    }
    if count < 3 {
        return Err("need XXX: Invalid argument".into());
    }
    let temporary = call.env.get("TMPDIR").map_or("/data/local/tmp", String::as_str);
    let folder = match given.value('p') {
        Some(folder) => Some(folder),
        None if given.operands.is_empty() || given.has('t') => Some(temporary),
        None => None,
    };
    let folder = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
    if count < 6 {
        return Err(format!("Failed to create {kind} {folder}{template}: {}", Errno::Invalid).into());
    }
    for number in 0..10_000 {
        let name = format!("{folder}{stem}{}", letters(number, count));
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
            Err(error) => return Err(format!("Failed to create {kind} {name}: {error}").into()),
        }
    }
    Err(format!("Failed to create {template}: {}", Errno::Exists).into())
}

async fn touch(call: &mut Call) -> ExitResult {
    let given = options(call, "<1acd:fmr:t:h[!dtr]")?;
    let mut time = None;
    for (letter, read) in [
        ('d', super::date::parse as fn(&str, Duration) -> Option<Duration>),
        ('t', super::date::parse_digits),
    ] {
        if let Some(text) = given.value(letter) {
            time = Some(read(text, call.machine.now()).ok_or_else(|| format!("bad date {text}"))?);
        }
    }
    if let Some(word) = given.value('r') {
        let path = call.path(word);
        let stat = call.files(|files, actor| files.stat(actor, &path));
        time = Some(stat.map_err(|error| format!("Can't stat {word}: {error}"))?.mtime);
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
    if text.starts_with(|digit: char| digit.is_ascii_digit()) {
        return u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777);
    }
    let mut mode = old;
    for clause in text.split(',') {
        let mut rest = clause.trim_start_matches(['u', 'g', 'o', 'a']);
        let who = &clause[..clause.len() - rest.len()];
        let reach =
            |letter: char, bits: u32| if who.contains([letter, 'a']) || who.is_empty() { bits } else { 0 };
        let who_bits = reach('u', 0o4700) | reach('g', 0o2070) | reach('o', 0o1007);
        if rest.is_empty() {
            return None;
        }
        while let Some(sign) = rest.chars().next() {
            if !"+-=".contains(sign) {
                return None;
            }
            rest = &rest[1..];
            let end = rest.find(['+', '-', '=']).unwrap_or(rest.len());
            let bits = rest[..end].chars().try_fold(0u32, |bits, letter| {
                let copied = |shift: u32| (mode >> shift & 7) * 0o111;
                Some(
                    bits | match letter {
                        'r' => 0o444,
                        'w' => 0o222,
                        'x' => 0o111,
                        'X' if is_directory || mode & 0o111 != 0 => 0o111,
                        'X' => 0,
                        's' => 0o6000,
                        't' => 0o1000,
                        'u' => copied(6),
                        'g' => copied(3),
                        'o' => copied(0),
                        _ => return None,
                    },
                )
            })?;
            rest = &rest[end..];
            // `t` is for all.
            let bits = bits & (who_bits | 0o1000);
            match sign {
                '+' => mode |= bits,
                '-' => mode &= !bits,
                _ => mode = (mode & !who_bits) | bits,
            }
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
    let given = options(call, "<2?vfR[-vf]")?;
    let text = given.operands[0].clone();
    mode_of(&text, 0, false).ok_or_else(|| format!("bad mode '{text}'"))?;
    if given.has('f') {
        call.stderr = crate::Output::null();
    }
    each_below(call, &given, |files, actor, path| {
        let stat = files.stat(actor, path)?;
        let mode = mode_of(&text, stat.mode, stat.is_directory());
        files.chmod(actor, path, mode.unwrap_or(stat.mode))
    })
    .await
}

async fn chown(call: &mut Call) -> ExitResult {
    let given = options(call, "<2h(no-dereference)PLHRfv[-HLP]")?;
    let text =
        if call.name() == "chgrp" { format!(":{}", given.operands[0]) } else { given.operands[0].clone() };
    let (user, group) = text.split_once([':', '.']).unwrap_or((&text, ""));
    let id = |kind: &str, name: &str| match name {
        "" => Ok(None),
        name => call.machine.user_id(name).map(Some).ok_or_else(|| format!("bad {kind} '{name}'")),
    };
    let new = Ownership { uid: id("user", user)?, gid: id("group", group)? };
    let mut code = 0;
    for word in &given.operands[1..] {
        let path = call.path(word);
        let change = |files: &mut FileSystem, actor: &Actor<'_>, path: &str| files.chown(actor, path, new);
        let done = call.files(|files, actor| {
            if given.has('R') { walk(files, actor, &path, &change) } else { change(files, actor, &path) }
        });
        match done {
            Ok(()) => {}
            Err(error @ Errno::Permission) => {
                call.complain(format!("'{word}' to '{user}:{group}': {error}")).await;
                // It answers what the kernel said, which is -1.
                code = 255;
            }
            Err(error) => code = call.complain(format!("{word}: {error}")).await,
        }
    }
    Ok(code)
}
