//! The search for values that make a selector fit exactly one element.

use super::NearElement;
use crate::recipe::Recipe;
use crate::recipe::input::Values;
use crate::recipe::rehearsal::DriftTarget;
use crate::recipe::selector::{RecipeCondition, RecipeSelector};
use crate::recipe::selector_value::SelectorValue;
use crate::recipe::step::RecipeStep;
use clawperator_contract::limits::MAX_MATCHER_VALUE_LENGTH;
use clawperator_contract::{self as contract, Attribute, Comparison};
use clawperator_redact::Redaction;
use clawperator_ui::{NodeId, Screen, Tree, likeness};

const MAX_ELEMENTS: usize = 8;
/// How many characters of a label are shown.
const MAX_SHOWN: usize = 200;
/// The words of a text that can be a part of it.
const MAX_WORDS: usize = 16;
/// How alike two values must be, unless the rest of the selector names the element.
const LEAST_LIKENESS: f64 = 0.35;

pub(super) struct Candidate {
    pub(super) slot: SelectorValue,
    pub(super) to: String,
    pub(super) likeness: f64,
}

pub(super) struct ProposalSearch<'s> {
    pub(super) step: &'s RecipeStep,
    pub(super) target: DriftTarget,
    pub(super) values: Values,
    pub(super) screen: Screen<'s>,
}

impl ProposalSearch<'_> {
    /// The parts of the step that can be wrong.
    fn parts(&self) -> &'static [&'static str] {
        match self.target {
            DriftTarget::Element => &["selector", "container"],
            DriftTarget::Container => &["container"],
            DriftTarget::Confirm => &["confirm.selector", "confirm.container"],
        }
    }

    pub(super) fn slots(&self) -> Vec<SelectorValue> {
        let mut slots = Vec::new();
        for part in self.parts() {
            let own = self.step.selectors().filter(|(name, _)| name == part);
            slots.extend(own.flat_map(|(name, selector)| SelectorValue::all(selector, name)));
        }
        slots
    }

    /// The elements that come near the first part, for people to look at.
    pub(super) fn nearest(&self, recipe: &Recipe) -> Vec<NearElement> {
        let mut outputs = recipe.outputs.iter();
        let is_shown = outputs.all(|output| output.effective_redaction() == Redaction::None);
        let mut parts = self.step.selectors();
        let part = parts.find(|(name, _)| self.parts().first() == Some(name));
        let ids = part.map_or_else(Vec::new, |(_, selector)| self.elements(selector));
        let element = |id: &NodeId| {
            let node = self.screen.tree().node(*id);
            let label = Some(node.label()).filter(|label| is_shown && !label.is_empty());
            NearElement {
                class: node.class.clone(),
                label: label.map(|label| label.chars().take(MAX_SHOWN).collect()),
                resource_id: node.resource_id.as_deref().map(str::to_owned),
            }
        };
        ids.iter().take(MAX_ELEMENTS).map(element).collect()
    }

    /// What must fit exactly one element, with one part as it is given.
    fn target_selector(&self, part: &str, given: &RecipeSelector) -> contract::Selector {
        let get = |name: &str| {
            let mut all = self.step.selectors();
            let own = all.find(|(each, _)| *each == name).map(|(_, selector)| selector);
            if name == part { Some(given) } else { own }
        };
        let (element, container) = match self.target {
            DriftTarget::Element => (get("selector"), get("container")),
            DriftTarget::Container => (get("container"), None),
            DriftTarget::Confirm => (get("confirm.selector"), get("confirm.container")),
        };
        let nothing = RecipeSelector::default();
        element.unwrap_or(&nothing).matcher(&self.values, container).selector()
    }

    /// Whether what the recipe says fits one element of this screen.
    pub(super) fn fits_one(&self) -> bool {
        let mut parts = self.step.selectors();
        let part = parts.find(|(name, _)| self.parts().first() == Some(name));
        part.is_some_and(|(name, selector)| self.screen.count(&self.target_selector(name, selector)) == 1)
    }

    pub(super) fn candidates(&self, slot: &SelectorValue) -> Vec<Candidate> {
        let mut parts = self.step.selectors();
        let Some((_, part)) = parts.find(|(name, _)| *name == slot.part) else {
            return Vec::new();
        };
        let from = slot.literal();
        let mut found = Vec::new();
        for id in self.elements(part) {
            let best = values(self.screen.tree(), id, slot)
                .into_iter()
                .filter(|to| *to != from)
                .filter(|to| {
                    let changed = slot.with_value(part, to);
                    self.screen.count(&self.target_selector(slot.part, &changed)) == 1
                        && self.screen.fits(id, &changed.matcher(&self.values, None).selector())
                })
                .map(|to| (score(slot.attribute, &from, &to), to))
                .max_by(|(one, a), (other, b)| one.total_cmp(other).then(b.len().cmp(&a.len())));
            let Some((likeness, to)) = best else { continue };
            if likeness >= LEAST_LIKENESS || self.is_named_without(part, slot) {
                found.push(Candidate { slot: slot.clone(), to, likeness });
            }
        }
        found
    }

    /// The elements that a part may have meant: those that come near, or all of those that fit.
    fn elements(&self, part: &RecipeSelector) -> Vec<NodeId> {
        let wanted = part.matcher(&self.values, None).selector();
        let near = self.screen.nearest(&wanted, MAX_ELEMENTS);
        let fitting = self.screen.all(&wanted).take(MAX_ELEMENTS);
        fitting.chain(near.into_iter().map(|near| near.id)).collect()
    }

    /// Whether the rest of the selector names one element by a text or an id.
    fn is_named_without(&self, part: &RecipeSelector, slot: &SelectorValue) -> bool {
        let Some(rest) = slot.without_value(part) else {
            return false;
        };
        let names = |condition: &RecipeCondition| matches!(condition, RecipeCondition::Text(attribute, ..) if *attribute != Attribute::Class);
        rest.conditions.iter().any(names) && self.screen.count(&self.target_selector(slot.part, &rest)) == 1
    }
}

/// How alike two values are. The package of an id or a class does not count.
fn score(attribute: Attribute, from: &str, to: &str) -> f64 {
    let own = |value: &str| -> String {
        let end = match attribute {
            Attribute::ResourceId => value.rsplit('/').next(),
            Attribute::Class => value.rsplit('.').next(),
            Attribute::Text | Attribute::ContentDesc | Attribute::Role => None,
        };
        end.unwrap_or(value).to_owned()
    };
    likeness(&own(from), &own(to))
}

/// The values of an element that a condition can ask for.
fn values(tree: &Tree, id: NodeId, slot: &SelectorValue) -> Vec<String> {
    let node = tree.node(id);
    let whole = match slot.attribute {
        Attribute::Text => node.label(),
        Attribute::ContentDesc => &node.content_desc,
        Attribute::ResourceId => node.resource_id.as_deref().unwrap_or_default(),
        Attribute::Class => &node.class,
        Attribute::Role => "",
    };
    let mut values = vec![whole];
    if slot.comparison == Comparison::Contains {
        values.extend(runs_of_words(whole));
    }
    let fits = |value: &&str| {
        !value.trim().is_empty()
            && value.len() <= MAX_MATCHER_VALUE_LENGTH
            && !value.contains(char::is_control)
            && !value.contains("${")
    };
    values.into_iter().filter(fits).map(str::to_owned).collect()
}

fn runs_of_words(text: &str) -> Vec<&str> {
    let base = text.as_ptr() as usize;
    let words: Vec<(usize, usize)> = text
        .split_whitespace()
        .take(MAX_WORDS)
        .map(|word| {
            let start = word.as_ptr() as usize - base;
            (start, start + word.len())
        })
        .collect();
    let mut runs = Vec::new();
    for (first, (start, _)) in words.iter().enumerate() {
        runs.extend(words[first..].iter().map(|(_, end)| &text[*start..*end]));
    }
    runs
}
