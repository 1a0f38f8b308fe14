//! Doctor against simulated phones: everything in order, and every single thing
//! out of order.

use crate::adb_server::serve_list;
use crate::world::{World, connect_again, faulty, plain, soon, type_in};
use clawperator_adb::ServerEnvironment;
use clawperator_contract::CheckStatus::{self, Fail, Pass, Warn};
use clawperator_contract::ErrorCode;
use clawperator_phone::{KeyCode, Locks, Owner, PackageName, Precondition};
use clawperator_run::doctor::{
    Compatibility, Depth, DoctorProgress, DoctorSetup, Examination, Finding, OperatorUse, compatibility,
    examine, judge, repair,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const OPERATOR: &str = "com.clawperator.operator";

/// A scene with folders of its own.
pub(crate) fn scene(name: &str, environment: ServerEnvironment) -> DoctorSetup {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("doctor-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    DoctorSetup {
        environment,
        key_file: folder.join("adbkey"),
        name: "me@here".to_owned(),
        state: folder.join("state"),
        locks: folder.join("locks"),
        operator_package: PackageName::usual_operator(),
        operator: OperatorUse::NotAsked,
        sims: Vec::new(),
        sim_trouble: None,
        wanted: None,
        now: Duration::from_secs(1_000),
        limit: None,
        depth: Depth::Looking,
    }
}

pub(crate) async fn look(scene: &DoctorSetup) -> (Examination, Vec<Finding>) {
    let seen = examine(&Arc::new(scene.clone()), &Arc::new(DoctorProgress::default())).await;
    let findings = judge(&seen);
    (seen, findings)
}

/// What is thought of one thing.
pub(crate) fn found(findings: &[Finding], id: &str) -> (CheckStatus, Option<ErrorCode>) {
    let all: Vec<_> = findings.iter().filter(|finding| finding.check.id == id).collect();
    assert_eq!(all.len(), 1, "{id} in {findings:#?}");
    (all[0].check.status, all[0].check.code)
}

/// The ids of what did not pass.
pub(crate) fn troubles(findings: &[Finding]) -> Vec<&'static str> {
    let odd = findings.iter().filter(|finding| finding.check.status != Pass);
    odd.map(|finding| finding.check.id).collect()
}

async fn scene_of(name: &str, world: &World) -> DoctorSetup {
    let device = connect_again(world).await;
    scene(name, serve_list("sim-1  device product:sim\n", device).await)
}

#[tokio::test]
async fn a_phone_in_order_passes_every_check_in_so_many_round_trips() {
    let world = plain().await;
    let scene = scene_of("fine", &world).await;
    let (seen, findings) = look(&scene).await;
    assert_eq!(troubles(&findings), [""; 0]);
    assert_eq!(seen.devices[0].round_trips, 15);
    let ids: Vec<_> = findings.iter().map(|finding| finding.check.id).collect();
    let wanted = [
        "host.state",
        "host.locks",
        "host.adb.program",
        "host.adb.server",
        "host.key",
        "host.sim",
        "device.discovery",
        "device.connection",
        "device.shell",
        "device.boot",
        "device.capability",
        "device.screen",
        "device.keyguard",
        "device.front",
        "device.storage",
        "device.developer_options",
        "device.usb_debugging",
        "device.uiautomator",
        "device.screencap",
        "runtime.host",
        "trial.guard",
        "trial.look.dump",
        "trial.look.resident",
        "trial.file",
        "trial.tools",
        "trial.letters",
        "trial.round_trip",
        "runtime.lane",
        "runtime.operator",
        "runtime.operator.version",
        "runtime.operator.service",
    ];
    assert_eq!(ids, wanted);
    // The same phone, the same findings, but for how long a round trip takes.
    let timeless = |findings: Vec<Finding>| -> Vec<_> {
        findings.into_iter().filter(|finding| finding.check.id != "trial.round_trip").collect()
    };
    assert_eq!(timeless(look(&scene).await.1), timeless(findings));
}

#[tokio::test]
async fn each_thing_out_of_order_is_found() {
    let cases: &[(&str, &str, CheckStatus, ErrorCode)] = &[
        ("setprop sys.boot_completed 0", "device.boot", Fail, ErrorCode::DeviceNotBooted),
        ("input keyevent 223", "device.screen", Fail, ErrorCode::DeviceScreenOff),
        ("simctl lock", "device.keyguard", Fail, ErrorCode::DeviceLocked),
        (
            "settings put global development_settings_enabled 0",
            "device.developer_options",
            Warn,
            ErrorCode::DeviceDevOptionsDisabled,
        ),
        (
            "settings put global adb_enabled 0",
            "device.usb_debugging",
            Warn,
            ErrorCode::DeviceUsbDebuggingDisabled,
        ),
        (
            "settings put secure accessibility_enabled 0",
            "runtime.operator.service",
            Warn,
            ErrorCode::DeviceAccessibilityNotRunning,
        ),
    ];
    for (number, (line, id, status, code)) in cases.iter().enumerate() {
        let world = plain().await;
        type_in(&world, line).await;
        let mut scene = scene_of(&format!("odd-{number}"), &world).await;
        scene.operator = OperatorUse::Wanted;
        let (_, findings) = look(&scene).await;
        assert_eq!(found(&findings, id), (*status, Some(*code)), "{line}");
        // Whatever is wrong, there is a way out.
        for finding in findings.iter().filter(|finding| finding.check.status == Fail) {
            let fix = finding.check.fix.as_ref().unwrap();
            assert!(!fix.steps.is_empty(), "{}", finding.check.id);
        }
    }
}

#[tokio::test]
async fn wireless_debugging_is_debugging_and_a_call_does_not_unlock() {
    let world = plain().await;
    type_in(
        &world,
        "settings put global adb_enabled 0; settings put global adb_wifi_enabled 1; simctl lock; simctl ring 5551234",
    )
    .await;
    let (_, findings) = look(&scene_of("covered", &world).await).await;
    assert_eq!(found(&findings, "device.usb_debugging"), (Pass, None));
    assert_eq!(found(&findings, "device.keyguard"), (Warn, Some(ErrorCode::DeviceLocked)));
}

#[tokio::test]
async fn each_fault_of_a_phone_is_found() {
    use ErrorCode::{DeviceStorageLow, SnapshotExtractionFailed};
    for (fault, id, status, code) in [
        ("dump_null_root", "device.uiautomator", Fail, SnapshotExtractionFailed),
        ("dump_null_root", "runtime.host", Fail, SnapshotExtractionFailed),
        ("dump_not_idle", "device.uiautomator", Warn, SnapshotExtractionFailed),
        ("dump_cut_off", "device.uiautomator", Fail, SnapshotExtractionFailed),
        ("low_storage", "device.storage", Fail, DeviceStorageLow),
    ] {
        let world = faulty(&[fault]).await;
        let (_, findings) = look(&scene_of(fault, &world).await).await;
        assert_eq!(found(&findings, id), (status, Some(code)), "{fault}");
    }
    // What is over at the second try is no trouble.
    let world = faulty(&["dump_null_rootx1"]).await;
    let (seen, findings) = look(&scene_of("once", &world).await).await;
    assert_eq!(found(&findings, "device.uiautomator"), (Pass, None));
    assert_eq!(seen.devices[0].round_trips, 16);
}

#[tokio::test]
async fn what_can_be_repaired_is_and_nothing_else() {
    let world = plain().await;
    type_in(&world, "simctl lock; input keyevent 223").await;
    let mut scene = scene_of("repair", &world).await;
    let left = scene.locks.join("phone-sim-9.owner");
    std::fs::create_dir_all(&scene.locks).unwrap();
    std::fs::write(&left, "1 1 dead\n").unwrap();
    let (seen, findings) = look(&scene).await;
    assert_eq!(found(&findings, "device.screen").0, Fail);
    assert_eq!(found(&findings, "device.keyguard").0, Fail);
    assert_eq!(found(&findings, "host.locks"), (Warn, Some(ErrorCode::StaleLocks)));
    let repairs = repair(&scene, &seen, &findings).await;
    let done: Vec<_> = repairs.iter().map(|repair| (repair.id, repair.done)).collect();
    let wanted = [("host.locks", true), ("device.screen", true), ("device.keyguard", true)];
    assert_eq!(done, wanted, "{repairs:#?}");
    assert!(!left.exists());
    let (seen, findings) = look(&scene).await;
    assert_eq!(troubles(&findings), [""; 0]);
    // There is nothing left to do the second time, unless the app is asked for.
    assert_eq!(repair(&scene, &seen, &findings).await, []);
    scene.operator = OperatorUse::Wanted;
    let (seen, findings) = look(&scene).await;
    assert_eq!(troubles(&findings), ["runtime.operator.service"]);
    let repairs = repair(&scene, &seen, &findings).await;
    assert_eq!(
        repairs[0].summary,
        "switched on for com.clawperator.operator: its accessibility service, notifications, \
         its notification listener"
    );
    let (seen, findings) = look(&scene).await;
    assert_eq!(repair(&scene, &seen, &findings).await, []);
}

#[tokio::test]
async fn an_execution_that_has_the_phone_is_left_alone() {
    let world = plain().await;
    let mut scene = scene_of("in-use", &world).await;
    scene.depth = Depth::Full;
    let owner = Owner { pid: 7, command_id: "long".to_owned(), since: Duration::from_secs(990) };
    let locks = Locks::new(scene.locks.clone());
    let turn = locks.acquire("sim-1", &owner, None).await.unwrap();
    let (_, findings) = look(&scene).await;
    assert_eq!(found(&findings, "device.uiautomator"), (Warn, Some(ErrorCode::ExecutionConflict)));
    assert_eq!(found(&findings, "runtime.host").0, Pass);
    assert_eq!(found(&findings, "host.locks").0, Pass, "it is in use, not stale");
    type_in(&world, "input keyevent 223").await;
    let (seen, findings) = look(&scene).await;
    let repairs = repair(&scene, &seen, &findings).await;
    assert!(!repairs.is_empty() && repairs.iter().all(|repair| !repair.done), "{repairs:?}");
    type_in(&world, "input keyevent 224; wm dismiss-keyguard").await;
    drop(turn);
    let (_, findings) = look(&scene).await;
    assert_eq!(found(&findings, "device.uiautomator").0, Pass);
    assert_eq!(found(&findings, "device.smoke").0, Pass);
    let front = world.phone.foreground(soon()).await.unwrap();
    assert_ne!(front.package.as_deref(), Some("com.android.settings"));
}

#[tokio::test]
async fn a_phone_that_cannot_open_an_app_says_so() {
    let world = plain().await;
    type_in(&world, "pm uninstall --user 0 com.android.settings").await;
    let mut scene = scene_of("smoke", &world).await;
    scene.depth = Depth::Full;
    scene.limit = Some(Duration::from_secs(3));
    let (_, findings) = look(&scene).await;
    assert_eq!(found(&findings, "device.smoke"), (Fail, Some(ErrorCode::SmokeOpenSettingsFailed)));
}

#[tokio::test]
async fn a_screen_that_is_on_stays_on() {
    let world = plain().await;
    world.phone.key(KeyCode::Wake, &Precondition::OnScreen, soon()).await.unwrap();
    let (_, findings) = look(&scene_of("awake", &world).await).await;
    assert_eq!(found(&findings, "device.screen").0, Pass);
    assert_eq!(found(&findings, "device.keyguard").0, Pass);
}

#[test]
fn a_version_is_the_same_or_it_is_not() {
    use Compatibility::{Invalid, Other, Same, Unreadable};
    for (version, wanted) in [
        (Some("0.5.3"), Same),
        (Some(" 0.5.3-d\n"), Same),
        (Some("0.5.3-d-d"), Invalid),
        (Some("0.5.4"), Other),
        (Some("00.5.3"), Other),
        (Some("0.5"), Invalid),
        (Some("0.5.3.1"), Invalid),
        (Some("v0.5.3"), Invalid),
        (Some("0..3"), Invalid),
        (Some(" "), Unreadable),
        (None, Unreadable),
    ] {
        assert_eq!(compatibility(version), wanted, "{version:?}");
    }
}
