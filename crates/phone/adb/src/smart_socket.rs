//! The smart-socket protocol, spoken with an adb server: a request is four hex digits of length and
//! a text; the answer starts with OKAY, or with FAIL, a length and a reason. Pure.

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
pub enum AnswerStatus {
    Okay,
    /// It was not; a reason follows.
    Fail,
}

impl AnswerStatus {
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
    let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(SmartSocketError::BadLength(bytes));
    bytes.iter().try_fold(0, |length, byte| Ok(length * 16 + digit(*byte)? as usize))
}
