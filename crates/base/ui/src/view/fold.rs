//! What is said inside an element that takes a touch becomes part of its line:
//! the texts, and the state that they share.

use super::line::tidy;
use crate::bounds::Bounds;
use crate::limits::MAX_LINE_TEXTS;
use crate::screen::Screen;
use crate::tree::{Flags, Node, NodeId};
use clawperator_contract::Flag;
use clawperator_contract::text::is_blank;

/// What an element says with what is inside it.
pub(super) struct FoldedText {
    /// Its texts; the first is its label.
    pub(super) texts: Vec<String>,
    /// What it can do and what state it is in, with the state of its inside.
    pub(super) flags: Flags,
    /// The elements inside that need no line of their own.
    pub(super) covered: Vec<NodeId>,
}

/// A flag of an element's state, and how it is when it says something.
const STATES: [(Flag, bool); 2] = [(Flag::Selected, true), (Flag::Enabled, false)];

/// Folds what is inside an element into it. `takes` tells which elements take
/// something themselves; those and their insides are left alone.
pub(super) fn fold(screen: &Screen<'_>, id: NodeId, takes: impl Fn(NodeId) -> bool) -> FoldedText {
    let node = screen.tree().node(id);
    let inside = InnerElements::of(screen, id, takes);
    let mut folded =
        FoldedText { texts: Vec::new(), flags: inside.flags(node.flags), covered: inside.covered.clone() };
    if !node.label().is_empty() {
        folded.texts.push(tidy(node.label()));
        folded.texts.extend(beside(node));
    }
    let mut known = parts(node.label());
    // Whether the text before is in the line. A text said before is said again
    // behind another one: it may be its value.
    let mut follows = false;
    for row in rows(&inside.near) {
        let room = MAX_LINE_TEXTS.saturating_sub(folded.texts.len());
        // A label and the value beside it stay together.
        if row.len() > room && !folded.texts.is_empty() {
            break;
        }
        for (inner, node) in row.into_iter().take(room) {
            if is_apart(node.flags, folded.flags) {
                continue;
            }
            folded.covered.push(inner);
            let text = tidy(node.label());
            let again = known.contains(&text.to_lowercase());
            let doubled = folded.texts.last() == Some(&text) && !has_digit(&text);
            follows = !doubled && (!again || follows);
            if !follows {
                continue;
            }
            known.push(text.to_lowercase());
            folded.texts.push(text);
            folded.texts.extend(beside(node));
        }
    }
    // What the element itself says already needs no line, wherever it is.
    let own = parts(node.label());
    let repeated = inside.far.iter().filter(|(_, node)| {
        own.contains(&tidy(node.label()).to_lowercase()) && !is_apart(node.flags, folded.flags)
    });
    folded.covered.extend(repeated.map(|(id, _)| *id));
    folded
}

/// The elements inside one that take nothing themselves.
struct InnerElements<'t> {
    /// Those with a label, up to where something that acts comes between them.
    near: Vec<(NodeId, &'t Node)>,
    /// Those with a label behind that.
    far: Vec<(NodeId, &'t Node)>,
    /// The flags of those without anything inside.
    leaves: Vec<Flags>,
    /// Whether one of them has the focus.
    focused: bool,
    /// Those that say what the one around them says, or nothing but the focus.
    covered: Vec<NodeId>,
}

impl<'t> InnerElements<'t> {
    fn of(screen: &Screen<'t>, id: NodeId, takes: impl Fn(NodeId) -> bool) -> Self {
        let tree = screen.tree();
        let mut inside = Self {
            near: Vec::new(),
            far: Vec::new(),
            leaves: Vec::new(),
            focused: false,
            covered: Vec::new(),
        };
        let mut acting_end = 0;
        let mut is_behind = false;
        for (inner, node) in screen.within(id).skip(1) {
            if inner.0 < acting_end {
                continue;
            }
            if takes(inner) {
                acting_end = tree.end(inner);
                is_behind |= !inside.near.is_empty();
                continue;
            }
            inside.focused |= node.flags.has(Flag::Focused);
            if tree.end(inner) == inner.0 + 1 {
                inside.leaves.push(node.flags);
            }
            let around = tree.parent(inner).filter(|outer| *outer != id);
            let said = around.is_some_and(|outer| tree.node(outer).label() == node.label());
            if node.label().is_empty() || said {
                inside.covered.push(inner);
                continue;
            }
            let list = if is_behind { &mut inside.far } else { &mut inside.near };
            list.push((inner, node));
        }
        inside
    }

    /// The flags of the element with the state that all inside it share.
    fn flags(&self, own: Flags) -> Flags {
        let labelled: Vec<Flags> = self.near.iter().map(|(_, node)| node.flags).collect();
        let telling = if labelled.is_empty() { &self.leaves } else { &labelled };
        STATES
            .into_iter()
            .filter(|(flag, on)| !telling.is_empty() && telling.iter().all(|flags| flags.has(*flag) == *on))
            .fold(own, |flags, (flag, on)| flags.with(flag, on))
            .with(Flag::Focused, own.has(Flag::Focused) || self.focused)
    }
}

/// Whether the view shows a state for an element and not for the line around it.
fn is_apart(own: Flags, line: Flags) -> bool {
    STATES.into_iter().any(|(flag, on)| own.has(flag) == on && line.has(flag) != on)
}

/// Elements in the rows that a user sees: a column of labels beside a column of
/// values is read across.
fn rows<'t>(elements: &[(NodeId, &'t Node)]) -> Vec<Vec<(NodeId, &'t Node)>> {
    let mut rows: Vec<Vec<(NodeId, &Node)>> = Vec::new();
    for (id, node) in elements {
        let level = rows.iter_mut().find(|row| are_level(row[0].1.bounds, node.bounds));
        match level {
            Some(row) => row.push((*id, node)),
            None => rows.push(vec![(*id, node)]),
        }
    }
    rows
}

/// Whether the middle of each of two elements is at the height of the other.
fn are_level(one: Bounds, two: Bounds) -> bool {
    let at = |bounds: Bounds, y: i32| (bounds.top..bounds.bottom).contains(&y);
    at(one, two.center().y) && at(two, one.center().y)
}

fn has_digit(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit())
}

/// What a text says as a whole, and each of its parts: a description often
/// lists what is inside with commas. A word in the middle of one is no part.
fn parts(text: &str) -> Vec<String> {
    let whole = tidy(text).to_lowercase();
    let mut parts: Vec<String> = text.split([',', '\n']).map(|part| tidy(part).to_lowercase()).collect();
    parts.push(whole);
    parts.retain(|part| !part.is_empty());
    parts
}

/// What an element's description adds to its text.
pub(super) fn beside(node: &Node) -> Option<String> {
    let (text, desc) = (tidy(&node.text), tidy(&node.content_desc));
    if is_blank(&text) || desc.is_empty() || parts(&node.text).contains(&desc.to_lowercase()) {
        return None;
    }
    // A part of a word is no beginning.
    let rest = desc.strip_prefix(&text);
    let rest = rest.filter(|rest| !rest.starts_with(char::is_alphanumeric));
    let adds = rest.map_or(desc.as_str(), |rest| rest.trim_start_matches(|c: char| !c.is_alphanumeric()));
    (!adds.is_empty()).then(|| adds.to_owned())
}
