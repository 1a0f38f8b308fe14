//! `skills install`, `update` and `sync`.

use super::super::args::Args;
use super::super::device::{asked_to_end, block_on};
use super::super::flags::skills as flags;
use super::super::progress::Progress;
use super::super::spec::FlagSpec;
use super::super::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_skills::repo::{GitRef, Source, SourceFault, SyncOrder, USUAL_REF, sync as get};
use std::io::Write as _;

pub(super) fn sync(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let order = SyncOrder {
        folder: world.skills.installed.clone(),
        source: parsed(args, &flags::FROM, Source::parse)?,
        git_ref: match parsed(args, &flags::REF, GitRef::parse)? {
            Some(named) => named,
            None => GitRef::parse(USUAL_REF)
                .map_err(|fault| args.fault(ErrorCode::Usage, &flags::REF, fault.to_string()))?,
        },
        limit: args.time_limit()?,
        variables: std::env::vars_os().collect(),
    };
    let mut show = |text: &str| {
        // Without standard error there is nowhere to show it.
        let _ = std::io::stderr().write_all(text.as_bytes());
    };
    let synced = block_on(async {
        let asked = asked_to_end()?;
        match world.progress {
            Progress::Shown => get(&order, Some(&mut show), asked).await,
            Progress::Hidden => get(&order, None, asked).await,
        }
    })??;
    Ok(Answer::value(&synced, args, world))
}

/// The value of a flag, understood.
fn parsed<T>(
    args: &Args,
    flag: &FlagSpec,
    parse: fn(&str) -> Result<T, SourceFault>,
) -> Result<Option<T>, Failure> {
    let Some(value) = args.value(flag)? else {
        return Ok(None);
    };
    let refused = |fault: SourceFault| {
        args.fault(ErrorCode::Usage, flag, format!("cannot be \"{}\": {fault}", text::excerpt(value)))
    };
    parse(value).map(Some).map_err(refused)
}
