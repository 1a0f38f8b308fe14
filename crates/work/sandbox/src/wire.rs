//! What the supervisor and the launcher say to each other over a socket, which is
//! the launcher's standard input: frames of a length and that many bytes.
//!
//! The supervisor sends the plan twice, for each of the two processes that the
//! launcher consists of, and then the program's input; an empty frame is the
//! input's end. The end of the socket means that all must end.

use crate::runnable::Runnable;
use crate::{Missing, Plan};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

pub(crate) const MAX_FRAME: usize = 8 << 20;

/// What the launcher is to do.
#[derive(Serialize, Deserialize)]
pub(crate) struct LaunchOrder {
    pub(crate) plan: Plan,
    /// What may be executed; without it, everything that may be read.
    pub(crate) runnable: Option<Runnable>,
}

/// What the launcher says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum LauncherMessage {
    /// It does not start the program: these parts are missing.
    Refused(Vec<Missing>),
    /// It cannot start the program.
    NotStarted(String),
    /// The program runs, without these parts.
    Started(Vec<Missing>),
    /// A frame of input was taken; the next one may come.
    Taken,
    /// The program ended by itself.
    Exited(i32),
    /// A signal ended the program.
    Signalled(i32),
}

pub(crate) fn frame(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes(), bytes].concat()
}

pub(crate) fn say(mut to: impl Write, said: &LauncherMessage) -> io::Result<()> {
    to.write_all(&frame(&serde_json::to_vec(said)?))
}

/// Reads one frame, and not a byte more. An error is also the end.
pub(crate) fn read(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut bytes = vec![0; checked(length)?];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A frame's length, if it is allowed.
pub(crate) fn checked(length: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(length) as usize;
    if length <= MAX_FRAME {
        Ok(length)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"))
    }
}
