//! `skills lint`: what is wrong with recipes, for people and for programs.

use super::recipe::{is_file, profile};
use crate::args::Args;
use crate::flags::skills as flags;
use crate::world::{Answer, World};
use clawperator_contract::{Failure, words};
use clawperator_skills::recipe::{Denylist, Findings, LintOptions, Severity, lint as lint_recipe, to_sarif};
use clawperator_skills::repo::{RecipeFile, denylist, usual_denylist};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What was found, and in how many files.
#[derive(Serialize)]
struct LintReport<'f> {
    /// Whether there is no error.
    ok: bool,
    files: usize,
    errors: usize,
    warnings: usize,
    #[serde(flatten)]
    findings: &'f Findings,
}

words! {
    /// How findings are printed.
    pub(crate) LintStyle {
        Text = "text",
        Json = "json",
        Sarif = "sarif",
    }
}

pub(super) fn lint(args: &Args, world: &World) -> Result<Answer, Failure> {
    let style = style(args, world)?;
    let profile = profile(args)?;
    let files = files(args, world)?;
    let named = args.value(&flags::DENYLIST)?.map(PathBuf::from);
    let mut findings = Findings::default();
    for file in &files {
        let list = match named.clone().or_else(|| usual_denylist(&file.path)) {
            Some(list) => denylist(&list)?,
            None => Denylist::default(),
        };
        let options = LintOptions { denylist: Some(&list), profile: profile.as_ref() };
        findings.append(lint_recipe(&file.name, &file.text, file.format, options));
    }
    let count = |severity| findings.findings.iter().filter(|each| each.severity == severity).count();
    let report = LintReport {
        ok: !findings.has_errors(),
        files: files.len(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        findings: &findings,
    };
    let answer = match style {
        LintStyle::Text => Answer::text(format!("{}{}", findings.to_text(), summary(&report))),
        LintStyle::Json => Answer::json(&report, args),
        LintStyle::Sarif => Answer::text(format!("{}\n", to_sarif(&findings, env!("CARGO_PKG_VERSION")))),
    };
    Ok(answer.succeeded(report.ok))
}

/// As it is asked for; else text on a terminal, and JSON elsewhere.
fn style(args: &Args, world: &World) -> Result<LintStyle, Failure> {
    let usual = if args.is_for_people(world.terminal) { LintStyle::Text } else { LintStyle::Json };
    Ok(args.word(&flags::FINDINGS, LintStyle::from_word)?.unwrap_or(usual))
}

/// The recipes that the command line names. All of a registry may be none; a
/// skill that is named must have one.
fn files(args: &Args, world: &World) -> Result<Vec<RecipeFile>, Failure> {
    args.refuse_all_and(&flags::EVERY_RECIPE, args.argument(), "a skill or a file,")?;
    match args.argument() {
        None if args.has(&flags::EVERY_RECIPE) => {
            let repo = world.skills.open()?;
            let mut all = Vec::new();
            for skill in &repo.registry.skills {
                all.append(&mut repo.recipes(skill)?);
            }
            Ok(all)
        }
        Some(named) if is_file(named) => Ok(vec![RecipeFile::read(Path::new(named))?]),
        Some(id) => {
            let repo = world.skills.open()?;
            let recipes = repo.recipes(repo.skill(id)?)?;
            if recipes.is_empty() {
                // It says what the skill has instead.
                return repo.recipe(id, None).map(|recipe| vec![recipe]);
            }
            Ok(recipes)
        }
        None => Err(args.missing("the id of a skill, the file of a recipe, or --all")),
    }
}

fn summary(report: &LintReport<'_>) -> String {
    let count = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    };
    format!(
        "{}, {} in {}\n",
        count(report.errors, "error"),
        count(report.warnings, "warning"),
        count(report.files, "recipe")
    )
}
