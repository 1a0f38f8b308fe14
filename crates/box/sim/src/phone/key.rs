//! Keys: their names and numbers, and what they do.

use super::Phone;
use super::edit::CursorMove;
use super::event::EventKind;
use super::focus::FocusMove;
use super::window::SystemWindow;
use clawperator_contract::{key_names, key_number};

/// How long a key is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressLength {
    Short,
    Long,
}

/// The number of a key: by name, with or without `KEYCODE_`, or as it is.
pub fn key_code(name: &str) -> Option<u32> {
    match name.parse::<u32>() {
        // A digit alone is a number, not the key with that digit on it.
        Ok(number) => Some(number).filter(|number| (*number as usize) < key_names().count()),
        Err(_) => key_number(name).map(u32::from),
    }
}

fn key_name(code: u32) -> &'static str {
    key_names().nth(code as usize).unwrap_or("UNKNOWN")
}

/// How much of what an app got is kept, in bytes.
const MAX_KEYS: usize = 64 << 10;

/// Keys that no app gets.
const OWN: &[&str] = &["HOME", "BACK", "APP_SWITCH", "POWER", "WAKEUP", "SLEEP", "SOFT_SLEEP", "MENU"];

/// Keys that type something, which is not their name in small letters.
const TYPED: &[(&str, char)] = &[
    ("STAR", '*'),
    ("POUND", '#'),
    ("COMMA", ','),
    ("PERIOD", '.'),
    ("SPACE", ' '),
    ("GRAVE", '`'),
    ("MINUS", '-'),
    ("EQUALS", '='),
    ("LEFT_BRACKET", '['),
    ("RIGHT_BRACKET", ']'),
    ("BACKSLASH", '\\'),
    ("SEMICOLON", ';'),
    ("APOSTROPHE", '\''),
    ("SLASH", '/'),
    ("AT", '@'),
    ("PLUS", '+'),
];

impl Phone {
    /// Notes what the app gets that has the focus.
    pub(crate) fn note_keys(&mut self, keys: &str) {
        if let Some(focus) = self.focus() {
            let got = self.keys.entry(focus.package).or_default();
            if got.len() < MAX_KEYS {
                got.push_str(keys);
            }
        }
    }

    /// A key is pressed.
    pub fn press(&mut self, code: u32, press: PressLength) {
        self.last_activity_ms = self.clock.uptime_ms();
        let name = key_name(code);
        if !OWN.contains(&name) {
            self.note_keys(if name == "ENTER" { "\n" } else { "·" });
        }
        match (name, press) {
            ("POWER", PressLength::Short) => self.switch_screen(!self.power.awake),
            ("WAKEUP", _) => self.switch_screen(true),
            ("SLEEP" | "SOFT_SLEEP", _) => self.switch_screen(false),
            _ if !self.power.awake => {}
            ("MENU", _) if self.power.locked => self.unlock(),
            ("CALL", _) => self.answer_call(),
            ("ENDCALL", _) => self.hang_up(),
            // Nothing else gets past the lock screen.
            _ if self.power.locked => {}
            ("HOME", _) => self.go_home(),
            ("BACK" | "ESCAPE", _) => self.back(),
            ("APP_SWITCH" | "RECENT_APPS", _) => self.show_recents(),
            ("NOTIFICATION", _) => self.open_shade(),
            ("ENTER" | "NUMPAD_ENTER" | "DPAD_CENTER", _) => self.enter(),
            ("TAB", _) => self.move_focus(FocusMove::Forward),
            ("DPAD_UP", _) => self.move_focus(FocusMove::Up),
            ("DPAD_DOWN", _) => self.move_focus(FocusMove::Down),
            ("DPAD_LEFT", _) if !self.can_write() => self.move_focus(FocusMove::Left),
            ("DPAD_RIGHT", _) if !self.can_write() => self.move_focus(FocusMove::Right),
            ("DEL", PressLength::Short) => self.delete_before(),
            ("FORWARD_DEL", _) => self.delete_behind(),
            ("DEL", PressLength::Long) | ("CLEAR", _) => self.clear_field(),
            ("DPAD_LEFT", _) => self.move_cursor(CursorMove::Left),
            ("DPAD_RIGHT", _) => self.move_cursor(CursorMove::Right),
            ("MOVE_HOME", _) => self.move_cursor(CursorMove::Start),
            ("MOVE_END", _) => self.move_cursor(CursorMove::End),
            ("CUT", _) => self.copy_selected(true),
            ("COPY", _) => self.copy_selected(false),
            ("PASTE", _) => self.paste(),
            (name, _) => self.type_key(name),
        }
        self.content_changed();
    }

    /// The key of that name is pressed, if there is one.
    pub(crate) fn press_named(&mut self, name: &str) {
        if let Some(code) = key_code(name) {
            self.press(code, PressLength::Short);
        }
    }

    /// The user presses a key, which those hear of who ask for keys; what an
    /// app does by itself is not a key to them.
    pub fn press_by_hand(&mut self, code: u32, press: PressLength) {
        if key_name(code) == "BACK" && self.power.awake {
            let package = self.front_owner();
            self.tell(EventKind::BackPressed, &package, "");
        }
        self.press(code, press);
    }

    /// Keys are pressed together: with control, as on a big keyboard.
    pub fn press_together(&mut self, codes: &[u32]) {
        let names: Vec<_> = codes.iter().map(|code| key_name(*code)).collect();
        self.note_keys("·");
        let with = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
        match (with("CTRL_"), names.last().copied()) {
            (true, Some("A")) => self.select_all(),
            (true, Some("C")) => self.copy_selected(false),
            (true, Some("X")) => self.copy_selected(true),
            (true, Some("V")) => self.paste(),
            (false, Some(name)) if with("SHIFT_") && name.len() == 1 => self.insert(name),
            _ => codes.iter().for_each(|code| self.press(*code, PressLength::Short)),
        }
        self.content_changed();
    }

    fn type_key(&mut self, name: &str) {
        let name = name.strip_prefix("NUMPAD_").unwrap_or(name);
        let typed = TYPED.iter().find(|row| row.0 == name).map(|row| row.1.to_string());
        let plain = (name.len() == 1).then(|| name.to_ascii_lowercase());
        if let Some(text) = typed.or(plain) {
            self.insert(&text);
        }
    }

    fn show_recents(&mut self) {
        if matches!(self.front_window(), Some(SystemWindow::Recents)) {
            self.pop_window();
        } else {
            self.push_window(SystemWindow::Recents);
        }
        self.window_changed();
    }

    /// Switches the screen on or off; a phone that was off is locked.
    pub fn switch_screen(&mut self, on: bool) {
        if self.power.awake && !on {
            self.power.locked = true;
            self.keyboard_shown = false;
        }
        self.power.awake = on;
        let text = if on { "Waking up from Asleep" } else { "Going to sleep due to power_button" };
        self.say('I', "PowerManagerService", text);
        self.window_changed();
    }
}
