//! Lists and grids: rows exist only while they are on the screen.

use super::Layout;
use crate::app::expression::Expression;
use crate::app::value::Value;
use crate::app::widget::{Grid, List, Widget};
use crate::view::{ScrollKind, View};
use clawperator_ui::Bounds;

const MAX_ROWS: usize = 100_000;
/// The highest list, in pixels.
const MAX_HEIGHT: usize = 1_000_000_000;

/// What lists and grids have in common.
struct Rows<'a> {
    items: &'a Expression,
    name: &'a str,
    widget: &'a Widget,
    columns: usize,
    row_height: i32,
    kind: ScrollKind<'a>,
}

impl<'a> Layout<'a, '_> {
    pub(super) fn list(&mut self, list: &'a List, view: &mut View<'a>) {
        let rows = Rows {
            items: &list.items,
            name: &list.name,
            widget: &list.row,
            columns: 1,
            row_height: self.px(list.row_height).max(1),
            kind: ScrollKind::Free { on_scroll: &list.on_scroll, on_end: &list.on_end },
        };
        self.rows(&rows, view);
    }

    pub(super) fn grid(&mut self, grid: &'a Grid, view: &mut View<'a>) {
        let rows = Rows {
            items: &grid.items,
            name: &grid.name,
            widget: &grid.cell,
            columns: usize::from(grid.columns.max(1)),
            row_height: self.px(grid.row_height).max(1),
            kind: ScrollKind::Free { on_scroll: &grid.on_scroll, on_end: &[] },
        };
        self.rows(&rows, view);
    }

    fn rows(&mut self, rows: &Rows<'a>, view: &mut View<'a>) {
        // Taken out of the state once, so that a long list is not copied for every row.
        let items = rows.items.evaluate(&self.scope()).into_owned();
        let count = match &items {
            Value::List(list) => list.len(),
            other => usize::try_from(other.number().unwrap_or(0)).unwrap_or(0),
        };
        // No further than places can be counted.
        let most = MAX_HEIGHT / rows.row_height as usize * rows.columns;
        let count = count.min(MAX_ROWS).min(most);
        let lines = count.div_ceil(rows.columns) as i32;
        let height = rows.row_height.saturating_mul(lines);
        let offset = self.scrolled(view, height);
        if let Some(scroll) = &mut view.scroll {
            scroll.kind = rows.kind.clone();
        }
        let Bounds { left, top, right, bottom } = view.bounds;
        let first = offset / rows.row_height;
        // A picture shows rows under the handle at the bottom, too.
        let handle = self.phone.handle_height();
        let last = (offset + (bottom - top).max(0) + handle + rows.row_height - 1) / rows.row_height;
        for line in first..last.min(lines) {
            for column in 0..rows.columns {
                let number = line as usize * rows.columns + column;
                if number >= count {
                    break;
                }
                let edge = |column: usize| {
                    left + ((right - left) as i64 * column as i64 / rows.columns as i64) as i32
                };
                let line_top = top + line * rows.row_height - offset;
                let room = Bounds {
                    left: edge(column),
                    top: line_top,
                    right: edge(column + 1),
                    bottom: line_top + rows.row_height,
                };
                let item = match &items {
                    Value::List(list) => list[number].clone(),
                    _ => Value::Number(number as i64),
                };
                self.locals.push((rows.name.to_owned(), item));
                self.locals.push((format!("{}_index", rows.name), Value::Number(number as i64)));
                let room = self.mirrored(room, view.bounds);
                let placed = self.place(rows.widget, view.key.part(number), room);
                self.locals.truncate(self.locals.len() - 2);
                view.children.extend(placed);
            }
        }
    }
}
