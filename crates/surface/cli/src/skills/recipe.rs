//! The recipe that a command line names, its inputs, and the profile it is judged by.

use crate::args::Args;
use crate::flags::skills as flags;
use crate::spec::FlagSpec;
use crate::world::World;
use clawperator_contract::{Failure, text};
use clawperator_skills::recipe::{Format, InputValue, Inputs, MAX_RECIPE_BYTES, Profile, Profiles, failure};
use clawperator_skills::repo::RecipeFile;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// The recipe that the argument names: a file, or the recipe of a skill.
pub(super) fn recipe_file(args: &Args, world: &World) -> Result<RecipeFile, Failure> {
    let named = args.argument().ok_or_else(|| args.missing("the id of a skill, or the file of a recipe"))?;
    if is_file(named) {
        return RecipeFile::read(Path::new(named));
    }
    world.skills.open()?.recipe(named, args.value(&flags::RECIPE)?)
}

/// Whether an argument names a file. The id of a skill has no slash, and no ending of a recipe.
pub(super) fn is_file(named: &str) -> bool {
    named.contains(['/', '\\']) || Format::of(named).is_some()
}

pub(super) fn inputs(args: &Args) -> Result<Inputs, Failure> {
    let mut inputs = match args.value(&flags::INPUTS_FILE)? {
        Some(file) => {
            let text = read_text(file, &flags::INPUTS_FILE, args)?;
            Inputs::parse(&text).map_err(|problems| failure(&problems, file))?
        }
        None => Inputs::default(),
    };
    for given in args.values(&flags::INPUT)? {
        let Some((name, value)) = given.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            let message = "--input needs a name and a value, such as --input account=Savings";
            return Err(args.usage(&flags::INPUT, message));
        };
        inputs.0.insert(name.to_owned(), InputValue::Text(value.to_owned()));
    }
    Ok(inputs)
}

pub(super) fn profile(args: &Args) -> Result<Option<Profile>, Failure> {
    let Some(named) = args.value(&flags::PROFILE)? else {
        return Ok(None);
    };
    let (file, name) = match named.rsplit_once('#') {
        Some((file, name)) if !Path::new(named).exists() => (file, Some(name)),
        _ => (named, None),
    };
    let text = read_text(file, &flags::PROFILE, args)?;
    let profiles = Profiles::parse(&text).map_err(|problems| failure(&problems, file))?;
    let known: Vec<_> = profiles.0.keys().map(String::as_str).collect();
    let chosen = match name {
        Some(name) => profiles.0.get(name),
        None if profiles.0.len() == 1 => profiles.0.values().next(),
        None => None,
    };
    chosen.cloned().map(Some).ok_or_else(|| {
        let known = known.join(", ");
        let message = format!("--profile must name a profile of the file: {known}");
        args.usage(&flags::PROFILE, message).hint(format!("Write --profile {file}#NAME."))
    })
}

fn read_text(file: &str, flag: &FlagSpec, args: &Args) -> Result<String, Failure> {
    let failed = |why: &dyn std::fmt::Display| {
        args.usage(flag, format!("cannot read \"{}\": {why}", text::excerpt(file)))
    };
    let opened = File::open(file).map_err(|error| failed(&error))?;
    let mut read = String::new();
    let most = MAX_RECIPE_BYTES as u64 + 1;
    opened.take(most).read_to_string(&mut read).map_err(|error| failed(&error))?;
    Ok(read)
}
