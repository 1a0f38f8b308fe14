//! `schema`, `completions` and `man`: the program describes itself.

use super::args::Args;
use super::suggest::nearest;
use super::{commands, help, manual, sim};
use clap_complete::Shell;
use clawperator_contract::schema::SCHEMAS;
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_skills::schema as skills;

pub(super) fn schema(args: &Args) -> Result<String, Failure> {
    let name = choose(args, "a schema")?;
    let mut known = SCHEMAS.iter().chain(&skills::SCHEMAS);
    let schema = known.find(|schema| schema.name == name);
    // The schema of app files is not the contract's.
    let schema = schema.map_or_else(sim::app_schema, |schema| Ok((schema.build)()))?;
    Ok(format!("{schema:#}\n"))
}

pub(super) fn completions(args: &Args) -> Result<String, Failure> {
    let shell: Result<Shell, String> = choose(args, "a shell")?.parse();
    let shell = shell.map_err(|error| Failure::new(ErrorCode::InternalError, error))?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::program(), "clawperator", &mut script);
    Ok(String::from_utf8_lossy(&script).into_owned())
}

pub(super) fn man(args: &Args) -> Result<String, Failure> {
    let mut program = help::program();
    program.build();
    let mut page = &program;
    let mut group = "";
    let mut spec = None;
    for name in args.arguments() {
        page = page
            .find_subcommand(name)
            .ok_or_else(|| not_one_of(name, "a command", &commands::names(group)))?;
        spec = commands::find(group, name);
        group = page.get_name();
    }
    manual::render(page, spec)
        .map_err(|error| Failure::new(ErrorCode::InternalError, format!("cannot render the page: {error}")))
}

/// The argument, which must be one of its words.
fn choose<'a>(args: &'a Args, what: &str) -> Result<&'a str, Failure> {
    let name = args.argument().ok_or_else(|| args.missing(what))?;
    let words = args.words();
    if words.contains(&name) { Ok(name) } else { Err(not_one_of(name, what, words)) }
}

fn not_one_of(name: &str, what: &str, names: &[&str]) -> Failure {
    let message = format!("\"{}\" is not the name of {what}", text::excerpt(name));
    let mut failure = Failure::new(ErrorCode::Usage, message).hint(format!("One of: {}.", names.join(", ")));
    failure.suggestion = nearest(name, names.iter().copied()).map(str::to_owned);
    failure
}
