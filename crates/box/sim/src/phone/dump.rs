//! The screen as `uiautomator` tells it.

use super::Phone;
use crate::view::{Appearance, View};
use clawperator_ui::{Flag, Node, Tree};

/// Why there is no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpRefusal {
    /// Something on the screen is always animated.
    NotIdle,
    NullRoot,
}

/// Which views a dump has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DumpViews {
    All,
    /// Those that mean something to a screen reader.
    Important,
}

impl Phone {
    /// The tree of the window in front.
    ///
    /// # Errors
    /// [`DumpRefusal`] where the real tool has none either.
    pub fn dump(&self, views: DumpViews) -> Result<Tree, DumpRefusal> {
        if self.is_busy() {
            return Err(DumpRefusal::NotIdle);
        }
        self.tree(views).ok_or(DumpRefusal::NullRoot)
    }

    /// The tree of the window in front, idle or not.
    pub fn tree(&self, views: DumpViews) -> Option<Tree> {
        Some(self.dump_tree(views, DumpDetail::Usual)?.0)
    }

    /// The same with all that Android tells of a view.
    pub(crate) fn detailed_tree(&self, views: DumpViews) -> Option<Tree> {
        Some(self.dump_tree(views, DumpDetail::All)?.0)
    }

    /// The tree of the window in front, and for each of its nodes that can be
    /// scrolled whether it can go on forward and backward.
    pub(crate) fn tree_with_ends(&self) -> Option<(Tree, Vec<(bool, bool)>)> {
        self.dump_tree(DumpViews::All, DumpDetail::Usual)
    }

    fn dump_tree(&self, views: DumpViews, detail: DumpDetail) -> Option<(Tree, Vec<(bool, bool)>)> {
        let app = self.front_app();
        let (package, root) = self.active_view(app.as_ref())?;
        let tree = Tree::new(self.display.rotation);
        let mut writer = DumpWriter { tree, package: &package, views, detail, ends: Vec::new(), drawn: 0 };
        writer.view(&root, 0, 0);
        Some((writer.tree, writer.ends))
    }
}

/// How much a dump says of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DumpDetail {
    /// What `uiautomator` tells.
    Usual,
    /// Its hint, its order, and the value of what has a range, too.
    All,
}

struct DumpWriter<'t> {
    tree: Tree,
    package: &'t str,
    views: DumpViews,
    detail: DumpDetail,
    ends: Vec<(bool, bool)>,
    /// The number of the next view in the order in which its parent draws.
    drawn: i32,
}

impl DumpWriter<'_> {
    /// Writes a view and what is in it; how many nodes stand at its level then.
    fn view(&mut self, view: &View<'_>, index: i32, depth: usize) -> i32 {
        let drawn = self.drawn;
        // What cannot be seen is not told, and neither is what is in it.
        if view.visible.is_empty() && view.told_index.is_none() {
            return 0;
        }
        if self.views == DumpViews::Important && depth > 0 && !is_important(view) {
            return self.children(view, index, depth);
        }
        self.tree.push(depth, self.node(view, (index, drawn)));
        if view.flags.has(Flag::Scrollable) {
            let ends = view.scroll.as_ref();
            let ends = ends.map(|scroll| (scroll.offset < scroll.range, scroll.offset > 0));
            self.ends.push(ends.unwrap_or_default());
        }
        self.children(view, 0, depth + 1);
        1
    }

    fn children(&mut self, view: &View<'_>, first: i32, depth: usize) -> i32 {
        if matches!(view.look, Appearance::Web { in_tree: false }) {
            return 0;
        }
        let mut count = 0;
        for (drawn, child) in by_place(view) {
            // A child that cannot be seen keeps its number.
            let index = first + count;
            self.drawn = first + drawn;
            let written = self.view(child, index, depth);
            count += if self.views == DumpViews::All { 1 } else { written };
        }
        count
    }

    fn node(&self, view: &View<'_>, (index, drawn): (i32, i32)) -> Node {
        let silent = matches!(view.look, Appearance::Image(_) | Appearance::Progress(_));
        let mut node = Node {
            index: view.told_index.unwrap_or(index),
            text: if silent { String::new() } else { printable(&view.text) },
            resource_id: Some(view.id.clone()),
            class: view.class.clone().into_owned(),
            package: view.package.unwrap_or(self.package).to_owned(),
            content_desc: printable(&view.desc),
            flags: view.flags,
            bounds: view.visible,
            ..Node::default()
        };
        let mute = node.text.is_empty() && node.content_desc.is_empty();
        let usable = view.flags.has(Flag::Clickable) && view.flags.has(Flag::Enabled);
        node.not_accessibility_friendly = usable && mute && !says_something(view);
        if self.detail == DumpDetail::All {
            add_details(view, drawn, &mut node);
        }
        node
    }
}

/// The views in another, each with its number in the order in which they are drawn. Android tells
/// them by their places: the upper ones first, then those nearer to where a line begins, then the
/// larger ones. What was captured has its order already.
fn by_place<'v, 'a>(view: &'v View<'a>) -> Vec<(i32, &'v View<'a>)> {
    let mut sorted: Vec<_> = (0..).zip(&view.children).collect();
    if view.children.iter().any(|child| child.told_index.is_some()) {
        return sorted;
    }
    let comes_before = |one: &View<'_>, other: &View<'_>| {
        let (a, b) = (one.bounds, other.bounds);
        if a == b {
            return false;
        }
        if a.bottom <= b.top || b.bottom <= a.top {
            return a.bottom <= b.top;
        }
        let side = if one.rtl { b.right.cmp(&a.right) } else { a.left.cmp(&b.left) };
        let larger = |length: fn(clawperator_ui::Bounds) -> i32| length(b).cmp(&length(a));
        let order = side.then(a.top.cmp(&b.top)).then(larger(|it| it.bottom - it.top));
        order.then(larger(|it| it.right - it.left)).is_lt()
    };
    // That order is none of all elements, so each goes before those that it comes before.
    for at in 1..sorted.len() {
        let mut place = at;
        while place > 0 && comes_before(sorted[place].1, sorted[place - 1].1) {
            sorted.swap(place, place - 1);
            place -= 1;
        }
    }
    sorted
}

fn add_details(view: &View<'_>, drawn: i32, node: &mut Node) {
    let hint = if matches!(view.look, Appearance::Field { .. }) { view.hint.as_str() } else { "" };
    node.hint = Some(printable(hint));
    node.visible_to_user = Some(!view.visible.is_empty());
    node.drawing_order = Some(drawn + 1);
    node.display_id = Some(0);
    if let Appearance::Progress(Some(percent)) = view.look {
        node.text = format!("{percent}.0");
    }
}

/// Tells whether something inside a view says what it is.
fn says_something(view: &View<'_>) -> bool {
    view.children
        .iter()
        .any(|child| !child.text.is_empty() || !child.desc.is_empty() || says_something(child))
}

/// Tells whether a screen reader would stop at a view.
fn is_important(view: &View<'_>) -> bool {
    let does = [Flag::Clickable, Flag::LongClickable, Flag::Scrollable, Flag::Focusable, Flag::Checkable];
    !view.text.is_empty()
        || !view.desc.is_empty()
        || !view.id.is_empty()
        || does.iter().any(|flag| view.flags.has(*flag))
}

/// What the real tool makes of characters that XML cannot say.
fn printable(text: &str) -> String {
    let is_bad = |letter: char| {
        matches!(u32::from(letter),
            0x1..=0x8 | 0xb..=0xc | 0xe..=0x1f | 0x7f..=0x84 | 0x86..=0x9f | 0xfdd0..=0xfddf)
            || matches!(u32::from(letter) & 0xffff, 0xfffe | 0xffff)
    };
    text.chars().map(|letter| if is_bad(letter) { '.' } else { letter }).collect()
}
