//! Executions on the phone in the box, through the program as it is shipped.

use super::sim::Place;
use serde_json::Value;
use std::process::Output;

fn run(place: &Place, args: &[&str]) -> (Output, Value) {
    let output = place.program().args(args).args(["--device", "sim"]).output().unwrap();
    let answer = serde_json::from_slice(&output.stdout);
    (output.clone(), answer.unwrap_or_else(|_| panic!("{args:?}: {output:?}")))
}

const OPEN_AND_SNAPSHOT: &str = r#"{"commandId":"c","taskId":"t","source":"test","expectedFormat":"android-ui-automator","timeoutMs":30000,"actions":[
    {"id":"o","type":"open_app","params":{"applicationId":"com.android.settings"}},
    {"id":"w","type":"wait_for_navigation","params":{"expectedPackage":"com.android.settings","timeoutMs":5000}},
    {"id":"s","type":"snapshot_ui"}]}"#;

#[test]
fn commands_act_on_the_phone_in_the_box_and_it_remembers() {
    let place = Place::new();
    let run = |args: &[&str]| run(&place, args).1;
    let opened = run(&["open", "com.clawperator.conformance"]);
    assert_eq!(opened["envelope"]["status"], "success", "{opened}");
    for count in 1..=2 {
        assert_eq!(run(&["click", "--text", "Increment"])["envelope"]["status"], "success");
        let read = run(&["read", "--text-contains", "Counter"]);
        let text = &read["envelope"]["stepResults"][0]["data"]["text"];
        assert_eq!(text, &format!("Counter: {count}"), "{read}");
    }
    let whole = run(&["exec", OPEN_AND_SNAPSHOT]);
    let steps = whole["envelope"]["stepResults"].as_array().unwrap();
    assert!(steps.len() == 3 && steps.iter().all(|step| step["success"] == true), "{whole}");
    assert!(steps[2]["data"]["text"].as_str().unwrap().contains("Network &amp; internet"));
    assert_eq!(whole["isCanonicalTerminal"], true);
}

#[test]
fn observe_shows_what_a_model_sees() {
    let place = Place::new();
    let file = place.folder.join("screen.jpeg");
    let path = file.to_str().unwrap();
    let (_, seen) = run(&place, &["observe", "--som", "--image", "jpeg", "--path", path]);
    assert_eq!((&seen["scaledWidth"], &seen["scaledHeight"]), (&768.into(), &1707.into()));
    assert_eq!(seen["captureMetrics"]["uiElementsSource"], "fresh", "{seen}");
    assert!(seen["somScreenshotBase64"].is_string() && !seen["uiElements"].as_array().unwrap().is_empty());
    assert!(std::fs::read(&file).unwrap().starts_with(b"\xff\xd8"));
    let page = place.program().args(["observe", "--device", "sim", "--output", "pretty"]).output().unwrap();
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains("1080 x 2400 pixels, 768 x 1707 in the picture\n[1] "), "{page}");
    let picture = page.lines().last().unwrap().strip_prefix("Picture: ").unwrap();
    assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
    let wrong = place.program().args(["observe", "--image", "gif"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
}

#[test]
fn a_failed_step_is_in_the_envelope_and_the_exit_code() {
    let place = Place::new();
    let (output, answer) = run(&place, &["click", "--text", "nowhere"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answer["envelope"]["errorCode"], "NODE_NOT_FOUND");
    assert_eq!(answer["envelope"]["stepResults"][0]["data"]["dispatched"], "no");
}

#[test]
fn what_is_odd_about_a_payload_is_said_beside_the_envelope() {
    let place = Place::new();
    let payload = r#"{"commandId":"a","commandId":"c","taskId":"t","source":"s","expectedFormat":"android-ui-automator",
        "timeoutMs":30000,"actions":[{"id":"a","type":"sleep","params":{"durationMs":0,"text":"x"}}]}"#;
    let (output, answer) = run(&place, &["exec", payload]);
    assert!(output.status.success(), "{answer}");
    let codes: Vec<_> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| (warning["code"].clone(), warning["path"].clone()))
        .collect();
    let expected = [("DUPLICATE_KEY", "commandId"), ("PARAM_UNUSED", "actions.0.params.text")];
    assert_eq!(codes, expected.map(|(code, path)| (code.into(), path.into())));
    assert_eq!(answer["envelope"]["commandId"], "c");
}

#[test]
fn phones_and_packages_are_listed() {
    let place = Place::new();
    let none = place.program().arg("devices").output().unwrap();
    assert_eq!(none.stdout, b"{\"devices\":[]}\n");
    let (_, listed) = run(&place, &["packages", "list", "--third-party"]);
    let packages = listed["packages"].as_array().unwrap();
    assert!(packages.iter().any(|package| package == "com.clawperator.form"), "{listed}");
    assert!(!packages.iter().any(|package| package == "com.android.settings"), "{listed}");
    let form = serde_json::json!({"package": "com.clawperator.form", "label": "Form"});
    let apps = listed["apps"].as_array().unwrap();
    assert!(apps.contains(&form) && apps.len() <= packages.len(), "{listed}");
    let some = place.program().arg("devices").output().unwrap();
    let some: Value = serde_json::from_slice(&some.stdout).unwrap();
    assert_eq!(
        (&some["devices"][0]["state"], &some["devices"][0]["sim"]),
        (&"device".into(), &"sim-1".into())
    );
}

#[test]
fn who_has_no_adb_is_told_of_the_phones_in_the_box() {
    let place = Place::new();
    let ask = |args: &[&str]| -> Value {
        let output = place.program().args(args).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {output:?}"))
    };
    let hint = |answer: &Value| answer["details"]["hint"].as_str().unwrap().to_owned();
    let none = ask(&["packages", "list"]);
    assert_eq!(none["code"], "ADB_NOT_FOUND", "{none}");
    assert!(!hint(&none).contains("sim-1"), "{none}");
    run(&place, &["press", "home"]);
    let some = ask(&["packages", "list"]);
    assert_eq!(some["code"], "ADB_NOT_FOUND", "{some}");
    let wanted =
        "A simulated phone is running and needs no adb: add --device sim-1. Install adb or set ADB_PATH.";
    assert_eq!(hint(&some), wanted, "{some}");
    for args in [&["packages", "list"][..], &["press", "home"], &["version", "--check-compat"]] {
        let answer = ask(&[args, &["--device", "sim-1"]].concat());
        assert_ne!(answer["code"], "ADB_NOT_FOUND", "{answer}");
    }
    for wrong in ["0", "-1", "soon"] {
        let answer = ask(&["devices", "--timeout", wrong]);
        assert!(answer["message"].as_str().unwrap().contains("--timeout"), "{answer}");
    }
}

#[test]
fn what_only_asks_keeps_to_its_time_too() {
    let place = Place::new();
    // Somebody listens, and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let port = address.port().to_string();
    let began = std::time::Instant::now();
    for (args, code) in [
        (&["devices"][..], "ADB_SERVER_FAILED"),
        (&["packages", "list"], "ADB_SERVER_FAILED"),
        (&["packages", "list", "--device", &address.to_string()], "ADB_SERVER_FAILED"),
    ] {
        let mut program = place.program();
        program.env("ANDROID_ADB_SERVER_PORT", &port);
        let output = program.args(args).args(["--timeout", "100"]).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["code"], code, "{args:?}: {answer}");
    }
    let direct = ["packages", "list", "--device", &address.to_string(), "--timeout", "100"];
    let output = place.program().args(direct).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["code"], "DEVICE_OFFLINE", "{answer}");
    assert!(began.elapsed() < std::time::Duration::from_secs(14), "each had 15 s before");
}

#[cfg(unix)]
#[test]
fn a_folder_of_locks_that_is_a_trap_is_refused() {
    let place = Place::new();
    run(&place, &["press", "home"]);
    let (folder, elsewhere) = (place.folder.join("trap"), place.folder.join("elsewhere"));
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &folder).unwrap();
    let mut program = place.program();
    program.env("CLAWPERATOR_LOCK_DIR", &folder).args(["back", "--device", "sim"]);
    let answer: Value = serde_json::from_slice(&program.output().unwrap().stdout).unwrap();
    assert_eq!(answer["code"], "STATE_FOLDER_UNUSABLE", "{answer}");
    assert!(answer["details"]["hint"].as_str().unwrap().contains("CLAWPERATOR_LOCK_DIR"), "{answer}");
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn a_strict_click_refuses_what_is_ambiguous() {
    let place = Place::new();
    run(&place, &["open", "trouble://duplicates"]);
    let (output, answer) = run(&place, &["click", "--text", "OK", "--strict"]);
    assert_eq!(output.status.code(), Some(1), "{answer}");
    let step = &answer["envelope"]["stepResults"][0];
    assert_eq!(step["data"]["error"], "NODE_AMBIGUOUS", "{answer}");
    let (_, answer) = run(&place, &["click", "--text", "OK"]);
    let step = &answer["envelope"]["stepResults"][0];
    assert!(step["success"] == true && step["data"]["selection_warning"].is_string(), "{answer}");
}

/// The result of the one step of a command.
fn step(place: &Place, args: &[&str]) -> Value {
    run(place, args).1["envelope"]["stepResults"][0].clone()
}

#[test]
fn a_ref_that_one_process_prints_another_uses() {
    let place = Place::new();
    step(&place, &["open", "com.clawperator.conformance"]);
    let pretty = ["snapshot", "--format", "compact", "--output", "pretty", "--device", "sim"];
    let printed = place.program().args(pretty).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let line = printed.lines().find(|line| line.contains("\"Increment\"")).unwrap();
    let name = line.split(' ').next().unwrap();
    assert!(name.starts_with("@e"), "{printed}");
    assert_eq!(step(&place, &["click", "--ref", name])["success"], true);
    let changed = step(&place, &["snapshot", "--diff"]);
    let text = changed["data"]["text"].as_str().unwrap();
    assert!(text.contains("Counter: 1") && !text.contains("Increment"), "{text}");
    let found = step(&place, &["find", "--text", "Increment"]);
    let found: Value = serde_json::from_str(found["data"]["query"].as_str().unwrap()).unwrap();
    assert_eq!((&found["totalMatches"], &found["nodes"][0]["ref"]), (&1.into(), &name.into()));
    let budget = step(&place, &["snapshot", "--budget", "30"]);
    assert!(budget["data"]["tokens"].as_str().unwrap().parse::<u32>().unwrap() <= 30, "{budget}");
    step(&place, &["press", "home"]);
    let (output, stale) = run(&place, &["click", "--ref", name]);
    assert_eq!((output.status.code(), &stale["envelope"]["errorCode"]), (Some(1), &"REF_STALE".into()));
    let gone = step(&place, &["wait", "--text", "Increment", "--gone", "--timeout", "5000"]);
    assert_eq!(gone["success"], true, "{gone}");
}

fn sleeping(ms: u32, timeout: u32) -> String {
    format!(
        r#"{{"commandId":"c","taskId":"t","source":"test","expectedFormat":"android-ui-automator","timeoutMs":{timeout},"actions":[
        {{"id":"h","type":"press_key","params":{{"key":"home"}}}},{{"id":"z","type":"sleep","params":{{"durationMs":{ms}}}}}]}}"#
    )
}

#[test]
fn an_execution_that_takes_too_long_says_how_far_it_came() {
    let place = Place::new();
    let (output, answer) = run(&place, &["exec", &sleeping(60_000, 1_000)]);
    assert_eq!(
        (output.status.code(), &answer["code"]),
        (Some(1), &"RESULT_ENVELOPE_TIMEOUT".into()),
        "{answer}"
    );
    let details = &answer["details"];
    assert_eq!((&details["actionId"], &details["dispatched"]), (&"z".into(), &"yes".into()), "{answer}");
    assert_eq!(details["stepResults"][0]["actionType"], "press_key", "{answer}");
}

#[test]
fn two_executions_never_have_one_phone() {
    let place = Place::new();
    run(&place, &["press", "home"]);
    let long = sleeping(6_000, 60_000);
    // It waits for its turn: the others below may have the phone when it comes.
    let args = ["exec", &long, "--device", "sim", "--wait-for-device", "60000"];
    let mut first = place.program().args(args).stdout(std::process::Stdio::null()).spawn().unwrap();
    let conflict = super::sim::within(std::time::Duration::from_secs(20), || {
        run(&place, &["press", "home"]).1["code"] == "EXECUTION_CONFLICT_IN_FLIGHT"
    });
    assert!(conflict);
    // However the phone is called; the answer names its owner.
    let serial = place.json(&["list"])["phones"][0]["serial"].clone();
    let port = serial.as_str().unwrap().rsplit_once(':').unwrap().1.to_owned();
    for name in [
        "sim-1".to_owned(),
        format!("localhost:{port}"),
        format!("::ffff:127.0.0.1:{port}"),
        format!("127.0.0.1:0{port}"),
    ] {
        let args = ["press", "home", "--device", &name];
        let output = place.program().args(args).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["code"], "EXECUTION_CONFLICT_IN_FLIGHT", "{name}: {answer}");
        let owner = &answer["details"]["owner"];
        assert_eq!(owner["pid"], first.id(), "{answer}");
        assert!(owner["commandId"].is_string() && owner["ageMs"].as_u64().unwrap() < 60_000, "{answer}");
    }
    let (_, waited) = run(&place, &["press", "home", "--wait-for-device", "60000"]);
    assert_eq!(waited["envelope"]["status"], "success", "{waited}");
    assert!(first.wait().unwrap().success());
}

#[test]
fn an_interrupted_execution_says_what_was_in_flight() {
    let place = Place::new();
    run(&place, &["press", "home"]);
    let long = sleeping(60_000, 100_000);
    let child = place
        .program()
        .args(["exec", &long, "--device", "sim"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Its journal says how far it is; asking for the phone would get in its way.
    let sleeps = super::sim::within(std::time::Duration::from_secs(20), || super::trail::waits(&place));
    assert!(sleeps);
    super::sim::kill(i32::try_from(child.id()).unwrap(), "INT").unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &answer["code"]), (Some(1), &"EXECUTION_CANCELLED".into()), "{answer}");
    let details = &answer["details"];
    assert_eq!(
        (&details["actionId"], &details["stepResults"][0]["id"]),
        (&"z".into(), &"h".into()),
        "{answer}"
    );
    // The phone is free again at once.
    let (_, next) = run(&place, &["press", "home"]);
    assert_eq!(next["envelope"]["status"], "success", "{next}");
}

/// Runs a command as an agent does.
fn as_agent(place: &Place, args: &[&str]) -> (String, bool) {
    let mut program = place.program();
    program.env("CLAWPERATOR_OUTPUT", "agent");
    let output = program.args(args).args(["--device", "sim"]).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

#[test]
fn an_act_of_an_agent_shows_what_changed_in_few_words() {
    let place = Place::new();
    let (opened, _) = as_agent(&place, &["open", "com.clawperator.conformance"]);
    assert!(opened.contains("app: com.clawperator.conformance") && opened.contains("@e"), "{opened}");
    let (clicked, is_done) = as_agent(&place, &["click", "--text", "Increment"]);
    assert!(is_done && clicked.contains("Counter: 1"), "{clicked}");
    assert!(clicked.len() < 200, "{clicked}");
    let (missed, is_done) = as_agent(&place, &["click", "--text", "increment"]);
    for part in ["NODE_NOT_FOUND", "nearest: ", "the screen now:\nno change\napp: "] {
        assert!(!is_done && missed.contains(part), "{part}: {missed}");
    }
    let viewed = run(&place, &["click", "--text", "Increment", "--view"]).1;
    let view = &viewed["envelope"]["stepResults"][1]["data"];
    assert!(view["text"].as_str().unwrap().contains("Counter: 2"), "{viewed}");
    assert_eq!(view["warn"], Value::Null, "{viewed}");
    let failed = run(&place, &["click", "--text", "increment"]).1;
    assert!(failed["envelope"]["hint"].is_string(), "{failed}");
}

/// The answer says in full what was done, and the screen after it is not compared with one
/// from before.
#[test]
fn an_act_on_a_screen_that_cannot_be_read_is_told() {
    let place = Place::new();
    as_agent(&place, &["open", "com.clawperator.trouble"]);
    as_agent(&place, &["click", "--text", "Never idle"]);
    let (clicked, is_done) = as_agent(&place, &["click", "--coordinate", "193", "618", "--count", "3"]);
    for part in ["click: done 3 times; the screen could not be read: ", "hint: "] {
        assert!(is_done && clicked.contains(part), "{part}: {clicked}");
    }
    let (back, _) = as_agent(&place, &["back"]);
    let new = "new screen (the one before could not be read)\napp: com.clawperator.trouble\n";
    assert!(back.starts_with(new), "{back}");
}

#[test]
fn an_act_is_repeated_until_what_it_is_for_is_there() {
    let place = Place::new();
    as_agent(&place, &["open", "com.clawperator.conformance"]);
    let click = |more: &[&str]| as_agent(&place, &[&["click", "--text", "Increment"], more].concat());
    let (twice, is_done) = click(&["--count", "2"]);
    assert!(is_done && twice.contains("Counter: 2") && twice.contains("done 2 times"), "{twice}");
    let (until, is_done) = click(&["--until", "Counter: 5"]);
    assert!(is_done && until.contains("done 3 times"), "{until}");
    let (there, is_done) = click(&["--until", "Counter: 5"]);
    assert!(is_done && there.contains("not done: what until names is there already"), "{there}");
    let (never, is_done) = click(&["--until", "Counter: 5000", "--count", "2"]);
    for part in ["EFFECT_NOT_CONFIRMED: done 2 times", "dispatched: yes", "nearest: \"Counter: 7\""] {
        assert!(!is_done && never.contains(part), "{part}: {never}");
    }
}
