//! The lines of a command that goes on printing.

use super::{Phone, PhoneError};
use bytes::{Buf, BytesMut};
use clawperator_adb::shell::ShellPacket;
use clawperator_adb::{AdbError, Deadline, ServiceStream};

/// The longest line that is kept; what is behind it is left out. A line of a
/// phone's log has a few thousand bytes.
const MAX_LINE: usize = 64 << 10;

/// What a command prints, line by line. Dropping it ends the command.
#[derive(Debug)]
pub struct LogStream {
    stream: ServiceStream,
    /// Whether output comes in packets of the shell protocol.
    is_framed: bool,
    packets: BytesMut,
    text: BytesMut,
    /// The rest of a line that is too long is not kept.
    is_skipping: bool,
    has_ended: bool,
}

impl Phone {
    /// Starts a command that goes on printing.
    pub(super) async fn follow(&self, line: &str, deadline: Deadline) -> Result<LogStream, PhoneError> {
        self.begin(line, deadline).await?;
        let is_framed = self.device.has_feature("shell_v2");
        let service = if is_framed { format!("shell,v2,raw:{line}") } else { format!("shell:{line}") };
        let stream = self.device.open(&service, deadline).await;
        Ok(LogStream {
            stream: stream?,
            is_framed,
            packets: BytesMut::new(),
            text: BytesMut::new(),
            is_skipping: false,
            has_ended: false,
        })
    }
}

impl LogStream {
    /// The next line; none when the command has ended. May be dropped at any
    /// time without losing a line.
    ///
    /// # Errors
    /// [`PhoneError::TimedOut`] or [`PhoneError::Lost`].
    pub async fn line(&mut self, deadline: Deadline) -> Result<Option<String>, PhoneError> {
        loop {
            if let Some(line) = self.next_line() {
                return Ok(Some(line));
            }
            if self.has_ended {
                let rest = std::mem::take(&mut self.text);
                return Ok((!rest.is_empty()).then(|| line_text(&rest)));
            }
            let mut ends = self.stream.split();
            let received = deadline.run("the next line", ends.0.receive()).await;
            match received? {
                None => self.has_ended = true,
                Some(data) if self.is_framed => {
                    self.packets.extend_from_slice(&data);
                    self.unpack()?;
                }
                Some(data) => self.text.extend_from_slice(&data),
            }
        }
    }

    fn unpack(&mut self) -> Result<(), AdbError> {
        while let Some(packet) = ShellPacket::decode(&mut self.packets)? {
            match packet {
                ShellPacket::Stdout(data) | ShellPacket::Stderr(data) => self.text.extend_from_slice(&data),
                ShellPacket::Exit(_) => self.has_ended = true,
                ShellPacket::Stdin(_) | ShellPacket::CloseStdin | ShellPacket::WindowSize(_) => {
                    let reason = "the phone's shell sent a packet that only a host may send".to_owned();
                    return Err(AdbError::Protocol(reason));
                }
            }
        }
        Ok(())
    }

    fn next_line(&mut self) -> Option<String> {
        loop {
            let Some(end) = self.text.iter().position(|byte| *byte == b'\n') else {
                if self.text.len() <= MAX_LINE {
                    return None;
                }
                // What has come of it is the line; the rest is skipped.
                let start = self.text.split_to(MAX_LINE);
                self.text.clear();
                if std::mem::replace(&mut self.is_skipping, true) {
                    return None;
                }
                return Some(line_text(&start));
            };
            let line = self.text.split_to(end);
            self.text.advance(1);
            if !std::mem::replace(&mut self.is_skipping, false) {
                return Some(line_text(&line));
            }
        }
    }
}

/// A terminal puts a carriage return before a line's end.
fn line_text(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    String::from_utf8_lossy(line).into_owned()
}
