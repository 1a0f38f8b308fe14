//! The schemas: committed as generated, valid themselves, and of one mind with
//! the check.

use crate::golden;
use crate::properties::beyond_a_schema;
use clawperator_contract::schema::SCHEMAS;
use clawperator_contract::{
    DeviceResult, Envelope, ExecutionWire, Status, StepResult, Warnings, accept, normalize,
};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::LazyLock;

/// A validator for one of the schemas.
pub(crate) fn validator(name: &str) -> Validator {
    let schema = SCHEMAS.iter().find(|schema| schema.name == name).unwrap();
    jsonschema::draft202012::new(&(schema.build)()).unwrap()
}

pub(crate) static EXECUTION: LazyLock<Validator> = LazyLock::new(|| validator("execution"));

#[test]
fn committed_schemas_are_the_generated_ones() {
    for schema in SCHEMAS {
        let built = (schema.build)();
        golden::check(&format!("schemas/{}.json", schema.name), &format!("{built:#}\n"));
        assert_eq!(built["$schema"], "https://json-schema.org/draft/2020-12/schema", "{}", schema.name);
        jsonschema::meta::validate(&built).unwrap_or_else(|error| panic!("{}: {error}", schema.name));
    }
}

#[test]
fn schema_and_check_agree_on_the_contract_cases() {
    let mut refused = 0;
    for line in include_str!("../vectors/execution.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["name"].as_str().unwrap();
        let payload = serde_json::to_vec(&case["payload"]).unwrap();
        match accept(&payload) {
            Ok(checked) => {
                let written = json!(checked.execution);
                let verdict = EXECUTION.validate(&written).map_err(|error| error.to_string());
                assert_eq!(verdict, Ok(()), "{name}");
            }
            Err(failure) if beyond_a_schema(&failure, &case["payload"]) => {}
            Err(_) => {
                // Only the canonical form is the schema's business.
                let wire = ExecutionWire::parse(&payload).unwrap();
                if normalize(wire.clone()) == wire {
                    assert!(!EXECUTION.is_valid(&case["payload"]), "{name} fits the schema");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 200, "only {refused} cases were refused by both");
}

/// Each relation of an action is in the schema, however many of a kind there
/// are, and words are compared as the check compares them.
#[test]
fn schema_and_check_agree_on_relations_and_words() {
    for (kind, params, fine) in [
        ("snapshot_ui", json!({"view": "xml", "budget": 9}), false),
        ("snapshot_ui", json!({"view": " XML", "budget": 9}), false),
        ("snapshot_ui", json!({"view": "xml", "diff": true}), false),
        ("snapshot_ui", json!({"view": "XmL\t", "diff": true}), false),
        ("snapshot_ui", json!({"view": "json", "budget": 9, "diff": true}), true),
        ("click", json!({"coordinate": {"x": 1, "y": 1}, "clickType": "focus"}), false),
        ("click", json!({"coordinate": {"x": 1, "y": 1}, "clickType": "FOCUS"}), true),
        ("press_key", json!({"key": " bac\u{212a}"}), true),
        ("press_key", json!({"key": "bac\u{212b}"}), false),
        ("scroll_until", json!({"clickAfter": true}), false),
        ("wait_for_navigation", json!({"timeoutMs": 5}), false),
        ("read_text", json!({"matcher": {"role": "a"}, "validator": "regex"}), false),
        (
            "read_text",
            json!({"matcher": {"role": "a"}, "validator": "regex", "validatorPattern": " "}),
            false,
        ),
        (
            "read_text",
            json!({"matcher": {"role": "a"}, "validator": "version", "validatorPattern": " "}),
            true,
        ),
    ] {
        let payload = json!({"commandId": "c", "taskId": "t", "source": "s", "timeoutMs": 1000,
            "expectedFormat": "android-ui-automator",
            "actions": [{"id": "a", "type": kind, "params": params}]});
        assert_eq!(accept(payload.to_string().as_bytes()).is_ok(), fine, "{payload}");
        assert_eq!(EXECUTION.is_valid(&payload), fine, "{payload} and the schema");
    }
}

#[test]
fn answers_fit_their_schemas() {
    let mut envelope = Envelope {
        command_id: "c".to_owned(),
        task_id: "t".to_owned(),
        status: Status::Success,
        step_results: vec![StepResult {
            id: "s".to_owned(),
            action_type: "click".to_owned(),
            success: true,
            data: [("text".to_owned(), "x".to_owned())].into(),
        }],
        error: None,
        error_code: None,
        hint: None,
    };
    let schema = validator("envelope");
    schema
        .validate(&json!(DeviceResult::new(envelope.clone(), "d".to_owned(), Warnings::default()).envelope))
        .unwrap();
    envelope.step_results[0].success = false;
    envelope.hint = Some("h".to_owned());
    schema
        .validate(&json!(DeviceResult::new(envelope, "d".to_owned(), Warnings::default()).envelope))
        .unwrap();
    assert!(!schema.is_valid(&json!({"commandId": "c"})));

    let errors = validator("error");
    for bad in [&b"{}"[..], b"", b"{", br#"{"actions":[{"id":"a","type":"tap","params":{"x":1}}]}"#] {
        errors.validate(&json!(accept(bad).unwrap_err())).unwrap();
    }
}

/// Where a key may be missing it is never null, and the schema says so.
#[test]
fn a_key_without_a_value_is_left_out() {
    let (envelope, error) = (validator("envelope"), validator("error"));
    let fine =
        json!({"commandId": "c", "taskId": "t", "status": "success", "stepResults": [], "error": null});
    assert!(envelope.is_valid(&fine));
    for key in ["errorCode", "hint"] {
        let mut odd = fine.clone();
        odd[key] = Value::Null;
        assert!(!envelope.is_valid(&odd), "{key}");
    }
    let mut without = fine;
    without.as_object_mut().unwrap().remove("error");
    assert!(!envelope.is_valid(&without));
    let fine = json!({"code": "USAGE", "message": "m", "details": {}});
    assert!(error.is_valid(&fine));
    for key in ["suggestion", "details"] {
        let mut odd = fine.clone();
        odd[key] = Value::Null;
        assert!(!error.is_valid(&odd), "{key}");
    }
    for key in ["path", "hint", "owner", "line", "logPath"] {
        let mut odd = fine.clone();
        odd["details"][key] = Value::Null;
        assert!(!error.is_valid(&odd), "{key}");
    }
}

/// The answers in the runtime's golden cases.
fn golden_answers() -> impl Iterator<Item = (PathBuf, Value)> {
    ["host", "operator"].into_iter().flat_map(|route| {
        let cases = format!("{}/../../phone/run/tests/cases/{route}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_dir(cases).unwrap().map(move |case| {
            let file = case.unwrap().path();
            let text = std::fs::read_to_string(&file).unwrap();
            let (_, section) = text.split_once("=== envelope\n").unwrap();
            let section = section.split("\n=== ").next().unwrap();
            (file, serde_json::from_str(section).unwrap())
        })
    })
}

#[test]
fn the_answers_of_all_cases_fit_their_schemas() {
    let (envelope, error) = (validator("envelope"), validator("error"));
    let (mut envelopes, mut errors) = (0, 0);
    for (file, answer) in golden_answers() {
        let is_error = answer.get("code").is_some();
        let (schema, count) = if is_error { (&error, &mut errors) } else { (&envelope, &mut envelopes) };
        let verdict = schema.validate(&answer).map_err(|error| error.to_string());
        assert_eq!(verdict, Ok(()), "{}", file.display());
        *count += 1;
    }
    assert!(envelopes > 100 && errors > 10, "{envelopes} envelopes, {errors} errors");
}

#[test]
fn the_schema_of_doctor_takes_the_report_of_the_phone_in_the_box() {
    let report = include_str!("../../../../clawperator/tests/it/doctor_report.json");
    let report: Value = serde_json::from_str(report).unwrap();
    let validator = validator("doctor");
    let verdict = validator.validate(&report).map_err(|error| error.to_string());
    assert_eq!(verdict, Ok(()));
    let mut odd = report;
    odd["checks"][0]["status"] = json!("maybe");
    assert!(!validator.is_valid(&odd));
}
