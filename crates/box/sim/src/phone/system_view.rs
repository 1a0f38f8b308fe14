//! What the phone's own windows show.

use super::window::SystemWindow;
use super::{Phone, SYSTEM_UI};
use crate::app::widget::{ButtonStyle, TextAlign};
use crate::layout::{clip, group, parse_color};
use crate::view::class::{BUTTON, FRAME, LINEAR, TEXT};
use crate::view::{Appearance, SystemAct, TextLook, View, ViewKey};
use clawperator_ui::{Bounds, Flag};
use std::time::Duration;

/// As many lines as words of the phone's own windows may take.
const LINES: u16 = 4;

/// A button below a question: its words, its id, and what it does.
type QuestionButton = (&'static str, &'static str, SystemAct);

impl Phone {
    pub(super) fn system_view<'a>(&self, window: &SystemWindow) -> View<'a> {
        match window {
            SystemWindow::Shade => self.shade_view(),
            SystemWindow::Recents => self.recents_view(),
            SystemWindow::Permission { package, permission, .. } => {
                let what =
                    permission.rsplit('.').next().unwrap_or(permission).to_lowercase().replace('_', " ");
                let question = format!("Allow {} to use the {what}?", self.label(package));
                let buttons = [
                    (
                        "While using the app",
                        "com.android.permissioncontroller:id/permission_allow_foreground_only_button",
                        SystemAct::Grant,
                    ),
                    (
                        "Only this time",
                        "com.android.permissioncontroller:id/permission_allow_one_time_button",
                        SystemAct::Grant,
                    ),
                    (
                        "Don’t allow",
                        "com.android.permissioncontroller:id/permission_deny_button",
                        SystemAct::Deny,
                    ),
                ];
                self.question_view(
                    &question,
                    "com.android.permissioncontroller:id/permission_message",
                    &buttons,
                )
            }
            SystemWindow::NotResponding { package } => {
                let question = format!("{} isn't responding", self.label(package));
                let buttons = [
                    ("Close app", "android:id/aerr_close", SystemAct::CloseApp),
                    ("Wait", "android:id/aerr_wait", SystemAct::Wait),
                ];
                self.question_view(&question, "android:id/alertTitle", &buttons)
            }
            SystemWindow::Crashed { package, again } => {
                let stops = if *again { "keeps stopping" } else { "has stopped" };
                let question = format!("{} {stops}", self.label(package));
                let buttons = [("Close app", "android:id/aerr_close", SystemAct::CloseApp)];
                self.question_view(&question, "android:id/alertTitle", &buttons)
            }
            SystemWindow::Call { number, answered, since } => {
                self.call_view(number, answered.then_some(*since))
            }
        }
    }

    fn call_view<'a>(&self, number: &str, since: Option<Duration>) -> View<'a> {
        const END: QuestionButton =
            ("End call", "com.google.android.dialer:id/incall_end_call", SystemAct::HangUp);
        const ANSWER: QuestionButton =
            ("Answer", "com.google.android.dialer:id/incall_answer", SystemAct::Answer);
        const DECLINE: QuestionButton =
            ("Decline", "com.google.android.dialer:id/incall_decline", SystemAct::HangUp);
        let (words, buttons): (String, &[_]) = match since {
            Some(since) => {
                let seconds = self.clock.uptime.saturating_sub(since).as_secs();
                let time = format!("{:02}:{:02}", seconds / 60, seconds % 60);
                (format!("{number}\n{time}"), &[END])
            }
            None => (format!("Incoming call\n{number}"), &[ANSWER, DECLINE]),
        };
        self.question_view(&words, "com.google.android.dialer:id/contactgrid_contact_name", buttons)
    }

    fn label(&self, package: &str) -> String {
        self.packages.get(package).map_or_else(|| package.to_owned(), |package| package.app.label.clone())
    }

    /// A question with buttons below each other.
    fn question_view<'a>(&self, question: &str, id: &str, buttons: &[QuestionButton]) -> View<'a> {
        let key = ViewKey::default().part(20);
        let display = self.display.bounds();
        let (side, padding, row) = (self.display.px(28), self.display.px(24), self.display.px(56));
        let words_height = self.display.px(96);
        let height = words_height + row * buttons.len() as i32 + 2 * padding;
        let top = (display.bottom - height).max(0) / 2;
        let window = Bounds::new(side, top, display.right - side, top + height);
        let inner = |top: i32, height: i32| Bounds {
            left: window.left + padding,
            top,
            right: window.right - padding,
            bottom: top + height,
        };
        let mut words = group(key.part(1), TEXT, inner(top + padding, words_height), Vec::new());
        words.id = id.to_owned();
        words.text = question.to_owned();
        words.look = Appearance::words(20, TextAlign::Center, LINES);
        let mut parts = vec![words];
        for (number, (text, id, act)) in buttons.iter().enumerate() {
            let place = inner(top + padding + words_height + row * number as i32, row);
            let mut button = group(key.part(2 + number), BUTTON, place, Vec::new()).pressable(*act);
            button.text = (*text).to_owned();
            button.id = (*id).to_owned();
            button.look = Appearance::Button(ButtonStyle::Text);
            parts.push(button);
        }
        let inside = vec![group(key.part(0), LINEAR, window, parts)];
        self.full_window(View { look: Appearance::Paper, ..group(key, FRAME, window, inside) })
    }

    fn shade_view<'a>(&self) -> View<'a> {
        let key = ViewKey::default().part(21);
        let display = self.display.bounds();
        let px = |dp: u16| self.display.px(dp);
        let mut parts = self.quick_settings(key);
        let mut top = px(64) + px(72) * 2 + px(16);
        for number in (0..self.notifications.len()).rev() {
            parts.push(self.notification_card(key, number, top));
            top += px(88);
        }
        if !self.notifications.is_empty() {
            let place = Bounds {
                left: display.right - px(136),
                top,
                right: display.right - px(16),
                bottom: top + px(48),
            };
            let clear = group(key.part(40), BUTTON, place, Vec::new());
            let mut clear = clear.pressable(SystemAct::ClearNotifications);
            clear.id = format!("{SYSTEM_UI}:id/dismiss_text");
            clear.text = "Clear all".to_owned();
            clear.look = Appearance::Button(ButtonStyle::Text);
            parts.push(clear);
        }
        let id = format!("{SYSTEM_UI}:id/notification_panel");
        self.full_window(View { id, look: Appearance::Shade, ..group(key, FRAME, display, parts) })
    }

    /// A window over the whole screen.
    fn full_window<'a>(&self, mut view: View<'a>) -> View<'a> {
        clip(&mut view, self.display.bounds());
        view
    }

    fn quick_settings<'a>(&self, key: ViewKey) -> Vec<View<'a>> {
        let px = |dp: u16| self.display.px(dp);
        let width = (self.display.size().0 - px(32)) / 2;
        let mut tiles = Vec::new();
        for (number, (name, label)) in QUICK_SETTINGS.iter().enumerate() {
            let (column, line) = (number as i32 % 2, number as i32 / 2);
            let place = Bounds {
                left: px(16) + column * width,
                top: px(64) + line * px(72),
                right: px(16) + (column + 1) * width - px(8),
                bottom: px(64) + line * px(72) + px(64),
            };
            let on = self.is_on(name);
            let tile = group(key.part(number), "android.widget.Switch", place, Vec::new());
            let mut view = tile.pressable(SystemAct::QuickSetting(number));
            view.desc = (*label).to_owned();
            view.text = if on { "On" } else { "Off" }.to_owned();
            view.flags = view.flags.with(Flag::Checkable, true).with(Flag::Checked, on);
            view.look = Appearance::Card(if on { 0xd0bc_ffff } else { 0xe7e0_ecff });
            tiles.push(view);
        }
        tiles
    }

    fn notification_card<'a>(&self, key: ViewKey, number: usize, top: i32) -> View<'a> {
        let px = |dp: u16| self.display.px(dp);
        let place = Bounds::new(px(8), top, self.display.size().0 - px(8), top + px(80));
        let card = group(key.part(50 + number), FRAME, place, Vec::new());
        let mut card = card.pressable(SystemAct::Notification(number));
        card.id = format!("{SYSTEM_UI}:id/expandableNotificationRow");
        card.look = Appearance::Card(0xffff_ffff);
        let notification = &self.notifications[number];
        card.hint.clone_from(&notification.package);
        let lines = [("title", &notification.title, 16), ("text", &notification.text, 14)];
        for (line, (id, text, sp)) in lines.into_iter().enumerate() {
            let line_top = top + px(12) + line as i32 * px(28);
            let room = Bounds {
                left: place.left + px(72),
                top: line_top,
                right: place.right - px(16),
                bottom: line_top + px(26),
            };
            let mut words = group(card.key.part(line), TEXT, room, Vec::new());
            words.id = format!("android:id/{id}");
            words.text.clone_from(text);
            words.look = Appearance::words(sp, TextAlign::Start, LINES);
            card.children.push(words);
        }
        card
    }

    fn recents_view<'a>(&self) -> View<'a> {
        let key = ViewKey::default().part(22);
        let display = self.display.bounds();
        let px = |dp: u16| self.display.px(dp);
        let columns = (display.right / px(190)).max(2);
        let width = (display.right - px(16)) / columns;
        let mut parts = Vec::new();
        let tasks = self.tasks.iter().rev().filter(|task| task.package != super::LAUNCHER_PACKAGE);
        for (number, task) in tasks.take(6).enumerate() {
            let (column, row) = (number as i32 % columns, number as i32 / columns);
            let (left, top) = (px(16) + column * width, px(48) + row * px(276));
            let place = Bounds::new(left, top, left + width - px(16), top + px(264));
            let mut card = group(key.part(number), FRAME, place, Vec::new()).pressable(SystemAct::Dismiss);
            card.id = format!("{}:id/task", super::LAUNCHER_PACKAGE);
            card.desc = self.label(&task.package);
            card.text.clone_from(&card.desc);
            card.hint.clone_from(&task.package);
            let icon = self.packages.get(&task.package).map(|package| &package.app.icon);
            card.look = icon.map_or(Appearance::Card(0xe7e0_ecff), |icon| {
                Appearance::Task(icon.symbol.clone(), parse_color(&icon.color).unwrap_or(0x5f63_68ff))
            });
            parts.push(card);
        }
        let id = format!("{}:id/overview_panel", super::LAUNCHER_PACKAGE);
        self.full_window(View { id, look: Appearance::Wallpaper, ..group(key, FRAME, display, parts) })
    }

    pub(super) fn keyguard_view<'a>(&self) -> View<'a> {
        let key = ViewKey::default().part(23);
        let display = self.display.bounds();
        let px = |dp: u16| self.display.px(dp);
        let time = self.name("clock", "time").map(|time| time.to_string()).unwrap_or_default();
        let rows = [
            ("lockscreen_clock_view", time, 64, px(120)),
            ("keyguard_indication_text", "Swipe up to open".to_owned(), 14, display.bottom - px(96)),
        ];
        let mut parts = Vec::new();
        for (number, (id, text, sp, top)) in rows.into_iter().enumerate() {
            let place = Bounds { top, bottom: top + px(80), ..display };
            let mut words = group(key.part(number), TEXT, place, Vec::new());
            words.id = format!("{SYSTEM_UI}:id/{id}");
            words.text = text;
            words.look = Appearance::Text(TextLook {
                color: Some(0xffff_ffff),
                ..TextLook::plain(sp, TextAlign::Center, 1)
            });
            parts.push(words);
        }
        let id = format!("{SYSTEM_UI}:id/keyguard_root_view");
        self.full_window(View { id, look: Appearance::Wallpaper, ..group(key, FRAME, display, parts) })
    }
}

/// The quick settings of the shade: a global setting and its words.
pub(super) const QUICK_SETTINGS: [(&str, &str); 4] = [
    ("wifi_on", "Internet"),
    ("bluetooth_on", "Bluetooth"),
    ("airplane_mode_on", "Airplane mode"),
    ("low_power", "Battery Saver"),
];
