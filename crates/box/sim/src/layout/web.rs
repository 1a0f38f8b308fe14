//! A page of the web, as Chromium puts it into a tree: a web view with the page's title in the
//! app's, and in it a text for each line and a view that can be clicked for each link.

use super::measure::{MAX_LINES, block};
use super::{Layout, group};
use crate::app::value::Value;
use crate::app::widget::{TextAlign, Web};
use crate::phone::Namespace;
use crate::view::class::TEXT;
use crate::view::{Appearance, Click, TextLook, View};
use clawperator_paint::Weight;
use clawperator_ui::{Bounds, Flag};

pub(super) const CLASS: &str = "android.webkit.WebView";
/// The setting that takes pages out of the tree where it is 0.
const SETTING: &str = "web_pages_in_tree";
const LINK: u32 = 0x1a0d_abff;
/// How large its words are, and the space around them, in dp.
const SP: u16 = 16;
const SIDES: u16 = 16;
const GAP: u16 = 8;

impl<'a> Layout<'a, '_> {
    pub(super) fn web(&mut self, web: &'a Web, view: &mut View<'a>) {
        let in_tree = self.phone.settings.get(Namespace::Global, SETTING) != Some("0");
        view.look = Appearance::Web { in_tree };
        let (sides, gap) = (self.px(SIDES), self.px(GAP));
        let style = self.style(SP, Weight::Regular);
        let room = view.bounds;
        let width = room.right - room.left - 2 * sides;
        let text = self.text(Some(&web.text));
        let mut top = room.top + sides;
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate().take(MAX_LINES.into()) {
            let (words, target) = link(line);
            let size = block(words, &style, width, MAX_LINES);
            let bounds = Bounds::new(room.left + sides, top, room.right - sides, top + size.height);
            top += size.height + gap;
            if words.trim().is_empty() {
                continue;
            }
            let mut part = group(view.key.part(number + 1), TEXT, bounds, Vec::new());
            words.clone_into(&mut part.text);
            let plain = TextLook::plain(SP, TextAlign::Start, MAX_LINES);
            part.look = Appearance::Text(TextLook { color: target.map(|_| LINK), ..plain });
            if let Some(target) = target {
                part.class = "android.view.View".into();
                part.bounds.right = part.bounds.left + size.width;
                part.flags = part.flags.with(Flag::Clickable, true).with(Flag::Focusable, true);
                part.acts.click = Click::Effects(&web.on_link);
                part.acts.locals.clone_from(&self.locals);
                part.acts.locals.push(("link".to_owned(), Value::from(target)));
            }
            lines.push(part);
        }
        let offset = self.scrolled(view, top + sides - room.top);
        for line in &mut lines {
            (line.bounds.top, line.bounds.bottom) = (line.bounds.top - offset, line.bounds.bottom - offset);
        }
        let mut page = group(view.key.part(0), CLASS, room, lines);
        page.text = self.text(web.title.as_ref());
        if page.text.is_empty() {
            page.text = self.text(Some(&web.url));
        }
        page.flags = page.flags.with(Flag::Focusable, true);
        view.flags = view.flags.with(Flag::Focusable, true);
        view.children = vec![page];
    }
}

/// The words of a line, and where it leads if it is written as `[words](address)`.
fn link(line: &str) -> (&str, Option<&str>) {
    let inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(')'));
    match inside.and_then(|inside| inside.split_once("](")) {
        Some((words, target)) => (words, Some(target)),
        None => (line, None),
    }
}
