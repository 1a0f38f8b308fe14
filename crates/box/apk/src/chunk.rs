//! What Android's binary files are made of: chunks, and pools of strings.

/// The longest string, in bytes.
const MAX_STRING: usize = 4_096;
/// The flag of a pool whose strings are UTF-8.
const UTF8: u32 = 1 << 8;

/// One chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'b> {
    pub(super) kind: u16,
    pub(super) header: usize,
    /// All of it, the header too.
    pub(super) bytes: &'b [u8],
}

impl<'b> Chunk<'b> {
    /// The chunk at a place.
    pub(super) fn at(bytes: &'b [u8], at: usize) -> Option<Self> {
        let kind = u16_at(bytes, at)?;
        let header = usize::from(u16_at(bytes, at + 2)?);
        let size = u32_at(bytes, at + 4)? as usize;
        let bytes = bytes.get(at..at.checked_add(size)?)?;
        // A chunk that is smaller than its own beginning would never end.
        (header >= 8 && size >= header).then_some(Self { kind, header, bytes })
    }

    /// The chunks behind its header, so many at most.
    pub(super) fn inside(self, most: usize) -> impl Iterator<Item = Self> {
        let mut at = self.header;
        let next = move || {
            let chunk = Self::at(self.bytes, at)?;
            at += chunk.bytes.len();
            Some(chunk)
        };
        std::iter::from_fn(next).take(most)
    }
}

pub(super) fn pool_string(pool: Chunk<'_>, number: u32) -> Option<String> {
    let bytes = pool.bytes;
    if number >= u32_at(bytes, 8)? {
        return None;
    }
    let strings = u32_at(bytes, 20)? as usize;
    let at = strings.checked_add(u32_at(bytes, place(pool.header, number)?)? as usize)?;
    if u32_at(bytes, 16)? & UTF8 == 0 { utf16_string(bytes, at) } else { utf8_string(bytes, at) }
}

/// The offset of the number of a row from the start of a chunk.
pub(super) fn place(header: usize, number: u32) -> Option<usize> {
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
        ((first & 0x7fff) << 16 | usize::from(u16_at(bytes, at + 2)?), at + 4)
    };
    let text = bytes.get(at..at.checked_add(length.min(MAX_STRING) * 2)?)?;
    let units: Vec<u16> = text.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes([two[0], two[1]]))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}
