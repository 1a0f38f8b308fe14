//! How many payloads a core checks in a second, from bytes to a typed
//! execution: `cargo bench -p clawperator-contract`.

use clawperator_contract::accept;
use clawperator_contract::limits::{
    MAX_ACTIONS, MAX_INPUT_BYTES, MAX_OBJECT_KEYS, MAX_PATTERN_BYTES, MAX_PATTERNS_BYTES,
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// The documents' click example in a whole payload.
const ONE_ACTION: &str = r#"{"commandId":"cmd-001","taskId":"task-001","source":"agent-loop","expectedFormat":"android-ui-automator","timeoutMs":30000,"actions":[{"id":"click-1","type":"click","params":{"matcher":{"textEquals":"Settings"},"clickType":"long_click"}}],"mode":"direct"}"#;

/// Fifty actions of five kinds, as an agent would mix them.
fn fifty_actions() -> String {
    let kinds = [
        r#""type":"click","params":{"matcher":{"textEquals":"Settings","role":"button"}}"#,
        r#""type":"snapshot_ui""#,
        r#""type":"scroll_until","params":{"direction":"down","matcher":{"textEquals":"About phone"},"maxScrolls":25,"maxDurationMs":10000}"#,
        r#""type":"enter_text","params":{"matcher":{"resourceId":"com.example:id/search"},"text":"hello world","submit":false}"#,
        r#""type":"sleep","params":{"durationMs":1500}"#,
    ];
    let actions = kinds.iter().cycle().take(MAX_ACTIONS).enumerate();
    let actions = actions.map(|(index, rest)| format!(r#"{{"id":"a{index}",{rest}}}"#));
    payload_of(&actions.collect::<Vec<_>>())
}

/// A payload of actions.
fn payload_of(actions: &[String]) -> String {
    let head = ONE_ACTION.split_once(r#""actions""#).map_or("", |(head, _)| head);
    format!(r#"{head}"actions":[{}]}}"#, actions.join(","))
}

/// A payload with a mistake in every action, for the price of saying so.
fn fifty_mistakes() -> String {
    fifty_actions().replace(r#""matcher""#, r#""matchers""#).replace("1500", "-1")
}

/// Fifty actions of one kind.
fn fifty_of(action: &str) -> String {
    payload_of(&vec![format!(r#"{{"id":"a",{action}}}"#); MAX_ACTIONS])
}

/// A megabyte of which little counts: every key repeats as often as it may.
fn repeated() -> String {
    let point = format!(r#""coordinate":{{{}"y":0}}"#, r#""x":0,"#.repeat(MAX_OBJECT_KEYS - 1));
    let points = vec![point; 13].join(",");
    fifty_of(&format!(r#""type":"click","params":{{{points}}}"#))
}

/// A megabyte of objects that nothing asked for, each with a repeated key.
fn repeated_anywhere() -> String {
    format!("[{}]", vec![r#"{"":0,"":0}"#; 85_000].join(","))
}

/// Keys that belong nowhere, as many as there is room for.
fn unknown(key: impl Fn(usize) -> String) -> String {
    let keys: Vec<_> = (0..MAX_OBJECT_KEYS - 6).map(|index| format!(r#""{}":0"#, key(index))).collect();
    fifty_of(&format!(r#""type":"click","params":{{{}}}"#, keys.join(",")))
}

/// So many readers, each with a pattern of its own.
fn patterns(count: usize, pattern: &str) -> String {
    let action = |index: usize| {
        format!(
            r#"{{"id":"a","type":"read_text","params":{{"matcher":{{"role":"a"}},"validator":"regex","validatorPattern":"{index}{pattern}"}}}}"#
        )
    };
    payload_of(&(0..count).map(action).collect::<Vec<_>>())
}

/// What costs most to accept and to refuse, as far as we know: the bounds of
/// the contract keep each to some milliseconds.
fn worst(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("worst");
    group.sample_size(10);
    let most = MAX_PATTERNS_BYTES / MAX_PATTERN_BYTES;
    for (name, payload) in [
        ("1 MB of repeated keys", repeated()),
        ("1 MB of repeated keys anywhere, refused", repeated_anywhere()),
        ("0.9 MB of unknown keys, refused", unknown(|index| format!("{index:064}"))),
        ("0.2 MB of misspelt keys, refused", unknown(|index| format!("xlickAfter{index:03}"))),
        ("4 patterns of 2 MiB", patterns(most, ".{1,1000}")),
        ("50 patterns too large, refused", patterns(MAX_ACTIONS, "(?:.{999}){99}")),
    ] {
        let bytes = payload.into_bytes();
        assert!(bytes.len() <= MAX_INPUT_BYTES, "{name}: {} bytes", bytes.len());
        assert_eq!(accept(&bytes).is_err(), name.ends_with("refused"), "{name}");
        group.bench_function(name, |bencher| {
            bencher.iter(|| accept(black_box(&bytes)));
        });
    }
    group.finish();
}

fn check(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("check");
    group.throughput(Throughput::Elements(1));
    for (name, payload) in [
        ("1 action", ONE_ACTION.to_owned()),
        ("50 actions", fifty_actions()),
        ("50 actions, refused", fifty_mistakes()),
    ] {
        let bytes = payload.into_bytes();
        assert_eq!(accept(&bytes).is_err(), name.ends_with("refused"), "{name}");
        group.bench_function(name, |bencher| {
            bencher.iter(|| accept(black_box(&bytes)));
        });
    }
    group.finish();
}

criterion_group!(benches, check, worst);
criterion_main!(benches);
