//! `sim check`: what is wrong with app files, in place.

use super::{print, wants_json};
use crate::cli::given::Given;
use crate::cli::{Answer, World};
use crate::sim::app_file::{self, BadApp};
use clawperator_contract::{FAILURE_EXIT_CODE, Failure};
use clawperator_sim::app::App;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn check(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let files = given.arguments();
    if files.is_empty() {
        return Err(given.lacks("an app file"));
    }
    let checked: Vec<_> = files
        .into_iter()
        .flat_map(|file| check_all(Path::new(file)))
        .collect();
    let ok = checked.iter().all(|(_, result)| result.is_ok());
    let mut answer = if wants_json(given) {
        let shown: Vec<_> = checked
            .iter()
            .map(|(file, result)| for_programs(file, result))
            .collect();
        print(&json!({"ok": ok, "files": shown}), given, world)
    } else {
        Answer {
            text: checked
                .iter()
                .map(|(file, result)| for_people(file, result))
                .collect(),
            exit_code: 0,
        }
    };
    if !ok {
        answer.exit_code = FAILURE_EXIT_CODE;
    }
    Ok(answer)
}

type Checked = (String, Result<App, Vec<BadApp>>);

/// Checks a file, or every app file of a folder and that no two are the same
/// app.
fn check_all(path: &Path) -> Vec<Checked> {
    // What cannot be listed cannot be read either, and that says why.
    let files = app_file::list(path).unwrap_or_else(|_| vec![path.to_owned()]);
    if files.is_empty() {
        let message = "has no app files (.yaml or .yml)".to_owned();
        return vec![(
            path.display().to_string(),
            Err(vec![BadApp::whole(path, message)]),
        )];
    }
    let mut packages = BTreeSet::new();
    let checked = files.into_iter().map(|file| {
        let read = app_file::read(&file).and_then(|app| {
            if packages.insert(app.package.clone()) {
                Ok(app)
            } else {
                Err(vec![BadApp::twin(&file, &app)])
            }
        });
        (file.display().to_string(), read)
    });
    checked.collect()
}

fn for_programs(file: &str, result: &Result<App, Vec<BadApp>>) -> Value {
    let problem = |bad: &BadApp| {
        let problem = &bad.problem;
        json!({"line": problem.line, "column": problem.column, "path": problem.path, "message": problem.message})
    };
    match result {
        Ok(app) => json!({"file": file, "ok": true, "package": app.package, "problems": []}),
        Err(bad) => {
            let problems: Vec<_> = bad.iter().map(problem).collect();
            json!({"file": file, "ok": false, "problems": problems})
        }
    }
}

fn for_people(file: &str, result: &Result<App, Vec<BadApp>>) -> String {
    let problem = |bad: &BadApp| match &bad.snippet {
        Some(snippet) => format!("{bad}\n{snippet}\n"),
        None => format!("{bad}\n"),
    };
    match result {
        Ok(app) => format!("{file}: fine ({})\n", app.package),
        Err(bad) => bad.iter().map(problem).collect(),
    }
}
