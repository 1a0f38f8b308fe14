//! The keyboard on the screen: where its keys are, and what they type.

use super::intent::Intent;
use super::settings::Namespace;
use super::{Phone, key};
use crate::app::App;
use crate::app::spec::{KeyboardAct, KeyboardBroadcast};
use crate::view::contains;
use base64::Engine as _;
use clawperator_ui::Bounds;

/// The rows of keys; the last one is made of wider keys.
pub(super) const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) bounds: Bounds,
    pub(crate) types: Types,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types {
    Letter(char),
    Delete,
    Enter,
}

impl Phone {
    /// Where the keyboard is, when it is shown.
    pub(crate) fn keyboard_bounds(&self) -> Bounds {
        let display = self.display.bounds();
        let height = self.display.px(280).min(display.bottom / 2);
        Bounds {
            top: display.bottom - height,
            ..display
        }
    }

    pub(super) fn is_on_keyboard(&self, (x, y): (i32, i32)) -> bool {
        self.keyboard_shown && contains(self.keyboard_bounds(), x, y)
    }

    /// Every key.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let board = self.keyboard_bounds();
        let width = board.right - board.left;
        let line = (board.bottom - board.top - self.display.px(32)) / 4;
        let top = |row: usize| board.top + self.display.px(8) + line * row as i32;
        let mut keys = Vec::new();
        for (row, letters) in ROWS.iter().enumerate() {
            let count = letters.len() as i32;
            let step = width / 10;
            let left = board.left + (width - step * count) / 2;
            for (number, letter) in letters.chars().enumerate() {
                let left = left + step * number as i32;
                let bounds = Bounds {
                    left,
                    top: top(row),
                    right: left + step,
                    bottom: top(row) + line,
                };
                keys.push(Key {
                    bounds,
                    types: Types::Letter(letter),
                });
            }
        }
        let wide = [
            (Types::Letter(','), 0, 2),
            (Types::Letter(' '), 2, 7),
            (Types::Letter('.'), 7, 8),
            (Types::Enter, 8, 10),
        ];
        for (types, from, to) in wide {
            let bounds = Bounds {
                left: board.left + width * from / 10,
                top: top(3),
                right: board.left + width * to / 10,
                bottom: top(3) + line,
            };
            keys.push(Key { bounds, types });
        }
        let delete = Bounds {
            left: board.right - width * 3 / 20,
            top: top(2),
            right: board.right,
            bottom: top(2) + line,
        };
        keys.push(Key {
            bounds: delete,
            types: Types::Delete,
        });
        keys
    }

    pub(super) fn keyboard_tapped(&mut self, x: i32, y: i32) {
        let key = self.keys().into_iter().find(|key| contains(key.bounds, x, y));
        match key.map(|key| key.types) {
            Some(Types::Letter(letter)) => self.insert(&letter.to_string()),
            Some(Types::Delete) => self.press_named("DEL"),
            Some(Types::Enter) => self.press_named("ENTER"),
            None => {}
        }
    }

    fn press_named(&mut self, name: &str) {
        if let Some(code) = key::key_code(name) {
            self.press(code, key::Press::Short);
        }
    }

    /// A keyboard that takes text from broadcasts; whether it did something.
    pub(super) fn keyboard_hears(&mut self, app: &App, intent: &Intent) -> bool {
        let Some(keyboard) = &app.keyboard else {
            return false;
        };
        let service = super::full_name(&app.package, &keyboard.service);
        let current = self
            .settings
            .get(Namespace::Secure, "default_input_method")
            .unwrap_or_default();
        let chosen = current == format!("{}/{service}", app.package)
            || current == super::short_component(&app.package, &service);
        let action = intent.action.as_deref().unwrap_or_default();
        let rule = keyboard.broadcasts.iter().find(|rule| rule.action == action);
        let Some(rule) = rule.filter(|_| chosen) else {
            return false;
        };
        self.keyboard_acts(rule, intent.extras.get(&rule.extra).map_or("", String::as_str));
        true
    }

    fn keyboard_acts(&mut self, rule: &KeyboardBroadcast, extra: &str) {
        match rule.does {
            KeyboardAct::Text => self.insert(extra),
            KeyboardAct::Base64 => {
                let decoded = base64_text(extra);
                self.insert(&decoded.unwrap_or_default());
            }
            KeyboardAct::Clear => self.clear_field(),
            KeyboardAct::Key => {
                if let Some(code) = key::key_code(extra) {
                    self.press(code, key::Press::Short);
                }
            }
        }
    }
}

/// The text that base64 stands for.
fn base64_text(text: &str) -> Option<String> {
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(text.trim())
        .ok()?;
    String::from_utf8(bytes).ok()
}
