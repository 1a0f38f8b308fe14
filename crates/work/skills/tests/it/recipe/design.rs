//! The design's own example.

use super::{DESIGN, codes};
use clawperator_contract::ErrorCode;
use clawperator_skills::recipe::{Format, Inputs, LintOptions, compile, failure, lint, parse};
use serde_json::{Value, json};

#[test]
fn the_example_parses_lints_and_compiles_as_printed() {
    let recipe = parse(DESIGN, Format::Markdown).unwrap();
    let findings = lint("design.recipe.md", DESIGN, Format::Markdown, LintOptions::default());
    assert!(!findings.has_errors(), "{}", findings.to_text());
    let inputs = Inputs::default().with("ac_tile_name", "Bedroom");
    let compiled = compile(&recipe, &inputs).unwrap();
    assert_eq!(compile(&recipe, &inputs).unwrap().payload, compiled.payload);
    let payload: Value = serde_json::from_str(&compiled.payload).unwrap();
    let app = json!({"applicationId": "com.google.android.apps.chromecast.app"});
    let waits = |initial: u32, max: u32| {
        json!({"maxAttempts": 4, "initialDelayMs": initial, "maxDelayMs": max,
            "backoffMultiplier": 2, "jitterRatio": 0.15})
    };
    assert_eq!(
        payload["actions"],
        json!([
            {"id": "fresh.close", "type": "close_app", "params": app},
            {"id": "fresh.open", "type": "open_app", "params": app},
            {"id": "scroll_devices", "type": "scroll_and_click", "params": {
                "matcher": {"textContains": "Devices"},
                "container": {"where": {"class": "androidx.recyclerview.widget.RecyclerView"}},
                "scrollRetry": waits(400, 2_000),
                "clickRetry": waits(500, 3_000)}},
            {"id": "scroll_devices.wait", "type": "sleep", "params": {"durationMs": 500}},
        ])
    );
    assert_eq!(payload["mode"], "artifact_compiled");
    assert_eq!(payload["strict"], true);
}

#[test]
fn the_example_without_its_input_is_refused() {
    let recipe = parse(DESIGN, Format::Markdown).unwrap();
    let problems = compile(&recipe, &Inputs::default()).unwrap_err();
    assert_eq!(codes(&problems), ["RECIPE_INPUT_MISSING"]);
    assert_eq!(problems.listed[0].position.unwrap().line, 22);
    let failure = failure(&problems, "design.recipe.md");
    assert_eq!(failure.code, ErrorCode::RecipeInputMissing);
    assert!(failure.message.contains("ac_tile_name"), "{}", failure.message);
}
