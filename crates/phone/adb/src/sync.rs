//! The sync protocol, spoken on a `sync:` stream to move files: four letters, a
//! few numbers, and a name or data. Pure.
//!
//! ```text
//! request   id, length, path                 STAT LIST SEND RECV QUIT, STA2 LST2 LIS2 SND2 RCV2
//! answers   STAT mode size mtime             (old: 32 bits)
//!           STA2/LST2 error dev ino mode nlink uid gid size atime mtime ctime
//!           DENT mode size mtime length name … DONE;  DNT2 the same with STA2's fields
//!           DATA length bytes … DONE mtime;  OKAY 0;  FAIL length reason
//! ```
//! A SND2 is followed by SND2, mode and flags, and a RCV2 by RCV2 and flags;
//! what comes after that is as for SEND and RECV.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use std::fmt;

/// The most bytes one DATA block carries.
pub const MAX_DATA: usize = 64 << 10;
/// The longest path or name.
pub const MAX_PATH: usize = 1024;

/// The four letters that start everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub [u8; 4]);

impl Id {
    pub const STAT: Self = Self(*b"STAT");
    pub const STAT_2: Self = Self(*b"STA2");
    pub const LSTAT_2: Self = Self(*b"LST2");
    pub const LIST: Self = Self(*b"LIST");
    pub const LIST_2: Self = Self(*b"LIS2");
    pub const ENTRY: Self = Self(*b"DENT");
    pub const ENTRY_2: Self = Self(*b"DNT2");
    pub const SEND: Self = Self(*b"SEND");
    pub const SEND_2: Self = Self(*b"SND2");
    pub const RECEIVE: Self = Self(*b"RECV");
    pub const RECEIVE_2: Self = Self(*b"RCV2");
    pub const DATA: Self = Self(*b"DATA");
    pub const DONE: Self = Self(*b"DONE");
    pub const OKAY: Self = Self(*b"OKAY");
    pub const FAIL: Self = Self(*b"FAIL");
    pub const QUIT: Self = Self(*b"QUIT");
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStat {
    /// Its kind and permissions, as in `st_mode`.
    pub mode: u32,
    pub size: u64,
    /// When it was last changed, in seconds since 1970.
    pub modified: i64,
}

/// A file in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its name, without the folder.
    pub name: String,
    pub stat: FileStat,
}

/// Which form numbers have: the old one cannot say more than 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// 32 bits, and a file that is not there is all zeros.
    Old,
    /// 64 bits, and an error number.
    New,
}

/// `ENOENT`: there is no such file.
pub const NO_SUCH_FILE: u32 = 2;
/// `ENOTDIR`: something on the way to the file is no folder.
pub const NOT_A_FOLDER: u32 = 20;

/// Writes a request: letters, length, path.
pub fn request(id: Id, path: &str) -> Bytes {
    let mut out = BytesMut::with_capacity(8 + path.len());
    out.put_slice(&id.0);
    out.put_u32_le(path.len() as u32);
    out.put_slice(path.as_bytes());
    out.freeze()
}

/// Writes letters and one number.
pub fn short(id: Id, number: u32) -> Bytes {
    let mut out = BytesMut::with_capacity(8);
    out.put_slice(&id.0);
    out.put_u32_le(number);
    out.freeze()
}

/// Writes a refusal.
pub fn failure(reason: &str) -> Bytes {
    request(Id::FAIL, reason)
}

impl Form {
    /// How many bytes follow the letters of a stat.
    pub fn stat_bytes(self) -> usize {
        match self {
            Self::Old => 12,
            Self::New => 68,
        }
    }

    /// Writes what is known of a file, without the letters.
    pub fn encode_stat(self, stat: Option<FileStat>, out: &mut BytesMut) {
        let error = if stat.is_some() { 0 } else { NO_SUCH_FILE };
        let stat = stat.unwrap_or_default();
        match self {
            Self::Old => {
                out.put_u32_le(stat.mode);
                // What does not fit is cut, as a phone does.
                out.put_u32_le(stat.size as u32);
                out.put_u32_le(stat.modified as u32);
            }
            Self::New => {
                out.put_u32_le(error);
                out.put_u64_le(0);
                out.put_u64_le(0);
                out.put_u32_le(stat.mode);
                out.put_u32_le(1);
                out.put_u32_le(0);
                out.put_u32_le(0);
                out.put_u64_le(stat.size);
                out.put_i64_le(stat.modified);
                out.put_i64_le(stat.modified);
                out.put_i64_le(stat.modified);
            }
        }
    }

    /// Reads what is known of a file: exactly [`Self::stat_bytes`] bytes.
    /// `None` means that it is not there.
    ///
    /// # Errors
    /// The device's error number, when it is about something else.
    pub fn decode_stat(self, mut bytes: &[u8]) -> Result<Option<FileStat>, u32> {
        if bytes.len() != self.stat_bytes() {
            return Ok(None);
        }
        match self {
            Self::Old => {
                let [mode, size, modified] = std::array::from_fn(|_| bytes.get_u32_le());
                let stat = FileStat { mode, size: u64::from(size), modified: i64::from(modified) };
                Ok((stat != FileStat::default()).then_some(stat))
            }
            Self::New => {
                let error = bytes.get_u32_le();
                bytes.advance(16);
                let mode = bytes.get_u32_le();
                bytes.advance(12);
                let size = bytes.get_u64_le();
                bytes.advance(8);
                let modified = bytes.get_i64_le();
                match error {
                    0 => Ok(Some(FileStat { mode, size, modified })),
                    NO_SUCH_FILE | NOT_A_FOLDER => Ok(None),
                    other => Err(other),
                }
            }
        }
    }
}

/// The flags of a SND2 or RCV2, and what they ask for.
const FLAGS: [(u32, &str); 4] = [(1, "brotli"), (2, "lz4"), (4, "zstd"), (0x8000_0000, "a dry run")];

/// Why a transfer with these flags is refused, if it is: nothing is compressed,
/// and a host that heeds a device's features does not ask for it.
pub fn refused_flags(flags: u32) -> Option<String> {
    let known = FLAGS.iter().find(|(flag, _)| flags & flag != 0);
    match (flags, known) {
        (0, _) => None,
        (_, Some((_, name))) => Some(format!("{name} is not supported")),
        (_, None) => Some(format!("unknown flags {flags:#x}")),
    }
}

/// Writes a SND2 for a plain file, with everything before its data.
pub fn send_2(path: &str, mode: u32) -> Bytes {
    let mut out = BytesMut::from(&request(Id::SEND_2, path)[..]);
    out.put_slice(&Id::SEND_2.0);
    out.put_u32_le(mode);
    out.put_u32_le(0);
    out.freeze()
}

/// Writes a RCV2 for a file that comes as it is.
pub fn receive_2(path: &str) -> Bytes {
    let mut out = BytesMut::from(&request(Id::RECEIVE_2, path)[..]);
    out.put_slice(&Id::RECEIVE_2.0);
    out.put_u32_le(0);
    out.freeze()
}

/// Splits the path of a SEND into the path itself and the mode behind the last comma.
pub fn split_mode(path: &str) -> Option<(&str, u32)> {
    let (path, mode) = path.rsplit_once(',')?;
    Some((path, mode.parse().ok()?))
}
