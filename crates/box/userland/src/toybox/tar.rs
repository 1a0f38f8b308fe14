//! `tar`: files and folders as one stream, and back.

mod header;

use super::bytes::take;
use super::gzip;
use super::options::{Options, options};
use super::{BasicCommand, row};
use crate::call::{Call, Write, join};
use crate::errno::Errno;
use crate::files::FileKind;
use crate::machine::ExitResult;
use crate::stream::{Input, Output, OutputError};
use crate::{Stat, limits};
use header::{ArchiveEntry, BLOCK, EntryKind};

pub(super) const ROWS: &[BasicCommand] = &[row!("tar", "[-cxtvzOmpk] [-f FILE] [-C DIR] [FILE...]", tar)];

/// How many zero bytes end an archive.
const END: usize = 2 * BLOCK;

async fn tar(call: &mut Call) -> ExitResult {
    // The first word may be letters without a dash.
    if let Some(first) = call.args.get_mut(1).filter(|word| !word.starts_with('-')) {
        first.insert(0, '-');
    }
    let given = options(
        call,
        "(no-recursion)(numeric-owner)(no-same-permissions)(overwrite)(exclude)o(no-same-owner)p(same-permissions)k(keep-old)c(create)|h(dereference)x(extract)|t(list)|v(verbose)z(gzip)S(sparse)O(to-stdout)P(absolute-names)m(touch)X:T(files-from):C(directory):f(file):a[!txc]",
    )?;
    let file = given.value('f').unwrap_or("-").to_owned();
    // It is opened from here, wherever the files are.
    let from = call.cwd.clone();
    if let Some(folder) = given.value('C') {
        let folder = call.path(folder);
        let is_folder = call.files(|files, actor| files.stat(actor, &folder).map(|stat| stat.is_directory()));
        match is_folder {
            Ok(true) => call.cwd = folder,
            wrong => {
                let error = wrong.err().unwrap_or(Errno::NotDirectory);
                return Err(format!("chdir '{}': {error}", given.value('C').unwrap_or("")).into());
            }
        }
    }
    let at = join(&from, &file);
    let at = if file == "-" { &file } else { &at };
    let wrong = |error: Errno| format!("{file}: {error}");
    if given.has('c') {
        if given.operands.is_empty() {
            return Err("empty archive".into());
        }
        let output = if file == "-" {
            call.stdout.clone()
        } else {
            call.create(at, Write::Truncate).map_err(wrong)?
        };
        create(call, &given, output).await
    } else {
        let input = call.open(at).map_err(wrong)?;
        read(call, &given, input).await
    }
}

/// Where an archive goes; a packed one is held until it is whole.
struct ArchiveTarget {
    output: Output,
    held: Option<Vec<u8>>,
}

impl ArchiveTarget {
    async fn put(&mut self, bytes: impl Into<bytes::Bytes>) -> Result<(), OutputError> {
        let bytes = bytes.into();
        match &mut self.held {
            Some(held) if held.len() + bytes.len() > limits::MAX_HELD => {
                Err(OutputError::File(Errno::NoSpace))
            }
            Some(held) => {
                held.extend_from_slice(&bytes);
                Ok(())
            }
            None => self.output.write(bytes).await,
        }
    }
}

async fn create(call: &mut Call, given: &Options, output: Output) -> ExitResult {
    let mut target = ArchiveTarget { output, held: given.has('z').then(Vec::new) };
    let mut code = 0;
    let mut waiting: Vec<String> = given.operands.iter().rev().cloned().collect();
    while let Some(name) = waiting.pop() {
        let path = call.path(&name);
        let found = call.files(|files, actor| files.lstat(actor, &path));
        let added = match &found {
            Ok(stat) => add(call, &mut target, &name, stat).await?,
            Err(error) => Err(*error),
        };
        if let Err(error) = added {
            code = call.complain(format!("{name}: {error}")).await;
            continue;
        }
        if given.has('v') {
            let end = if found.as_ref().is_ok_and(Stat::is_directory) { "/\n" } else { "\n" };
            let line = format!("{}{end}", name.trim_end_matches('/'));
            if given.value('f').unwrap_or("-") == "-" { call.err(line).await } else { call.out(line).await? }
        }
        let inside = call.files(|files, actor| files.list(actor, &path)).unwrap_or_default();
        if found.is_ok_and(|stat| stat.is_directory()) {
            waiting.extend(inside.iter().rev().map(|entry| join(&name, &entry.name)));
        }
        tokio::task::consume_budget().await;
    }
    target.put(vec![0; END]).await?;
    if code > 0 {
        call.complain("had errors").await;
    }
    if let Some(held) = target.held.take() {
        target.output.write(gzip::pack(&held, 6)).await?;
    }
    Ok(code)
}

/// Adds one file; what the file system refuses is the inner error.
async fn add(
    call: &mut Call,
    target: &mut ArchiveTarget,
    name: &str,
    stat: &Stat,
) -> Result<Result<(), Errno>, OutputError> {
    let path = call.path(name);
    let mut entry = ArchiveEntry {
        name: name.trim_start_matches('/').to_owned(),
        mode: stat.mode,
        mtime: stat.mtime.as_secs(),
        size: 0,
        link: String::new(),
        kind: EntryKind::File,
        owner: (stat.uid, stat.gid),
    };
    let mut content = bytes::Bytes::new();
    let read = call.files(|files, actor| {
        match stat.kind {
            FileKind::Directory => entry.kind = EntryKind::Folder,
            FileKind::Link => {
                entry.kind = EntryKind::Link;
                entry.link = files.read_link(actor, &path)?;
            }
            FileKind::File => content = files.read(actor, &path)?,
            FileKind::Device(_) => return Err(Errno::Invalid),
        }
        Ok(())
    });
    if let Err(error) = read {
        return Ok(Err(error));
    }
    entry.size = content.len() as u64;
    target.put(header::write(&entry)).await?;
    let pad = header::padding(entry.size);
    target.put(content).await?;
    target.put(vec![0; pad]).await?;
    Ok(Ok(()))
}

async fn read(call: &mut Call, given: &Options, mut input: Input) -> ExitResult {
    // The first bytes identify a packed archive, as well as the option.
    let first = take(&input, 2).await;
    input.put_back(first.clone().into()).await;
    if given.has('z') || first == [0x1f, 0x8b] {
        let packed = input.read_all().await;
        input = Input::bytes(gzip::unpack(&packed).ok_or("bad gzip data")?);
    }
    let (mut code, mut entries) = (0, 0);
    loop {
        let entry =
            header::read(&input).await.map_err(|wrong| if entries == 0 { "Not tar" } else { wrong })?;
        let Some(entry) = entry else {
            if entries == 0 {
                return Err("Not tar".into());
            }
            if code > 0 {
                call.complain("had errors").await;
            }
            return Ok(code);
        };
        entries += 1;
        let is_inside = |wanted: &String| {
            let wanted = wanted.trim_matches('/');
            entry.name.trim_end_matches('/') == wanted || entry.name.starts_with(&format!("{wanted}/"))
        };
        let wanted = given.operands.is_empty() || given.operands.iter().any(is_inside);
        if wanted && (given.has('t') || given.has('v')) {
            call.out(format!("{}\n", entry.name)).await?;
        }
        let into = if !wanted || given.has('t') {
            None
        } else if given.has('O') {
            Some(call.stdout.clone()).filter(|_| entry.kind == EntryKind::File)
        } else {
            match place(call, &entry) {
                Ok(output) => output,
                Err(error) => {
                    code = call.complain(format!("{}: {error}", entry.name)).await;
                    None
                }
            }
        };
        if !copy(&input, into.as_ref(), entry.size).await? {
            return Err("short read".into());
        }
        if into.is_some() && !given.has('O') {
            dress(call, &entry, given.has('m'));
        }
    }
}

/// Makes what an entry says; where its content goes, if it has any.
fn place(call: &Call, entry: &ArchiveEntry) -> Result<Option<Output>, Errno> {
    if entry.name.is_empty() || entry.name.split('/').any(|name| name == "..") {
        return Err(Errno::Invalid);
    }
    let path = call.path(&entry.name);
    let parent = path.trim_end_matches('/').rsplit_once('/').map_or("/", |row| row.0);
    call.files(|files, actor| {
        if !parent.is_empty() {
            files.create_dir_all(actor, parent, 0o777)?;
        }
        match entry.kind {
            EntryKind::Folder => files.create_dir_all(actor, &path, entry.mode),
            EntryKind::Link => {
                // An old one is replaced.
                let _ = files.remove(actor, &path);
                files.symlink(actor, &entry.link, &path)
            }
            EntryKind::File => Ok(()),
            EntryKind::Other => Err(Errno::Invalid),
        }
    })?;
    match entry.kind {
        EntryKind::File => call.create(&path, Write::Truncate).map(Some),
        EntryKind::Folder | EntryKind::Link | EntryKind::Other => Ok(None),
    }
}

/// Gives a file the mode and the time of its entry.
fn dress(call: &Call, entry: &ArchiveEntry, now: bool) {
    let path = call.path(&entry.name);
    call.files(|files, actor| {
        // Its owner made it just now, so neither can fail.
        let _ = files.chmod(actor, &path, entry.mode & !actor.umask);
        if !now {
            let _ = files.set_mtime(actor, &path, std::time::Duration::from_secs(entry.mtime));
        }
    });
}

/// Copies the content of an entry, or passes over it; whether it was all there.
async fn copy(input: &Input, into: Option<&Output>, size: u64) -> Result<bool, OutputError> {
    let mut left = size;
    while left > 0 {
        let Some(mut piece) = input.read().await else {
            return Ok(false);
        };
        let taken = piece.split_to(piece.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
        input.put_back(piece).await;
        left -= taken.len() as u64;
        if let Some(output) = into {
            output.write(taken).await?;
        }
    }
    let pad = header::padding(size);
    Ok(take(input, pad).await.len() == pad)
}
