//! What holds for every input whatever.

use crate::schemas;
use clawperator_contract::{
    CATALOGUE, EXECUTION_FIELDS, ExecutionWire, MATCHER_FIELDS, PARAMS, ParamSpec, RETRY_FIELDS, Shape,
    accept, normalize,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Checks everything that must hold for any bytes; says whether they were
/// accepted.
pub(crate) fn hold_for(bytes: &[u8]) -> bool {
    if let Ok(wire) = ExecutionWire::parse(bytes) {
        let once = normalize(wire);
        assert_eq!(normalize(once.clone()), once, "normalize is not idempotent");
    }
    match accept(bytes) {
        Ok(first) => {
            let written = serde_json::to_vec(&first.execution).unwrap();
            assert!(
                written.len() <= 8 * bytes.len(),
                "grew from {} to {}",
                bytes.len(),
                written.len()
            );
            let again = accept(&written).unwrap();
            assert_eq!(again.execution, first.execution);
            assert_eq!(serde_json::to_vec(&again.execution).unwrap(), written);
            let value = json!(first.execution);
            assert!(
                schemas::EXECUTION.is_valid(&value),
                "accepted, but not by the schema: {value}"
            );
            true
        }
        Err(failure) => {
            assert!(!failure.message.is_empty());
            let again = accept(bytes).unwrap_err();
            assert_eq!(
                serde_json::to_vec(&again).unwrap(),
                serde_json::to_vec(&failure).unwrap()
            );
            false
        }
    }
}

/// Any JSON, with keys and words of the contract strewn in.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        known_word().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            vec((known_word(), inner), 0..8).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn known_word() -> impl Strategy<Value = String> {
    let fields = EXECUTION_FIELDS
        .iter()
        .flat_map(|field| field.aliases.iter().chain([&field.name]));
    let params = PARAMS
        .iter()
        .flat_map(|spec| spec.aliases.iter().chain([&spec.name]));
    let matchers = MATCHER_FIELDS
        .iter()
        .flat_map(|field| field.aliases.iter().chain([&field.name]));
    let types = CATALOGUE
        .iter()
        .flat_map(|spec| spec.aliases.iter().chain([&spec.name]));
    let more = [
        "id",
        "type",
        "params",
        "x",
        "y",
        "android-ui-automator",
        "regex",
        "direct",
    ];
    let words = fields.chain(params).chain(matchers).chain(types).chain(&more);
    select(words.map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

/// A text that a contract's rule may or may not like.
fn some_text() -> impl Strategy<Value = Value> {
    let words = [
        "down",
        " UP ",
        "back",
        "regex",
        "version",
        "long_click",
        "focus",
        "^a+$",
        "(",
        "",
        " ",
        "com.x",
        "😀",
    ];
    prop_oneof![8 => select(words.to_vec()).prop_map(Value::from), 2 => ".{1,20}".prop_map(Value::from)]
}

fn some_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(vec![0.0, 1.0, 0.5, 3.0, 250.0, 5000.0, -1.0, 200_000.0]).prop_map(Value::from),
        (0u32..10_000).prop_map(Value::from),
    ]
}

fn some_matcher() -> impl Strategy<Value = Value> {
    let keys = MATCHER_FIELDS
        .iter()
        .flat_map(|field| field.aliases.iter().chain([&field.name]));
    let key = select(keys.map(|key| (*key).to_owned()).collect::<Vec<_>>());
    vec((key, "[a-z]{1,8}".prop_map(Value::from)), 1..3)
        .prop_map(|entries| Value::Object(entries.into_iter().collect()))
}

/// A value of a parameter's own shape.
fn some_param(spec: &'static ParamSpec) -> BoxedStrategy<(String, Value)> {
    let value = match spec.shape {
        Shape::Text | Shape::ShortText(_) => some_text().boxed(),
        Shape::Number => some_number().boxed(),
        Shape::Flag => any::<bool>().prop_map(Value::from).boxed(),
        Shape::Matcher => some_matcher().boxed(),
        Shape::Coordinate => (0u32..4000, 0u32..4000)
            .prop_map(|(x, y)| json!({"x": x, "y": y}))
            .boxed(),
        Shape::Retry => {
            let key = select(
                RETRY_FIELDS
                    .iter()
                    .map(|field| field.name.to_owned())
                    .collect::<Vec<_>>(),
            );
            vec((key, some_number()), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect()))
                .boxed()
        }
    };
    let names: Vec<_> = spec
        .aliases
        .iter()
        .chain([&spec.name; 4])
        .map(|name| (*name).to_owned())
        .collect();
    (select(names), value).boxed()
}

/// An action that has a fair chance to be right.
fn some_action() -> impl Strategy<Value = Value> {
    select(CATALOGUE.to_vec()).prop_flat_map(|spec| {
        let types: Vec<_> = spec
            .aliases
            .iter()
            .chain([&spec.name; 2])
            .map(|name| (*name).to_owned())
            .collect();
        let used = spec
            .params
            .iter()
            .map(|used| used.key)
            .chain(spec.retries.iter().map(|(slot, _)| *slot));
        let params: Vec<_> = used
            .map(|key| proptest::option::weighted(0.7, some_param(key.spec())))
            .collect();
        (select(types), params, "[a-z0-9]{1,6}").prop_map(|(kind, params, id)| {
            let params: Map<_, _> = params.into_iter().flatten().collect();
            json!({"id": id, "type": kind, "params": params})
        })
    })
}

fn some_execution() -> impl Strategy<Value = Value> {
    (vec(some_action(), 1..4), 1000u32..=120_000).prop_map(|(actions, timeout)| {
        json!({"commandId": "c", "task_id": "t", "source": "s", "expectedFormat": "android-ui-automator",
            "timeout_ms": timeout, "actions": actions})
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..200)) {
        hold_for(&bytes);
    }

    #[test]
    fn any_json_is_survived(json in any_json()) {
        hold_for(json.to_string().as_bytes());
    }

    #[test]
    fn likely_executions_are_judged_consistently(json in some_execution()) {
        hold_for(json.to_string().as_bytes());
    }

    #[test]
    fn a_damaged_payload_is_survived(json in some_execution(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = json.to_string().into_bytes();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        hold_for(&bytes);
    }
}

/// The properties above would be empty if nothing were ever accepted.
#[test]
fn the_generator_makes_good_and_bad_executions() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let strategy = some_execution();
    let accepted = (0..400)
        .filter(|_| {
            let json = strategy.new_tree(&mut runner).unwrap().current();
            hold_for(json.to_string().as_bytes())
        })
        .count();
    assert!((40..360).contains(&accepted), "{accepted} of 400 were accepted");
}
