//! Puts elements that were captured on another phone where they were there.
//! Nothing is measured and nothing cut off: they are as a dump told them.

use super::MANY_LINES;
use crate::app::captured::Captured;
use crate::app::widget::TextAlign;
use crate::view::{Acts, Appearance, Axis, Click, Scroll, ScrollKind, View, ViewKey};
use clawperator_ui::{Bounds, Flag, Flags};
use std::borrow::Cow;

/// The screen of these elements; none if there are none.
pub(super) fn captured(elements: &[Captured]) -> Option<View<'_>> {
    // What is open: each view and how deep it is, outermost first.
    let mut open: Vec<(u16, View<'_>)> = Vec::new();
    let mut deeper = false;
    for (number, element) in elements.iter().enumerate() {
        // There is one window: every other root is in the first, with what is in it.
        deeper |= number > 0 && element.depth == 0;
        let depth = element.depth.saturating_add(u16::from(deeper));
        while open.last().is_some_and(|(deep, _)| *deep >= depth) && open.len() > 1 {
            close(&mut open);
        }
        open.push((depth, view(number, element)));
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map(|(_, mut root)| {
        root.told_index.get_or_insert(0);
        root
    })
}

fn close<'a>(open: &mut Vec<(u16, View<'a>)>) {
    if let Some((_, mut inner)) = open.pop()
        && let Some((_, outer)) = open.last_mut()
    {
        let place = i32::try_from(outer.children.len()).unwrap_or(i32::MAX);
        inner.told_index.get_or_insert(place);
        outer.children.push(inner);
    }
}

fn view(number: usize, element: &Captured) -> View<'_> {
    let [left, top, right, bottom] = element.at;
    let bounds = Bounds::new(left, top, right, bottom);
    let flags = element.flags.iter().fold(Flags::default(), |flags, flag| flags.with((*flag).into(), true));
    let click = element.on_click.as_deref().map_or(Click::Nothing, Click::Effects);
    // A touch goes no further than what takes it, whether that does something or not.
    let click = match click {
        Click::Nothing if flags.has(Flag::Clickable) => Click::Effects(&[]),
        click => click,
    };
    View {
        key: ViewKey::default().part(number),
        class: Cow::Borrowed(&element.class),
        id: element.id.clone(),
        text: element.text.clone(),
        desc: element.desc.clone(),
        flags,
        package: element.package.as_deref(),
        told_index: element.index,
        bounds,
        visible: bounds,
        look: look(number, element),
        acts: Acts { click, long_click: element.on_long_click.as_deref(), ..Acts::default() },
        scroll: element.on_scroll.as_deref().map(|effects| Scroll {
            axis: if element.sideways { Axis::Horizontal } else { Axis::Vertical },
            range: i32::MAX / 2,
            offset: i32::MAX / 4,
            kind: ScrollKind::Free { on_scroll: effects, on_end: &[] },
        }),
        ..View::default()
    }
}

fn look(number: usize, element: &Captured) -> Appearance {
    if number == 0 {
        return Appearance::Fill(0xfffb_feff);
    }
    if element.text.is_empty() {
        return Appearance::Clear;
    }
    Appearance::words(14, TextAlign::Start, MANY_LINES)
}
