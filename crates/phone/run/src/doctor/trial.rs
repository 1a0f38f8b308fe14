//! Tries on a phone what executions take for granted, and judges what came of it.

use super::device::ours;
use super::facts::{DeviceFacts, ViewState};
use super::verdict::{ANDROID, CheckVerdict};
use clawperator_adb::Deadline;
use clawperator_contract::{ErrorCode, Lane};
use clawperator_phone::{Phone, Trial};
use std::time::Duration;

/// What came of each try.
#[derive(Clone, Debug)]
pub struct Trials {
    pub guard: Trial,
    pub tools: Trial,
    pub file: Trial,
    pub letters: Trial,
    pub round_trip: Trial,
    /// What the look of this examination was read with.
    pub lane: Lane,
}

/// Tries everything; each has a time of its own.
pub(super) async fn attempt(phone: &Phone, within: impl Fn(Duration) -> Deadline) -> Trials {
    /// A slow phone takes a few seconds for a program of its own.
    const EACH: Duration = Duration::from_secs(15);
    Trials {
        guard: phone.try_guard(within(EACH)).await,
        tools: phone.try_tools(within(EACH)).await,
        file: phone.try_file(within(EACH)).await,
        letters: phone.try_letters(within(EACH)).await,
        round_trip: phone.try_round_trip(within(EACH)).await,
        lane: phone.lane(),
    }
}

pub(super) fn guard(facts: &DeviceFacts) -> Option<CheckVerdict> {
    line(facts, &facts.trials.as_ref()?.guard, "the check before a touch")
}

pub(super) fn tools(facts: &DeviceFacts) -> Option<CheckVerdict> {
    line(facts, &facts.trials.as_ref()?.tools, "the commands of its shell")
}

pub(super) fn file(facts: &DeviceFacts) -> Option<CheckVerdict> {
    line(facts, &facts.trials.as_ref()?.file, "a file there and back")
}

pub(super) fn letters(facts: &DeviceFacts) -> Option<CheckVerdict> {
    line(facts, &facts.trials.as_ref()?.letters, "letters there and back")
}

pub(super) fn round_trip(facts: &DeviceFacts) -> Option<CheckVerdict> {
    line(facts, &facts.trials.as_ref()?.round_trip, "the time of a round trip")
}

pub(super) fn dump(facts: &DeviceFacts) -> Option<CheckVerdict> {
    look(facts, Lane::Dump, "a look with the phone's own command")
}

pub(super) fn resident(facts: &DeviceFacts) -> Option<CheckVerdict> {
    look(facts, Lane::Resident, "a look through the resident server")
}

fn look(facts: &DeviceFacts, lane: Lane, what: &str) -> Option<CheckVerdict> {
    let used = facts.trials.as_ref()?.lane;
    let tried = match (facts.view.as_ref()?, lane) {
        (_, Lane::Dump) if used != lane => {
            Trial::Unknown("the resident server reads the screen, and only one program can".to_owned())
        }
        (_, Lane::Resident) if used != lane => Trial::Unknown("no resident server is used".to_owned()),
        (ViewState::Tree(_), _) => Trial::Holds("the screen was read".to_owned()),
        (ViewState::Restless, _) => Trial::Unknown("the screen never came to rest".to_owned()),
        (ViewState::InUse(_), _) => Trial::Unknown("an execution is running on the phone".to_owned()),
        (ViewState::Watched, _) => Trial::Fails("another program reads the screen".to_owned()),
        (ViewState::None(trouble) | ViewState::TooOld(trouble), _) => Trial::Fails(trouble.clone()),
    };
    line(facts, &tried, what)
}

/// A line of the report: whether something holds, and why.
fn line(facts: &DeviceFacts, trial: &Trial, what: &str) -> Option<CheckVerdict> {
    let (word, why) = match trial {
        Trial::Holds(why) => ("holds", why),
        Trial::Fails(why) => ("does not hold", why),
        Trial::Unknown(why) => ("unknown", why),
    };
    let summary = format!("{what}: {word} ({why})");
    let verdict = match trial {
        Trial::Holds(_) | Trial::Unknown(_) => CheckVerdict::pass(summary),
        Trial::Fails(_) => CheckVerdict::warn(ErrorCode::DeviceShellUnavailable, summary)
            .fix("Look at each step on this phone, or use another one", ANDROID)
            .shell(ours(facts, "snapshot")),
    };
    Some(verdict.evidence("trial", word))
}
