//! `skills doctor`: rehearses a recipe on a phone and proposes how to change a
//! selector that no longer fits.

use super::recipe::{inputs, is_file, recipe_file};
use super::run_recipe::{agree, run_compiled};
use crate::args::Args;
use crate::device::block_on;
use crate::flags::skills as flags;
use crate::world::{Answer, World};
use crate::{engine, live};
use clawperator_contract::{ActionKind, DataKey, ErrorCode, Failure, Number, Payload, PayloadAction, text};
use clawperator_engine::{Journal, Outcome, RecipeRun, Request};
use clawperator_skills::recipe::{
    Capability, Denylist, DriftedRecipe, Health, LintOptions, NearElement, Proposal, Proposals, RecipeError,
    RecipeStep, RecipeText, StepReport, StepStatus, needs, propose, rehearse,
};
use clawperator_skills::repo::{RecipeFile, denylist, usual_denylist};
use clawperator_ui::Tree;
use serde::Serialize;
use std::fmt::Write as _;

/// How long the look at the screen may take, in milliseconds.
const LOOK_MS: u32 = 30_000;

/// What `skills doctor` says of a recipe.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checkup {
    skill_id: String,
    status: Health,
    steps: Vec<StepReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<RecipeError>,
    /// The elements that came nearest, or all that fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<NearElement>,
    proposals: Vec<Proposal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    advice: Vec<String>,
    written: bool,
}

pub(super) fn doctor(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let file = recipe_file(args, world)?;
    let inputs = inputs(args)?;
    let mut run = RecipeRun::new(&file, inputs.clone())?;
    let recipe = run.recipe.clone();
    let agreed = agree(&recipe, args, world)?;
    let rehearsal = rehearse(&recipe, run.compiled, &agreed)?;
    run.compiled = rehearsal.compiled.clone();
    let (outcome, result) = run_compiled(run, args, world)?;
    let drift = match &outcome {
        Outcome::Ran(ran) => rehearsal.drift(&ran.envelope),
        Outcome::Error(_) | Outcome::Stored(_) => None,
    };
    let mut proposals = Proposals::default();
    if let Some(drift) = drift {
        let drifted = DriftedRecipe { recipe: &recipe, inputs: &inputs, drift, tree: &screen(args, world)? };
        proposals = proposed(&drifted, &file)?;
    }
    let mut checkup = Checkup {
        skill_id: match args.argument() {
            Some(id) if !is_file(id) => id.to_owned(),
            Some(_) | None => recipe.recipe_id.clone(),
        },
        status: rehearsal.health(&result, drift),
        steps: rehearsal.steps(&result),
        error: result.error,
        nearest: std::mem::take(&mut proposals.nearest),
        proposals: Vec::new(),
        advice: std::mem::take(&mut proposals.advice),
        written: false,
    };
    if drift.is_none()
        && let Some(held) = rehearsal.held
    {
        checkup.advice.push(held_back(&recipe.steps[held]));
    }
    if args.has(&flags::WRITE) && drift.is_some() {
        match write(&file, &proposals) {
            Ok(()) => checkup.written = true,
            Err(why) => checkup.advice.push(why),
        }
    }
    checkup.proposals = proposals.listed;
    let is_good = checkup.written || checkup.status == Health::Healthy;
    Ok(Answer::json_or(&checkup, args, || page(&checkup)).succeeded(is_good))
}

/// What is proposed; no private text is.
fn proposed(drifted: &DriftedRecipe<'_>, file: &RecipeFile) -> Result<Proposals, Failure> {
    let list = usual_denylist(&file.path);
    let list = list.map_or(Ok(Denylist::default()), |list| denylist(&list))?;
    let source = RecipeText {
        name: &file.name,
        text: &file.text,
        format: file.format,
        options: LintOptions { denylist: Some(&list), profile: None },
    };
    Ok(propose(drifted, &source))
}

/// What to do about a step that was not done.
fn held_back(step: &RecipeStep) -> String {
    let flags = needs(step).into_iter().filter(|each| *each != Capability::Observe);
    let flags: Vec<_> = flags.map(|each| format!("--allow {}", each.word())).collect();
    format!(
        "step \"{}\" may change something, so it was not done, and the steps after it were not checked; \
         {} does it",
        step.id,
        flags.join(" ")
    )
}

/// The screen as it is now. It is in no journal: what it shows may be private.
fn screen(args: &Args, world: &mut World) -> Result<Tree, Failure> {
    let look = [PayloadAction::new("look", ActionKind::SnapshotUi)];
    let payload = Payload {
        task_id: "skills-doctor",
        ..Payload::new("skills-doctor-look", "clawperator-recipe", Number::from(LOOK_MS), &look)
    };
    let checked = payload.check()?;
    let request = Request { journal: Journal::Off, ..live::request(args, &checked, world)? };
    let engine = engine::engine(world);
    let finished = block_on(live::until_ended(&engine, request, world))??;
    let unseen = |why: &str| {
        Failure::new(ErrorCode::SnapshotExtractionFailed, format!("the screen could not be read: {why}"))
    };
    let ran = match finished.outcome {
        Outcome::Error(failure) => return Err(*failure),
        Outcome::Ran(ran) => ran,
        Outcome::Stored(_) => return Err(unseen("it is an earlier one")),
    };
    let text = ran.envelope.step_results.first().and_then(|look| look.get(DataKey::Text));
    let text = text.ok_or_else(|| unseen(ran.envelope.error.as_deref().unwrap_or("nothing came back")))?;
    clawperator_ui::read(text).map_err(|error| unseen(&error.to_string()))
}

fn write(file: &RecipeFile, proposals: &Proposals) -> Result<(), String> {
    match (proposals.best(), proposals.listed.len()) {
        (Some(best), _) => file.replace(&best.text),
        (None, 0) => Err("nothing was written: there is no proposal".to_owned()),
        (None, _) => Err("nothing was written: no proposal is better than the others".to_owned()),
    }
}

fn page(checkup: &Checkup) -> String {
    let status = match checkup.status {
        Health::Healthy => "healthy",
        Health::Drifted => "drifted",
        Health::Unknown => "unknown",
    };
    let mut page = format!("{}: {status}\n", checkup.skill_id);
    // Writing to a string does not fail.
    for step in &checkup.steps {
        let status = match step.status {
            StepStatus::Ok => "ok",
            StepStatus::Seen => "seen, not done",
            StepStatus::Failed => "failed",
            StepStatus::Unverified => "not verified",
            StepStatus::Skipped => "skipped",
        };
        let error = step.error.as_ref().map_or(String::new(), |code| format!(" ({code})"));
        let _ = writeln!(page, "  {}: {status}{error}", step.id);
    }
    if let Some(error) = &checkup.error {
        let _ = writeln!(page, "\n{}", text::visible(&error.message));
    }
    for near in &checkup.nearest {
        let label = near.label.as_ref().map_or(String::new(), |label| format!(" {label:?}"));
        let id = near.resource_id.as_ref().map_or(String::new(), |id| format!(" {}", text::visible(id)));
        let _ = writeln!(page, "near: {}{label}{id}", text::visible(&near.class));
    }
    for proposal in &checkup.proposals {
        let _ = write!(page, "\n{}", proposal.diff);
    }
    for advice in &checkup.advice {
        let _ = writeln!(page, "\n{advice}");
    }
    let end = match (checkup.written, checkup.proposals.is_empty()) {
        (true, _) => "\nThe change is written. Run skills doctor again for the steps after it.\n",
        (false, false) => "\nNothing is changed; --write writes the first proposal if it is the best.\n",
        (false, true) => "",
    };
    page.push_str(end);
    page
}
