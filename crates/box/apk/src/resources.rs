//! Looks up texts in an APK's table of resources (`resources.arsc`): as much of
//! it as the label of an app needs.
//!
//! The table is a pool of strings and one chunk for each package. A package has
//! a chunk for each type of resource and configuration, such as a language; it
//! tells for each resource which string of the pool it is.

use super::chunk::{Chunk, pool_string, u16_at, u32_at};

const TABLE: u16 = 0x0002;
const POOL: u16 = 0x0001;
const PACKAGE: u16 = 0x0200;
const TYPE: u16 = 0x0201;
/// The most chunks of a table or a package.
const MAX_CHUNKS: usize = 50_000;
/// How often one resource may only name another.
const MAX_HOPS: usize = 8;
/// Flags of a type: how its offsets are written.
const SPARSE: u8 = 1;
const SHORT_OFFSETS: u8 = 2;
const COMPLEX: u16 = 1;
const COMPACT: u16 = 8;
const STRING: u8 = 0x03;
const REFERENCE: u8 = 0x01;
/// English, as a configuration writes it.
const ENGLISH: [u8; 2] = *b"en";

/// The text of a resource, in the language that an app falls back to, or else
/// in English, or else in any.
pub(super) fn text(bytes: &[u8], mut resource: u32) -> Option<String> {
    let table = Chunk::at(bytes, 0).filter(|chunk| chunk.kind == TABLE)?;
    let pool = table.inside(MAX_CHUNKS).find(|chunk| chunk.kind == POOL)?;
    for _ in 0..MAX_HOPS {
        let mut found: Vec<_> = values(table, resource).collect();
        found.sort_by_key(|value| match value.language {
            [0, 0] => 0,
            ENGLISH => 1,
            _ => 2,
        });
        let value = found.first()?;
        match value.kind {
            STRING => return pool_string(pool, value.data),
            REFERENCE if value.data != resource => resource = value.data,
            _ => return None,
        }
    }
    None
}

/// What a resource is in one configuration.
struct ResourceValue {
    language: [u8; 2],
    kind: u8,
    data: u32,
}

fn values<'b>(table: Chunk<'b>, resource: u32) -> impl Iterator<Item = ResourceValue> + 'b {
    let packages = table
        .inside(MAX_CHUNKS)
        .filter(move |chunk| chunk.kind == PACKAGE && u32_at(chunk.bytes, 8) == Some(resource >> 24));
    let types = packages.flat_map(|package| package.inside(MAX_CHUNKS)).filter(move |chunk| {
        chunk.kind == TYPE && chunk.bytes.get(8).copied().map(u32::from) == Some(resource >> 16 & 0xff)
    });
    types.filter_map(move |kind| value(kind, resource & 0xffff))
}

fn value(kind: Chunk<'_>, number: u32) -> Option<ResourceValue> {
    let bytes = kind.bytes;
    let language = [*bytes.get(28)?, *bytes.get(29)?];
    let start = u32_at(bytes, 16)? as usize;
    let at = start.checked_add(entry_offset(kind, number)?)?;
    let (size, flags) = (u16_at(bytes, at)?, u16_at(bytes, at + 2)?);
    if flags & COMPACT != 0 {
        return Some(ResourceValue { language, kind: (flags >> 8) as u8, data: u32_at(bytes, at + 4)? });
    }
    if flags & COMPLEX != 0 {
        return None;
    }
    let at = at + usize::from(size);
    Some(ResourceValue { language, kind: *bytes.get(at + 3)?, data: u32_at(bytes, at + 4)? })
}

/// Where the entry of a number is, from the first.
fn entry_offset(kind: Chunk<'_>, number: u32) -> Option<usize> {
    let bytes = kind.bytes;
    let (flags, count) = (*bytes.get(9)?, u32_at(bytes, 12)?);
    let wanted = number as usize;
    if flags & SPARSE != 0 {
        let mut rows = (0..count as usize).map_while(|row| {
            let at = kind.header + row * 4;
            Some((u16_at(bytes, at)?, u16_at(bytes, at + 2)?))
        });
        let row = rows.find(|row| u32::from(row.0) == number);
        return row.map(|row| usize::from(row.1) * 4);
    }
    if number >= count {
        return None;
    }
    if flags & SHORT_OFFSETS != 0 {
        let offset = u16_at(bytes, kind.header + wanted * 2)?;
        return (offset != u16::MAX).then_some(usize::from(offset) * 4);
    }
    let offset = u32_at(bytes, kind.header + wanted * 4)?;
    (offset != u32::MAX).then_some(offset as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunk(kind: u16, header: &[u8], body: &[u8]) -> Vec<u8> {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend((8 + header.len() as u16).to_le_bytes());
        bytes.extend((8 + header.len() as u32 + body.len() as u32).to_le_bytes());
        bytes.extend(header);
        bytes.extend(body);
        bytes
    }

    fn words(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn pool(texts: &[&str]) -> Vec<u8> {
        let mut strings = Vec::new();
        let mut offsets = Vec::new();
        for text in texts {
            offsets.push(strings.len() as u32);
            strings.extend([text.chars().count() as u8, text.len() as u8]);
            strings.extend(text.bytes());
            strings.push(0);
        }
        let start = 28 + 4 * texts.len() as u32;
        let header = words(&[texts.len() as u32, 0, 1 << 8, start, 0]);
        chunk(POOL, &header, &[words(&offsets), strings].concat())
    }

    /// A type of two resources: the first has this value, the second none.
    fn kind(language: &[u8; 2], flags: u8, value_kind: u8, data: u32) -> Vec<u8> {
        let mut config = words(&[20, 0]);
        config.extend(language);
        config.extend([0; 10]);
        let offsets: Vec<u8> = match flags {
            SPARSE => vec![0, 0, 0, 0],
            SHORT_OFFSETS => vec![0, 0, 0xff, 0xff],
            _ => words(&[0, u32::MAX]),
        };
        let count = if flags == SPARSE { 1 } else { 2 };
        let header_size = 8 + 12 + config.len() as u32;
        let mut header = vec![1, flags, 0, 0];
        header.extend(words(&[count, header_size + offsets.len() as u32]));
        header.extend(config);
        let mut entry = vec![8, 0, 0, 0, 0, 0, 0, 0];
        entry.extend([8, 0, 0, value_kind]);
        entry.extend(data.to_le_bytes());
        chunk(TYPE, &header, &[offsets, entry].concat())
    }

    fn table(types: &[Vec<u8>]) -> Vec<u8> {
        let package = chunk(PACKAGE, &words(&[0x7f]), &types.concat());
        let body = [pool(&["Notizen", "Notes", "メモ"]), package].concat();
        chunk(TABLE, &words(&[1]), &body)
    }

    const LABEL: u32 = 0x7f01_0000;

    #[test]
    fn a_text_is_found_in_the_language_that_an_app_falls_back_to() {
        let cases: &[(&[Vec<u8>], Option<&str>)] = &[
            (&[kind(b"de", 0, STRING, 0), kind(b"\0\0", 0, STRING, 1)], Some("Notes")),
            (&[kind(b"ja", 0, STRING, 2), kind(b"en", 0, STRING, 1)], Some("Notes")),
            (&[kind(b"ja", 0, STRING, 2)], Some("メモ")),
            (&[kind(b"\0\0", SPARSE, STRING, 1)], Some("Notes")),
            (&[kind(b"\0\0", SHORT_OFFSETS, STRING, 1)], Some("Notes")),
            (&[kind(b"\0\0", 0, STRING, 9)], None),
            (&[kind(b"\0\0", 0, 0x1c, 1)], None),
            (&[kind(b"\0\0", 0, REFERENCE, LABEL)], None),
            (&[], None),
        ];
        for (number, (types, wanted)) in cases.iter().enumerate() {
            assert_eq!(text(&table(types), LABEL).as_deref(), *wanted, "{number}");
        }
        let one = table(&[kind(b"\0\0", 0, STRING, 1)]);
        for missing in [LABEL + 1, LABEL + 2, 0x7f02_0000, 0x0101_0000] {
            assert_eq!(text(&one, missing), None);
        }
    }

    proptest! {
        #[test]
        fn any_table_is_read_or_refused(
            place in 0..400_usize, byte in any::<u8>(), end in 0..400_usize, resource in any::<u32>(),
        ) {
            let mut bytes = table(&[kind(b"de", 0, STRING, 0), kind(b"\0\0", SPARSE, REFERENCE, resource)]);
            if let Some(there) = bytes.get_mut(place) {
                *there = byte;
            }
            let _ = text(&bytes, LABEL);
            bytes.truncate(end);
            let _ = text(&bytes, resource);
        }
    }
}
