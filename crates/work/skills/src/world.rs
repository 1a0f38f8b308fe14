//! Screens that were seen, as an app file of the simulated phone: what was on
//! them, and what led from one to the next. Pure.

mod recorded;
mod write;

pub(crate) use recorded::tree_of;
pub use recorded::{RecordedWorld, of_recording};
pub(crate) use write::quoted;
pub use write::{activity, album, world};

use clawperator_ui::Tree;

/// The most screens of one world.
pub const MAX_SCENES: usize = 60;
/// How large the simulated phone's screen is.
pub const SIZE: (i32, i32) = (1080, 2400);
/// The launcher of the simulated phone, which is in the foreground from the start.
pub const LAUNCHER: &str = "com.google.android.apps.nexuslauncher";
/// The app of windows that belong to no app.
const SYSTEM: &str = "captured.system.windows";

/// A screen that was seen, until another was.
#[derive(Clone, Debug)]
pub struct Scene {
    pub tree: Tree,
    pub package: String,
    pub at_us: u64,
    /// What was done before it was first seen, since the last screen.
    pub before: Vec<SceneAct>,
}

/// Something that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SceneAct {
    Tap([i32; 2]),
    LongPress([i32; 2]),
    /// A finger moved from the first place to the second.
    Pull([i32; 2], [i32; 2]),
    Back,
    Home,
    Launch(String),
    Open(String),
    /// Something that leads nowhere here.
    Unsaid,
}

/// The app that a window of a package becomes. A window of the system itself
/// has a package that no app can have.
pub fn home(package: &str) -> String {
    let is_word = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    if package.contains('.') && package.split('.').all(is_word) {
        package.to_owned()
    } else {
        SYSTEM.to_owned()
    }
}
