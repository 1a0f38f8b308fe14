//! Commands that show what files there are: `ls`, `stat`, `df`.

use super::date::format;
use super::options::{Mix, Options, options};
use super::{BasicCommand, row};
use crate::FileSystem;
use crate::call::{Call, join};
use crate::files::{DeviceFile, DirectoryEntry, FileKind, Stat};
use crate::machine::ExitResult;
use crate::stream::OutputError;

pub(super) const ROWS: &[BasicCommand] =
    &[row!("ls", "[-laA1dRhFinrtSpsgoZ] [FILE...]", ls), row!("stat", "[-L] [-c FORMAT] FILE...", stat)];

/// `rwxr-xr-x` and the letter of the kind before it.
pub(super) fn mode_text(stat: &Stat) -> String {
    let mut text = String::from(stat.kind.letter());
    let bits = (0..9).rev().map(|bit| stat.mode >> bit & 1);
    text.extend(bits.zip("rwxrwxrwx".chars()).map(|(bit, letter)| if bit == 1 { letter } else { '-' }));
    for (bit, place, (with, without)) in
        [(0o4000, 3, ('s', 'S')), (0o2000, 6, ('s', 'S')), (0o1000, 9, ('t', 'T'))]
    {
        if stat.mode & bit != 0 {
            let letter = if text.as_bytes().get(place) == Some(&b'x') { with } else { without };
            text.replace_range(place..=place, letter.encode_utf8(&mut [0; 4]));
        }
    }
    text
}

/// The numbers of a device, as `ls -l` shows them.
fn numbers(device: DeviceFile) -> (u32, u32) {
    match device {
        DeviceFile::Null => (1, 3),
        DeviceFile::Zero => (1, 5),
        DeviceFile::Full => (1, 7),
        DeviceFile::Random => (1, 9),
        DeviceFile::Terminal => (5, 0),
    }
}

async fn ls(call: &mut Call) -> ExitResult {
    let given = options(call, "laA1dRhFinrtSpsgoZCxmqbcu", Mix::Anywhere)?;
    let operands = if given.operands.is_empty() { vec![".".to_owned()] } else { given.operands.clone() };
    let Operands { plain, mut directories, mut code } = sorted_operands(call, &given, &operands).await;
    show(call, &given, plain).await?;
    let titled = operands.len() > 1 || given.has('R');
    let mut first = operands.len() == directories.len();
    directories.reverse();
    while let Some(word) = directories.pop() {
        let path = call.path(&word);
        let entries = match entries_of(call, &path, given.has('a')) {
            Ok(entries) => entries,
            Err(error) => {
                code = call.complain(format!("{word}: {error}")).await;
                continue;
            }
        };
        if titled {
            let gap = if first { "" } else { "\n" };
            call.out(format!("{gap}{word}:\n")).await?;
        }
        first = false;
        let all = given.has('a') || given.has('A');
        let entries: Vec<DirectoryEntry> =
            entries.into_iter().filter(|entry| all || !entry.name.starts_with('.')).collect();
        if given.has('R') {
            let below = entries
                .iter()
                .rev()
                .filter(|entry| entry.stat.is_directory() && !matches!(entry.name.as_str(), "." | ".."));
            directories.extend(below.map(|entry| join(&word, &entry.name)));
        }
        if given.has('l') {
            let blocks: u64 = entries.iter().map(|entry| entry.stat.size.div_ceil(4096) * 4).sum();
            call.out(format!("total {blocks}\n")).await?;
        }
        let rows = entries.into_iter().map(|entry| {
            let path = format!("{path}/{}", entry.name);
            (entry, path)
        });
        show(call, &given, rows.collect()).await?;
    }
    Ok(code)
}

/// What was named, and the exit code so far.
#[derive(Default)]
struct Operands {
    /// To show by itself, with its path.
    plain: Vec<(DirectoryEntry, String)>,
    /// To enter.
    directories: Vec<String>,
    code: u8,
}

async fn sorted_operands(call: &mut Call, given: &Options, operands: &[String]) -> Operands {
    let mut sorted = Operands::default();
    for word in operands {
        let path = call.path(word);
        let found = call.files(|files, actor| {
            // A link to a directory is entered, unless the link itself is to be shown.
            let keep = given.has('d') || given.has('l') && !word.ends_with('/');
            if keep {
                files.lstat(actor, &path)
            } else {
                files.stat(actor, &path).or_else(|_| files.lstat(actor, &path))
            }
        });
        match found {
            Ok(stat) if stat.is_directory() && !given.has('d') => sorted.directories.push(word.clone()),
            Ok(stat) => sorted.plain.push((DirectoryEntry { name: word.clone(), stat }, path)),
            Err(error) => sorted.code = call.complain(format!("{word}: {error}")).await,
        }
    }
    sorted
}

/// What is in a directory, the dots first if they are wanted.
fn entries_of(call: &Call, path: &str, dots: bool) -> Result<Vec<DirectoryEntry>, crate::Errno> {
    call.files(|files, actor| {
        let mut entries = files.list(actor, path)?;
        if dots {
            let here = files.stat(actor, path)?;
            let above = files.stat(actor, &format!("{path}/.."))?;
            let dots = [(".", here), ("..", above)]
                .map(|(name, stat)| DirectoryEntry { name: name.to_owned(), stat });
            entries.splice(0..0, dots);
        }
        Ok(entries)
    })
}

async fn show(
    call: &mut Call,
    given: &Options,
    mut rows: Vec<(DirectoryEntry, String)>,
) -> Result<(), OutputError> {
    if given.has('t') {
        rows.sort_by_key(|(entry, _)| std::cmp::Reverse(entry.stat.mtime));
    } else if given.has('S') {
        rows.sort_by_key(|(entry, _)| std::cmp::Reverse(entry.stat.size));
    }
    if given.has('r') {
        rows.reverse();
    }
    let name = |id: u32| {
        if given.has('n') { id.to_string() } else { call.machine.user_name(id) }
    };
    let cells: Vec<[String; 4]> = rows
        .iter()
        .map(|(entry, _)| {
            let stat = &entry.stat;
            let size = match stat.kind {
                FileKind::Device(device) => format!("{}, {:>3}", numbers(device).0, numbers(device).1),
                _ if given.has('h') => human(stat.size),
                FileKind::Directory | FileKind::File | FileKind::Link => stat.size.to_string(),
            };
            [stat.links.to_string(), name(stat.uid), name(stat.gid), size]
        })
        .collect();
    let width = |at: usize| cells.iter().map(|row| row[at].len()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    let mut text = String::new();
    for ((entry, path), cell) in rows.iter().zip(&cells) {
        if given.has('i') {
            text.push_str(&format!("{:>5} ", entry.stat.inode));
        }
        if given.has('l') {
            let time = format("%Y-%m-%d %H:%M", entry.stat.mtime, &call.machine.zone());
            let [links, user, group, size] = cell;
            let [links_width, user_width, group_width, size_width] = widths;
            text.push_str(&format!(
                "{} {links:>links_width$} {user:<user_width$} {group:<group_width$} {size:>size_width$} {time} ",
                mode_text(&entry.stat),
            ));
        }
        text.push_str(&entry.name);
        match entry.stat.kind {
            FileKind::Link if given.has('l') => {
                let target = call.files(|files, actor| files.read_link(actor, path)).unwrap_or_default();
                text.push_str(&format!(" -> {target}"));
            }
            FileKind::Directory if given.has('F') || given.has('p') => text.push('/'),
            FileKind::Link if given.has('F') => text.push('@'),
            FileKind::File if given.has('F') && entry.stat.mode & 0o111 != 0 => text.push('*'),
            FileKind::Directory | FileKind::File | FileKind::Link | FileKind::Device(_) => {}
        }
        text.push('\n');
    }
    call.out(text).await
}

/// A size with one letter for its unit.
fn human(size: u64) -> String {
    let mut unit = 0;
    let mut scaled = size as f64;
    while scaled >= 1000.0 && unit < 4 {
        scaled /= 1024.0;
        unit += 1;
    }
    let places = usize::from(unit > 0 && scaled < 10.0);
    format!("{scaled:.places$}{}", ["", "K", "M", "G", "T"][unit])
}

async fn stat(call: &mut Call) -> ExitResult {
    let given = options(call, "Lc:ft", Mix::Anywhere)?;
    if given.operands.is_empty() {
        return Err("needs 1 argument".into());
    }
    let mut code = 0;
    for word in &given.operands {
        let path = call.path(word);
        let about = if given.has('L') { FileSystem::stat } else { FileSystem::lstat };
        match call.files(|files, actor| about(files, actor, &path)) {
            Ok(stat) => {
                let text = match given.value('c') {
                    Some(wanted) => fill(call, wanted, word, &stat) + "\n",
                    None => fill(call, LONG, word, &stat),
                };
                call.out(text).await?;
            }
            Err(error) => code = call.complain(format!("'{word}': {error}")).await,
        }
    }
    Ok(code)
}

/// What `stat` shows unless it is asked for something else.
const LONG: &str = "  File: %N\n  Size: %s\t Blocks: %b\t IO Blocks: 4096\t%F\nDevice: fd05h/64773d\t Inode: %i\t Links: %h\nAccess: (%a/%A)\tUid: (%u/%U)\tGid: (%g/%G)\nAccess: %x\nModify: %y\nChange: %z\n";

fn fill(call: &Call, wanted: &str, word: &str, stat: &Stat) -> String {
    let mut text = String::new();
    let mut rest = wanted.chars();
    let path = call.path(word);
    while let Some(next) = rest.next() {
        if next != '%' {
            text.push(next);
            continue;
        }
        let time = |with: &str| format(with, stat.mtime, &call.machine.zone());
        text.push_str(&match rest.next() {
            Some('n') => word.to_owned(),
            Some('N') => match call.files(|files, actor| files.read_link(actor, &path)) {
                Ok(target) => format!("`{word}' -> `{target}'"),
                Err(_) => format!("`{word}'"),
            },
            Some('s') => stat.size.to_string(),
            Some('b') => (stat.size.div_ceil(4096) * 8).to_string(),
            Some('B') => "512".to_owned(),
            Some('o') => "4096".to_owned(),
            Some('a') => format!("{:o}", stat.mode),
            Some('A') => mode_text(stat),
            Some('f') => format!("{:x}", stat.st_mode()),
            Some('u') => stat.uid.to_string(),
            Some('U') => call.machine.user_name(stat.uid),
            Some('g') => stat.gid.to_string(),
            Some('G') => call.machine.user_name(stat.gid),
            Some('i') => stat.inode.to_string(),
            Some('h') => stat.links.to_string(),
            Some('X' | 'Y' | 'Z') => stat.mtime.as_secs().to_string(),
            Some('x' | 'y' | 'z') => time("%Y-%m-%d %H:%M:%S.%N %z"),
            Some('F') => match stat.kind {
                FileKind::Directory => "directory".to_owned(),
                FileKind::File if stat.size == 0 => "regular empty file".to_owned(),
                FileKind::File => "regular file".to_owned(),
                FileKind::Link => "symbolic link".to_owned(),
                FileKind::Device(_) => "character device".to_owned(),
            },
            Some(other) => format!("%{other}"),
            None => "%".to_owned(),
        });
    }
    text
}
