//! Matchers and conditions as raw JSON.

use crate::line::{assert_refused, built, json_of, run_line};
use serde_json::{Value, json};

#[test]
fn mixing_a_raw_selector_with_flags_is_refused_in_the_documented_words() {
    let line = r#"clawperator read --text "Price" --selector '{"textEquals":"Price"}'"#;
    let answer = run_line(line, &["--validate-only"]);
    let answer_json: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(answer.exit_code, 1);
    assert_eq!(answer_json["code"], "EXECUTION_VALIDATION_FAILED");
    assert_eq!(answer_json["message"], "use --selector OR the simple flags, not both");
}

#[test]
fn a_raw_selector_is_judged_like_any_matcher() {
    let (answer, _) =
        json_of(&["click", "--selector", r#"{"role":"x","id":"a","role":"y"}"#, "--validate-only"]);
    assert_eq!(
        answer["execution"]["actions"][0]["params"]["matcher"],
        json!({"resourceId": "a", "role": "y"})
    );
    assert_eq!(answer["warnings"][0]["code"], "DUPLICATE_KEY");
    let marked = "\u{feff}{\"id\":\"a\"}";
    let (answer, _) = json_of(&["click", "--selector", marked, "--validate-only"]);
    assert_eq!(
        answer["execution"]["actions"][0]["params"]["matcher"],
        json!({"resourceId": "a"}),
        "{answer}"
    );
    let (answer, _) = json_of(&["read", "--id", "x", "--container-selector", r#"{"colour":"red"}"#]);
    assert_eq!(answer["details"]["path"], "actions.0.params.container");
}

#[test]
fn where_joins_the_other_selector_flags() {
    let conditions = r#"{"rightOf":{"text":"Wi-Fi"},"rightOf":{"textEquals":"Wi-Fi"}}"#;
    let (answer, _) = json_of(&[
        "read",
        "--role",
        "switch",
        "--where",
        conditions,
        "--container-where",
        "\u{feff}{\"scrollable\":true}",
        "--validate-only",
    ]);
    let params = &answer["execution"]["actions"][0]["params"];
    assert_eq!(
        params["matcher"],
        json!({"role": "switch", "where": {"rightOf": {"textEquals": "Wi-Fi"}}}),
        "{answer}"
    );
    assert_eq!(params["container"], json!({"where": {"scrollable": true}}), "{answer}");
    assert_eq!(answer["warnings"][0]["code"], "DUPLICATE_KEY");
    let answer = assert_refused(
        &["click", "--where", r#"{"anyOf":[{"colour":"red"}]}"#],
        "EXECUTION_VALIDATION_FAILED",
    );
    assert_eq!(answer["details"]["path"], "actions.0.params.matcher.where.anyOf.0");
    let answer =
        assert_refused(&["click", "--where", "{}", "--selector", "{}"], "EXECUTION_VALIDATION_FAILED");
    assert_eq!(answer["message"], "use --selector OR the simple flags, not both");
}

#[test]
fn an_error_in_where_names_the_flag_and_the_position() {
    for (flag, raw, message) in [
        (
            "--where",
            r#"{"clickable":tru}"#,
            "--where must be valid JSON: expected ident at line 1, column 17",
        ),
        ("--where", "[]", "--where must be a JSON object"),
        ("--where", " ", "--where must not be blank"),
        (
            "--container-where",
            "{",
            "--container-where must be valid JSON: EOF while parsing an object at line 1, column 1",
        ),
    ] {
        let line = ["read", "--id", "a", flag, raw, "--validate-only"];
        let answer = assert_refused(&line, "EXECUTION_VALIDATION_FAILED");
        assert_eq!(answer["message"], message);
        assert_eq!(answer["details"]["flag"], flag);
    }
}

#[test]
fn an_error_in_a_raw_selector_names_the_flag_and_the_position() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(40), "}".repeat(40));
    for (raw, message) in [
        ("{", "--selector must be valid JSON: EOF while parsing an object at line 1, column 1"),
        ("{} {}", "--selector must be valid JSON: trailing characters at line 1, column 4"),
        ("\u{feff}[]", "--selector must be a JSON object"),
        ("\u{feff}", "--selector must not be blank"),
        (&deep, "--selector is nested deeper than 32 levels at line 1, column 161"),
        (r#"{"textEquals":"\ud800"}"#, "--selector has half a surrogate pair in a text at line 1, column 22"),
    ] {
        let answer =
            assert_refused(&["click", "--selector", raw, "--validate-only"], "EXECUTION_VALIDATION_FAILED");
        assert_eq!(answer["message"], message);
        assert_eq!(answer["details"]["flag"], "--selector");
    }
}

#[test]
fn confirm_is_a_word_or_an_object() {
    let changed = json!({"changed": true});
    let appears = json!({"appears": {"textEquals": "Done"}, "timeoutMs": 900});
    let raw = r#"{"appears":{"text":"Done"},"timeoutMs":900}"#;
    for line in [
        &["click", "--text", "Save"][..],
        &["click", "--coordinate", "1", "2"],
        &["scroll-and-click", "--text", "Save"],
        &["scroll-until", "--text", "Save", "--click"],
        &["press", "home"],
        &["back"],
        &["open", "com.android.settings"],
        &["open", "https://clawperator.com"],
    ] {
        for (value, wanted) in [("changed", &changed), (raw, &appears)] {
            let built = built(&[line, &["--confirm", value]].concat());
            assert_eq!(built[1]["confirm"], *wanted, "{line:?} {built}");
        }
    }
    for (value, path) in [
        ("yes", None),
        ("", None),
        ("[]", None),
        ("{", None),
        ("{}", Some("actions.0.params.confirm")),
        (r#"{"changed":true,"appears":{"text":"a"}}"#, Some("actions.0.params.confirm")),
    ] {
        let (answer, _) = json_of(&["back", "--confirm", value]);
        assert_eq!(answer["code"], "EXECUTION_VALIDATION_FAILED", "{value} {answer}");
        assert_eq!(answer["details"]["path"].as_str(), path, "{value} {answer}");
    }
    // Nothing is clicked.
    let (answer, _) = json_of(&["scroll-until", "--text", "Save", "--confirm", "changed"]);
    assert_eq!(answer["details"]["path"], "actions.0.params.confirm", "{answer}");
    let (answer, _) = json_of(&["read", "--text", "Save", "--confirm", "changed"]);
    assert_eq!(answer["code"], "USAGE", "{answer}");
}
