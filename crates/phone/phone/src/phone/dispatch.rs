//! Sends a payload to an app by broadcast and reads the app's answer from the log.

use super::log_stream::LogStream;
use super::script::{DISPATCH, FOLLOW, LISTENS, Script};
use super::{Phone, PhoneError};
use crate::quote::Nul;
use clawperator_adb::Deadline;

/// How the log is read: its main part, which apps write into, with the process
/// and the thread of every line. It is never cleared: others read it, too.
const LOGCAT: [&str; 6] = ["logcat", "-b", "main", "-v", "threadtime", "-T"];

/// A payload on its way to an app.
#[derive(Clone, Copy, Debug)]
pub struct Parcel<'p> {
    pub package: &'p str,
    pub payload: &'p str,
    /// A word that is used for nothing else.
    pub mark: &'p str,
    /// Under which name it is written into the log.
    pub tag: &'p str,
}

/// The result of the broadcast.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    pub output: Vec<String>,
    pub exit_code: u8,
    /// The phone's time before anything was sent, as the log takes it.
    pub since: String,
    pub pids: Vec<u32>,
    /// Whether the word was written into the log.
    pub is_marked: bool,
}

impl Phone {
    /// The packages whose name has this part in it.
    ///
    /// # Errors
    /// [`PhoneError::Refused`] with the phone's words, or what broke.
    pub async fn packages_like(&self, part: &str, deadline: Deadline) -> Result<Vec<String>, PhoneError> {
        self.packages_of(&[part], deadline).await
    }

    /// Sends a payload and follows the log from a moment before that on: what
    /// the app says cannot be missed, however fast it is. One round trip; what
    /// comes first is read with [`Receipt::next`].
    pub(crate) async fn dispatch(
        &self,
        parcel: &Parcel<'_>,
        deadline: Deadline,
    ) -> Result<LogStream, PhoneError> {
        self.follow(&dispatch_script(parcel)?.text(), deadline).await
    }

    /// Follows the log from that time on.
    pub async fn log_since(&self, since: &str, deadline: Deadline) -> Result<LogStream, PhoneError> {
        let follow = Script::of(&[LISTENS, FOLLOW]).words(LOGCAT)?.word(since)?;
        self.follow(&follow.text(), deadline).await
    }
}

fn dispatch_script(parcel: &Parcel<'_>) -> Result<Script, Nul> {
    let script = Script::of(&[LISTENS, DISPATCH]).value("package", parcel.package)?;
    script.value("payload", parcel.payload)?.value("mark", parcel.mark)?.value("tag", parcel.tag)
}

impl Receipt {
    /// Takes the next line; whether the receipt is complete.
    pub fn next(&mut self, line: &str, mark: &str) -> bool {
        const MOST: usize = 50;
        let Some(rest) = line.strip_prefix(mark).and_then(|rest| rest.strip_prefix(' ')) else {
            if self.output.len() < MOST {
                self.output.push(line.to_owned());
            }
            return false;
        };
        let (before, behind) = rest.split_once('[').unwrap_or((rest, ""));
        let (since, pids) = behind.split_once(']').unwrap_or((behind, ""));
        let mut words = before.split_whitespace();
        self.exit_code = words.next().and_then(|word| word.parse().ok()).unwrap_or(u8::MAX);
        self.is_marked = words.next() == Some("marked");
        since.clone_into(&mut self.since);
        self.pids = pids.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_what_comes_before_the_log() {
        let mut receipt = Receipt::default();
        assert!(!receipt.next("Broadcasting: Intent { x }", "m-1"));
        assert!(!receipt.next("m-10 is no mark of ours", "m-1"));
        assert!(receipt.next("m-1 0 marked [01-31 09:41:00.000] 12 13", "m-1"));
        assert_eq!((receipt.exit_code, receipt.is_marked, receipt.output.len()), (0, true, 2));
        assert_eq!((receipt.since.as_str(), &receipt.pids[..]), ("01-31 09:41:00.000", &[12, 13][..]));
        let mut bare = Receipt::default();
        assert!(bare.next("m-1 255  [01-31 09:41:00.000]", "m-1"));
        assert_eq!((bare.exit_code, bare.is_marked, bare.pids.len()), (255, false, 0));
    }

    #[test]
    fn everything_from_outside_is_one_word() {
        let parcel =
            Parcel { package: "a b; reboot", payload: "{\"x\":\"it's $(reboot)\"}", mark: "m", tag: "T" };
        let line = dispatch_script(&parcel).unwrap().text();
        assert!(line.contains("cl_package='a b; reboot'\n"), "{line}");
        assert!(line.contains(r#"cl_payload='{"x":"it'"'"'s $(reboot)"}'"#), "{line}");
    }
}
