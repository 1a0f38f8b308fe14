//! The elements of a screen that a view shows: everything that takes a touch or
//! text or scrolls, and every label that is not shown already.

use super::field::{self, FieldName};
use super::fold::{self, beside};
use super::line::{LinePurpose, ViewLine, id_word, tidy};
use super::off_screen;
use crate::ability::Ability;
use crate::counts::Counts;
use crate::refs::Titles;
use crate::role::Role;
use crate::screen::Screen;
use crate::tree::{Flags, Node, NodeId, Tree};
use clawperator_contract::Flag;

/// The elements of a screen that a view shows.
#[derive(Clone, Debug)]
pub struct ScreenSummary {
    /// Their lines, in reading order.
    pub lines: Vec<ViewLine>,
    /// What takes a touch or text or scrolls and is not visible.
    pub off_screen: Counts,
    /// The package of the app that the screen is of; empty if it is unknown.
    pub app: String,
}

impl ScreenSummary {
    /// Summarizes a screen.
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
        builder.mark_title();
        Self { lines: builder.lines, off_screen, app: app(screen) }
    }
}

/// The package of the largest window.
fn app(screen: &Screen<'_>) -> String {
    let tree = screen.tree();
    // Of equal ones the first.
    let largest = tree.roots().min_by_key(|root| std::cmp::Reverse(screen.visible_bounds(*root).area()));
    let package = largest.and_then(|root| id_word(&tree.node(root).package));
    package.unwrap_or_default().to_owned()
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
const TITLE: &str = "title";
const NOT_IN_TREE: &str = "no content in the tree: it may be loading; a picture shows it";

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
    [Flag::Clickable, Flag::LongClickable, Flag::Checkable, Flag::Scrollable]
        .into_iter()
        .any(|flag| flags.has(flag))
        || tree.can(id, Ability::Edit)
        || match tree.class_role(id) {
            Some(Role::Slider) => true,
            Some(Role::Picker) => tree.picked(id).is_some(),
            _ => false,
        }
}

impl SummaryBuilder<'_, '_> {
    fn add(&mut self, id: NodeId) {
        let tree = self.screen.tree();
        let around = tree.parent(id).and_then(|outer| self.line_of[outer.0]);
        self.line_of[id.0] = around;
        let line = if takes_something(tree, id) || self.takes_keys(id) {
            Some(self.actionable_line(id))
        } else {
            self.label_line(id, around)
        };
        let line = match tree.class_role(id) {
            Some(Role::Webview) if self.is_empty_page(id) => {
                let mut line = line.unwrap_or_else(|| self.blank(id, LinePurpose::Read));
                line.hint = Some(NOT_IN_TREE.to_owned());
                Some(line)
            }
            _ => line,
        };
        if let Some(line) = line {
            self.line_of[id.0] = Some(self.lines.len());
            self.lines.push(ViewLine { around, ..line });
        }
    }

    /// Whether a web view says nothing of its page but the title.
    fn is_empty_page(&self, id: NodeId) -> bool {
        let tree = self.screen.tree();
        let page = self.screen.within(id).skip(1);
        let mut page = page.filter(|(id, _)| tree.class_role(*id) != Some(Role::Webview));
        let outer = tree.parent(id).and_then(|outer| tree.class_role(outer));
        outer != Some(Role::Webview)
            && !page.any(|(id, node)| takes_something(tree, id) || !node.label().is_empty())
    }

    /// Whether an element without a label has the focus, outside of all others
    /// that act and with none of them inside: a key acts on it.
    fn takes_keys(&self, id: NodeId) -> bool {
        let tree = self.screen.tree();
        let node = tree.node(id);
        let mut inside = self.screen.within(id);
        node.flags.has(Flag::Focused)
            && node.label().is_empty()
            && !self.covered[id.0]
            && !inside.any(|(inner, _)| takes_something(tree, inner))
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
        let mut line =
            ViewLine { label, more: beside(node).into_iter().collect(), ..self.blank(id, LinePurpose::Read) };
        if let Some(selected) = self.selected_around(id, around) {
            // An open tab may take no touch and have no line.
            if self.screen.tree().role(selected) == Role::Tab {
                line.role = Role::Tab;
            }
            if !line.state.contains(&SELECTED) {
                line.state.push(SELECTED);
            }
        }
        Some(line)
    }

    /// What is selected close around an element and has no line of its own: a
    /// tab that says where one is.
    fn selected_around(&self, id: NodeId, around: Option<usize>) -> Option<NodeId> {
        const CLOSE: usize = 2;
        let tree = self.screen.tree();
        let line = around.map(|around| self.lines[around].id);
        std::iter::successors(tree.parent(id), |id| tree.parent(*id))
            .take(CLOSE)
            .take_while(|id| Some(*id) != line)
            .find(|id| tree.node(*id).flags.has(Flag::Selected))
    }

    /// Says of the first title that it is one, if its role does not.
    fn mark_title(&mut self) {
        let titles = Titles::new(self.screen.tree());
        let mut lines = self.lines.iter_mut().filter(|line| line.purpose == LinePurpose::Read);
        if let Some(line) = lines.find(|line| titles.has(line.id)) {
            line.purpose = LinePurpose::Title;
            line.hint = (line.role != Role::Title).then(|| TITLE.to_owned());
        }
    }

    fn actionable_line(&mut self, id: NodeId) -> ViewLine {
        let tree = self.screen.tree();
        let node = tree.node(id);
        let mut line = self.blank(id, LinePurpose::Act);
        let picked = tree.picked(id).filter(|_| line.role == Role::Picker);
        if tree.can(id, Ability::Edit) {
            self.name_field(&mut line, None);
            line.value = field::value(node);
        } else if line.role == Role::Slider || picked.is_some() {
            self.name_field(&mut line, picked);
            line.value = field::setting(tree.node(picked.unwrap_or(id)));
        } else if tree.can(id, Ability::Scroll) {
            line.label = tidy(node.label());
            line.hint = off_screen::hint(self.screen, id);
        } else {
            let folded = fold::fold(self.screen, id, |id| takes_something(tree, id));
            for inner in folded.covered {
                self.covered[inner.0] = true;
            }
            line.state = state(folded.flags, line.role);
            let mut texts = folded.texts.into_iter();
            line.label = texts.next().unwrap_or_default();
            line.more = texts.collect();
        }
        if line.label.is_empty() {
            line.known_by = own_id(node).map(str::to_owned);
            line.place = Some(self.screen.visible_bounds(id).center()).filter(|_| line.value.is_none());
        }
        line
    }

    /// Names a field; a picker's value is no name.
    fn name_field(&mut self, line: &mut ViewLine, picked: Option<NodeId>) {
        let tree = self.screen.tree();
        let takes = |id| takes_something(tree, id);
        if let Some(text) = picked.filter(|id| !takes(*id)) {
            self.covered[text.0] = true;
        }
        // What stands in another picker is that one's value.
        let is_of_picker = |id| {
            let around = std::iter::successors(Some(id), |id| tree.parent(*id));
            picked.is_some() && around.take_while(|id| *id != line.id).any(|id| tree.role(id) == Role::Picker)
        };
        let is_taken = |id| takes(id) || picked == Some(id) || is_of_picker(id);
        line.label = match field::name(self.screen, line.id, is_taken) {
            None => String::new(),
            Some(FieldName::Own(name)) => tidy(name),
            Some(FieldName::Inside(inner)) => {
                self.covered[inner.0] = true;
                tidy(tree.node(inner).label())
            }
            Some(FieldName::Beside(name)) => {
                // The text beside a field need not be its name.
                line.known_by = own_id(tree.node(line.id)).map(str::to_owned);
                tidy(name)
            }
        };
    }

    fn blank(&self, id: NodeId, purpose: LinePurpose) -> ViewLine {
        let tree = self.screen.tree();
        let role = tree.role(id);
        ViewLine {
            id,
            role,
            label: String::new(),
            known_by: None,
            more: Vec::new(),
            value: None,
            state: state(tree.node(id).flags, role),
            hint: None,
            place: None,
            around: None,
            purpose,
        }
    }
}

/// The part of an id that its app chose.
fn own_id(node: &Node) -> Option<&str> {
    let id = node.resource_id.as_deref()?;
    let own = id.rsplit('/').next().unwrap_or(id);
    id_word(own)
}

fn state(flags: Flags, role: Role) -> Vec<&'static str> {
    let has = |flag| flags.has(flag);
    let clickable = has(Flag::Clickable) && !TOUCHED.contains(&role);
    let pressed = has(Flag::LongClickable) && !has(Flag::Clickable);
    [
        (clickable, "clickable"),
        (pressed, "long-clickable"),
        (has(Flag::Checked), "checked"),
        (has(Flag::Checkable) && !has(Flag::Checked), "unchecked"),
        (has(Flag::Selected), SELECTED),
        (has(Flag::Focused), "focused"),
        (has(Flag::Password), "password"),
        (!has(Flag::Enabled), "disabled"),
        (has(Flag::Scrollable), "scrollable"),
    ]
    .into_iter()
    .filter_map(|(on, word)| on.then_some(word))
    .collect()
}
