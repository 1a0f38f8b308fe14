//! The phone itself: everything it knows, and what happens to it.
//!
//! It does no IO and reads no clock: the caller advances time ([`Phone::advance`]),
//! and its owner decides when it may be changed.

mod activity;
mod battery;
mod call;
mod click;
mod clock;
mod display;
mod dump;
mod edit;
mod effects;
mod event;
mod finger;
mod focus;
mod intent;
mod key;
mod keyboard;
pub mod log;
mod names;
mod overlay;
mod package;
mod paint;
mod properties;
mod settings;
mod system_view;
pub(crate) mod task;
pub(crate) mod test_provider;
mod timer;
mod toast;
mod touch;
mod window;
mod windows;

pub use activity::{ActivityStart, OpenActivity, StartError};
pub use battery::{Battery, Plug};
pub use clock::PhoneClock;
pub(crate) use clock::{format_time, log_time};
pub use display::Display;
pub use dump::{DumpRefusal, DumpViews};
pub use event::{EventKind, PhoneEvent, Source};
pub use finger::Finger;
pub(crate) use finger::{EV_ABS, EV_KEY, EV_SYN, InputDevice, KernelEvent, LAST};
pub use intent::{HOME, Intent, IntentTarget, LAUNCHER, MAIN};
pub use key::{PressLength, key_code};
pub use package::{Package, full_name, short_component};
pub use properties::Properties;
pub use settings::{LATIN, Namespace, Settings};
pub use touch::{Motion, Waypoint};
pub use window::SystemWindow;

use crate::app::App;
use crate::app::effect::Effect;
use crate::view::Locals;
use clawperator_ui::{Bounds, Point};
pub use log::AppLine;
use log::{Buffer, LogMessage, PhoneLog};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use task::{ScreenState, Task};
use timer::{Due, Timers};
pub(crate) use toast::Toast;
use toast::Toasts;
use touch::ScreenTouch;

/// The home screen's package.
pub const LAUNCHER_PACKAGE: &str = "com.google.android.apps.nexuslauncher";
/// The package of the phone's own windows.
pub const SYSTEM_UI: &str = "com.android.systemui";

/// The most things of a kind that are kept.
const MAX_NOTIFICATIONS: usize = 50;
const MAX_TASKS: usize = 100;
/// The most events before other tasks get a turn.
const MOST_AT_ONCE: usize = 10_000;
/// The longest text in the clipboard.
const MAX_CLIPBOARD: usize = 1 << 20;
/// The first user number of an app.
const FIRST_UID: u32 = 10_100;

/// A phone.
#[derive(Clone, Debug, Default)]
pub struct Phone {
    pub display: Display,
    pub clock: PhoneClock,
    /// How long it ran before it was last switched off and on.
    pub(crate) rebooted: Duration,
    pub settings: Settings,
    pub properties: Properties,
    pub battery: Battery,
    pub power: Power,
    pub log: PhoneLog,
    pub clipboard: String,
    /// What is installed, by name.
    pub packages: BTreeMap<String, Package>,
    /// What apps may do where that is not the usual, by package and operation.
    pub app_ops: BTreeMap<(String, String), String>,
    /// What each app got by keys: letters, ends of lines, and a dot for any other
    /// key but the phone's own.
    pub keys: BTreeMap<String, String>,
    pub test_providers: BTreeMap<String, test_provider::TestProvider>,
    /// What accessibility tools were told.
    pub events: VecDeque<PhoneEvent>,
    /// Whether events keep what was on the screen when they happened.
    pub(crate) keeps_screens: bool,
    /// What the kernel told of fingers and keys.
    pub(crate) kernel_events: VecDeque<KernelEvent>,
    /// How many fingers have touched so far.
    pub(crate) fingers: i32,
    /// Where the last was, as the kernel counts.
    pub(crate) finger_at: Point,
    /// The instrumentation that runs, as `package/class`.
    pub(crate) instrumented: Option<String>,
    /// Apps that are open, the front one last.
    pub(crate) tasks: Vec<Task>,
    /// The phone's own windows, the uppermost last.
    pub(crate) windows: Vec<SystemWindow>,
    pub(crate) toasts: Toasts,
    snackbar: Option<ShownSnackbar>,
    pub(crate) overlay: Option<overlay::ShownOverlay>,
    notifications: Vec<Notification>,
    /// Calls that go on while something else is in front.
    pub(crate) calls: Vec<SystemWindow>,
    /// Apps that have crashed since the phone was started.
    crashed: BTreeSet<String>,
    /// The activity that was in front when an app last hung.
    pub(crate) last_hung: Option<(String, String)>,
    pub keyboard_shown: bool,
    pub(crate) keyboard_page: keyboard::KeyboardPage,
    pub(crate) touch: Option<ScreenTouch>,
    timers: Timers,
    /// How many effects have led to the one that runs.
    acting: u8,
    /// Counts up, for everything that needs a number of its own.
    counter: u64,
    next_pid: u32,
    next_uid: u32,
    /// When the user last did something.
    pub(crate) last_activity_ms: u64,
    pub(crate) saving: Saving,
}

/// How a phone saves power and data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saving {
    pub(crate) dozing: bool,
    /// Whether apps in the background may not use metered networks.
    pub(crate) data_saver: bool,
}

/// Whether a phone is awake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Power {
    pub awake: bool,
    /// Whether it must be unlocked before use.
    pub locked: bool,
    /// Whether it is up at all; adb cannot reach it while it is not.
    pub booted: bool,
}

impl Default for Power {
    fn default() -> Self {
        Self { awake: true, locked: false, booted: true }
    }
}

/// A message at the bottom of an app.
#[derive(Clone, Debug)]
pub(crate) struct ShownSnackbar {
    number: u64,
    package: String,
    pub(crate) text: String,
    pub(crate) action: String,
    effects: Arc<[Effect]>,
    locals: Locals,
}

/// A notification.
#[derive(Clone, Debug)]
pub struct Notification {
    pub package: String,
    pub title: String,
    pub text: String,
}

impl Phone {
    /// A phone that was switched on at a time since the Unix epoch, with these apps.
    pub fn new(booted: Duration, apps: &[Arc<App>]) -> Self {
        let mut phone = Self {
            clock: PhoneClock { booted, uptime: Duration::ZERO },
            counter: 1,
            next_pid: 1_200,
            next_uid: FIRST_UID,
            ..Self::default()
        };
        for app in apps {
            phone.install(Arc::clone(app));
        }
        phone.boot();
        phone
    }

    /// Installs an app, or another version of it; its data stay.
    pub fn install(&mut self, app: Arc<App>) {
        let name = app.package.clone();
        let old = self.packages.remove(&name);
        let uid = old.as_ref().map_or(self.next_uid, |old| old.uid);
        self.next_uid += u32::from(old.is_none());
        let path = if app.system {
            format!("/system/app/{name}/base.apk")
        } else {
            // A name no two installs share, and the same for the same phone.
            format!("/data/app/~~{uid:08x}==/{name}-{uid:08x}==/base.apk")
        };
        let (saved, granted) = old.map(|old| (old.saved, old.granted)).unwrap_or_default();
        let package = Package {
            uid,
            path,
            installed: self.clock.now(),
            granted,
            enabled: true,
            standby_bucket: 10,
            pid: None,
            state: BTreeMap::new(),
            saved,
            app,
        };
        self.packages.insert(name, package);
    }

    /// Starts what a phone starts with.
    fn boot(&mut self) {
        self.tasks.clear();
        self.windows.clear();
        self.calls.clear();
        self.crashed.clear();
        self.timers.clear();
        self.toasts = Toasts::default();
        self.snackbar = None;
        self.overlay = None;
        self.keyboard_shown = false;
        self.touch = None;
        self.packages.values_mut().for_each(|package| package.pid = None);
        self.power = Power::default();
        self.say('I', "SystemServer", "Boot completed");
        self.go_home();
        self.show_front();
    }

    /// Switches the phone off and on again; it is up after a while.
    pub fn reboot(&mut self, takes: Duration) {
        // The log is in memory: it has the new boot and nothing else.
        self.log.clear(Buffer::ALL);
        self.rebooted += self.clock.uptime;
        self.clock.booted += self.clock.uptime;
        self.clock.uptime = Duration::ZERO;
        self.boot();
        self.notifications.clear();
        self.last_activity_ms = 0;
        self.saving.dozing = false;
        if !takes.is_zero() {
            self.power.booted = false;
            let ms = u64::try_from(takes.as_millis()).unwrap_or(u64::MAX);
            self.timers.add(ms, Due::Booted);
        }
    }

    /// Lets time pass: everything that was to happen by then happens, in order.
    /// So much may happen that it is not all done at once; time has passed to
    /// where it was done then, and [`Self::advance`] goes on from there.
    pub fn advance(&mut self, uptime: Duration) {
        let target = uptime.max(self.clock.uptime);
        let target_ms = u64::try_from(target.as_millis()).unwrap_or(u64::MAX);
        for _ in 0..MOST_AT_ONCE {
            let Some((at, due)) = self.timers.pop(target_ms) else {
                self.clock.uptime = target;
                return;
            };
            self.clock.uptime = self.clock.uptime.max(Duration::from_millis(at));
            self.happen(due);
        }
    }

    /// When, in uptime, the next thing happens by itself.
    pub fn next_event(&self) -> Option<Duration> {
        self.timers.next_ms().map(Duration::from_millis)
    }

    fn happen(&mut self, due: Due) {
        match due {
            Due::Effects { package, pid, effects, locals } => {
                if self.runs(&package, pid) {
                    self.run(&package, &effects, &locals);
                }
            }
            Due::Value { package, pid, name, value } => {
                if self.runs(&package, pid) {
                    self.set(&package, &name, value);
                    self.content_changed();
                }
            }
            Due::Screen { package, instance, timer } => self.screen_timer(&package, instance, timer),
            Due::ToastEnds(number) => {
                self.toasts.end(number);
            }
            Due::SnackbarEnds(number) => {
                self.snackbar.take_if(|bar| bar.number == number);
            }
            Due::StillHangs { package, pid } => {
                if self.runs(&package, pid) {
                    self.hang(&package);
                }
            }
            Due::CallerGivesUp(number) => self.caller_gives_up(&number),
            Due::Booted => self.power.booted = true,
        }
    }

    fn runs(&self, package: &str, pid: u32) -> bool {
        self.pid_of(package) == Some(pid)
    }

    /// What a package is made of, if it is installed.
    pub(crate) fn app(&self, package: &str) -> Option<Arc<App>> {
        self.packages.get(package).map(|package| Arc::clone(&package.app))
    }

    pub(crate) fn pid_of(&self, package: &str) -> Option<u32> {
        self.packages.get(package)?.pid
    }

    pub(crate) fn front_screen(&self) -> Option<&ScreenState> {
        self.tasks.last()?.top()
    }

    fn front_screen_mut(&mut self) -> Option<&mut ScreenState> {
        self.tasks.last_mut()?.screens.last_mut()
    }

    /// Tells whether a global setting is on.
    pub(crate) fn is_on(&self, setting: &str) -> bool {
        self.settings.get(Namespace::Global, setting) == Some("1")
    }

    /// The number of its Android version.
    pub fn sdk(&self) -> u32 {
        self.properties.get("ro.build.version.sdk").parse().unwrap_or(0)
    }

    /// Whether it prints what phones of a kind print: the property `sim.like`.
    pub(crate) fn is_like(&self, kind: &str) -> bool {
        self.properties.get("sim.like") == kind
    }

    /// Whether the focus stands in the list of the windows, and not with the display: before
    /// Android 10.
    pub(crate) fn tells_focus_with_windows(&self) -> bool {
        self.sdk() < 29 || self.is_like("kitkat")
    }

    /// A number that nothing else has.
    pub(crate) fn number(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    pub(crate) fn later(&mut self, ms: u64, due: Due) {
        let at = self.clock.uptime_ms().saturating_add(ms);
        self.timers.add(at, due);
    }

    /// Writes a line of the system's into the log.
    pub fn say(&mut self, level: char, tag: &str, text: &str) {
        let said = LogMessage { buffer: Buffer::System, pid: 1_000, level, tag, text };
        self.log.add(self.clock.now(), said);
    }

    /// Writes a line of an app's into the log.
    pub fn say_as(&mut self, package: &str, AppLine { level, tag, text }: AppLine<'_>) {
        let pid = self.pid_of(package).unwrap_or(1_000);
        let said = LogMessage { buffer: Buffer::Main, pid, level, tag, text };
        self.log.add(self.clock.now(), said);
    }

    /// Puts text into the clipboard, as much as fits.
    pub fn copy(&mut self, text: &str) {
        let end = text.floor_char_boundary(MAX_CLIPBOARD.min(text.len()));
        text[..end].clone_into(&mut self.clipboard);
    }

    /// What is in the shade.
    pub fn notifications(&self) -> &[Notification] {
        &self.notifications
    }

    /// Puts a notification into the shade.
    pub fn notify(&mut self, notification: Notification) {
        let text = format!("{}: {}", notification.title, notification.text);
        let package = notification.package.clone();
        if self.notifications.len() >= MAX_NOTIFICATIONS {
            self.notifications.remove(0);
        }
        self.notifications.push(notification);
        self.tell(EventKind::NotificationStateChanged, &package, &text);
    }

    /// Takes every notification away that can be: not one of a call.
    pub fn clear_notifications(&mut self) {
        self.notifications.retain(call::is_of_call);
    }

    pub(crate) fn snackbar_of(&self, package: &str) -> Option<&ShownSnackbar> {
        self.snackbar.as_ref().filter(|bar| bar.package == package)
    }

    /// How high the part of the screen with the handle at its bottom is.
    pub(crate) fn handle_height(&self) -> i32 {
        self.display.px(24)
    }

    /// Where apps may draw: between the bar at the top and the one at the
    /// bottom, and above the keyboard.
    pub(crate) fn content_bounds(&self) -> Bounds {
        let mut bounds = self.display.bounds();
        bounds.top += self.display.px(24);
        bounds.bottom -= self.handle_height();
        if self.keyboard_shown && !self.is_under_keyboard() {
            bounds.bottom = bounds.bottom.min(self.keyboard_bounds().top);
        }
        bounds
    }
}
