//! The rehearsal of recipes, and what is proposed for a selector that no longer
//! fits.

use super::cases::{Case, check};
use super::compiling::inputs;
use super::{BASE, compiled, recipe, tile};
use clawperator_skills::recipe::{
    Capability, Denylist, Drift, DriftTarget, DriftedRecipe, Format, LintOptions, RecipeText, propose,
    rehearse,
};
use clawperator_ui::Tree;
use std::fmt::Write as _;

/// A screen of the lines `> node CLASS key=value ...`; a dot before the class
/// for each level, and `_` for a space in a text.
fn screen(case: &Case) -> Tree {
    let mut xml = "<hierarchy rotation=\"0\">".to_owned();
    let mut open = 0;
    for line in case.given("node") {
        let mut words = line.split_whitespace();
        let class = words.next().unwrap();
        let depth = class.len() - class.trim_start_matches('.').len();
        while open > depth {
            xml.push_str("</node>");
            open -= 1;
        }
        let mut attributes = String::new();
        for word in words {
            let (key, value) = word.split_once('=').unwrap();
            let (key, value) = match key {
                "id" => ("resource-id", value.to_owned()),
                "desc" => ("content-desc", value.replace('_', " ")),
                other => (other, value.replace('_', " ")),
            };
            write!(attributes, " {key}=\"{value}\"").unwrap();
        }
        let class = class.trim_start_matches('.');
        write!(xml, "<node class=\"{class}\" bounds=\"[0,0][100,100]\"{attributes}>").unwrap();
        open += 1;
    }
    xml.push_str(&"</node>".repeat(open));
    xml.push_str("</hierarchy>");
    clawperator_ui::read(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"))
}

fn target(word: &str) -> DriftTarget {
    match word {
        "element" => DriftTarget::Element,
        "container" => DriftTarget::Container,
        "confirm" => DriftTarget::Confirm,
        other => panic!("{other} is no target"),
    }
}

/// The proposals of a case, the lines that they change, and the advice.
fn proposed(case: &Case) -> Vec<String> {
    let (step, word) = case.given("drift").next().unwrap().split_once(' ').unwrap();
    let drift = Drift { step: step.parse().unwrap(), target: target(word) };
    let (text, denylist) = (case.text(), Denylist::parse("Secretname").unwrap());
    let source = RecipeText {
        name: "it.recipe.yaml",
        text: &text,
        format: Format::Yaml,
        options: LintOptions { denylist: Some(&denylist), profile: None },
    };
    let tree = screen(case);
    let drifted = DriftedRecipe { recipe: &recipe(&text), inputs: &inputs(case), drift, tree: &tree };
    let proposals = propose(&drifted, &source);
    let near = proposals.nearest.iter().map(|near| {
        let (label, id) = (near.label.as_deref(), near.resource_id.as_deref());
        format!("near: {} {label:?} {id:?}", near.class)
    });
    let mut lines: Vec<String> = near.collect();
    for each in &proposals.listed {
        let (line, column) = (each.line, each.column);
        lines.push(format!("{line}:{column} {} {} {:?} -> {:?}", each.step, each.field, each.from, each.to));
        let changed = each.diff.lines().skip(2).filter(|line| line.starts_with('+'));
        lines.extend(changed.map(str::to_owned));
        assert_eq!(each.matches, 1);
    }
    if !proposals.listed.is_empty() {
        lines.push(format!("best: {:?}", proposals.best().map(|best| &best.to)));
    }
    lines.extend(proposals.advice.iter().map(|advice| format!("advice: {advice}")));
    lines
}

#[test]
fn what_is_proposed_is_the_smallest_change_of_one_value() {
    check("doctor.cases", proposed);
}

#[test]
fn the_first_side_effect_is_only_looked_for() {
    let whole = compiled(&[], &tile()).unwrap();
    let held = rehearse(&recipe(BASE), whole.clone(), &[]).unwrap();
    assert_eq!(held.held, Some(0));
    let last = held.compiled.steps.last().unwrap();
    assert_eq!((last.action_id.as_str(), last.step), ("open_tile", Some(0)));
    assert!(held.compiled.payload.contains("\"clickAfter\":false"), "{}", held.compiled.payload);
    let agreed = rehearse(&recipe(BASE), whole.clone(), &[Capability::Click]).unwrap();
    assert_eq!((agreed.held, agreed.compiled), (None, whole));

    // A click becomes a wait for the same element.
    let edits = [
        ("type: scroll_and_click", "type: click"),
        ("    container:\n      class: androidx.recyclerview.widget.RecyclerView\n", ""),
    ];
    let click = compiled(&edits, &tile()).unwrap();
    let click = rehearse(&recipe(&super::edited(&edits)), click, &[]).unwrap();
    let payload: serde_json::Value = serde_json::from_str(&click.compiled.payload).unwrap();
    let action = payload["actions"].as_array().unwrap().last().unwrap();
    assert_eq!(action["type"], "wait_for_node");
    assert_eq!(action["params"]["matcher"]["textEquals"], "Bedroom");

    // What only observes and goes through screens is run as it is.
    let edits = [("recipe_type: action", "recipe_type: flow"), ("click, toggle]", "click]")];
    let flow = compiled(&edits, &tile()).unwrap();
    let flow = rehearse(&recipe(&super::edited(&edits)), flow, &[]).unwrap();
    assert_eq!(flow.held, None);
}
