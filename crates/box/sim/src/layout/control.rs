//! Puts what a user works with into its place: fields, switches, tabs, pages.

use super::{Layout, Room, group};
use crate::app::template::Template;
use crate::app::value::Value;
use crate::app::widget::{Field, FieldKind, Pager, Slider, Tabs, TextAlign};
use crate::view::class::{LINEAR, TEXT};
use crate::view::{Appearance, Axis, Click, Scroll, ScrollKind, TextLook, View};
use clawperator_ui::{Bounds, Flag};

impl<'a> Layout<'a, '_> {
    pub(super) fn two_state(&self, view: &mut View<'a>, text: &Template, click: Click<'a>) {
        view.text = self.text(Some(text));
        let enabled = view.flags.has(Flag::Enabled);
        view.acts.click = if enabled { click } else { Click::Nothing };
        for flag in [Flag::Checkable, Flag::Clickable, Flag::Focusable] {
            view.flags = view.flags.with(flag, true);
        }
    }

    pub(super) fn field(&self, field: &'a Field, view: &mut View<'a>) {
        let written = self.bound(&field.bind).text().into_owned();
        let password = field.kind == FieldKind::Password;
        view.hint = self.text(field.hint.as_ref());
        // An empty field says its hint; a password says only how long it is.
        view.text = match (written.as_str(), password) {
            ("", _) => view.hint.clone(),
            (text, true) => "•".repeat(text.chars().count()),
            (text, false) => text.to_owned(),
        };
        let focused = self.screen.focus == Some(view.key);
        view.look = Appearance::Field {
            multiline: field.kind == FieldKind::Multiline,
            selected: focused && self.screen.all_selected && !written.is_empty(),
        };
        view.flags = view.flags.with(Flag::Clickable, true).with(Flag::Focusable, true);
        view.flags = view.flags.with(Flag::LongClickable, true);
        view.flags = view.flags.with(Flag::Password, password);
        if view.flags.has(Flag::Enabled) {
            view.acts.click = Click::Write(field);
        }
    }

    pub(super) fn slider(&self, slider: &'a Slider, view: &mut View<'a>) {
        let span = slider.max.saturating_sub(slider.min).max(1);
        let value = self
            .bound(&slider.bind)
            .number()
            .unwrap_or(slider.min)
            .clamp(slider.min, slider.max.max(slider.min));
        let part = (i128::from(value) - i128::from(slider.min)) * 1000 / i128::from(span);
        view.look = Appearance::Slider(part as u16);
        view.text = format!("{value}.0");
        view.flags = view.flags.with(Flag::Focusable, true);
        if view.flags.has(Flag::Enabled) {
            view.acts.click = Click::Slide(slider);
        }
    }

    pub(super) fn chosen_tab(&self, tabs: &Tabs) -> usize {
        let chosen = self.bound(&tabs.bind).number().unwrap_or(0);
        usize::try_from(chosen).unwrap_or(0).min(tabs.tabs.len().saturating_sub(1))
    }

    pub(super) fn tabs(&mut self, tabs: &'a Tabs, view: &mut View<'a>) {
        let chosen = self.chosen_tab(tabs);
        let Bounds { left, top, right, bottom } = view.bounds;
        let bar_bottom = top + self.px(48);
        let count = tabs.tabs.len().max(1) as i32;
        let bar = Bounds { bottom: bar_bottom, ..view.bounds };
        let mut strip = Vec::new();
        for (number, tab) in tabs.tabs.iter().enumerate() {
            let edge = |number: usize| left + (right - left) * number as i32 / count;
            let room = self.mirrored(Bounds { left: edge(number), right: edge(number + 1), ..bar }, bar);
            let mut one = group(view.key.part(1000 + number), LINEAR, room, Vec::new());
            one.id = self.resource_id(&self.text(tab.id.as_ref()));
            one.desc = self.text(Some(&tab.label));
            one.look = Appearance::Tab;
            one.flags = one.flags.with(Flag::Clickable, true).with(Flag::Focusable, true);
            one.flags = one.flags.with(Flag::Selected, number == chosen);
            one.acts.click = Click::Choose(&tabs.bind, Value::Number(number as i64), &[]);
            one.acts.locals = self.locals.clone();
            let mut label = group(one.key.part(0), TEXT, room, Vec::new());
            label.text = one.desc.clone();
            label.look =
                Appearance::Text(TextLook { bold: true, ..TextLook::plain(14, TextAlign::Center, 1) });
            label.flags = label.flags.with(Flag::Selected, number == chosen);
            one.children.push(label);
            strip.push(one);
        }
        let mut children = vec![group(view.key.part(999), "android.widget.HorizontalScrollView", bar, strip)];
        if let Some(tab) = tabs.tabs.get(chosen) {
            let room = Bounds { top: bar_bottom, bottom: bottom.max(bar_bottom), ..view.bounds };
            children.extend(self.below(&tab.children, Room { key: view.key.part(chosen), bounds: room }, 0));
        }
        view.children = children;
    }

    pub(super) fn pager(&mut self, pager: &'a Pager, view: &mut View<'a>) {
        let last = pager.pages.len().saturating_sub(1);
        let page = usize::try_from(self.bound(&pager.bind).number().unwrap_or(0)).unwrap_or(0).min(last);
        view.flags = view.flags.with(Flag::Scrollable, last > 0).with(Flag::Focusable, last > 0);
        view.scroll = Some(Scroll {
            axis: Axis::Horizontal,
            range: last as i32,
            offset: page as i32,
            kind: ScrollKind::Pages(&pager.bind),
        });
        if let Some(shown) = pager.pages.get(page) {
            view.children.extend(self.place(shown, view.key.part(page), view.bounds));
        }
    }
}
