//! Journals, pages and worlds, through the program as it is shipped.

use super::sim::{Place, kill, within};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

fn run(place: &Place, args: &[&str]) -> Output {
    place.program().args(args).output().unwrap()
}

fn journals(place: &Place) -> Vec<Value> {
    let listed = json(&run(place, &["journal", "list"]));
    listed["journals"].as_array().unwrap().clone()
}

fn folder(place: &Place, name: &Value) -> PathBuf {
    place.folder.join("state/journal").join(name.as_str().unwrap())
}

/// Tells whether an execution has come to where it waits.
pub(crate) fn waits(place: &Place) -> bool {
    let Ok(journals) = std::fs::read_dir(place.folder.join("state/journal")) else {
        return false;
    };
    let mut lines = journals.filter_map(|journal| {
        let path = journal.ok()?.path().join("journal.ndjson");
        std::fs::read_to_string(path).ok()
    });
    lines.any(|text| text.contains("\"event\":\"wait\""))
}

#[test]
fn a_run_leaves_a_journal_that_can_be_listed_shown_and_verified() {
    let place = Place::new();
    assert!(journals(&place).is_empty());
    run(&place, &["press", "home", "--device", "sim", "--no-journal"]);
    let off = place
        .program()
        .args(["press", "home", "--device", "sim"])
        .env("CLAWPERATOR_JOURNAL", "off")
        .output()
        .unwrap();
    assert!(off.status.success() && journals(&place).is_empty());
    let output = run(&place, &["click", "--text", "nowhere", "--device", "sim"]);
    assert_eq!(output.status.code(), Some(1));
    let id = json(&output)["envelope"]["commandId"].clone();
    let listed = journals(&place);
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (&listed[0]["commandId"], &listed[0]["status"], &listed[0]["errorCode"]),
        (&id, &"failed".into(), &"NODE_NOT_FOUND".into())
    );
    let id = id.as_str().unwrap();
    let shown = run(&place, &["journal", "show", id]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("nothing matched textEquals \"nowhere\""), "{shown}");
    let raw = String::from_utf8(run(&place, &["journal", "show", id, "--json"]).stdout).unwrap();
    assert!(raw.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let verified = run(&place, &["journal", "verify", id]);
    assert_eq!(json(&verified)["journals"][0]["verdict"], "whole");
    let missing = run(&place, &["journal", "show", "never"]);
    assert_eq!((missing.status.code(), &json(&missing)["code"]), (Some(1), &"JOURNAL_NOT_FOUND".into()));

    let lines = folder(&place, &listed[0]["name"]).join("journal.ndjson");
    std::fs::write(&lines, raw.replacen("NODE_NOT_FOUND", "NODE_AMBIGUOUS", 1)).unwrap();
    let changed = run(&place, &["journal", "verify", "--all"]);
    let answer = json(&changed);
    assert_eq!((changed.status.code(), &answer["ok"]), (Some(1), &false.into()));
    let bad = raw.lines().position(|line| line.contains("NODE_NOT_FOUND")).unwrap() + 1;
    assert_eq!(answer["journals"][0]["line"], bad);
}

#[test]
fn the_newest_journal_of_an_id_is_checked_also_if_its_first_line_was_changed() {
    let place = Place::new();
    let payload = r#"{"commandId":"same","taskId":"t","source":"test","timeoutMs":30000,"expectedFormat":"android-ui-automator","actions":[{"id":"h","type":"press_key","params":{"key":"home"}}]}"#;
    for _ in 0..2 {
        let ran = run(&place, &["exec", payload, "--device", "sim"]);
        assert!(ran.status.success(), "{ran:?}");
    }
    let listed = journals(&place);
    let newest = folder(&place, &listed[0]["name"]).join("journal.ndjson");
    let text = std::fs::read_to_string(&newest).unwrap();
    std::fs::write(&newest, text.replacen("\"taskId\":\"", "\"taskId\":\"x", 1)).unwrap();
    let verified = run(&place, &["journal", "verify", "same"]);
    let answer = json(&verified);
    assert_eq!((verified.status.code(), &answer["journals"][0]["name"]), (Some(1), &listed[0]["name"]));
    assert_eq!(answer["journals"][0]["verdict"], "changed");
    let shown = String::from_utf8(run(&place, &["journal", "show", "same"]).stdout).unwrap();
    assert!(shown.contains("THE JOURNAL WAS CHANGED"), "{shown}");
}

#[test]
fn one_journal_that_cannot_be_read_ends_no_check_of_all() {
    let place = Place::new();
    for _ in 0..2 {
        run(&place, &["press", "home", "--device", "sim"]);
    }
    let listed = journals(&place);
    let newest = folder(&place, &listed[0]["name"]).join("journal.ndjson");
    std::fs::remove_file(&newest).unwrap();
    let checked = run(&place, &["journal", "verify", "--all"]);
    let answer = json(&checked);
    assert_eq!(checked.status.code(), Some(1));
    let verdicts = [&answer["journals"][0]["verdict"], &answer["journals"][1]["verdict"]];
    assert_eq!(verdicts, ["unreadable", "whole"]);
    let shown = json(&run(&place, &["journal", "show", listed[0]["name"].as_str().unwrap()]));
    assert_eq!(shown["code"], "JOURNAL_UNUSABLE");
    assert!(!shown.to_string().contains("journal verify"), "{shown}");
    std::fs::write(&newest, "").unwrap();
    let empty = json(&run(&place, &["journal", "verify", listed[0]["name"].as_str().unwrap()]));
    assert_eq!(empty["journals"][0]["verdict"], "empty");
}

#[test]
fn a_run_that_is_killed_leaves_a_journal_that_is_cut_off() {
    let place = Place::new();
    run(&place, &["press", "home", "--device", "sim", "--no-journal"]);
    let mut child = place
        .program()
        .args(["sleep", "20000", "--timeout", "60000", "--device", "sim"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    assert!(within(Duration::from_secs(20), || waits(&place)));
    kill(i32::try_from(child.id()).unwrap(), "KILL").unwrap();
    child.wait().unwrap();
    let verified = run(&place, &["journal", "verify", "--all"]);
    assert_eq!(
        (verified.status.code(), &json(&verified)["journals"][0]["verdict"]),
        (Some(0), &"cut off".into())
    );
    assert_eq!(journals(&place)[0]["status"], "cut off");
}

#[test]
fn a_journal_that_cannot_be_written_is_one_warning() {
    let place = Place::new();
    std::fs::write(place.folder.join("state"), "").unwrap();
    let output = run(&place, &["press", "home", "--device", "sim"]);
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.matches("cannot write the journal").count(), 1, "{told}");
}

#[test]
fn a_page_can_be_had_at_once_or_later_and_a_world_too() {
    let place = Place::new();
    let path = |name: &str| place.folder.join(name).to_str().unwrap().to_owned();
    let (now, later, world) = (path("now.html"), path("later.html"), path("world.yaml"));
    run(&place, &["open", "com.clawperator.conformance", "--device", "sim"]);
    let failed = run(&place, &["click", "--text", "Incremnt", "--device", "sim", "--report", &now]);
    assert_eq!(json(&failed)["envelope"]["errorCode"], "NODE_NOT_FOUND", "{failed:?}");
    let page = std::fs::read_to_string(&now).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("data:image/png;base64,"));
    let id = json(&failed)["envelope"]["commandId"].as_str().unwrap().to_owned();
    let made = run(&place, &["report", &id, "--out", &later]);
    assert_eq!(json(&made)["status"], "failed", "{made:?}");
    assert_eq!(std::fs::read_to_string(&later).unwrap(), page);
    // What cannot be written leaves nothing, and nothing is left beside it.
    let full = run(&place, &["report", &id, "--out", "/dev/full"]);
    assert_eq!(json(&full)["code"], "FILE_WRITE_FAILED");
    let nameless = json(&run(&place, &["report", &id, "--out", ""]));
    assert!(nameless["message"].as_str().unwrap().contains("without a name"), "{nameless}");
    let beside = std::fs::read_dir(&place.folder).unwrap();
    assert!(
        !beside.map(|entry| entry.unwrap().file_name()).any(|name| name.to_str().unwrap().ends_with(".new"))
    );

    let made = json(&run(&place, &["report", &id, "--fixture", &world]));
    assert_eq!(made["screens"], 1, "{made}");
    place.json(&["stop", "--all"]);
    assert!(place.output(&["start", "--apps", &world]).status.success());
    let again = run(&place, &["exec", &path("world.json"), "--device", "sim"]);
    let answer = json(&again);
    assert_eq!(answer["envelope"]["errorCode"], "NODE_NOT_FOUND", "{answer}");
    assert_eq!(answer["envelope"]["stepResults"][0]["id"], json(&failed)["envelope"]["stepResults"][0]["id"]);
}

#[test]
fn what_cannot_be_is_said_before_a_phone_is_touched() {
    let place = Place::new();
    let code = |args: &[&str]| json(&run(&place, args))["code"].clone();
    assert_eq!(code(&["back", "--report", "/nowhere/r.html"]), "FILE_WRITE_FAILED");
    assert_eq!(code(&["back", "--report", "r.html", "--no-journal"]), "USAGE");
    let off = place
        .program()
        .args(["back", "--report", "r.html"])
        .env("CLAWPERATOR_JOURNAL", "off")
        .output()
        .unwrap();
    assert_eq!(json(&off)["code"], "USAGE");
    assert_eq!(code(&["report", "never"]), "JOURNAL_NOT_FOUND");
    assert_eq!(code(&["report"]), "MISSING_ARGUMENT");
    assert_eq!(code(&["journal", "verify"]), "MISSING_ARGUMENT");
    assert_eq!(code(&["journal", "list", "--limit", "x"]), "USAGE");
}
