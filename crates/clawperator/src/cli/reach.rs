//! The way to a phone: which one is meant, connecting to it, and taking it for
//! oneself; and how each of these goes wrong.

use super::given::{Given, invalid};
use super::{World, sim};
use clawperator_adb::Deadline;
use clawperator_contract::{ErrorCode, Failure, OwnerDetails};
use clawperator_runtime::{
    ChoiceError, Conflict, Guard, LockError, Locks, Owner, Phone, Reach, ResolveError,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long finding and reaching a phone may take.
pub(super) const REACH: Duration = Duration::from_secs(15);

/// The longest that a phone is waited for.
const MOST_WAIT: Duration = Duration::from_secs(600);

/// The phone that the command line names: a simulated one by its name, too.
pub(super) fn wanted(given: &Given, world: &mut World) -> Result<Option<String>, Failure> {
    let named = given.value("device").map(str::to_owned);
    Ok(match named.or_else(|| world.phones.serial.clone()) {
        Some(name) if name == "sim" => Some(sim::find_or_start(world)?.phone.serial),
        Some(name) if name.starts_with("sim-") => {
            let running = sim::running(world)?.into_iter().find(|(known, _)| *known == name);
            Some(running.map_or(name, |(_, serial)| serial))
        }
        other => other,
    })
}

/// How long to wait for a phone that another execution has.
pub(super) fn waiting(given: &Given) -> Result<Option<Duration>, Failure> {
    given.duration("wait-for-device", MOST_WAIT)
}

/// How long a command may take that runs no execution.
pub(super) fn limit(given: &Given) -> Result<Duration, Failure> {
    let Some(ms) = given.timeout()? else {
        return Ok(REACH);
    };
    let rule = "must be a number of milliseconds above 0";
    let limit = Duration::try_from_secs_f64(ms / 1_000.0)
        .ok()
        .filter(|limit| !limit.is_zero());
    let shown = given.value("timeout").unwrap_or_default();
    Ok(limit.ok_or_else(|| invalid("--timeout", rule, shown))?.min(REACH))
}

/// Waits for something.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
    Ok(runtime.block_on(work))
}

/// Runs something to its end, unless the process is asked to end: then what
/// runs is dropped, which lets go of the phone.
pub(super) fn block_on_unless_asked<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    block_on(async {
        let asked = crate::signals::asked_to_end();
        let asked = asked.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
        tokio::select! {
            biased;
            came = work => Ok(came),
            () = asked => Err(Failure::new(ErrorCode::ExecutionCancelled, "interrupted")),
        }
    })?
}

/// The phone, connected.
pub(super) async fn reached(wanted: Option<&str>, world: &World) -> Result<Phone, Failure> {
    reached_by(Deadline::after(REACH), wanted, world).await
}

pub(super) async fn reached_by(
    deadline: Deadline,
    wanted: Option<&str>,
    world: &World,
) -> Result<Phone, Failure> {
    let phones = &world.phones;
    let reach = Reach {
        environment: &phones.environment,
        key_file: &phones.key_file,
        name: &phones.name,
    };
    let phone = clawperator_runtime::resolve(wanted, &reach, deadline).await;
    phone.map_err(|error| unreached(&error, world))
}

/// Takes a phone for oneself, at once or after so long a wait at most.
pub(super) async fn turn(
    phone: &Phone,
    (command_id, wait): (&str, Option<Duration>),
    world: &World,
) -> Result<Guard, Failure> {
    // The way to the phone has taken its time.
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let owner = Owner {
        pid: std::process::id(),
        command_id: command_id.to_owned(),
        since: since.unwrap_or_default(),
    };
    let locks = Locks::new(world.phones.locks());
    let turn = locks.acquire(phone.serial(), &owner, wait).await;
    turn.map_err(|error| taken(&error))
}

pub(super) fn unreached(error: &ResolveError, world: &World) -> Failure {
    let row = error.code().row();
    // A registry that cannot be read is not what this failure is about.
    let sims = match row.code {
        ErrorCode::AdbNotFound => sim::running(world).unwrap_or_default(),
        _ => Vec::new(),
    };
    let names: Vec<_> = sims.into_iter().map(|(name, _)| name).collect();
    let hint = match names[..] {
        [] => row.hint.to_owned(),
        _ => format!(
            "Name a simulated phone with --device, such as sim, or: {}. {}",
            names.join(", "),
            row.hint
        ),
    };
    Failure::new(row.code, error.to_string())
        .hint(hint)
        .with(|details| match error {
            ResolveError::Choice(ChoiceError::Several(serials)) => details.devices.clone_from(serials),
            ResolveError::Choice(ChoiceError::NotFound { usable, .. }) => {
                details.connected.clone_from(usable);
            }
            _ => {}
        })
}

fn taken(error: &LockError) -> Failure {
    let code = match error {
        LockError::Conflict(_) => ErrorCode::ExecutionConflict,
        LockError::Io { .. } | LockError::Unsafe { .. } => ErrorCode::StateFolderUnusable,
        LockError::Serial(_) => ErrorCode::InternalError,
    };
    let failure = Failure::new(code, error.to_string()).hint(match error {
        // Where locks are is the system's choice, not CLAWPERATOR_HOME's.
        LockError::Io { .. } | LockError::Unsafe { .. } => {
            "Make the folder writable for you alone or remove it; or set TMPDIR to another."
        }
        LockError::Conflict(_) | LockError::Serial(_) => code.row().hint,
    });
    let LockError::Conflict(Conflict {
        owner: Some(owner),
        age,
    }) = error
    else {
        return failure;
    };
    failure.with(|details| {
        details.owner = Some(Box::new(OwnerDetails {
            pid: owner.pid,
            command_id: owner.command_id.clone(),
            age_ms: age.and_then(|age| u64::try_from(age.as_millis()).ok()),
        }));
    })
}
