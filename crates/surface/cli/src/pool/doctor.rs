//! `pool doctor`: the broker and the hosts, with advice.

use crate::args::Args;
use crate::device::block_on_unless_asked;
use crate::flags::pool as own;
use crate::world::{Answer, World};
use clawperator_contract::Failure;

/// Examines a pool.
pub(super) fn doctor(args: &Args, world: &World) -> Result<Answer, Failure> {
    let access = super::access(args, world)?;
    let tenant = args.value(&own::TENANT)?;
    let found = block_on_unless_asked(async { super::open(&access, tenant).await?.examine().await })??;
    let is_fine = found.checks.iter().all(|check| check.ok);
    Ok(Answer::value(&found, args, world).succeeded(is_fine))
}
