//! Sends a part to the app and waits for its answer. The only file here that talks to a phone.

use super::hierarchy::Trees;
use super::reader::{AnswerFilter, AnswerReader, OWN_TAG, ReaderResult};
use super::record::Record;
use super::trouble::{self, OperatorTrouble, SendProgress};
use clawperator_adb::Deadline;
use clawperator_contract::Envelope;
use clawperator_phone::{
    CommandKind, CommandLine, LogStream, Parcel, Pending, Phone, PhoneError, PhoneLease, PrintSummary,
    Receipt,
};
use std::time::Duration;

/// How often the log is read again after it ended by itself, as it does on a phone that is busy.
const MAX_RESUMES: u32 = 3;
/// How long the rest of an answer is waited for once a part of it has come.
const REST: Duration = Duration::from_secs(2);
/// How much of the phone's output a failure repeats.
const MAX_SAID: usize = 200;
/// How a broadcast that was not sent begins, whatever its exit code.
const REFUSALS: &[&str] = &[
    "Error",
    "Exception",
    "Security exception",
    "java.lang.",
    "android.os.",
    "Permission Denial",
    "Unknown",
    "usage:",
];
/// What a phone says of a package that is not there.
const MISSING: &[&str] = &["Target package not found", "does not exist"];

/// One part on its way.
pub(super) struct PartSending<'s> {
    pub(super) lease: &'s mut PhoneLease,
    pub(super) package: &'s str,
    pub(super) payload: &'s str,
    pub(super) wanted: AnswerFilter,
    pub(super) deadline: Deadline,
}

/// The app's answer.
pub(super) type OperatorAnswer = (Envelope, Trees);

/// Sends a part and waits for the answer; how far it got is noted either way.
pub(super) async fn send(
    sending: PartSending<'_>,
    progress: &mut SendProgress,
) -> Result<OperatorAnswer, OperatorTrouble> {
    let PartSending { lease, package, payload, mut wanted, deadline } = sending;
    let parcel = Parcel { package, payload, mark: &wanted.mark, tag: OWN_TAG };
    let mut handing = Pending::new(lease.phone(), &CommandLine::new(CommandKind::Payload, payload));
    let handed = hand_over(lease, &parcel, deadline).await;
    handing.record_end(match &handed {
        Ok((_, receipt)) => {
            let out_bytes = receipt.output.iter().map(|line| line.len() + 1).sum();
            Ok(PrintSummary { exit_code: Some(receipt.exit_code), out_bytes, ..PrintSummary::default() })
        }
        Err(trouble) => Err(trouble.in_short()),
    });
    let (mut log, receipt) = handed?;
    if let Err(trouble) = judge(&receipt) {
        if let OperatorTrouble::Refused { reason, .. } = &trouble {
            progress.sent = trouble::BroadcastState::No(reason.clone());
        }
        return Err(trouble);
    }
    progress.sent = trouble::BroadcastState::Yes;
    wanted.pids.clone_from(&receipt.pids);
    if !receipt.is_marked {
        wanted.mark.clear();
    }
    let mut reader = AnswerReader::new(wanted);
    let waiting = CommandLine::new(CommandKind::AppAnswer, "logcat, for the app's answer").without_secrets();
    let mut listening = Pending::new(lease.phone(), &waiting);
    let heard = listen(AnswerListener {
        phone: lease.phone(),
        log: &mut log,
        since: &receipt.since,
        reader: &mut reader,
        deadline,
    })
    .await;
    listening.record_end(match &heard {
        Ok(_) => Ok(PrintSummary::default()),
        Err(trouble) => Err(trouble.in_short()),
    });
    progress.events = reader.events();
    match heard? {
        ReaderResult::Answer(envelope, trees) => Ok((*envelope, trees)),
        ReaderResult::Malformed(why) => Err(OperatorTrouble::Malformed(why)),
    }
}

async fn hand_over(
    lease: &mut PhoneLease,
    parcel: &Parcel<'_>,
    deadline: Deadline,
) -> Result<(LogStream, Receipt), OperatorTrouble> {
    let mut log = lease.hand_over(parcel, deadline).await.map_err(OperatorTrouble::Phone)?;
    let receipt = receipt(&mut log, parcel.mark, deadline).await?;
    Ok((log, receipt))
}

async fn receipt(log: &mut LogStream, mark: &str, deadline: Deadline) -> Result<Receipt, OperatorTrouble> {
    let mut receipt = Receipt::default();
    loop {
        match log.line(deadline).await {
            Ok(Some(line)) if receipt.next(&line, mark) => return Ok(receipt),
            Ok(Some(_)) => {}
            Ok(None) => {
                let output = receipt.output.join(" ");
                return Err(OperatorTrouble::LogEnded(output.chars().take(MAX_SAID).collect()));
            }
            Err(PhoneError::TimedOut { .. }) => return Err(OperatorTrouble::TooLate),
            Err(error) => return Err(OperatorTrouble::Phone(error)),
        }
    }
}

/// Whether the phone delivered the payload. Only its output says so: the exit
/// code is often 0 when it did not.
fn judge(receipt: &Receipt) -> Result<(), OperatorTrouble> {
    let complains = |line: &&String| REFUSALS.iter().any(|start| line.trim_start().starts_with(start));
    let complaint = receipt.output.iter().find(complains);
    let completed = receipt.output.iter().any(|line| line.contains("Broadcast completed"));
    if receipt.exit_code == 0 && complaint.is_none() && completed {
        return Ok(());
    }
    // It repeats the intent before it complains.
    let mut behind = receipt.output.iter().filter(|line| !line.starts_with("Broadcasting:"));
    let reason = complaint.or_else(|| behind.next()).map_or("", String::as_str);
    let is_missing = MISSING.iter().any(|text| receipt.output.iter().any(|line| line.contains(text)));
    let reason = match reason.trim() {
        "" => format!("am broadcast ended with exit code {}", receipt.exit_code),
        reason => reason.chars().take(MAX_SAID).collect(),
    };
    Err(OperatorTrouble::Refused { reason, is_missing })
}

/// A phone's log that is read for an answer.
struct AnswerListener<'l> {
    phone: &'l Phone,
    log: &'l mut LogStream,
    /// From when on it is read again, where it ends.
    since: &'l str,
    reader: &'l mut AnswerReader,
    deadline: Deadline,
}

async fn listen(listening: AnswerListener<'_>) -> Result<ReaderResult, OperatorTrouble> {
    let AnswerListener { phone, log, since, reader, deadline } = listening;
    let mut resumes = 0;
    let mut last = String::new();
    loop {
        let rest = Deadline::after(REST);
        let next = if reader.is_open() {
            tokio::select! {
                biased;
                next = log.line(rest) => next,
                late = deadline.run("an answer", std::future::pending::<Result<(), _>>()) => match late {
                    Ok(()) => continue,
                    Err(_) => return Err(too_late(reader)),
                },
            }
        } else {
            log.line(deadline).await
        };
        match next {
            Ok(Some(line)) => {
                if let Some(heard) = reader.line(&line) {
                    return Ok(heard);
                }
                // A complaint of the log's own is no line of it.
                if Record::parse(&line).is_none() && !line.starts_with("-----") {
                    last = line;
                }
            }
            Ok(None) if resumes < MAX_RESUMES => {
                resumes += 1;
                *log = phone.log_since(since, deadline).await.map_err(OperatorTrouble::Phone)?;
                reader.restart();
            }
            Ok(None) => return Err(OperatorTrouble::LogEnded(last.chars().take(MAX_SAID).collect())),
            Err(PhoneError::TimedOut { .. }) => return Err(too_late(reader)),
            Err(error) => return Err(OperatorTrouble::Phone(error)),
        }
    }
}

/// An answer that began, or that could not be read, is more than none.
fn too_late(reader: &AnswerReader) -> OperatorTrouble {
    reader.give_up().map_or(OperatorTrouble::TooLate, OperatorTrouble::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broadcast_is_sent_when_the_phone_says_so_and_only_then() {
        let intent = "Broadcasting: Intent { act=x (has extras) }";
        let receipt = |exit_code: u8, output: &[&str]| Receipt {
            exit_code,
            output: output.iter().map(|line| (*line).to_owned()).collect(),
            ..Receipt::default()
        };
        assert!(judge(&receipt(0, &[intent, "Broadcast completed: result=0"])).is_ok());
        assert!(judge(&receipt(0, &[intent, "Broadcast completed: result=-1, data=\"x\""])).is_ok());
        for (code, output, shown, missing) in [
            (0, &[intent][..], "ended with exit code 0", false),
            (255, &[intent, "oops"], "oops", false),
            (0, &[intent, "Error: Target package not found: x"], "Error: Target", true),
            (0, &["Security exception: Permission Denial"], "Security", false),
            (255, &["cmd: Can't find service: activity"], "cmd: Can't", false),
        ] {
            let Err(OperatorTrouble::Refused { reason, is_missing }) = judge(&receipt(code, output)) else {
                panic!("{output:?}");
            };
            assert!(reason.contains(shown) && is_missing == missing, "{reason}");
        }
    }
}
