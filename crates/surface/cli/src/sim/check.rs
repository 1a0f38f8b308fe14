//! `sim check`: what is wrong with app files, in place.

use super::phones::wants_json;
use crate::args::Args;
use crate::world::{Answer, World};
use clawperator_contract::Failure;
use clawperator_host::app_file::{self, BadApp};
use clawperator_sim::app::App;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn check(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let files = args.arguments();
    if files.is_empty() {
        return Err(args.missing("an app file"));
    }
    let checked: Vec<_> = files.into_iter().flat_map(|file| check_all(Path::new(file))).collect();
    let ok = checked.iter().all(|(_, result)| result.is_ok());
    let answer = if wants_json(args) {
        let shown: Vec<_> = checked.iter().map(|(file, result)| for_programs(file, result)).collect();
        Answer::value(&json!({"ok": ok, "files": shown}), args, world)
    } else {
        Answer { text: checked.iter().map(|(file, result)| for_people(file, result)).collect(), exit_code: 0 }
    };
    Ok(answer.succeeded(ok))
}

type AppCheckResult = (String, Result<Vec<App>, Vec<BadApp>>);

/// Checks a file, or every app file of a folder and that no two are the same app.
fn check_all(path: &Path) -> Vec<AppCheckResult> {
    // What cannot be listed cannot be read either, and that says why.
    let files = app_file::list(path).unwrap_or_else(|_| vec![path.to_owned()]);
    if files.is_empty() {
        let message = "has no app files (.yaml or .yml)".to_owned();
        return vec![(path.display().to_string(), Err(vec![BadApp::whole(path, message)]))];
    }
    let mut packages = BTreeSet::new();
    let checked = files.into_iter().map(|file| {
        let read = app_file::read(&file).and_then(|apps| {
            let twins = apps.iter().filter(|app| !packages.insert(app.package.clone()));
            let twins: Vec<_> = twins.map(|app| BadApp::twin(&file, app)).collect();
            if twins.is_empty() { Ok(apps) } else { Err(twins) }
        });
        (file.display().to_string(), read)
    });
    checked.collect()
}

fn for_programs(file: &str, result: &Result<Vec<App>, Vec<BadApp>>) -> Value {
    let problem = |bad: &BadApp| {
        let problem = &bad.problem;
        let (line, column) = problem.position.map_or((0, 0), |at| (at.line, at.column));
        json!({"line": line, "column": column, "path": problem.path, "message": problem.message})
    };
    match result {
        Ok(apps) => json!({"file": file, "ok": true, "package": packages(apps), "problems": []}),
        Err(bad) => {
            let problems: Vec<_> = bad.iter().map(problem).collect();
            json!({"file": file, "ok": false, "problems": problems})
        }
    }
}

fn for_people(file: &str, result: &Result<Vec<App>, Vec<BadApp>>) -> String {
    let line = |text: &String| format!("{text}\n");
    let problem = |bad: &BadApp| {
        let snippet = bad.snippet.as_ref().map(line).unwrap_or_default();
        let hint = bad.problem.hint.as_ref().map(|hint| format!("  {hint}\n"));
        format!("{bad}\n{snippet}{}", hint.unwrap_or_default())
    };
    match result {
        Ok(apps) => format!("{file}: fine ({})\n", packages(apps)),
        Err(bad) => bad.iter().map(problem).collect(),
    }
}

/// The packages of a file: most have one.
fn packages(apps: &[App]) -> String {
    let names: Vec<_> = apps.iter().map(|app| app.package.as_str()).collect();
    names.join(", ")
}
