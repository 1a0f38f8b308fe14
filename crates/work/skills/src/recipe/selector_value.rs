//! The text values of a selector, one by one, at all depths.

use super::input_text::{InputText, InputTextPart};
use super::selector::{RecipeCondition, RecipeSelector, SELECTOR_KEYS};
use super::step::RecipeStep;
use super::word::Annotation;
use clawperator_contract::{Attribute, Comparison, ConditionKind};

#[derive(Clone, Debug)]
pub(super) struct SelectorValue {
    /// The selector in the step, such as `confirm.selector`.
    pub(super) part: &'static str,
    /// The value in the step, such as `selector.any_of.0.text_equals`.
    pub(super) field: String,
    /// What of an element it is compared with.
    pub(super) attribute: Attribute,
    pub(super) comparison: Comparison,
    pub(super) text: InputText,
    /// Whether the author says that it is the user's own.
    pub(super) is_users_own: bool,
    /// Which of the selector's text values it is.
    number: usize,
}

impl SelectorValue {
    pub(super) fn all(selector: &RecipeSelector, part: &'static str) -> Vec<Self> {
        let mut found = Collection { part, all: Vec::new() };
        found.add(selector, part, false);
        found.all
    }

    /// The value, which has no placeholder.
    pub(super) fn literal(&self) -> String {
        let parts = self.text.parts.iter();
        let literal = parts.filter_map(|part| match part {
            InputTextPart::Literal(text) => Some(text.as_str()),
            InputTextPart::Input(_) => None,
        });
        literal.collect()
    }

    /// The selector with another value.
    pub(super) fn with_value(&self, selector: &RecipeSelector, to: &str) -> RecipeSelector {
        let mut changed = selector.clone();
        let mut number = 0;
        each_text(&mut changed, &mut |text| {
            if number == self.number {
                text.parts = vec![InputTextPart::Literal(to.to_owned())];
            }
            number += 1;
        });
        changed
    }

    pub(super) fn change_in(&self, step: &mut RecipeStep, to: &str) {
        let confirm = step.confirm.as_mut();
        let own = match self.part {
            "selector" => step.selector.as_mut(),
            "container" => step.container.as_mut(),
            "confirm.selector" => confirm.map(|confirm| &mut confirm.selector),
            _ => confirm.and_then(|confirm| confirm.container.as_mut()),
        };
        if let Some(own) = own {
            *own = self.with_value(own, to);
        }
    }

    /// The selector without the value's condition, unless that is deeper inside.
    pub(super) fn without_value(&self, selector: &RecipeSelector) -> Option<RecipeSelector> {
        let is_own = |condition: &RecipeCondition| match condition {
            RecipeCondition::Text(attribute, how, _) => {
                *attribute == self.attribute && *how == self.comparison
            }
            _ => false,
        };
        let name = self.field.strip_prefix(self.part)?.strip_prefix('.')?;
        let place = selector.conditions.iter().position(is_own)?;
        let mut rest = selector.clone();
        rest.conditions.remove(place);
        (!name.contains('.')).then_some(rest)
    }
}

/// The text values of one part of a step.
struct Collection {
    part: &'static str,
    all: Vec<SelectorValue>,
}

impl Collection {
    fn add(&mut self, selector: &RecipeSelector, field: &str, outer_is_users_own: bool) {
        let is_users_own = outer_is_users_own || selector.annotation == Some(Annotation::UserSpecific);
        for condition in &selector.conditions {
            match condition {
                RecipeCondition::Text(attribute, comparison, text) => self.all.push(SelectorValue {
                    part: self.part,
                    field: format!("{field}.{}", key(ConditionKind::Text(*attribute, *comparison))),
                    attribute: *attribute,
                    comparison: *comparison,
                    text: text.clone(),
                    is_users_own,
                    number: self.all.len(),
                }),
                RecipeCondition::AnyOf(inner) | RecipeCondition::AllOf(inner) => {
                    let name = match condition {
                        RecipeCondition::AnyOf(_) => key(ConditionKind::AnyOf),
                        _ => key(ConditionKind::AllOf),
                    };
                    for (index, inner) in inner.iter().enumerate() {
                        self.add(inner, &format!("{field}.{name}.{index}"), is_users_own);
                    }
                }
                RecipeCondition::Flag(..) | RecipeCondition::IndexInParent(_) => {}
            }
        }
    }
}

fn key(kind: ConditionKind) -> &'static str {
    let row = SELECTOR_KEYS.iter().find(|row| row.kind == kind);
    row.map_or("", |row| row.name)
}

/// Shows every text of a selector, in the same order.
fn each_text(selector: &mut RecipeSelector, see: &mut impl FnMut(&mut InputText)) {
    for condition in &mut selector.conditions {
        match condition {
            RecipeCondition::Text(_, _, text) => see(text),
            RecipeCondition::AnyOf(inner) | RecipeCondition::AllOf(inner) => {
                for inner in inner {
                    each_text(inner, see);
                }
            }
            RecipeCondition::Flag(..) | RecipeCondition::IndexInParent(_) => {}
        }
    }
}
