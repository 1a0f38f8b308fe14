//! App files on disk: reads them, and says of bad ones what is wrong and where.

use super::SimError;
use super::limits::MAX_APPS;
use clawperator_sim::app::{self, App, AppProblem, MAX_FILE};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One thing wrong with an app file.
#[derive(Clone, Debug)]
pub(crate) struct BadApp {
    /// The file.
    pub(crate) file: PathBuf,
    /// What is wrong.
    pub(crate) problem: AppProblem,
    /// The line it is in and a mark below it, if it is in one.
    pub(crate) snippet: Option<String>,
}

impl BadApp {
    /// A problem that is in no one place of the file.
    pub(crate) fn whole(file: &Path, message: String) -> Self {
        let problem = AppProblem {
            line: 0,
            column: 0,
            path: String::new(),
            message,
            snippet: None,
        };
        Self {
            file: file.to_owned(),
            problem,
            snippet: None,
        }
    }

    /// A file whose package another one has.
    pub(crate) fn twin(file: &Path, app: &App) -> Self {
        Self::whole(file, format!("another file has the package {}, too", app.package))
    }

    /// `file:line:column`, as far as it is known.
    pub(crate) fn place(&self) -> String {
        let file = self.file.display();
        match self.problem.line {
            0 => file.to_string(),
            line => format!("{file}:{line}:{}", self.problem.column),
        }
    }

    /// What is wrong, without the place.
    pub(crate) fn message(&self) -> String {
        let path = &self.problem.path;
        let colon = if path.is_empty() { "" } else { ": " };
        format!("{path}{colon}{}", self.problem.message)
    }
}

impl fmt::Display for BadApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message())
    }
}

/// Reads the apps of a file: one, or several with `---` between them.
pub(crate) fn read(file: &Path) -> Result<Vec<App>, Vec<BadApp>> {
    let text = read_text(file).map_err(|why| vec![BadApp::whole(file, why)])?;
    parse(file, &text)
}

/// Tells what is wrong with a text that is to be written to a file.
pub(crate) fn check(file: &Path, text: &str) -> Result<(), Vec<BadApp>> {
    if text.len() > MAX_FILE {
        let message = format!("has more than {MAX_FILE} bytes");
        return Err(vec![BadApp::whole(file, message)]);
    }
    parse(file, text).map(drop)
}

fn parse(file: &Path, text: &str) -> Result<Vec<App>, Vec<BadApp>> {
    let mut apps: Vec<App> = Vec::new();
    let mut bad = Vec::new();
    for part in parts(text) {
        match app::parse(&part) {
            Ok(app) if apps.iter().any(|other| other.package == app.package) => {
                bad.push(BadApp::whole(
                    file,
                    format!("the package {} is in it twice", app.package),
                ));
            }
            Ok(app) => apps.push(app),
            Err(problems) => bad.extend(problems.into_iter().map(|problem| BadApp {
                file: file.to_owned(),
                snippet: snippet(text, &problem),
                problem,
            })),
        }
    }
    if bad.is_empty() { Ok(apps) } else { Err(bad) }
}

/// The apps of a file, each with as many empty lines before it as others have:
/// a problem is told with its line in the whole file.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let said = parts.last().is_some_and(|part| !part.trim().is_empty());
        match parts.last_mut() {
            Some(part) if line.trim_end() != "---" || !said => part.push_str(line),
            _ => parts.push("\n".repeat(number + 1)),
        }
    }
    if parts.len() > 1 && parts.last().is_some_and(|part| part.trim().is_empty()) {
        parts.pop();
    }
    parts
}

/// Reads every app file of a folder, in the order of their names, or one.
pub(crate) fn read_all(folder: &Path) -> Result<Vec<Arc<App>>, SimError> {
    let files = list(folder)
        .map_err(|error| SimError::Apps(vec![BadApp::whole(folder, format!("cannot be read: {error}"))]))?;
    if files.len() > MAX_APPS {
        let message = format!("has more than {MAX_APPS} app files");
        return Err(SimError::Apps(vec![BadApp::whole(folder, message)]));
    }
    let mut apps: Vec<Arc<App>> = Vec::new();
    let mut bad = Vec::new();
    for file in files {
        match read(&file) {
            Ok(found) => {
                for app in found {
                    if apps.iter().any(|other| other.package == app.package) {
                        bad.push(BadApp::twin(&file, &app));
                    } else {
                        apps.push(Arc::new(app));
                    }
                }
            }
            Err(problems) => bad.extend(problems),
        }
    }
    if bad.is_empty() {
        Ok(apps)
    } else {
        Err(SimError::Apps(bad))
    }
}

/// The app files of a folder, in the order of their names; what is no folder is
/// taken for an app file itself.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !std::fs::metadata(folder)?.is_dir() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml" || extension == "yml")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads no more than an app file may have, and one byte to see that there is
/// more.
fn read_text(file: &Path) -> Result<String, String> {
    let cannot = |error: io::Error| format!("cannot be read: {error}");
    // Opening a pipe would wait for somebody to write.
    if !std::fs::metadata(file).map_err(cannot)?.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(cannot)?;
    opened
        .take(MAX_FILE as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() > MAX_FILE {
        return Err(format!("has more than {MAX_FILE} bytes"));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

/// How much of a line is shown before the mark, and how much behind it.
const AROUND: usize = 50;

/// The line of a problem and a mark below it: no more of a long line than fits,
/// and nothing that a terminal would obey.
fn snippet(text: &str, problem: &AppProblem) -> Option<String> {
    let number = usize::try_from(problem.line).ok()?.checked_sub(1)?;
    let line = text.lines().nth(number)?;
    let column = usize::try_from(problem.column).ok()?.saturating_sub(1);
    let first = column.saturating_sub(AROUND);
    let shown = |from: usize, count: usize| -> String {
        let some = line.chars().skip(from).take(count);
        some.map(|c| if c.is_control() { visible(c) } else { c })
            .collect()
    };
    let before = shown(first, column - first);
    let rest = shown(column, AROUND);
    let start = if first > 0 { "…" } else { "" };
    let end = if line.chars().nth(column + AROUND).is_some() {
        "…"
    } else {
        ""
    };
    let blanks = " ".repeat(start.chars().count() + before.chars().count());
    let margin = problem.line.to_string();
    let blank = " ".repeat(margin.len());
    Some(format!(
        "  {margin} | {start}{before}{rest}{end}\n  {blank} | {blanks}^"
    ))
}

/// A control character as a picture of it, one character wide; a tab is a
/// blank.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        '\u{7f}' => '\u{2421}',
        c if c < ' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('?'),
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_only_what_is_around_the_mark_is_shown() {
        let text = format!("a: 1\n{}\u{1b}[31m\tb{}\n", "x".repeat(900), "y".repeat(900_000));
        let mut bad = BadApp::whole(Path::new("a.yaml"), String::new()).problem;
        (bad.line, bad.column) = (2, 901);
        let shown = snippet(&text, &bad).unwrap_or_default();
        let (x, y) = ("x".repeat(50), "y".repeat(43));
        let blanks = " ".repeat(51);
        assert_eq!(shown, format!("  2 | …{x}\u{241b}[31m b{y}…\n    | {blanks}^"));
        (bad.line, bad.column) = (1, 4);
        assert_eq!(snippet(&text, &bad).unwrap_or_default(), "  1 | a: 1\n    |    ^");
    }
}
