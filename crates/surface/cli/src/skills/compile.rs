//! `skills compile`: the execution of a recipe.

use super::recipe::{inputs, recipe_file};
use crate::args::Args;
use crate::world::{Answer, World};
use clawperator_contract::Failure;
use clawperator_skills::recipe::{compile as compile_recipe, failure};

pub(super) fn compile(args: &Args, world: &World) -> Result<Answer, Failure> {
    let file = recipe_file(args, world)?;
    let inputs = inputs(args)?;
    let compiled = compile_recipe(&file.parse()?, &inputs);
    let compiled = compiled.map_err(|problems| failure(&problems, &file.name))?;
    Ok(Answer::json(&compiled.checked.execution, args))
}
