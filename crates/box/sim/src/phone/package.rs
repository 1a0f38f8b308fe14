//! Packages that are installed.

use crate::app::App;
use crate::app::spec::Activity;
use crate::app::value::AppState;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A package that is installed.
#[derive(Clone, Debug)]
pub struct Package {
    pub app: Arc<App>,
    /// The user it runs as.
    pub uid: u32,
    pub path: String,
    /// When it came, since the Unix epoch.
    pub installed: Duration,
    pub granted: BTreeSet<String>,
    pub enabled: bool,
    /// How eagerly its work is put off: 10 (active) to 45 (restricted).
    pub standby_bucket: u8,
    /// Its process, while it runs.
    pub pid: Option<u32>,
    /// What it knows just now.
    pub(crate) state: AppState,
    /// The saved state that differs from its file.
    pub(crate) saved: AppState,
}

impl Package {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.app.package
    }

    /// What it knows when its process starts.
    pub(crate) fn fresh_state(&self) -> AppState {
        let mut state = self.app.state.clone();
        state.extend(self.app.saved.clone());
        state.extend(self.saved.clone());
        state
    }

    /// Its activity with an icon on the home screen.
    pub fn launcher(&self) -> Option<&Activity> {
        self.app.activities.iter().find(|activity| activity.launcher)
    }

    /// The activity that is started without a name.
    pub fn main(&self) -> Option<&Activity> {
        self.launcher().or(self.app.activities.first())
    }

    /// The activity of that name, however it is written.
    pub fn activity(&self, name: &str) -> Option<&Activity> {
        let wanted = full_name(self.name(), name);
        self.app.activities.iter().find(|activity| full_name(self.name(), &activity.name) == wanted)
    }
}

/// A class's name in full: `.Main` belongs to the package.
pub fn full_name(package: &str, class: &str) -> String {
    if class.starts_with('.') {
        format!("{package}{class}")
    } else if class.contains('.') {
        class.to_owned()
    } else {
        format!("{package}.{class}")
    }
}

/// An app and one of its classes, as Android writes it: `a.b/.Main`.
pub fn short_component(package: &str, class: &str) -> String {
    match class.strip_prefix(package) {
        Some(rest) if rest.starts_with('.') => format!("{package}/{rest}"),
        _ => format!("{package}/{class}"),
    }
}
