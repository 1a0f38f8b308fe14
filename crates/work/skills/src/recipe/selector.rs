//! The selector of a recipe: its keys as a table, its type, and the matcher it becomes.

use super::input::Values;
use super::input_text::InputText;
use super::word::Annotation;
use crate::world::quoted;
use clawperator_contract::{self as contract, Attribute, Comparison, ConditionKind, Flag, Matcher, TextTest};

/// One key of a selector.
#[derive(Clone, Copy, Debug)]
pub struct RecipeSelectorKey {
    pub name: &'static str,
    pub kind: ConditionKind,
    /// Whether its text may have placeholders.
    pub takes_inputs: bool,
    pub doc: &'static str,
}

const fn text(
    name: &'static str,
    attribute: Attribute,
    how: Comparison,
    doc: &'static str,
) -> RecipeSelectorKey {
    RecipeSelectorKey {
        name,
        kind: ConditionKind::Text(attribute, how),
        takes_inputs: matches!(attribute, Attribute::Text | Attribute::ContentDesc),
        doc,
    }
}

const fn other(name: &'static str, kind: ConditionKind, doc: &'static str) -> RecipeSelectorKey {
    RecipeSelectorKey { name, kind, takes_inputs: false, doc }
}

/// The keys that are conditions, in the design's order. `annotation` is no condition.
pub const SELECTOR_KEYS: [RecipeSelectorKey; 11] = {
    use Attribute::{Class, ContentDesc, ResourceId, Text};
    use Comparison::{Contains, Equals};
    [
        text("resource_id", ResourceId, Equals, "The exact resource id."),
        text("class", Class, Equals, "The exact class, with its package."),
        text(
            "text_equals",
            Text,
            Equals,
            "The exact visible text, or the content description if there is no text.",
        ),
        text("text_contains", Text, Contains, "A part of the visible text, in any case."),
        text(
            "content_desc_contains",
            ContentDesc,
            Contains,
            "A part of the content description, in any case.",
        ),
        other("clickable", ConditionKind::Flag(Flag::Clickable), "Whether it takes clicks itself."),
        other("enabled", ConditionKind::Flag(Flag::Enabled), "Whether it is enabled."),
        other("selected", ConditionKind::Flag(Flag::Selected), "Whether it is selected."),
        other(
            "index_in_parent",
            ConditionKind::IndexInParent,
            "Its index among the children of its parent; discouraged, because it differs between users.",
        ),
        other("any_of", ConditionKind::AnyOf, "It fits at least one of these selectors."),
        other("all_of", ConditionKind::AllOf, "It fits each of these selectors."),
    ]
};

/// A selector of the contract as a recipe writes it; `None` if a recipe cannot say it.
pub fn selector_yaml(selector: &contract::Selector) -> Option<String> {
    let line = |condition: &contract::Condition| {
        let key = SELECTOR_KEYS.iter().find(|key| key.kind == condition.kind())?;
        let value = match condition {
            contract::Condition::Text(_, test) => quoted(test.expected_text()),
            contract::Condition::Flag(_, on) => on.to_string(),
            contract::Condition::IndexInParent(index) => index.to_string(),
            contract::Condition::Related(..)
            | contract::Condition::AllOf(_)
            | contract::Condition::AnyOf(_)
            | contract::Condition::Not(_) => return None,
        };
        // A recipe would read it as the place of an input.
        let is_plain = !value.contains("${");
        is_plain.then(|| format!("  {}: {value}\n", key.name))
    };
    let lines: Option<String> = selector.conditions.iter().map(line).collect();
    lines.map(|lines| format!("selector:\n{lines}"))
}

/// The key that says where a selector's text comes from.
pub(crate) const ANNOTATION: &str = "annotation";

/// Names elements on a screen; an element fits when every condition holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecipeSelector {
    pub conditions: Vec<RecipeCondition>,
    /// Where its text comes from, if the author says.
    pub annotation: Option<Annotation>,
}

/// One condition of a selector.
#[derive(Clone, Debug, PartialEq)]
pub enum RecipeCondition {
    Text(Attribute, Comparison, InputText),
    Flag(Flag, bool),
    IndexInParent(i32),
    AnyOf(Vec<RecipeSelector>),
    AllOf(Vec<RecipeSelector>),
}

impl RecipeSelector {
    /// The inputs that it names, at all depths.
    pub fn inputs(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.visit(&mut |condition| {
            if let RecipeCondition::Text(_, _, text) = condition {
                names.extend(text.inputs());
            }
        });
        names
    }

    /// Whether it names an element by its index, at any depth.
    pub fn uses_index(&self) -> bool {
        let mut found = false;
        self.visit(&mut |condition| found |= matches!(condition, RecipeCondition::IndexInParent(_)));
        found
    }

    fn visit<'s>(&'s self, see: &mut impl FnMut(&'s RecipeCondition)) {
        for condition in &self.conditions {
            see(condition);
            if let RecipeCondition::AnyOf(inner) | RecipeCondition::AllOf(inner) = condition {
                inner.iter().for_each(|inner| inner.visit(see));
            }
        }
    }

    /// The contract's matcher for it. What the matcher's own keys cannot say is
    /// in its `where`, and so is the container.
    pub(crate) fn matcher(&self, values: &Values, container: Option<&Self>) -> Matcher {
        let mut matcher = Matcher::default();
        let mut more = Vec::new();
        for condition in &self.conditions {
            let condition = condition.compile(values);
            if let contract::Condition::Text(attribute, test) = &condition
                && let Some(slot) = slot(&mut matcher, *attribute, test.comparison())
            {
                *slot = Some(test.expected_text().to_owned());
            } else {
                more.push(condition);
            }
        }
        let inside = container.map(|outer| outer.compile(values));
        more.extend(inside.map(|outer| contract::Condition::Related(contract::NodeRelation::Inside, outer)));
        if !more.is_empty() {
            matcher.conditions = Some(contract::Selector { conditions: more });
        }
        matcher
    }

    fn compile(&self, values: &Values) -> contract::Selector {
        let conditions = self.conditions.iter().map(|condition| condition.compile(values));
        contract::Selector { conditions: conditions.collect() }
    }
}

impl RecipeCondition {
    fn compile(&self, values: &Values) -> contract::Condition {
        let all = |selectors: &[RecipeSelector]| selectors.iter().map(|each| each.compile(values)).collect();
        match self {
            Self::Text(attribute, how, text) => {
                let text = text.fill(values);
                let test = match how {
                    Comparison::Contains => TextTest::Contains(text),
                    // The table has no other comparisons.
                    Comparison::Equals | Comparison::StartsWith | Comparison::Matches => {
                        TextTest::Equals(text)
                    }
                };
                contract::Condition::Text(*attribute, test)
            }
            Self::Flag(flag, on) => contract::Condition::Flag(*flag, *on),
            Self::IndexInParent(index) => contract::Condition::IndexInParent(*index),
            Self::AnyOf(selectors) => contract::Condition::AnyOf(all(selectors)),
            Self::AllOf(selectors) => contract::Condition::AllOf(all(selectors)),
        }
    }
}

/// The matcher's own field for a condition, if it has one.
fn slot(matcher: &mut Matcher, attribute: Attribute, how: Comparison) -> Option<&mut Option<String>> {
    match (attribute, how) {
        (Attribute::ResourceId, Comparison::Equals) => Some(&mut matcher.resource_id),
        (Attribute::Text, Comparison::Equals) => Some(&mut matcher.text_equals),
        (Attribute::Text, Comparison::Contains) => Some(&mut matcher.text_contains),
        (Attribute::ContentDesc, Comparison::Contains) => Some(&mut matcher.content_desc_contains),
        _ => None,
    }
}
