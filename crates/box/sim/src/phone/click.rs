//! What a click does to what it hits.

use super::event::{EventKind, Source};
use super::keyboard::KeyboardPage;
use super::system_view::QUICK_SETTINGS;
use super::timer::Due;
use super::window::SystemWindow;
use super::{Intent, Namespace, Phone};
use crate::app::App;
use crate::app::value::Value;
use crate::app::widget::{Field, FieldKind};
use crate::view::{Click, SystemAct, View};
use clawperator_ui::Point;
use std::sync::Arc;

/// How far a slider's ends are from its sides, in dp: half a thumb.
pub(super) const SLIDER_EDGE: u16 = 10;
/// How long a user who waits for an app is left in peace.
const STILL_HANGS_MS: u64 = 5_000;

impl Phone {
    pub(super) fn click(&mut self, at: Point, long: bool) {
        let app = self.front_app();
        let Some((package, root)) = self.active_view(app.as_ref()) else {
            return;
        };
        let path = root.at(at);
        if path.is_empty() {
            self.clicked_beside(app.as_ref());
            return;
        }
        let hit = path.iter().rev().find(|view| {
            let long_click = long && view.acts.long_click.is_some();
            long_click || !matches!(view.acts.click, Click::Nothing)
        });
        let Some(view) = hit else { return };
        let words = if view.text.is_empty() { &view.desc } else { &view.text };
        let is_long = long && view.acts.long_click.is_some();
        let kind = if is_long { EventKind::ViewLongClicked } else { EventKind::ViewClicked };
        self.tell(kind, &package, words);
        if let Some(event) = self.events.back_mut() {
            event.source = Some(Source {
                resource_id: view.id.clone(),
                text: view.text.clone(),
                content_desc: view.desc.clone(),
                bounds: view.visible,
            });
        }
        let locals = &view.acts.locals;
        match (&view.acts.click, view.acts.long_click.filter(|_| long), app.as_ref()) {
            (_, Some(effects), Some(app)) => self.run(&app.package, effects, locals),
            (Click::System(act), ..) => self.system_act(*act, view),
            (Click::Effects(effects), _, Some(app)) => self.run(&app.package, effects, locals),
            (Click::Toggle(bind, on_change), _, Some(app)) => {
                let value = !view.flags.has(clawperator_ui::Flag::Checked);
                self.set(&app.package, bind, Value::Flag(value));
                self.run(&app.package, on_change, locals);
            }
            (Click::Choose(bind, value, on_change), _, Some(app)) => {
                self.set(&app.package, bind, value.clone());
                self.run(&app.package, on_change, locals);
            }
            (Click::Write(field), _, Some(app)) => self.write_in(app, field, view),
            (Click::Slide(_), _, Some(app)) => self.slide(app, view, at.x),
            (Click::Nothing, ..) | (_, _, None) => {}
        }
        self.content_changed();
    }

    /// A field gets the focus, and the keyboard that fits it.
    fn write_in(&mut self, app: &App, field: &Field, view: &View<'_>) {
        self.focus_field(&app.package, view.key);
        if field.kind == FieldKind::Number {
            self.keyboard_page = KeyboardPage::Symbols;
        }
        if field.select_all && !view.flags.has(clawperator_ui::Flag::Focused) {
            self.select_all();
        }
    }

    /// A click beside a dialog takes it away, if it may.
    fn clicked_beside(&mut self, app: Option<&Arc<App>>) {
        let no_window = self.front_window().is_none();
        let screen = self.front_screen_mut();
        let dialog = screen.as_ref().and_then(|screen| app?.dialogs.get(screen.dialogs.last()?));
        if no_window && dialog.is_some_and(|dialog| dialog.cancelable) {
            if let Some(screen) = screen {
                screen.dialogs.pop();
            }
            self.keyboard_shown = false;
            self.window_changed();
        }
    }

    pub(super) fn slide(&mut self, app: &Arc<App>, view: &View<'_>, x: i32) {
        let Click::Slide(slider) = view.acts.click else {
            return;
        };
        // The thumb's middle goes from one of these to the other.
        let edge = self.display.px(SLIDER_EDGE);
        let (left, right) = (view.bounds.left + edge, view.bounds.right - edge);
        let width = i64::from((right - left).max(1));
        let along = i64::from((x - left).clamp(0, (right - left).max(0)));
        let span = slider.max.saturating_sub(slider.min).max(0);
        let value = slider.min.saturating_add((span.saturating_mul(along) + width / 2) / width);
        self.set(&app.package, &slider.bind, Value::Number(value));
        self.run(&app.package, &slider.on_change, &Vec::new());
    }

    fn system_act(&mut self, act: SystemAct, view: &View<'_>) {
        match act {
            SystemAct::Back => self.up(),
            SystemAct::DialogButton(number) => self.dialog_button(number),
            SystemAct::Dismiss => {
                self.pop_window();
                let intent = Intent::launch(&view.hint);
                // A task whose app is gone is not in the list.
                let _ = self.start(&intent);
            }
            SystemAct::SnackbarAction => self.snackbar_action(),
            SystemAct::Grant => self.answer_permission(true),
            SystemAct::Deny => self.answer_permission(false),
            SystemAct::Wait => self.wait_for_app(),
            SystemAct::CloseApp => {
                let window = self.pop_window();
                if let Some(package) = window.as_ref().and_then(SystemWindow::package) {
                    self.force_stop(package);
                }
            }
            SystemAct::Answer => self.answer_call(),
            SystemAct::HangUp => self.hang_up(),
            SystemAct::Notification(number) => {
                if number < self.notifications.len() {
                    let notification = self.notifications.remove(number);
                    self.close_shade();
                    if self.return_to_call(&notification) {
                        return;
                    }
                    // What sent it may be gone by now.
                    let _ = self.start(&Intent::launch(&notification.package));
                }
            }
            SystemAct::ClearNotifications => self.clear_notifications(),
            SystemAct::QuickSetting(number) => {
                let (name, _) = QUICK_SETTINGS[number];
                let on = self.is_on(name);
                self.put_setting(Namespace::Global, name, Some(if on { "0" } else { "1" }));
            }
        }
        self.window_changed();
    }

    /// An app that hangs is left alone for a while.
    fn wait_for_app(&mut self) {
        let Some(SystemWindow::NotResponding { package }) = self.pop_window() else {
            return;
        };
        if let Some(pid) = self.pid_of(&package) {
            self.later(STILL_HANGS_MS, Due::StillHangs { package, pid });
        }
    }

    fn dialog_button(&mut self, number: usize) {
        let Some(app) = self.front_app() else { return };
        let Some(name) = self.front_screen_mut().and_then(|screen| screen.dialogs.pop()) else { return };
        self.keyboard_shown = false;
        let button = app.dialogs.get(&name).and_then(|dialog| dialog.buttons.get(number));
        if let Some(button) = button {
            self.run(&app.package, &button.effects, &Vec::new());
        }
    }

    /// Scrolls a list of an app's to a row.
    pub(super) fn scroll_to_row(&mut self, package: &str, id: &str, row: i64) {
        if self.front_package() != Some(package) {
            return;
        }
        let Some(app) = self.front_app() else { return };
        let wanted = format!("{package}:id/{id}");
        let found = self.screen_view(&app).and_then(|root| {
            let list = root.any(&|view| view.id == wanted && view.scroll.is_some())?;
            let row_height = list.children.first().map(|row| row.bounds.bottom - row.bounds.top)?;
            Some((list.key, list.scroll.as_ref()?.range, row_height))
        });
        let screen = self.front_screen_mut();
        if let Some((screen, (key, range, height))) = screen.zip(found) {
            let target = i64::from(height).saturating_mul(row).clamp(0, range.into());
            screen.scrolls.insert(key, i32::try_from(target).unwrap_or(range));
        }
    }
}
