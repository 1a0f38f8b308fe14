//! `skill`: searches the installed skills, and runs one.

use super::answer::{self, ToolResult};
use super::argument::{ArgumentMistake, Arguments};
use super::other_tools::structured;
use super::run::McpCall;
use crate::skill::variables;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::{RecipeRun, Request, ScriptRequest};
use clawperator_skills::recipe::{Capability, Inputs, Profile, RecipeStatus, failure};
use clawperator_skills::repo::{Payloads, Repository, SkillQuery, validate};
use clawperator_skills::script::{ScriptCall, ScriptSkill};
use serde_json::{Value, json};

/// How many skills a search lists.
const MAX_SKILLS: usize = 10;

pub(super) async fn skill(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let repository = call.app.skills.open().map_err(Failure::from)?;
    match (arguments.text("search")?, arguments.text("run")?) {
        (_, Some(id)) => run(call, &repository, id, arguments).await,
        (words, None) => Ok(answer::text(search(&repository, words))),
    }
}

/// The skills that fit, a line each; without words, the first ones.
fn search(repository: &Repository, words: Option<&str>) -> String {
    let found = repository.search(&SkillQuery { words, ..SkillQuery::default() });
    let shown = found.skills.iter().take(MAX_SKILLS);
    let mut lines: Vec<String> = shown
        .map(|skill| format!("{} ({}): {}", skill.id(), skill.application_id(), skill.summary()))
        .collect();
    match found.skills.len() {
        0 => lines.push("no skill fits".to_owned()),
        all if all > MAX_SKILLS => lines.push(format!("{MAX_SKILLS} of {all}")),
        _ => {}
    }
    lines.join("\n")
}

async fn run(call: &McpCall<'_>, repository: &Repository, id: &str, arguments: &Arguments<'_>) -> ToolResult {
    call.require_here("a skill is run")?;
    let inputs = arguments.object("inputs")?.map(|inputs| json!(inputs));
    let agreed = agreed_capabilities(arguments)?;
    let entry = repository.skill(id).map_err(Failure::from)?;
    validate(repository, id, Payloads::Checked)?;
    let recipes = repository.recipes(entry).map_err(Failure::from)?;
    if recipes.is_empty() {
        return run_script(call, repository, id, inputs.as_ref()).await;
    }
    let file = repository.recipe(id, None)?;
    let text = inputs.map_or_else(|| "{}".to_owned(), |inputs| inputs.to_string());
    let inputs = Inputs::parse(&text).map_err(|problems| failure(&problems, "inputs"))?;
    let run = RecipeRun::new(&file, inputs)?;
    let profile = Profile::standard();
    if let Some(refusal) = profile.decide(&run.recipe, &agreed).failure(&profile.name) {
        return Err(refusal.into());
    }
    let (_, result) = call.run_request(Request::of_recipe(run)).await?;
    let Some(result) = result else {
        let message = "the execution of the recipe has no result";
        return Err(Failure::new(ErrorCode::InternalError, message).into());
    };
    let mut answer = structured(json!(result));
    answer.is_error = (result.status != RecipeStatus::Success).then_some(true);
    Ok(answer)
}

fn agreed_capabilities(arguments: &Arguments<'_>) -> Result<Vec<Capability>, ArgumentMistake> {
    let words = arguments.list("allow")?.unwrap_or_default().iter();
    let capability = |word: &Value| {
        let known = word.as_str().and_then(Capability::from_word);
        let hint = || format!("Use of: {}.", Capability::WORDS.join(", "));
        known.ok_or_else(|| arguments.wrong("allow", format!("has {word}, which is no capability"), hint()))
    };
    words.map(capability).collect()
}

async fn run_script(
    call: &McpCall<'_>,
    repository: &Repository,
    id: &str,
    inputs: Option<&Value>,
) -> ToolResult {
    let entry = repository.skill(id).map_err(Failure::from)?;
    let request = ScriptRequest {
        skill: ScriptSkill::of(repository, entry)?,
        call: ScriptCall {
            device: call.device.as_deref(),
            arguments: &[],
            inputs,
            timeout: None,
            expect: None,
            variables: variables(call.app, repository, crate::app::ALL_CLIENTS)?,
        },
        journal: call.app.journal,
    };
    let stop = call.context.ct.cancelled();
    let ran = call.app.engine.run_script(request, &mut |_, _| (), Box::pin(stop)).await;
    Ok(structured(json!(ran.result?)))
}
