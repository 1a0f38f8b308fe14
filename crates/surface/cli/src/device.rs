//! Device selection: which phone the command line names, and how to reach it.

use super::args::Args;
use super::engine::engine;
use super::world::World;
use super::{flags, sim};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::PhoneRequest;
use clawperator_phone::{Deadline, Phone, PhoneLease, REACH};
use std::pin::Pin;
use std::time::Duration;

/// The longest wait for a phone.
const MOST_WAIT: Duration = Duration::from_secs(600);

/// The serial of the phone that the command line names. A simulated phone can
/// be named by its name, too.
pub(super) fn device_serial(args: &Args, world: &mut World) -> Result<Option<String>, Failure> {
    let named = args.value(&flags::DEVICE)?.map(str::to_owned).or_else(|| world.phones.serial.clone());
    named.map(|name| sim::serial_of(name, world)).transpose()
}

/// How long to wait for a phone that another execution uses.
pub(super) fn waiting(args: &Args) -> Result<Option<Duration>, Failure> {
    let most_ms = u64::try_from(MOST_WAIT.as_millis()).unwrap_or(u64::MAX);
    Ok(args.whole(&flags::WAIT_FOR_DEVICE, 0..=most_ms)?.map(Duration::from_millis))
}

/// The time limit of a command that runs no execution.
pub(super) fn limit(args: &Args) -> Result<Duration, Failure> {
    Ok(args.time_limit()?.map_or(REACH, |limit| limit.min(REACH)))
}

/// The stack of a server's thread: an unoptimised build needs 1.6 MB for an agent's
/// act, and the usual two leave too little room.
pub(super) const STACK: usize = 4 << 20;

pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let mut came = None;
    drive(Box::pin(async { came = Some(work.await) }))?;
    came.ok_or_else(|| Failure::new(ErrorCode::InternalError, "the work ended without a result"))
}

/// Runs work to its end. It has one type for all commands, so that the runtime is
/// compiled once for all of them.
fn drive(work: Pin<Box<dyn Future<Output = ()> + '_>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?.block_on(work);
    Ok(())
}

pub(super) fn asked_to_end() -> Result<impl Future<Output = ()>, Failure> {
    clawperator_background::asked_to_end()
        .map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

/// Runs a future to its end, unless the process is asked to end: then the future
/// is dropped, which releases the phone.
pub(super) fn block_on_unless_asked<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    block_on(async {
        let asked = asked_to_end()?;
        tokio::select! {
            biased;
            came = work => Ok(came),
            () = asked => Err(Failure::new(ErrorCode::ExecutionCancelled, "interrupted")),
        }
    })?
}

/// The same, in the time of `--timeout` if there is one: it is for all of the command.
pub(super) fn block_on_within<T>(
    args: &Args,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let limit = args.time_limit()?;
    block_on_unless_asked(async {
        let Some(limit) = limit else {
            return work.await;
        };
        tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
            let message = format!("the phone was not done within {} ms", limit.as_millis());
            Err(Failure::of(ErrorCode::DeviceShellUnavailable, message))
        })
    })?
}

pub(super) async fn reached(wanted: Option<&str>, world: &World) -> Result<Phone, Failure> {
    engine(world).connect(wanted, Deadline::after(REACH)).await
}

/// The phone, locked for this process: no execution uses it meanwhile.
pub(super) async fn leased(device: Option<&str>, owner: &str, world: &World) -> Result<PhoneLease, Failure> {
    let wanted = PhoneRequest { device, wait: None, owner, reach: REACH };
    engine(world).lease(wanted).await
}
