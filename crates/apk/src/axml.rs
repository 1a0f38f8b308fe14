//! Reads a manifest in Android's binary XML: as much of it as an installer
//! needs.
//!
//! A file is a row of chunks: a pool of strings, the numbers of the attributes
//! whose names are at the pool's beginning, then the elements as they open and
//! close. Strings are read where they are used, so that a small file cannot
//! make a large answer.

use super::{Declared, Manifest};

/// The most chunks, attributes of an element, and things of a kind.
const MAX_CHUNKS: usize = 200_000;
const MAX_ATTRIBUTES: usize = 200;
const MAX_KEPT: usize = 1_000;
const MAX_DEPTH: usize = 100;
/// The longest string, in bytes.
const MAX_STRING: usize = 4_096;

const XML: u16 = 0x0003;
const POOL: u16 = 0x0001;
const NUMBERS: u16 = 0x0180;
const OPENS: u16 = 0x0102;
const CLOSES: u16 = 0x0103;
/// The flag of a pool whose strings are UTF-8.
const UTF8: u32 = 1 << 8;
const STRING: u8 = 0x03;
const INTEGERS: std::ops::RangeInclusive<u8> = 0x10..=0x12;

/// The attributes that count: their number, and their name where a file has no
/// numbers.
const ATTRIBUTES: &[(u32, &str)] = &[
    (0x0101_0001, "label"),
    (0x0101_0003, "name"),
    (0x0101_021b, "versionCode"),
    (0x0101_021c, "versionName"),
    (0x0101_0272, "testOnly"),
];

/// Why a manifest cannot be read.
type ManifestError = &'static str;

/// An attribute's value.
#[derive(Debug)]
enum AttributeValue {
    Text(String),
    Number(u32),
    /// Something only the app's resources know.
    Other,
}

/// Reads a manifest.
pub(super) fn manifest(bytes: &[u8]) -> Result<Manifest, ManifestError> {
    let whole = Chunk::at(bytes, 0).ok_or("it is too short")?;
    if whole.kind != XML {
        return Err("it is no binary XML");
    }
    let mut reader = ManifestReader::default();
    let mut at = whole.header;
    for _ in 0..MAX_CHUNKS {
        let Some(chunk) = Chunk::at(whole.bytes, at) else {
            break;
        };
        reader.chunk(chunk)?;
        at += chunk.bytes.len();
    }
    if reader.manifest.package.is_empty() {
        return Err("it names no package");
    }
    Ok(reader.manifest)
}

/// One chunk.
#[derive(Clone, Copy, Debug)]
struct Chunk<'b> {
    kind: u16,
    header: usize,
    bytes: &'b [u8],
}

impl<'b> Chunk<'b> {
    fn at(bytes: &'b [u8], at: usize) -> Option<Self> {
        let kind = u16_at(bytes, at)?;
        let header = usize::from(u16_at(bytes, at + 2)?);
        let size = u32_at(bytes, at + 4)? as usize;
        let bytes = bytes.get(at..at.checked_add(size)?)?;
        // A chunk that is smaller than its own beginning would never end.
        (header >= 8 && size >= header).then_some(Self { kind, header, bytes })
    }
}

#[derive(Debug, Default)]
struct ManifestReader<'b> {
    pool: Option<Chunk<'b>>,
    numbers: Option<Chunk<'b>>,
    manifest: Manifest,
    /// The names of the elements that are open.
    open: Vec<String>,
}

impl<'b> ManifestReader<'b> {
    fn chunk(&mut self, chunk: Chunk<'b>) -> Result<(), ManifestError> {
        match chunk.kind {
            POOL => self.pool = self.pool.or(Some(chunk)),
            NUMBERS => self.numbers = self.numbers.or(Some(chunk)),
            OPENS => {
                let (name, attributes) = self.element(chunk).ok_or("an element is cut off")?;
                if self.open.len() >= MAX_DEPTH {
                    return Err("its elements are too deep");
                }
                self.opens(&name, attributes);
                self.open.push(name);
            }
            CLOSES => {
                self.open.pop();
            }
            _ => {}
        }
        Ok(())
    }

    /// An element's name and attributes.
    fn element(&self, chunk: Chunk<'_>) -> Option<(String, Vec<(String, AttributeValue)>)> {
        let bytes = chunk.bytes;
        let body = chunk.header;
        let name = self.string(u32_at(bytes, body + 4)?)?;
        let first = body + usize::from(u16_at(bytes, body + 8)?);
        let size = usize::from(u16_at(bytes, body + 10)?);
        let count = usize::from(u16_at(bytes, body + 12)?).min(MAX_ATTRIBUTES);
        let attribute = |number: usize| {
            let at = first + number * size;
            let name = self.attribute_name(u32_at(bytes, at + 4)?)?;
            let data = u32_at(bytes, at + 16)?;
            let value = match *bytes.get(at + 15)? {
                STRING => AttributeValue::Text(self.string(data)?),
                kind if INTEGERS.contains(&kind) => AttributeValue::Number(data),
                _ => AttributeValue::Other,
            };
            Some((name, value))
        };
        // An attribute that cannot be read is not worth the whole file.
        Some((name, (0..count).filter_map(attribute).collect()))
    }

    fn attribute_name(&self, string: u32) -> Option<String> {
        let number = self
            .numbers
            .and_then(|chunk| u32_at(chunk.bytes, place(chunk.header, string)?));
        let known = ATTRIBUTES.iter().find(|row| Some(row.0) == number);
        known.map_or_else(|| self.string(string), |row| Some(row.1.to_owned()))
    }

    /// The string of a number.
    fn string(&self, number: u32) -> Option<String> {
        let pool = self.pool?;
        let bytes = pool.bytes;
        if number >= u32_at(bytes, 8)? {
            return None;
        }
        let strings = u32_at(bytes, 20)? as usize;
        let at = strings.checked_add(u32_at(bytes, place(pool.header, number)?)? as usize)?;
        if u32_at(bytes, 16)? & UTF8 == 0 {
            utf16_string(bytes, at)
        } else {
            utf8_string(bytes, at)
        }
    }

    fn opens(&mut self, name: &str, attributes: Vec<(String, AttributeValue)>) {
        let parent = self.open.last().map_or("", String::as_str);
        let manifest = &mut self.manifest;
        let mut filter = None;
        for (attribute, value) in attributes {
            match (parent, name, attribute.as_str(), value) {
                ("", "manifest", "package", AttributeValue::Text(text)) => manifest.package = text,
                ("", "manifest", "split", AttributeValue::Text(text)) => manifest.split = Some(text),
                ("", "manifest", "versionCode", AttributeValue::Number(code)) => manifest.version_code = code,
                ("", "manifest", "versionName", AttributeValue::Text(text)) => manifest.version_name = text,
                ("manifest", "application", "label", AttributeValue::Text(text)) => {
                    manifest.label = Some(text);
                }
                ("manifest", "application", "testOnly", AttributeValue::Number(flag)) => {
                    manifest.test_only = flag != 0;
                }
                ("manifest", "uses-permission", "name", AttributeValue::Text(text)) => {
                    keep(&mut manifest.permissions, text);
                }
                ("application", "activity" | "activity-alias", "name", AttributeValue::Text(name)) => {
                    let declared = Declared {
                        name,
                        ..Declared::default()
                    };
                    keep(&mut manifest.activities, declared);
                }
                ("intent-filter", kind, "name", AttributeValue::Text(text)) => filter = Some((kind, text)),
                _ => {}
            }
        }
        if let Some((kind, text)) = filter {
            self.filters(kind, &text);
        }
    }

    /// What an activity's filter says: only the icon on the home screen counts.
    fn filters(&mut self, kind: &str, text: &str) {
        let around = self.open.len().checked_sub(2).and_then(|at| self.open.get(at));
        if !around.is_some_and(|name| name.starts_with("activity")) {
            return;
        }
        if let Some(activity) = self.manifest.activities.last_mut() {
            activity.main |= kind == "action" && text == "android.intent.action.MAIN";
            activity.launcher |= kind == "category" && text == "android.intent.category.LAUNCHER";
        }
    }
}

fn keep<T>(kept: &mut Vec<T>, one: T) {
    if kept.len() < MAX_KEPT {
        kept.push(one);
    }
}

/// The offset of the number of a row from the start of a chunk.
fn place(header: usize, number: u32) -> Option<usize> {
    header.checked_add((number as usize).checked_mul(4)?)
}

fn utf8_string(bytes: &[u8], at: usize) -> Option<String> {
    // The length in letters comes first, then the length in bytes.
    let (_, at) = short_length(bytes, at)?;
    let (length, at) = short_length(bytes, at)?;
    let text = bytes.get(at..at.checked_add(length.min(MAX_STRING))?)?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn short_length(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let first = usize::from(*bytes.get(at)?);
    if first & 0x80 == 0 {
        return Some((first, at + 1));
    }
    let second = usize::from(*bytes.get(at + 1)?);
    Some(((first & 0x7f) << 8 | second, at + 2))
}

fn utf16_string(bytes: &[u8], at: usize) -> Option<String> {
    let first = usize::from(u16_at(bytes, at)?);
    let (length, at) = if first & 0x8000 == 0 {
        (first, at + 2)
    } else {
        (
            (first & 0x7fff) << 16 | usize::from(u16_at(bytes, at + 2)?),
            at + 4,
        )
    };
    let text = bytes.get(at..at.checked_add(length.min(MAX_STRING) * 2)?)?;
    let units: Vec<u16> = text
        .chunks_exact(2)
        .map(|two| u16::from_le_bytes([two[0], two[1]]))
        .collect();
    Some(String::from_utf16_lossy(&units))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes([two[0], two[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}
