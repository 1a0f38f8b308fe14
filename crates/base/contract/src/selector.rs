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
    Text(Attribute, TextTest),
    /// A flag is set, or is not.
    Flag(Flag, bool),
    /// The element's index among the children of its parent.
    IndexInParent(i32),
    /// Another element fits and has this relation to it.
    Related(NodeRelation, Selector),
    /// Every one of these fits.
    AllOf(Vec<Selector>),
    /// At least one of these fits.
    AnyOf(Vec<Selector>),
    Not(Selector),
}

/// A text of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// The label: the visible text, else the content description.
    Text,
    ContentDesc,
    ResourceId,
    Role,
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
pub enum TextTest {
    Equals(String),
    Contains(String),
    StartsWith(String),
    Matches(Pattern),
}

/// What an element can do or what state it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A relation between two elements.
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
    pub name: &'static str,
    pub kind: ConditionKind,
}

/// The kind of condition under a key, which decides the type of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    Text(Attribute, Comparison),
    Flag(Flag),
    IndexInParent,
    Related(NodeRelation),
    AllOf,
    AnyOf,
    Not,
}

const fn row(name: &'static str, kind: ConditionKind) -> SelectorKey {
    SelectorKey { name, kind }
}

/// Every key, in the contract's order.
pub const SELECTOR_KEYS: [SelectorKey; 41] = {
    use Attribute::{Class, ContentDesc, ResourceId, Role, Text};
    use Comparison::{Contains, Equals, Matches, StartsWith};
    use ConditionKind as Kind;
    [
        row("resourceId", Kind::Text(ResourceId, Equals)),
        row("resourceIdContains", Kind::Text(ResourceId, Contains)),
        row("resourceIdStartsWith", Kind::Text(ResourceId, StartsWith)),
        row("resourceIdMatches", Kind::Text(ResourceId, Matches)),
        row("role", Kind::Text(Role, Equals)),
        row("roleContains", Kind::Text(Role, Contains)),
        row("roleStartsWith", Kind::Text(Role, StartsWith)),
        row("roleMatches", Kind::Text(Role, Matches)),
        row("textEquals", Kind::Text(Text, Equals)),
        row("textContains", Kind::Text(Text, Contains)),
        row("textStartsWith", Kind::Text(Text, StartsWith)),
        row("textMatches", Kind::Text(Text, Matches)),
        row("contentDescEquals", Kind::Text(ContentDesc, Equals)),
        row("contentDescContains", Kind::Text(ContentDesc, Contains)),
        row("contentDescStartsWith", Kind::Text(ContentDesc, StartsWith)),
        row("contentDescMatches", Kind::Text(ContentDesc, Matches)),
        row("class", Kind::Text(Class, Equals)),
        row("classContains", Kind::Text(Class, Contains)),
        row("classStartsWith", Kind::Text(Class, StartsWith)),
        row("classMatches", Kind::Text(Class, Matches)),
        row("checkable", Kind::Flag(Flag::Checkable)),
        row("checked", Kind::Flag(Flag::Checked)),
        row("clickable", Kind::Flag(Flag::Clickable)),
        row("enabled", Kind::Flag(Flag::Enabled)),
        row("focusable", Kind::Flag(Flag::Focusable)),
        row("focused", Kind::Flag(Flag::Focused)),
        row("scrollable", Kind::Flag(Flag::Scrollable)),
        row("longClickable", Kind::Flag(Flag::LongClickable)),
        row("password", Kind::Flag(Flag::Password)),
        row("selected", Kind::Flag(Flag::Selected)),
        row("indexInParent", Kind::IndexInParent),
        row("inside", Kind::Related(NodeRelation::Inside)),
        row("contains", Kind::Related(NodeRelation::Contains)),
        row("siblingOf", Kind::Related(NodeRelation::SiblingOf)),
        row("below", Kind::Related(NodeRelation::Below)),
        row("above", Kind::Related(NodeRelation::Above)),
        row("leftOf", Kind::Related(NodeRelation::LeftOf)),
        row("rightOf", Kind::Related(NodeRelation::RightOf)),
        row("allOf", Kind::AllOf),
        row("anyOf", Kind::AnyOf),
        row("not", Kind::Not),
    ]
};

impl SelectorKey {
    /// What it asks of an element.
    pub fn doc(&self) -> String {
        let plain = match self.kind {
            ConditionKind::Text(attribute, comparison) => return text_doc(attribute, comparison),
            ConditionKind::Flag(flag) => return flag_doc(flag),
            ConditionKind::IndexInParent => {
                "Its `index` in the hierarchy: its position among the children of its parent, from 0."
            }
            ConditionKind::Related(relation) => return relation_doc(relation),
            ConditionKind::AllOf => "It fits each of these selectors.",
            ConditionKind::AnyOf => "It fits at least one of these selectors.",
            ConditionKind::Not => "It does not fit this selector.",
        };
        plain.to_owned()
    }
}

fn text_doc(attribute: Attribute, comparison: Comparison) -> String {
    let noun = match attribute {
        Attribute::Text => "visible text (or the content description if there is no text)",
        Attribute::ContentDesc => "content description",
        Attribute::ResourceId => "resource id",
        Attribute::Role => "role",
        Attribute::Class => "class (with its package)",
    };
    match comparison {
        Comparison::Equals if attribute == Attribute::Role => format!("The {noun}, in any case."),
        Comparison::Equals => format!("The exact {noun}."),
        Comparison::Contains => format!("A part of the {noun}; in any case."),
        Comparison::StartsWith => format!("How the {noun} begins; in any case."),
        Comparison::Matches => format!("A pattern for the whole {noun}."),
    }
}

fn flag_doc(flag: Flag) -> String {
    let what = match flag {
        Flag::Checkable => "can be checked",
        Flag::Checked => "is checked",
        Flag::Clickable => "takes clicks itself",
        Flag::Enabled => "is enabled",
        Flag::Focusable => "can have the focus",
        Flag::Focused => "has the focus",
        Flag::Scrollable => "can be scrolled",
        Flag::LongClickable => "takes long clicks itself",
        Flag::Password => "is a password field",
        Flag::Selected => "is selected",
    };
    format!("Whether it {what}.")
}

fn relation_doc(relation: NodeRelation) -> String {
    let (side, shared) = match relation {
        NodeRelation::Inside => return "It is inside such an element, at any depth.".to_owned(),
        NodeRelation::Contains => return "Such an element is inside it, at any depth.".to_owned(),
        NodeRelation::SiblingOf => return "Another child of its parent is such an element.".to_owned(),
        NodeRelation::Below => ("below", "column"),
        NodeRelation::Above => ("above", "column"),
        NodeRelation::LeftOf => ("to the left of", "row"),
        NodeRelation::RightOf => ("to the right of", "row"),
    };
    format!("It is entirely {side} such an element and shares a {shared} of pixels with it.")
}

impl TextTest {
    /// How the text is compared.
    pub fn comparison(&self) -> Comparison {
        match self {
            Self::Equals(_) => Comparison::Equals,
            Self::Contains(_) => Comparison::Contains,
            Self::StartsWith(_) => Comparison::StartsWith,
            Self::Matches(_) => Comparison::Matches,
        }
    }

    /// What the text is compared with, as it was written.
    pub fn expected_text(&self) -> &str {
        match self {
            Self::Equals(text) | Self::Contains(text) | Self::StartsWith(text) => text,
            Self::Matches(pattern) => pattern.as_str(),
        }
    }
}

impl Condition {
    /// What kind of condition it is.
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
    pub fn name(&self) -> &'static str {
        let kind = self.kind();
        let row = SELECTOR_KEYS.iter().find(|row| row.kind == kind);
        // A test holds that every kind has its row.
        row.map_or("", |row| row.name)
    }
}

impl Selector {
    /// How many conditions it has, at all depths.
    pub fn size(&self) -> usize {
        let each = |selectors: &[Self]| selectors.iter().map(Self::size).sum();
        let inside = |condition: &Condition| match condition {
            Condition::Text(..) | Condition::Flag(..) | Condition::IndexInParent(_) => 0,
            Condition::Related(_, selector) | Condition::Not(selector) => selector.size(),
            Condition::AllOf(selectors) | Condition::AnyOf(selectors) => each(selectors),
        };
        self.conditions.iter().map(|condition| 1 + inside(condition)).sum()
    }
}

impl Serialize for Selector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.conditions.len()))?;
        for condition in &self.conditions {
            let name = condition.name();
            match condition {
                Condition::Text(_, test) => map.serialize_entry(name, test.expected_text())?,
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
            Self::Text(_, test) => write!(f, " {:?}", test.expected_text()),
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
        Selector { conditions: vec![condition] }
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
