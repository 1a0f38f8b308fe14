//! Finds the elements that a selector names.

use crate::relation::{NodeMarks, related};
use crate::role::Role;
use crate::screen::Screen;
use crate::substring::Substring;
use crate::tree::{Node, NodeId, Tree};
use clawperator_contract::{Attribute, Condition, Flag, Pattern, Selector, TextTest, Visibility};
use std::borrow::Cow;

/// What stands between the package and the name in a resource id.
const ID_MARK: &str = ":id/";

impl<'t> Screen<'t> {
    /// The first element that fits, in reading order.
    pub fn first(&self, selector: &Selector) -> Option<NodeId> {
        self.all(selector).next()
    }

    /// Every element that fits, in reading order.
    pub fn all<'s>(&self, selector: &'s Selector) -> impl Iterator<Item = NodeId> + use<'t, 's> {
        fitting(self.tree(), self.nodes(), self.test(selector, Visibility::OnScreen))
    }

    /// Every element of the tree that fits, seen or not, in reading order.
    pub fn anywhere<'s>(&self, selector: &'s Selector) -> impl Iterator<Item = NodeId> + use<'t, 's> {
        fitting(self.tree(), self.tree().nodes(), self.test(selector, Visibility::All))
    }

    /// Tells whether an element fits.
    pub fn fits(&self, id: NodeId, selector: &Selector) -> bool {
        let tree = self.tree();
        self.test(selector, Visibility::OnScreen).passes(tree, id, tree.node(id))
    }

    /// How many elements fit.
    pub fn count(&self, selector: &Selector) -> usize {
        self.all(selector).count()
    }

    /// Every element that fits among a container and what is inside it, in reading order.
    pub fn inside<'s>(
        &self,
        container: NodeId,
        selector: &'s Selector,
    ) -> impl Iterator<Item = NodeId> + use<'t, 's> {
        let test = self.test(selector, Visibility::OnScreen);
        fitting(self.tree(), self.within(container), test)
    }

    /// Makes a selector ready for this screen.
    pub(crate) fn test<'s>(&self, selector: &'s Selector, among: Visibility) -> SelectorTest<'s> {
        let mut tests: Vec<_> =
            selector.conditions.iter().map(|condition| self.test_of(condition, among)).collect();
        // Most selectors have one condition, which needs no list.
        if tests.len() == 1 {
            return tests.remove(0);
        }
        tests.sort_by_key(SelectorTest::cost);
        SelectorTest::All(tests)
    }

    /// Makes a condition ready for this screen. What it says of other elements
    /// is worked out here, once for all elements.
    pub(crate) fn test_of<'s>(&self, condition: &'s Condition, among: Visibility) -> SelectorTest<'s> {
        let each = |selectors: &'s [Selector]| -> Vec<SelectorTest<'s>> {
            let tests = selectors.iter().map(|selector| self.test(selector, among));
            tests.collect()
        };
        match condition {
            Condition::Text(Attribute::Role, TextTest::Equals(word)) => {
                SelectorTest::Role(Role::of_word(word))
            }
            Condition::Text(Attribute::ResourceId, TextTest::Equals(id)) => {
                let full = self.full_id(id).map_or(Cow::Borrowed(id.as_str()), Cow::Owned);
                SelectorTest::Text(Attribute::ResourceId, id, Match::Equals(full))
            }
            Condition::Text(attribute, test) => {
                SelectorTest::Text(*attribute, test.expected_text(), Match::new(test))
            }
            Condition::Flag(flag, on) => SelectorTest::Flag(*flag, *on),
            Condition::IndexInParent(index) => SelectorTest::Index(*index),
            Condition::Related(relation, other) => {
                let marked = self.marks(&self.test(other, among), among);
                SelectorTest::Marked(related(self.tree(), *relation, &marked))
            }
            Condition::AllOf(selectors) => SelectorTest::All(each(selectors)),
            Condition::AnyOf(selectors) => SelectorTest::Any(each(selectors)),
            Condition::Not(selector) => SelectorTest::Not(Box::new(self.test(selector, among))),
        }
    }

    /// The id that a short one such as `apps` stands for: the only one that
    /// ends with `:id/apps`, unless an element has just the short one.
    fn full_id(&self, short: &str) -> Option<String> {
        match self.full_ids(short).as_slice() {
            [only] => Some((*only).to_owned()),
            _ => None,
        }
    }

    /// The ids that a short one such as `apps` may stand for: those that end with
    /// `:id/apps`. None if an element has just the short one.
    pub fn full_ids(&self, short: &str) -> Vec<&'t str> {
        let mut full = Vec::new();
        if short.is_empty() || short.contains(':') {
            return full;
        }
        let tree: &'t Tree = self.tree();
        for id in tree.nodes().filter_map(|(_, node)| node.resource_id.as_deref()) {
            if id == short {
                return Vec::new();
            }
            let local = id.strip_suffix(short).is_some_and(|rest| rest.ends_with(ID_MARK));
            if local && !full.contains(&id) {
                full.push(id);
            }
        }
        full
    }

    fn marks(&self, test: &SelectorTest<'_>, among: Visibility) -> NodeMarks {
        let tree = self.tree();
        let mut marks = vec![false; tree.len()];
        let mut mark = |(id, node): (NodeId, &Node)| marks[id.0] = test.passes(tree, id, node);
        match among {
            Visibility::OnScreen => self.nodes().for_each(&mut mark),
            Visibility::All => tree.nodes().for_each(&mut mark),
        }
        marks
    }
}

fn fitting<'t, 's>(
    tree: &'t Tree,
    nodes: impl Iterator<Item = (NodeId, &'t Node)>,
    test: SelectorTest<'s>,
) -> impl Iterator<Item = NodeId> {
    nodes.filter(move |(id, node)| test.passes(tree, *id, node)).map(|(id, _)| id)
}

/// A selector, made ready to be asked of many elements of one screen.
pub(crate) enum SelectorTest<'s> {
    All(Vec<SelectorTest<'s>>),
    Any(Vec<SelectorTest<'s>>),
    Not(Box<SelectorTest<'s>>),
    /// An attribute, what is wanted of it, and how the two are compared.
    Text(Attribute, &'s str, Match<'s>),
    /// No element has a role that does not exist.
    Role(Option<Role>),
    Flag(Flag, bool),
    Index(i32),
    Marked(NodeMarks),
}

/// A comparison, made ready for many texts.
pub(crate) enum Match<'s> {
    Equals(Cow<'s, str>),
    Contains(Substring),
    StartsWith(Substring),
    Matches(&'s Pattern),
}

impl<'s> Match<'s> {
    fn new(test: &'s TextTest) -> Self {
        match test {
            TextTest::Equals(text) => Self::Equals(text.into()),
            TextTest::Contains(text) => Self::Contains(Substring::new(text)),
            TextTest::StartsWith(text) => Self::StartsWith(Substring::new(text)),
            TextTest::Matches(pattern) => Self::Matches(pattern),
        }
    }

    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Equals(wanted) => wanted == text,
            Self::Contains(part) => part.is_in(text),
            Self::StartsWith(part) => part.begins(text),
            Self::Matches(pattern) => pattern.fits(text),
        }
    }
}

impl SelectorTest<'_> {
    pub(crate) fn passes(&self, tree: &Tree, id: NodeId, node: &Node) -> bool {
        match self {
            Self::All(tests) => tests.iter().all(|test| test.passes(tree, id, node)),
            Self::Any(tests) => tests.iter().any(|test| test.passes(tree, id, node)),
            Self::Not(test) => !test.passes(tree, id, node),
            Self::Text(attribute, _, wanted) => wanted.fits(value(tree, id, node, *attribute)),
            Self::Role(role) => *role == Some(tree.role(id)),
            Self::Flag(flag, on) => node.flags.has(*flag) == *on,
            Self::Index(index) => node.index == *index,
            Self::Marked(marks) => marks[id.0],
        }
    }

    /// What it costs, roughly: cheap questions come first.
    fn cost(&self) -> u8 {
        match self {
            Self::Flag(..) | Self::Index(_) | Self::Marked(_) => 0,
            Self::Role(_) | Self::Text(Attribute::Role, ..) => 3,
            Self::Text(_, _, Match::Equals(_)) => 1,
            Self::Text(..) => 2,
            Self::All(_) | Self::Any(_) | Self::Not(_) => 4,
        }
    }
}

/// The value of an element's attribute.
#[inline]
pub(crate) fn value<'n>(tree: &Tree, id: NodeId, node: &'n Node, attribute: Attribute) -> &'n str {
    match attribute {
        Attribute::Text => node.label(),
        Attribute::ContentDesc => &node.content_desc,
        Attribute::ResourceId => node.resource_id.as_deref().unwrap_or_default(),
        Attribute::Role => tree.role(id).word(),
        Attribute::Class => &node.class,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;
    use clawperator_contract::{MATCHER_FIELDS, Matcher};

    /// `textEquals=Wi-Fi role=text`, with `_` for a space.
    fn matcher(fields: &str) -> Selector {
        let mut matcher = Matcher::default();
        for field in fields.split_whitespace() {
            let (name, value) = field.split_once('=').unwrap();
            let row = MATCHER_FIELDS.iter().find(|row| row.name == name).unwrap();
            *(row.slot)(&mut matcher) = Some(value.replace('_', " "));
        }
        matcher.selector()
    }

    const DRAWING: &str = "FrameLayout [0,0][100,100] id=a:id/root
 RecyclerView [0,0][100,50] id=a:id/list scrollable
  LinearLayout [0,0][100,20] clickable
   TextView \"Wi-Fi\" id=android:id/title
   TextView \"On\" id=android:id/summary
  LinearLayout [0,20][100,40] clickable
   TextView \"Sign_in\" desc=Enter_here id=android:id/title
   ImageView desc=Wi-Fi
 Button [0,50][100,60] \"SIGN_UP\" id=a:id/go clickable
 Button [0,200][100,210] \"Sign_out\" id=a:id/out clickable
 View [0,60][100,70] id=short
 View [0,70][100,80] id=a:id/short
 View [0,80][100,90] id=a:id/same
 View [0,90][100,100] id=b:id/same";

    #[test]
    fn a_matcher_finds_what_fits_all_its_fields() {
        let tree = sketch(DRAWING);
        let screen = Screen::new(&tree);
        for (fields, expected) in [
            ("resourceId=android:id/title", "3 6"),
            // A short id stands for the only full one.
            ("resourceId=title", "3 6"),
            ("resourceId=id/title", ""),
            ("resourceId=itle", ""),
            ("resourceId=same", ""),
            ("resourceId=short", "10"),
            ("resourceId=Root", ""),
            ("resourceId=a:id/Root", ""),
            // The label may be the description.
            ("textEquals=Wi-Fi", "3 7"),
            ("textEquals=wi-fi", ""),
            ("textEquals=Sign", ""),
            ("textContains=sign", "6 8"),
            ("textContains=ENTER", ""),
            ("contentDescEquals=Enter_here", "6"),
            ("contentDescEquals=enter_here", ""),
            ("contentDescContains=HERE", "6"),
            ("role=BUTTON", "8"),
            ("role=listitem", "2 5"),
            ("role=nonsense", ""),
            ("textContains=sign role=button", "8"),
            ("textContains=sign resourceId=a:id/root", ""),
            // Nothing unseen is found.
            ("resourceId=a:id/out", ""),
            ("", ""),
        ] {
            let matcher = matcher(fields);
            let found: Vec<_> = screen.all(&matcher).map(|id| id.0.to_string()).collect();
            assert_eq!(found.join(" "), expected, "{fields}");
            assert_eq!(screen.first(&matcher), screen.all(&matcher).next(), "{fields}");
            assert_eq!(screen.count(&matcher), found.len(), "{fields}");
        }
    }

    #[test]
    fn a_container_counts_as_inside_itself() {
        let tree = sketch(DRAWING);
        let screen = Screen::new(&tree);
        for (container, fields, expected) in [
            (1, "resourceId=a:id/list", vec![1]),
            (1, "textContains=sign", vec![6]),
            (2, "textEquals=Wi-Fi", vec![3]),
            (3, "textEquals=On", vec![]),
            (9, "role=button", vec![]),
        ] {
            let matcher = matcher(fields);
            let found: Vec<_> = screen.inside(NodeId(container), &matcher).map(|id| id.0).collect();
            assert_eq!(found, expected, "{container} {fields}");
        }
    }
}
