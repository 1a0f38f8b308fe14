//! What apps do, one effect after another.

use super::intent::Intent;
use super::log::{Buffer, LogMessage};
use super::package::full_name;
use super::settings::Namespace;
use super::timer::Due;
use super::window::SystemWindow;
use super::{Notification, Phone, ShownSnackbar};
use crate::app::App;
use crate::app::effect::{After, Effect, Failure, Load, PermissionRequest, Snackbar, Start};
use crate::app::expression::Names;
use crate::app::template::Template;
use crate::app::value::Value;
use crate::scope::Scope;
use crate::view::Locals;
use std::borrow::Cow;
use std::sync::Arc;

/// How deep effects may lead to effects, and the most values of one list.
const MAX_DEPTH: u8 = 20;
const MAX_LIST: usize = 10_000;
/// The most windows, or dialogs of a screen, over each other.
pub(super) const MAX_WINDOWS: usize = 50;
/// How long a message at the bottom of an app stays.
const SNACKBAR_MS: u64 = 4_000;

impl Phone {
    /// Lets an app do something.
    pub(crate) fn run(&mut self, package: &str, effects: &[Effect], locals: &Locals) {
        if effects.is_empty() {
            return;
        }
        // Effects may open screens that do something in turn, or tell others
        // that do: all of it counts.
        if self.acting >= MAX_DEPTH {
            let text =
                format!("{package}: effects trigger each other more than {MAX_DEPTH} levels deep; stopped");
            self.say('E', "Sim", &text);
            return;
        }
        let Some(app) = self.app(package) else { return };
        self.acting += 1;
        for effect in effects {
            self.run_one(&app, effect, locals);
        }
        self.acting -= 1;
    }

    fn run_one(&mut self, app: &Arc<App>, effect: &Effect, locals: &Locals) {
        let package = app.package.as_str();
        match effect {
            Effect::Set(values) => {
                for (name, value) in values {
                    let value = value.value(&self.scope(package, locals));
                    self.set(package, name, value);
                }
            }
            Effect::Toggle(name) => {
                let value = self.scope(package, locals).value(name).is_some_and(|value| value.is_true());
                self.set(package, name, Value::Flag(!value));
            }
            Effect::Append(values) => {
                for (name, value) in values {
                    let value = value.value(&self.scope(package, locals));
                    self.change_list(package, name, |list| {
                        if list.len() < MAX_LIST {
                            list.push(value);
                        }
                    });
                }
            }
            Effect::Remove(places) => {
                for (name, place) in places {
                    let place = place.evaluate(&self.scope(package, locals)).number();
                    let place = place.and_then(|place| usize::try_from(place).ok());
                    self.change_list(package, name, |list| {
                        if let Some(place) = place.filter(|place| *place < list.len()) {
                            list.remove(place);
                        }
                    });
                }
            }
            Effect::Open(screen) => self.push_screen(app, &screen.value, None),
            Effect::Replace(screen) => {
                if let Some(task) = self.tasks.iter_mut().rev().find(|task| task.package == package) {
                    task.screens.pop();
                }
                self.push_screen(app, &screen.value, None);
            }
            Effect::Back => self.leave_screen(),
            Effect::Finish => {
                self.tasks.retain(|task| task.package != package);
                self.go_home();
            }
            Effect::Home => self.go_home(),
            Effect::If(choice) => {
                let yes = choice.when.evaluate(&self.scope(package, locals)).is_true();
                let effects = if yes { &choice.then } else { &choice.r#else };
                self.run(package, effects, locals);
            }
            Effect::Permission(request) => self.ask_permission(package, request, locals),
            _ => self.show_one(app, effect, locals),
        }
    }

    /// Effects that show something, or happen later.
    fn show_one(&mut self, app: &Arc<App>, effect: &Effect, locals: &Locals) {
        let package = app.package.as_str();
        match effect {
            Effect::Show(dialog) => {
                if let Some(screen) = self.screen_of(package)
                    && screen.dialogs.len() < MAX_WINDOWS
                {
                    screen.dialogs.push(dialog.value.clone());
                }
                self.keyboard_shown = false;
                self.window_changed();
            }
            Effect::Dismiss => {
                self.screen_of(package).and_then(|screen| screen.dialogs.pop());
                self.keyboard_shown &= self.front_package() != Some(package);
                self.window_changed();
            }
            Effect::Toast(text) => {
                let text = self.filled(package, text, locals);
                self.show_toast(package, text);
            }
            Effect::Snackbar(bar) => self.show_snackbar(package, bar, locals),
            Effect::Overlay(overlay) => self.show_overlay(package, overlay, locals),
            Effect::HideOverlay => self.overlay = None,
            Effect::Start(start) => self.start_from(package, start, locals),
            Effect::Broadcast(broadcast) => {
                let extras = broadcast.extras.iter();
                let extras = extras.map(|(name, value)| (name.clone(), self.filled(package, value, locals)));
                let intent = Intent {
                    extras: extras.collect(),
                    action: Some(self.filled(package, &broadcast.action, locals)),
                    ..Intent::default()
                };
                self.broadcast(&intent);
            }
            Effect::Notify(notify) => {
                let notification = Notification {
                    package: package.to_owned(),
                    title: self.filled(package, &notify.title, locals),
                    text: self.filled(package, &notify.text, locals),
                };
                self.notify(notification);
            }
            Effect::AfterMs(after) => self.act_later(package, after, locals),
            Effect::Load(load) => self.set_later(package, load, locals),
            Effect::Fail(Failure::Crash(text)) => {
                let text = self.filled(package, text, locals);
                self.crash(package, &text);
            }
            Effect::Fail(Failure::NotResponding) => self.hang(package),
            Effect::Log(line) => {
                let text = self.filled(package, &line.text, locals);
                let level = line.level.chars().next().unwrap_or('I');
                let (tag, text) = (&*line.tag, &*text);
                self.say_as(package, super::AppLine { level, tag, text });
            }
            Effect::Clipboard(text) => {
                let text = self.filled(package, text, locals);
                self.copy(&text);
            }
            Effect::Focus(id) => self.focus_by_id(package, id),
            Effect::HideKeyboard => self.keyboard_shown = false,
            Effect::Scroll(scroll) => {
                let row = scroll.row.evaluate(&self.scope(package, locals)).number().unwrap_or(0);
                self.scroll_to_row(package, &scroll.id, row);
            }
            _ => {}
        }
    }

    fn act_later(&mut self, package: &str, after: &After, locals: &Locals) {
        let due = Due::Effects {
            pid: self.pid_of(package).unwrap_or(0),
            package: package.to_owned(),
            effects: after.effects.clone().into(),
            locals: locals.clone(),
        };
        self.later(after.ms.into(), due);
    }

    fn set_later(&mut self, package: &str, load: &Load, locals: &Locals) {
        let due = Due::Value {
            pid: self.pid_of(package).unwrap_or(0),
            package: package.to_owned(),
            name: load.into.clone(),
            value: load.value.value(&self.scope(package, locals)),
        };
        self.later(load.after_ms.into(), due);
    }

    /// What names mean to an app.
    pub(crate) fn scope<'a>(&'a self, package: &str, locals: &'a Locals) -> Scope<'a> {
        static NOTHING: crate::app::value::AppState = crate::app::value::AppState::new();
        Scope {
            phone: self,
            state: self.packages.get(package).map_or(&NOTHING, |package| &package.state),
            locals,
        }
    }

    pub(crate) fn filled(&self, package: &str, template: &Template, locals: &Locals) -> String {
        template.text(&self.scope(package, locals)).into_owned()
    }

    /// Gives a name of an app's, or a setting, a value.
    pub(crate) fn set(&mut self, package: &str, name: &str, value: Value) {
        if let Some((namespace, setting)) = name.split_once('.')
            && let Some(namespace) = Namespace::from_word(namespace)
        {
            let text = match &value {
                Value::Flag(flag) => Cow::Borrowed(if *flag { "1" } else { "0" }),
                other => other.text(),
            };
            self.put_setting(namespace, setting, Some(&text));
            return;
        }
        if !value.fits() {
            let text = format!("{package}: the new value of {name} is too large; kept the old one");
            self.say('E', "Sim", &text);
            return;
        }
        if let Some(package) = self.packages.get_mut(package) {
            if package.app.saved.contains_key(name) {
                package.saved.insert(name.to_owned(), value.clone());
            }
            package.state.insert(name.to_owned(), value);
        }
    }

    /// Sets a setting, and does what follows from it; whether there was room.
    pub fn put_setting(&mut self, namespace: Namespace, name: &str, value: Option<&str>) -> bool {
        let fits = self.settings.put(namespace, name, value);
        if namespace == Namespace::System && name == "user_rotation" {
            let turns = value.and_then(|value| value.parse::<u8>().ok()).unwrap_or(0);
            self.display.rotation = turns % 4;
            self.window_changed();
        }
        fits
    }

    fn change_list(&mut self, package: &str, name: &str, change: impl FnOnce(&mut Vec<Value>)) {
        let old = self.packages.get(package).and_then(|package| package.state.get(name)).cloned();
        let mut list = if let Some(Value::List(list)) = old { list } else { Vec::new() };
        change(&mut list);
        self.set(package, name, Value::List(list));
    }

    pub(crate) fn screen_of(&mut self, package: &str) -> Option<&mut super::task::ScreenState> {
        let task = self.tasks.iter_mut().rev().find(|task| task.package == package)?;
        task.screens.last_mut()
    }

    fn show_snackbar(&mut self, package: &str, bar: &Snackbar, locals: &Locals) {
        let number = self.number();
        let action = bar.action.as_ref().map(|action| self.filled(package, action, locals));
        self.snackbar = Some(ShownSnackbar {
            number,
            package: package.to_owned(),
            text: self.filled(package, &bar.text, locals),
            action: action.unwrap_or_default(),
            effects: bar.effects.clone().into(),
            locals: locals.clone(),
        });
        self.later(SNACKBAR_MS, Due::SnackbarEnds(number));
        self.content_changed();
    }

    pub(super) fn snackbar_action(&mut self) {
        if let Some(bar) = self.snackbar.take() {
            self.run(&bar.package, &bar.effects, &bar.locals);
        }
    }

    fn start_from(&mut self, package: &str, start: &Start, locals: &Locals) {
        let filled =
            |template: &Option<Template>| template.as_ref().map(|text| self.filled(package, text, locals));
        let (target, activity) = (filled(&start.package), filled(&start.activity));
        let (action, data) = (filled(&start.action), filled(&start.uri));
        let action = action.or(data.is_some().then(|| "android.intent.action.VIEW".to_owned()));
        let intent = match (target, activity) {
            (Some(target), Some(activity)) => Intent {
                component: Some((target.clone(), full_name(&target, &activity))),
                action,
                data,
                ..Intent::default()
            },
            (Some(target), None) if action.is_none() => Intent::launch(&target),
            (target, _) => Intent { package: target, action, data, ..Intent::default() },
        };
        let open = self.tasks.len();
        if self.start(&intent).is_err() {
            self.show_toast(package, "No app can do this".to_owned());
        } else if let Some(task) = self.tasks.get_mut(open) {
            task.started_by = Some(package.to_owned());
        }
    }

    /// Tells every app something; how many listened.
    pub fn broadcast(&mut self, intent: &Intent) -> usize {
        let action = intent.action.clone().unwrap_or_default();
        let names: Vec<String> = match &intent.package {
            Some(name) => vec![name.clone()],
            None => self.packages.keys().cloned().collect(),
        };
        let mut heard = 0;
        for name in names {
            let Some(app) = self.app(&name) else { continue };
            for rule in app.on_broadcast.iter().filter(|rule| rule.action == action) {
                self.start_process(&name);
                for (extra, into) in &rule.extras {
                    let value =
                        intent.extras.get(extra).map_or(Value::EMPTY, |value| Value::from(value.as_str()));
                    self.set(&name, into, value);
                }
                self.run(&name, &rule.effects, &Vec::new());
                heard += 1;
            }
            heard += usize::from(self.keyboard_hears(&app, intent));
        }
        heard
    }

    fn ask_permission(&mut self, package: &str, request: &PermissionRequest, locals: &Locals) {
        let granted =
            self.packages.get(package).is_some_and(|package| package.granted.contains(&request.name));
        if granted {
            self.run(package, &request.granted, locals);
            return;
        }
        self.push_window(SystemWindow::Permission {
            package: package.to_owned(),
            permission: request.name.clone(),
            granted: request.granted.clone().into(),
            denied: request.denied.clone().into(),
            locals: locals.clone(),
        });
        self.window_changed();
    }

    /// Answers the permission that is asked for.
    pub(super) fn answer_permission(&mut self, grant: bool) {
        if !matches!(self.front_window(), Some(SystemWindow::Permission { .. })) {
            return;
        }
        let Some(SystemWindow::Permission { package, permission, granted, denied, locals }) =
            self.pop_window()
        else {
            return;
        };
        if grant && let Some(package) = self.packages.get_mut(&package) {
            package.granted.insert(permission);
        }
        self.run(&package, if grant { &granted } else { &denied }, &locals);
        self.window_changed();
    }

    /// Says that an app hangs.
    pub(super) fn hang(&mut self, package: &str) {
        self.say('E', "ActivityManager", &format!("ANR in {package}"));
        let front = self.front_activity();
        self.last_hung = front.map(|(package, class)| (package.to_owned(), class.to_owned()));
        self.push_window(SystemWindow::NotResponding { package: package.to_owned() });
        self.window_changed();
    }

    /// Ends an app as a mistake in it would.
    pub fn crash(&mut self, package: &str, text: &str) {
        let pid = self.pid_of(package).unwrap_or(0);
        for line in [
            "FATAL EXCEPTION: main".to_owned(),
            format!("Process: {package}, PID: {pid}"),
            format!("java.lang.RuntimeException: {text}"),
        ] {
            let said =
                LogMessage { buffer: Buffer::Crash, pid, level: 'E', tag: "AndroidRuntime", text: &line };
            self.log.add(self.clock.now(), said);
        }
        self.force_stop(package);
        let again = !self.crashed.insert(package.to_owned());
        self.push_window(SystemWindow::Crashed { package: package.to_owned(), again });
        self.window_changed();
    }
}
