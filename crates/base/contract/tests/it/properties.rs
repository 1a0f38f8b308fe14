//! What holds for every input whatever.

use crate::generators::{Spelling, any_json, execution_of, frame, one_step_off, some_execution};
use crate::schemas;
use clawperator_contract::limits::MAX_REFUSAL_BYTES;
use clawperator_contract::{
    CATALOGUE, ErrorCode, ExecutionWire, Failure, MATCHER_FIELDS, ParamRule, Problem, WHERE, accept,
    normalize,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Checks everything that must hold for any bytes; says whether they were
/// accepted.
pub(crate) fn hold_for(bytes: &[u8]) -> bool {
    let mut is_canonical = false;
    if let Ok(wire) = ExecutionWire::parse(bytes) {
        let once = normalize(wire.clone());
        assert_eq!(normalize(once.clone()), once, "normalize is not idempotent");
        is_canonical = once == wire;
    }
    match accept(bytes) {
        Ok(first) => {
            let written = serde_json::to_vec(&first.execution).unwrap();
            assert!(written.len() <= 8 * bytes.len(), "grew from {} to {}", bytes.len(), written.len());
            let again = accept(&written).unwrap();
            assert_eq!(again.execution, first.execution);
            assert_eq!(serde_json::to_vec(&again.execution).unwrap(), written);
            let value = json!(first.execution);
            assert!(schemas::EXECUTION.is_valid(&value), "accepted, but not by the schema: {value}");
            true
        }
        Err(failure) => {
            assert!(!failure.message.is_empty());
            let said = serde_json::to_vec(&failure).unwrap();
            assert!(said.len() <= MAX_REFUSAL_BYTES, "{} bytes", said.len());
            let again = accept(bytes).unwrap_err();
            assert_eq!(serde_json::to_vec(&again).unwrap(), said);
            if is_canonical
                && let Ok(payload) = serde_json::from_slice(bytes)
                && schemas::EXECUTION.is_valid(&payload)
            {
                assert!(
                    beyond_a_schema(&failure, &payload),
                    "refused, but not by the schema: {payload}\n{failure:?}"
                );
            }
            false
        }
    }
}

/// Whether a canonical payload is refused for nothing that a schema could say.
pub(crate) fn beyond_a_schema(failure: &Failure, payload: &Value) -> bool {
    // The size of the whole.
    if failure.code == ErrorCode::PayloadTooLarge {
        return true;
    }
    let problems = failure.details.as_ref().map_or(&[][..], |details| &details.problems);
    !problems.is_empty()
        && problems
            .iter()
            .all(|problem| is_long_in_utf16(problem, payload) || is_unrunnable(problem) || is_large(problem))
}

/// A schema counts characters, the contract UTF-16 units.
fn is_long_in_utf16(problem: &Problem, payload: &Value) -> bool {
    let text = payload
        .pointer(&format!("/{}", problem.path.replace('.', "/")))
        .and_then(Value::as_str)
        .unwrap_or_default();
    problem.message.contains("UTF-16 units") && text.encode_utf16().count() > text.chars().count()
}

/// A schema does not compile patterns.
fn is_unrunnable(problem: &Problem) -> bool {
    let is_pattern = problem.path.ends_with(".validatorPattern") || problem.path.ends_with("Matches");
    is_pattern && problem.message.contains("cannot be run")
}

/// A schema does not count the conditions of a selector or how deep they are.
fn is_large(problem: &Problem) -> bool {
    problem.path.contains(".where")
        && (problem.message.contains("deep") || problem.message.contains("conditions; at most"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..200)) {
        hold_for(&bytes);
    }

    #[test]
    fn any_json_is_survived(json in any_json()) {
        hold_for(json.to_string().as_bytes());
    }

    #[test]
    fn likely_executions_are_judged_consistently(json in some_execution(Spelling::Any)) {
        hold_for(json.to_string().as_bytes());
    }

    #[test]
    fn schema_and_check_agree_on_likely_executions(json in some_execution(Spelling::Canonical)) {
        hold_for(json.to_string().as_bytes());
    }

    #[test]
    fn schema_and_check_agree_on_executions_one_step_off(json in one_step_off()) {
        hold_for(json.to_string().as_bytes());
    }

    #[test]
    fn schema_and_check_agree_on_any_parameters_in_a_frame(json in frame()) {
        hold_for(json.to_string().as_bytes());
    }

    #[test]
    fn a_damaged_payload_is_survived(json in some_execution(Spelling::Any), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = json.to_string().into_bytes();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        hold_for(&bytes);
    }
}

/// Draws payloads, the same ones each time.
fn draws(strategy: &BoxedStrategy<Value>, count: usize) -> Vec<Value> {
    let mut runner = TestRunner::deterministic();
    let draw = |_| strategy.new_tree(&mut runner).unwrap().current();
    (0..count).map(draw).collect()
}

/// The properties above would be empty if nothing were ever accepted.
#[test]
fn the_generators_make_good_and_bad_executions() {
    for (strategy, name) in [
        (some_execution(Spelling::Any), "likely"),
        (some_execution(Spelling::Canonical), "canonical"),
        (one_step_off(), "one step off"),
        (frame(), "frame"),
    ] {
        let payloads = draws(&strategy, 200);
        let accepted = payloads.iter().filter(|json| hold_for(json.to_string().as_bytes())).count();
        assert!((4..180).contains(&accepted), "{name}: {accepted} of 200 were accepted");
    }
}

/// Each parameter of each action, each word of its list and each field of a
/// matcher is in some execution that is accepted.
#[test]
fn the_generators_reach_every_parameter_and_word() {
    let mut fields = BTreeSet::new();
    for spec in CATALOGUE {
        let mut reached: BTreeSet<String> = BTreeSet::new();
        for payload in draws(&execution_of(spec), 400) {
            if !hold_for(payload.to_string().as_bytes()) {
                continue;
            }
            let params = payload["actions"][0]["params"].as_object().unwrap();
            for (key, value) in params {
                reached.insert(key.clone());
                reached.extend(value.as_str().map(|word| format!("{key}={word}")));
                fields.extend(value.as_object().into_iter().flat_map(serde_json::Map::keys).cloned());
            }
        }
        let keys = spec.params.iter().map(|used| used.key).chain(spec.retries.iter().map(|(slot, _)| *slot));
        for key in keys {
            assert!(reached.contains(key.name()), "{}: no {}", spec.name, key.name());
        }
        for used in spec.params {
            for word in words(used.rule) {
                let said = format!("{}={word}", used.key.name());
                assert!(reached.contains(&said), "{}: no {said}", spec.name);
            }
        }
    }
    for field in MATCHER_FIELDS {
        assert!(fields.contains(field.name), "no {}", field.name);
    }
    assert!(fields.contains(WHERE), "no {WHERE}");
}

fn words(rule: ParamRule) -> &'static [&'static str] {
    match rule {
        ParamRule::OneOf(words) | ParamRule::Known(words) | ParamRule::KnownAnyCase(words) => words,
        ParamRule::Any
        | ParamRule::NotBlank
        | ParamRule::Within(..)
        | ParamRule::Above(..)
        | ParamRule::Count(..)
        | ParamRule::Clamped(_)
        | ParamRule::Pattern => &[],
    }
}
