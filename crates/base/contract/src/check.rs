//! Checks a normalised execution completely and builds the typed one.
//!
//! All problems are reported, in one order: structure first, field by field in
//! the order of the contract's tables, an object's unknown keys after its
//! fields; then each action's own rules, by action.

mod confirm;
mod fields;
mod fit;
mod report;
mod rules;
mod selector;
mod structure;
mod values;

use crate::execution::{CheckedExecution, Execution};
use crate::failure::Failure;
use crate::limits::{MAX_PAYLOAD_BYTES, MAX_TIMEOUT_MS, MIN_TIMEOUT_MS};
use crate::matcher::Matcher;
use crate::normalize::normalize;
use crate::problem::{Problem, Rejection};
use crate::size::written_len;
use crate::wire::{ExecutionWire, TIMEOUT};
use clawperator_document::{Number, Path};
use report::CheckReport;

/// Checks a normalised execution.
///
/// # Errors
/// A [`Rejection`] with every problem.
pub fn check(wire: &ExecutionWire<'_>) -> Result<CheckedExecution, Rejection> {
    let mut report = CheckReport::default();
    let execution = structure::read_execution(wire.0.root(), &mut report);
    let (rejection, warnings) = report.finish();
    match (rejection, execution) {
        (Some(rejection), _) => Err(rejection),
        (None, Some(execution)) => Ok(CheckedExecution { execution, warnings }),
        // Every way to lose the draft reports why, so this cannot happen; if
        // it did, accepting nothing is the safe answer.
        (None, None) => Err(Rejection::internal()),
    }
}

/// Reads a single matcher in canonical form; `None` if it is not as it must be.
pub fn read_matcher(json: &[u8]) -> Option<Matcher> {
    let wire = ExecutionWire::parse(json).ok()?;
    let mut report = CheckReport::default();
    let matcher = values::read_matcher(wire.0.root(), &Path::root("the matcher"), &mut report)?;
    report.is_clean().then_some(matcher)
}

/// The one door: reads, normalises and checks a payload, and its size.
///
/// # Errors
/// A [`Failure`] that says all that is wrong.
///
/// # Examples
/// ```
/// let payload = br#"{"command_id":"c","task_id":"t","source":"doc",
///     "expected_format":"android-ui-automator","timeout_ms":30000,
///     "actions":[{"id":"snap","type":"snapshot"}]}"#;
/// let checked = clawperator_contract::accept(payload)?;
/// assert_eq!(checked.execution.actions()[0].kind().name(), "snapshot_ui");
/// # Ok::<(), clawperator_contract::Failure>(())
/// ```
pub fn accept(bytes: &[u8]) -> Result<CheckedExecution, Failure> {
    accept_within(bytes, None)
}

/// The same for a caller that overrides the payload's timeout. The payload's
/// own must be valid all the same.
///
/// # Errors
/// A [`Failure`] that says all that is wrong.
pub fn accept_within(bytes: &[u8], timeout_ms: Option<f64>) -> Result<CheckedExecution, Failure> {
    let wire = ExecutionWire::parse(bytes)?;
    let mut checked = check(&normalize(wire))?;
    if let Some(timeout_ms) = timeout_ms {
        override_timeout(&mut checked.execution, timeout_ms)?;
    }
    fit::judge(&mut checked);
    // Nothing grows eightfold when it is written out: the worst are a short
    // alias that becomes its canonical key and a number such as 1e15.
    if bytes.len() > MAX_PAYLOAD_BYTES / 8 {
        let size = written_len(&checked.execution);
        if size > MAX_PAYLOAD_BYTES {
            return Err(Failure::too_large(size));
        }
    }
    Ok(checked)
}

fn override_timeout(execution: &mut Execution, timeout_ms: f64) -> Result<(), Rejection> {
    let range = MIN_TIMEOUT_MS..=MAX_TIMEOUT_MS;
    let Some(number) = Number::new(timeout_ms).filter(|number| range.contains(&number.get())) else {
        let message = fields::out_of_range(TIMEOUT.name, range, timeout_ms);
        return Err(Rejection::of(Problem::new(TIMEOUT.name.to_owned(), message)));
    };
    execution.timeout_ms = number;
    Ok(())
}
