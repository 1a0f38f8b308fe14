//! Tests of `app/template.rs`.

use super::app_expression::StateNames;
use clawperator_sim::app::template::*;
use clawperator_sim::app::value::{AppState, Value};

#[test]
fn templates_are_filled_in() {
    let state = StateNames(AppState::from([("n".to_owned(), Value::Number(3))]));
    for (template, expected) in
        [("", ""), ("plain", "plain"), ("{n}", "3"), ("{{n}}", "{n}"), ("a{n + 1}b{n}", "a4b3")]
    {
        assert_eq!(Template::parse(template).unwrap().text(&state), expected);
    }
    assert_eq!(Template::parse("{n}").unwrap().value(&state), Value::Number(3));
    assert_eq!(Template::parse("{n}!").unwrap().value(&state), Value::from("3!"));
}

#[test]
fn half_a_brace_is_refused() {
    for template in ["{", "}", "{n", "n}", "{}", "{n +}"] {
        assert!(Template::parse(template).is_err(), "{template}");
    }
}
