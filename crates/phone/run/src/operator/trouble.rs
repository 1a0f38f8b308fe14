//! What can go wrong between the host and the Operator app, and the failures that callers get.

use super::OperatorApp;
use crate::outcome::run_details;
use clawperator_contract::{Action, Dispatch, ErrorCode, Execution, Failure, OperatorDetails, StepResult};
use clawperator_phone::{DispatchState, Phone, PhoneError, other_variant};
use std::time::Duration;

/// What the last action in a failure means.
const CAVEAT: &str =
    "the last action that was sent and not answered; an earlier action may be the one that hangs";

/// What became of a broadcast.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum BroadcastState {
    Never,
    #[default]
    Pending,
    Yes,
    /// It was refused, in these words.
    No(String),
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) enum OperatorTrouble {
    /// The way to the phone, or the phone.
    Phone(PhoneError),
    /// The phone did not deliver the payload.
    Refused {
        reason: String,
        is_missing: bool,
    },
    /// The answer cannot be read.
    Malformed(String),
    LogEnded(String),
    TooLate,
    Stopped,
}

impl OperatorTrouble {
    /// A short description without any sent or received text.
    pub(super) fn in_short(&self) -> String {
        match self {
            Self::Phone(error) if !matches!(error, PhoneError::Refused { .. }) => error.to_string(),
            Self::Phone(_) | Self::Refused { .. } => "the phone refused it".to_owned(),
            Self::Malformed(_) => "the answer cannot be read".to_owned(),
            Self::LogEnded(_) => "the log ended".to_owned(),
            Self::TooLate => "no answer came in time".to_owned(),
            Self::Stopped => "the execution was stopped".to_owned(),
        }
    }
}

/// How far the sending got.
#[derive(Clone, Debug, Default)]
pub(super) struct SendProgress {
    pub(super) sent: BroadcastState,
    pub(super) events: Vec<String>,
    pub(super) elapsed: Duration,
    pub(super) waited_for: Duration,
}

/// The app's package without and with the ending of its development variant.
pub(super) fn variants(package: &str) -> (String, String) {
    let other = other_variant(package);
    if other.len() < package.len() { (other, package.to_owned()) } else { (package.to_owned(), other) }
}

/// The failure if the app is not installed.
pub(super) fn not_there(installed: &[String], package: &str, serial: &str) -> Option<Failure> {
    let has = |name: &str| installed.iter().any(|it| it == name);
    if has(package) {
        return None;
    }
    let (base, dev) = variants(package);
    let is_dev = package == dev;
    let other = if is_dev { &base } else { &dev };
    let file = if is_dev { "operator-debug.apk" } else { "operator.apk" };
    let install = format!(
        "clawperator operator setup --apk ~/.clawperator/downloads/{file} --device {serial} --operator-package {package}"
    );
    let (code, summary, detail, hint) = if has(other) {
        (
            ErrorCode::OperatorVariantMismatch,
            format!("{package} is not installed, but {other} is."),
            format!("The phone {serial} has the other variant of the Operator app, {other}."),
            format!("Use --operator-package {other}, or install the other variant: {install}"),
        )
    } else {
        (
            ErrorCode::OperatorNotInstalled,
            format!("{package} is not installed."),
            format!("The phone {serial} has neither {base} nor {dev}."),
            format!("Install it with {install}, or run without --operator-package."),
        )
    };
    let details = OperatorDetails {
        check_id: Some("readiness.apk.presence".to_owned()),
        summary: Some(summary.clone()),
        detail: Some(detail),
        install_command: Some(install),
        ..OperatorDetails::default()
    };
    let failure = Failure::new(code, format!("{summary} {hint}")).hint(hint);
    Some(failure.with(|it| it.operator = Some(Box::new(details))))
}

/// The failure if the phone does not list its packages.
pub(super) fn packages_failure(error: &PhoneError) -> Failure {
    let message = format!("the phone did not list its packages: {error}");
    Failure::of(ErrorCode::DeviceShellUnavailable, message)
}

/// The context of a failure.
pub(super) struct FailureContext<'p> {
    pub(super) phone: &'p Phone,
    pub(super) app: &'p OperatorApp,
    pub(super) execution: &'p Execution,
    /// The last action that was sent and not answered.
    pub(super) last: Option<&'p Action>,
    pub(super) done: &'p [StepResult],
}

impl FailureContext<'_> {
    /// The failure that the caller gets.
    pub(super) fn failure(&self, trouble: &OperatorTrouble, progress: SendProgress) -> Failure {
        let (code, message) = describe(trouble, &progress);
        let hint = self.hint(trouble, &progress).unwrap_or_else(|| code.row().hint.to_owned());
        let dispatched = match (trouble, &progress.sent) {
            (OperatorTrouble::Refused { .. }, _) => "no",
            (OperatorTrouble::Phone(error), BroadcastState::Pending)
                if error.dispatched() == DispatchState::No =>
            {
                "no"
            }
            _ => "unknown",
        };
        let mut failure = Failure::new(code, message).hint(hint).with(|details| {
            details.step_results = self.done.to_vec();
            details.dispatched = Some(dispatched.to_owned());
            details.operator = Some(Box::new(self.details(&progress)));
        });
        failure.dispatch = Some(Box::new(Dispatch {
            last_correlated_events: progress.events,
            broadcast_dispatch_status: match progress.sent {
                BroadcastState::Never => "not sent".to_owned(),
                BroadcastState::Pending if dispatched == "no" => "not sent".to_owned(),
                BroadcastState::Pending => "pending".to_owned(),
                BroadcastState::Yes => "sent".to_owned(),
                BroadcastState::No(why) => format!("failed: {why}"),
            },
            device_id: self.phone.serial().to_owned(),
            operator_package: self.app.package.to_string(),
        }));
        failure
    }

    fn hint(&self, trouble: &OperatorTrouble, progress: &SendProgress) -> Option<String> {
        let serial = self.phone.serial();
        match trouble {
            OperatorTrouble::TooLate if progress.sent != BroadcastState::Yes => None,
            OperatorTrouble::TooLate if !progress.events.is_empty() => Some(
                "The payload was sent but not answered; lastCorrelatedEvents has the app's last log lines. Look at \
                 the phone before you try again, and raise timeoutMs if it needs longer."
                    .to_owned(),
            ),
            OperatorTrouble::TooLate if self.done.is_empty() => Some(format!(
                "The payload was sent, but the app did not react. Run clawperator doctor --device {serial} to check \
                 that its accessibility service runs and that its version matches this one."
            )),
            OperatorTrouble::TooLate => Some(format!(
                "The steps in stepResults are done; the app reported nothing about the later ones. Look at the \
                 phone, and check with clawperator doctor --device {serial} that the app's accessibility \
                 service still runs."
            )),
            OperatorTrouble::Malformed(_) => Some(
                "The steps may have been done: look at the phone before you try again. A busy phone loses log \
                 lines; if the answer was long, send fewer steps at a time."
                    .to_owned(),
            ),
            OperatorTrouble::Phone(PhoneError::TooLong { .. }) => Some(
                "Split the execution into several; quotation marks take extra space in the command.".to_owned(),
            ),
            _ => None,
        }
    }

    fn details(&self, progress: &SendProgress) -> OperatorDetails {
        let ms = |time: Duration| u64::try_from(time.as_millis()).ok();
        let sent = self.last.filter(|_| progress.sent != BroadcastState::Never);
        OperatorDetails {
            last_action_caveat: sent.map(|_| CAVEAT.to_owned()),
            elapsed_ms: ms(progress.elapsed),
            timeout_ms: ms(progress.waited_for),
            ..run_details(self.execution, self.last)
        }
    }
}

/// The code and the message of a failure.
fn describe(trouble: &OperatorTrouble, progress: &SendProgress) -> (ErrorCode, String) {
    let waited = progress.waited_for.as_millis();
    let is_unsent = progress.sent == BroadcastState::Never;
    match trouble {
        OperatorTrouble::TooLate => {
            let what = if is_unsent {
                "the execution did not finish"
            } else {
                "no [Clawperator-Result] envelope came"
            };
            (ErrorCode::ResultEnvelopeTimeout, format!("{what} within {waited} ms"))
        }
        OperatorTrouble::Stopped => {
            let more = if is_unsent { "" } else { "; the Operator app continues with the steps it received" };
            (ErrorCode::ExecutionCancelled, format!("the execution was interrupted{more}"))
        }
        OperatorTrouble::Malformed(why) => {
            (ErrorCode::ResultEnvelopeMalformed, format!("the Operator app's answer cannot be read: {why}"))
        }
        OperatorTrouble::Refused { reason, is_missing: true } => {
            (ErrorCode::OperatorNotInstalled, format!("no app on the phone accepts the payload: {reason}"))
        }
        OperatorTrouble::Refused { reason, .. } => {
            (ErrorCode::BroadcastFailed, format!("the phone did not deliver the payload: {reason}"))
        }
        OperatorTrouble::LogEnded(output) => {
            let colon = if output.is_empty() { "" } else { ": " };
            let message = format!("the phone's log ended before the answer{colon}{output}");
            (ErrorCode::LogcatUnavailable, message)
        }
        OperatorTrouble::Phone(error @ PhoneError::TooLong { .. }) => {
            (ErrorCode::PayloadTooLarge, error.to_string())
        }
        OperatorTrouble::Phone(error) => (ErrorCode::DeviceShellUnavailable, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variant_that_is_there_is_named() {
        let there = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
        for (installed, package, code) in [
            (&["a.b", "a.b.dev"][..], "a.b", None),
            (&["a.b.dev"], "a.b", Some(ErrorCode::OperatorVariantMismatch)),
            (&["a.b"], "a.b.dev", Some(ErrorCode::OperatorVariantMismatch)),
            (&["a.b.c", "x.a.b"], "a.b", Some(ErrorCode::OperatorNotInstalled)),
            (&[], "a.b.dev", Some(ErrorCode::OperatorNotInstalled)),
        ] {
            let failure = not_there(&there(installed), package, "S");
            assert_eq!(failure.map(|failure| failure.code), code, "{installed:?} {package}");
        }
        let failure = not_there(&[], "a.b.dev", "S").unwrap();
        assert!(failure.message.contains("--apk ~/.clawperator/downloads/operator-debug.apk --device S"));
    }
}
