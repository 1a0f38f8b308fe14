//! Matchers as raw JSON.

use super::{Value, json, json_of, run_line};

#[test]
fn mixing_a_raw_selector_with_flags_is_refused_in_the_documented_words() {
    let line = r#"clawperator read --text "Price" --selector '{"textEquals":"Price"}'"#;
    let answer = run_line(line, &["--validate-only"]);
    let answer_json: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(answer.exit_code, 1);
    assert_eq!(answer_json["code"], "EXECUTION_VALIDATION_FAILED");
    assert_eq!(
        answer_json["message"],
        "use --selector OR the simple flags, not both"
    );
}

#[test]
fn a_raw_selector_is_judged_like_any_matcher() {
    let (answer, _) = json_of(&[
        "click",
        "--selector",
        r#"{"role":"x","id":"a","role":"y"}"#,
        "--validate-only",
    ]);
    assert_eq!(
        answer["execution"]["actions"][0]["params"]["matcher"],
        json!({"resourceId": "a", "role": "y"})
    );
    assert_eq!(answer["warnings"][0]["code"], "DUPLICATE_KEY");
    let (answer, _) = json_of(&["read", "--id", "x", "--container-selector", r#"{"colour":"red"}"#]);
    assert_eq!(answer["details"]["path"], "actions.0.params.container");
}
