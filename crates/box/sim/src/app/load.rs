//! Reads app files and reports what is wrong with a bad one, and where.

use super::check;
use super::spec::App;
use clawperator_document::{Problem, Problems, yaml};

/// The largest app file, in bytes.
pub const MAX_FILE: usize = 1 << 20;

/// Stack for the deepest file, also in a build without optimisation.
const STACK: usize = 32 << 20;

/// Reads an app file and checks that everything it refers to is there.
///
/// # Errors
/// All that is wrong with it. A file that cannot be read has one problem.
pub fn parse(text: &str) -> Result<App, Problems> {
    if text.len() > MAX_FILE {
        return Err(whole(format!("the file is larger than {MAX_FILE} bytes")));
    }
    // The reader calls itself once per level of the file, and the caller may
    // not have the stack for the deepest one.
    let parsed = std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK);
        let reading = reader.spawn_scoped(scope, || parse_here(text)).ok()?;
        reading.join().ok()
    });
    parsed.unwrap_or_else(|| Err(whole("there is not enough memory to read the file".to_owned())))
}

fn parse_here(text: &str) -> Result<App, Problems> {
    let app: App = yaml::read(text).map_err(|problem| one(*problem))?;
    let problems = check::problems(&app);
    if problems.listed.is_empty() { Ok(app) } else { Err(problems) }
}

/// A problem of the file as a whole.
fn whole(message: String) -> Problems {
    one(Problem::new(String::new(), message))
}

fn one(problem: Problem) -> Problems {
    Problems { listed: vec![problem], omitted: 0 }
}
