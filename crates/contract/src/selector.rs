//! The selector: conditions about an element and about the elements around it,
//! and the one table of their names on the wire.

use crate::pattern::Pattern;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// Names elements on a screen; an element fits when every condition holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// The conditions; without any, every element fits.
    pub conditions: Vec<Condition>,
}

/// One condition of a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// An attribute passes a test.
    Text(Attribute, TextTest),
    /// A flag is set, or is not.
    Flag(Flag, bool),
    /// The element's index among the children of its parent.
    IndexInParent(i32),
    /// Another element fits, and stands in this relation.
    Related(NodeRelation, Selector),
    /// Every one of these fits.
    AllOf(Vec<Selector>),
    /// At least one of these fits.
    AnyOf(Vec<Selector>),
    /// This does not fit.
    Not(Selector),
}

/// A text of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// The label: the visible text, else the content description.
    Text,
    /// The content description.
    ContentDesc,
    /// The resource id.
    ResourceId,
    /// The role.
    Role,
    /// The class.
    Class,
}

/// How a text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It is exactly the same; roles are compared in any case.
    Equals,
    /// The other is a part of it, in any case.
    Contains,
    /// It begins with the other, in any case.
    StartsWith,
    /// It fits a pattern from end to end.
    Matches,
}

/// A comparison and what a text is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the comparisons")]
pub enum TextTest {
    Equals(String),
    Contains(String),
    StartsWith(String),
    Matches(Pattern),
}

/// What an element can do or what state it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the words of a dump")]
pub enum Flag {
    Checkable,
    Checked,
    Clickable,
    Enabled,
    Focusable,
    Focused,
    Scrollable,
    LongClickable,
    Password,
    Selected,
}

/// How an element stands to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeRelation {
    /// It is somewhere inside the other.
    Inside,
    /// The other is somewhere inside it.
    Contains,
    /// Both have the same parent.
    SiblingOf,
    /// It begins where the other ends or lower, in the same columns of pixels.
    Below,
    /// It ends where the other begins or higher, in the same columns of pixels.
    Above,
    /// It ends where the other begins or further left, in the same rows of pixels.
    LeftOf,
    /// It begins where the other ends or further right, in the same rows of pixels.
    RightOf,
}

/// One key of a selector on the wire.
#[derive(Clone, Copy, Debug)]
pub struct SelectorKey {
    /// The key.
    pub name: &'static str,
    /// The condition it stands for.
    pub kind: ConditionKind,
    /// What it asks of an element.
    pub doc: &'static str,
}

/// What kind of condition a key stands for, and so what its value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// A text.
    Text(Attribute, Comparison),
    /// True or false.
    Flag(Flag),
    /// A whole number.
    IndexInParent,
    /// A selector.
    Related(NodeRelation),
    /// A list of selectors.
    AllOf,
    /// A list of selectors.
    AnyOf,
    /// A selector.
    Not,
}

const fn text(
    name: &'static str,
    attribute: Attribute,
    comparison: Comparison,
    doc: &'static str,
) -> SelectorKey {
    SelectorKey {
        name,
        kind: ConditionKind::Text(attribute, comparison),
        doc,
    }
}

const fn flag(name: &'static str, flag: Flag, doc: &'static str) -> SelectorKey {
    SelectorKey {
        name,
        kind: ConditionKind::Flag(flag),
        doc,
    }
}

const fn related(name: &'static str, relation: NodeRelation, doc: &'static str) -> SelectorKey {
    SelectorKey {
        name,
        kind: ConditionKind::Related(relation),
        doc,
    }
}

/// Every key, in the contract's order.
pub const SELECTOR_KEYS: [SelectorKey; 41] = {
    use Attribute::{Class, ContentDesc, ResourceId, Role, Text};
    use Comparison::{Contains, Equals, Matches, StartsWith};
    [
        text("resourceId", ResourceId, Equals, "The exact resource id."),
        text(
            "resourceIdContains",
            ResourceId,
            Contains,
            "A part of the resource id, in any case.",
        ),
        text(
            "resourceIdStartsWith",
            ResourceId,
            StartsWith,
            "The beginning of the resource id, in any case.",
        ),
        text(
            "resourceIdMatches",
            ResourceId,
            Matches,
            "A pattern that the whole resource id fits.",
        ),
        text("role", Role, Equals, "The role, in any case."),
        text("roleContains", Role, Contains, "A part of the role, in any case."),
        text(
            "roleStartsWith",
            Role,
            StartsWith,
            "The beginning of the role, in any case.",
        ),
        text(
            "roleMatches",
            Role,
            Matches,
            "A pattern that the whole role fits.",
        ),
        text("textEquals", Text, Equals, "The exact visible text."),
        text(
            "textContains",
            Text,
            Contains,
            "A part of the visible text, in any case.",
        ),
        text(
            "textStartsWith",
            Text,
            StartsWith,
            "The beginning of the visible text, in any case.",
        ),
        text(
            "textMatches",
            Text,
            Matches,
            "A pattern that the whole visible text fits.",
        ),
        text(
            "contentDescEquals",
            ContentDesc,
            Equals,
            "The exact content description.",
        ),
        text(
            "contentDescContains",
            ContentDesc,
            Contains,
            "A part of the content description, in any case.",
        ),
        text(
            "contentDescStartsWith",
            ContentDesc,
            StartsWith,
            "The beginning of the content description, in any case.",
        ),
        text(
            "contentDescMatches",
            ContentDesc,
            Matches,
            "A pattern that the whole content description fits.",
        ),
        text("class", Class, Equals, "The exact class, with its package."),
        text(
            "classContains",
            Class,
            Contains,
            "A part of the class, in any case.",
        ),
        text(
            "classStartsWith",
            Class,
            StartsWith,
            "The beginning of the class, in any case.",
        ),
        text(
            "classMatches",
            Class,
            Matches,
            "A pattern that the whole class fits.",
        ),
        flag("checkable", Flag::Checkable, "Whether it can be checked."),
        flag("checked", Flag::Checked, "Whether it is checked."),
        flag("clickable", Flag::Clickable, "Whether it takes clicks itself."),
        flag("enabled", Flag::Enabled, "Whether it is enabled."),
        flag("focusable", Flag::Focusable, "Whether it can have the focus."),
        flag("focused", Flag::Focused, "Whether it has the focus."),
        flag(
            "scrollable",
            Flag::Scrollable,
            "Whether its content can be scrolled.",
        ),
        flag(
            "longClickable",
            Flag::LongClickable,
            "Whether it takes long clicks itself.",
        ),
        flag("password", Flag::Password, "Whether it is a password field."),
        flag("selected", Flag::Selected, "Whether it is selected."),
        SelectorKey {
            name: "indexInParent",
            kind: ConditionKind::IndexInParent,
            doc: "Its `index` in the hierarchy: its number among the children of its parent, from 0.",
        },
        related(
            "inside",
            NodeRelation::Inside,
            "It is inside an element that fits, at any depth.",
        ),
        related(
            "contains",
            NodeRelation::Contains,
            "An element that fits is inside it, at any depth.",
        ),
        related(
            "siblingOf",
            NodeRelation::SiblingOf,
            "Another child of its parent fits.",
        ),
        related(
            "below",
            NodeRelation::Below,
            "It is below an element that fits, and their left and right edges overlap.",
        ),
        related(
            "above",
            NodeRelation::Above,
            "It is above an element that fits, and their left and right edges overlap.",
        ),
        related(
            "leftOf",
            NodeRelation::LeftOf,
            "It is left of an element that fits, and their upper and lower edges overlap.",
        ),
        related(
            "rightOf",
            NodeRelation::RightOf,
            "It is right of an element that fits, and their upper and lower edges overlap.",
        ),
        SelectorKey {
            name: "allOf",
            kind: ConditionKind::AllOf,
            doc: "Each of these fits.",
        },
        SelectorKey {
            name: "anyOf",
            kind: ConditionKind::AnyOf,
            doc: "At least one of these fits.",
        },
        SelectorKey {
            name: "not",
            kind: ConditionKind::Not,
            doc: "This does not fit.",
        },
    ]
};

impl TextTest {
    /// How the text is compared.
    #[must_use]
    pub fn comparison(&self) -> Comparison {
        match self {
            Self::Equals(_) => Comparison::Equals,
            Self::Contains(_) => Comparison::Contains,
            Self::StartsWith(_) => Comparison::StartsWith,
            Self::Matches(_) => Comparison::Matches,
        }
    }

    /// What the text is compared with, as it was written.
    #[must_use]
    pub fn wanted(&self) -> &str {
        match self {
            Self::Equals(text) | Self::Contains(text) | Self::StartsWith(text) => text,
            Self::Matches(pattern) => pattern.as_str(),
        }
    }
}

impl Condition {
    /// What kind of condition it is.
    #[must_use]
    pub fn kind(&self) -> ConditionKind {
        match self {
            Self::Text(attribute, test) => ConditionKind::Text(*attribute, test.comparison()),
            Self::Flag(flag, _) => ConditionKind::Flag(*flag),
            Self::IndexInParent(_) => ConditionKind::IndexInParent,
            Self::Related(relation, _) => ConditionKind::Related(*relation),
            Self::AllOf(_) => ConditionKind::AllOf,
            Self::AnyOf(_) => ConditionKind::AnyOf,
            Self::Not(_) => ConditionKind::Not,
        }
    }

    /// Its name on the wire.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let kind = self.kind();
        let row = SELECTOR_KEYS.iter().find(|row| row.kind == kind);
        // A test holds that every kind has its row.
        row.map_or("", |row| row.name)
    }
}

impl Serialize for Selector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.conditions.len()))?;
        for condition in &self.conditions {
            let name = condition.name();
            match condition {
                Condition::Text(_, test) => map.serialize_entry(name, test.wanted())?,
                Condition::Flag(_, on) => map.serialize_entry(name, on)?,
                Condition::IndexInParent(index) => map.serialize_entry(name, index)?,
                Condition::Related(_, selector) | Condition::Not(selector) => {
                    map.serialize_entry(name, selector)?;
                }
                Condition::AllOf(selectors) | Condition::AnyOf(selectors) => {
                    map.serialize_entry(name, selectors)?;
                }
            }
        }
        map.end()
    }
}

/// In words: `role "button", anyOf (class "a.B" or checked true)`.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        join(f, &self.conditions, ", ")
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Text(_, test) => write!(f, " {:?}", test.wanted()),
            Self::Flag(_, on) => write!(f, " {on}"),
            Self::IndexInParent(index) => write!(f, " {index}"),
            Self::Related(_, selector) | Self::Not(selector) => write!(f, " ({selector})"),
            Self::AllOf(selectors) => in_brackets(f, selectors, " and "),
            Self::AnyOf(selectors) => in_brackets(f, selectors, " or "),
        }
    }
}

fn in_brackets(f: &mut fmt::Formatter<'_>, selectors: &[Selector], between: &str) -> fmt::Result {
    f.write_str(" (")?;
    join(f, selectors, between)?;
    f.write_str(")")
}

fn join<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T], between: &str) -> fmt::Result {
    for (number, item) in items.iter().enumerate() {
        let between = if number == 0 { "" } else { between };
        write!(f, "{between}{item}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(condition: Condition) -> Selector {
        Selector {
            conditions: vec![condition],
        }
    }

    /// A condition of a row's kind.
    fn example(kind: ConditionKind) -> Condition {
        let inner = || selector(Condition::Flag(Flag::Checked, true));
        match kind {
            ConditionKind::Text(attribute, comparison) => {
                let test = match comparison {
                    Comparison::Equals => TextTest::Equals("a".to_owned()),
                    Comparison::Contains => TextTest::Contains("a".to_owned()),
                    Comparison::StartsWith => TextTest::StartsWith("a".to_owned()),
                    Comparison::Matches => TextTest::Matches(Pattern::compile("a").unwrap()),
                };
                Condition::Text(attribute, test)
            }
            ConditionKind::Flag(flag) => Condition::Flag(flag, false),
            ConditionKind::IndexInParent => Condition::IndexInParent(2),
            ConditionKind::Related(relation) => Condition::Related(relation, inner()),
            ConditionKind::AllOf => Condition::AllOf(vec![inner(), inner()]),
            ConditionKind::AnyOf => Condition::AnyOf(vec![inner(), inner()]),
            ConditionKind::Not => Condition::Not(inner()),
        }
    }

    #[test]
    fn every_row_names_its_own_kind_of_condition() {
        for row in SELECTOR_KEYS {
            let condition = example(row.kind);
            assert_eq!((condition.kind(), condition.name()), (row.kind, row.name));
            let json = serde_json::to_value(selector(condition)).unwrap();
            assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), [row.name]);
        }
    }

    #[test]
    fn a_selector_is_told_in_words() {
        for (name, words) in [
            ("textEquals", "textEquals \"a\""),
            ("classMatches", "classMatches \"a\""),
            ("enabled", "enabled false"),
            ("indexInParent", "indexInParent 2"),
            ("below", "below (checked true)"),
            ("not", "not (checked true)"),
            ("allOf", "allOf (checked true and checked true)"),
            ("anyOf", "anyOf (checked true or checked true)"),
        ] {
            let row = SELECTOR_KEYS.iter().find(|row| row.name == name).unwrap();
            assert_eq!(selector(example(row.kind)).to_string(), words);
        }
        let two = Selector {
            conditions: vec![
                example(ConditionKind::IndexInParent),
                example(ConditionKind::Flag(Flag::Selected)),
            ],
        };
        assert_eq!(two.to_string(), "indexInParent 2, selected false");
    }
}
