//! The file of a case: sections that begin with a line `=== name`. What a person
//! writes comes first; what a run gives follows and is compared with it.

use std::fs;
use std::path::{Path, PathBuf};

/// What a line that begins a section begins with.
const HEADER: &str = "=== ";
/// The sections that a person writes. A run gives all others.
const INPUTS: &[&str] = &["world", "payload"];
/// Lines shown before a difference.
const CONTEXT: usize = 3;
/// The most lines of a difference that are shown.
const MOST_SHOWN: usize = 60;

/// Names of sections and their text, in order.
pub(crate) type Sections = Vec<(String, String)>;

/// What carries an execution out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// This host, over adb.
    Host,
    /// The Operator app on the phone.
    Operator,
}

impl Route {
    pub(crate) const ALL: [Self; 2] = [Self::Host, Self::Operator];

    /// The folder of its cases.
    fn folder(self) -> PathBuf {
        Case::root().join(match self {
            Self::Host => "host",
            Self::Operator => "operator",
        })
    }
}

/// A golden case.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) route: Route,
    path: PathBuf,
    text: String,
    sections: Sections,
}

impl Case {
    /// The folder of the cases and of what they share.
    pub(crate) fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
    }

    /// Every case of a route, in order.
    pub(crate) fn every(route: Route) -> Vec<Self> {
        let entries = fs::read_dir(route.folder()).unwrap();
        let mut all: Vec<_> = entries.map(|entry| Self::read(route, entry.unwrap().path())).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// The cases that `CASE=text` selects by their names.
    pub(crate) fn selected() -> Vec<Self> {
        let wanted = std::env::var("CASE").unwrap_or_default();
        let mut all: Vec<_> = Route::ALL.into_iter().flat_map(Self::every).collect();
        all.retain(|case| case.name.contains(&wanted));
        assert!(!all.is_empty(), "no case has {wanted:?} in its name");
        all
    }

    fn read(route: Route, path: PathBuf) -> Self {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let name = name.strip_suffix(".case");
        let name = name.unwrap_or_else(|| panic!("{} is not a .case file", path.display()));
        let text = fs::read_to_string(&path).unwrap();
        Self { name: name.to_owned(), route, sections: sections(&text), text, path }
    }

    /// The text of a section; empty without it.
    pub(crate) fn section(&self, name: &str) -> &str {
        let found = self.sections.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, text)| text)
    }

    /// How a run differs from what the file says. `UPDATE_EXPECT=1` rewrites
    /// the file instead, but for what a person wrote.
    pub(crate) fn compare(&self, found: &Sections) -> Option<String> {
        let inputs = self.sections.iter().filter(|(name, _)| INPUTS.contains(&name.as_str()));
        let text: String =
            inputs.chain(found).map(|(name, text)| format!("{HEADER}{name}\n{text}")).collect();
        if text == self.text {
            return None;
        }
        if std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1") {
            fs::write(&self.path, text).unwrap();
            return None;
        }
        Some(format!("{} differs\n{}", self.name, difference(&self.text, &text)))
    }

    /// How a run on another lane differs from what the file says.
    pub(crate) fn compare_answer(&self, found: &Sections) -> Option<String> {
        let said = |sections: &Sections| -> String {
            let outputs = sections.iter().filter(|(name, _)| !INPUTS.contains(&name.as_str()));
            let said = outputs.map(|(name, text)| format!("{HEADER}{name}\n{}", answer(name, text)));
            said.collect()
        };
        let (here, there) = (said(&self.sections), said(found));
        (here != there).then(|| {
            let difference = difference(&here, &there);
            format!("{} differs on the resident lane\n{difference}", self.name)
        })
    }
}

/// The answer of a run, and what became of the phone.
pub(crate) fn answer_of(sections: &Sections) -> String {
    let text = |wanted: &str| {
        let found = sections.iter().find(|(name, _)| name == wanted);
        found.map_or("", |(_, text)| text.as_str())
    };
    let commands = text("commands");
    let after = commands.find("after: ").map_or("", |at| &commands[at..]);
    format!("{}{after}", text("envelope"))
}

/// What a section says whichever lane it comes from: of the commands only what
/// became of the phone, and no times.
fn answer(name: &str, text: &str) -> String {
    let text = match name {
        "commands" => text.find("after: ").map_or("", |at| &text[at..]),
        _ => text,
    };
    let mut timeless = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let digits = rest[at..].find(|letter: char| !letter.is_ascii_digit());
        let end = at + digits.unwrap_or(rest.len() - at);
        timeless.push_str(&rest[..at]);
        let is_time = rest[end..].starts_with(" ms")
            || rest[..at].ends_with("Ms\": ")
            || ["elapsed_ms\": \"", "toasts_age_ms\": \""].iter().any(|key| rest[..at].ends_with(key));
        timeless.push_str(if is_time { "N" } else { &rest[at..end] });
        rest = &rest[end..];
    }
    timeless + rest
}

fn sections(text: &str) -> Sections {
    let mut sections = Sections::new();
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix(HEADER) {
            sections.push((name.trim_end().to_owned(), String::new()));
        } else if let Some((_, text)) = sections.last_mut() {
            text.push_str(line);
        }
    }
    sections
}

/// The lines of two texts between what both begin and end with.
pub(crate) fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let start = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev());
    let end = ends.take(rest).take_while(same).count();
    let context = &old[start.saturating_sub(CONTEXT)..start];
    let (old, new) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let marked = [("    ", context), ("  - ", old), ("  + ", new)];
    let mut shown: Vec<_> = marked
        .iter()
        .flat_map(|(mark, lines)| lines.iter().map(move |line| format!("{mark}{line}")))
        .collect();
    if shown.len() > MOST_SHOWN {
        let more = shown.len() - MOST_SHOWN;
        shown.truncate(MOST_SHOWN);
        shown.push(format!("  and {more} more lines"));
    }
    shown.join("\n")
}
