//! The three formats of a recipe, and what is no recipe.

use super::{BASE, recipe, tile};
use clawperator_document::{Document, Kind, Limits, Value, YamlPart};
use clawperator_skills::recipe::{ArtifactKind, Format, compile, parse};

/// A YAML recipe as JSON.
fn as_json(text: &str) -> String {
    let limits = Limits { bytes: 1 << 20, depth: 32, keys: 256 };
    let document = Document::read_yaml(YamlPart { text, first_line: 1 }, limits).unwrap();
    json(document.root()).to_string()
}

fn json(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::Null => serde_json::Value::Null,
        Kind::Bool(flag) => flag.into(),
        Kind::Number(number) => serde_json::to_value(number).unwrap(),
        Kind::Text(text) => text.into(),
        Kind::Array => value.children().map(json).collect(),
        Kind::Object => {
            let entries = value.children().map(|entry| (entry.key().to_owned(), json(entry)));
            serde_json::Value::Object(entries.collect())
        }
    }
}

/// A YAML recipe as Markdown: each step in a block of its own.
fn as_markdown(text: &str) -> String {
    let (front, steps) = text.split_once("steps:\n").unwrap();
    let mut markdown = format!("---\n{front}---\n# A recipe\n\nProse.\n\n```json\n{{}}\n```\n");
    for (index, step) in steps.split("  - ").skip(1).enumerate() {
        let lines: Vec<_> = step.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
        markdown.push_str(&format!("\n## Step {index}\n\n```yaml\n{}\n```\n", lines.join("\n")));
    }
    markdown
}

#[test]
fn the_same_recipe_in_three_formats_gives_equal_bytes() {
    let yaml = recipe(BASE);
    let json = parse(&as_json(BASE), Format::Json).unwrap();
    let markdown = parse(&as_markdown(BASE), Format::Markdown).unwrap();
    assert_eq!(yaml, json);
    assert_eq!(yaml, markdown);
    let payload = |recipe| compile(recipe, &tile()).unwrap().payload;
    assert_eq!(payload(&yaml), payload(&json));
    assert_eq!(payload(&yaml), payload(&markdown));
}

#[test]
fn a_problem_has_the_place_of_its_format() {
    let wrong = BASE.replace("after_ms: 500", "after_ms: soon");
    let json = as_json(&wrong);
    let column = json.find("\"soon\"").unwrap() as u64 + 1;
    for (text, format, place) in [
        (wrong.clone(), Format::Yaml, (45, 17)),
        (as_markdown(&wrong), Format::Markdown, (57, 13)),
        (json, Format::Json, (1, column)),
    ] {
        let problems = parse(&text, format).unwrap_err();
        let at = problems.listed[0].position.unwrap();
        assert_eq!((at.line, at.column), place, "{problems}");
        assert_eq!(problems.listed[0].path, "steps.0.wait.after_ms");
    }
}

#[test]
fn templates_are_told_from_recipes() {
    for (text, format, kind) in [
        (r#"{"commandId":"{{COMMAND_ID}}","actions":[]}"#, Format::Json, ArtifactKind::Template),
        (r#"{"timeoutMs": {{T}}, "actions": []}"#, Format::Json, ArtifactKind::Template),
        (r#"{"expectedFormat":"android-ui-automator"}"#, Format::Json, ArtifactKind::Template),
        (r#"{"recipe_id":"a","actions":[]}"#, Format::Json, ArtifactKind::Recipe),
        (r#"{"steps":[]}"#, Format::Json, ArtifactKind::Recipe),
        ("{", Format::Json, ArtifactKind::Recipe),
        ("{}", Format::Json, ArtifactKind::Recipe),
        ("actions: []", Format::Yaml, ArtifactKind::Recipe),
    ] {
        assert_eq!(ArtifactKind::of(text, format), kind, "{text}");
    }
    for (name, format) in [
        ("a.recipe.json", Some(Format::Json)),
        ("a.recipe.yaml", Some(Format::Yaml)),
        ("a.recipe.yml", Some(Format::Yaml)),
        ("a.recipe.md", Some(Format::Markdown)),
        ("a.json", None),
        ("a.yaml", None),
    ] {
        assert_eq!(Format::of(name), format, "{name}");
    }
}
