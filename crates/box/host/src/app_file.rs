//! App files on disk: reads them and reports what is wrong with bad ones.

use super::limits::MAX_APPS;
use clawperator_document::Problem;
use clawperator_sim::app::{self, App, MAX_FILE};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One thing wrong with an app file.
#[derive(Clone, Debug)]
pub struct BadApp {
    pub file: PathBuf,
    pub problem: Problem,
    /// Its line with a mark below it, if its position is known.
    pub snippet: Option<String>,
}

impl BadApp {
    /// A problem of the file as a whole.
    pub fn whole(file: &Path, message: String) -> Self {
        Self { file: file.to_owned(), problem: Problem::new(String::new(), message), snippet: None }
    }

    /// A file whose package another one has.
    pub fn twin(file: &Path, app: &App) -> Self {
        Self::whole(file, format!("another file has the package {}, too", app.package))
    }

    /// `file:line:column`, as far as it is known.
    pub fn place(&self) -> String {
        let file = self.file.display();
        match self.problem.position {
            None => file.to_string(),
            Some(position) => format!("{file}:{}:{}", position.line, position.column),
        }
    }

    /// What is wrong, without the position.
    pub fn message(&self) -> String {
        let Problem { path, message, .. } = &self.problem;
        let colon = if path.is_empty() { "" } else { ": " };
        format!("{path}{colon}{message}")
    }
}

impl fmt::Display for BadApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message())
    }
}

/// Reads the apps of a file: one, or several with `---` between them.
pub fn read(file: &Path) -> Result<Vec<App>, Vec<BadApp>> {
    let text = read_text(file, MAX_FILE).map_err(|why| vec![BadApp::whole(file, why)])?;
    parse(file, &text)
}

/// Tells what is wrong with a text that is to be written to a file.
pub fn check(file: &Path, text: &str) -> Result<(), Vec<BadApp>> {
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
                bad.push(BadApp::whole(file, format!("the package {} is in it twice", app.package)));
            }
            Ok(app) => apps.push(app),
            Err(problems) => bad.extend(problems.listed.into_iter().map(|problem| BadApp {
                file: file.to_owned(),
                snippet: problem.position.and_then(|position| position.snippet(text)),
                problem,
            })),
        }
    }
    if bad.is_empty() { Ok(apps) } else { Err(bad) }
}

/// The apps of a file, each with as many empty lines before it as others have:
/// a problem has its line in the whole file.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let full = parts.len() >= MAX_APPS;
        let said = parts.last().is_some_and(|part| !part.trim().is_empty());
        match parts.last_mut() {
            Some(part) if line.trim_end() != "---" || !said => part.push_str(line),
            // What follows is read as a part of the last one, and refused there.
            Some(part) if full => part.push_str(line),
            _ => parts.push("\n".repeat(number + 1)),
        }
    }
    if parts.len() > 1 && parts.last().is_some_and(|part| part.trim().is_empty()) {
        parts.pop();
    }
    parts
}

/// Reads every app file of a folder, in the order of their names, or one.
pub fn read_all(folder: &Path) -> Result<Vec<Arc<App>>, Vec<BadApp>> {
    let files =
        list(folder).map_err(|error| vec![BadApp::whole(folder, format!("cannot be read: {error}"))])?;
    if files.len() > MAX_APPS {
        let message = format!("has more than {MAX_APPS} app files");
        return Err(vec![BadApp::whole(folder, message)]);
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
    if bad.is_empty() { Ok(apps) } else { Err(bad) }
}

/// The app files of a folder, in the order of their names; what is no folder is
/// taken for an app file itself.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !std::fs::metadata(folder)?.is_dir() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a text of so many bytes at most: no more than that, and one byte to
/// see that there is more.
pub fn read_text(file: &Path, most: usize) -> Result<String, String> {
    let cannot = |error: io::Error| format!("cannot be read: {error}");
    // Opening a pipe would wait for somebody to write.
    if !std::fs::metadata(file).map_err(cannot)?.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(cannot)?;
    opened.take(most as u64 + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() > most {
        return Err(format!("has more than {most} bytes"));
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}
