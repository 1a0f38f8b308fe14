//! An address that a forward or a reverse starts at or leads to, as adb writes
//! it. Pure.

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_are_read_as_adb_writes_them() {
        for text in [
            "tcp:0",
            "tcp:65535",
            "localabstract:scrcpy_1",
            "localreserved:adbd",
            "localfilesystem:/tmp/a:b",
            "dev:/dev/ttyS0",
            "jdwp:4711",
        ] {
            assert_eq!(text.parse::<ForwardSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_address_says_why() {
        let long = format!("dev:{}", "x".repeat(MAX_SPEC + 1));
        for (text, error) in [
            ("", SpecError::UnknownKind),
            ("tcp", SpecError::UnknownKind),
            ("udp:7", SpecError::UnknownKind),
            ("tcp:", SpecError::BadNumber),
            ("tcp:+7", SpecError::BadNumber),
            ("tcp:65536", SpecError::BadNumber),
            ("tcp:evil.example:80", SpecError::BadNumber),
            ("jdwp:x", SpecError::BadNumber),
            ("localabstract:", SpecError::BadName),
            ("localabstract:a b", SpecError::BadName),
            ("localabstract:a\0b", SpecError::BadName),
            ("localfilesystem:/a;tcp:1", SpecError::BadName),
            (&long, SpecError::BadName),
        ] {
            assert_eq!(text.parse::<ForwardSpec>(), Err(error), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_the_same(text in "(tcp|dev|jdwp|localabstract):.{0,20}") {
            if let Ok(spec) = text.parse::<ForwardSpec>() {
                prop_assert_eq!(spec.to_string().parse(), Ok(spec));
            }
        }
    }
}
