//! What an action is about to act on, as a policy judges it: the app in front and
//! what the elements say that a finger or a key would activate. Pure.

use crate::action::AgentAction;
use crate::space::Space;
use clawperator_contract::Number;
use clawperator_contract::text::trim;
use clawperator_phone::KeyCode;
use clawperator_ui::words::{ComparableText, PhraseKind, is_amount, is_hidden, is_unclear};
use clawperator_ui::{Ability, Bounds, Flag, NodeId, Point, Screen, Tree};

/// The most texts of an element, and the most elements of a form. What has more is not known.
const MAX_TEXTS: usize = 256;
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
    #[default]
    Nothing,
    Seen(T),
}

impl<T> Sight<T> {
    /// What is seen, if something is.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Seen(it) => Some(it),
            Self::Unseen | Self::Nothing => None,
        }
    }
}

/// What an action is about to act on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    pub app: Sight<String>,
    pub targets: Sight<Vec<ActTarget>>,
    /// Whether what is typed goes into a password field.
    pub is_secret: bool,
    /// Whether there is a field on the screen in which something is written.
    pub has_field: bool,
    /// Whether there is something to send it with; told of the end of a line only.
    pub can_send: bool,
}

/// What an element looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetShape {
    Button,
    /// One of several rows of two texts, on a screen without amounts and fields.
    MenuRow,
    #[default]
    Other,
}

/// An element that may be activated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActTarget {
    /// What it says: its own texts and those inside it.
    pub texts: Vec<String>,
    /// The last parts of its resource ids.
    pub ids: Vec<String>,
    pub app: String,
    pub shape: TargetShape,
    /// Whether it is another element of the form that a key may submit.
    pub is_of_form: bool,
    /// Whether it may say something else or more.
    pub is_unclear: bool,
    pub amounts: Vec<String>,
    pub beside: Vec<String>,
}

impl Surroundings {
    /// What is known where the screen cannot be read.
    pub fn unseen(app: Option<String>) -> Self {
        Self { app: app.map_or(Sight::Unseen, Sight::Seen), targets: Sight::Unseen, ..Self::default() }
    }

    /// What opening a URI does, as far as the URI tells. A page of the web only shows
    /// itself; any other app may act at once.
    pub fn opening(uri: &str) -> Self {
        let scheme = uri.split(':').next().unwrap_or_default().trim().to_lowercase();
        let is_page = ["http", "https", "geo"].contains(&&*scheme);
        // Letters need no escapes, so these hide something.
        let hides = |escape: &str| escape.starts_with(['4', '5', '6', '7']);
        let target = ActTarget {
            is_unclear: !is_page && (is_unclear(uri) || uri.split('%').skip(1).any(hides)),
            texts: vec![format!("uri {}", if is_page { &scheme } else { uri })],
            shape: TargetShape::Button,
            ..ActTarget::default()
        };
        Self { targets: Sight::Seen(vec![target]), has_field: true, ..Self::unseen(None) }
    }

    /// What a screen says of an action on it.
    pub fn of(tree: &Tree, action: &AgentAction, space: &Space) -> Self {
        let screen = &MoneyView::new(tree);
        let is_field = |id: NodeId| !tree.is_secret(id) && is_filled_in(tree, id);
        let targets = match touch_points(action, space) {
            Some(points) => under(screen, &points),
            None => key_targets(screen, action),
        };
        let first = targets.value().and_then(|all| all.first());
        let app = first.map(|target| target.app.clone()).filter(|app| !app.is_empty());
        let sends = |id: NodeId| {
            let is_taker = tree.node(id).flags.has(Flag::Clickable);
            let target = target(screen, id, id);
            is_taker && (target.is_unclear || target.says(PhraseKind::Send, 2))
        };
        Self {
            app: app.or_else(|| front_app(tree)).map_or(Sight::Unseen, Sight::Seen),
            targets,
            is_secret: tree.nodes().any(|(id, node)| node.flags.has(Flag::Focused) && tree.is_secret(id)),
            has_field: screen.seen.nodes().any(|(id, _)| is_field(id)),
            can_send: press(action) == Some(KeyPress::Enter) && screen.seen.nodes().any(|(id, _)| sends(id)),
        }
    }

    /// The packages that an action may be in.
    pub fn apps(&self) -> impl Iterator<Item = &str> {
        let targets = self.targets.value().into_iter().flatten();
        let apps = targets.map(|target| &target.app).filter(|app| !app.is_empty());
        self.app.value().into_iter().chain(apps).map(String::as_str)
    }

    /// What the activated elements say, in one line.
    pub fn label(&self) -> Option<String> {
        let targets = self.targets.value()?.iter().filter(|target| !target.is_of_form);
        let texts: Vec<&str> = targets.flat_map(|target| &target.texts).map(String::as_str).collect();
        Some(texts.join(" ")).filter(|label| !label.is_empty())
    }

    /// Whether it is not known what an activated element says.
    pub fn is_unclear(&self) -> bool {
        let mut targets = self.targets.value().into_iter().flatten();
        self.targets == Sight::Unseen || targets.any(|target| target.is_unclear)
    }
}

impl ActTarget {
    pub(crate) fn is_button(&self) -> bool {
        self.shape == TargetShape::Button
    }

    /// Tells whether one of its texts or ids says a phrase of that kind.
    pub(crate) fn says(&self, kind: PhraseKind, most: usize) -> bool {
        let mut said = self.texts.iter().chain(&self.ids);
        said.any(|text| ComparableText::new(text).says(kind, most))
    }
}

struct MoneyView<'t> {
    seen: Screen<'t>,
    amounts: Vec<SeenAmount>,
}

struct SeenAmount {
    id: NodeId,
    bounds: Bounds,
    text: String,
}

impl<'t> MoneyView<'t> {
    fn new(tree: &'t Tree) -> Self {
        let seen = Screen::new(tree);
        // What is hidden may be one.
        let hides = |id: NodeId, label: &str| is_hidden(label) && !tree.can(id, Ability::Edit);
        let amounts = seen.nodes().filter(|(id, node)| is_amount(node.label()) || hides(*id, node.label()));
        let amounts = amounts.map(|(id, node)| SeenAmount {
            id,
            bounds: seen.visible_bounds(id),
            text: node.label().to_owned(),
        });
        Self { amounts: amounts.collect(), seen }
    }
}

/// The package of the window on top.
pub fn front_app(tree: &Tree) -> Option<String> {
    let top = tree.node(tree.roots().last()?);
    Some(top.package.clone()).filter(|package| !package.is_empty())
}

/// Where a finger goes down, and where what it drags is dropped.
fn touch_points(action: &AgentAction, space: &Space) -> Option<Vec<Point>> {
    match action {
        AgentAction::Tap(tap) => Some(vec![space.pixel(tap.x, tap.y)]),
        AgentAction::Swipe(swipe) => Some(vec![space.pixel(swipe.x1, swipe.y1)]),
        AgentAction::Drag(drag) => Some(vec![space.pixel(drag.x1, drag.y1), space.pixel(drag.x2, drag.y2)]),
        AgentAction::LongPressDrag(drag) => {
            Some(vec![space.pixel(drag.x1, drag.y1), space.pixel(drag.x2, drag.y2)])
        }
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
fn under(screen: &MoneyView<'_>, points: &[Point]) -> Sight<Vec<ActTarget>> {
    let tree = screen.seen.tree();
    let mut found: Vec<ActTarget> = Vec::new();
    for point in points {
        let hits = |id: &NodeId| screen.seen.visible_bounds(*id).contains(*point);
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
    if found.is_empty() { Sight::Unseen } else { Sight::Seen(found) }
}

/// The elements that a key activates: what has the focus, and where that is a field,
/// what submits its form. A code agrees to all that the screen says.
fn key_targets(screen: &MoneyView<'_>, action: &AgentAction) -> Sight<Vec<ActTarget>> {
    let Some(press) = press(action) else {
        return Sight::Nothing;
    };
    let tree = screen.seen.tree();
    let focused = tree.nodes().filter(|(_, node)| node.flags.has(Flag::Focused));
    let focused: Vec<NodeId> = focused.map(|(id, _)| id).collect();
    // A space is a letter of a field, and nothing else.
    let types = |id: &&NodeId| press == KeyPress::Space && tree.can(**id, Ability::Edit);
    let pressed = focused.iter().filter(|id| !types(id));
    let mut found: Vec<ActTarget> = pressed.map(|id| target(screen, *id, *id)).collect();
    if press == KeyPress::Enter && focused.iter().any(|id| is_filled_in(tree, *id)) {
        let is_code =
            |text: &str| is_hidden(text) || ComparableText::new(text).says(PhraseKind::Code, usize::MAX);
        let is_code =
            focused.iter().any(|id| tree.is_secret(*id) || node_texts(tree, *id).into_iter().any(is_code))
                || screen.seen.nodes().any(|(_, node)| is_code(node.label()));
        let others = screen.seen.nodes().filter(|(id, node)| {
            node.flags.has(Flag::Clickable) || is_code && tree.children(*id).next().is_none()
        });
        let others: Vec<NodeId> = others.map(|(id, _)| id).collect();
        if let (true, Some(field)) = (is_code, found.first_mut()) {
            field.shape = TargetShape::Button;
            field.amounts = screen.amounts.iter().map(|amount| amount.text.clone()).collect();
        }
        let is_unclear = others.len() > MAX_FORM;
        found.extend(others.into_iter().take(MAX_FORM).map(|id| ActTarget {
            is_of_form: true,
            is_unclear,
            ..target(screen, id, id)
        }));
    }
    if focused.is_empty() { Sight::Unseen } else { Sight::Seen(found) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPress {
    /// Ends a line, submits a form, clicks, or does something else that is not known.
    Enter,
    /// Clicks, or is a letter.
    Space,
}

/// What an action presses by a key. `None` if it only moves the focus, writes or leaves.
pub(crate) fn press(action: &AgentAction) -> Option<KeyPress> {
    let key = match action {
        AgentAction::Type(typed) => return typed.text.contains(['\n', '\r']).then_some(KeyPress::Enter),
        AgentAction::KeyEvent(key) => KeyCode::from_name(trim(&key.keycode))?.number(),
        _ => return None,
    };
    match key {
        62 => Some(KeyPress::Space),
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
        _ => Some(KeyPress::Enter),
    }
}

/// What an element says that takes a touch; `leaf` is what is touched in it. What is
/// inside and takes touches itself speaks for itself.
fn target(screen: &MoneyView<'_>, taker: NodeId, leaf: NodeId) -> ActTarget {
    let tree = screen.seen.tree();
    let node = tree.node(taker);
    let mut all = vec![leaf];
    let mut inside: Vec<NodeId> = vec![taker];
    while let Some(id) = inside.pop() {
        all.push(id);
        let quiet = |child: &NodeId| !tree.node(*child).flags.has(Flag::Clickable);
        inside.extend(tree.children(id).filter(quiet).collect::<Vec<_>>().into_iter().rev());
    }
    let texts = texts_of(tree, taker, &all);
    // The ids inside speak for what says nothing itself.
    let named = all.iter().filter(|id| [leaf, taker].contains(id) || tree.node(**id).label().is_empty());
    let id_of = |id: &NodeId| Some(tree.node(*id).resource_id.as_deref()?.rsplit('/').next()?.to_owned());
    let mut ids: Vec<String> = named.filter_map(id_of).take(MAX_TEXTS).collect();
    ids.dedup();
    let (area, height) = (screen.seen.visible_bounds(taker), screen.seen.area().bottom);
    let is_near = |bounds: &Bounds| {
        let gap = (bounds.top - area.bottom).max(area.top - bounds.bottom);
        gap <= height / BESIDE || screen.amounts.len() == 1
    };
    let around = screen.amounts.iter().filter(|amount| !all.contains(&amount.id) && is_near(&amount.bounds));
    ActTarget {
        amounts: texts.iter().filter(|text| is_amount(text)).cloned().collect(),
        beside: around.map(|amount| amount.text.clone()).take(4).collect(),
        shape: match texts.len() {
            _ if node.class.to_lowercase().contains("button") => TargetShape::Button,
            2 if is_in_menu(screen, taker) => TargetShape::MenuRow,
            _ => TargetShape::Other,
        },
        app: node.package.clone(),
        is_of_form: false,
        // A page of the web that the phone does not describe may be anything.
        is_unclear: texts.len() > MAX_TEXTS
            || texts.iter().chain(&ids).any(|text| is_unclear(text))
            || node.class.ends_with("WebView") && tree.children(taker).next().is_none(),
        texts,
        ids,
    }
}

/// Tells whether an element is one of at least three rows of a menu. Where an amount
/// stands or something is filled in, a row may be what buys.
fn is_in_menu(screen: &MoneyView<'_>, row: NodeId) -> bool {
    let tree = screen.seen.tree();
    let is_field = |id: NodeId| tree.can(id, Ability::Edit) || tree.node(id).flags.has(Flag::Checkable);
    let is_alike = |id: &NodeId| {
        let (one, other) = (tree.node(row), tree.node(*id));
        other.flags.has(Flag::Clickable)
            && (&*one.class, tree.descendants(row).count()) == (&*other.class, tree.descendants(*id).count())
    };
    let rows = tree.parent(row).into_iter().flat_map(|parent| tree.children(parent));
    screen.amounts.is_empty()
        && !tree.nodes().any(|(id, _)| is_field(id))
        && rows.filter(is_alike).count() >= 3
}

/// Tells whether what is written in a field goes somewhere when it is submitted:
/// searching does not count.
fn is_filled_in(tree: &Tree, id: NodeId) -> bool {
    let says = |kind| node_texts(tree, id).iter().any(|text| ComparableText::new(text).says(kind, 8));
    tree.can(id, Ability::Edit)
        && (tree.is_secret(id) || !says(PhraseKind::Search) || says(PhraseKind::Write))
}

fn node_texts(tree: &Tree, id: NodeId) -> [&str; 4] {
    let node = tree.node(id);
    let name = node.resource_id.as_deref().and_then(|id| id.rsplit('/').next());
    let hint = node.hint.as_deref().unwrap_or_default();
    [&node.class, name.unwrap_or_default(), &node.content_desc, hint]
}

/// What some elements say, of which the first takes the touch.
fn texts_of(tree: &Tree, taker: NodeId, all: &[NodeId]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut speak = |id: NodeId| {
        let node = tree.node(id);
        // What was written into a field is not what the field says.
        let own = Some(&*node.text).filter(|_| !tree.can(id, Ability::Edit));
        for text in [own, Some(&*node.content_desc), node.hint.as_deref()].into_iter().flatten() {
            if !text.trim().is_empty() && texts.len() <= MAX_TEXTS && !texts.iter().any(|said| said == text) {
                texts.push(text.to_owned());
            }
        }
        !texts.iter().any(|text| text.contains(char::is_alphabetic))
    };
    let is_mute = all.iter().fold(true, |_, id| speak(*id));
    // What stands beside a picture or a slider without a word speaks for it.
    let is_input = tree.can(taker, Ability::Edit) || tree.node(taker).flags.has(Flag::Checkable);
    if let (true, false, Some(parent)) = (is_mute, is_input, tree.parent(taker)) {
        let beside: Vec<NodeId> = tree.children(parent).collect();
        let at = beside.iter().position(|id| *id == taker).unwrap_or_default();
        for id in &beside[at.saturating_sub(1)..(at + 2).min(beside.len())] {
            let _ = tree.node(*id).flags.has(Flag::Clickable) || speak(*id);
        }
    }
    texts
}
