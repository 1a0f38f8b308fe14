//! `worker` and `pool up`: this computer as a host of a pool.

use super::broker::LocalBroker;
use super::roster::HostPhones;
use crate::args::Args;
use crate::device::{STACK, asked_to_end};
use crate::flags::pool as own;
use crate::world::{Answer, World};
use crate::{engine, sim};
use clawperator_agent::judge::PolicyJudge;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::Engine;
use clawperator_phone::SealKey;
use clawperator_pool::access::{Connecting, PoolAccess, connect};
use clawperator_pool::{Name, Worker, WorkerSettings};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// Gives the phones of this computer to a pool until it is interrupted.
pub(crate) fn worker(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let access = super::access(args, world)?;
    let host = Host::read(args, world)?;
    runtime()?.block_on(async { host.serve(&access).await })?;
    Ok(Answer::text(""))
}

/// Starts a broker and a worker on this computer.
pub(super) fn up(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let program = args.bytes(&own::SERVER)?.map(PathBuf::from);
    let folder = super::local_folder(world);
    let wanted = args.whole(&own::SIMS, 0..=64)?.unwrap_or(1);
    sim::have_running(usize::try_from(wanted).unwrap_or(1), world)?;
    let host = Host::read(args, world)?;
    runtime()?.block_on(async {
        let broker = LocalBroker::start(program.as_deref(), &folder).await?;
        (world.note)("The pool is ready. In another terminal:\n  clawperator pool phones --pool local --output pretty\n  \
            clawperator exec examples/open-settings.json --pool local --on any:phone\n");
        host.serve(&broker.access).await
    })?;
    Ok(Answer::text(""))
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(STACK).enable_all().build();
    runtime.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

/// This computer as a host.
struct Host {
    name: Name,
    machine: String,
    instance: String,
    engine: Engine,
    phones: HostPhones,
    journals: PathBuf,
    /// Keeps a second worker of this state folder away.
    _alone: std::fs::File,
}

impl Host {
    fn read(args: &Args, world: &World) -> Result<Self, Failure> {
        let state = &world.phones.state;
        let unusable = |error: std::io::Error| {
            Failure::of(ErrorCode::StateFolderUnusable, format!("{}: {error}", state.display()))
        };
        let secret = (world.secret)().map_err(unusable)?;
        let machine = SealKey::at(&state.join("machine.key")).map_err(unusable)?.hash("machine");
        let name = match args.value(&own::HOST)? {
            Some(name) => name.parse()?,
            None => Name::near(&computer_name(world)).unwrap_or("host".parse()?),
        };
        let lock = state.join("worker.lock");
        let locked = clawperator_phone::lock_within(&lock, std::time::Duration::ZERO).map_err(unusable)?;
        let alone = locked.ok_or_else(|| {
            let message = format!("a worker of the state folder {} runs already", state.display());
            let hint = "End it, or give this one a folder of its own: CLAWPERATOR_HOME.";
            Failure::new(ErrorCode::ExecutionConflict, message).hint(hint)
        })?;
        let engine = engine::serving(world);
        Ok(Self {
            name,
            instance: format!("{secret:032x}"),
            phones: HostPhones::new(&engine, (args, world), machine.clone())?,
            machine,
            engine,
            journals: state.join("journal"),
            _alone: alone,
        })
    }

    /// Serves a pool until the process is asked to end.
    async fn serve(self, access: &PoolAccess) -> Result<(), Failure> {
        if access.seal_for.is_some() && access.seal_key.is_none() {
            let message = "this pool file has no key to read orders with, so its host could run none";
            return Err(
                Failure::new(ErrorCode::PoolRefused, message).hint("Give it worker.json of pool init.")
            );
        }
        let connections = connect(access, Connecting::Host).await?;
        let Some(pool) = connections.pool else {
            let message = "a submitter's pool file gives no phones to the pool";
            return Err(Failure::of(ErrorCode::PoolRefused, message));
        };
        let worker = Worker::new(WorkerSettings {
            host: self.name,
            machine: self.machine,
            instance: self.instance,
            version: env!("CARGO_PKG_VERSION"),
            pool,
            tenants: connections.tenants,
            engine: self.engine,
            roster: Arc::new(self.phones),
            seal: access.seal_key.clone(),
            judge: PolicyJudge::of_rules,
            journals: self.journals,
            log: Arc::new(|line| {
                // Without standard error there is nowhere to print.
                let _ = writeln!(std::io::stderr(), "{line}");
            }),
        });
        let asked = asked_to_end()?;
        worker.run(Box::pin(asked)).await
    }
}

/// What this computer calls itself.
fn computer_name(world: &World) -> String {
    let of_kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let of_label = || world.phones.name.split('@').next_back().unwrap_or_default().to_owned();
    of_kernel.unwrap_or_else(of_label)
}
