//! Doctor where there is hardly anything to look at: no adb, phones that do not
//! answer, folders that cannot be used.

use crate::adb_server::serve_list;
use crate::doctor::{found, look, scene};
use crate::world::{connect_again, plain, served, welcome};
use clawperator_adb::ServerEnvironment;
use clawperator_contract::CheckStatus::{Fail, Pass, Warn};
use clawperator_contract::ErrorCode;
use clawperator_run::doctor::{Finding, SimFacts};
use clawperator_sim::{HostKeys, Setup, Welcome};
use std::time::Duration;
use tokio::net::TcpListener;

fn nowhere() -> ServerEnvironment {
    ServerEnvironment {
        socket: None,
        address: None,
        port: Some("1".to_owned()),
        program: "/no/such/adb".into(),
    }
}

fn of<'f>(findings: &'f [Finding], serial: &str, id: &str) -> &'f Finding {
    let fits =
        |finding: &&Finding| finding.check.device_id.as_deref() == Some(serial) && finding.check.id == id;
    findings.iter().find(fits).unwrap()
}

fn sim(name: &str, serial: &str) -> SimFacts {
    SimFacts { name: name.to_owned(), serial: serial.to_owned(), pid: 4_711, answers: true }
}

#[tokio::test]
async fn without_anything_the_next_step_is_the_phone_in_the_box() {
    let (_, findings) = look(&scene("nothing", nowhere())).await;
    assert_eq!(found(&findings, "host.adb.program"), (Warn, Some(ErrorCode::AdbNotFound)));
    assert_eq!(found(&findings, "host.adb.server"), (Warn, Some(ErrorCode::AdbServerFailed)));
    assert_eq!(found(&findings, "host.key"), (Pass, None));
    assert_eq!(found(&findings, "device.discovery"), (Fail, Some(ErrorCode::NoDevices)));
    let last = findings.last().unwrap().check.fix.as_ref().unwrap();
    assert_eq!(last.steps[0].value, "clawperator doctor --device sim");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_does_not_run_is_offered_to_be_started() {
    let mut scene = scene("start", nowhere());
    // A program that is there, and says what adb says.
    let program = scene.state.parent().unwrap().join("adb");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(&program, "#!/bin/sh\necho 'Android Debug Bridge version 1.0.41'\n").unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    scene.environment.program = program;
    let (seen, findings) = look(&scene).await;
    assert_eq!(found(&findings, "host.adb.program"), (Pass, None));
    let server = findings.iter().find(|finding| finding.check.id == "host.adb.server");
    assert_eq!(server.unwrap().remedy, Some(clawperator_run::doctor::Remedy::StartServer));
    // It says it has started one, and there is none: that is said, too.
    let repairs = clawperator_run::doctor::repair(&scene, &seen, &findings).await;
    assert_eq!(repairs.len(), 1);
    assert!(!repairs[0].done, "{repairs:?}");
}

#[tokio::test]
async fn what_is_at_the_server_s_place_may_be_no_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            drop(socket);
        }
    });
    let environment = ServerEnvironment { port: Some(port), ..nowhere() };
    let (_, findings) = look(&scene("no-server", environment)).await;
    assert_eq!(found(&findings, "host.adb.server"), (Fail, Some(ErrorCode::AdbServerFailed)));
    let environment = ServerEnvironment { port: Some("many".to_owned()), ..nowhere() };
    let (_, findings) = look(&scene("misnamed", environment)).await;
    assert_eq!(found(&findings, "host.adb.server"), (Fail, Some(ErrorCode::AdbServerFailed)));
}

#[tokio::test]
async fn every_state_of_a_phone_has_its_own_way_out() {
    let world = plain().await;
    let device = connect_again(&world).await;
    let list = "ok  device\nb  offline\n10.0.0.9:5555  offline\nc  unauthorized\nd  recovery\ne  no permissions (user in plugdev group)\n";
    let scene = scene("states", serve_list(list, device).await);
    let (_, findings) = look(&scene).await;
    for (serial, status, code) in [
        ("ok", Pass, None),
        ("b", Fail, Some(ErrorCode::DeviceOffline)),
        ("10.0.0.9:5555", Fail, Some(ErrorCode::DeviceOffline)),
        ("c", Fail, Some(ErrorCode::DeviceUnauthorized)),
        ("d", Fail, Some(ErrorCode::DeviceNotFound)),
        ("e", Fail, Some(ErrorCode::DeviceNotFound)),
    ] {
        let check = &of(&findings, serial, "device.connection").check;
        assert_eq!((check.status, check.code), (status, code), "{serial}");
        let again = format!("clawperator doctor --device {serial}");
        let steps = check.fix.iter().flat_map(|fix| &fix.steps);
        assert_eq!(steps.filter(|step| step.value == again).count(), usize::from(status == Fail));
    }
    // A phone at an address has no cable.
    for (serial, has_cable) in [("b", true), ("10.0.0.9:5555", false)] {
        let check = &of(&findings, serial, "device.connection").check;
        let mut steps = check.fix.iter().flat_map(|fix| &fix.steps);
        assert_eq!(steps.any(|step| step.value.contains("cable")), has_cable, "{serial}");
    }
    assert_eq!(of(&findings, "ok", "runtime.host").check.status, Pass);
    assert_eq!(found(&findings, "device.discovery"), (Pass, None));
    // One that is named is looked at alone.
    for (wanted, code) in [("c", None), ("nobody", Some(ErrorCode::DeviceNotFound))] {
        let scene = clawperator_run::doctor::DoctorSetup { wanted: Some(wanted.to_owned()), ..scene.clone() };
        let (seen, findings) = look(&scene).await;
        assert_eq!(found(&findings, "device.discovery").1, code, "{wanted}");
        assert!(seen.devices.iter().all(|device| device.serial == wanted));
    }
}

#[tokio::test]
async fn a_phone_that_hangs_does_not_hide_the_others() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_at = silent.local_addr().unwrap().to_string();
    let (_, fine) = served(Setup::default(), welcome()).await;
    let refused = Welcome { keys: HostKeys::Refused, ..welcome() };
    let (_, refusing) = served(Setup::default(), refused).await;
    let stalled = Setup {
        faults: vec![clawperator_sim::fault::Fault::parse("connection_stall=600").unwrap()],
        ..Setup::default()
    };
    let (_, stalling) = served(stalled, welcome()).await;
    let mut scene = scene("hang", nowhere());
    scene.limit = Some(Duration::from_secs(6));
    scene.sims = vec![
        sim("sim-1", &fine),
        sim("sim-2", &silent_at),
        sim("sim-3", &refusing),
        sim("sim-4", &stalling),
        sim("sim-5", "127.0.0.1:2"),
    ];
    let (_, findings) = look(&scene).await;
    assert_eq!(of(&findings, &fine, "runtime.host").check.status, Pass);
    for serial in [silent_at.as_str(), &refusing, "127.0.0.1:2"] {
        let check = &of(&findings, serial, "device.connection").check;
        assert_eq!(check.status, Fail, "{check:?}");
    }
    let stalled = findings.iter().filter(|finding| {
        finding.check.device_id.as_deref() == Some(&stalling) && finding.check.status == Fail
    });
    assert!(stalled.count() > 0, "{findings:#?}");
    drop(silent);
}

#[tokio::test]
async fn folders_and_keys_that_cannot_be_used_are_named() {
    let mut scene = scene("folders", nowhere());
    let file = scene.state.with_file_name("file");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "no key").unwrap();
    scene.state = file.join("state");
    scene.locks = file.join("locks");
    scene.key_file = file;
    scene.sim_trouble = Some("not yours".to_owned());
    let mut dead = sim("sim-1", "127.0.0.1:2");
    dead.answers = false;
    let (_, findings) = look(&scene).await;
    let unusable = Some(ErrorCode::StateFolderUnusable);
    assert_eq!(found(&findings, "host.state"), (Fail, unusable));
    assert_eq!(found(&findings, "host.locks"), (Fail, unusable));
    assert_eq!(found(&findings, "host.key").0, Warn);
    assert_eq!(found(&findings, "host.sim"), (Fail, Some(ErrorCode::SimRegistryFailed)));
    scene.sim_trouble = None;
    scene.sims = vec![dead];
    scene.wanted = Some("x".to_owned());
    let (_, findings) = look(&scene).await;
    assert_eq!(found(&findings, "host.sim"), (Warn, Some(ErrorCode::SimControlFailed)));
}
