//! What a build with a client for NATS has: a broker for a try, and the files of a new pool.

use crate::args::Args;
use crate::flags::pool as own;
use crate::world::{Answer, World};
use clawperator_contract::Failure;
use clawperator_pool::init::{PoolPlan, files, system_random, write};
pub(super) use clawperator_pool::local::LocalBroker;
use serde_json::json;
use std::path::PathBuf;

/// Writes the files of a new pool.
pub(super) fn init(args: &Args, world: &World) -> Result<Answer, Failure> {
    let list = |flag, usual: &str| {
        let value = args.value(flag)?.unwrap_or(usual);
        Ok::<_, Failure>(value.split(',').map(|word| word.trim().to_owned()).collect::<Vec<_>>())
    };
    let out = args.bytes(&own::OUT)?.map(PathBuf::from);
    let out = out.ok_or_else(|| args.missing("--out FOLDER"))?;
    let megabytes = args.whole(&own::MEGABYTES, 1..=1_000_000)?.unwrap_or(1024);
    let plan = PoolPlan {
        tenants: list(&own::TENANTS, "default")?,
        nodes: list(&own::NODES, "127.0.0.1")?,
        sync_always: args.has(&own::SYNC),
        tenant_megabytes: u32::try_from(megabytes).unwrap_or(u32::MAX),
    };
    let files = files(&plan, &mut system_random)?;
    write(&out, &files)?;
    let names: Vec<String> = files.iter().map(|file| out.join(&file.path).display().to_string()).collect();
    let start = match plan.nodes.len() {
        1 => format!("cd {} && nats-server -c node-1.conf", out.display()),
        _ => "copy each node's files to its computer, and start them there: nats-server -c node-N.conf"
            .to_owned(),
    };
    let next = format!("{start}; then clawperator pool doctor --pool {}/operator.json", out.display());
    Ok(Answer::value(&json!({"files": names, "next": next}), args, world))
}
