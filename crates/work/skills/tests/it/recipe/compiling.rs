//! Compile: what each part of a recipe becomes, and what is refused.

use super::cases::{Case, check};
use super::{codes, compiled, edited, recipe, tile};
use clawperator_contract::limits::MAX_ACTIONS;
use clawperator_document::Number;
use clawperator_skills::recipe::{CompiledRecipe, InputValue, Inputs, RecipeProblems, compile, step_types};
use std::collections::BTreeMap;

/// The inputs of a case: `> input NAME=VALUE`, with `#` before a number and `!`
/// before a truth value.
pub(crate) fn inputs(case: &Case) -> Inputs {
    let given = case.given("input").map(|line| {
        let (name, value) = line.split_once('=').unwrap();
        let value = match value.split_at_checked(1) {
            Some(("#", number)) => InputValue::Number(Number::new(number.parse().unwrap()).unwrap()),
            Some(("!", flag)) => InputValue::Flag(flag.parse().unwrap()),
            _ => InputValue::Text(value.to_owned()),
        };
        (name.to_owned(), value)
    });
    Inputs(given.collect::<BTreeMap<_, _>>())
}

/// The problems, one per line.
fn refused(problems: &RecipeProblems) -> Vec<String> {
    let line = |problem: &clawperator_skills::recipe::RecipeProblem| {
        let at = problem.position.map_or_else(String::new, |at| format!("{}:{}", at.line, at.column));
        format!("! {at} {} {}", problem.about.name(), problem.message)
    };
    problems.listed.iter().map(line).collect()
}

/// The actions, one per line, with what each is for.
fn shown(compiled: &CompiledRecipe) -> Vec<String> {
    let payload: serde_json::Value = serde_json::from_str(&compiled.payload).unwrap();
    let mut lines = vec![format!("{} {} ms", payload["commandId"].as_str().unwrap(), payload["timeoutMs"])];
    let actions = payload["actions"].as_array().unwrap();
    assert_eq!(actions.len(), compiled.steps.len());
    for (action, step) in actions.iter().zip(&compiled.steps) {
        assert!(step_types().any(|row| row.kind == step.kind));
        assert_eq!(action["id"], *step.action_id);
        let verifies = step.verifies.map_or_else(String::new, |index| format!(" verifies {index}"));
        let feeds = step.output.as_ref().map_or_else(String::new, |used| format!(" feeds {}", used.name));
        lines.push(format!(
            "{:?}{verifies}{feeds} {} {} {}",
            step.role, step.action_id, action["type"], action["params"]
        ));
    }
    lines
}

#[test]
fn recipes_become_executions_or_say_why_not() {
    check("compile.cases", |case| {
        let compiled = compile(&recipe(&case.text()), &inputs(case));
        match compiled {
            Ok(compiled) => shown(&compiled),
            Err(problems) => refused(&problems),
        }
    });
}

#[test]
fn the_id_follows_from_the_recipe_and_its_inputs() {
    let id = |edits: &[(&str, &str)], inputs: &Inputs| {
        let compiled = compiled(edits, inputs).unwrap();
        compiled.checked.execution.command_id().as_str().to_owned()
    };
    let first = id(&[], &tile());
    assert_eq!(first, id(&[], &tile()));
    for other in [
        id(&[], &tile().with("tile", "Kitchen")),
        id(&[("1.2.0", "1.2.1")], &tile()),
        id(&[("after_ms: 500", "after_ms: 501")], &tile()),
    ] {
        assert_ne!(first, other);
    }
    // What does not change the execution does not change its id.
    assert_eq!(first, id(&[("Toggle power", "Switch power")], &tile()));
}

#[test]
fn an_execution_has_room_for_so_many_actions() {
    let steps = |count: usize| -> String {
        let step = |index: usize| format!("  - {{id: s{index}, type: sleep, params: {{duration_ms: 1}}}}\n");
        (0..count).map(step).collect()
    };
    // The base has four actions and two that start its app.
    let fits = format!("steps:\n{}", steps(MAX_ACTIONS - 6));
    assert!(compiled(&[("steps:\n", &fits)], &tile()).is_ok());
    let more = format!("steps:\n{}", steps(MAX_ACTIONS - 5));
    let problems = compiled(&[("steps:\n", &more)], &tile()).unwrap_err();
    assert_eq!(codes(&problems), ["TOO_MANY_ACTIONS"]);
    let many = format!("steps:\n{}", steps(MAX_ACTIONS + 1));
    let parsed = clawperator_skills::recipe::parse(
        &edited(&[("steps:\n", &many)]),
        clawperator_skills::recipe::Format::Yaml,
    );
    assert_eq!(codes(&parsed.unwrap_err()), ["STEP_INVALID"]);
}
