//! What an action is about to act on, as a policy judges it: the app in front and
//! what the elements say that a finger or a key would activate. Pure.

use crate::action::AgentAction;
use crate::policy::{Kind, Said};
use crate::space::Space;
use clawperator_contract::Number;
use clawperator_contract::text::{cut, trim};
use clawperator_runtime::KeyCode;
use clawperator_ui::{Ability, Bounds, Flag, NodeId, Screen, Tree};
use regex::Regex;
use std::sync::LazyLock;

/// The most letters of a text, and the most texts of an element.
const MAX_TEXT: usize = 400;
const MAX_TEXTS: usize = 64;
/// The most elements of a form.
const MAX_FORM: usize = 500;
/// A finger that moves less than this, in pixels, taps.
const SLOP: i64 = 64;
/// An amount counts as beside an element within this part of the screen's height.
const BESIDE: i32 = 4;

/// Something that is looked for on a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sight<T> {
    /// The screen could not be read: it may be anything.
    Unseen,
    /// There is nothing.
    #[default]
    Nothing,
    /// It is this.
    Seen(T),
}

impl<T> Sight<T> {
    /// What is seen, if something is.
    pub fn seen(&self) -> Option<&T> {
        match self {
            Self::Seen(it) => Some(it),
            Self::Unseen | Self::Nothing => None,
        }
    }
}

/// What an action is about to act on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The package of the app in front.
    pub app: Sight<String>,
    /// The elements that a finger or a key activates.
    pub targets: Sight<Vec<Target>>,
    /// Whether what is typed goes into a password field.
    pub is_secret: bool,
    /// Whether there is a field on the screen in which something is written.
    pub has_field: bool,
    /// Whether there is something to send it with; told of the end of a line only.
    pub can_send: bool,
}

/// An element that may be activated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// What it says: its own texts and those inside it.
    pub texts: Vec<String>,
    /// The last parts of its resource ids.
    pub ids: Vec<String>,
    /// Its package.
    pub app: String,
    /// Whether it is a button.
    pub is_button: bool,
    /// Whether it is another element of the form that a key may submit.
    pub is_of_form: bool,
    /// The amounts of money in it.
    pub amounts: Vec<String>,
    /// Those near it.
    pub beside: Vec<String>,
}

impl Surroundings {
    /// What is known where the screen cannot be read.
    #[must_use]
    pub fn unseen(app: Option<String>) -> Self {
        Self {
            app: app.map_or(Sight::Unseen, Sight::Seen),
            targets: Sight::Unseen,
            ..Self::default()
        }
    }

    /// What a screen says of an action on it.
    #[must_use]
    pub fn of(tree: &Tree, action: &AgentAction, space: &Space) -> Self {
        let screen = &View::new(tree);
        let is_field =
            |id: NodeId| tree.can(id, Ability::Edit) && !tree.is_secret(id) && !is_search(tree, id);
        let targets = match touched(action, space) {
            Some(points) => under(screen, &points),
            None => pressed(screen, action, is_field),
        };
        let first = targets.seen().and_then(|all| all.first());
        let app = first
            .map(|target| target.app.clone())
            .filter(|app| !app.is_empty());
        let sends = |id: NodeId| {
            let is_taker = tree.node(id).flags.has(Flag::Clickable);
            is_taker && target(screen, id, id).says(Kind::Send, 2)
        };
        Self {
            app: app.or_else(|| front_app(tree)).map_or(Sight::Unseen, Sight::Seen),
            targets,
            is_secret: tree
                .nodes()
                .any(|(id, node)| node.flags.has(Flag::Focused) && tree.is_secret(id)),
            has_field: screen.seen.nodes().any(|(id, _)| is_field(id)),
            can_send: press(action) == Some(Press::Enter) && screen.seen.nodes().any(|(id, _)| sends(id)),
        }
    }

    /// The packages that an action may be in.
    pub fn apps(&self) -> impl Iterator<Item = &str> {
        let targets = self.targets.seen().into_iter().flatten();
        let apps = targets.map(|target| &target.app).filter(|app| !app.is_empty());
        self.app.seen().into_iter().chain(apps).map(String::as_str)
    }

    /// What the activated elements say, in one line.
    #[must_use]
    pub fn label(&self) -> Option<String> {
        let targets = self.targets.seen()?.iter().filter(|target| !target.is_of_form);
        let texts: Vec<&str> = targets
            .flat_map(|target| &target.texts)
            .map(String::as_str)
            .collect();
        Some(cut(&texts.join(" "), MAX_TEXT).into_owned()).filter(|label| !label.is_empty())
    }
}

impl Target {
    /// Tells whether one of its texts or ids says a phrase of that kind.
    pub(crate) fn says(&self, kind: Kind, most: usize) -> bool {
        let mut said = self.texts.iter().chain(&self.ids);
        said.any(|text| Said::new(text).says(kind, most))
    }
}

/// A screen, and the amounts of money on it.
struct View<'t> {
    seen: Screen<'t>,
    amounts: Vec<(NodeId, Bounds, String)>,
}

impl<'t> View<'t> {
    fn new(tree: &'t Tree) -> Self {
        let seen = Screen::new(tree);
        let amounts = seen.nodes().filter(|(_, node)| is_amount(node.label()));
        let amounts = amounts.map(|(id, node)| {
            (
                id,
                seen.visible_bounds(id),
                cut(node.label(), MAX_TEXT).into_owned(),
            )
        });
        Self {
            amounts: amounts.take(MAX_TEXTS).collect(),
            seen,
        }
    }
}

/// The package of the window on top.
#[must_use]
pub fn front_app(tree: &Tree) -> Option<String> {
    let top = tree.node(tree.roots().last()?);
    Some(top.package.clone()).filter(|package| !package.is_empty())
}

/// Where a finger goes down, and where what it drags is dropped.
fn touched(action: &AgentAction, space: &Space) -> Option<Vec<(i32, i32)>> {
    let point = |x: Number, y: Number| {
        let (x, y) = space.pixel(x, y);
        (
            i32::try_from(x).unwrap_or(i32::MAX),
            i32::try_from(y).unwrap_or(i32::MAX),
        )
    };
    match action {
        AgentAction::Tap(tap) => Some(vec![point(tap.x, tap.y)]),
        AgentAction::Swipe(swipe) => Some(vec![point(swipe.x1, swipe.y1)]),
        AgentAction::Drag(drag) => Some(vec![point(drag.x1, drag.y1), point(drag.x2, drag.y2)]),
        AgentAction::LongPressDrag(drag) => Some(vec![point(drag.x1, drag.y1), point(drag.x2, drag.y2)]),
        _ => None,
    }
}

/// Tells whether a finger scrolls: it goes up or down, and far.
pub(crate) fn scrolls(action: &AgentAction) -> bool {
    let AgentAction::Swipe(swipe) = action else {
        return false;
    };
    let side = |from: Number, to: Number| (to.get() - from.get()).abs() as i64;
    let (across, down) = (side(swipe.x1, swipe.x2), side(swipe.y1, swipe.y2));
    down > SLOP && down > across
}

/// The elements at some points: all that lie there, because what is drawn last may
/// let a touch through. If there is none, what is there is unknown.
fn under(screen: &View<'_>, points: &[(i32, i32)]) -> Sight<Vec<Target>> {
    let tree = screen.seen.tree();
    let mut found: Vec<Target> = Vec::new();
    for (x, y) in points {
        let hits = |id: &NodeId| {
            let area = screen.seen.visible_bounds(*id);
            (area.left..area.right).contains(x) && (area.top..area.bottom).contains(y)
        };
        // The innermost ones; what is around them takes the touch.
        let inner = |id: &NodeId| hits(id) && !tree.descendants(*id).any(|inside| hits(&inside));
        let leaves: Vec<NodeId> = tree.nodes().map(|(id, _)| id).filter(inner).collect();
        for leaf in leaves.into_iter().rev() {
            let taker = tree.nearest(leaf, Ability::Click).unwrap_or(leaf);
            let target = target(screen, taker, leaf);
            if !found.contains(&target) {
                found.push(target);
            }
        }
    }
    match found.is_empty() {
        true => Sight::Unseen,
        false => Sight::Seen(found),
    }
}

/// The elements that a key activates: what has the focus, and where that is a field,
/// what submits its form.
fn pressed(screen: &View<'_>, action: &AgentAction, is_field: impl Fn(NodeId) -> bool) -> Sight<Vec<Target>> {
    let Some(press) = press(action) else {
        return Sight::Nothing;
    };
    let tree = screen.seen.tree();
    let focused = tree.nodes().filter(|(_, node)| node.flags.has(Flag::Focused));
    let focused: Vec<NodeId> = focused.map(|(id, _)| id).collect();
    // A space is a letter of a field, and nothing else.
    let types = |id: &&NodeId| press == Press::Space && tree.can(**id, Ability::Edit);
    let pressed = focused.iter().filter(|id| !types(id));
    let mut found: Vec<Target> = pressed.map(|id| target(screen, *id, *id)).collect();
    if press == Press::Enter && focused.iter().any(|id| is_field(*id)) {
        let others = screen
            .seen
            .nodes()
            .filter(|(_, node)| node.flags.has(Flag::Clickable));
        found.extend(others.take(MAX_FORM).map(|(id, _)| Target {
            is_of_form: true,
            ..target(screen, id, id)
        }));
    }
    match focused.is_empty() {
        true => Sight::Unseen,
        false => Sight::Seen(found),
    }
}

/// What a key does to what has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Press {
    /// Ends a line, submits a form or clicks.
    Enter,
    /// Clicks, or is a letter.
    Space,
    /// Clicks, or does something else that is not known.
    Other,
}

/// What an action presses by a key. `None` if it only moves the focus, writes or
/// leaves.
pub(crate) fn press(action: &AgentAction) -> Option<Press> {
    let key = match action {
        AgentAction::Type(typed) => return typed.text.contains(['\n', '\r']).then_some(Press::Enter),
        AgentAction::KeyEvent(key) => KeyCode::from_name(trim(&key.keycode))?.number(),
        _ => return None,
    };
    match key {
        // The end of a line, and that of the number block.
        66 | 160 => Some(Press::Enter),
        62 => Some(Press::Space),
        // Home, back, digits, directions, volume, letters and signs, deleting, pages,
        // brightness, the screen, media, recent apps, and the like.
        3
        | 4
        | 7..=22
        | 24..=26
        | 28..=61
        | 67..=77
        | 81
        | 82
        | 84..=93
        | 111..=113
        | 115..=129
        | 143..=159
        | 161..=164
        | 168
        | 169
        | 187
        | 220..=224
        | 277..=279 => None,
        _ => Some(Press::Other),
    }
}

/// What an element says that takes a touch; `leaf` is what is touched in it. What is
/// inside and takes touches itself speaks for itself.
fn target(screen: &View<'_>, taker: NodeId, leaf: NodeId) -> Target {
    let tree = screen.seen.tree();
    let mut all = vec![leaf];
    let mut inside: Vec<NodeId> = vec![taker];
    while let Some(id) = inside.pop() {
        all.push(id);
        let quiet = |child: &NodeId| !tree.node(*child).flags.has(Flag::Clickable);
        inside.extend(
            tree.children(id)
                .filter(quiet)
                .collect::<Vec<_>>()
                .into_iter()
                .rev(),
        );
    }
    let mut texts: Vec<String> = Vec::new();
    for (node, is_edited) in all
        .iter()
        .map(|id| (tree.node(*id), tree.can(*id, Ability::Edit)))
    {
        // What was written into a field is not what the field says.
        let own = if is_edited { "" } else { &node.text };
        for text in [own, &node.content_desc, node.hint.as_deref().unwrap_or_default()] {
            let text = cut(text, MAX_TEXT).into_owned();
            if !text.trim().is_empty() && !texts.contains(&text) && texts.len() < MAX_TEXTS {
                texts.push(text);
            }
        }
    }
    let id_of = |id: &NodeId| {
        Some(
            tree.node(*id)
                .resource_id
                .as_deref()?
                .rsplit('/')
                .next()?
                .to_owned(),
        )
    };
    // The ids inside speak for an element that says nothing.
    let named = if texts.is_empty() {
        &all[..]
    } else {
        &[leaf, taker]
    };
    let mut ids: Vec<String> = named.iter().filter_map(id_of).take(MAX_TEXTS).collect();
    ids.dedup();
    let (area, height) = (screen.seen.visible_bounds(taker), screen.seen.area().bottom);
    let is_near =
        |bounds: &Bounds| (bounds.top - area.bottom).max(area.top - bounds.bottom) <= height / BESIDE;
    let around = screen
        .amounts
        .iter()
        .filter(|(id, bounds, _)| !all.contains(id) && is_near(bounds));
    Target {
        amounts: texts.iter().filter(|text| is_amount(text)).cloned().collect(),
        beside: around.map(|(.., text)| text.clone()).take(4).collect(),
        is_button: tree.node(taker).class.to_lowercase().contains("button"),
        app: tree.node(taker).package.clone(),
        is_of_form: false,
        texts,
        ids,
    }
}

/// Tells whether something is searched for in a field.
fn is_search(tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let said = [
        &*node.class,
        node.resource_id
            .as_deref()
            .unwrap_or_default()
            .rsplit('/')
            .next()
            .unwrap_or_default(),
        &*node.content_desc,
        node.hint.as_deref().unwrap_or_default(),
    ];
    said.iter().any(|text| Said::new(text).says(Kind::Search, 8))
}

/// Tells whether a text has an amount of money in it.
fn is_amount(text: &str) -> bool {
    const MONEY: &str = r"(?i)(?:\p{Sc}|\b(?:usd|eur|gbp|chf|jpy|cny|rmb|inr|rub|krw|try|brl|pln|czk|sek|nok|dkk|huf|ron|bgn|uah|thb|vnd|idr|myr|php|aud|cad|nzd|sgd|hkd|twd|zar|mxn|aed|sar|ils|pkr|bdt|ngn|kes|btc|eth|rs|rp|rm|fr|kr|tl))\.?\s?\d|\d[\d.,' \u{a0}\u{202f}]*(?:\p{Sc}|元|円|圆|원|บาท|руб|грн|zł|kč|ft\b|лв|lei\b|(?:usd|eur|euros?|gbp|chf|jpy|cny|rmb|inr|rub|krw|try|brl|pln|czk|sek|nok|dkk|huf|ron|bgn|uah|thb|vnd|idr|myr|php|aud|cad|nzd|sgd|hkd|twd|zar|mxn|aed|sar|ils|dollars?|kr|tl|fr|btc|eth)\b)";
    // A test reads the pattern.
    static AMOUNT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(MONEY).ok());
    let plain: String = unicode_normalization::UnicodeNormalization::nfkc(text).collect();
    AMOUNT.as_ref().is_some_and(|amount| amount.is_match(&plain))
}
