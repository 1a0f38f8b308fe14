//! What a field is called and what is in it, as far as a tree tells.

use super::line::{FieldValue, tidy};
use crate::ability::Ability;
use crate::bounds::Bounds;
use crate::role::Role;
use crate::screen::Screen;
use crate::tree::{Node, NodeId};
use clawperator_contract::Flag;
use clawperator_contract::text::is_blank;

/// What a field is called.
pub(super) enum FieldName<'t> {
    Own(&'t str),
    /// This element inside it says so: a label or what an empty field asks for.
    Inside(NodeId),
    /// The text beside it may be its name.
    Beside(&'t str),
}

/// What a field is called: its description or hint, else a text inside it,
/// else the text before it. `takes` tells which elements take something.
pub(super) fn name<'t>(
    screen: &Screen<'t>,
    id: NodeId,
    takes: impl Fn(NodeId) -> bool,
) -> Option<FieldName<'t>> {
    if let Some(name) = own_name(screen.tree().node(id)) {
        return Some(FieldName::Own(name));
    }
    let plain = |(inner, node): &(NodeId, &Node)| !node.label().is_empty() && !takes(*inner);
    if let Some((inner, _)) = screen.within(id).skip(1).find(plain) {
        return Some(FieldName::Inside(inner));
    }
    text_before(screen, id, takes).map(FieldName::Beside)
}

/// What a field calls itself.
fn own_name(node: &Node) -> Option<&str> {
    let hint = node.hint.as_deref().unwrap_or_default();
    [node.content_desc.as_str(), hint].into_iter().find(|text| !is_blank(text))
}

/// What is in a field. Only a dump that has hints tells a typed text from one;
/// an empty field can have the focus and show its hint.
pub(super) fn value(node: &Node) -> Option<FieldValue> {
    let asked = node.hint.as_deref() == Some(node.text.as_str());
    if node.text.is_empty() || asked {
        return None;
    }
    if node.flags.has(Flag::Password) {
        return Some(FieldValue::Hidden);
    }
    let text = tidy(&node.text);
    Some(match node.hint {
        Some(_) => FieldValue::Text(text),
        None => FieldValue::Unsure(text),
    })
}

/// What a slider or a picker is set to, without the zeros behind a whole number.
pub(super) fn setting(node: &Node) -> Option<FieldValue> {
    let text = node.label().trim();
    let whole = text.strip_suffix(".0").unwrap_or(text);
    (!whole.is_empty()).then(|| FieldValue::Text(tidy(whole)))
}

/// The text right before a field, if it stands above it or to its left and is no heading.
fn text_before<'t>(screen: &Screen<'t>, id: NodeId, takes: impl Fn(NodeId) -> bool) -> Option<&'t str> {
    let tree = screen.tree();
    let field = tree.node(id).bounds;
    let mut inner = id;
    for _ in 0..2 {
        let outer = tree.parent(inner)?;
        let before = screen.children(outer).take_while(|child| *child < inner).last();
        let found = before.and_then(|before| {
            let mut within = screen.within(before);
            within.find(|(id, node)| !node.label().is_empty() && !takes(*id))
        });
        if let Some((label, node)) = found {
            let names = match place(node.bounds, field) {
                LabelSide::Above => {
                    !is_heading(screen, label)
                        && !is_of_group(screen, id)
                        && !is_of_above(screen, label, field)
                }
                LabelSide::Left => !is_in_bar(screen, label),
                LabelSide::Elsewhere => false,
            };
            return (names && !is_number(node.label())).then(|| node.label());
        }
        let around = tree.node(outer).label();
        if !around.is_empty() {
            return Some(around);
        }
        inner = outer;
    }
    None
}

/// Whether a text is more digits than letters, as a value is and no name.
fn is_number(text: &str) -> bool {
    let count = |kind: fn(char) -> bool| text.chars().filter(|c| kind(*c)).count();
    count(char::is_numeric) > count(char::is_alphabetic)
}

/// Whether a text belongs to what is above it: it is the help below another
/// field, or the value below a smaller name.
fn is_of_above(screen: &Screen<'_>, text: NodeId, field: Bounds) -> bool {
    let tree = screen.tree();
    let own = tree.node(text).bounds;
    let gap = |upper: Bounds, lower: Bounds| i64::from(lower.top) - i64::from(upper.bottom);
    let is_above = |(_, node): &(NodeId, &Node)| {
        let upper = node.bounds;
        upper.bottom <= own.top && upper.left < own.right && own.left < upper.right
    };
    let says = |(id, node): &(NodeId, &Node)| tree.can(*id, Ability::Edit) || !node.label().is_empty();
    let before = screen.nodes().take_while(|(id, _)| *id < text);
    let above = before.filter(is_above).filter(says).last();
    above.is_some_and(|(id, node)| {
        if tree.can(id, Ability::Edit) {
            return gap(node.bounds, own) < gap(own, field);
        }
        let is_name = height(node.bounds) * 10 < height(own) * 9 && !is_number(node.label());
        is_name && gap(node.bounds, own) <= gap(own, field)
    })
}

/// Where a text is, seen from a field.
enum LabelSide {
    Above,
    Left,
    Elsewhere,
}

fn place(text: Bounds, field: Bounds) -> LabelSide {
    let gap = i64::from(field.top) - i64::from(text.bottom);
    let beside = text.top < field.bottom && field.top < text.bottom && text.right <= field.right;
    let above = text.left < field.right && field.left < text.right && text.top <= field.top;
    if beside {
        LabelSide::Left
    } else if above && gap <= height(text) {
        LabelSide::Above
    } else {
        LabelSide::Elsewhere
    }
}

fn height(bounds: Bounds) -> i64 {
    i64::from(bounds.bottom) - i64::from(bounds.top)
}

const HEADING_IDS: [&str; 3] = ["title", "header", "heading"];

/// Whether a text above a field is about more than the field: it is in a bar,
/// its id says so, or it is larger than the texts of the page.
fn is_heading(screen: &Screen<'_>, id: NodeId) -> bool {
    let node = screen.tree().node(id);
    let name = node.resource_id.as_deref().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    HEADING_IDS.iter().any(|word| name.contains(word)) || is_in_bar(screen, id) || is_large(screen, id)
}

/// Whether a text is in a bar.
fn is_in_bar(screen: &Screen<'_>, id: NodeId) -> bool {
    const CLOSE: usize = 3;
    let tree = screen.tree();
    std::iter::successors(Some(id), |id| tree.parent(*id))
        .take(CLOSE)
        .any(|id| matches!(tree.role(id), Role::Title | Role::Toolbar))
}

/// Whether a text is much higher than most of the page's are, as large letters
/// are. So is a text of two lines, which is no short name either.
fn is_large(screen: &Screen<'_>, id: NodeId) -> bool {
    let tree = screen.tree();
    let texts = screen.nodes().filter(|(id, node)| {
        let plain = !tree.can(*id, Ability::Edit) && !node.flags.has(Flag::Clickable);
        plain && !is_blank(&node.text) && tree.end(*id) == id.0 + 1
    });
    let mut heights: Vec<i64> = texts.map(|(_, node)| height(node.bounds)).collect();
    heights.sort_unstable();
    let usual = heights.get(heights.len().saturating_sub(1) / 2);
    usual.is_some_and(|usual| height(tree.node(id).bounds) * 2 >= usual * 3)
}

/// Whether another field without a name follows below, and no text before it:
/// what stands above the first is about both.
fn is_of_group(screen: &Screen<'_>, id: NodeId) -> bool {
    let tree = screen.tree();
    let field = tree.node(id).bounds;
    let mut next = screen.nodes().filter(|(other, _)| other.0 >= tree.end(id));
    let says = |(id, node): &(NodeId, &Node)| tree.can(*id, Ability::Edit) || !node.label().is_empty();
    next.find(says).is_some_and(|(other, node)| {
        tree.can(other, Ability::Edit) && own_name(node).is_none() && node.bounds.top >= field.bottom
    })
}
