//! `skills hook`: the guard of a repository.

use super::super::args::Args;
use super::super::device::block_on_unless_asked;
use super::super::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_skills::repo::{HookPlace, install_hook, scan_staged};

pub(super) fn hook(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let place =
        HookPlace { folder: world.skills.current.join("."), variables: std::env::vars_os().collect() };
    match args.argument() {
        Some("install") => {
            let program = (world.program)().unwrap_or_else(|_| "clawperator".into());
            let installed = block_on_unless_asked(install_hook(&place, &program))??;
            Ok(Answer::value(&installed, args, world))
        }
        Some("scan") => {
            let clean = block_on_unless_asked(scan_staged(&place))??;
            // One line at every commit is enough.
            let line = || format!("no private text in {} added lines\n", clean.lines);
            Ok(Answer::json_or(&clean, args, line))
        }
        Some(other) => {
            let message = format!("skills hook takes install or scan, not \"{}\"", text::excerpt(other));
            Err(Failure::of(ErrorCode::Usage, message))
        }
        None => Err(args.missing("install or scan")),
    }
}
