//! The contract documents' worked examples, typed into a shell as they stand
//! there, on the phone in the box.

use super::sim::Place;
use serde_json::Value;
use std::process::Output;

/// Types a line into a shell; what it printed must be JSON.
fn typed(place: &Place, line: &str) -> (Output, Value) {
    let program = place.program();
    let folder = std::path::Path::new(program.get_program()).parent().unwrap().to_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    // The documents' lines name no phone; this names it for all of them.
    let output = shell.env("PATH", path).env("ANDROID_SERIAL", "sim").output().unwrap();
    let answer = serde_json::from_slice(&output.stdout);
    let answer = answer.unwrap_or_else(|_| panic!("{line}: {output:?}"));
    (output, answer)
}

/// A line that must work; its last step's data.
fn works(place: &Place, line: &str) -> Value {
    let (output, answer) = typed(place, line);
    assert_eq!(output.status.code(), Some(0), "{line}: {answer}");
    let steps = answer["envelope"]["stepResults"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["success"] == true), "{line}: {answer}");
    steps.last().unwrap()["data"].clone()
}

fn with_shop() -> Place {
    let place = Place::new();
    let shop = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/shop.yaml");
    let started = place.output(&["start", "--apps", shop]);
    assert!(started.status.success(), "{started:?}");
    place
}

#[test]
fn the_overview_s_snapshot_is_a_hierarchy() {
    let place = Place::new();
    let data = works(&place, "clawperator snapshot --json --device sim");
    assert!(data["text"].as_str().unwrap().contains("<hierarchy"), "{data}");
}

const FULL_PAYLOAD: &str = r#"{
  "commandId": "open-settings-and-snapshot",
  "taskId": "open-settings-and-snapshot",
  "source": "agent-loop",
  "expectedFormat": "android-ui-automator",
  "timeoutMs": 30000,
  "actions": [
    {"id": "open-1", "type": "open_app", "params": {"applicationId": "com.android.settings"}},
    {"id": "wait-1", "type": "wait_for_navigation",
     "params": {"expectedPackage": "com.android.settings", "timeoutMs": 5000}},
    {"id": "snap-1", "type": "snapshot_ui"}
  ]
}"#;

#[test]
fn the_actions_page_s_full_payload_runs() {
    let place = Place::new();
    let data = works(&place, &format!("clawperator exec '{FULL_PAYLOAD}'"));
    assert!(data["text"].as_str().unwrap().contains("com.android.settings"), "{data}");
}

#[test]
fn the_selectors_page_s_lines_work_in_settings() {
    let place = Place::new();
    works(&place, "clawperator open com.android.settings");
    let data =
        works(&place, r#"clawperator scroll-until --text "About phone" --container-id "android:id/list""#);
    assert_eq!(data["termination_reason"], "TARGET_FOUND", "{data}");
    let data = works(&place, r#"clawperator read --selector '{"resourceId":"android:id/title"}' --json"#);
    assert!(!data["text"].as_str().unwrap().is_empty(), "{data}");
    for way in [
        "close com.android.settings",
        "open com.android.settings",
        "click --text 'Network & internet'",
        "click --text Internet",
    ] {
        works(&place, &format!("clawperator {way}"));
    }
    works(&place, r#"clawperator click --text "Wi-Fi""#);
}

#[test]
fn the_selectors_page_s_lines_work_in_a_shop() {
    let place = with_shop();
    works(&place, "clawperator open com.example.shop");
    works(&place, r#"clawperator wait --text "Done" --role button"#);
    works(&place, r#"clawperator wait --text-contains "Done" --timeout 10000 --json"#);
    let data = works(&place, r#"clawperator read --text "Price" --container-id "android:id/list" --json"#);
    assert_eq!(data["text"], "Price", "{data}");
    let data = works(&place, r#"clawperator type "hello world" --role textfield"#);
    assert_eq!(data["text"], "hello world", "{data}");
    let line = r#"clawperator read --text "Price" --selector '{"textEquals":"Price"}'"#;
    let (output, refused) = typed(&place, line);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(refused["code"], "EXECUTION_VALIDATION_FAILED", "{refused}");
    assert_eq!(refused["message"], "use --selector OR the simple flags, not both");
}

#[test]
fn every_example_file_runs() {
    let place = Place::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        // What an example writes is left in the place, not here.
        let line = format!(
            "cd '{}' && clawperator exec '{}'",
            place.folder.display(),
            file.canonicalize().unwrap().display()
        );
        works(&place, &line);
    }
}
