//! The elements of a screen that a view shows: everything that takes a touch or
//! text or scrolls, and every label that is not shown already.

use super::line::{FieldValue, Purpose, ViewLine, id_word, tidy};
use super::off_screen;
use crate::ability::Ability;
use crate::bounds::Bounds;
use crate::counts::Counts;
use crate::limits::MAX_LINE_TEXTS;
use crate::role::Role;
use crate::screen::Screen;
use crate::tree::{Node, NodeId, Tree};
use clawperator_contract::Flag;
use clawperator_contract::text::is_blank;

/// The elements of a screen that a view shows.
#[derive(Clone, Debug)]
pub struct ScreenSummary {
    /// Their lines, in reading order.
    pub lines: Vec<ViewLine>,
    /// What takes a touch or text or scrolls and is not visible.
    pub off_screen: Counts,
}

impl ScreenSummary {
    /// Summarizes a screen.
    #[must_use]
    pub fn new(screen: &Screen<'_>) -> Self {
        let tree = screen.tree();
        let mut builder = SummaryBuilder {
            screen,
            lines: Vec::new(),
            line_of: vec![None; tree.len()],
            covered: vec![false; tree.len()],
        };
        let mut seen = vec![false; tree.len()];
        for (id, _) in screen.nodes() {
            seen[id.0] = true;
            builder.add(id);
        }
        let mut off_screen = Counts::default();
        for (id, _) in tree.nodes().filter(|(id, _)| !seen[id.0]) {
            if takes_something(tree, id) {
                off_screen.add(tree.role(id));
            }
        }
        Self {
            lines: builder.lines,
            off_screen,
        }
    }
}

struct SummaryBuilder<'s, 't> {
    screen: &'s Screen<'t>,
    lines: Vec<ViewLine>,
    /// The innermost line that an element is or is in.
    line_of: Vec<Option<usize>>,
    /// The elements whose label an outer line shows already.
    covered: Vec<bool>,
}

const SELECTED: &str = "selected";

/// The roles that always take a touch.
const TOUCHED: [Role; 9] = [
    Role::Button,
    Role::Icon,
    Role::Tab,
    Role::Switch,
    Role::Checkbox,
    Role::Radio,
    Role::Toggle,
    Role::Chip,
    Role::Textfield,
];

/// Whether an element takes a touch or text, or scrolls.
fn takes_something(tree: &Tree, id: NodeId) -> bool {
    let flags = tree.node(id).flags;
    [
        Flag::Clickable,
        Flag::LongClickable,
        Flag::Checkable,
        Flag::Scrollable,
    ]
    .into_iter()
    .any(|flag| flags.has(flag))
        || tree.can(id, Ability::Edit)
}

impl SummaryBuilder<'_, '_> {
    fn add(&mut self, id: NodeId) {
        let tree = self.screen.tree();
        let around = tree.parent(id).and_then(|outer| self.line_of[outer.0]);
        self.line_of[id.0] = around;
        let line = if takes_something(tree, id) {
            Some(self.actionable_line(id))
        } else {
            self.label_line(id, around)
        };
        if let Some(line) = line {
            self.line_of[id.0] = Some(self.lines.len());
            self.lines.push(ViewLine { around, ..line });
        }
    }

    /// The line of an element that only has a label, unless it is shown already.
    fn label_line(&self, id: NodeId, around: Option<usize>) -> Option<ViewLine> {
        let node = self.screen.tree().node(id);
        let label = node.label();
        if label.is_empty() || self.covered[id.0] {
            return None;
        }
        let label = tidy(label);
        if around.is_some_and(|around| self.lines[around].label == label) {
            return None;
        }
        let mut line = ViewLine {
            label,
            more: beside(node),
            ..self.blank(id, Purpose::Read)
        };
        if !line.state.contains(&SELECTED) && self.is_in_selected(id, around) {
            line.state.push(SELECTED);
        }
        Some(line)
    }

    /// Whether something close around an element, which has no line of its own,
    /// is selected: a tab that says where one is.
    fn is_in_selected(&self, id: NodeId, around: Option<usize>) -> bool {
        const CLOSE: usize = 2;
        let tree = self.screen.tree();
        let line = around.map(|around| self.lines[around].id);
        std::iter::successors(tree.parent(id), |id| tree.parent(*id))
            .take(CLOSE)
            .take_while(|id| Some(*id) != line)
            .any(|id| tree.node(id).flags.has(Flag::Selected))
    }

    fn actionable_line(&mut self, id: NodeId) -> ViewLine {
        let tree = self.screen.tree();
        let node = tree.node(id);
        let mut line = self.blank(id, Purpose::Act);
        if tree.can(id, Ability::Edit) {
            let own = own_name(node);
            line.label = tidy(own.or_else(|| self.label_of_field(id)).unwrap_or_default());
            // The text beside a field need not be its name.
            line.known_by = own_id(node).filter(|_| own.is_none()).map(str::to_owned);
            line.value = value(node);
        } else if tree.can(id, Ability::Scroll) {
            line.label = Some(node.label())
                .filter(|label| !label.is_empty())
                .map(tidy)
                .unwrap_or_default();
            line.hint = off_screen::hint(self.screen, id);
        } else {
            let mut texts = self.texts(id).into_iter();
            line.label = texts.next().unwrap_or_default();
            line.more = texts.collect();
        }
        if line.label.is_empty() && line.known_by.is_none() {
            line.known_by = own_id(node).map(str::to_owned);
        }
        line
    }

    /// What an element says itself and what is said inside it by what takes no
    /// touch of its own; each text once.
    fn texts(&mut self, id: NodeId) -> Vec<String> {
        let tree = self.screen.tree();
        let mut texts: Vec<String> = Vec::new();
        let node = tree.node(id);
        if !node.label().is_empty() {
            texts.push(tidy(node.label()));
            texts.extend(beside(node));
        }
        let own = parts(node.label());
        let mut acting_end = 0;
        for (inner, node) in self.screen.within(id).skip(1) {
            if inner.0 < acting_end {
                continue;
            }
            if takes_something(tree, inner) {
                acting_end = tree.end(inner);
                continue;
            }
            let label = node.label();
            if label.is_empty() {
                continue;
            }
            let text = tidy(label);
            let repeated = texts.contains(&text) || own.contains(&text.to_lowercase());
            if repeated {
                self.covered[inner.0] = true;
            } else if texts.len() < MAX_LINE_TEXTS {
                self.covered[inner.0] = true;
                texts.push(text);
                texts.extend(beside(node));
            }
        }
        texts
    }

    fn blank(&self, id: NodeId, purpose: Purpose) -> ViewLine {
        let tree = self.screen.tree();
        let role = tree.role(id);
        ViewLine {
            id,
            role,
            label: String::new(),
            known_by: None,
            more: Vec::new(),
            value: None,
            state: state(tree.node(id), role),
            hint: None,
            around: None,
            purpose,
        }
    }

    /// The text right before a field, if it stands above it or to its left and
    /// is no title.
    fn label_of_field(&self, id: NodeId) -> Option<&str> {
        let tree = self.screen.tree();
        let field = tree.node(id).bounds;
        let mut inner = id;
        for _ in 0..2 {
            let outer = tree.parent(inner)?;
            let before = self
                .screen
                .children(outer)
                .take_while(|child| *child < inner)
                .last();
            let found = before.and_then(|before| {
                let mut within = self.screen.within(before);
                within.find(|(id, node)| !node.label().is_empty() && !takes_something(tree, *id))
            });
            if let Some((label, node)) = found {
                let names = is_close(node.bounds, field) && !self.is_heading(label);
                return names.then(|| node.label());
            }
            let around = tree.node(outer).label();
            if !around.is_empty() {
                return Some(around);
            }
            inner = outer;
        }
        None
    }

    /// Whether a text is about the page: it is in a bar.
    fn is_heading(&self, id: NodeId) -> bool {
        const CLOSE: usize = 3;
        let tree = self.screen.tree();
        std::iter::successors(Some(id), |id| tree.parent(*id))
            .take(CLOSE)
            .any(|id| matches!(tree.role(id), Role::Title | Role::Toolbar))
    }
}

/// Whether a text is directly above a field or to its left.
fn is_close(text: Bounds, field: Bounds) -> bool {
    let height = i64::from(text.bottom) - i64::from(text.top);
    let gap = i64::from(field.top) - i64::from(text.bottom);
    let above = text.left < field.right && field.left < text.right && text.top <= field.top && gap <= height;
    let beside = text.top < field.bottom && field.top < text.bottom && text.right <= field.right;
    above || beside
}

/// The label of a field itself.
fn own_name(node: &Node) -> Option<&str> {
    let hint = node.hint.as_deref().unwrap_or_default();
    [node.content_desc.as_str(), hint]
        .into_iter()
        .find(|text| !is_blank(text))
}

/// What a text says as a whole, and each of its parts: a description often
/// lists what is inside with commas. A word in the middle of one is no part.
fn parts(text: &str) -> Vec<String> {
    let whole = tidy(text).to_lowercase();
    let mut parts: Vec<String> = text
        .split([',', '\n'])
        .map(|part| tidy(part).to_lowercase())
        .collect();
    parts.push(whole);
    parts.retain(|part| !part.is_empty());
    parts
}

/// What an element's description adds to its text.
fn beside(node: &Node) -> Vec<String> {
    let (text, desc) = (&node.text, &node.content_desc);
    let has = |all: &str, part: &str| parts(all).contains(&tidy(part).to_lowercase());
    let adds = !is_blank(text) && !is_blank(desc) && !has(text, desc) && !has(desc, text);
    adds.then(|| tidy(&node.content_desc)).into_iter().collect()
}

fn value(node: &Node) -> Option<FieldValue> {
    let asked = node.hint.as_deref() == Some(node.text.as_str());
    if node.text.is_empty() || asked {
        return None;
    }
    if node.flags.has(Flag::Password) {
        return Some(FieldValue::Hidden);
    }
    let text = tidy(&node.text);
    let sure = node.hint.is_some() || node.flags.has(Flag::Focused);
    Some(if sure {
        FieldValue::Text(text)
    } else {
        FieldValue::Unsure(text)
    })
}

/// The part of an id that its app chose.
fn own_id(node: &Node) -> Option<&str> {
    let id = node.resource_id.as_deref()?;
    let own = id.rsplit('/').next().unwrap_or(id);
    id_word(own)
}

fn state(node: &Node, role: Role) -> Vec<&'static str> {
    let has = |flag| node.flags.has(flag);
    let clickable = has(Flag::Clickable) && !TOUCHED.contains(&role);
    let pressed = has(Flag::LongClickable) && !has(Flag::Clickable);
    [
        (clickable, "clickable"),
        (pressed, "long-clickable"),
        (has(Flag::Checked), "checked"),
        (has(Flag::Checkable) && !has(Flag::Checked), "unchecked"),
        (has(Flag::Selected), SELECTED),
        (has(Flag::Focused) && role == Role::Textfield, "focused"),
        (has(Flag::Password), "password"),
        (!has(Flag::Enabled), "disabled"),
        (has(Flag::Scrollable), "scrollable"),
    ]
    .into_iter()
    .filter_map(|(on, word)| on.then_some(word))
    .collect()
}
