//! Reads app files, and says of a bad one what is wrong and where.

use super::place::Place;
use super::spec::App;
use super::walk;
use serde_saphyr::{Budget, Options};
use std::fmt;

/// The largest app file.
pub const MAX_FILE: usize = 1 << 20;

/// Room for the deepest file, also where nothing was optimised.
const STACK: usize = 32 << 20;

/// What is wrong with an app file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppProblem {
    /// Its line, from 1; 0 if it is in no one place.
    pub line: u64,
    /// Its column, from 1.
    pub column: u64,
    /// The way to it, such as `screens.main.body[2].text`, if known.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// The line and a mark below, as compilers show it, if there is one.
    pub snippet: Option<String>,
}

impl fmt::Display for AppProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}, column {}: ", self.line, self.column)?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl AppProblem {
    pub(super) fn at(place: Place, path: &str, message: String) -> Self {
        Self {
            line: place.line,
            column: place.column,
            path: path.to_owned(),
            message,
            snippet: None,
        }
    }

    pub(super) fn whole(path: &str, message: String) -> Self {
        Self {
            line: 0,
            column: 0,
            path: path.to_owned(),
            message,
            snippet: None,
        }
    }
}

/// Reads an app file and checks it: every screen and name it speaks of is
/// there.
///
/// # Errors
/// All that is wrong with it; a file that cannot be read at all has one
/// problem.
pub fn parse(text: &str) -> Result<App, Vec<AppProblem>> {
    if text.len() > MAX_FILE {
        return Err(vec![AppProblem::whole("", format!("more than {MAX_FILE} bytes"))]);
    }
    // Each level of a file is a call within a call: whoever asks may not have
    // the stack for a file that is as deep as it may be.
    let parsed = std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK);
        let reading = reader.spawn_scoped(scope, || parse_here(text)).ok()?;
        reading.join().ok()
    });
    parsed.unwrap_or_else(|| {
        Err(vec![AppProblem::whole(
            "",
            "there is no memory to read it in".to_owned(),
        )])
    })
}

fn parse_here(text: &str) -> Result<App, Vec<AppProblem>> {
    let app: App =
        serde_saphyr::from_str_with_options(text, options()).map_err(|error| vec![problem(&error)])?;
    let problems = walk::problems(&app);
    if problems.is_empty() {
        Ok(app)
    } else {
        Err(problems)
    }
}

fn options() -> Options {
    let mut budget = Budget::default();
    budget.max_nodes = 100_000;
    budget.max_depth = 100;
    serde_saphyr::options! { budget: Some(budget), strict_booleans: true }
}

fn problem(error: &serde_saphyr::Error) -> AppProblem {
    let plain = error.without_snippet();
    let location = error.location();
    AppProblem {
        line: location.map_or(0, |location| location.line()),
        column: location.map_or(0, |location| location.column()),
        path: String::new(),
        message: without_place(&plain.to_string()),
        snippet: Some(error.render()).filter(|shown| shown.contains('\n')),
    }
}

/// The place stands in front already.
fn without_place(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}
