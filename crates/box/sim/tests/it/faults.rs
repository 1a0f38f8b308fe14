//! What goes wrong on demand, as a host sees it.

use crate::client::{connect, phone, soon};
use bytes::Bytes;
use clawperator_adb::{AdbError, Deadline, Device};
use clawperator_sim::fault::Fault;
use clawperator_sim::{Setup, TimeKind, Welcome};
use std::time::Duration;

async fn faulty(faults: &[&str]) -> String {
    let setup = Setup {
        seed: 7,
        faults: faults.iter().map(|fault| Fault::parse(fault).unwrap()).collect(),
        ..Setup::default()
    };
    phone(setup, Welcome::default()).await.1
}

async fn said(device: &Device, command: &str) -> (String, String) {
    let output = device.shell(command, Bytes::new(), soon()).await.unwrap();
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn a_dump_lies_as_real_ones_do() {
    let device = connect(&faulty(&["dump_null_rootx1", "dump_not_idlex1+1"]).await).await.unwrap();
    let refused = device.shell("uiautomator dump /dev/tty", Bytes::new(), soon()).await.unwrap();
    assert!(refused.stderr.starts_with(b"ERROR: null root node"), "{refused:?}");
    assert_eq!(refused.exit_code, Some(0));
    let fine = said(&device, "uiautomator dump /dev/tty").await;
    assert!(fine.0.starts_with("<?xml") || fine.1.contains("could not get idle state"), "{fine:?}");
}

#[tokio::test]
async fn a_dump_is_cut_off_and_our_reader_notices() {
    let device = connect(&faulty(&["dump_cut_offx1"]).await).await.unwrap();
    let (cut, _) = said(&device, "uiautomator dump /dev/tty").await;
    assert!(clawperator_ui::read(&cut).is_err());
    let (whole, _) = said(&device, "uiautomator dump /dev/tty").await;
    assert!(clawperator_ui::read(&whole).is_ok());
}

#[tokio::test]
async fn a_connection_is_reset_in_the_middle() {
    let device = connect(&faulty(&["connection_reset=20000x1"]).await).await.unwrap();
    let lost = device.shell("cat /dev/zero", Bytes::new(), soon()).await;
    assert!(matches!(lost, Err(AdbError::Closed)), "{lost:?}");
}

#[tokio::test]
async fn a_connection_goes_silent_until_the_deadline() {
    let device = connect(&faulty(&["connection_stall=20000x1"]).await).await.unwrap();
    let deadline = Deadline::after(Duration::from_millis(300));
    let silent = device.shell("head -c 100000 /dev/zero", Bytes::new(), deadline).await;
    assert!(matches!(silent, Err(AdbError::TimedOut { .. })), "{silent:?}");
}

#[tokio::test]
async fn input_is_lost_or_doubled_without_an_error() {
    let device = connect(&faulty(&["input_droppedx1", "input_doubledx1+1"]).await).await.unwrap();
    said(&device, "am start -n com.clawperator.conformance/.MainActivity").await;
    let (dump, _) = said(&device, "uiautomator dump /dev/tty").await;
    let tree = clawperator_ui::read(&dump).unwrap();
    let (_, button) = tree.nodes().find(|(_, node)| node.text == "Increment").unwrap();
    let clawperator_ui::Point { x, y } = button.bounds.center();
    let mut counters = Vec::new();
    for _ in 0..3 {
        said(&device, &format!("input tap {x} {y}")).await;
        let (dump, _) = said(&device, "uiautomator dump /dev/tty").await;
        let counter = dump.split("Counter: ").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        counters.push(counter.to_owned());
    }
    // The first tap is lost, the second comes twice.
    assert_eq!(counters, ["0", "2", "3"]);
}

#[tokio::test]
async fn the_phone_is_offline_or_unauthorized_once_then_fine() {
    for fault in ["offlinex1", "unauthorizedx1"] {
        let address = faulty(&[fault]).await;
        assert!(connect(&address).await.is_err(), "{fault}");
        assert!(connect(&address).await.is_ok(), "{fault}");
    }
}

#[tokio::test]
async fn the_world_interferes_between_two_commands() {
    for (fault, command, wanted) in [
        ("rotationx1", "dumpsys input", "SurfaceOrientation: 1"),
        ("incoming_callx1", "dumpsys window", "InCallActivity"),
        ("focus_stolenx1", "dumpsys window", "com.clawperator.messenger"),
        ("low_storagex1", "getprop; echo x > /sdcard/x || echo full", "full"),
    ] {
        let device = connect(&faulty(&[fault]).await).await.unwrap();
        let (stdout, stderr) = said(&device, command).await;
        assert!(stdout.contains(wanted) || stderr.contains(wanted), "{fault}: {stdout} {stderr}");
    }
}

#[tokio::test]
async fn a_missed_call_is_over_when_the_caller_gives_up() {
    let setup = Setup {
        time: TimeKind::Virtual,
        faults: vec![Fault::parse("missed_call=2500x1+1").unwrap()],
        ..Setup::default()
    };
    let (handset, address) = phone(setup, Welcome::default()).await;
    let device = connect(&address).await.unwrap();
    let front = async || said(&device, "dumpsys window").await.0.contains("InCallActivity");
    assert!(!front().await);
    assert!(front().await);
    handset.advance(Duration::from_millis(2_400));
    assert!(front().await);
    handset.advance(Duration::from_millis(100));
    assert!(!front().await);
}

#[tokio::test]
async fn the_same_seed_is_the_same_run() {
    let run = || async {
        let device = connect(&faulty(&["dump_null_root@40%", "input_dropped@30%"]).await).await.unwrap();
        let mut journal = Vec::new();
        for _ in 0..10 {
            journal.push(said(&device, "input tap 300 500; uiautomator dump /dev/tty; echo $?").await);
        }
        journal
    };
    assert_eq!(run().await, run().await);
}

#[tokio::test]
async fn a_phone_refuses_in_its_own_words() {
    for (fault, command, words) in [
        ("input_refusedx1", "input tap 5 5", "java.lang.SecurityException: Injecting"),
        ("service_missingx1", "am force-stop a.b", "cmd: Can't find service: activity"),
        ("service_missingx1", "pm path a.b", "cmd: Can't find service: package"),
        (
            "start_keptx1",
            "am start -n com.clawperator.form/.MainActivity",
            "Warning: Activity not started because",
        ),
    ] {
        let device = connect(&faulty(&[fault]).await).await.unwrap();
        let (_, refused) = said(&device, command).await;
        assert!(refused.contains(words), "{fault}: {refused}");
        let (_, fine) = said(&device, command).await;
        assert!(!fine.contains(words), "{fault}: {fine}");
    }
}

#[tokio::test]
async fn a_connection_ends_before_a_command_or_after_it() {
    for (fault, done) in [("hang_upx1+1", ""), ("answer_lostx1+1", "done\n")] {
        let address = faulty(&[fault]).await;
        let device = connect(&address).await.unwrap();
        said(&device, "true").await;
        let lost = device.shell("echo done > /sdcard/it", Bytes::new(), soon()).await;
        assert!(lost.is_err(), "{fault}: {lost:?}");
        let again = connect(&address).await.unwrap();
        let (found, _) = said(&again, "cat /sdcard/it").await;
        assert_eq!(found, done, "{fault}");
    }
}
