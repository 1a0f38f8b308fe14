//! Judges what was seen of a phone's resident server, and of others that want
//! its place. Pure.

use super::device::ours;
use super::facts::DeviceFacts;
use super::verdict::{ANDROID, Verdict};
use crate::run::ResidentSetup;
use clawperator_contract::ErrorCode;

pub(super) fn presence(facts: &DeviceFacts) -> Option<Verdict> {
    let lane = facts.lane.as_ref()?;
    let state = &lane.state;
    if state.port_owner.is_some() && !state.is_trusted() {
        let summary = "an app of the phone listens where the resident server would, so it is not used";
        return Some(
            Verdict::warn(ErrorCode::LaneStartFailed, summary)
                .fix("Find the app and end it", ANDROID)
                .shell(ours(facts, "lane status")),
        );
    }
    if state.ours.is_some() {
        return Some(Verdict::pass(
            "the resident server runs: the screen is read in milliseconds",
        ));
    }
    if let Some(other) = state.others().find(|other| !other.is_server()) {
        let summary = format!(
            "{} (process {}) runs on the phone and can hold its one UiAutomation slot; while it does, the screen \
             cannot be read",
            other.program, other.pid
        );
        return Some(
            Verdict::warn(ErrorCode::LaneSlotTaken, summary)
                .fix("Free the slot", ANDROID)
                .manual(format!("If the screen cannot be read, {}.", other.end))
                .shell(ours(facts, "lane status")),
        );
    }
    if state.others().next().is_some() {
        return Some(Verdict::pass(
            "a resident server that another program started runs, and is used",
        ));
    }
    Some(Verdict::pass(match lane.set_up {
        ResidentSetup::Done => "the resident server is set up, and is started when it is needed",
        ResidentSetup::None => {
            "no resident server is set up: the screen is read with the phone's own command"
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::OperatorUse;
    use crate::doctor::facts::{LaneFacts, Reached};
    use crate::doctor::verdict::{Row, judge};
    use crate::phone::ServerState;
    use clawperator_contract::CheckStatus;

    fn judged(processes: &str, sockets: &str, set_up: ResidentSetup) -> (CheckStatus, String) {
        let state = ServerState::parse(&["812 811 1 20", "", "", sockets, processes, "1", ""]).unwrap();
        let facts = DeviceFacts {
            serial: "a".to_owned(),
            sim: None,
            on_server: true,
            reached: Reached::Ready,
            vitals: None,
            view: None,
            picture: None,
            smoke: None,
            round_trips: 0,
            operator_package: String::new(),
            operator: OperatorUse::NotAsked,
            lane: Some(LaneFacts { state, set_up }),
        };
        let mut findings = judge(&[Row::advice("runtime.lane", presence)], &facts, None);
        let check = findings.remove(0).check;
        (check.status, check.summary)
    }

    #[test]
    fn who_holds_the_slot_is_told() {
        let server = "812 811 shell app_process / com.wetest.uia2.Main -p 9008";
        let other = "813 811 shell app_process / com.wetest.uia2.Main -p 9008";
        let appium = "900 300 u0_a181 io.appium.uiautomator2.server";
        let app = "1: 0:2330 0:0000 0A 0:0 0:0 0 10234 0 3";
        let (done, none) = (ResidentSetup::Done, ResidentSetup::None);
        for (processes, sockets, set_up, status, words) in [
            ("", "", none, CheckStatus::Pass, "no resident server"),
            ("", "", done, CheckStatus::Pass, "started when it is needed"),
            (server, "", done, CheckStatus::Pass, "in milliseconds"),
            (other, "", none, CheckStatus::Pass, "another program"),
            (appium, "", none, CheckStatus::Warn, "Appium (process 900)"),
            (server, app, done, CheckStatus::Warn, "an app of the phone"),
        ] {
            let (judged, summary) = judged(processes, sockets, set_up);
            assert_eq!(judged, status, "{summary}");
            assert!(summary.contains(words), "{summary}");
        }
    }
}
