//! Lints a recipe: everything that is wrong or unwise, as findings.

use super::Recipe;
use super::check::judge;
use super::compile::judge_length;
use super::finding::Findings;
use super::format::Format;
use super::input::is_used;
use super::limits::MAX_FINDINGS;
use super::literal::{Denylist, LiteralKind, scan};
use super::problem::{Judge, RecipeProblem, RecipeReport};
use super::profile::Profile;
use super::read::{interpret, joined, read};
use super::rule::Rule;
use clawperator_document::{Kind, Path, Value};

/// What a recipe is linted against, besides the rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct LintOptions<'o> {
    /// Texts that must not be published.
    pub denylist: Option<&'o Denylist>,
    pub profile: Option<&'o Profile>,
}

/// Fields whose texts look like numbers or serials by nature; only the denylist counts there.
const UNSCANNED: [&str; 6] =
    ["recipe_id", "recipe_version", "application_id", "version_name", "last_verified_at", "resource_id"];

/// Lints the text of a recipe. `file` is what findings call it.
pub fn lint(file: &str, text: &str, format: Format, options: LintOptions<'_>) -> Findings {
    let (document, unread) = match read(text, format) {
        Ok(read) => read,
        Err(problems) => return Findings::of(file, &problems),
    };
    let (recipe, form) = interpret(&document);
    let form = joined(unread, form);
    let mut report = RecipeReport::default();
    if let Some(recipe) = recipe.filter(|_| form.listed.is_empty()) {
        judge(&recipe, &mut report);
        judge_length(&recipe, &mut report);
        advise(&recipe, &mut report);
        if let Some(profile) = options.profile {
            profile.judge(&recipe, &mut report);
        }
    }
    let nothing = Denylist::default();
    let root = Path::root("the recipe");
    literals(document.root(), options.denylist.unwrap_or(&nothing), &root, &mut report);
    let mut found = report.finish();
    found.locate_in(&document);
    // A literal that its annotation gave away already is not reported twice.
    found.listed.retain(|problem| {
        let same = |known: &RecipeProblem| known.path == problem.path && known.about == problem.about;
        !form.listed.iter().any(same)
    });
    let mut problems = form;
    problems.listed.append(&mut found.listed);
    problems.omitted += found.omitted + problems.listed.len().saturating_sub(MAX_FINDINGS);
    problems.listed.truncate(MAX_FINDINGS);
    Findings::of(file, &problems)
}

/// What is allowed and unwise.
fn advise(recipe: &Recipe, report: &mut RecipeReport) {
    let root = Path::root("the recipe");
    let steps = root.field("steps");
    for (index, step) in recipe.steps.iter().enumerate() {
        let at = steps.index(index, "a step");
        for (name, _) in step.selectors().filter(|(_, selector)| selector.uses_index()) {
            let message = format!("{name} uses index_in_parent");
            report.broken(Rule::IndexUsed, &at.field(name), message);
        }
    }
    let inputs = root.field("inputs");
    for (index, input) in recipe.inputs.iter().enumerate() {
        if !is_used(recipe, &input.name) {
            let message = format!("no selector uses the input \"{}\"", input.name);
            report.broken(Rule::InputUnused, &inputs.index(index, "an input"), message);
        }
    }
    let outputs = root.field("outputs");
    for (index, output) in recipe.outputs.iter().enumerate() {
        let mut feeding = recipe.steps.iter().filter_map(|step| step.output.as_ref());
        if !feeding.any(|used| used.name == output.name) {
            let message = format!("no step feeds the output \"{}\"", output.name);
            report.broken(Rule::OutputUnfed, &outputs.index(index, "an output"), message);
        }
    }
}

/// Reports every text of a document that belongs to one user.
fn literals(value: Value<'_>, denied: &Denylist, at: &Path<'_>, report: &mut RecipeReport) {
    match value.kind() {
        Kind::Text(text) => {
            let is_scanned = !UNSCANNED.contains(&value.key());
            let found = scan(text, denied).into_iter().map(|found| found.kind);
            let mut kinds: Vec<_> = found.filter(|kind| is_scanned || *kind == LiteralKind::Denied).collect();
            kinds.sort_unstable();
            kinds.dedup();
            for kind in kinds {
                let message = format!("the text of {} is or contains {}", at.name(), kind.word());
                report.broken(Rule::UserLiteral, at, message);
            }
        }
        Kind::Array => {
            for (index, entry) in value.children().enumerate() {
                literals(entry, denied, &at.index(index, "an entry"), report);
            }
        }
        Kind::Object => {
            for entry in value.children() {
                literals(entry, denied, &at.field(entry.key()), report);
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => {}
    }
}
