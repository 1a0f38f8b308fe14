//! The tree: elements in reading order, each knowing where its contents end.

use crate::bounds::Bounds;
use crate::role::Role;
use clawperator_contract::Flag;

/// An element's place in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

/// A screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tree {
    /// How the screen is turned, in quarter turns.
    pub rotation: u8,
    nodes: Vec<Node>,
    /// How each element is linked to the others.
    links: Vec<Links>,
    /// The last element and what is around it, outermost first.
    open: Vec<usize>,
}

/// One element.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node {
    /// Its number among its siblings, as the phone counts them.
    pub index: i32,
    pub text: String,
    /// Its resource id; phones before Android 4.3 do not say.
    pub resource_id: Option<String>,
    pub class: String,
    pub package: String,
    /// What a screen reader says instead of its text.
    pub content_desc: String,
    /// What it can do and what state it is in.
    pub flags: Flags,
    pub bounds: Bounds,
    /// Whether a user can see it; only newer dumps say.
    pub visible_to_user: Option<bool>,
    /// In which order it is drawn; only newer dumps say.
    pub drawing_order: Option<i32>,
    /// What an empty field asks for; only newer dumps say.
    pub hint: Option<String>,
    /// The display it is on; only newer dumps say.
    pub display_id: Option<i32>,
    /// Whether the phone marked it as clickable with nothing to say ("NAF").
    pub not_accessibility_friendly: bool,
    /// Whether dots stand for a known secret in one of its texts; no dump says.
    pub hides_secret: bool,
}

/// How an element is linked to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Links {
    depth: usize,
    parent: Option<usize>,
    /// The number of the first element that is not inside this one.
    end: usize,
    /// What its class says it is; this is asked again and again.
    class_role: Option<Role>,
}

/// Every flag and its attribute, in the dump's order.
pub const FLAGS: [(Flag, &str); 10] = [
    (Flag::Checkable, "checkable"),
    (Flag::Checked, "checked"),
    (Flag::Clickable, "clickable"),
    (Flag::Enabled, "enabled"),
    (Flag::Focusable, "focusable"),
    (Flag::Focused, "focused"),
    (Flag::Scrollable, "scrollable"),
    (Flag::LongClickable, "long-clickable"),
    (Flag::Password, "password"),
    (Flag::Selected, "selected"),
];

/// A set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u16);

impl Flags {
    /// Tells whether a flag is in the set.
    pub fn has(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u16) != 0
    }

    /// The set with a flag in it, or not.
    pub fn with(self, flag: Flag, on: bool) -> Self {
        let bit = 1 << flag as u16;
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }
}

impl Tree {
    /// An empty screen, to be filled with [`Self::push`].
    pub fn new(rotation: u8) -> Self {
        Self { rotation, ..Self::default() }
    }

    /// Makes room for so many elements more.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.nodes.reserve(count);
        self.links.reserve(count);
    }

    /// Adds an element so many levels down, behind all others. A level that
    /// skips one is the next below the last element.
    pub fn push(&mut self, depth: usize, node: Node) -> NodeId {
        let number = self.nodes.len();
        self.open.truncate(depth);
        // Elements of one class often come after each other.
        let is_alike = self.nodes.last().is_some_and(|last| last.class == node.class);
        let class_role = match self.links.last() {
            Some(last) if is_alike => last.class_role,
            _ => Role::of_class(&node.class),
        };
        let parent = self.open.last().copied();
        self.links.push(Links { depth: self.open.len(), parent, end: number + 1, class_role });
        for outer in &self.open {
            self.links[*outer].end = number + 1;
        }
        self.open.push(number);
        self.nodes.push(node);
        NodeId(number)
    }

    /// Every element with its place, in reading order: an element comes before what is inside it.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(place, node)| (NodeId(place), node))
    }

    /// Every element, to be changed.
    pub(crate) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.nodes.iter_mut()
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The element at a place.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// How many levels down an element is; the outermost are at 0.
    pub fn depth(&self, id: NodeId) -> usize {
        self.links[id.0].depth
    }

    /// The element around one.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.links[id.0].parent.map(NodeId)
    }

    /// What the class alone says.
    pub(crate) fn class_role(&self, id: NodeId) -> Option<Role> {
        self.links[id.0].class_role
    }

    /// The elements directly inside one.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let end = self.links[id.0].end;
        let mut next = id.0 + 1;
        std::iter::from_fn(move || {
            let place = Some(next).filter(|next| *next < end)?;
            next = self.links[place].end;
            Some(NodeId(place))
        })
    }

    /// The outermost elements.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let root = next;
            next = self.links.get(root)?.end;
            Some(NodeId(root))
        })
    }

    /// The number of the first element that is not inside one.
    pub(crate) fn end(&self, id: NodeId) -> usize {
        self.links[id.0].end
    }

    /// Everything inside an element, in reading order, without the element.
    pub fn descendants(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        (id.0 + 1..self.links[id.0].end).map(NodeId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(depths: &[usize]) -> Tree {
        let mut tree = Tree::new(0);
        for (index, depth) in depths.iter().enumerate() {
            tree.push(*depth, Node { index: index as i32, ..Node::default() });
        }
        tree
    }

    #[test]
    fn elements_know_their_family() {
        let tree = tree(&[0, 1, 2, 2, 1, 2, 3, 0, 1]);
        let numbers = |ids: Vec<NodeId>| ids.iter().map(|id| id.0).collect::<Vec<_>>();
        assert_eq!(numbers(tree.children(NodeId(0)).collect()), [1, 4]);
        assert_eq!(numbers(tree.children(NodeId(1)).collect()), [2, 3]);
        assert_eq!(numbers(tree.descendants(NodeId(0)).collect()), [1, 2, 3, 4, 5, 6]);
        assert_eq!(numbers(tree.children(NodeId(7)).collect()), [8]);
        assert_eq!(tree.parent(NodeId(6)), Some(NodeId(5)));
        assert_eq!(tree.parent(NodeId(4)), Some(NodeId(0)));
        assert_eq!(tree.parent(NodeId(7)), None);
        assert_eq!(numbers(tree.roots().collect()), [0, 7]);
        for (id, _) in tree.nodes() {
            assert!(tree.children(id).all(|child| tree.parent(child) == Some(id)));
        }
    }

    #[test]
    fn a_level_cannot_be_skipped() {
        let tree = tree(&[5, 9]);
        assert_eq!((tree.depth(NodeId(0)), tree.depth(NodeId(1))), (0, 1));
    }

    #[test]
    fn flags_are_kept_apart() {
        for (flag, _) in FLAGS {
            let set = Flags::default().with(flag, true);
            assert_eq!(FLAGS.iter().filter(|(other, _)| set.has(*other)).count(), 1);
            assert_eq!(set.with(flag, false), Flags::default());
        }
    }
}
