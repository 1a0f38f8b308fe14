//! An address that a forward or a reverse starts at or leads to, as adb writes it. Pure.

use std::fmt;
use std::str::FromStr;

/// The longest name an address may have.
pub const MAX_SPEC: usize = 1024;

/// An address on a host or on a device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForwardSpec {
    /// A TCP port on loopback; zero means that the listening side chooses.
    Tcp(u16),
    /// A Unix socket with a name of its own.
    LocalAbstract(String),
    /// A Unix socket that Android's init made.
    LocalReserved(String),
    /// A Unix socket in the file system.
    LocalFilesystem(String),
    Dev(String),
    /// The debugger's end of a process.
    Jdwp(u32),
}

/// Why a text is not an address. It does not quote the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A kind of address that adb or this crate does not support.
    #[error("unknown kind of address")]
    UnknownKind,
    /// Not a number, or too large.
    #[error("the number in the address is not valid")]
    BadNumber,
    /// A name that is empty, longer than [`MAX_SPEC`], or has what a list of
    /// addresses cannot carry: blanks, control characters, semicolons.
    #[error("the name in the address is not valid")]
    BadName,
}

/// The kinds that have a name, each with its prefix and its constructor.
type MakeSpec = fn(String) -> ForwardSpec;
const NAMED: [(&str, MakeSpec); 4] = [
    ("localabstract", ForwardSpec::LocalAbstract),
    ("localreserved", ForwardSpec::LocalReserved),
    ("localfilesystem", ForwardSpec::LocalFilesystem),
    ("dev", ForwardSpec::Dev),
];

impl FromStr for ForwardSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (kind, rest) = text.split_once(':').ok_or(SpecError::UnknownKind)?;
        match kind {
            "tcp" => Ok(Self::Tcp(number(rest)?)),
            "jdwp" => Ok(Self::Jdwp(number(rest)?)),
            _ => {
                let row = NAMED.iter().find(|(name, _)| *name == kind);
                let (_, make) = row.ok_or(SpecError::UnknownKind)?;
                let odd = |letter: char| letter == ';' || letter.is_whitespace() || letter.is_control();
                if rest.is_empty() || rest.len() > MAX_SPEC || rest.contains(odd) {
                    return Err(SpecError::BadName);
                }
                Ok(make(rest.to_owned()))
            }
        }
    }
}

/// A number in digits only: Rust would also take a plus sign.
fn number<T: FromStr>(text: &str) -> Result<T, SpecError> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(SpecError::BadNumber);
    }
    text.parse().map_err(|_| SpecError::BadNumber)
}

impl fmt::Display for ForwardSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(port) => write!(f, "tcp:{port}"),
            Self::LocalAbstract(name) => write!(f, "localabstract:{name}"),
            Self::LocalReserved(name) => write!(f, "localreserved:{name}"),
            Self::LocalFilesystem(path) => write!(f, "localfilesystem:{path}"),
            Self::Dev(path) => write!(f, "dev:{path}"),
            Self::Jdwp(process) => write!(f, "jdwp:{process}"),
        }
    }
}
