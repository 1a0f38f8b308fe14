//! `doctor`: examines, judges, repairs if asked to, and prints.

mod page;

use super::args::Args;
use super::log::{Level, LogEvent};
use super::world::{Answer, World};
use super::{device, flags, operator, sim};
use clawperator_contract::{CheckStatus, DoctorReport, Failure};
use clawperator_run::doctor::{
    Depth, DoctorProgress, DoctorSetup, Examination, Finding, examine, judge, repair,
};
use std::sync::Arc;
use std::time::Duration;

/// How long it stays silent.
const QUIET: Duration = Duration::from_secs(1);

pub(super) fn doctor(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let scene = Arc::new(scene(args, world)?);
    let mut note = std::mem::replace(&mut world.note, Box::new(|_| ()));
    let report = device::block_on_unless_asked(look(&scene, args, &mut note));
    world.note = note;
    let report = report?;
    log(&report, world);
    let answer = if args.is_for_people(world.terminal) {
        Answer::text(page::for_people(&report, world.colour))
    } else {
        Answer::value(&report, args, world)
    };
    Ok(answer.succeeded(report.critical_ok || args.has(&flags::CHECK_ONLY)))
}

fn scene(args: &Args, world: &mut World) -> Result<DoctorSetup, Failure> {
    let limit = args.time_limit()?;
    let (operator_package, operator) = operator::package(args, world)?;
    let wanted = device::device_serial(args, world)?;
    let (sims, sim_trouble) = match sim::facts(world) {
        Ok(sims) => (sims, None),
        Err(failure) => (Vec::new(), Some(failure.message)),
    };
    let phones = &world.phones;
    Ok(DoctorSetup {
        environment: phones.environment.clone(),
        key_file: phones.key_file.clone(),
        name: phones.name.clone(),
        state: phones.state.clone(),
        locks: phones.locks.clone(),
        operator_package,
        operator,
        sims,
        sim_trouble,
        wanted,
        now: Duration::from_millis(world.now_ms),
        limit,
        depth: if args.has(&flags::FULL) { Depth::Full } else { Depth::Looking },
    })
}

type Note = Box<dyn FnMut(&str)>;

async fn look(scene: &Arc<DoctorSetup>, args: &Args, note: &mut Note) -> DoctorReport {
    let package = scene.operator_package.as_str();
    let progress = Arc::new(DoctorProgress::default());
    let (seen, findings) = once(scene, &progress, note).await;
    let report = |findings: Vec<Finding>| {
        let checks = findings.into_iter().map(|finding| finding.check).collect();
        DoctorReport::new(checks, package)
    };
    if !args.has(&flags::FIX) || findings.iter().all(|finding| finding.remedy.is_none()) {
        return report(findings);
    }
    let repairs = repair(scene, &seen, &findings).await;
    let (_, findings) = once(scene, &progress, note).await;
    DoctorReport { repairs, ..report(findings) }
}

/// Examines once, and prints what takes long.
async fn once(
    scene: &Arc<DoctorSetup>,
    progress: &Arc<DoctorProgress>,
    note: &mut Note,
) -> (Examination, Vec<Finding>) {
    let looking = examine(scene, progress);
    tokio::pin!(looking);
    let mut said = String::new();
    let seen = loop {
        tokio::select! {
            biased;
            seen = &mut looking => break seen,
            () = tokio::time::sleep(QUIET) => {}
        }
        let now = progress.now();
        if now != said {
            note(&format!("doctor: {now} ...\n"));
            said = now;
        }
    };
    let findings = judge(&seen);
    (seen, findings)
}

fn log(report: &DoctorReport, world: &mut World) {
    for check in &report.checks {
        let (level, status) = match check.status {
            CheckStatus::Pass => (Level::Debug, "pass"),
            CheckStatus::Warn => (Level::Warn, "warn"),
            CheckStatus::Fail => (Level::Error, "fail"),
        };
        let mut event = LogEvent::new(level, "doctor.check", format!("{}: {}", check.id, check.summary));
        event.device_id.clone_from(&check.device_id);
        event.status = Some(status.to_owned());
        world.log(event);
    }
    for repair in &report.repairs {
        let mut event = LogEvent::new(Level::Info, "doctor.repair", &*repair.summary);
        event.device_id.clone_from(&repair.device_id);
        event.status = Some(if repair.done { "done" } else { "failed" }.to_owned());
        world.log(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser;
    use clawperator_contract::StepKind;
    use clawperator_phone::{Operator, Vitals};
    use clawperator_run::doctor::{
        AdbProgram, AdbServer, DeviceFacts, FolderFacts, FoundPhones, HostFacts, OperatorUse, PhoneReach,
        SimFacts, Smoke, ViewState,
    };

    /// A computer where much is wrong.
    fn bad_host(server: AdbServer, wanted: Option<&str>) -> HostFacts {
        let folder = || FolderFacts { path: "/x".into(), trouble: None };
        HostFacts {
            state: folder(),
            locks: folder(),
            stale: vec!["a".to_owned()],
            program: AdbProgram::Version("1".to_owned()),
            server,
            key: clawperator_adb::StoredKey::Broken("no".to_owned()),
            key_file: "/x".into(),
            sims: vec![SimFacts {
                name: "sim-1".to_owned(),
                serial: "127.0.0.1:1".to_owned(),
                pid: 1,
                answers: false,
            }],
            sim_trouble: None,
            wanted: wanted.map(str::to_owned),
            found: FoundPhones::default(),
        }
    }

    /// A phone of which everything can be known.
    fn phone(reached: PhoneReach, view: ViewState, vitals: Vitals) -> DeviceFacts {
        let bad = || "no".to_owned();
        DeviceFacts {
            serial: "127.0.0.1:5555".to_owned(),
            sim: None,
            on_server: false,
            reached,
            vitals: Some(Ok(vitals)),
            view: Some(view),
            picture: Some(Err(bad())),
            smoke: Some(Smoke::Failed(bad())),
            round_trips: 0,
            operator_package: "com.clawperator.operator".to_owned(),
            operator: OperatorUse::Wanted,
            lane: None,
            answers: true,
            trials: None,
        }
    }

    /// A phone that is in no way as it should be.
    fn bad_vitals(operator: Operator) -> Vitals {
        let off = Some(false);
        Vitals {
            booted: off,
            developer_options: off,
            usb_debugging: off,
            free: Some(0),
            awake: off,
            keyguard: Some(true),
            operator,
            ..Vitals::default()
        }
    }

    fn everything() -> Vec<Examination> {
        let address = || "127.0.0.1:5037".to_owned();
        let hosts = [
            bad_host(AdbServer::NotRunning { address: address() }, None),
            bad_host(AdbServer::Broken { address: address(), trouble: String::new() }, Some("x")),
            bad_host(AdbServer::Misnamed(String::new()), Some("it's")),
        ];
        let operators = [
            (Some(false), Some(true), None),
            (Some(false), Some(false), None),
            (Some(true), Some(false), Some(false)),
        ];
        let operators = operators.map(|(installed, other_installed, service)| Operator {
            installed,
            other_installed,
            service,
            ..Operator::default()
        });
        let text = String::new;
        let states = [
            (PhoneReach::Unauthorized, ViewState::Restless),
            (PhoneReach::Offline, ViewState::Watched),
            (PhoneReach::Broken(text()), ViewState::None(text())),
            (PhoneReach::NoPermission(text()), ViewState::InUse(text())),
            (PhoneReach::Other(text()), ViewState::Tree(1)),
        ];
        let devices: Vec<_> = states
            .into_iter()
            .zip(operators.into_iter().cycle())
            .map(|((reached, view), operator)| phone(reached, view, bad_vitals(operator)))
            .collect();
        hosts.map(|host| Examination { host, devices: devices.clone() }).into()
    }

    #[test]
    fn every_line_that_is_to_be_typed_can_be_typed() {
        let mut count = 0;
        for finding in everything().iter().flat_map(judge) {
            let check = finding.check;
            assert!(check.status == CheckStatus::Pass || check.code.is_some(), "{check:?}");
            if check.status == CheckStatus::Fail {
                assert!(check.fix.is_some(), "{check:?}");
            }
            for step in check.fix.iter().flat_map(|fix| &fix.steps) {
                let mut words = step.value.split(' ').map(Into::into);
                match (step.kind, step.value.split(' ').next()) {
                    (StepKind::Shell, Some("clawperator")) => {
                        count += 1;
                        let words: Vec<_> = words.skip(1).collect();
                        let parsed = parser::parse(&words);
                        assert!(matches!(parsed, Ok(parser::LineRequest::Command(_))), "{}", step.value);
                    }
                    (StepKind::Shell, Some("adb" | "kill")) => {}
                    (StepKind::Shell, other) => panic!("{other:?}"),
                    (StepKind::Manual, _) => {
                        assert!(words.all(|word: std::ffi::OsString| word.to_str().is_some()));
                        assert!(step.value.ends_with('.'), "{}", step.value);
                    }
                }
            }
        }
        assert!(count > 50, "{count}");
    }
}
