//! `clawperator skills`: asks a skills repository, and prints what it says.

mod ci;
mod compile;
mod doctor;
mod from_recording;
mod hook;
mod lint;
mod recipe;
mod run;
mod run_recipe;
mod sandbox;
mod sync;
#[cfg(feature = "sim")]
mod test;
#[cfg(feature = "sim")]
mod test_in_pool;

pub(super) use from_recording::{NewSkill, draft};
pub(super) use sandbox::level as sandbox_level;

use super::args::Args;
use super::flags::skills as flags;
use super::output::Format;
use super::spec::SkillsCommand;
use super::world::{Answer, World};
use clawperator_contract::Failure;
use clawperator_skills::repo::{
    ArtifactOrder, IndexMode, Payloads, SkillEntry, SkillList, SkillQuery, compile_artifact, index,
    new_skill, validate, validate_all,
};
use serde_json::{Value, json};

pub(super) fn run(command: SkillsCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    match command {
        SkillsCommand::List => Ok(list(&world.skills.open()?.list(), args, world)),
        SkillsCommand::Get => {
            let id = args.skill_id()?;
            Ok(Answer::json(&world.skills.open()?.get(id)?, args))
        }
        SkillsCommand::Search => {
            let query = SkillQuery {
                app: args.value(&flags::SEARCHED_APP)?,
                intent: args.value(&flags::INTENT)?,
                words: args.argument_or(&flags::KEYWORD)?,
            };
            Ok(list(&world.skills.open()?.search(&query), args, world))
        }
        SkillsCommand::New => {
            let (id, summary) = (args.skill_id()?, args.value(&flags::SUMMARY)?);
            if let Some(file) = args.value(&flags::FROM_RECORDING)? {
                return from_recording::new(id, file, args, world);
            }
            let made = new_skill(&world.skills.registry_to_extend()?, id, summary)?;
            Ok(Answer::value(&made, args, world))
        }
        SkillsCommand::Validate => check(args, world),
        SkillsCommand::Run => run::run(args, world),
        SkillsCommand::Index => {
            let mode = if args.has(&flags::CHECK_INDEX) { IndexMode::Check } else { IndexMode::Write };
            let now = clawperator_journal::iso_time(world.now_ms);
            let report = index(&world.skills.registry_to_extend()?, mode, &now)?;
            Ok(Answer::value(&report, args, world))
        }
        SkillsCommand::Install | SkillsCommand::Update | SkillsCommand::Sync => sync::sync(args, world),
        SkillsCommand::Hook => hook::hook(args, world),
        SkillsCommand::Ci => ci::ci(args, world),
        SkillsCommand::Lint => lint::lint(args, world),
        SkillsCommand::Doctor => doctor::doctor(args, world),
        SkillsCommand::Compile => compile::compile(args, world),
        #[cfg(feature = "sim")]
        SkillsCommand::Test => test::test(args, world),
        #[cfg(not(feature = "sim"))]
        SkillsCommand::Test => Err(super::mistake::sim_not_built()),
        SkillsCommand::CompileArtifact => {
            let id = args.argument_or(&flags::SKILL_ID)?;
            let order = ArtifactOrder {
                skill_id: id.ok_or_else(|| args.missing("the id of a skill"))?,
                artifact: args.value(&flags::ARTIFACT)?.ok_or_else(|| args.missing("--artifact"))?,
                vars: args.value(&flags::VARS)?.unwrap_or("{}"),
            };
            Ok(Answer::json(&compile_artifact(&world.skills.open()?, &order)?, args))
        }
    }
}

fn check(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let payloads = if args.has(&flags::CHECK_PAYLOADS) { Payloads::Checked } else { Payloads::Unread };
    args.refuse_all_and(&flags::EVERY_SKILL, args.argument(), "a skill")?;
    if args.has(&flags::EVERY_SKILL) {
        return Ok(Answer::value(&validate_all(&world.skills.open()?, payloads)?, args, world));
    }
    let id = args.skill_id()?;
    Ok(Answer::value(&validate(&world.skills.open()?, id, payloads)?, args, world))
}

/// Skills as a program reads them: whole; or as people do: a line each.
fn list(found: &SkillList<'_>, args: &Args, world: &World) -> Answer {
    match args.format {
        Format::Compact => Answer::json(found, args),
        Format::Pretty | Format::Agent => {
            let line = |skill: &&SkillEntry| json!({"id": skill.id(), "summary": skill.summary()});
            let skills: Vec<Value> = found.skills.iter().map(line).collect();
            Answer::value(&json!({"skills": skills}), args, world)
        }
    }
}
