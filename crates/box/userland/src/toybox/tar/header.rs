//! The 512 bytes before each file of an archive, as ustar and GNU write them.

use super::super::bytes::take;
use crate::limits;
use crate::stream::Input;

pub(super) const BLOCK: usize = 512;
/// The longest name that fits into a header.
const NAME: usize = 100;
/// The name of an entry that holds the long name of the next.
const LONG: &str = "././@LongLink";
/// How many entries may describe the next one.
const MAX_DESCRIBED: usize = 8;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Link,
    Other,
}

/// One file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArchiveEntry {
    pub(super) name: String,
    pub(super) mode: u32,
    pub(super) mtime: u64,
    pub(super) size: u64,
    pub(super) link: String,
    pub(super) kind: EntryKind,
    pub(super) owner: (u32, u32),
}

/// How many bytes fill the last block of so many.
pub(super) fn padding(size: u64) -> usize {
    (size.wrapping_neg() % BLOCK as u64) as usize
}

/// The header of an entry; long names have entries of their own before it.
pub(super) fn write(entry: &ArchiveEntry) -> Vec<u8> {
    let mut name = entry.name.clone();
    if entry.kind == EntryKind::Folder && !name.ends_with('/') {
        name.push('/');
    }
    let mut bytes = Vec::new();
    for (text, letter) in [(&entry.link, b'K'), (&name, b'L')] {
        if text.len() > NAME {
            let size = text.len() as u64 + 1;
            let long = ArchiveEntry { name: LONG.to_owned(), size, link: String::new(), ..entry.clone() };
            bytes.extend(block(&long, LONG, letter));
            bytes.extend(text.bytes());
            bytes.resize(bytes.len() + 1 + padding(size), 0);
        }
    }
    let letter = match entry.kind {
        EntryKind::Folder => b'5',
        EntryKind::Link => b'2',
        EntryKind::File | EntryKind::Other => b'0',
    };
    bytes.extend(block(entry, &name, letter));
    bytes
}

fn block(entry: &ArchiveEntry, name: &str, letter: u8) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, &name.as_bytes()[..name.len().min(NAME)]);
    put(100, format!("{:07o}", entry.mode & 0o7777).as_bytes());
    put(108, format!("{:07o}", entry.owner.0 & 0o777_7777).as_bytes());
    put(116, format!("{:07o}", entry.owner.1 & 0o777_7777).as_bytes());
    put(124, format!("{:011o}", entry.size & 0o77_777_777_777).as_bytes());
    put(136, format!("{:011o}", entry.mtime & 0o77_777_777_777).as_bytes());
    put(148, b"        ");
    put(156, &[letter]);
    put(157, &entry.link.as_bytes()[..entry.link.len().min(NAME)]);
    put(257, b"ustar  ");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

/// The next entry; none at the end of the archive.
pub(super) async fn read(input: &Input) -> Result<Option<ArchiveEntry>, &'static str> {
    let (mut name, mut link) = (None, None);
    for _ in 0..MAX_DESCRIBED {
        let block = take(input, BLOCK).await;
        if block.is_empty() || block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        if block.len() < BLOCK {
            return Err("short header");
        }
        let mut entry = parse(&block)?;
        match block[156] {
            b'L' => name = Some(described(input, entry.size).await?),
            b'K' => link = Some(described(input, entry.size).await?),
            b'x' | b'g' => {
                let text = described(input, entry.size).await?;
                if block[156] == b'x' {
                    name = record(&text, "path").or(name);
                    link = record(&text, "linkpath").or(link);
                }
            }
            _ => {
                entry.name = name.unwrap_or(entry.name).trim_start_matches('/').to_owned();
                entry.link = link.unwrap_or(entry.link);
                return Ok(Some(entry));
            }
        }
    }
    Err("bad header")
}

fn parse(block: &[u8]) -> Result<ArchiveEntry, &'static str> {
    let text = |from: usize, length: usize| {
        let field = &block[from..from + length];
        let end = field.iter().position(|byte| *byte == 0).unwrap_or(length);
        String::from_utf8_lossy(&field[..end]).into_owned()
    };
    let number = |from: usize, length: usize| {
        let text = text(from, length);
        u64::from_str_radix(text.trim(), 8).ok()
    };
    let all: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let own: u32 = block[148..156].iter().map(|byte| u32::from(*byte)).sum();
    // The sum counts itself as blanks.
    if number(148, 8) != Some(u64::from(all - own + 8 * u32::from(b' '))) {
        return Err("bad header");
    }
    let mut name = text(0, NAME);
    if &block[257..263] == b"ustar\0" && block[345] != 0 {
        name = format!("{}/{name}", text(345, 155));
    }
    let kind = match block[156] {
        0 | b'0' | b'7' if name.ends_with('/') => EntryKind::Folder,
        0 | b'0' | b'7' => EntryKind::File,
        b'5' => EntryKind::Folder,
        b'2' => EntryKind::Link,
        _ => EntryKind::Other,
    };
    Ok(ArchiveEntry {
        name,
        mode: number(100, 8).unwrap_or(0o644) as u32 & 0o7777,
        mtime: number(136, 12).unwrap_or(0),
        size: number(124, 12).ok_or("bad header")?,
        link: text(157, NAME),
        kind,
        owner: (0, 0),
    })
}

/// The text of an entry that describes the next.
async fn described(input: &Input, size: u64) -> Result<String, &'static str> {
    let length = usize::try_from(size).unwrap_or(usize::MAX);
    if length > 16 * limits::MAX_PATH {
        return Err("bad header");
    }
    let mut bytes = take(input, length + padding(size)).await;
    bytes.truncate(length);
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_end_matches('\0').to_owned())
}

/// The value of a record such as `20 path=folder/file`.
fn record(text: &str, name: &str) -> Option<String> {
    let wanted = format!(" {name}=");
    let line = text.lines().find(|line| line.contains(&wanted))?;
    Some(line.split_once(&wanted)?.1.to_owned())
}
