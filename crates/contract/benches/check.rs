//! How many payloads a core checks in a second, from bytes to a typed
//! execution: `cargo bench -p clawperator-contract`.

use clawperator_contract::accept;
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
    let actions = kinds.iter().cycle().take(50).enumerate();
    let actions: Vec<_> = actions
        .map(|(index, rest)| format!(r#"{{"id":"a{index}",{rest}}}"#))
        .collect();
    let head = ONE_ACTION.split_once(r#""actions""#).map_or("", |(head, _)| head);
    format!(r#"{head}"actions":[{}]}}"#, actions.join(","))
}

/// A payload with a mistake in every action, for the price of saying so.
fn fifty_mistakes() -> String {
    fifty_actions()
        .replace(r#""matcher""#, r#""matchers""#)
        .replace("1500", "-1")
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

criterion_group!(benches, check);
criterion_main!(benches);
