//! Finds the elements that a matcher names.

use crate::part::Part;
use crate::role::Role;
use crate::seen::Screen;
use crate::tree::{Node, NodeId, Tree};
use clawperator_contract::Matcher;

impl<'t> Screen<'t> {
    /// The first element that fits, in reading order.
    #[must_use]
    pub fn first(&self, matcher: &Matcher) -> Option<NodeId> {
        self.all(matcher).next()
    }

    /// Every element that fits, in reading order.
    pub fn all<'m>(&self, matcher: &'m Matcher) -> impl Iterator<Item = NodeId> + use<'t, 'm> {
        fitting(self.tree(), self.nodes(), matcher)
    }

    /// Every element of the tree that fits, seen or not, in reading order.
    pub fn anywhere<'m>(&self, matcher: &'m Matcher) -> impl Iterator<Item = NodeId> + use<'t, 'm> {
        fitting(self.tree(), self.tree().nodes(), matcher)
    }

    /// Tells whether an element fits every field but the ref, which only a book
    /// of refs can judge.
    #[must_use]
    pub fn fits(&self, id: NodeId, matcher: &Matcher) -> bool {
        let rest = Matcher {
            reference: None,
            ..matcher.clone()
        };
        rest == Matcher::default()
            || Wanted::new(&rest).is_some_and(|wanted| wanted.fits(self.tree(), id, self.tree().node(id)))
    }

    /// How many elements fit.
    #[must_use]
    pub fn count(&self, matcher: &Matcher) -> usize {
        self.all(matcher).count()
    }

    /// Every element that fits among a container and what is inside it, in
    /// reading order.
    pub fn inside<'m>(
        &self,
        container: NodeId,
        matcher: &'m Matcher,
    ) -> impl Iterator<Item = NodeId> + use<'t, 'm> {
        fitting(self.tree(), self.within(container), matcher)
    }
}

fn fitting<'t, 'm>(
    tree: &'t Tree,
    nodes: impl Iterator<Item = (NodeId, &'t Node)>,
    matcher: &'m Matcher,
) -> impl Iterator<Item = NodeId> {
    let wanted = Wanted::new(matcher);
    nodes
        .filter(move |(id, node)| wanted.as_ref().is_some_and(|wanted| wanted.fits(tree, *id, node)))
        .map(|(id, _)| id)
}

/// A matcher, made ready to be asked of many elements.
struct Wanted<'m> {
    matcher: &'m Matcher,
    role: Option<Role>,
    text: Option<Part>,
    content_desc: Option<Part>,
}

impl<'m> Wanted<'m> {
    /// Nothing is wanted where nothing can fit: no element has a role that
    /// does not exist, and a matcher without a field names none. A ref is not
    /// for this search to judge, so that it fits nothing here.
    fn new(matcher: &'m Matcher) -> Option<Self> {
        if *matcher == Matcher::default() || matcher.reference.is_some() {
            return None;
        }
        let role = match &matcher.role {
            Some(word) => Some(Role::from_any_case(word)?),
            None => None,
        };
        let part = |text: &Option<String>| text.as_deref().map(Part::new);
        Some(Self {
            matcher,
            role,
            text: part(&matcher.text_contains),
            content_desc: part(&matcher.content_desc_contains),
        })
    }

    /// Cheap questions come first.
    fn fits(&self, tree: &Tree, id: NodeId, node: &Node) -> bool {
        let equal =
            |wanted: &Option<String>, text: &str| wanted.as_deref().is_none_or(|wanted| wanted == text);
        let has = |part: &Option<Part>, text: &str| part.as_ref().is_none_or(|part| part.is_in(text));
        let wants_label = self.text.is_some() || self.matcher.text_equals.is_some();
        let label = if wants_label { node.label() } else { "" };
        equal(
            &self.matcher.resource_id,
            node.resource_id.as_deref().unwrap_or_default(),
        ) && equal(&self.matcher.content_desc_equals, &node.content_desc)
            && equal(&self.matcher.text_equals, label)
            && has(&self.text, label)
            && has(&self.content_desc, &node.content_desc)
            && self.role.is_none_or(|role| tree.role(id) == role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;
    use clawperator_contract::MATCHER_FIELDS;

    /// `textEquals=Wi-Fi role=text`, with `_` for a space.
    fn matcher(fields: &str) -> Matcher {
        let mut matcher = Matcher::default();
        for field in fields.split_whitespace() {
            let (name, value) = field.split_once('=').unwrap();
            let row = MATCHER_FIELDS.iter().find(|row| row.name == name).unwrap();
            *(row.slot)(&mut matcher) = Some(value.replace('_', " "));
        }
        matcher
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
 Button [0,200][100,210] \"Sign_out\" id=a:id/out clickable";

    #[test]
    fn a_matcher_finds_what_fits_all_its_fields() {
        let tree = sketch(DRAWING);
        let screen = Screen::new(&tree);
        for (fields, expected) in [
            ("resourceId=android:id/title", "3 6"),
            // Ids are exact.
            ("resourceId=title", ""),
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
            let found: Vec<_> = screen
                .inside(NodeId(container), &matcher)
                .map(|id| id.0)
                .collect();
            assert_eq!(found, expected, "{container} {fields}");
        }
    }
}
