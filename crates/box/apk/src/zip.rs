//! Reads single files out of a zip: as much of the format as an APK needs.

use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

/// The most files a zip is searched through.
const MAX_FILES: usize = 100_000;
/// How far from its end a zip's directory can be announced: the announcement
/// and the longest remark behind it.
const TAIL: usize = 22 + 65_535;

const END: &[u8] = b"PK\x05\x06";
const ROW: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";

/// Why a file cannot be read from a zip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZipError {
    /// There is no directory of its files.
    NoDirectory,
    /// It ends where something must be.
    Short,
    /// It is packed in a way that APKs are not.
    Method(u16),
    /// It is larger than it may be.
    TooLarge,
    /// It does not come out as its directory says.
    Broken,
}

/// A zip, and where its directory is.
#[derive(Clone, Copy, Debug)]
pub struct Archive<'b> {
    bytes: &'b [u8],
    directory: usize,
    files: usize,
}

/// What a directory tells of one file.
struct ZipEntry<'b> {
    name: &'b [u8],
    method: u16,
    crc: u32,
    packed: usize,
    size: usize,
    at: usize,
    next: usize,
}

impl<'b> Archive<'b> {
    /// Finds the directory of a zip.
    ///
    /// # Errors
    /// [`ZipError`] if there is none.
    pub fn read(bytes: &'b [u8]) -> Result<Self, ZipError> {
        let first = bytes.len().saturating_sub(TAIL);
        let tail = &bytes[first..];
        let end = tail.windows(END.len()).rposition(|four| four == END);
        let end = first + end.ok_or(ZipError::NoDirectory)?;
        let files = usize::from(u16_at(bytes, end + 10)?);
        let directory = u32_at(bytes, end + 16)? as usize;
        Ok(Self { bytes, directory, files: files.min(MAX_FILES) })
    }

    /// The file of that name, unpacked; none if there is none. More than `most` bytes are refused.
    pub fn file(&self, name: &str, most: usize) -> Option<Result<Vec<u8>, ZipError>> {
        let mut at = self.directory;
        for _ in 0..self.files {
            let row = self.row(at).ok()?;
            if row.name == name.as_bytes() {
                return Some(self.unpack(&row, most));
            }
            at = row.next;
        }
        None
    }

    fn row(&self, at: usize) -> Result<ZipEntry<'b>, ZipError> {
        let bytes = self.bytes;
        if slice(bytes, at, 4)? != ROW {
            return Err(ZipError::Broken);
        }
        let length = |place: usize| u16_at(bytes, at + place).map(usize::from);
        let (name, extra, remark) = (length(28)?, length(30)?, length(32)?);
        Ok(ZipEntry {
            name: slice(bytes, at + 46, name)?,
            method: u16_at(bytes, at + 10)?,
            crc: u32_at(bytes, at + 16)?,
            packed: u32_at(bytes, at + 20)? as usize,
            size: u32_at(bytes, at + 24)? as usize,
            at: u32_at(bytes, at + 42)? as usize,
            next: at + 46 + name + extra + remark,
        })
    }

    fn unpack(&self, row: &ZipEntry<'_>, most: usize) -> Result<Vec<u8>, ZipError> {
        if row.size > most {
            return Err(ZipError::TooLarge);
        }
        let bytes = self.bytes;
        if slice(bytes, row.at, 4)? != LOCAL {
            return Err(ZipError::Broken);
        }
        let name = usize::from(u16_at(bytes, row.at + 26)?);
        let extra = usize::from(u16_at(bytes, row.at + 28)?);
        let packed = slice(bytes, row.at + 30 + name + extra, row.packed)?;
        let file = match row.method {
            0 => packed.to_vec(),
            8 => decompress_to_vec_with_limit(packed, row.size).map_err(|error| match error.status {
                TINFLStatus::HasMoreOutput => ZipError::TooLarge,
                _ => ZipError::Broken,
            })?,
            method => return Err(ZipError::Method(method)),
        };
        if file.len() != row.size || crc32(&file) != row.crc {
            return Err(ZipError::Broken);
        }
        Ok(file)
    }
}

fn slice(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], ZipError> {
    let end = at.checked_add(length).ok_or(ZipError::Short)?;
    bytes.get(at..end).ok_or(ZipError::Short)
}

fn u16_at(bytes: &[u8], at: usize) -> Result<u16, ZipError> {
    let two = slice(bytes, at, 2)?;
    Ok(u16::from_le_bytes([two[0], two[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, ZipError> {
    let four = slice(bytes, at, 4)?;
    Ok(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// The sum a zip keeps of each file.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            let odd = sum & 1 == 1;
            (sum >> 1) ^ if odd { 0xedb8_8320 } else { 0 }
        })
    };
    !bytes.iter().fold(!0, step)
}
