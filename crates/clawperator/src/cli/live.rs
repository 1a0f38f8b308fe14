//! Runs an execution on a phone and prints its envelope.

use super::given::Given;
use super::{Answer, World, output, sim};
use clawperator_adb::{Deadline, ServerEnvironment};
use clawperator_contract::{Checked, DeviceResult, Envelope, ErrorCode, FAILURE_EXIT_CODE, Failure, Status};
use clawperator_runtime::{LockError, Locks, Options, Owner, Reach, ResolveError, Strictness};
use std::path::PathBuf;
use std::time::Duration;

/// How long finding and reaching a phone may take.
const REACH: Duration = Duration::from_secs(15);

/// How phones are reached, as the environment says.
pub(crate) struct Phones {
    /// Where the adb server is.
    pub(crate) environment: ServerEnvironment,
    /// The phone to use where none is named.
    pub(crate) serial: Option<String>,
    /// Where our key is.
    pub(crate) key_file: PathBuf,
    /// Whom the key belongs to.
    pub(crate) name: String,
    /// The folder of pictures whose path nobody names, and of locks.
    pub(crate) folder: PathBuf,
}

impl Phones {
    /// What the environment says.
    pub(crate) fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let home = PathBuf::from(variable("HOME").unwrap_or_default());
        let user = variable("USER").unwrap_or_else(|| "clawperator".to_owned());
        let host = variable("HOSTNAME").unwrap_or_else(|| "localhost".to_owned());
        Self {
            environment: ServerEnvironment {
                socket: variable("ADB_SERVER_SOCKET"),
                address: variable("ANDROID_ADB_SERVER_ADDRESS"),
                port: variable("ANDROID_ADB_SERVER_PORT"),
                program: variable("ADB_PATH").unwrap_or_else(|| "adb".to_owned()).into(),
            },
            serial: variable("ANDROID_SERIAL"),
            key_file: home.join(".android/adbkey"),
            name: format!("{user}@{host}"),
            folder: std::env::temp_dir(),
        }
    }
}

/// Runs an execution on the phone that the command line names.
pub(super) fn run(given: &Given, checked: &Checked, world: &mut World) -> Result<Answer, Failure> {
    let wanted = match given.value("device") {
        Some("sim") => Some(sim::find_or_start(world)?.phone.serial),
        Some(serial) => Some(serial.to_owned()),
        None => world.phones.serial.clone(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
    let (envelope, serial) = runtime.block_on(on_phone(wanted.as_deref(), checked, world))?;
    let exit_code = match envelope.status {
        Status::Success => 0,
        Status::Failed => FAILURE_EXIT_CODE,
    };
    let result = DeviceResult::new(envelope, serial);
    Ok(Answer {
        text: output::render(&result, given.format(), world.colour),
        exit_code,
    })
}

async fn on_phone(
    wanted: Option<&str>,
    checked: &Checked,
    world: &World,
) -> Result<(Envelope, String), Failure> {
    let phones = &world.phones;
    let reach = Reach {
        environment: &phones.environment,
        key_file: &phones.key_file,
        name: &phones.name,
    };
    let deadline = Deadline::after(REACH);
    let phone = clawperator_runtime::resolve(wanted, &reach, deadline).await;
    let phone = phone.map_err(|error| unreached(&error))?;
    let owner = Owner {
        pid: std::process::id(),
        command_id: checked.execution.command_id().as_str().to_owned(),
        since: Duration::from_millis(world.now_ms),
    };
    let locks = Locks::new(phones.folder.join("clawperator-locks"));
    let _turn = locks
        .acquire(phone.serial(), &owner, None)
        .await
        .map_err(|error| taken(&error))?;
    let options = Options {
        strictness: Strictness::First,
        seed: world.random,
        pictures: phones.folder.clone(),
        now_ms: world.now_ms,
    };
    let envelope = clawperator_runtime::run(&phone, &checked.execution, &options).await?;
    Ok((envelope, phone.serial().to_owned()))
}

fn unreached(error: &ResolveError) -> Failure {
    let row = error.code().row();
    Failure::new(row.code, error.to_string()).hint(row.hint)
}

fn taken(error: &LockError) -> Failure {
    let code = match error {
        LockError::Conflict(_) => ErrorCode::ExecutionConflict,
        LockError::Serial(_) | LockError::Io { .. } => ErrorCode::InternalError,
    };
    Failure::new(code, error.to_string()).hint(code.row().hint)
}
