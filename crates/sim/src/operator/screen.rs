//! The screen as the app sees it: what is visible, what each element is, and
//! which of them fits a matcher.

use super::answer::Thrown;
use super::command::Matcher;
use crate::phone::{Phone, Views};
use clawperator_ui::{Flag, Node, NodeId, Tree};

/// How many levels up something is looked for, the element itself included.
const LEVELS: usize = 8;
/// How many elements around one make it as good as clickable.
const CLICKABLE_AROUND: usize = 3;

/// The elements a user can see.
#[derive(Debug)]
pub(super) struct Screen {
    pub(super) tree: Tree,
}

impl Screen {
    /// What is on the screen now; none while it is off.
    pub(super) fn of(phone: &Phone) -> Option<Self> {
        let raw = phone.tree(Views::All)?;
        let (width, height) = phone.display.size();
        let mut tree = Tree::new(raw.rotation);
        let mut dropped: Option<usize> = None;
        for (id, node) in raw.nodes() {
            let depth = raw.depth(id);
            // What is inside something that was dropped is dropped as well.
            if dropped.is_some_and(|above| depth > above) {
                continue;
            }
            let seen = is_seen(node, (width, height));
            dropped = (!seen).then_some(depth);
            if seen || depth == 0 {
                tree.push(depth, node.clone());
            }
        }
        Some(Self { tree })
    }

    /// The first element that fits.
    pub(super) fn find(&self, matcher: &Matcher) -> Option<NodeId> {
        let mut nodes = self.tree.nodes();
        nodes.find(|(id, _)| self.fits(*id, matcher)).map(|(id, _)| id)
    }

    /// Every element that fits: an element and what is inside it, or all.
    pub(super) fn find_all(&self, matcher: &Matcher, inside: Option<NodeId>) -> Vec<NodeId> {
        let candidates: Vec<NodeId> = match inside {
            Some(outer) => std::iter::once(outer)
                .chain(self.tree.descendants(outer))
                .collect(),
            None => self.tree.nodes().map(|(id, _)| id).collect(),
        };
        let fits = |id: &NodeId| self.fits(*id, matcher);
        candidates.into_iter().filter(fits).collect()
    }

    fn fits(&self, id: NodeId, matcher: &Matcher) -> bool {
        let node = self.tree.node(id);
        let label = label(node);
        let within = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        let is = |wanted: &Option<String>, test: &dyn Fn(&str) -> bool| wanted.as_deref().is_none_or(test);
        is(&matcher.resource_id, &|wanted| {
            node.resource_id.as_deref().unwrap_or_default() == wanted
        }) && is(&matcher.text_equals, &|wanted| label == wanted)
            && is(&matcher.text_contains, &|wanted| within(label, wanted))
            && is(&matcher.desc_equals, &|wanted| node.content_desc == wanted)
            && is(&matcher.desc_contains, &|wanted| {
                within(&node.content_desc, wanted)
            })
            && is(&matcher.role, &|wanted| {
                self.role(id).eq_ignore_ascii_case(wanted)
            })
    }

    /// An element and what is around it, as far as the app looks.
    pub(super) fn outward(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(id), |id| self.tree.parent(*id)).take(LEVELS)
    }

    /// The first of an element and those around it that has a flag.
    pub(super) fn nearest(&self, id: NodeId, flag: Flag) -> Option<NodeId> {
        self.outward(id).find(|id| self.tree.node(*id).flags.has(flag))
    }

    /// What the app takes an element for.
    pub(super) fn role(&self, id: NodeId) -> &'static str {
        let node = self.tree.node(id);
        let parent = self.tree.parent(id).map(|parent| self.tree.node(parent));
        let labelled = !label(node).is_empty();
        if labelled && parent.is_some_and(holds_tabs) {
            return "tab";
        }
        let class = node.class.to_lowercase();
        let row = CLASSES
            .iter()
            .find(|row| row.0.split('|').any(|part| class.contains(part)));
        match row.map(|row| row.1) {
            Some("recyclerview") if self.is_grid(id) => return "grid",
            Some("recyclerview") => return "list",
            Some("image") if self.as_good_as_clickable(id) => return "icon",
            Some(role) => return role,
            None => {}
        }
        if parent.is_some_and(|parent| LISTS.iter().any(|list| parent.class.ends_with(list))) {
            return "listitem";
        }
        if LAYOUTS.iter().any(|layout| node.class.contains(layout)) {
            return "container";
        }
        let clickable = node.flags.has(Flag::Clickable);
        match (labelled, clickable) {
            (true, false) if parent.is_some_and(|parent| parent.class.contains("Toolbar")) => "title",
            (true, false) => "text",
            (true, true) if node.text.contains(' ') && node.text.encode_utf16().count() > 20 => "text",
            (true, true) => "button",
            (false, _) => "unknown",
        }
    }

    /// Two rows beside each other make a grid: the dump does not count columns.
    fn is_grid(&self, id: NodeId) -> bool {
        let tops: Vec<i32> = self
            .tree
            .children(id)
            .map(|id| self.tree.node(id).bounds.top)
            .collect();
        tops.windows(2).any(|pair| pair[0] == pair[1])
    }

    fn as_good_as_clickable(&self, id: NodeId) -> bool {
        self.outward(id)
            .take(1 + CLICKABLE_AROUND)
            .any(|id| self.tree.node(id).flags.has(Flag::Clickable))
    }
}

/// Parts of a class's name in small letters, and the role they stand for; the
/// first that fits counts.
const CLASSES: &[(&str, &str)] = &[
    ("viewpager", "pager"),
    ("button", "button"),
    ("edittext|autocompletetextview", "textfield"),
    ("switch", "switch"),
    ("checkbox", "checkbox"),
    ("recyclerview", "recyclerview"),
    ("listview", "list"),
    ("gridview", "grid"),
    ("toolbar", "toolbar"),
    ("tablayout|bottomnavigationview", "tabbar"),
    ("imageview", "image"),
    ("chip", "chip"),
];

/// Classes whose contents say that they are items of a collection.
const LISTS: &[&str] = &["RecyclerView", "ListView", "GridView"];

const LAYOUTS: &[&str] = &[
    "LinearLayout",
    "FrameLayout",
    "ConstraintLayout",
    "CoordinatorLayout",
];

fn holds_tabs(parent: &Node) -> bool {
    let id = parent.resource_id.as_deref().unwrap_or_default().to_lowercase();
    let by_class = ["TabLayout", "BottomNavigationView"];
    by_class.iter().any(|name| parent.class.contains(name))
        || ["tab", "navigation", "bottom"]
            .iter()
            .any(|part| id.contains(part))
}

/// What an element says: its text, or what a screen reader says instead.
pub(super) fn label(node: &Node) -> &str {
    let said = [&node.text, &node.content_desc];
    said.into_iter()
        .find(|text| !text.trim().is_empty())
        .map_or("", String::as_str)
}

fn is_seen(node: &Node, (width, height): (i32, i32)) -> bool {
    let bounds = node.bounds;
    // The edges count: what only touches the screen is on it.
    let touches = bounds.left <= width && bounds.right >= 0 && bounds.top <= height && bounds.bottom >= 0;
    !bounds.is_empty() && node.visible_to_user.unwrap_or(true) && touches
}

/// Tells whether text can be put into an element.
pub(super) fn is_editable(node: &Node) -> bool {
    ["EditText", "AutoCompleteTextView"]
        .iter()
        .any(|class| node.class.contains(class))
}

/// What ends a command whose element is not there.
pub(super) fn missing(matcher: &Matcher) -> Thrown {
    Thrown(format!("Node not found: {matcher}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clawperator_ui::{Bounds, Flags};

    fn node(class: &str, text: &str, flags: Flags) -> Node {
        Node {
            class: class.to_owned(),
            text: text.to_owned(),
            flags,
            bounds: Bounds {
                left: 0,
                top: 0,
                right: 10,
                bottom: 10,
            },
            ..Node::default()
        }
    }

    #[test]
    fn roles_are_guessed_as_the_app_guesses() {
        let (no, yes) = (Flags::default(), Flags::default().with(Flag::Clickable, true));
        for (parent, class, text, flags, role) in [
            ("x.TabLayout", "android.widget.Button", "Home", no, "tab"),
            ("x.TabLayout", "android.widget.Button", "", no, "button"),
            ("x.View", "android.widget.RadioButton", "", no, "button"),
            (
                "x.View",
                "android.widget.MultiAutoCompleteTextView",
                "",
                no,
                "textfield",
            ),
            ("x.View", "android.widget.Switch", "On", no, "switch"),
            (
                "x.View",
                "androidx.recyclerview.widget.RecyclerView",
                "",
                no,
                "list",
            ),
            ("x.View", "android.widget.ImageView", "", no, "image"),
            ("x.View", "android.widget.ImageView", "", yes, "icon"),
            ("x.RecyclerView", "android.widget.TextView", "One", no, "listitem"),
            ("x.View", "android.widget.LinearLayout", "", no, "container"),
            ("x.Toolbar", "android.widget.TextView", "Title", no, "title"),
            ("x.View", "android.widget.TextView", "Words", no, "text"),
            ("x.View", "android.view.View", "Do it", yes, "button"),
            (
                "x.View",
                "android.view.View",
                "a sentence, rather than a name",
                yes,
                "text",
            ),
            ("x.View", "android.view.View", "", yes, "unknown"),
        ] {
            let mut tree = Tree::new(0);
            tree.push(0, node(parent, "", no));
            let id = tree.push(1, node(class, text, flags));
            assert_eq!(Screen { tree }.role(id), role, "{class} {text:?} in {parent}");
        }
    }

    #[test]
    fn a_matcher_means_all_it_says() {
        let mut tree = Tree::new(0);
        let mut named = node("android.widget.TextView", " ", Flags::default());
        named.content_desc = "Add Room".to_owned();
        named.resource_id = Some("p:id/add".to_owned());
        tree.push(0, named);
        let screen = Screen { tree };
        let fits = |text: &str, desc: &str, role: &str| {
            let some = |value: &str| (!value.is_empty()).then(|| value.to_owned());
            let matcher = Matcher {
                resource_id: Some("p:id/add".to_owned()),
                text_equals: some(text),
                desc_contains: some(desc),
                role: some(role),
                ..Matcher::default()
            };
            screen.find(&matcher).is_some()
        };
        // Without a text of its own an element is named by its description.
        assert!(fits("Add Room", "", ""));
        assert!(!fits("add room", "", ""));
        assert!(fits("", "ROOM", "TEXT"));
        assert!(!fits("Add Room", "room", "button"));
    }
}
