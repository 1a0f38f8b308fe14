//! Writing in fields.

use super::Phone;
use super::event::EventKind;
use crate::app::App;
use crate::app::expression::Names;
use crate::app::value::Value;
use crate::app::widget::{Field, FieldKind};
use crate::view::{Click, Locals, View, ViewKey};
use std::sync::Arc;

/// The longest text of a field, in letters.
const MAX_FIELD: usize = 50_000;

/// Which way a cursor moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CursorMove {
    Left,
    Right,
    Start,
    End,
}

/// A field that is written in, taken out of its screen.
struct Writing {
    app: Arc<App>,
    field: Field,
    locals: Locals,
    text: String,
    cursor: usize,
    all_selected: bool,
}

impl Phone {
    /// Gives a field the focus, and shows the keyboard.
    pub(super) fn focus_field(&mut self, package: &str, key: ViewKey) {
        let Some(screen) = self.screen_of(package) else {
            return;
        };
        screen.focus = Some(key);
        screen.all_selected = false;
        screen.cursor = usize::MAX;
        self.keyboard_shown = true;
        self.keyboard_page = super::keyboard::KeyboardPage::default();
        self.tell(EventKind::ViewFocused, package, "");
    }

    /// Gives the field of an id the focus.
    pub(super) fn focus_by_id(&mut self, package: &str, id: &str) {
        if self.front_package() != Some(package) {
            return;
        }
        let Some(app) = self.front_app() else { return };
        let wanted = format!("{package}:id/{id}");
        let found =
            self.active_view(Some(&app)).and_then(|(_, root)| Some(root.any(&|view| view.id == wanted)?.key));
        if let Some(key) = found {
            self.focus_field(package, key);
        }
    }

    /// Tells whether something can be written now.
    pub fn can_write(&self) -> bool {
        self.writing().is_some()
    }

    fn writing(&self) -> Option<Writing> {
        let app = self.front_app()?;
        let screen = self.front_screen()?;
        let key = screen.focus?;
        let (_, root) = self.active_view(Some(&app))?;
        let view: &View<'_> = root.find(key)?;
        let Click::Write(field) = view.acts.click else { return None };
        let scope = self.scope(&app.package, &view.acts.locals);
        let text = scope.value(&field.bind).map(|value| value.text().into_owned()).unwrap_or_default();
        Some(Writing {
            field: field.clone(),
            locals: view.acts.locals.clone(),
            cursor: screen.cursor.min(text.chars().count()),
            all_selected: screen.all_selected,
            text,
            app: Arc::clone(&app),
        })
    }

    fn write(&mut self, writing: &Writing, text: String, cursor: usize) {
        let package = &writing.app.package;
        if let Some(screen) = self.screen_of(package) {
            screen.cursor = cursor;
            screen.all_selected = false;
        }
        if text != writing.text {
            let shown = if writing.field.kind == FieldKind::Password {
                "•".repeat(text.chars().count())
            } else {
                text.clone()
            };
            self.set(package, &writing.field.bind, Value::Text(text));
            self.tell(EventKind::ViewTextChanged, package, &shown);
            self.run(package, &writing.field.on_text, &writing.locals);
        }
    }

    /// Types text where the cursor is.
    pub fn insert(&mut self, typed: &str) {
        let Some(writing) = self.writing() else { return };
        let fits = |letter: &char| match writing.field.kind {
            FieldKind::Number => letter.is_ascii_digit() || "+-.,".contains(*letter),
            FieldKind::Multiline => !letter.is_control() || matches!(letter, '\n' | '\t'),
            _ => !letter.is_control() || *letter == '\t',
        };
        let (before, after) = if writing.all_selected {
            (String::new(), String::new())
        } else {
            split(&writing.text, writing.cursor)
        };
        let most = writing.field.max.map_or(MAX_FIELD, usize::from);
        let room = most.saturating_sub(before.chars().count() + after.chars().count());
        let new: String = typed.chars().filter(fits).take(room).collect();
        let cursor = before.chars().count() + new.chars().count();
        self.write(&writing, format!("{before}{new}{after}"), cursor);
    }

    /// Deletes the letter before the cursor, or all that is selected.
    pub(super) fn delete_before(&mut self) {
        let Some(writing) = self.writing() else { return };
        if writing.all_selected {
            self.write(&writing, String::new(), 0);
            return;
        }
        let (mut before, after) = split(&writing.text, writing.cursor);
        if before.pop().is_some() {
            self.write(&writing, format!("{before}{after}"), writing.cursor - 1);
        }
    }

    /// Deletes the letter behind the cursor.
    pub(super) fn delete_behind(&mut self) {
        let Some(writing) = self.writing() else { return };
        let (before, after) = split(&writing.text, writing.cursor);
        let mut rest = after.chars();
        rest.next();
        self.write(&writing, format!("{before}{}", rest.as_str()), writing.cursor);
    }

    pub(super) fn clear_field(&mut self) {
        if let Some(writing) = self.writing() {
            self.write(&writing, String::new(), 0);
        }
    }

    pub(super) fn move_cursor(&mut self, way: CursorMove) {
        let Some(writing) = self.writing() else { return };
        let letters = writing.text.chars().count();
        let cursor = match way {
            CursorMove::Left => writing.cursor.saturating_sub(1),
            CursorMove::Right => (writing.cursor + 1).min(letters),
            CursorMove::Start => 0,
            CursorMove::End => letters,
        };
        if let Some(screen) = self.screen_of(&writing.app.package) {
            screen.cursor = cursor;
            screen.all_selected = false;
        }
    }

    pub(super) fn select_all(&mut self) {
        if let Some(screen) = self.front_screen_mut() {
            screen.all_selected = screen.focus.is_some();
        }
    }

    /// Copies what is selected; cutting takes it away.
    pub(super) fn copy_selected(&mut self, cut: bool) {
        let Some(writing) = self.writing().filter(|writing| writing.all_selected) else {
            return;
        };
        // A password cannot be copied.
        if writing.field.kind != FieldKind::Password {
            self.copy(&writing.text);
            if cut {
                self.write(&writing, String::new(), 0);
            }
        }
    }

    pub(super) fn paste(&mut self) {
        let text = self.clipboard.clone();
        self.insert(&text);
    }

    /// The enter key: a new line, what the field does then, or the next field.
    pub(super) fn enter(&mut self) {
        let Some(writing) = self.writing() else {
            self.click_focused();
            return;
        };
        if writing.field.kind == FieldKind::Multiline {
            self.insert("\n");
        } else if writing.field.on_submit.is_empty() {
            self.focus_next();
        } else {
            self.keyboard_shown = false;
            self.run(&writing.app.package, &writing.field.on_submit, &writing.locals);
        }
    }

    /// Goes to the next field; behind the last one the keyboard goes away.
    pub(super) fn focus_next(&mut self) {
        let Some(app) = self.front_app() else { return };
        let Some((_, root)) = self.active_view(Some(&app)) else {
            return;
        };
        let mut fields = Vec::new();
        collect_fields(&root, &mut fields);
        let current = self.front_screen().and_then(|screen| screen.focus);
        let place = fields.iter().position(|key| Some(*key) == current);
        match fields.get(place.map_or(0, |place| place + 1)) {
            Some(next) => self.focus_field(&app.package, *next),
            None => self.keyboard_shown = false,
        }
    }
}

fn collect_fields(view: &View<'_>, fields: &mut Vec<ViewKey>) {
    if matches!(view.acts.click, Click::Write(_)) {
        fields.push(view.key);
    }
    view.children.iter().for_each(|child| collect_fields(child, fields));
}

/// A text before and behind a number of letters.
fn split(text: &str, letters: usize) -> (String, String) {
    let place = text.char_indices().nth(letters).map_or(text.len(), |(place, _)| place);
    let (before, after) = text.split_at(place);
    (before.to_owned(), after.to_owned())
}
