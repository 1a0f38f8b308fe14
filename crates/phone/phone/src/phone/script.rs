//! The scripts that a phone's shell runs: files, so that a person can read them and the shell of a
//! phone can try them. What varies comes before them, as quoted values. Pure.

use super::CommandLine;
use crate::quote::{Nul, quote};
use clawperator_events::CommandKind;

/// A file of functions and commands. Its functions and variables begin with `cl_`: a phone's shell
/// has aliases, and an alias goes before a function of its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScriptFile {
    pub(super) name: &'static str,
    text: &'static str,
}

macro_rules! script_files {
    ($($(#[doc = $doc:literal])* $constant:ident = $name:literal,)+) => {
        $($(#[doc = $doc])* pub(super) const $constant: ScriptFile =
            ScriptFile { name: $name, text: include_str!(concat!("script/", $name, ".sh")) };)+

        /// All of them.
        #[cfg(test)]
        pub(super) const FILES: &[ScriptFile] = &[$($constant),+];
    };
}

script_files! {
    /// Whether the computer still waits, and what lasts only while it does.
    LISTENS = "listens",
    /// What is in front.
    SCREEN = "screen",
    /// What must be true before something is done.
    GUARD = "guard",
    /// Prints what is in front, twice.
    FRONT = "front",
    /// Prints the app that owns a window.
    OWNER = "owner",
    TOUCH = "touch",
    KEYS = "keys",
    PRESS = "press",
    DUMP = "dump",
    LAUNCH = "launch",
    OPEN_URI = "open_uri",
    /// Prints the size of the phone's own screen, and the displays.
    DISPLAYS = "displays",
    /// Prints which window has the focus, and the windows.
    WINDOWS = "windows",
    FENCE = "fence",
    RAISE_FENCE = "raise_fence",
    /// A function that lists packages, and its use.
    PACKAGES = "packages",
    LIST = "list",
    /// What the guard compares, and what our scripts need.
    TRY_GUARD = "try_guard",
    TRY_TOOLS = "try_tools",
    /// Several questions at once.
    PARTS = "parts",
    GRANT = "grant",
    INSTALL = "install",
    LOCATION = "location",
    LANE = "lane",
    SERVER = "server",
    FOLLOW = "follow",
    DISPATCH = "dispatch",
}

impl ScriptFile {
    /// Its lines without comments and indentation: a phone need not read them.
    fn lines(self) -> impl Iterator<Item = &'static str> {
        let lines = self.text.lines().map(str::trim_start);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}

/// What a phone's shell gets: values, words, and the files that use them.
#[derive(Clone, Debug)]
pub(super) struct Script {
    files: Vec<ScriptFile>,
    /// What is the same for all of them; a log need not have it.
    constants: Vec<String>,
    values: Vec<String>,
    words: Vec<String>,
}

impl Script {
    /// These files, one after the other.
    pub(super) fn of(files: &[ScriptFile]) -> Self {
        Self { files: files.to_vec(), constants: Vec::new(), values: Vec::new(), words: Vec::new() }
    }

    /// The same with a value that does not vary.
    pub(super) fn constant(mut self, name: &str, value: &str) -> Result<Self, Nul> {
        self.constants.push(format!("cl_{name}={}", quote(value)?));
        Ok(self)
    }

    /// The same with a value; its name has no prefix here.
    pub(super) fn value(mut self, name: &str, value: &str) -> Result<Self, Nul> {
        self.values.push(format!("cl_{name}={}", quote(value)?));
        Ok(self)
    }

    /// The same with one more word.
    pub(super) fn word(mut self, word: impl AsRef<str>) -> Result<Self, Nul> {
        self.words.push(quote(word.as_ref())?);
        Ok(self)
    }

    /// The same with more words.
    pub(super) fn words<W: AsRef<str>>(self, words: impl IntoIterator<Item = W>) -> Result<Self, Nul> {
        words.into_iter().try_fold(self, Self::word)
    }

    /// What the phone gets.
    pub(super) fn text(&self) -> String {
        let lines = self.files.iter().flat_map(|file| file.lines());
        let words = (!self.words.is_empty()).then(|| format!("set -- {}", self.words.join(" ")));
        let values = self.constants.iter().chain(&self.values).chain(&words);
        let head: String = values.flat_map(|line| [line, "\n"]).collect();
        head + &lines.collect::<Vec<_>>().join("\n")
    }

    /// It as a line of this kind, which is secret until it says otherwise. A log has its name, its
    /// words and its values.
    pub(super) fn line(&self, kind: CommandKind) -> CommandLine {
        let name = self.files.last().map_or("", |file| file.name);
        let values = self.values.iter().map(|value| value.trim_start_matches("cl_"));
        let shown: Vec<&str> =
            [name].into_iter().chain(self.words.iter().map(String::as_str)).chain(values).collect();
        CommandLine::new(kind, self.text()).recorded_as(shown.join(" "))
    }
}

#[cfg(test)]
#[cfg(unix)]
#[path = "../../tests/unit/script.rs"]
mod tests;
