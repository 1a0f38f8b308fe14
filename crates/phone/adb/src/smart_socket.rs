//! The smart-socket protocol, spoken with an adb server: a request is four hex
//! digits of length and a text; the answer starts with OKAY, or with FAIL, a
//! length and a reason. Pure.

/// The longest request or answer: what four hex digits can say.
pub const MAX_TEXT: usize = 0xffff;

/// Why bytes are not what the protocol says should come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmartSocketError {
    /// A request longer than [`MAX_TEXT`].
    #[error("the request has {0} bytes; at most {MAX_TEXT} are allowed")]
    RequestTooLong(usize),
    #[error("expected OKAY or FAIL, got \"{}\"", .0.escape_ascii())]
    BadStatus([u8; 4]),
    #[error("expected four hex digits, got \"{}\"", .0.escape_ascii())]
    BadLength([u8; 4]),
}

/// What an answer starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Okay,
    /// It was not; a reason follows.
    Fail,
}

impl Status {
    /// Reads a status.
    ///
    /// # Errors
    /// [`SmartSocketError::BadStatus`] for anything else.
    pub fn parse(bytes: [u8; 4]) -> Result<Self, SmartSocketError> {
        match &bytes {
            b"OKAY" => Ok(Self::Okay),
            b"FAIL" => Ok(Self::Fail),
            _ => Err(SmartSocketError::BadStatus(bytes)),
        }
    }
}

/// Writes a text with its length before it: a request, or an answer's text.
///
/// # Errors
/// [`SmartSocketError::RequestTooLong`] where four digits do not suffice.
pub fn encode(text: &str) -> Result<Vec<u8>, SmartSocketError> {
    if text.len() > MAX_TEXT {
        return Err(SmartSocketError::RequestTooLong(text.len()));
    }
    Ok(format!("{:04x}{text}", text.len()).into_bytes())
}

/// Reads a length.
///
/// # Errors
/// [`SmartSocketError::BadLength`] for anything but four hex digits.
pub fn parse_length(bytes: [u8; 4]) -> Result<usize, SmartSocketError> {
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .ok_or(SmartSocketError::BadLength(bytes))
    };
    bytes
        .iter()
        .try_fold(0, |length, byte| Ok(length * 16 + digit(*byte)? as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn requests_have_the_bytes_everyone_expects() {
        assert_eq!(encode("host:version").unwrap(), b"000chost:version");
        assert_eq!(encode(&"x".repeat(65_535)).unwrap()[..4], *b"ffff");
        assert!(matches!(
            encode(&"x".repeat(65_536)),
            Err(SmartSocketError::RequestTooLong(65_536))
        ));
    }

    #[test]
    fn lengths_and_statuses_are_strict() {
        assert_eq!(parse_length(*b"00Ff"), Ok(255));
        for bad in [*b"+123", *b" 12 ", *b"12\xff4", *b"zzzz"] {
            assert!(parse_length(bad).is_err());
        }
        assert_eq!(Status::parse(*b"OKAY"), Ok(Status::Okay));
        assert_eq!(Status::parse(*b"FAIL"), Ok(Status::Fail));
        assert!(Status::parse(*b"okay").is_err());
    }

    proptest! {
        #[test]
        fn lengths_come_back(text in ".{0,300}") {
            let wire = encode(&text).unwrap();
            let digits: [u8; 4] = wire[..4].try_into().unwrap();
            prop_assert_eq!(parse_length(digits), Ok(text.len()));
        }
    }
}
