//! A build without a client for a broker: what needs one is refused.

use crate::args::Args;
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_pool::access::PoolAccess;
use std::path::Path;

/// A broker of this computer: none in this build.
pub(super) struct LocalBroker {
    pub(super) access: PoolAccess,
}

impl LocalBroker {
    #[expect(clippy::unused_async, reason = "with a client it waits")]
    pub(super) async fn start(_: Option<&Path>, _: &Path) -> Result<Self, Failure> {
        Err(refusal())
    }
}

fn refusal() -> Failure {
    Failure::of(ErrorCode::PoolNotBuilt, "this build has no client for a pool's broker")
}

pub(super) fn init(_: &Args, _: &World) -> Result<Answer, Failure> {
    Err(refusal())
}
