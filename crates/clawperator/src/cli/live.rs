//! Runs an execution on a phone and prints its envelope.

use super::given::{Given, invalid};
use super::output::Format;
use super::{Answer, World, output, sim};
use clawperator_adb::{AdbError, Deadline, Server, ServerEnvironment};
use clawperator_contract::{
    Checked, DataKey, DeviceResult, Envelope, ErrorCode, FAILURE_EXIT_CODE, Failure, Status, ViewStyle,
};
use clawperator_runtime::{
    ChoiceError, LockError, Locks, Options, Owner, PackageFilter, Phone, PhoneError, Reach, ResolveError,
    Strictness,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

/// How long finding and reaching a phone may take.
const REACH: Duration = Duration::from_secs(15);

/// The longest that a phone is waited for.
const MOST_WAIT_MS: u64 = 600_000;

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
    /// The folder for what is remembered from one run to the next.
    pub(crate) state: PathBuf,
    /// The Operator app to run through, if the environment names one.
    #[expect(dead_code, reason = "the other way to run comes next")]
    pub(crate) operator_package: Option<String>,
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
            state: variable("CLAWPERATOR_HOME")
                .filter(|folder| !folder.is_empty())
                .map_or_else(|| home.join(".clawperator"), PathBuf::from),
            operator_package: variable("CLAWPERATOR_OPERATOR_PACKAGE").filter(|name| !name.is_empty()),
            folder: std::env::temp_dir(),
        }
    }
}

/// Runs an execution on the phone that the command line names.
pub(super) fn run(given: &Given, checked: &Checked, world: &mut World) -> Result<Answer, Failure> {
    let wanted = wanted(given, world)?;
    let strictness = if given.has("strict") {
        Strictness::Unique
    } else {
        Strictness::First
    };
    let wait = match given.value("wait-for-device") {
        None => None,
        Some(text) => {
            let ms = text.parse().ok().filter(|ms| *ms <= MOST_WAIT_MS);
            let rule = format!("must be a whole number of milliseconds up to {MOST_WAIT_MS}");
            Some(Duration::from_millis(
                ms.ok_or_else(|| invalid("--wait-for-device", &rule, text))?,
            ))
        }
    };
    let (envelope, serial) = block_on(on_phone(wanted.as_deref(), (checked, strictness, wait), world))??;
    let exit_code = match envelope.status {
        Status::Success => 0,
        Status::Failed => FAILURE_EXIT_CODE,
    };
    if let Some(text) = view_for_people(given, &envelope) {
        return Ok(Answer { text, exit_code });
    }
    let result = DeviceResult::new(envelope, serial);
    Ok(Answer {
        text: output::render(&result, given.format(), world.colour),
        exit_code,
    })
}

/// A compact view is text; whoever wants to read it gets it as it is.
fn view_for_people(given: &Given, envelope: &Envelope) -> Option<String> {
    let [step] = &envelope.step_results[..] else {
        return None;
    };
    let compact = step.data.get(DataKey::View.name()).map(String::as_str) == Some(ViewStyle::Compact.word());
    let wanted = given.format() == Format::Pretty && step.success && compact;
    let text = step.data.get(DataKey::Text.name()).filter(|_| wanted)?;
    let warning = step.data.get(DataKey::MemoryWarning.name());
    let warning = warning.map_or(String::new(), |warning| format!("\n({warning})"));
    Some(format!("{text}{warning}\n"))
}

/// Lists the phones that the adb server knows, and those in the box.
pub(super) fn devices(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let known = block_on(async {
        let server = Server::from_environment(&world.phones.environment)?;
        server.devices(Deadline::after(REACH)).await
    })?;
    let mut devices: Vec<Value> = match known {
        Ok(known) => known
            .iter()
            .map(|entry| json!({"serial": entry.serial, "state": entry.state.to_string()}))
            .collect(),
        // Without adb there are still the phones in the box.
        Err(AdbError::NoProgram(_)) => Vec::new(),
        Err(error) => return Err(unreached(&ResolveError::Server(error))),
    };
    for (name, serial) in sim::running(world)? {
        match devices.iter_mut().find(|device| device["serial"] == serial) {
            Some(device) => device["sim"] = json!(name),
            None => devices.push(json!({"serial": serial, "state": "device", "sim": name})),
        }
    }
    Ok(Answer {
        text: output::render(&json!({ "devices": devices }), given.format(), world.colour),
        exit_code: 0,
    })
}

/// Lists the packages of a phone.
pub(super) fn packages(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let wanted = wanted(given, world)?;
    let filter = if given.has("third-party") {
        PackageFilter::ThirdParty
    } else {
        PackageFilter::All
    };
    let packages = block_on(async {
        let phone = reached(wanted.as_deref(), world).await?;
        let listed = phone.packages(filter, Deadline::after(REACH)).await;
        let refused = |error: PhoneError| Failure::new(ErrorCode::DeviceShellUnavailable, error.to_string());
        Ok::<_, Failure>((phone.serial().to_owned(), listed.map_err(refused)?))
    })?;
    let (serial, packages) = packages?;
    let answer = json!({"packages": packages, "count": packages.len(), "deviceId": serial});
    Ok(Answer {
        text: output::render(&answer, given.format(), world.colour),
        exit_code: 0,
    })
}

/// The phone that the command line names.
fn wanted(given: &Given, world: &mut World) -> Result<Option<String>, Failure> {
    let named = given.value("device").map(str::to_owned);
    Ok(match named.or_else(|| world.phones.serial.clone()) {
        Some(name) if name == "sim" => Some(sim::find_or_start(world)?.phone.serial),
        other => other,
    })
}

fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
    Ok(runtime.block_on(work))
}

async fn reached(wanted: Option<&str>, world: &World) -> Result<Phone, Failure> {
    let phones = &world.phones;
    let reach = Reach {
        environment: &phones.environment,
        key_file: &phones.key_file,
        name: &phones.name,
    };
    let phone = clawperator_runtime::resolve(wanted, &reach, Deadline::after(REACH)).await;
    phone.map_err(|error| unreached(&error))
}

async fn on_phone(
    wanted: Option<&str>,
    (checked, strictness, wait): (&Checked, Strictness, Option<Duration>),
    world: &World,
) -> Result<(Envelope, String), Failure> {
    let phones = &world.phones;
    let asked = crate::signals::asked_to_end();
    let asked = asked.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
    let mut asked = pin!(asked);
    let locks = Locks::new(phones.folder.join("clawperator-locks"));
    let ready = async {
        let phone = reached(wanted, world).await?;
        let owner = Owner {
            pid: std::process::id(),
            command_id: checked.execution.command_id().as_str().to_owned(),
            since: Duration::from_millis(world.now_ms),
        };
        let turn = locks.acquire(phone.serial(), &owner, wait).await;
        Ok::<_, Failure>((phone, turn.map_err(|error| taken(&error))?))
    };
    let (phone, _turn) = tokio::select! {
        biased;
        ready = ready => ready?,
        () = &mut asked => {
            let row = ErrorCode::ExecutionCancelled.row();
            let message = "interrupted before the phone was ours; nothing was sent to it";
            return Err(Failure::new(row.code, message));
        }
    };
    let options = Options {
        strictness,
        seed: world.random,
        pictures: phones.folder.clone(),
        now_ms: world.now_ms,
        memory: Some(phones.state.join("phones")),
    };
    let envelope = clawperator_runtime::run_until(&phone, &checked.execution, (&options, asked)).await?;
    Ok((envelope, phone.serial().to_owned()))
}

fn unreached(error: &ResolveError) -> Failure {
    let row = error.code().row();
    Failure::new(row.code, error.to_string())
        .hint(row.hint)
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
        LockError::Serial(_) | LockError::Io { .. } => ErrorCode::InternalError,
    };
    Failure::new(code, error.to_string()).hint(code.row().hint)
}
