//! What a click meant.

use crate::doubt::Unsure;
use crate::event::{Click, ClickLength};
use crate::selector::{self, fits};
use crate::touched::touched_element;
use clawperator_contract::Matcher;
use clawperator_ui::{Ability, Bounds, NodeId, Point, Screen, Tree};

/// What a click meant: an element's name, or else a point.
pub(super) struct RecordedTarget {
    pub(super) matcher: Option<Matcher>,
    pub(super) point: Point,
    pub(super) unsure: Vec<Unsure>,
}

pub(super) fn of_click(tree: Option<&Tree>, act: &Click) -> RecordedTarget {
    let Some(tree) = tree else {
        return by_event(act, Unsure::NoScreen);
    };
    let screen = Screen::new(tree);
    let Some(id) = locate(&screen, act) else {
        return by_event(act, Unsure::NotOnScreen);
    };
    let ability = match act.press {
        ClickLength::Short => Ability::Click,
        ClickLength::Long => Ability::LongClick,
    };
    // A field is clicked to type into it, whatever else it can do.
    let ability = if tree.can(id, Ability::Edit) { Ability::Edit } else { ability };
    let named = selector::name(&screen, id, ability);
    RecordedTarget { matcher: named.matcher, point: point(act), unsure: named.unsure.into_iter().collect() }
}

/// The element of the screen that an event is about.
fn locate(screen: &Screen<'_>, act: &Click) -> Option<NodeId> {
    let wanted = Bounds::from(act.bounds);
    let id = act.resource_id.as_deref().unwrap_or_default();
    let there = || screen.nodes().filter(|(_, node)| node.bounds == wanted);
    let named = there().filter(|(_, node)| node.resource_id.as_deref().unwrap_or_default() == id);
    // Of several in one place the innermost that fits is meant.
    let exact = named.last().map(|(id, _)| id);
    exact.or_else(|| touched_element(screen, act.at?))
}

/// What the event itself says, where no screen says more.
fn by_event(act: &Click, why: Unsure) -> RecordedTarget {
    let value = |value: &Option<String>| value.clone().filter(|value| fits(value));
    let matcher = Matcher {
        resource_id: value(&act.resource_id),
        text_equals: value(&act.text),
        content_desc_equals: value(&act.content_desc).filter(|_| value(&act.text).is_none()),
        ..Matcher::default()
    };
    let named = matcher != Matcher::default();
    RecordedTarget {
        matcher: named.then_some(matcher),
        point: point(act),
        unsure: vec![if named { why } else { Unsure::OnlyAPoint }],
    }
}

/// Where a click was: the point, or else the middle of the element.
fn point(act: &Click) -> Point {
    act.at.unwrap_or_else(|| Bounds::from(act.bounds).center())
}
