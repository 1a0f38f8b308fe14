//! `skills doctor` on a simulated phone whose app has changed.

use super::sim::Place;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Output;

const RECIPE: &str = "# Kept as it is.
recipe_id: com.example.shop.finish
recipe_version: 1.0.0
recipe_type: action
application_id: com.example.shop
summary: Finishes the purchase.
frameworks: [views]
session_policy: fresh
app_build: {version_name: \"1.0.0\", version_code: 1}
tested_on: {android_api: 34}
capabilities: [observe, navigate, click]
inputs: []
outputs: []
steps:
  - {id: see, type: wait_for_node, selector: {text_equals: Price}, params: {timeout_ms: 1000}}
  - id: finish
    type: click
    selector: {text_equals: Done} # the button
    confirm:
      selector: {text_equals: Done}
      gone: true
";

/// A phone with the shop, some of whose texts changed, and a recipe for it.
struct Shop {
    place: Place,
    recipe: PathBuf,
}

impl Shop {
    fn new(edits: &[(&str, &str)]) -> Self {
        let place = Place::new();
        let shop = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/shop.yaml");
        let mut app = std::fs::read_to_string(shop).unwrap();
        for (old, new) in edits {
            assert!(app.contains(old), "the shop has no {old}");
            app = app.replace(old, new);
        }
        let file = place.folder.join("shop.yaml");
        std::fs::write(&file, app).unwrap();
        let started = place.output(&["start", "--apps", file.to_str().unwrap()]);
        assert!(started.status.success(), "{started:?}");
        let recipe = place.folder.join("finish.recipe.yaml");
        std::fs::write(&recipe, RECIPE).unwrap();
        Self { place, recipe }
    }

    fn doctor(&self, args: &[&str]) -> Output {
        let file = self.recipe.to_str().unwrap();
        let words = [&["skills", "doctor", file, "--device", "sim"], args].concat();
        self.place.program().args(words).output().unwrap()
    }

    fn json(&self, args: &[&str]) -> (Option<i32>, Value) {
        let output = self.doctor(args);
        let answer = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        (output.status.code(), answer)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.recipe).unwrap()
    }
}

/// What came of each step.
fn steps(answer: &Value) -> Vec<&str> {
    let steps = answer["steps"].as_array().unwrap().iter();
    steps.map(|step| step["status"].as_str().unwrap()).collect()
}

#[test]
fn a_label_that_changed_is_proposed_and_written_only_on_demand() {
    let shop = Shop::new(&[("text: Done", "text: All done")]);
    let (code, answer) = shop.json(&[]);
    assert_eq!((code, &answer["status"]), (Some(1), &json!("drifted")), "{answer}");
    assert_eq!(steps(&answer), ["ok", "failed"], "{answer}");
    assert_eq!(answer["nearest"][0]["label"], "All done", "{answer}");
    let proposal = &answer["proposals"][0];
    assert_eq!(
        (&proposal["line"], &proposal["column"], &proposal["field"], &proposal["to"]),
        (&json!(18), &json!(29), &json!("selector.text_equals"), &json!("All done")),
        "{answer}"
    );
    let diff = proposal["diff"].as_str().unwrap();
    assert!(
        diff.contains("-    selector: {text_equals: Done} # the button\n+    selector: {text_equals: All done} # the button\n"),
        "{diff}"
    );
    assert_eq!(answer["written"], false);
    assert_eq!(shop.text(), RECIPE);

    let page = String::from_utf8(shop.doctor(&["--output", "pretty"]).stdout).unwrap();
    assert!(page.contains(diff) && page.contains("Nothing is changed"), "{page}");

    let (code, answer) = shop.json(&["--write"]);
    assert_eq!((code, &answer["written"]), (Some(0), &json!(true)), "{answer}");
    assert_eq!(shop.text(), RECIPE.replace("{text_equals: Done} #", "{text_equals: All done} #"));
    // The step is seen, and nothing is done without a word.
    let (code, answer) = shop.json(&[]);
    assert_eq!((code, &answer["status"]), (Some(1), &json!("unknown")), "{answer}");
    assert_eq!(steps(&answer), ["ok", "seen"], "{answer}");
    assert!(answer["advice"][0].as_str().unwrap().contains("--allow click"), "{answer}");
}

#[test]
fn side_effects_are_done_only_if_they_are_allowed() {
    let shop = Shop::new(&[]);
    let (_, answer) = shop.json(&[]);
    assert_eq!((&answer["status"], steps(&answer)), (&json!("unknown"), vec!["ok", "seen"]), "{answer}");
    let screen = shop.place.program().args(["snapshot", "--device", "sim"]).output().unwrap();
    assert!(
        String::from_utf8(screen.stdout).unwrap().contains("com.example.shop"),
        "the button was not touched"
    );
    let (code, answer) = shop.json(&["--allow", "click"]);
    assert_eq!((code, &answer["status"]), (Some(0), &json!("healthy")), "{answer}");
    assert_eq!((steps(&answer), &answer["proposals"]), (vec!["ok", "ok"], &json!([])), "{answer}");
}

#[test]
fn what_is_not_clear_is_not_written() {
    let shop = Shop::new(&[("'Price', 'Row'", "'Prices', 'Prices'")]);
    let (code, answer) = shop.json(&["--write"]);
    assert_eq!((code, &answer["status"]), (Some(1), &json!("drifted")), "{answer}");
    assert_eq!((&answer["proposals"], &answer["written"]), (&json!([]), &json!(false)), "{answer}");
    assert_eq!(steps(&answer), ["failed", "skipped"], "{answer}");
    assert_eq!(shop.text(), RECIPE);
}
