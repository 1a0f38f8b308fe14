//! `sim check`: what is wrong with app files, in place.

use super::{print, wants_json};
use crate::cli::given::Given;
use crate::cli::{Answer, World};
use crate::sim::app_file::{self, BadApp};
use clawperator_contract::{FAILURE_EXIT_CODE, Failure};
use clawperator_sim::app::App;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(super) fn check(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let files = given.arguments();
    if files.is_empty() {
        return Err(given.lacks("an app file"));
    }
    let files = files
        .into_iter()
        .flat_map(|file| match app_file::list(Path::new(file)) {
            Ok(inside) => inside,
            // No folder, then.
            Err(_) => vec![PathBuf::from(file)],
        });
    let checked: Vec<_> = files
        .map(|file| (file.display().to_string(), app_file::read(&file)))
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
