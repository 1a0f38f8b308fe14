//! The windows that are on the screen, and which of them is in front.

use super::task::{ScreenState, Task};
use super::{Phone, SYSTEM_UI};
use crate::app::App;
use crate::app::effect::Effect;
use crate::app::spec;
use crate::layout::{self, Layout};
use crate::view::{Locals, View};
use std::sync::Arc;
use std::time::Duration;

/// A window of the phone's own.
#[derive(Clone, Debug)]
pub enum SystemWindow {
    Shade,
    /// The apps that are open.
    Recents,
    Permission {
        package: String,
        permission: String,
        /// What the app does then.
        granted: Arc<[Effect]>,
        denied: Arc<[Effect]>,
        /// The names that were known where it asked.
        #[doc(hidden)]
        locals: Locals,
    },
    NotResponding {
        package: String,
    },
    /// An app has ended by itself.
    Crashed {
        package: String,
        again: bool,
    },
    Call {
        number: String,
        answered: bool,
        /// How long the phone ran when it was taken.
        since: Duration,
    },
}

impl SystemWindow {
    /// The app it is about.
    pub(crate) fn package(&self) -> Option<&str> {
        match self {
            Self::Permission { package, .. }
            | Self::NotResponding { package }
            | Self::Crashed { package, .. } => Some(package),
            Self::Shade | Self::Recents | Self::Call { .. } => None,
        }
    }

    /// The package that draws it.
    pub(crate) fn owner(&self) -> &'static str {
        match self {
            Self::Shade => SYSTEM_UI,
            Self::Recents => super::LAUNCHER_PACKAGE,
            Self::Permission { .. } => "com.google.android.permissioncontroller",
            Self::NotResponding { .. } | Self::Crashed { .. } => "android",
            Self::Call { .. } => "com.google.android.dialer",
        }
    }

    /// As Android names the window.
    pub(crate) fn title(&self) -> String {
        match self {
            Self::Shade => "NotificationShade".to_owned(),
            Self::Recents => format!("{0}/{0}.NexusLauncherActivity", super::LAUNCHER_PACKAGE),
            Self::Permission { .. } => {
                "com.google.android.permissioncontroller/com.android.permissioncontroller.permission.ui.GrantPermissionsActivity".to_owned()
            }
            Self::NotResponding { package } => format!("Application Not Responding: {package}"),
            Self::Crashed { package, .. } => format!("Application Error: {package}"),
            Self::Call { .. } => "com.google.android.dialer/com.android.incallui.InCallActivity".to_owned(),
        }
    }
}

/// What is uppermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focus {
    pub package: String,
    /// As Android names the window.
    pub title: String,
}

impl Phone {
    /// Puts a window over all others, if there are not too many. None of them has a field.
    pub(super) fn push_window(&mut self, window: SystemWindow) {
        self.keyboard_shown = false;
        if self.windows.len() < super::effects::MAX_WINDOWS {
            self.windows.push(window);
        }
    }

    /// The phone's own windows that are shown, the uppermost last. A question
    /// for a permission belongs to its app's task: what hides the app hides it.
    pub(crate) fn shown_windows(&self) -> impl DoubleEndedIterator<Item = &SystemWindow> {
        self.windows.iter().filter(|window| self.shows(window))
    }

    fn shows(&self, window: &SystemWindow) -> bool {
        match window {
            SystemWindow::Permission { package, .. } => self.front_package() == Some(package),
            SystemWindow::Shade
            | SystemWindow::Recents
            | SystemWindow::NotResponding { .. }
            | SystemWindow::Crashed { .. }
            | SystemWindow::Call { .. } => true,
        }
    }

    /// The uppermost of the phone's own windows, if one is shown.
    pub(crate) fn front_window(&self) -> Option<&SystemWindow> {
        self.shown_windows().next_back()
    }

    /// Takes the uppermost of the phone's own windows away.
    pub(super) fn pop_window(&mut self) -> Option<SystemWindow> {
        let place = self.windows.iter().rposition(|window| self.shows(window))?;
        Some(self.windows.remove(place))
    }

    /// The window that has the focus; none while the screen is off.
    pub fn focus(&self) -> Option<Focus> {
        if !self.power.awake || !self.power.booted {
            return None;
        }
        let call = matches!(self.front_window(), Some(SystemWindow::Call { .. }));
        if self.power.locked && !call {
            let (package, title) = match self.is_like("kitkat") {
                true => ("com.android.keyguard", "Keyguard"),
                false => (SYSTEM_UI, "NotificationShade"),
            };
            return Some(Focus { package: package.to_owned(), title: title.to_owned() });
        }
        if let Some(window) = self.front_window() {
            return Some(Focus { package: window.owner().to_owned(), title: window.title() });
        }
        let (package, activity) = self.front_activity()?;
        Some(Focus { package: package.to_owned(), title: format!("{package}/{activity}") })
    }

    /// The app in front, and what it is made of.
    pub(crate) fn front_app(&self) -> Option<Arc<App>> {
        self.app(self.front_package()?)
    }

    /// Tells whether something on the screen is always animated.
    pub fn is_busy(&self) -> bool {
        let is_covered = self.front_window().is_some() || self.power.locked;
        !is_covered && self.front_screen_is(|screen| screen.busy)
    }

    /// Tells whether no picture may be taken of what is in front.
    pub fn is_secure(&self) -> bool {
        self.front_screen_is(|screen| screen.secure)
    }

    /// Tells whether the keyboard lies over what is in front and takes no room from it.
    pub(crate) fn is_under_keyboard(&self) -> bool {
        self.front_screen_is(|screen| screen.under_keyboard)
    }

    fn front_screen_is(&self, test: fn(&spec::Screen) -> bool) -> bool {
        let app = self.front_screen().zip(self.front_app());
        app.is_some_and(|(screen, app)| app.screens.get(&screen.name).is_some_and(test))
    }

    /// The window that has the focus, and the package that draws it. The app
    /// is `front_app`, which the view borrows from.
    pub(crate) fn active_view<'a>(&self, app: Option<&'a Arc<App>>) -> Option<(String, View<'a>)> {
        let focus = self.focus()?;
        let call = matches!(self.front_window(), Some(SystemWindow::Call { .. }));
        if self.power.locked && !call {
            return Some((focus.package, self.keyguard_view()));
        }
        if let Some(window) = self.front_window() {
            return Some((focus.package, self.system_view(window)));
        }
        let app = app?;
        let screen = self.front_screen()?;
        let view = match screen.dialogs.last().and_then(|name| app.dialogs.get(name)) {
            Some(dialog) => layout::dialog(&mut self.layout(app)?, dialog),
            None => layout::screen(&mut self.layout(app)?, app.screens.get(&screen.name)?),
        };
        Some((focus.package, view))
    }

    /// The app's screen below whatever is over it.
    pub(crate) fn screen_view<'a>(&self, app: &'a Arc<App>) -> Option<View<'a>> {
        self.task_view(self.tasks.last()?, app)
    }

    /// The screen of an open app, without its dialogs.
    pub(crate) fn task_view<'a>(&self, task: &Task, app: &'a Arc<App>) -> Option<View<'a>> {
        let screen = task.top()?;
        Some(layout::screen(&mut self.layout_of(app, screen)?, app.screens.get(&screen.name)?))
    }

    fn layout<'a>(&self, app: &'a Arc<App>) -> Option<Layout<'a, '_>> {
        self.layout_of(app, self.front_screen()?)
    }

    fn layout_of<'a, 's>(&'s self, app: &'a Arc<App>, screen: &'s ScreenState) -> Option<Layout<'a, 's>> {
        Some(Layout {
            phone: self,
            app,
            state: &self.packages.get(&app.package)?.state,
            screen,
            rtl: false,
            locals: Vec::new(),
            views: 0,
        })
    }
}
