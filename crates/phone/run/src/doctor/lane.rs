//! Judges what was seen of a phone's resident server, and of others that want its place. Pure.

use super::device::ours;
use super::facts::{DeviceFacts, ViewState};
use super::verdict::{ANDROID, CheckVerdict};
use clawperator_contract::ErrorCode;
use clawperator_phone::ResidentSetup;

pub(super) fn presence(facts: &DeviceFacts) -> Option<CheckVerdict> {
    let lane = facts.lane.as_ref()?;
    let state = &lane.state;
    let runs = CheckVerdict::pass("the resident server runs: the screen is read in milliseconds");
    let runs_any = state.ours.is_some() || state.others().next().is_some();
    Some(if state.port_owner.is_some() && !state.is_trusted() {
        let summary = "an app of the phone listens where the resident server would, so it is not used";
        CheckVerdict::warn(ErrorCode::LaneStartFailed, summary)
            .fix("Find the app and end it", ANDROID)
            .shell(ours(facts, "lane status"))
    } else if state.ours.is_some() && matches!(facts.view, Some(ViewState::Tree(_))) {
        runs
    } else if let Some(other) = state.others().find(|other| !other.is_server) {
        let summary = format!(
            "{} (process {}) runs on the phone and can hold its one UiAutomation slot; while it does, the screen \
             cannot be read",
            other.program, other.pid
        );
        CheckVerdict::warn(ErrorCode::LaneSlotTaken, summary)
            .fix("Free the slot", ANDROID)
            .manual(format!("If the screen cannot be read, {}.", other.end))
            .shell(ours(facts, "lane status"))
    } else if runs_any && matches!(facts.view, Some(ViewState::Watched | ViewState::None(_))) {
        let summary = "the resident server runs, but the screen cannot be read";
        CheckVerdict::warn(ErrorCode::LaneStartFailed, summary)
            .fix("End the server, and look again", ANDROID)
            .shell(ours(facts, "lane stop --any"))
            .shell(ours(facts, "doctor"))
    } else if state.ours.is_some() {
        runs
    } else if runs_any {
        CheckVerdict::pass("a resident server that another program started runs, and is used")
    } else {
        CheckVerdict::pass(match lane.set_up {
            ResidentSetup::Done => "the resident server is set up, and is started when it is needed",
            ResidentSetup::None => {
                "no resident server is set up: the screen is read with the phone's own command"
            }
        })
    })
}

/// Who may hold the phone's UiAutomation slot, and how to free it.
pub(super) fn free_slot(facts: &DeviceFacts) -> Option<String> {
    let holders = &facts.lane.as_ref()?.state.holders;
    // A server that lost the slot runs on.
    let other = holders.iter().find(|holder| !holder.is_server);
    let holder = other.or(holders.first())?;
    let (program, pid, end) = (holder.program, holder.pid, holder.end);
    Some(format!("{program} (process {pid}) can hold the phone's UiAutomation slot: {end}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::LaneFacts;
    use crate::doctor::device::judge;
    use clawperator_contract::{Check, CheckStatus};
    use clawperator_phone::ServerState;

    const SERVER: &str = "812 811 shell app_process / com.wetest.uia2.Main -p 9008";
    const APPIUM: &str = "900 300 u0_a181 io.appium.uiautomator2.server";

    fn check(id: &str, facts: &DeviceFacts) -> Check {
        let mut findings = judge(facts).into_iter();
        findings.find(|finding| finding.check.id == id).unwrap().check
    }

    fn facts(processes: &str, sockets: &str, set_up: ResidentSetup) -> DeviceFacts {
        let processes = format!("PID PPID USER ARGS\n{processes}");
        let state = ServerState::parse(&["812 811 1 20", "", "", sockets, &processes, "1", ""]).unwrap();
        DeviceFacts {
            serial: "a".to_owned(),
            on_server: true,
            lane: Some(LaneFacts { state, set_up }),
            ..DeviceFacts::default()
        }
    }

    #[test]
    fn who_holds_the_slot_is_told_and_a_server_that_does_not_read_the_screen_is_not_praised() {
        let both = format!("{SERVER}\n{APPIUM}");
        let none_seen = || Some(ViewState::None(String::new()));
        let other = "813 811 shell app_process / com.wetest.uia2.Main -p 9008";
        let app = "1: 0:2330 0:0000 0A 0:0 0:0 0 10234 0 3";
        let (done, none, tree) = (ResidentSetup::Done, ResidentSetup::None, Some(ViewState::Tree(9)));
        let (pass, warn) = (CheckStatus::Pass, CheckStatus::Warn);
        for (processes, sockets, set_up, view, status, words) in [
            ("", "", none, None, pass, "no resident server"),
            ("", "", done, None, pass, "started when it is needed"),
            (SERVER, "", done, None, pass, "in milliseconds"),
            (other, "", none, None, pass, "another program"),
            (APPIUM, "", none, None, warn, "Appium (process 900)"),
            (SERVER, app, done, None, warn, "an app of the phone"),
            (SERVER, "", done, tree.clone(), pass, "in milliseconds"),
            (&both, "", done, tree, pass, "in milliseconds"),
            (&both, "", done, none_seen(), warn, "Appium (process 900)"),
            (SERVER, "", done, none_seen(), warn, "cannot be read"),
        ] {
            let judged = check("runtime.lane", &DeviceFacts { view, ..facts(processes, sockets, set_up) });
            assert_eq!(judged.status, status, "{judged:?}");
            assert!(judged.summary.contains(words), "{judged:?}");
        }
    }

    #[test]
    fn a_screen_that_cannot_be_read_names_who_can_hold_the_slot() {
        let both = format!("{SERVER}\n{APPIUM}");
        for (processes, words) in [("", " "), (SERVER, "lane stop --any"), (&both, "am force-stop io.appium")]
        {
            for view in [ViewState::Watched, ViewState::None(String::new())] {
                let facts = DeviceFacts { view: Some(view), ..facts(processes, "", ResidentSetup::Done) };
                let steps = check("device.uiautomator", &facts).fix.unwrap().steps;
                assert!(steps.iter().any(|step| step.value.contains(words)), "{steps:?}");
                let restarts = steps.iter().any(|step| step.value.to_lowercase().contains("restart"));
                assert!(!restarts, "{steps:?}");
            }
        }
    }
}
