//! `pm`, which `cmd package` is too: what is installed, and what may be done with it.

mod install;
mod list;
mod query;
mod state;

use super::answer::{Answer, CommandResult, CommandWords, verb_list};
use crate::fault::FaultPoint;
use crate::handset::Handset;
use clawperator_userland::{Call, ExitResult};

/// What does one of `pm`'s verbs with the phone as it is.
type PackageVerb = fn(&Handset, &mut CommandWords<'_>) -> Answer;

/// The verbs that need nothing but the phone.
const VERBS: &[(&str, PackageVerb)] = &[
    ("clear", state::clear),
    ("default-state", state::enable),
    ("disable", state::disable),
    ("disable-until-used", state::disable_user),
    ("disable-user", state::disable_user),
    ("dump", query::dump),
    ("enable", state::enable),
    ("get-install-location", |_, _| Ok("0[auto]\n".to_owned())),
    ("get-max-running-users", |_, _| Ok("Maximum supported running users: 1\n".to_owned())),
    ("get-max-users", |_, _| Ok("Maximum supported users: 1\n".to_owned())),
    ("grant", state::grant),
    ("has-feature", list::has_feature),
    ("install-abandon", install::abandon),
    ("install-create", install::create),
    ("install-existing", install::existing),
    ("list", list::list),
    ("path", query::path),
    ("query-activities", query::activities),
    ("resolve-activity", query::resolve),
    ("revoke", state::revoke),
    ("trim-caches", |_, _| Ok(String::new())),
];

pub(super) async fn pm(handset: &Handset, call: &mut Call) -> ExitResult {
    if handset.strike(FaultPoint::PackagesUnavailable).is_some() {
        let why = "cmd: Can't find service: package\n";
        return CommandResult::wrong(20, why).give(call).await;
    }
    let args = call.args.clone();
    let mut words = CommandWords::new(args.get(1..).unwrap_or_default());
    let Some(verb) = words.next() else {
        return CommandResult::failure(255, help()).give(call).await;
    };
    let answer = match verb {
        "help" | "-h" | "--help" => Ok(help()),
        "install" => install::install(handset, call, &mut words).await,
        "install-write" => install::write(handset, call, &mut words).await,
        "install-commit" => install::commit(handset, &mut words).await,
        "uninstall" => install::uninstall(handset, &mut words).await,
        verb => match VERBS.iter().find(|row| row.0 == verb) {
            Some((_, run)) => run(handset, &mut words),
            None => Err(CommandResult::failure(255, format!("Unknown command: {verb}\n"))),
        },
    };
    CommandResult::from(answer).give(call).await
}

fn help() -> String {
    let own = ["install", "install-commit", "install-write", "uninstall"];
    let verbs = VERBS.iter().map(|row| row.0).chain(own);
    verb_list("Package manager (package) commands:", verbs)
}

/// Skips `--user N` and gives the other options, one by one.
fn options<'a>(
    words: &mut CommandWords<'a>,
    mut each: impl FnMut(&'a str) -> bool,
) -> Result<(), CommandResult> {
    while let Some(option) = words.option() {
        match option {
            "--user" => {
                words.value(option).map_err(|what| CommandResult::exception("package", &what))?;
            }
            option if each(option) => {}
            option => {
                return Err(CommandResult::failure(255, format!("Error: Unknown option: {option}\n")));
            }
        }
    }
    Ok(())
}
