//! How large widgets want to be.

use super::{Layout, ViewSize};
use crate::app::widget::{FieldKind, Text, TextAlign, TextSize, Widget};
use clawperator_paint::{Color, TextStyle, Weight, line_height, text_width, wrap};

pub(super) const MAX_LINES: u16 = 400;
/// The space left and right of words on a button, in dp.
const BUTTON_SIDES: u16 = 48;

impl<'a> Layout<'a, '_> {
    /// How large a widget is where this much width is to be had.
    pub(super) fn measure(&mut self, widget: &'a Widget, width: i32) -> ViewSize {
        if !self.is_there(widget) {
            return ViewSize::default();
        }
        let traits = widget.traits();
        let width = traits.width.map_or(width, |width| self.px(width));
        let natural = self.natural(widget, width);
        ViewSize {
            width: traits.width.map_or(natural.width, |width| self.px(width)),
            height: traits.height.map_or(natural.height, |height| self.px(height)),
        }
    }

    fn natural(&mut self, widget: &'a Widget, width: i32) -> ViewSize {
        let wide = |height: i32| ViewSize { width, height };
        match widget {
            Widget::Column(column) => {
                let inner = width - 2 * self.px(column.padding);
                let height = self.stacked(&column.children, inner, column.gap);
                wide(height + 2 * self.px(column.padding))
            }
            Widget::Card(card) => {
                let height = self.stacked(&card.children, width - 2 * self.px(16), 4);
                wide(height + 2 * self.px(12))
            }
            Widget::Row(row) => {
                let sizes = self.beside(&row.children, width - 2 * self.px(row.padding), row.gap);
                let height = sizes.iter().map(|size| size.height).max().unwrap_or(0);
                wide(height + 2 * self.px(row.padding))
            }
            Widget::Stack(stack) => {
                let heights = stack.children.iter().map(|child| self.measure(child, width).height);
                wide(heights.max().unwrap_or(0))
            }
            // Lists and pagers take the remaining space; asked for a height
            // of their own, they show a few rows.
            Widget::List(list) => wide(self.px(list.row_height).saturating_mul(4)),
            Widget::Grid(grid) => wide(self.px(grid.row_height).saturating_mul(2)),
            Widget::Pager(pager) => {
                let heights = pager.pages.iter().map(|page| self.measure(page, width).height);
                wide(heights.max().unwrap_or(0))
            }
            Widget::Tabs(tabs) => {
                let chosen = self.chosen_tab(tabs);
                let inside = tabs.tabs.get(chosen).map_or(0, |tab| self.stacked(&tab.children, width, 0));
                wide(inside + self.px(48))
            }
            Widget::Text(text) => self.text_size(text, width),
            Widget::Button(button) => {
                let words = self.text(Some(&button.text));
                let natural = text_width(&words, &self.style(14, Weight::Medium)).ceil() as i32;
                ViewSize { width: (natural + self.px(BUTTON_SIDES)).min(width), height: self.px(48) }
            }
            Widget::Icon(_) => ViewSize { width: self.px(48).min(width), height: self.px(48) },
            Widget::Image(_) => wide(self.px(160)),
            Widget::Switch(switch) if self.text(Some(&switch.text)).is_empty() => {
                ViewSize { width: self.px(60).min(width), height: self.px(48) }
            }
            Widget::Switch(_) | Widget::Checkbox(_) | Widget::Radio(_) | Widget::Slider(_) => {
                wide(self.px(48))
            }
            Widget::Field(field) if field.kind == FieldKind::Multiline => wide(self.px(128)),
            Widget::Field(_) => wide(self.px(56)),
            Widget::Progress(progress) if progress.value.is_some() => wide(self.px(16)),
            Widget::Progress(_) => wide(self.px(64)),
            Widget::Web(_) => wide(self.px(320)),
            Widget::Divider(_) => wide(self.px(1).max(1)),
            Widget::Space(_) => wide(self.px(8)),
        }
    }

    /// The height of widgets below each other.
    pub(super) fn stacked(&mut self, children: &'a [Widget], width: i32, gap: u16) -> i32 {
        let gap = self.px(gap);
        let mut height = 0;
        for child in children {
            if self.is_there(child) {
                height += if height > 0 { gap } else { 0 };
                height += self.measure(child, width).height;
            }
        }
        height
    }

    /// The sizes of widgets beside each other: what has a weight, or wants all
    /// the width there is, shares what the others leave.
    pub(super) fn beside(&mut self, children: &'a [Widget], width: i32, gap: u16) -> Vec<ViewSize> {
        let present: Vec<_> = children.iter().map(|child| self.is_there(child)).collect();
        let gaps = present.iter().filter(|there| **there).count().saturating_sub(1);
        let mut left = width - self.px(gap) * gaps as i32;
        let mut shares = vec![0; children.len()];
        let mut sizes = vec![ViewSize::default(); children.len()];
        for (number, child) in children.iter().enumerate().filter(|(number, _)| present[*number]) {
            shares[number] = self.share(child);
            if shares[number] == 0 {
                sizes[number] = self.measure(child, left.max(0));
                left -= sizes[number].width;
            }
        }
        let all: i32 = shares.iter().sum();
        for (number, child) in children.iter().enumerate().filter(|(number, _)| shares[*number] > 0) {
            let part = (left.max(0) * shares[number]) / all.max(1);
            sizes[number] = self.measure(child, part);
            sizes[number].width = part;
        }
        sizes
    }

    fn text_size(&self, text: &Text, width: i32) -> ViewSize {
        let words = self.text(Some(&text.text));
        let style = self.text_style(text);
        let padding = self.px(sides(text));
        let lines = text.lines.unwrap_or(MAX_LINES).max(1);
        let block = block(&words, &style, width - 2 * padding, lines);
        let padding_above = if is_row(text) { self.px(12) } else { 0 };
        ViewSize { width: (block.width + 2 * padding).min(width), height: block.height + 2 * padding_above }
    }

    /// How much of a row's free width a widget takes, against others; 0 if it
    /// has a width of its own.
    fn share(&self, widget: &Widget) -> i32 {
        let traits = widget.traits();
        if traits.width.is_some() {
            return 0;
        }
        let greedy = match widget {
            Widget::Text(_) | Widget::Button(_) | Widget::Icon(_) | Widget::Divider(_) => false,
            // One without words is as wide as what is drawn.
            Widget::Switch(switch) => !self.text(Some(&switch.text)).is_empty(),
            _ => true,
        };
        traits.weight.map_or(i32::from(greedy), i32::from)
    }

    pub(super) fn text_style(&self, text: &Text) -> TextStyle {
        let weight =
            if text.bold || text.size == TextSize::Headline { Weight::Medium } else { Weight::Regular };
        self.style(text.size.sp(), weight)
    }

    pub(super) fn style(&self, sp: u16, weight: Weight) -> TextStyle {
        TextStyle::new(self.px(sp) as f32, Color::BLACK).weight(weight)
    }
}

/// The size of words over some lines of a width.
pub(super) fn block(words: &str, style: &TextStyle, width: i32, lines: u16) -> ViewSize {
    let lines = wrap(words, style, width.max(1) as f32, lines);
    let widest = lines.iter().map(|line| line.width).fold(0.0, f32::max);
    ViewSize {
        width: widest.ceil() as i32,
        // An empty text is as high as a line, as on a phone.
        height: (line_height(style) * lines.len().max(1) as f32).ceil() as i32,
    }
}

/// Words that can be clicked are rows; words in the middle are labels.
fn is_row(text: &Text) -> bool {
    text.on_click.is_some() && text.align == TextAlign::Start
}

/// The space left and right of words, in dp.
pub(super) fn sides(text: &Text) -> u16 {
    if is_row(text) { text.padding.max(16) } else { text.padding }
}
