//! A screen in a page: its picture, or its elements drawn as boxes, with the touches marked.

use super::html::{apart, cut, esc};
use super::near;
use super::picture::{PictureSize, Shot, Store};
use super::story::{StoryScene, duration_text, touch_text};
use super::tree::tree_list;
use crate::StoredJournal;
use clawperator_events::{TouchEvent, TouchKind};
use clawperator_ui::{Bounds, Flag, Node, NodeId, Screen, Tree};
use serde_json::Value;

/// The most elements of one screen that are shown.
pub(super) const MAX_NODES: usize = 1500;
/// How much of a label is shown.
const SHOWN: usize = 120;
/// How far from the corner something can be.
pub(super) const MAX_PLACE: i32 = 20_000;
/// The size of a screen if it is unknown.
const USUAL: PictureSize = PictureSize { width: 1080, height: 2400 };

impl StoryScene<'_> {
    pub(super) fn tree(&self, journal: &StoredJournal) -> Option<Tree> {
        let dump = journal.tree(&self.look?.tree)?;
        clawperator_ui::read(&dump).ok()
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct SceneExtras<'k> {
    /// The matcher that matched nothing.
    pub(super) wanted: Option<&'k Value>,
    /// The screen after the step.
    pub(super) after: Option<&'k StoryScene<'k>>,
}

pub(super) fn scene(
    journal: &StoredJournal,
    scene: &StoryScene<'_>,
    store: &mut Store,
    extras: SceneExtras<'_>,
) -> String {
    let tree = scene.tree(journal);
    let shot = scene.picture.and_then(|hash| store.picture(journal, hash));
    let chosen = scene.choice.and_then(|choice| choice.node);
    let size = shot.map_or_else(|| tree.as_ref().map_or(USUAL, size_of), |shot| shot.size);
    let mut drawing = match (shot, &tree) {
        (Some(Shot { number, .. }), _) => format!("<use href=\"#shot-{number}\"/>"),
        (None, Some(tree)) => drawn(tree, size.width),
        (None, None) => String::new(),
    };
    if let Some(tree) = &tree {
        drawing.push_str(&boxes(tree, chosen));
    }
    if let (Some(tree), Some(wanted)) = (&tree, extras.wanted) {
        drawing.push_str(&candidates(tree, wanted, size.width));
    }
    for touch in &scene.touches {
        drawing.push_str(&mark(touch, size.width));
    }
    let says = caption(scene);
    let led = extras.after.and_then(|after| after.picture);
    let mut html = format!(
        "<div class=\"scene{}\"><div class=\"pictures\"><figure>{}<figcaption>{}</figcaption></figure>",
        if led.is_some() { " led" } else { "" },
        phone(size, &says, &drawing),
        apart(&says)
    );
    if let Some(Shot { number, size }) = led.and_then(|hash| store.picture(journal, hash)) {
        let picture = phone(size, "The screen after the step", &format!("<use href=\"#shot-{number}\"/>"));
        html.push_str(&format!(
            "<figure class=\"after\">{picture}<figcaption>After the step</figcaption><details class=\"large\"><summary>Larger</summary>{picture}</details></figure>"
        ));
    }
    html.push_str("</div><div class=\"side\">");
    if let Some(tree) = &tree {
        if let Some(wanted) = extras.wanted {
            html.push_str(&near::list(tree, wanted));
        }
        html.push_str(&tree_list(tree, chosen));
    } else if !scene.after_step {
        html.push_str("<p class=\"none\">The tree of this screen was not stored.</p>");
    }
    html.push_str("</div></div>");
    html
}

/// A phone's screen with something drawn on it.
pub(super) fn phone(size: PictureSize, says: &str, drawing: &str) -> String {
    let PictureSize { width, height } = size;
    let says = esc(says);
    format!(
        "<svg class=\"phone\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{says}\"><rect class=\"glass\" width=\"{width}\" height=\"{height}\"/>{drawing}</svg>"
    )
}

/// The nearest elements to a matcher, with their numbers in the list.
fn candidates(tree: &Tree, wanted: &Value, width: i32) -> String {
    let letter = width / 24 + 1;
    let mut html = String::from("<g class=\"candidates\">");
    for (number, near) in near::nearest(tree, wanted).iter().enumerate() {
        let bounds = place(&tree.node(near.id).bounds);
        html.push_str(&format!(
            "<rect {}/><text x=\"{}\" y=\"{}\" font-size=\"{letter}\">{}</text>",
            rect(&bounds),
            bounds.left - letter,
            bounds.top + letter,
            number + 1
        ));
    }
    html.push_str("</g>");
    html
}

/// A scene in words: the caption, and the picture's alternative text.
fn caption(scene: &StoryScene<'_>) -> String {
    let mut parts = vec![format!("At {}", duration_text(scene.at_us))];
    match scene.look {
        Some(look) => parts.push(format!("{} elements of {}", look.nodes, look.package)),
        None if scene.after_step => parts.push("after the step".to_owned()),
        None => parts.push("the screen was not read".to_owned()),
    }
    if scene.times > 1 {
        parts.push(format!("seen {} times", scene.times));
    }
    if let Some(choice) = scene.choice {
        parts.push(match (&choice.says, choice.fits) {
            (Some(says), 1) => format!("chose {}", cut(says, SHOWN)),
            (Some(says), fits) => format!("chose {}, the first of {fits}", cut(says, SHOWN)),
            (None, _) => "nothing matched".to_owned(),
        });
    }
    parts.extend(scene.touches.iter().map(|touch| touch_text(touch)));
    parts.join("; ")
}

fn size_of(tree: &Tree) -> PictureSize {
    let area = Screen::new(tree).area();
    if area.right > 0 && area.bottom > 0 {
        PictureSize { width: area.right.min(MAX_PLACE), height: area.bottom.min(MAX_PLACE) }
    } else {
        USUAL
    }
}

/// The elements that are shown, with their numbers.
pub(super) fn nodes(tree: &Tree) -> impl Iterator<Item = (usize, (NodeId, &Node))> {
    tree.nodes().enumerate().take(MAX_NODES)
}

/// Bounds that can be drawn: a tree may claim any size.
fn place(bounds: &Bounds) -> Bounds {
    let near = |number: i32| number.clamp(-MAX_PLACE, MAX_PLACE);
    Bounds::new(near(bounds.left), near(bounds.top), near(bounds.right), near(bounds.bottom))
}

fn rect(bounds: &Bounds) -> String {
    let place = place(bounds);
    let (wide, high) = (place.right - place.left, place.bottom - place.top);
    format!("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", place.left, place.top, wide.max(0), high.max(0))
}

/// Frames over the picture that highlight the element under the pointer.
fn boxes(tree: &Tree, chosen: Option<usize>) -> String {
    let mut html = String::from("<g class=\"boxes\">");
    for (number, (_, node)) in nodes(tree).filter(|(_, (_, node))| !node.bounds.is_empty()) {
        let class = if chosen == Some(number) { " class=\"chosen\"" } else { "" };
        html.push_str(&format!("<rect data-n=\"{number}\"{class} {}/>", rect(&node.bounds)));
    }
    html.push_str("</g>");
    html
}

/// The screen without a picture: elements with text or a use, as boxes.
fn drawn(tree: &Tree, width: i32) -> String {
    let mut html = String::from("<g class=\"drawn\">");
    for (_, (id, node)) in nodes(tree).filter(|(_, (_, node))| !node.bounds.is_empty()) {
        let usable = node.flags.has(Flag::Clickable) || node.flags.has(Flag::Checkable);
        let label = node.label();
        if !usable && label.is_empty() {
            continue;
        }
        let class = if usable { "use" } else { "say" };
        html.push_str(&format!("<rect class=\"{class}\" {}/>", rect(&node.bounds)));
        let inside = tree.children(id).next().is_some();
        if label.is_empty() || (inside && node.text.is_empty()) {
            continue;
        }
        let bounds = place(&node.bounds);
        let (wide, high) = (bounds.right - bounds.left, bounds.bottom - bounds.top);
        let letter = (high * 13 / 20).clamp(width / 60 + 1, width / 24 + 1);
        // A letter is about half as wide as it is high.
        let fit = usize::try_from(wide * 9 / (letter * 5).max(1)).unwrap_or(0);
        let middle = bounds.top + high / 2 + letter * 7 / 20;
        html.push_str(&format!(
            "<text x=\"{}\" y=\"{middle}\" font-size=\"{letter}\">{}</text>",
            bounds.left + letter / 4,
            esc(&cut(label, fit.max(1)))
        ));
    }
    html.push_str("</g>");
    html
}

pub(super) fn mark(touch: &TouchEvent, width: i32) -> String {
    let [x, y] = touch.at;
    let small = width / 64 + 1;
    let dot = |x: i32, y: i32| {
        let large = small * 3;
        format!(
            "<circle class=\"halo\" cx=\"{x}\" cy=\"{y}\" r=\"{large}\"/><circle class=\"finger\" cx=\"{x}\" cy=\"{y}\" r=\"{small}\"/>"
        )
    };
    let way = match (touch.kind, touch.to) {
        (TouchKind::Swipe, Some([to_x, to_y])) => format!(
            "<line class=\"way\" x1=\"{x}\" y1=\"{y}\" x2=\"{to_x}\" y2=\"{to_y}\" stroke-width=\"{}\"/><circle class=\"goal\" cx=\"{to_x}\" cy=\"{to_y}\" r=\"{small}\" stroke-width=\"{}\"/>",
            small / 2 + 1,
            small / 3 + 1
        ),
        _ => String::new(),
    };
    format!("<g class=\"touch\">{way}{}<title>{}</title></g>", dot(x, y), touch_text(touch))
}
