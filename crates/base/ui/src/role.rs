//! What kind of element a user would call it, worked out from class, family
//! and place: a dump does not say.

use crate::tree::{Node, NodeId, Tree};
use clawperator_contract::{Flag, words};

words! {
    /// A kind of element.
    pub Role {
        Container = "container",
        Row = "row",
        Column = "column",
        Toolbar = "toolbar",
        Tabbar = "tabbar",
        List = "list",
        Grid = "grid",
        Listitem = "listitem",
        Pager = "pager",
        Tab = "tab",
        Card = "card",
        Button = "button",
        Textfield = "textfield",
        Switch = "switch",
        Checkbox = "checkbox",
        Radio = "radio",
        Toggle = "toggle",
        Icon = "icon",
        Image = "image",
        Chip = "chip",
        Menu = "menu",
        Menuitem = "menuitem",
        Text = "text",
        Label = "label",
        Title = "title",
        Slider = "slider",
        Picker = "picker",
        Webview = "webview",
        Unknown = "unknown",
    }
}

impl Role {
    /// Reads a role's word in any case; blanks around it are not left out.
    pub fn of_word(word: &str) -> Option<Self> {
        let mut roles = Self::ALL.iter().copied();
        roles.find(|role| role.word().eq_ignore_ascii_case(word))
    }

    /// What a class alone says.
    pub(crate) fn of_class(class: &str) -> Option<Self> {
        Name::of_class(class).role()
    }
}

/// What a class's own name says; the first row that is part of
/// the name decides. `None` is for names that contain a later row's by chance.
static CLASSES: [(RoleWord, Option<Role>); 27] = [
    (RoleWord::new("viewpager"), Some(Role::Pager)),
    (RoleWord::new("seekbar"), Some(Role::Slider)),
    (RoleWord::new("ratingbar"), Some(Role::Slider)),
    (RoleWord::new("numberpicker"), Some(Role::Picker)),
    (RoleWord::new("datepicker"), Some(Role::Picker)),
    (RoleWord::new("timepicker"), Some(Role::Picker)),
    (RoleWord::new("spinner"), Some(Role::Picker)),
    (RoleWord::new("webview"), Some(Role::Webview)),
    (RoleWord::new("actionbar$tab"), Some(Role::Tab)),
    (RoleWord::new("tabwidget"), Some(Role::Tabbar)),
    (RoleWord::new("radiobutton"), Some(Role::Radio)),
    (RoleWord::new("togglebutton"), Some(Role::Toggle)),
    (RoleWord::new("button"), Some(Role::Button)),
    (RoleWord::new("edittext"), Some(Role::Textfield)),
    (RoleWord::new("autocompletetextview"), Some(Role::Textfield)),
    (RoleWord::new("switcher"), None),
    (RoleWord::new("switch"), Some(Role::Switch)),
    (RoleWord::new("checkbox"), Some(Role::Checkbox)),
    (RoleWord::new("recyclerview"), Some(Role::List)),
    (RoleWord::new("listview"), Some(Role::List)),
    (RoleWord::new("gridview"), Some(Role::Grid)),
    (RoleWord::new("toolbar"), Some(Role::Toolbar)),
    (RoleWord::new("tablayout"), Some(Role::Tabbar)),
    (RoleWord::new("bottomnavigationview"), Some(Role::Tabbar)),
    (RoleWord::new("imageview"), Some(Role::Image)),
    (RoleWord::new("chipgroup"), None),
    (RoleWord::new("chip"), Some(Role::Chip)),
];

/// Classes that only hold others; the first has an orientation.
static LAYOUTS: [RoleWord; 4] = [
    RoleWord::new("linearlayout"),
    RoleWord::new("framelayout"),
    RoleWord::new("constraintlayout"),
    RoleWord::new("coordinatorlayout"),
];
static RECYCLER_VIEW: RoleWord = RoleWord::new("recyclerview");
static CARD_VIEW: RoleWord = RoleWord::new("cardview");

/// What is part of the id of an element that holds tabs, and what must not be:
/// tables, tablets and databases have no tabs, bottom sheets are no bars.
static TAB_IDS: [(RoleWord, &[RoleWord]); 3] = [
    (RoleWord::new("tab"), &[RoleWord::new("table"), RoleWord::new("tabli"), RoleWord::new("datab")]),
    (RoleWord::new("navigation"), &[]),
    (RoleWord::new("bottom"), &[RoleWord::new("sheet")]),
];

/// How many elements are checked to decide whether a click on one counts.
const CLICK_LEVELS: usize = 4;
/// More texts than this are no value between two others.
const MAX_PICKED: usize = 9;
/// More elements beside each other than this are no tabs.
const MAX_TABS: usize = 8;
/// A text that is longer, in UTF-16 units, and has a space is no button.
const BUTTON_LENGTH: usize = 20;

impl Tree {
    /// The kind of an element. What only an accessibility service learns (the place in a
    /// collection, headings, orientation) is worked out from what is around and inside.
    pub fn role(&self, id: NodeId) -> Role {
        let node = self.node(id);
        let name = Name::of_class(&node.class);
        let by_class = name.role();
        let labelled = !node.label().is_empty();
        let asks_for_tab = labelled && can_be_tab(by_class);
        // Most elements with a role of their own need not ask the parent.
        let parent = self.parent(id).filter(|_| asks_for_tab || by_class.is_none());
        let parent = parent.map(|parent| self.node(parent));
        let parent_role = parent.and_then(|parent| Name::of_class(&parent.class).role());
        let touched = is_touched(node);
        let is_tab = |parent| parent_role == Some(Role::Tabbar) || (touched && holds_tabs(parent));
        if asks_for_tab && parent.is_some_and(is_tab) {
            return Role::Tab;
        }
        if touched && matches!(by_class, None | Some(Role::Button)) && self.is_in_strip(id) {
            return Role::Tab;
        }
        if let Some(role) = by_class {
            return match role {
                Role::List if name.has(&RECYCLER_VIEW) && self.layout(id) == Some(Layout::Beside) => {
                    Role::Grid
                }
                Role::Image if self.is_click_taken(id) => Role::Icon,
                role => role,
            };
        }
        if matches!(parent_role, Some(Role::List | Role::Grid)) {
            return Role::Listitem;
        }
        if LAYOUTS.iter().any(|layout| name.has(layout)) {
            return match self.layout(id).filter(|_| name.has(&LAYOUTS[0])) {
                Some(Layout::Beside) => Role::Row,
                Some(Layout::Below) => Role::Column,
                None => Role::Container,
            };
        }
        match (labelled, node.flags.has(Flag::Clickable)) {
            (true, false) if parent_role == Some(Role::Toolbar) => Role::Title,
            (true, false) => Role::Text,
            (true, true) if is_sentence(&node.text) => Role::Text,
            (true, true) => Role::Button,
            (false, _) if name.has(&CARD_VIEW) => Role::Card,
            (false, _) => Role::Unknown,
        }
    }

    /// Tells whether an element takes text.
    pub(crate) fn is_editable(&self, id: NodeId) -> bool {
        self.class_role(id) == Some(Role::Textfield)
    }

    /// The element inside a picker that shows its value: the only field, the middle
    /// of three texts, the only text, or the one in the middle of a wheel.
    pub fn picked(&self, id: NodeId) -> Option<NodeId> {
        let texts = self.descendants(id).filter(|id| !self.node(*id).label().is_empty());
        let texts: Vec<_> = texts.take(MAX_PICKED + 1).collect();
        let mut fields = texts.iter().filter(|id| self.is_editable(**id));
        let middle = self.node(id).bounds.center().y;
        let is_level = |id: &&NodeId| {
            let bounds = self.node(**id).bounds;
            (bounds.top..bounds.bottom).contains(&middle)
        };
        let mut level = texts.iter().filter(is_level);
        let level = level.next().filter(|_| level.next().is_none() && self.is_wheel(id));
        match (fields.next(), fields.next(), &texts[..]) {
            (Some(field), None, [_] | [_, _] | [_, _, _]) => Some(*field),
            (None, _, texts) if texts.len() <= MAX_PICKED && level.is_some() => level.copied(),
            (None, _, [text] | [_, text, _]) => Some(*text),
            _ => None,
        }
    }

    /// Whether a picker turns, and has its value in the middle.
    fn is_wheel(&self, id: NodeId) -> bool {
        let class = self.node(id).class.to_ascii_lowercase();
        class.contains("numberpicker") || class.contains("wheel")
    }

    /// The picker that an element is or is in.
    pub(crate) fn picker(&self, id: NodeId) -> Option<NodeId> {
        let mut around = std::iter::successors(Some(id), |id| self.parent(*id));
        around.find(|id| self.class_role(*id) == Some(Role::Picker))
    }

    /// Whether an element is inside a picker, such as its value.
    pub(crate) fn is_in_picker(&self, id: NodeId) -> bool {
        self.picker(id).is_some_and(|picker| picker != id)
    }

    /// Whether an element is none of those that a picker shows before and after its value.
    pub fn is_value(&self, id: NodeId) -> bool {
        let picker = self.picker(id);
        let picked = picker.and_then(|picker| self.picked(picker));
        picked.is_none_or(|picked| picked == id || picker == Some(id))
    }

    /// Tells whether an element is one of a few of a kind beside each other, of
    /// which one is selected, as tabs are whatever their class.
    fn is_in_strip(&self, id: NodeId) -> bool {
        let Some(parent) = self.parent(id) else {
            return false;
        };
        let (class, own) = (&self.node(id).class, self.node(id).bounds);
        let mut tabs: Vec<&Node> = Vec::new();
        for child in self.children(parent).map(|child| self.node(child)) {
            let alike = child.class == *class && is_touched(child) && !child.flags.has(Flag::Checkable);
            let level = own.top < child.bounds.bottom && child.bounds.top < own.bottom;
            if alike && !(level && tabs.len() < MAX_TABS) {
                return false;
            }
            tabs.extend(alike.then_some(child));
        }
        let selected = tabs.iter().filter(|tab| tab.flags.has(Flag::Selected));
        let in_list = matches!(self.class_role(parent), Some(Role::List | Role::Grid | Role::Pager));
        tabs.len() > 1 && selected.count() == 1 && !in_list
    }

    /// Tells whether a click on an element means something, to it or to what is close around it.
    fn is_click_taken(&self, id: NodeId) -> bool {
        std::iter::successors(Some(id), |id| self.parent(*id))
            .take(CLICK_LEVELS)
            .any(|id| self.node(id).flags.has(Flag::Clickable))
    }

    /// How the first two elements inside one are laid out.
    fn layout(&self, id: NodeId) -> Option<Layout> {
        let mut places =
            self.children(id).map(|child| self.node(child).bounds).filter(|bounds| !bounds.is_empty());
        let (first, second) = (places.next()?, places.next()?);
        let share_rows = first.top < second.bottom && second.top < first.bottom;
        let share_columns = first.left < second.right && second.left < first.right;
        match (share_rows, share_columns) {
            (true, false) => Some(Layout::Beside),
            (false, true) => Some(Layout::Below),
            (true, true) | (false, false) => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Beside,
    Below,
}

/// A field or a container among tabs is still what it is.
fn can_be_tab(by_class: Option<Role>) -> bool {
    !matches!(
        by_class,
        Some(
            Role::Textfield
                | Role::Switch
                | Role::Checkbox
                | Role::Pager
                | Role::List
                | Role::Grid
                | Role::Toolbar
                | Role::Tabbar
                | Role::Slider
                | Role::Picker
                | Role::Webview
        )
    )
}

/// Whether an element takes a touch, or took one: the tab that is open may take no other.
fn is_touched(node: &Node) -> bool {
    node.flags.has(Flag::Clickable) || node.flags.has(Flag::Selected)
}

/// Tells by an element's id whether what is directly inside it is a tab. The
/// ids of a web page are its author's and say nothing.
fn holds_tabs(node: &Node) -> bool {
    let id = node.resource_id.as_deref().unwrap_or_default();
    if !id.contains(":id/") {
        return false;
    }
    // The package before the slash does not describe this element.
    let name = Name::behind(id, b'/');
    TAB_IDS.iter().any(|(word, unless)| name.has(word) && !unless.iter().any(|word| name.has(word)))
}

fn is_sentence(text: &str) -> bool {
    text.contains(' ') && clawperator_contract::text::exceeds(text, BUTTON_LENGTH)
}

/// A name in which words are looked for in any case. Roles are asked for by the
/// thousand, so it takes no memory of its own.
struct Name<'n> {
    bytes: &'n [u8],
    letters: u32,
}

impl<'n> Name<'n> {
    /// What layout behind the last mark. One way from the end finds it and its letters.
    fn behind(text: &'n str, mark: u8) -> Self {
        let bytes = text.as_bytes();
        let mut start = bytes.len();
        let mut letters = 0;
        while start > 0 && bytes[start - 1] != mark {
            start -= 1;
            letters |= bit(bytes[start]);
        }
        Self { bytes: &bytes[start..], letters }
    }

    /// The class's own name, without its package.
    fn of_class(class: &'n str) -> Self {
        Self::behind(class, b'.')
    }

    fn has(&self, word: &RoleWord) -> bool {
        // Nearly every word has a letter that the name has not.
        if word.letters & !self.letters != 0 {
            return false;
        }
        let word = word.text.as_bytes();
        let mut parts = self.bytes.windows(word.len());
        parts.any(|part| part.eq_ignore_ascii_case(word))
    }

    fn role(&self) -> Option<Role> {
        let row = CLASSES.iter().find(|(part, _)| self.has(part));
        row.and_then(|(_, role)| *role)
    }
}

/// A word to look for in names: lower case, not empty.
struct RoleWord {
    text: &'static str,
    letters: u32,
}

impl RoleWord {
    const fn new(text: &'static str) -> Self {
        assert!(!text.is_empty());
        Self { text, letters: letters(text.as_bytes()) }
    }
}

/// Which letters are there, in either case, a bit each.
const fn letters(bytes: &[u8]) -> u32 {
    let mut set = 0;
    let mut place = 0;
    while place < bytes.len() {
        set |= bit(bytes[place]);
        place += 1;
    }
    set
}

/// A letter's bit. Other characters share bits with letters, which makes the
/// test weaker and never wrong.
const fn bit(byte: u8) -> u32 {
    1 << (byte & 31)
}
