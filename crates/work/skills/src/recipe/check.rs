//! Judges what a recipe means: the rules between its parts.

use super::Recipe;
use super::capability::needs;
use super::problem::{Judge, RecipeProblems, RecipeReport, did_you_mean};
use super::rule::Rule;
use super::step::RecipeStep;
use super::verification::{is_verification_required, side_effects, verifier};
use super::word::{RecipeType, SessionPolicy};
use clawperator_contract::{ActionKind, ParamKey};
use clawperator_document::{Path, text};

/// Judges a recipe. All problems are reported, step by step; none is there if
/// the recipe can be compiled once its inputs are known.
pub fn check(recipe: &Recipe) -> RecipeProblems {
    let mut report = RecipeReport::default();
    judge(recipe, &mut report);
    placed(recipe, report)
}

/// The problems of a report, each at the part of the recipe that its path names.
pub(super) fn placed(recipe: &Recipe, report: RecipeReport) -> RecipeProblems {
    let mut problems = report.finish();
    for problem in &mut problems.listed {
        let mut parts = problem.path.split('.');
        let (list, index) = (parts.next(), parts.next().and_then(|index| index.parse::<usize>().ok()));
        let place = match (list, index) {
            (Some("steps"), index) => recipe.steps.get(index.unwrap_or(0)).map(|step| step.at),
            (Some("inputs"), Some(index)) => recipe.inputs.get(index).map(|input| input.at),
            (Some("outputs"), Some(index)) => recipe.outputs.get(index).map(|output| output.at),
            _ => None,
        };
        problem.position = problem.position.or(place.and_then(|place| place.0));
    }
    problems
}

/// Reports all that is wrong with what a recipe means.
pub(super) fn judge(recipe: &Recipe, report: &mut RecipeReport) {
    let root = Path::root("the recipe");
    let steps = root.field("steps");
    fresh_start(recipe, &steps, report);
    for (index, step) in recipe.steps.iter().enumerate() {
        let at = steps.index(index, "a step");
        inputs(recipe, step, &at, report);
        app(recipe, step, &at, report);
        capabilities(recipe, step, &at, report);
        output(recipe, index, &at, report);
    }
    if is_verification_required(recipe) {
        for index in side_effects(recipe).filter(|index| verifier(recipe, *index).is_none()) {
            let step = &recipe.steps[index];
            let message = format!("nothing verifies the effect of step \"{}\"", step.id);
            report.broken(Rule::Verification, &steps.index(index, "a step"), message);
        }
    }
}

/// Where the compiler adds no steps, the recipe itself must start its app
/// afresh: nothing but a pause may come before or between the two steps.
fn fresh_start(recipe: &Recipe, steps: &Path<'_>, report: &mut RecipeReport) {
    if recipe.session_policy != SessionPolicy::Fresh || recipe.fresh_start_injected {
        return;
    }
    let mut kinds = recipe.steps.iter().map(|step| step.kind);
    let mut next = || kinds.find(|kind| *kind != ActionKind::Sleep);
    if (next(), next()) != (Some(ActionKind::CloseApp), Some(ActionKind::OpenApp)) {
        let message =
            "fresh_start_injected is false, and the recipe does not begin with close_app and open_app";
        report.broken(Rule::FreshSteps, steps, message.to_owned());
    }
}

fn inputs(recipe: &Recipe, step: &RecipeStep, at: &Path<'_>, report: &mut RecipeReport) {
    for (name, selector) in step.selectors() {
        for input in selector.inputs() {
            if recipe.inputs.iter().any(|declared| declared.name == input) {
                continue;
            }
            let message = format!("the input \"{input}\" is not declared");
            report.broken(Rule::InputUndeclared, &at.field(name), message).hint =
                did_you_mean(input, recipe.inputs.iter().map(|each| each.name.as_str()));
        }
    }
}

fn app(recipe: &Recipe, step: &RecipeStep, at: &Path<'_>, report: &mut RecipeReport) {
    let app = step.text_param(ParamKey::ApplicationId);
    if let Some(app) = app.filter(|app| *app != recipe.application_id) {
        let message = format!(
            "the step is about \"{}\", and the recipe is about \"{}\"",
            text::excerpt(app),
            recipe.application_id
        );
        let field = at.field("params");
        report.broken(Rule::AppUndeclared, &field.field("application_id"), message);
    }
}

fn capabilities(recipe: &Recipe, step: &RecipeStep, at: &Path<'_>, report: &mut RecipeReport) {
    if recipe.recipe_type == RecipeType::Probe && step.touch().is_some() {
        let message = format!("a probe only observes, and step \"{}\" touches the screen", step.id);
        report.broken(Rule::ProbeActs, at, message);
    }
    let mut needed = needs(step);
    needed.dedup();
    for capability in needed.into_iter().filter(|each| !recipe.capabilities.contains(each)) {
        let word = capability.word();
        let message = format!("step \"{}\" needs the capability {word}, which is not declared", step.id);
        let problem = report.broken(Rule::CapabilityUndeclared, at, message);
        problem.hint = Some(format!("Add {word} to capabilities."));
    }
}

fn output(recipe: &Recipe, index: usize, at: &Path<'_>, report: &mut RecipeReport) {
    let feeds = |step: &RecipeStep| step.output.as_ref().map(|output| output.name.clone());
    let Some(name) = feeds(&recipe.steps[index]) else {
        return;
    };
    let field = at.field("params");
    let field = field.field("output");
    if !recipe.outputs.iter().any(|output| output.name == name) {
        let message = format!("the output \"{}\" is not declared", text::excerpt(&name));
        report.broken(Rule::OutputInvalid, &field, message).hint =
            did_you_mean(&name, recipe.outputs.iter().map(|each| each.name.as_str()));
    }
    let earlier = recipe.steps[..index].iter().find(|step| feeds(step).as_deref() == Some(&*name));
    if let Some(earlier) = earlier {
        let message = format!("step \"{}\" feeds the output \"{name}\" already", earlier.id);
        report.broken(Rule::OutputInvalid, &field, message);
    }
}
