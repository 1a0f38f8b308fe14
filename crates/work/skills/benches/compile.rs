//! How many recipes a core compiles in a second, and reads:
//! `cargo bench -p clawperator-skills`.

use clawperator_skills::recipe::{Format, Inputs, LintOptions, Recipe, compile, lint, parse};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const FRONT: &str = r#"recipe_id: com.example.home.toggle-power
recipe_version: 1.2.0
recipe_type: action
application_id: com.example.home
summary: Toggle power and verify it.
frameworks: [compose]
session_policy: fresh
app_build: {version_name: "3.31.100", version_code: 5311000}
tested_on: {android_api: 34}
capabilities: [observe, navigate, click, toggle]
inputs: [{name: tile, type: string, required: true, default: ""}]
outputs: [{name: power, type: string, redaction: none}]
steps:
"#;

/// Ten steps as recipes have them: clicks that are confirmed, waits, reads.
fn ten_steps() -> String {
    let kinds = [
        r#"type: scroll_and_click, selector: {text_equals: "${inputs.tile}", annotation: USER_SPECIFIC}, container: {class: a.List}, wait: {after_ms: 500}, retries: {count: 3}, confirm: {selector: {resource_id: "a:id/power"}}"#,
        "type: wait_for_node, selector: {text_contains: Power, enabled: true}, params: {timeout_ms: 5000}",
        "type: click, selector: {any_of: [{text_equals: Power}, {content_desc_contains: power}]}, confirm: {selector: {text_equals: Done}}",
        r#"type: read_text, selector: {resource_id: "a:id/state"}"#,
        "type: snapshot_ui",
    ];
    let steps = kinds.iter().cycle().take(10).enumerate();
    let steps = steps.map(|(index, rest)| format!("  - {{id: s{index}, {rest}}}\n"));
    FRONT.to_owned() + &steps.collect::<String>()
}

fn recipe(text: &str) -> Option<Recipe> {
    parse(text, Format::Yaml).ok()
}

fn benches(c: &mut Criterion) {
    let text = ten_steps();
    let Some(read) = recipe(&text) else {
        return;
    };
    let inputs = Inputs::default().with("tile", "Bedroom");
    let mut group = c.benchmark_group("recipe");
    group.throughput(Throughput::Elements(1));
    group.bench_function("compile ten steps", |b| {
        b.iter(|| compile(black_box(&read), black_box(&inputs)));
    });
    group.bench_function("parse ten steps", |b| b.iter(|| recipe(black_box(&text))));
    group.bench_function("lint ten steps", |b| {
        b.iter(|| lint("a", black_box(&text), Format::Yaml, LintOptions::default()));
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
