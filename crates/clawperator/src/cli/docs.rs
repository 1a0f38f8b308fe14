//! What the program says about itself: schemas, completions, manual pages.

use super::given::Given;
use super::{command, grammar, manual, meant};
use clap_complete::Shell;
use clawperator_contract::schema::{NamedSchema, SCHEMAS};
use clawperator_contract::{ErrorCode, Failure, text};

/// Prints a schema.
pub(crate) fn schema(given: &Given) -> Result<String, Failure> {
    let names: Vec<_> = schemas().map(|schema| schema.name).collect();
    let name = choose(given, "a schema", &names)?;
    let schema = schemas().find(|schema| schema.name == name);
    let schema = schema.map(|schema| (schema.build)()).unwrap_or_default();
    Ok(format!("{schema:#}\n"))
}

/// The contract's schemas and that of app files.
pub(super) fn schemas() -> impl Iterator<Item = NamedSchema> {
    let app = NamedSchema {
        name: "app",
        doc: "An app file of the simulated phone.",
        build: || {
            let mut schema = clawperator_sim::app::schema();
            schema.insert("$id".to_owned(), "urn:clawperator:schema:app".into());
            schema.to_value()
        },
    };
    SCHEMAS.into_iter().chain([app])
}

/// Prints a completion script.
pub(crate) fn completions(given: &Given) -> Result<String, Failure> {
    let shells: Vec<_> = SHELLS.iter().map(|(name, _)| *name).collect();
    let wanted = choose(given, "a shell", &shells)?;
    let mut script = Vec::new();
    if let Some((_, shell)) = SHELLS.iter().find(|(name, _)| *name == wanted) {
        clap_complete::generate(*shell, &mut grammar::offered(), "clawperator", &mut script);
    }
    Ok(String::from_utf8_lossy(&script).into_owned())
}

pub(super) const SHELLS: [(&str, Shell); 5] = [
    ("bash", Shell::Bash),
    ("elvish", Shell::Elvish),
    ("fish", Shell::Fish),
    ("powershell", Shell::PowerShell),
    ("zsh", Shell::Zsh),
];

/// Prints a manual page.
pub(crate) fn man(given: &Given) -> Result<String, Failure> {
    let mut program = grammar::program();
    program.build();
    let mut page = &program;
    let mut group = "";
    let mut spec = None;
    for name in given.arguments() {
        let inside: Vec<_> = page.get_subcommands().collect();
        let names: Vec<_> = inside.iter().map(|command| command.get_name()).collect();
        page = page.find_subcommand(name).ok_or_else(|| {
            let mut failure = not_one_of(name, "a command", &names);
            failure.suggestion = meant::command(name, group).map(str::to_owned);
            failure
        })?;
        spec = command::find(group, name);
        group = page.get_name();
    }
    let page = manual::render(page, spec);
    page.map_err(|error| {
        Failure::new(
            ErrorCode::InternalError,
            format!("cannot render the page: {error}"),
        )
    })
}

/// The argument, which must be one of a few names.
fn choose<'g>(given: &'g Given, what: &str, names: &[&str]) -> Result<&'g str, Failure> {
    let name = given.argument().ok_or_else(|| given.lacks(what))?;
    if names.contains(&name) {
        Ok(name)
    } else {
        Err(not_one_of(name, what, names))
    }
}

fn not_one_of(name: &str, what: &str, names: &[&str]) -> Failure {
    let message = format!("\"{}\" is not the name of {what}", text::excerpt(name));
    let mut failure = Failure::new(ErrorCode::Usage, message).hint(format!("One of: {}.", names.join(", ")));
    failure.suggestion = text::closest(name, names.iter().copied()).map(str::to_owned);
    failure
}
