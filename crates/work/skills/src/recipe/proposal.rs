//! Proposes how to change a selector that no longer names exactly one element:
//! the smallest change of one of its values.

mod search;

use super::Recipe;
use super::format::Format;
use super::input::{Inputs, resolve};
use super::lint::{LintOptions, lint};
use super::problem::RecipeReport;
use super::read::parse;
use super::rehearsal::Drift;
use super::selector_value::SelectorValue;
use super::step::RecipeStep;
use super::value_edit::{ValueChange, change, unified_diff};
use clawperator_contract::Attribute;
use clawperator_redact::Redaction;
use clawperator_ui::{Screen, Tree};
use search::{Candidate, ProposalSearch};
use serde::Serialize;
use std::cmp::Ordering;

/// How many proposals are made.
const MAX_PROPOSALS: usize = 3;

/// The text of a recipe, and what it is linted against.
#[derive(Clone, Copy, Debug)]
pub struct RecipeText<'t> {
    pub name: &'t str,
    pub text: &'t str,
    pub format: Format,
    pub options: LintOptions<'t>,
}

/// A recipe with a selector that does not fit, and the screen.
#[derive(Clone, Copy, Debug)]
pub struct DriftedRecipe<'d> {
    pub recipe: &'d Recipe,
    pub inputs: &'d Inputs,
    pub drift: Drift,
    pub tree: &'d Tree,
}

/// One value of a recipe that may be changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    pub file: String,
    pub line: u64,
    pub column: u64,
    pub step: String,
    /// The value in the step, such as `selector.text_equals`.
    pub field: String,
    pub from: String,
    pub to: String,
    pub diff: String,
    /// How many elements of the screen the changed selector names.
    pub matches: usize,
    #[serde(skip)]
    pub text: String,
    #[serde(skip)]
    likeness: f64,
}

/// An element of the screen that comes near, or that fits beside others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearElement {
    pub class: String,
    /// Its label, unless the recipe has outputs that are not shown: it may be one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
}

/// What to do about a selector that does not fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposals {
    /// The elements that come nearest, or all that fit.
    pub nearest: Vec<NearElement>,
    /// The changes that would do, the smallest first.
    pub listed: Vec<Proposal>,
    /// What to do instead, if there is none.
    pub advice: Vec<String>,
}

impl Proposals {
    /// The proposal that is better than the others, if there is one.
    pub fn best(&self) -> Option<&Proposal> {
        match &self.listed[..] {
            [first, second, ..] if first.likeness.total_cmp(&second.likeness) != Ordering::Greater => None,
            [first, ..] => Some(first),
            [] => None,
        }
    }
}

/// Proposes changes for a selector that does not fit the screen.
pub fn propose(drifted: &DriftedRecipe<'_>, source: &RecipeText<'_>) -> Proposals {
    let DriftedRecipe { recipe, inputs, drift, tree } = *drifted;
    let mut proposals = Proposals::default();
    let Some(step) = recipe.steps.get(drift.step) else {
        return proposals;
    };
    let search = ProposalSearch {
        step,
        target: drift.target,
        // The recipe was compiled with them before.
        values: resolve(recipe, inputs, &mut RecipeReport::default()),
        screen: Screen::new(tree),
    };
    proposals.nearest = search.nearest(recipe);
    if search.fits_one() {
        let advice = "the selector fits one element now: it had no text, or it came late; \
                      add a wait_for_node step before it, or retries";
        proposals.advice.push(advice.to_owned());
        return proposals;
    }
    let mut found = Vec::new();
    for value in search.slots() {
        match reason_to_keep(recipe, step, &value) {
            Some(reason) => proposals.advice.push(reason),
            None => found.extend(search.candidates(&value)),
        }
    }
    // The sort is stable: of equals, the first in the selector comes first.
    found.sort_by(|one, other| other.likeness.total_cmp(&one.likeness));
    let mut known = Vec::new();
    found.retain(|each| {
        let key = (each.slot.field.clone(), each.to.clone());
        let is_new = !known.contains(&key);
        known.push(key);
        is_new
    });
    for candidate in found {
        match proposal(recipe, drift, candidate, source) {
            Ok(proposal) if proposals.listed.len() < MAX_PROPOSALS => proposals.listed.push(proposal),
            Ok(_) => break,
            Err(advice) if !proposals.advice.contains(&advice) => proposals.advice.push(advice),
            Err(_) => {}
        }
    }
    if !proposals.listed.is_empty() {
        // A change that is enough needs no other.
        proposals.advice.clear();
    } else if proposals.advice.is_empty() {
        let advice = "no change of one value makes the selector fit exactly one element of the screen; \
             look at the screen with snapshot and rewrite the selector";
        proposals.advice.push(advice.to_owned());
    }
    proposals
}

/// Why a value must not become a text of the screen.
fn reason_to_keep(recipe: &Recipe, step: &RecipeStep, value: &SelectorValue) -> Option<String> {
    let (id, field) = (&step.id, &value.field);
    let names: Vec<&str> = value.text.inputs().collect();
    if let Some(name) = names.first() {
        return Some(format!(
            "{field} of step \"{id}\" comes from the input \"{name}\": give another value with --input {name}=..."
        ));
    }
    let is_text = matches!(value.attribute, Attribute::Text | Attribute::ContentDesc);
    if value.is_users_own && is_text {
        return Some(format!(
            "{field} of step \"{id}\" is USER_SPECIFIC: make it an input instead of another literal"
        ));
    }
    let used = step.output.as_ref().filter(|_| is_text)?;
    let output = recipe.outputs.iter().find(|output| output.name == used.name)?;
    (output.effective_redaction() != Redaction::None).then(|| {
        format!(
            "step \"{id}\" reads the output \"{}\", which is not shown: change {field} yourself",
            output.name
        )
    })
}

/// Makes a proposal of a candidate, or tells why it is none. The changed text
/// must be the same recipe with that value, and lint no worse.
fn proposal(
    recipe: &Recipe,
    drift: Drift,
    candidate: Candidate,
    source: &RecipeText<'_>,
) -> Result<Proposal, String> {
    let Candidate { slot, to, likeness } = candidate;
    let step = &recipe.steps[drift.step];
    let from = slot.literal();
    let wanted = ValueChange { path: &format!("steps.{}.{}", drift.step, slot.field), from: &from, to: &to };
    let by_hand = || {
        let (id, field) = (&step.id, &slot.field);
        format!("{field} of step \"{id}\" can become {to:?}, but not in place: change it yourself")
    };
    let edit = change(source.text, source.format, wanted).ok_or_else(by_hand)?;
    let mut changed = recipe.clone();
    slot.change_in(&mut changed.steps[drift.step], &to);
    if parse(&edit.text, source.format).ok().as_ref() != Some(&changed) {
        return Err(by_hand());
    }
    let count = |text: &str| {
        let findings = lint(source.name, text, source.format, source.options);
        findings.findings.len() + findings.omitted
    };
    if count(&edit.text) > count(source.text) {
        let (id, field) = (&step.id, &slot.field);
        return Err(format!(
            "the nearest value for {field} of step \"{id}\" must not be in a recipe: make it an input"
        ));
    }
    Ok(Proposal {
        file: source.name.to_owned(),
        line: edit.at.line,
        column: edit.at.column,
        step: step.id.clone(),
        diff: unified_diff(source.name, source.text, &edit.text),
        field: slot.field,
        from,
        to,
        // The search made sure of it.
        matches: 1,
        text: edit.text,
        likeness,
    })
}
