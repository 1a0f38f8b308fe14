//! docs/apps.md: its example is an app, and it leaves no word of the format out.

use clawperator_sim::app;
use std::collections::BTreeSet;

const DOCS: &str = include_str!("../../../../../docs/apps.md");

#[test]
fn the_example_is_an_app() {
    let example = DOCS.split("```yaml\n").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let app = app::parse(example);
    assert!(app.is_ok(), "{:#?}", app.err());
}

#[test]
fn every_word_of_the_format_is_explained() {
    let schema = app::schema();
    let definitions = schema.get("$defs").and_then(|all| all.as_object()).unwrap();
    let mut words = BTreeSet::new();
    for object in definitions.values().chain([schema.as_value()]) {
        let kinds = object.get("oneOf").and_then(|kinds| kinds.as_array());
        for kind in kinds.into_iter().flatten().chain([object]) {
            let fields = kind.get("properties").and_then(|fields| fields.as_object());
            words.extend(fields.into_iter().flat_map(|fields| fields.keys().cloned()));
            let choices = kind.get("enum").and_then(|choices| choices.as_array());
            let choices = choices.into_iter().flatten().chain(kind.get("const"));
            words.extend(choices.filter_map(|word| word.as_str().map(str::to_owned)));
        }
    }
    assert!(words.len() > 150, "{words:?}");
    words.retain(|word| !DOCS.contains(&format!("`{word}`")));
    assert!(words.is_empty(), "{words:?}");
}
