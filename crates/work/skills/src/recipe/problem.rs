//! What is wrong with a recipe: the rule, the place, what and how to fix it.

use super::rule::Rule;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_document::{Path, Position, text};

/// One thing that is wrong with a recipe.
pub type RecipeProblem = clawperator_document::Problem<Rule>;
/// All that is wrong with a recipe.
pub type RecipeProblems = clawperator_document::Problems<Rule>;
/// What is found to be wrong while a recipe is walked.
pub(crate) type RecipeReport = clawperator_document::Report<Rule>;

/// Where a part of a recipe is in its file. It does not count when parts are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecipePlace(pub Option<Position>);

impl PartialEq for RecipePlace {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A report that knows which rule is being checked.
pub(crate) trait Judge {
    fn under<R>(&mut self, rule: Rule, check: impl FnOnce(&mut Self) -> R) -> R;
    fn broken(&mut self, rule: Rule, at: &Path<'_>, message: String) -> &mut RecipeProblem;
}

impl Judge for RecipeReport {
    fn under<R>(&mut self, rule: Rule, check: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.about, rule);
        let result = check(self);
        self.about = before;
        result
    }

    fn broken(&mut self, rule: Rule, at: &Path<'_>, message: String) -> &mut RecipeProblem {
        let problem = self.problem(at, message);
        problem.about = rule;
        problem
    }
}

/// The error object of a recipe that is refused. `file` is what to call it.
pub fn failure(problems: &RecipeProblems, file: &str) -> Failure {
    let first = problems.listed.first();
    let code = first.map_or(ErrorCode::RecipeInvalid, |first| first.about.row().code);
    let message =
        first.map_or_else(|| format!("{file} is not a valid recipe"), |first| format!("{file}: {first}"));
    let listed = problems.listed.iter().map(|problem| {
        let mut message = problem.message.clone();
        if let Some(position) = problem.position {
            message = format!("{}:{}:{}: {message}", file, position.line, position.column);
        }
        clawperator_contract::Problem {
            code: problem.about.row().code,
            invalid_keys: problem.invalid_keys.clone(),
            hint: Some(hint(problem)),
            ..clawperator_contract::Problem::new(problem.path.clone(), message)
        }
    });
    let listed: Vec<_> = listed.collect();
    Failure::new(code, text::echo(&message)).with(|details| {
        details.path = first.map(|first| first.path.clone());
        details.hint = first.map(hint);
        details.line = first.and_then(|first| usize::try_from(first.position?.line).ok());
        details.column = first.and_then(|first| usize::try_from(first.position?.column).ok());
        details.problems = listed;
        details.problems_omitted = Some(problems.omitted).filter(|omitted| *omitted > 0);
    })
}

/// The hint for a word that is most likely a misspelt one of these.
pub(crate) fn did_you_mean<'t>(word: &str, known: impl IntoIterator<Item = &'t str>) -> Option<String> {
    text::closest(word, known).map(|meant| format!("Did you mean \"{meant}\"?"))
}

pub(crate) fn hint(problem: &RecipeProblem) -> String {
    let fix = problem.about.row().fix;
    problem.hint.clone().unwrap_or_else(|| fix.to_owned())
}
