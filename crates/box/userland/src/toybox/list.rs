//! Commands that show what files there are: `ls`, `stat`, `df`.

use super::date::format;
use super::options::{Options, options};
use super::{BasicCommand, row};
use crate::FileSystem;
use crate::call::{Call, join};
use crate::files::{DeviceFile, DirectoryEntry, FileKind, Stat};
use crate::machine::ExitResult;
use crate::stream::OutputError;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("ls", "[-1ACFHLNRSZacdfghiklmnopqrstuwx] [--color[=auto]] [FILE...]", ls),
    row!("stat", "[-tfL] [-c FORMAT] FILE...", stat),
];

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
    let given = options(
        call,
        "(color)(show-control-chars)lZgoACFHLNRSabcdfhikmnpqrstuw#<0x1[-Cxm1][-cu][-ftS][-HL][-Nqb]",
    )?;
    let operands = if given.operands.is_empty() { vec![".".to_owned()] } else { given.operands.clone() };
    let Operands { plain, mut directories, mut code } = sorted_operands(call, &given, &operands).await;
    show(call, &given, plain).await?;
    let titled = operands.len() > 1 || given.has('R');
    let mut first = operands.len() == directories.len();
    directories.reverse();
    while let Some(word) = directories.pop() {
        let path = call.path(&word);
        let entries = match entries_of(call, &path, given.any("af")) {
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
        let all = given.any("aAf");
        let entries: Vec<DirectoryEntry> =
            entries.into_iter().filter(|entry| all || !entry.name.starts_with('.')).collect();
        if given.has('R') {
            let below = entries
                .iter()
                .rev()
                .filter(|entry| entry.stat.is_directory() && !matches!(entry.name.as_str(), "." | ".."));
            directories.extend(below.map(|entry| join(&word, &entry.name)));
        }
        if given.any("sh") || is_long(&given) {
            let blocks: u64 = entries.iter().map(|entry| blocks(&entry.stat)).sum();
            let total = if given.has('h') { human(blocks * 1024) } else { blocks.to_string() };
            call.out(format!("total {total}\n")).await?;
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
            let keep = (given.has('d') || is_long(given)) && !word.ends_with('/') && !given.any("HL");
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
    sorted.plain.sort_by(|one, two| one.0.name.cmp(&two.0.name));
    sorted.directories.sort();
    sorted
}

/// Whether each file has a line with its details.
fn is_long(given: &Options) -> bool {
    given.any("lgon")
}

/// How many kilobytes a file takes.
fn blocks(stat: &Stat) -> u64 {
    match stat.kind {
        FileKind::Link | FileKind::Device(_) => 0,
        FileKind::Directory | FileKind::File => stat.size.div_ceil(4096) * 4,
    }
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
    let cells: Vec<[String; 6]> = rows
        .iter()
        .map(|(entry, _)| {
            let stat = &entry.stat;
            let size = match stat.kind {
                FileKind::Device(device) => format!("{}, {:>3}", numbers(device).0, numbers(device).1),
                _ if given.has('h') => human(stat.size),
                FileKind::Directory | FileKind::File | FileKind::Link => stat.size.to_string(),
            };
            let (inode, blocks) = (stat.inode.to_string(), blocks(stat).to_string());
            [inode, blocks, stat.links.to_string(), name(stat.uid), name(stat.gid), size]
        })
        .collect();
    let widths: [usize; 6] =
        std::array::from_fn(|at| cells.iter().map(|row| row[at].len()).max().unwrap_or(0));
    // Twice for seconds and what is below them.
    let precise = given.count('l') > 1;
    let times = if precise { "%Y-%m-%d %H:%M:%S.%N %z" } else { "%Y-%m-%d %H:%M" };
    let mut lines = Vec::new();
    for ((entry, path), cell) in rows.iter().zip(&cells) {
        let mut text = String::new();
        for (at, _) in ['i', 's'].iter().enumerate().filter(|(_, letter)| given.has(**letter)) {
            text.push_str(&format!("{:>1$} ", cell[at], widths[at]));
        }
        if is_long(given) {
            text.push_str(&format!("{} {:>2$} ", mode_text(&entry.stat), cell[2], widths[2]));
            for (at, letter) in [(3, 'g'), (4, 'o')] {
                if !given.has(letter) {
                    text.push_str(&format!("{:<1$} ", cell[at], widths[at]));
                }
            }
            let time = format(times, entry.stat.mtime, &call.machine.zone());
            text.push_str(&format!("{:>1$} {time} ", cell[5], widths[5]));
        } else if given.has('Z') {
            text.push_str("? ");
        }
        text.push_str(&entry.name);
        if entry.stat.kind == FileKind::Link && is_long(given) {
            let target = call.files(|files, actor| files.read_link(actor, path)).unwrap_or_default();
            text.push_str(&format!(" -> {target}"));
        }
        text.push_str(match entry.stat.kind {
            FileKind::Directory if given.any("Fp") => "/",
            FileKind::Link if given.has('F') => "@",
            FileKind::File if given.has('F') && entry.stat.mode & 0o111 != 0 => "*",
            FileKind::Directory | FileKind::File | FileKind::Link | FileKind::Device(_) => "",
        });
        lines.push(text);
    }
    let layout = given.last("Cxm1").filter(|_| !is_long(given));
    call.out(arranged(&lines, layout, given.number('w').filter(|width| *width > 0).unwrap_or(80) as usize))
        .await
}

/// Names below each other, or in columns downwards, across, or with commas.
fn arranged(names: &[String], layout: Option<char>, width: usize) -> String {
    let widths: Vec<usize> = names.iter().map(|name| name.chars().count()).collect();
    let mut text = String::new();
    let columns = match layout {
        Some('m') => {
            let mut used = 0;
            for (at, name) in names.iter().enumerate() {
                let comma = usize::from(at + 1 < names.len());
                if used > 0 && used + 1 + widths[at] > width {
                    text.push('\n');
                    used = 0;
                }
                let blank = if used > 0 { " " } else { "" };
                text.push_str(&format!("{blank}{name}{}", if comma > 0 { "," } else { "" }));
                used += blank.len() + widths[at] + comma;
            }
            return text + if names.is_empty() { "" } else { "\n" };
        }
        Some('C' | 'x') => (1..=names.len().min(width.saturating_sub(1) / 2).max(1)).rev(),
        _ => (1..=1).rev(),
    };
    let down = layout == Some('C');
    for count in columns {
        let height = names.len().div_ceil(count);
        // A column that would be empty is none.
        if down && height > 0 && names.len().div_ceil(height) < count {
            continue;
        }
        let column = |at: usize| if down { at / height.max(1) } else { at % count };
        let wide = |wanted: usize| {
            let inside = widths.iter().enumerate().filter(|(at, _)| column(*at) == wanted);
            inside.map(|(_, width)| *width).max().unwrap_or(0)
        };
        let sizes: Vec<usize> = (0..count).map(wide).collect();
        // It leaves more room than it uses.
        if count > 1 && sizes.iter().sum::<usize>() + 3 * count - 4 > width {
            continue;
        }
        for row in 0..height {
            let cells = (0..count).map(|at| if down { at * height + row } else { row * count + at });
            let cells: Vec<usize> = cells.filter(|at| *at < names.len()).collect();
            for (at, name) in cells.iter().enumerate() {
                let gap = if at + 1 < cells.len() { sizes[at] + 2 - widths[*name] } else { 0 };
                text.push_str(&format!("{}{}", names[*name], " ".repeat(gap)));
            }
            text.push('\n');
        }
        break;
    }
    text
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
    let given = options(call, "<1c(format):fLt")?;
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
const LONG: &str = "  File: %N\n  Size: %s\t Blocks: %b\t IO Blocks: %B\t %F\nDevice: %Dh/%dd\t Inode: %i\t Links: %h\t Device type: %t,%T\nAccess: (0%a/%A)\tUid: (%5u/%8U)\tGid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n";
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
        let left = rest.clone().next() == Some('-');
        let digits: String = rest.clone().skip(usize::from(left)).take_while(char::is_ascii_digit).collect();
        let kind = rest.nth(digits.len() + usize::from(left));
        let width = digits.parse().unwrap_or(0usize).min(1 << 12);
        let device = match stat.kind {
            FileKind::Device(device) => numbers(device),
            FileKind::Directory | FileKind::File | FileKind::Link => (0, 0),
        };
        let value = match kind {
            Some('n') => word.to_owned(),
            Some('N') => match call.files(|files, actor| files.read_link(actor, &path)) {
                Ok(target) => format!("{word} -> '{target}'"),
                Err(_) => word.to_owned(),
            },
            Some('s') => stat.size.to_string(),
            Some('b') => (blocks(stat) * 2).to_string(),
            Some('d') => "64773".to_owned(),
            Some('D') => "fd05".to_owned(),
            Some('t') => format!("{:x}", device.0),
            Some('T') => format!("{:x}", device.1),
            Some('m') => "/".to_owned(),
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
            Some('%') | None => "%".to_owned(),
            Some(_) => "?".to_owned(),
        };
        text.push_str(&if left { format!("{value:<width$}") } else { format!("{value:>width$}") });
    }
    text
}
