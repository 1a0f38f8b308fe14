//! Doctor, the Operator app and the log, through the program as it is shipped.

use super::root;
use super::sim::{Place, kill, within};
use clawperator_adb::{Deadline, Device, HostIdentity, ShellInput};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

fn run(place: &Place, args: &[&str]) -> (Output, Value) {
    let output = place.program().args(args).output().unwrap();
    let answer = serde_json::from_slice(&output.stdout);
    (output.clone(), answer.unwrap_or_else(|_| panic!("{args:?}: {output:?}")))
}

/// A phone that lets everybody in; its serial.
fn phone(place: &Place, more: &[&str]) -> String {
    let started = place.json(&[&["start", "--seed", "7"], more].concat());
    started["serial"].as_str().unwrap().to_owned()
}

/// Types a line into a phone's shell.
fn type_in(serial: &str, line: &str) -> String {
    let host = HostIdentity {
        banner: "host::features=shell_v2".to_owned(),
        key: None,
        name: "test@here".to_owned(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let output = runtime.unwrap().block_on(async {
        let deadline = Deadline::after(Duration::from_secs(20));
        let device = Device::connect(serial, &host, deadline).await.unwrap();
        device.shell(line, ShellInput::Open, deadline).await.unwrap()
    });
    String::from_utf8(output.stdout.to_vec()).unwrap()
}

fn check<'r>(report: &'r Value, id: &str) -> &'r Value {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == id).unwrap()
}

/// A report without what differs from run to run.
fn steady(report: &Value, place: &Place, serial: &str) -> String {
    let mut report = report.clone();
    for check in report["checks"].as_array_mut().unwrap() {
        // The picture has a clock in it.
        if check["id"] == "device.screencap" {
            check["evidence"]["bytes"] = json!(0);
        }
        if check["id"] == "trial.round_trip" {
            check["summary"] = json!("");
        }
    }
    let folder = place.folder.to_str().unwrap();
    format!("{report:#}\n").replace(folder, "<home>").replace(serial, "<serial>")
}

fn golden(name: &str, text: &str) {
    let path = root().join("crates/clawperator/tests/it").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, known, "run with UPDATE_EXPECT=1 to accept it");
}

#[test]
fn the_report_on_the_phone_in_the_box_is_known() {
    let place = Place::new();
    let serial = phone(&place, &[]);
    // The first time makes the key.
    run(&place, &["doctor"]);
    let (output, report) = run(&place, &["doctor", "--device", "sim"]);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert_eq!(report["deviceId"], *serial);
    golden("doctor_report.json", &steady(&report, &place, &serial));
    // Twice the same, named or not, also in words.
    let (_, again) = run(&place, &["doctor", "--device", &serial, "--json"]);
    assert_eq!(steady(&again, &place, &serial), steady(&report, &place, &serial));
    let text = place.program().args(["doctor", "--output", "pretty"]).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("ok    device.uiautomator"), "{text}");
    // Nothing is wrong, so nothing is advised, and there is nothing to repair.
    assert!(!text.contains("warn") && !text.contains("Next"), "{text}");
    let (_, report) = run(&place, &["doctor", "--fix"]);
    assert_eq!((report.get("repairs"), report.get("nextActions")), (None, None), "{report}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn without_a_phone_it_says_what_to_do_and_that_works() {
    let place = Place::new();
    let (output, report) = run(&place, &["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(check(&report, "device.discovery")["code"], "NO_DEVICES");
    let (output, _) = run(&place, &["doctor", "--check-only"]);
    assert_eq!(output.status.code(), Some(0));
    let next = report["nextActions"][0].as_str().unwrap();
    let words: Vec<_> = next.split(' ').skip(1).collect();
    let (output, report) = run(&place, &words);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert_eq!(report["criticalOk"], true);
}

#[test]
fn what_it_can_repair_it_repairs() {
    let place = Place::new();
    let serial = phone(&place, &[]);
    type_in(&serial, "simctl lock; input keyevent 223");
    let (output, report) = run(&place, &["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    for id in ["device.screen", "device.keyguard"] {
        assert_eq!(check(&report, id)["status"], "fail", "{report}");
        let line = format!("clawperator doctor --fix --device {serial}");
        assert_eq!(check(&report, id)["fix"]["steps"][0]["value"], *line);
    }
    let (output, report) = run(&place, &["doctor", "--fix", "--device", &serial]);
    assert_eq!(output.status.code(), Some(0), "{report}");
    let repairs = report["repairs"].as_array().unwrap();
    assert!(repairs.len() == 2 && repairs.iter().all(|repair| repair["done"] == true), "{report}");
    // The Operator app is not asked for, so its service stays off.
    let service = |report: &Value| check(report, "runtime.operator.service")["summary"].to_string();
    assert!(service(&report).contains("is off"), "{report}");
    let named = ["--operator-package", "com.clawperator.operator"];
    let (_, report) = run(&place, &[&["doctor", "--fix"], &named[..]].concat());
    assert!(service(&report).contains("is on"), "{report}");
    let told = report["repairs"][0]["summary"].as_str().unwrap();
    for part in ["accessibility service", "notifications", "notification listener"] {
        assert!(told.contains(part), "{report}");
    }
    // And it is so: the phone can be used.
    let (output, _) = run(&place, &["snapshot", "--device", &serial]);
    assert_eq!(output.status.code(), Some(0));
    let (_, report) = run(&place, &["doctor", "--fix"]);
    assert_eq!(report.get("repairs"), None, "there was nothing left to do");
}

#[test]
fn a_phone_that_hangs_is_told_of_while_it_does() {
    let place = Place::new();
    let fine = phone(&place, &[]);
    // Making the key takes time, too.
    run(&place, &["doctor"]);
    let hung = phone(&place, &["--fault", "connection_stall=600"]);
    let (output, report) = run(&place, &["doctor", "--timeout", "2500"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("doctor: {hung}: ")), "{said}");
    let of = |serial: &str, id: &str| {
        let checks = report["checks"].as_array().unwrap().iter();
        let mut fitting = checks.filter(|check| check["deviceId"] == serial && check["id"] == id);
        fitting.next().map(|check| check["status"].clone())
    };
    assert_eq!(of(&fine, "runtime.host"), Some(json!("pass")), "{report}");
    assert_eq!(of(&hung, "device.shell"), Some(json!("fail")), "{report}");
    for nonsense in ["0", "soon", "-5"] {
        let (output, answer) = run(&place, &["doctor", "--timeout", nonsense]);
        assert_eq!(output.status.code(), Some(1), "{answer}");
        assert_eq!(answer["details"]["flag"], "--timeout", "{answer}");
    }
}

#[test]
fn a_caller_that_stops_waiting_gets_an_answer() {
    let place = Place::new();
    phone(&place, &[]);
    run(&place, &["doctor"]);
    phone(&place, &["--fault", "connection_stall=600"]);
    let mut child =
        place.program().arg("doctor").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It says what it waits for, and waits on.
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().starts_with("doctor: "));
    kill(i32::try_from(child.id()).unwrap(), "INT").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["code"], "EXECUTION_CANCELLED");
}

#[test]
fn versions_are_compared() {
    let place = Place::new();
    let (_, ours) = run(&place, &["version"]);
    assert_eq!(ours, json!({"cliVersion": env!("CARGO_PKG_VERSION")}));
    let serial = phone(&place, &[]);
    let line = ["version", "--check-compat", "--device", &serial];
    let (output, answer) = run(&place, &line);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        (&answer["compatible"], &answer["apkVersion"], &answer["apkVersionCode"]),
        (&json!(true), &json!("0.5.3"), &json!(503))
    );
    // A phone that does not list packages does not say that it is missing.
    type_in(&serial, "simctl fault packages_unavailable");
    let (output, answer) = run(&place, &line);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answer["code"], "DEVICE_SHELL_UNAVAILABLE", "{answer}");
    type_in(&serial, "simctl fault clear; setprop sim.like samsung");
    assert_eq!(run(&place, &line).1["compatible"], json!(true));
    type_in(&serial, "pm uninstall com.clawperator.operator");
    let (output, answer) = run(&place, &line);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answer["error"]["code"], "OPERATOR_NOT_INSTALLED", "{answer}");
    assert!(answer["remediation"].as_str().unwrap().contains(&serial));
    let (output, answer) = run(&place, &["version", "--check-compat", "--device", "nobody"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answer["code"], "ADB_NOT_FOUND");
}

/// A zip of one file, stored as it is.
fn zip(name: &str, content: &[u8]) -> Vec<u8> {
    let crc = content.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    });
    let size = (content.len() as u32).to_le_bytes();
    let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    about.extend((!crc).to_le_bytes());
    about.extend([size, size].concat());
    about.extend((name.len() as u16).to_le_bytes());
    about.extend([0, 0]);
    let mut bytes = [&b"PK\x03\x04"[..], &about, name.as_bytes(), content].concat();
    let at = (bytes.len() as u32).to_le_bytes();
    let directory = [&b"PK\x01\x02\x14\x00"[..], &about, &[0; 10], &[0; 4], name.as_bytes()].concat();
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(at);
    bytes.extend([0, 0]);
    bytes
}

fn operator_apk(place: &Place, change: (&str, &str)) -> String {
    let app = std::fs::read_to_string(root().join("crates/box/sim/apps/operator.yaml")).unwrap();
    let file = place.folder.join("operator.apk");
    let app = app.replace(change.0, change.1);
    std::fs::write(&file, zip("clawperator-app.yaml", app.as_bytes())).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn the_operator_app_is_set_up_from_its_file() {
    let place = Place::new();
    let serial = phone(&place, &[]);
    type_in(&serial, "pm uninstall com.clawperator.operator");
    let apk = operator_apk(&place, ("", ""));
    let device = ["--device", &serial];
    for (name, permission) in [("setup", "granted"), ("install", "already")] {
        let args = [&["operator", name, "--apk", &apk], &device[..]].concat();
        let (output, answer) = run(&place, &args);
        assert_eq!(output.status.code(), Some(0), "{answer}");
        assert_eq!(answer["operatorPackage"], "com.clawperator.operator");
        assert_eq!(answer["permissions"]["accessibility"], permission, "{answer}");
        let verified = &answer["verification"];
        assert_eq!((&verified["installed"], &verified["version"]), (&json!(true), &json!("0.5.3")));
        assert!(answer["install"]["bytes"].as_u64().unwrap() > 1_000);
    }
    let (_, answer) = run(&place, &[&["grant-device-permissions"], &device[..]].concat());
    assert_eq!(answer["permissions"]["notifications"], "already", "{answer}");
    let (_, report) = run(&place, &["doctor"]);
    assert_eq!(check(&report, "runtime.operator.service")["status"], "pass");
}

#[test]
fn what_is_no_operator_app_changes_nothing() {
    let place = Place::new();
    let serial = phone(&place, &[]);
    let packages = type_in(&serial, "pm list packages");
    let other = operator_apk(&place, ("package: com.clawperator.operator", "package: com.other.app"));
    let text = place.folder.join("text.apk");
    std::fs::write(&text, "hello").unwrap();
    let text = text.to_str().unwrap();
    let folder = place.folder.to_str().unwrap();
    for (apk, package, code) in [
        ("/nowhere/x.apk", "com.clawperator.operator", "OPERATOR_APK_NOT_FOUND"),
        (folder, "com.clawperator.operator", "OPERATOR_APK_NOT_FOUND"),
        (text, "com.clawperator.operator", "OPERATOR_APK_NOT_FOUND"),
        (&other, "com.clawperator.operator", "OPERATOR_VERIFY_FAILED"),
        (&other, "a b", "USAGE"),
    ] {
        let args = ["operator", "setup", "--apk", apk, "--operator-package", package];
        let (output, answer) = run(&place, &[&args[..], &["--device", &serial]].concat());
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(answer["code"], code, "{apk}: {answer}");
    }
    let (_, answer) = run(&place, &["operator", "setup", "--device", &serial]);
    assert_eq!(answer["code"], "MISSING_ARGUMENT", "{answer}");
    assert_eq!(type_in(&serial, "pm list packages"), packages);
    // One that is named is taken, whatever it is called.
    let args = ["operator", "setup", "--apk", &other, "--operator-package", "com.other.app"];
    let (output, answer) = run(&place, &[&args[..], &["--device", &serial]].concat());
    assert_eq!(output.status.code(), Some(0), "{answer}");
    for (package, code) in [
        ("com.nobody", "OPERATOR_NOT_INSTALLED"),
        ("com.clawperator.operator.dev", "OPERATOR_VARIANT_MISMATCH"),
    ] {
        let args = ["grant-device-permissions", "--operator-package", package, "--device", &serial];
        let (_, answer) = run(&place, &args);
        assert_eq!(answer["code"], code, "{answer}");
    }
    type_in(&serial, "simctl fault low_storage");
    let args = ["operator", "setup", "--apk", &other, "--operator-package", "com.other.app"];
    let (_, answer) = run(&place, &[&args[..], &["--device", &serial]].concat());
    assert_eq!(answer["code"], "OPERATOR_INSTALL_FAILED", "{answer}");
}

#[test]
fn a_bare_setup_fails_and_says_how() {
    let place = Place::new();
    for name in ["setup", "install"] {
        let (output, answer) = run(&place, &[name]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(answer["code"], "USAGE");
        assert!(answer["canonical"].as_str().unwrap().starts_with("clawperator operator setup"));
    }
}

/// The lines of the only log there is.
fn lines(place: &Place) -> Vec<Value> {
    let folder = place.folder.join("state/logs");
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(&files[0]).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_log_says_what_happened_and_not_what_was_typed() {
    let place = Place::new();
    let serial = phone(&place, &[]);
    let missing = place.program().args(["logs", "--no-follow"]).output().unwrap();
    assert_eq!((missing.status.code(), missing.stdout.len()), (Some(0), 0));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no log for today"));

    let device = ["--device", &serial];
    for args in [
        &["open", "com.clawperator.form"][..],
        &["type", "hunter2-secret", "--id", "nobody:id/has_this", "--timeout", "5000"],
        &["click", "--text", "hunter2-secret", "--coordinate", "1"],
        &["exec", "{\"commandId\":\"hunter2-secret"],
    ] {
        let _ = place.program().args(args).args(device).output().unwrap();
    }
    let _ = place.program().args(["packages", "list", "--device", "nobody"]).output().unwrap();
    let heard = place.program().args(["doctor", "--log-level", "DEBUG", "--verbose"]).output().unwrap();
    let lines = lines(&place);
    // A listener hears the same lines.
    let heard = String::from_utf8(heard.stderr).unwrap();
    let heard: Vec<_> = heard.lines().filter(|line| line.contains("doctor.check")).collect();
    assert!(!heard.is_empty());
    for line in heard {
        assert!(lines.contains(&serde_json::from_str(line).unwrap()), "{line}");
    }
    let named = |event: &str| lines.iter().filter(|line| line["event"] == event).collect::<Vec<_>>();
    assert_eq!(named("execution.started").len(), 2);
    let ended = named("execution.ended");
    assert_eq!((&ended[0]["status"], &ended[0]["level"]), (&json!("success"), &json!("info")));
    assert_eq!(ended[1]["status"], "failed");
    assert_ne!(ended[1]["level"], "info");
    assert!(ended[0]["durationMs"].is_u64() && ended[0]["deviceId"] == *serial);
    assert_eq!(named("cli.failed").len(), 2);
    assert_eq!(named("adb.unreachable").len(), 1);
    assert!(named("doctor.check").iter().any(|line| line["status"] == "pass"));
    let all = format!("{lines:?}");
    assert!(!all.contains("hunter2"), "{all}");

    let printed = place.program().args(["logs", "--no-follow"]).output().unwrap();
    assert_eq!(String::from_utf8(printed.stdout).unwrap().lines().count(), lines.len());
}

#[test]
fn the_log_is_followed_until_interrupted() {
    let place = Place::new();
    let mut child =
        place.program().arg("logs").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // There is none yet: it says so, and waits.
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().contains("waiting for it"));
    let (_, _) = run(&place, &["clik"]);
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&out.next().unwrap().unwrap()).unwrap();
    assert_eq!(first["status"], "UNKNOWN_COMMAND");
    let (_, _) = run(&place, &["click"]);
    let second: Value = serde_json::from_str(&out.next().unwrap().unwrap()).unwrap();
    assert_eq!(second["status"], "MISSING_SELECTOR");
    kill(i32::try_from(child.id()).unwrap(), "INT").unwrap();
    let mut code = None;
    assert!(within(Duration::from_secs(10), || {
        code = child.try_wait().unwrap();
        code.is_some()
    }));
    assert_eq!(code.unwrap().code(), Some(0));
}

#[test]
fn a_log_that_cannot_be_written_fails_nothing() {
    let place = Place::new();
    let serial = phone(&place, &[]);
    let file = place.folder.join("a-file");
    std::fs::write(&file, "").unwrap();
    let output = place
        .program()
        .env("CLAWPERATOR_LOG_DIR", file.join("logs"))
        .args(["press", "home", "--device", &serial])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.matches("[clawperator] WARN: cannot write the log").count(), 1, "{said}");
    assert!(!Path::new(&file).is_dir());
}
