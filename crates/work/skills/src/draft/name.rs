//! How a recipe names an element.

use super::private::{DraftText, slug};
use crate::recipe::Annotation;
use clawperator_contract::{Attribute, Condition, Selector, TextTest, text};
use clawperator_ui::{Ability, NodeId, Screen, Tree};

/// How a recipe names an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementName {
    pub resource_id: Option<String>,
    pub class: Option<String>,
    /// Its text, or its description if it has no text.
    pub text: Option<DraftText>,
    pub description: Option<DraftText>,
    /// Whether its text is neither the app's own nor the user's, but a state.
    pub is_state: bool,
}

impl ElementName {
    pub(super) fn by_id(resource_id: &str) -> Self {
        Self { resource_id: Some(resource_id.to_owned()), ..Self::default() }
    }

    pub(super) fn by_text(text: DraftText) -> Self {
        Self { text: Some(text), ..Self::default() }
    }

    pub(super) fn of_class(&self, class: &str) -> Self {
        Self { class: Some(class.to_owned()), ..self.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The selector, with the texts that were recorded.
    pub(super) fn selector(&self) -> Selector {
        let text = |attribute, test| Condition::Text(attribute, test);
        let exact = |value: &String| TextTest::Equals(value.clone());
        let conditions = [
            self.resource_id.as_ref().map(|id| text(Attribute::ResourceId, exact(id))),
            self.class.as_ref().map(|class| text(Attribute::Class, exact(class))),
            self.text.as_ref().map(|said| text(Attribute::Text, exact(&said.value))),
            self.description
                .as_ref()
                .map(|said| text(Attribute::ContentDesc, TextTest::Contains(said.value.clone()))),
        ];
        Selector { conditions: conditions.into_iter().flatten().collect() }
    }

    pub(super) fn annotation(&self) -> Annotation {
        let texts = [&self.text, &self.description];
        let is_own = |said: &DraftText| said.template.contains("${");
        if texts.into_iter().flatten().any(is_own) {
            Annotation::UserSpecific
        } else if self.is_state {
            Annotation::Variable
        } else {
            Annotation::Structural
        }
    }

    /// The keys of a selector and their values, in the order of the format.
    pub(super) fn fields(&self) -> Vec<(&'static str, &str)> {
        let fields = [
            ("resource_id", self.resource_id.as_deref()),
            ("class", self.class.as_deref()),
            ("text_equals", self.text.as_ref().map(|said| said.template.as_str())),
            ("content_desc_contains", self.description.as_ref().map(|said| said.template.as_str())),
        ];
        let there = fields.into_iter().filter_map(|(key, value)| Some((key, value?)));
        there.collect()
    }
}

/// Of several names, the first that fits an element and no other; else the
/// first that fits it at all, and how many others it fits.
pub(super) fn best(screen: &Screen<'_>, id: NodeId, names: Vec<ElementName>) -> Option<(ElementName, usize)> {
    let tree = screen.tree();
    let taker = |id: NodeId| tree.nearest(id, Ability::Click).unwrap_or(id);
    let mut first = None;
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let selector = name.selector();
        let found: Vec<_> = screen.all(&selector).collect();
        if !found.iter().any(|found| taker(*found) == taker(id)) {
            continue;
        }
        // A run is strict: two elements that lead to the same one are two.
        if found.len() == 1 {
            return Some((name, 1));
        }
        first = first.or(Some((name, found.len())));
    }
    first
}

/// Whether an element is inside a list whose entries may come from the user's data: one of a list's
/// class, or one that scrolls and is not a page that is merely too high.
pub(super) fn is_in_list(tree: &Tree, id: NodeId) -> bool {
    const LISTS: [&str; 3] = ["RecyclerView", "ListView", "GridView"];
    const PAGES: [&str; 4] = ["ScrollView", "WebView", "ViewPager", "CoordinatorLayout"];
    let mut parent = tree.parent(id);
    while let Some(inside) = parent {
        let class = &tree.node(inside).class;
        // A short list has nothing to scroll.
        if LISTS.iter().any(|list| class.ends_with(list)) {
            return true;
        }
        if tree.can(inside, Ability::Scroll) {
            return !PAGES.iter().any(|page| class.contains(page));
        }
        parent = tree.parent(inside);
    }
    false
}

/// Whether a name of an element only says which one of many it is, or how many of something it has.
pub(super) fn is_numbered(name: &str) -> bool {
    match name.rsplit_once('/') {
        Some((_, id)) => id.ends_with(|letter: char| letter.is_ascii_digit()),
        None => name.contains(|letter: char| letter.is_ascii_digit()),
    }
}

/// What a row says of itself: its first text that does not count anything.
pub(super) fn own_label(screen: &Screen<'_>, row: NodeId) -> Option<NodeId> {
    let says = |text: &str| !text::is_blank(text) && !text.chars().any(|c| c.is_ascii_digit());
    let mut inside = screen.within(row);
    inside.find(|(_, node)| says(&node.text)).map(|(id, _)| id)
}

/// What a step is called: after its element, never after the user's text.
pub(super) fn step_name(named: &ElementName) -> String {
    let own = |said: &DraftText| !said.template.contains("${");
    let label = [&named.text, &named.description].into_iter().flatten().find(|said| own(said));
    let id = named.resource_id.as_deref().and_then(|id| id.rsplit('/').next());
    let private = named.text.is_some() || named.description.is_some();
    let name = match (label, id) {
        (Some(said), _) => slug(&said.value),
        (None, Some(id)) => slug(id),
        (None, None) => String::new(),
    };
    if !name.is_empty() {
        name
    } else if private {
        "item".to_owned()
    } else {
        "element".to_owned()
    }
}
