//! The keyboard on the screen: where its keys are, and what they type.

use super::Phone;
use super::intent::Intent;
use super::settings::Namespace;
use crate::app::App;
use crate::app::spec::{KeyboardAct, KeyboardBroadcast};
use base64::Engine as _;
use clawperator_ui::{Bounds, Point};

/// A page of the keyboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KeyboardPage {
    #[default]
    Letters,
    Capitals,
    Symbols,
    MoreSymbols,
}

/// One page: its rows, where the key left of its third row leads, and where the
/// key in the lower left corner does.
struct KeyRows {
    /// What is on a key that leads here.
    sign: &'static str,
    rows: [&'static str; 3],
    aside: KeyboardPage,
    corner: KeyboardPage,
}

/// The pages, in the order of their numbers.
const PAGES: [KeyRows; 4] = [
    KeyRows {
        sign: "ABC",
        rows: ["qwertyuiop", "asdfghjkl", "zxcvbnm"],
        aside: KeyboardPage::Capitals,
        corner: KeyboardPage::Symbols,
    },
    KeyRows {
        // The shift key is drawn.
        sign: "",
        rows: ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"],
        aside: KeyboardPage::Letters,
        corner: KeyboardPage::Symbols,
    },
    KeyRows {
        sign: "?123",
        rows: ["1234567890", "@#$_&-+()/", "*\"':;!?"],
        aside: KeyboardPage::MoreSymbols,
        corner: KeyboardPage::Letters,
    },
    KeyRows {
        sign: "=\\<",
        rows: ["~`|•√π÷×§∆", "£¢€¥^°={}\\", "%©®[]<>"],
        aside: KeyboardPage::Symbols,
        corner: KeyboardPage::Letters,
    },
];

impl KeyboardPage {
    fn keys(self) -> &'static KeyRows {
        &PAGES[self as usize]
    }

    /// What is on the key that leads to it.
    pub(crate) fn sign(self) -> &'static str {
        self.keys().sign
    }
}

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyboardKey {
    pub(crate) bounds: Bounds,
    pub(crate) types: Types,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types {
    Letter(char),
    Delete,
    Enter,
    Page(KeyboardPage),
}

impl Phone {
    /// Where the keyboard is, when it is shown.
    pub(crate) fn keyboard_bounds(&self) -> Bounds {
        let display = self.display.bounds();
        let height = self.display.px(280).min(display.bottom / 2);
        Bounds { top: display.bottom - height, ..display }
    }

    pub(super) fn is_on_keyboard(&self, at: Point) -> bool {
        self.keyboard_shown && self.keyboard_bounds().contains(at)
    }

    /// Every key of the page that is shown.
    pub(crate) fn keys(&self) -> Vec<KeyboardKey> {
        let page = self.keyboard_page.keys();
        let board = self.keyboard_bounds();
        let width = board.right - board.left;
        let line = (board.bottom - board.top - self.display.px(32)) / 4;
        // Places are counted in twentieths of the width.
        let key = |row: usize, (from, to): (i32, i32), types: Types| {
            let top = board.top + self.display.px(8) + line * row as i32;
            let bounds = Bounds {
                left: board.left + width * from / 20,
                top,
                right: board.left + width * to / 20,
                bottom: top + line,
            };
            KeyboardKey { bounds, types }
        };
        let mut keys = Vec::new();
        for (row, letters) in page.rows.iter().enumerate() {
            let mut left = 10 - letters.chars().count() as i32;
            for letter in letters.chars() {
                keys.push(key(row, (left, left + 2), Types::Letter(letter)));
                left += 2;
            }
        }
        let wide = [
            (2, (0, 3), Types::Page(page.aside)),
            (2, (17, 20), Types::Delete),
            (3, (0, 3), Types::Page(page.corner)),
            (3, (3, 5), Types::Letter(',')),
            (3, (5, 15), Types::Letter(' ')),
            (3, (15, 17), Types::Letter('.')),
            (3, (17, 20), Types::Enter),
        ];
        keys.extend(wide.map(|(row, span, types)| key(row, span, types)));
        keys
    }

    pub(super) fn keyboard_tapped(&mut self, at: Point) {
        let key = self.keys().into_iter().find(|key| key.bounds.contains(at));
        match key.map(|key| key.types) {
            Some(Types::Letter(letter)) => {
                self.insert(&letter.to_string());
                // Shift is for one letter.
                if self.keyboard_page == KeyboardPage::Capitals {
                    self.keyboard_page = KeyboardPage::Letters;
                }
            }
            Some(Types::Delete) => self.press_named("DEL"),
            Some(Types::Enter) => self.press_named("ENTER"),
            Some(Types::Page(page)) => self.keyboard_page = page,
            None => {}
        }
    }

    /// A keyboard that takes text from broadcasts; whether it did something.
    pub(super) fn keyboard_hears(&mut self, app: &App, intent: &Intent) -> bool {
        let Some(keyboard) = &app.keyboard else {
            return false;
        };
        let service = super::full_name(&app.package, &keyboard.service);
        let current = self.settings.get(Namespace::Secure, "default_input_method").unwrap_or_default();
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
                self.press_named(extra);
            }
        }
    }
}

fn base64_text(text: &str) -> Option<String> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text.trim()).ok()?;
    String::from_utf8(bytes).ok()
}
