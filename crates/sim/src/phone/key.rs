//! Keys: their names and numbers, and what they do.

use super::Phone;
use super::edit::CursorMove;
use super::event::EventKind;
use super::focus::FocusMove;
use super::window::SystemWindow;

/// The keys that have a name here: `KEYCODE_` may stand before it.
pub const KEYS: &[(&str, u32)] = &[
    ("UNKNOWN", 0),
    ("SOFT_LEFT", 1),
    ("HOME", 3),
    ("BACK", 4),
    ("CALL", 5),
    ("ENDCALL", 6),
    ("0", 7),
    ("1", 8),
    ("2", 9),
    ("3", 10),
    ("4", 11),
    ("5", 12),
    ("6", 13),
    ("7", 14),
    ("8", 15),
    ("9", 16),
    ("STAR", 17),
    ("POUND", 18),
    ("DPAD_UP", 19),
    ("DPAD_DOWN", 20),
    ("DPAD_LEFT", 21),
    ("DPAD_RIGHT", 22),
    ("DPAD_CENTER", 23),
    ("VOLUME_UP", 24),
    ("VOLUME_DOWN", 25),
    ("POWER", 26),
    ("CAMERA", 27),
    ("CLEAR", 28),
    ("A", 29),
    ("B", 30),
    ("C", 31),
    ("D", 32),
    ("E", 33),
    ("F", 34),
    ("G", 35),
    ("H", 36),
    ("I", 37),
    ("J", 38),
    ("K", 39),
    ("L", 40),
    ("M", 41),
    ("N", 42),
    ("O", 43),
    ("P", 44),
    ("Q", 45),
    ("R", 46),
    ("S", 47),
    ("T", 48),
    ("U", 49),
    ("V", 50),
    ("W", 51),
    ("X", 52),
    ("Y", 53),
    ("Z", 54),
    ("COMMA", 55),
    ("PERIOD", 56),
    ("ALT_LEFT", 57),
    ("ALT_RIGHT", 58),
    ("SHIFT_LEFT", 59),
    ("SHIFT_RIGHT", 60),
    ("TAB", 61),
    ("SPACE", 62),
    ("EXPLORER", 64),
    ("ENVELOPE", 65),
    ("ENTER", 66),
    ("DEL", 67),
    ("GRAVE", 68),
    ("MINUS", 69),
    ("EQUALS", 70),
    ("LEFT_BRACKET", 71),
    ("RIGHT_BRACKET", 72),
    ("BACKSLASH", 73),
    ("SEMICOLON", 74),
    ("APOSTROPHE", 75),
    ("SLASH", 76),
    ("AT", 77),
    ("PLUS", 81),
    ("MENU", 82),
    ("NOTIFICATION", 83),
    ("SEARCH", 84),
    ("MEDIA_PLAY_PAUSE", 85),
    ("MUTE", 91),
    ("PAGE_UP", 92),
    ("PAGE_DOWN", 93),
    ("ESCAPE", 111),
    ("FORWARD_DEL", 112),
    ("CTRL_LEFT", 113),
    ("CTRL_RIGHT", 114),
    ("CAPS_LOCK", 115),
    ("META_LEFT", 117),
    ("MOVE_HOME", 122),
    ("MOVE_END", 123),
    ("VOLUME_MUTE", 164),
    ("APP_SWITCH", 187),
    ("ASSIST", 219),
    ("BRIGHTNESS_DOWN", 220),
    ("BRIGHTNESS_UP", 221),
    ("SLEEP", 223),
    ("WAKEUP", 224),
    ("SOFT_SLEEP", 276),
    ("CUT", 277),
    ("COPY", 278),
    ("PASTE", 279),
    ("ALL_APPS", 284),
];

/// The largest number of a key.
const MAX_CODE: u32 = 320;

/// How long a key is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say it")]
pub enum Press {
    Short,
    Long,
}

/// The number of a key: by name, with or without `KEYCODE_`, or as it is.
#[must_use]
pub fn key_code(name: &str) -> Option<u32> {
    if let Ok(number) = name.parse::<u32>() {
        // A digit alone is a number, not the key with that digit on it.
        return Some(number).filter(|number| *number <= MAX_CODE);
    }
    let name = name.strip_prefix("KEYCODE_").unwrap_or(name);
    KEYS.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// The name of a key.
fn key_name(code: u32) -> &'static str {
    KEYS.iter()
        .find(|row| row.1 == code)
        .map_or("UNKNOWN", |row| row.0)
}

/// How much of what an app got is kept, in bytes.
const MAX_KEYS: usize = 64 << 10;

/// Keys that no app gets.
const OWN: &[&str] = &[
    "HOME",
    "BACK",
    "APP_SWITCH",
    "POWER",
    "WAKEUP",
    "SLEEP",
    "SOFT_SLEEP",
    "MENU",
];

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
    pub fn press(&mut self, code: u32, press: Press) {
        self.last_activity_ms = self.clock.uptime_ms();
        let name = key_name(code);
        if !OWN.contains(&name) {
            self.note_keys(if name == "ENTER" { "\n" } else { "·" });
        }
        match (name, press) {
            ("POWER", Press::Short) => self.switch_screen(!self.power.awake),
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
            ("APP_SWITCH", _) => self.show_recents(),
            ("NOTIFICATION", _) => self.open_shade(),
            ("ENTER" | "DPAD_CENTER", _) => self.enter(),
            ("TAB", _) => self.move_focus(FocusMove::Forward),
            ("DPAD_UP", _) => self.move_focus(FocusMove::Up),
            ("DPAD_DOWN", _) => self.move_focus(FocusMove::Down),
            ("DPAD_LEFT", _) if !self.can_write() => self.move_focus(FocusMove::Left),
            ("DPAD_RIGHT", _) if !self.can_write() => self.move_focus(FocusMove::Right),
            ("DEL", Press::Short) => self.delete_before(),
            ("FORWARD_DEL", _) => self.delete_behind(),
            ("DEL", Press::Long) | ("CLEAR", _) => self.clear_field(),
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

    /// The user presses a key, which those hear of who ask for keys; what an
    /// app does by itself is not a key to them.
    pub fn press_by_hand(&mut self, code: u32, press: Press) {
        if key_name(code) == "BACK" && self.power.awake {
            let package = self.front_package().unwrap_or(super::SYSTEM_UI).to_owned();
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
            _ => codes.iter().for_each(|code| self.press(*code, Press::Short)),
        }
        self.content_changed();
    }

    fn type_key(&mut self, name: &str) {
        let typed = TYPED
            .iter()
            .find(|row| row.0 == name)
            .map(|row| row.1.to_string());
        let plain = (name.len() == 1).then(|| name.to_ascii_lowercase());
        if let Some(text) = typed.or(plain) {
            self.insert(&text);
        }
    }

    fn show_recents(&mut self) {
        self.keyboard_shown = false;
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
        let text = if on {
            "Waking up from Asleep"
        } else {
            "Going to sleep due to power_button"
        };
        self.say('I', "PowerManagerService", text);
        self.window_changed();
    }
}
