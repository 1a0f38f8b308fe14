//! Apps start, come to the front, go back, and end.

use super::event::EventKind;
use super::intent::{HOME, Intent, MAIN};
use super::package::{full_name, short_component};
use super::task::{ScreenState, Task};
use super::timer::Due;
use super::window::SystemWindow;
use super::{MAX_TASKS, Phone};
use crate::app::App;
use crate::app::value::Value;
use std::sync::Arc;

/// The most screens of one app above each other.
const MAX_SCREENS: usize = 50;

/// Why nothing was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartError {
    NoActivity,
    /// The class that was named is not there.
    NoClass(String),
}

/// What was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityStart {
    /// What now is in front, as `a.b/.Main`.
    pub component: String,
    /// Whether its process runs since just now.
    pub cold: bool,
    pub was_front: bool,
    /// Whether it came to an end before it showed anything.
    pub died: bool,
}

/// An activity that is open.
#[derive(Clone, Copy, Debug)]
pub struct OpenActivity<'p> {
    pub task: u32,
    pub package: &'p str,
    /// Its class in full.
    pub class: &'p str,
}

impl Phone {
    /// The package whose screen is in front.
    pub fn front_package(&self) -> Option<&str> {
        self.tasks.last().map(|task| task.package.as_str())
    }

    /// The same, or the phone itself.
    pub(super) fn front_owner(&self) -> String {
        self.front_package().unwrap_or(super::SYSTEM_UI).to_owned()
    }

    /// The activity in front: its package, and its class in full.
    pub fn front_activity(&self) -> Option<(&str, &str)> {
        let task = self.tasks.last()?;
        Some((&task.package, &task.top()?.activity))
    }

    /// The app that has started a task, if one has.
    pub(crate) fn started_by(&self, task: u32) -> Option<&str> {
        let task = self.tasks.iter().find(|open| open.id == task)?;
        task.started_by.as_deref()
    }

    /// The dialog over the front app's screen, if there is one.
    pub(crate) fn front_dialog(&self) -> Option<&str> {
        self.front_screen()?.dialogs.last().map(String::as_str)
    }

    /// Every activity that is open, the front one first.
    pub fn open_activities(&self) -> Vec<OpenActivity<'_>> {
        let tasks = self.tasks.iter().rev();
        let open = tasks.flat_map(|task| {
            let (id, package) = (task.id, &task.package);
            task.screens.iter().rev().map(move |screen| OpenActivity {
                task: id,
                package,
                class: &screen.activity,
            })
        });
        open.collect()
    }

    /// Starts what answers an intent.
    ///
    /// # Errors
    /// [`StartError`] if nothing does.
    pub fn start(&mut self, intent: &Intent) -> Result<ActivityStart, StartError> {
        let Some(found) = self.resolve(intent) else {
            let named = intent.component.as_ref();
            return Err(named.map_or(StartError::NoActivity, |(package, class)| {
                StartError::NoClass(short_component(package, class))
            }));
        };
        let text = format!("START u0 {{{}}} from uid 2000", intent.describe());
        self.say('I', "ActivityTaskManager", &text);
        let cold = self.start_process(&found.package);
        let was_front = self.front_package() == Some(&found.package);
        let app = self.app(&found.package).ok_or(StartError::NoActivity)?;
        self.windows.retain(|window| !matches!(window, SystemWindow::Shade | SystemWindow::Recents));
        if self.pid_of(&found.package).is_some() {
            self.bring_to_front(&app, &found.activity);
        }
        if self.pid_of(&found.package).is_none() {
            let front = self.front_activity().map(|(package, class)| short_component(package, class));
            let component = front.unwrap_or_default();
            return Ok(ActivityStart { component, cold, was_front, died: true });
        }
        if let Some(rule) = found.rule.and_then(|number| app.on_intent.get(number)) {
            if let (Some(name), Some(uri)) = (&rule.into, &intent.data) {
                self.set(&found.package, name, Value::from(uri.as_str()));
            }
            self.run(&found.package, &rule.effects, &Vec::new());
        }
        let component = short_component(&found.package, &found.activity);
        self.say('I', "ActivityTaskManager", &format!("Displayed {component}"));
        Ok(ActivityStart { component, cold, was_front, died: false })
    }

    /// Starts an app's process; whether it did not run yet.
    pub(crate) fn start_process(&mut self, name: &str) -> bool {
        let pid = self.next_pid;
        let Some(package) = self.packages.get_mut(name).filter(|package| package.pid.is_none()) else {
            return false;
        };
        package.pid = Some(pid);
        package.state = package.fresh_state();
        let app = Arc::clone(&package.app);
        let uid = package.uid;
        self.next_pid += 7;
        let user = uid.saturating_sub(10_000);
        self.say('I', "ActivityManager", &format!("Start proc {pid}:{name}/u0a{user} for top-activity"));
        self.run(name, &app.on_start, &Vec::new());
        true
    }

    /// Shows the app that is to be in front when the phone has started.
    pub(super) fn show_front(&mut self) {
        let front = self.packages.values().find(|package| package.app.front);
        let Some(app) = front.map(|package| Arc::clone(&package.app)) else { return };
        let Some(main) = app.activities.first() else { return };
        let activity = full_name(&app.package, &main.name);
        self.start_process(&app.package);
        self.bring_to_front(&app, &activity);
    }

    /// Shows an app: the activity that was named, or what it showed last.
    fn bring_to_front(&mut self, app: &Arc<App>, activity: &str) {
        // The keyboard belongs to the field of the app that was in front.
        self.keyboard_shown &= self.front_package() == Some(&app.package);
        let place = self.tasks.iter().position(|task| task.package == app.package);
        let task = match place {
            Some(place) => self.tasks.remove(place),
            None => Task {
                id: self.number() as u32,
                package: app.package.clone(),
                started_by: None,
                screens: Vec::new(),
            },
        };
        let shows_it = task.screens.iter().any(|screen| screen.activity == activity);
        self.tasks.push(task);
        if self.tasks.len() > MAX_TASKS {
            self.tasks.remove(0);
        }
        if !shows_it {
            let wanted = app.activities.iter().find(|row| full_name(&app.package, &row.name) == activity);
            if let Some(row) = wanted {
                self.push_screen(app, &row.screen.value, Some(activity));
            }
        }
        self.window_changed();
    }

    /// Opens a screen on top of the front app's.
    pub(crate) fn push_screen(&mut self, app: &Arc<App>, name: &str, activity: Option<&str>) {
        let Some(spec) = app.screens.get(name) else { return };
        let instance = self.number();
        let Some(task) = self.tasks.iter_mut().rev().find(|task| task.package == app.package) else {
            return;
        };
        if task.screens.len() >= MAX_SCREENS {
            task.screens.remove(0);
        }
        let named = activity.or(spec.activity.as_deref());
        let activity = match (named, task.top()) {
            (Some(name), _) => full_name(&app.package, name),
            (None, Some(below)) => below.activity.clone(),
            (None, None) => full_name(&app.package, ".MainActivity"),
        };
        task.screens.push(ScreenState {
            name: name.to_owned(),
            activity,
            instance,
            depth: task.screens.len(),
            ..ScreenState::default()
        });
        self.keyboard_shown = false;
        for (number, timer) in spec.timers.iter().enumerate() {
            let due = Due::Screen { package: app.package.clone(), instance, timer: number };
            self.later(timer.after_ms.into(), due);
        }
        self.window_changed();
        self.run(&app.package, &spec.on_open, &Vec::new());
    }

    /// What a screen does by itself while it is open.
    pub(super) fn screen_timer(&mut self, package: &str, instance: u64, number: usize) {
        let task = self.tasks.iter().find(|task| task.package == package);
        let open = task.and_then(|task| task.screens.iter().find(|screen| screen.instance == instance));
        let Some(name) = open.map(|screen| screen.name.clone()) else {
            return;
        };
        let Some(app) = self.app(package) else { return };
        let Some(timer) = app.screens.get(&name).and_then(|screen| screen.timers.get(number)) else {
            return;
        };
        if timer.repeat {
            let due = Due::Screen { package: package.to_owned(), instance, timer: number };
            // Nothing repeats more often than a screen is drawn.
            self.later(u64::from(timer.after_ms).max(16), due);
        }
        self.run(package, &timer.effects, &Vec::new());
        self.content_changed();
    }

    /// Goes back: closes whatever is uppermost.
    pub fn back(&mut self) {
        if self.close_uppermost() {
            self.window_changed();
            return;
        }
        self.up();
    }

    /// What the screen's own button does: a touch beside the keyboard is the app's.
    pub(super) fn up(&mut self) {
        let Some(task) = self.tasks.last() else { return };
        let Some(app) = self.app(&task.package) else { return };
        let screen = task.top().and_then(|screen| app.screens.get(&screen.name));
        if let Some(effects) = screen.and_then(|screen| screen.on_back.as_ref()) {
            self.run(&app.package, effects, &Vec::new());
            return;
        }
        self.leave_screen();
    }

    /// Goes back one screen, whatever the screen says to it.
    pub(crate) fn leave_screen(&mut self) {
        self.keyboard_shown = false;
        let Some(task) = self.tasks.last_mut() else { return };
        if task.package == super::LAUNCHER_PACKAGE {
            return;
        }
        if task.screens.len() > 1 {
            task.screens.pop();
            self.window_changed();
        } else {
            self.go_home();
        }
    }

    /// Closes the uppermost window that is not a screen; whether there was one.
    fn close_uppermost(&mut self) -> bool {
        if let Some(window) = self.front_window() {
            match window {
                SystemWindow::Shade | SystemWindow::Recents => drop(self.pop_window()),
                SystemWindow::Permission { .. } => self.answer_permission(false),
                // The call goes on, and what was below it is in front again.
                SystemWindow::Call { .. } => self.leave_calls(),
                SystemWindow::NotResponding { .. } | SystemWindow::Crashed { .. } => {}
            }
            return true;
        }
        if self.keyboard_shown {
            self.keyboard_shown = false;
            return true;
        }
        let Some(name) = self.front_dialog() else { return false };
        let app = self.front_app();
        let dialog = app.as_ref().and_then(|app| app.dialogs.get(name));
        if dialog.is_none_or(|dialog| dialog.cancelable) {
            self.front_screen_mut().and_then(|screen| screen.dialogs.pop());
        }
        true
    }

    /// Goes to the home screen.
    pub fn go_home(&mut self) {
        self.keyboard_shown = false;
        self.windows.retain(|window| !matches!(window, SystemWindow::Shade | SystemWindow::Recents));
        self.leave_calls();
        let home =
            Intent { action: Some(MAIN.to_owned()), categories: vec![HOME.to_owned()], ..Intent::default() };
        if let Some(found) = self.resolve(&home) {
            self.start_process(&found.package);
            if let Some(app) = self.app(&found.package) {
                self.bring_to_front(&app, &found.activity);
                if let Some(task) = self.tasks.last_mut() {
                    task.screens.truncate(1);
                }
            }
        }
        self.window_changed();
    }

    /// Ends an app: its process, its screens, its timers.
    pub fn force_stop(&mut self, name: &str) {
        if let Some(package) = self.packages.get_mut(name)
            && let Some(pid) = package.pid.take()
        {
            self.say('I', "ActivityManager", &format!("Force stopping {name} appid={pid}"));
        }
        self.windows.retain(|window| window.package() != Some(name));
        self.snackbar.take_if(|bar| bar.package == name);
        self.overlay.take_if(|overlay| overlay.package == name);
        let was_front = self.front_package() == Some(name);
        self.tasks.retain(|task| task.package != name);
        if was_front || self.tasks.is_empty() {
            self.go_home();
        }
    }

    /// Makes an app forget everything; whether it is installed.
    pub fn clear_data(&mut self, name: &str) -> bool {
        self.force_stop(name);
        let Some(package) = self.packages.get_mut(name) else { return false };
        package.saved.clear();
        package.granted.clear();
        true
    }

    /// Lets a package be started, or not; whether it is installed.
    pub fn set_enabled(&mut self, name: &str, enabled: bool) -> bool {
        if !self.packages.contains_key(name) {
            return false;
        }
        if !enabled {
            self.force_stop(name);
        }
        if let Some(package) = self.packages.get_mut(name) {
            package.enabled = enabled;
        }
        self.window_changed();
        true
    }

    /// Takes a package away; whether it was there and could be.
    pub fn uninstall(&mut self, name: &str) -> bool {
        if self.packages.get(name).is_none_or(|package| package.app.system) {
            return false;
        }
        self.force_stop(name);
        self.packages.remove(name).is_some()
    }

    /// Tells accessibility tools that another window is in front.
    pub(crate) fn window_changed(&mut self) {
        let package = self.front_owner();
        let title = self.packages.get(&package).map(|package| package.app.label.clone()).unwrap_or_default();
        self.tell(EventKind::WindowStateChanged, &package, &title);
    }
}
