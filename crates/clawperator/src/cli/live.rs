//! Runs an execution on a phone and prints its envelope.

use super::given::{Given, invalid};
use super::log::{Event, Level};
use super::output::Format;
use super::{Answer, World, output, record, report, sim};
use clawperator_adb::{AdbError, Deadline, Server, ServerEnvironment};
use clawperator_contract::{
    ActionKind, Checked, DataKey, DeviceResult, Envelope, ErrorCode, FAILURE_EXIT_CODE, Failure,
    OwnerDetails, Status, ViewStyle,
};
use clawperator_runtime::{
    ChoiceError, Conflict, Guard, LockError, Locks, Options, Owner, PackageFilter, Phone, PhoneError, Reach,
    ResolveError, Strictness, Trail, operator,
};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
    /// Whether executions leave a journal where nothing else is said.
    pub(crate) journal: Journaling,
    /// The Operator app to run through, if the environment names one.
    pub(crate) operator_package: Option<String>,
    /// The folder of pictures whose path nobody names, and of locks.
    pub(crate) folder: PathBuf,
}

/// Whether executions leave a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Journaling {
    On,
    Off,
}

impl Phones {
    /// What the environment says.
    pub(crate) fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let home = variable("HOME")
            .filter(|home| !home.is_empty())
            .map(PathBuf::from);
        // Never the folder one happens to be in.
        let home = home
            .or_else(std::env::home_dir)
            .unwrap_or_else(std::env::temp_dir);
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
            journal: match variable("CLAWPERATOR_JOURNAL").as_deref() {
                Some("off") => Journaling::Off,
                _ => Journaling::On,
            },
            operator_package: variable("CLAWPERATOR_OPERATOR_PACKAGE").filter(|name| !name.is_empty()),
            folder: std::env::temp_dir(),
        }
    }

    /// The folder of locks: one for each user, as none may write in another's.
    pub(crate) fn locks(&self) -> PathBuf {
        self.folder
            .join(format!("clawperator-locks-{}", crate::sim::user()))
    }
}

/// Runs an execution on the phone that the command line names.
pub(super) fn run(given: &Given, checked: &Checked, world: &mut World) -> Result<Answer, Failure> {
    let wanted = wanted(given, world)?;
    let begun = Instant::now();
    note_start(checked, wanted.as_deref(), world);
    let trail = report::trail(given, world)?;
    let asked = Asked {
        checked,
        strictness: strictness(given),
        wait: waiting(given)?,
        operator: operator_package(given, world),
        trail: trail.clone(),
    };
    let came = block_on(on_phone(wanted.as_deref(), asked, world))?;
    note_end(checked, (&came, begun), world);
    if let Some(trail) = trail {
        report::finish(given, &trail, world);
    }
    let (envelope, serial) = came?;
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

/// Writes down that an execution begins.
fn note_start(checked: &Checked, wanted: Option<&str>, world: &mut World) {
    let execution = &checked.execution;
    let message = format!("actions: {}", execution.actions().len());
    let mut event = Event::new(Level::Info, "execution.started", message);
    event.command_id = Some(execution.command_id().as_str().to_owned());
    event.task_id = Some(execution.task_id().as_str().to_owned());
    event.device_id = wanted.map(str::to_owned);
    world.log(event);
}

/// Writes down how an execution ended: codes, not what was read or typed.
fn note_end(
    checked: &Checked,
    (came, begun): (&Result<(Envelope, String), Failure>, Instant),
    world: &mut World,
) {
    let execution = &checked.execution;
    let (level, status, message) = match came {
        Ok((envelope, _)) => match envelope.status {
            Status::Success => (Level::Info, "success", "every step succeeded".to_owned()),
            Status::Failed => {
                let code = envelope.error_code.clone().unwrap_or_default();
                (Level::Warn, "failed", format!("a step failed: {code}"))
            }
        },
        Err(failure) => (Level::Error, "failed", failure.code.name().to_owned()),
    };
    let mut event = Event::new(level, "execution.ended", message);
    event.command_id = Some(execution.command_id().as_str().to_owned());
    event.task_id = Some(execution.task_id().as_str().to_owned());
    event.device_id = came.as_ref().ok().map(|(_, serial)| serial.clone());
    event.status = Some(status.to_owned());
    event.duration_ms = u64::try_from(begun.elapsed().as_millis()).ok();
    world.log(event);
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

/// What to do when several elements fit.
pub(super) fn strictness(given: &Given) -> Strictness {
    if given.has("strict") {
        Strictness::Unique
    } else {
        Strictness::First
    }
}

/// How long to wait for a phone that another execution has.
pub(super) fn waiting(given: &Given) -> Result<Option<Duration>, Failure> {
    let Some(text) = given.value("wait-for-device") else {
        return Ok(None);
    };
    let ms = text.parse().ok().filter(|ms| *ms <= MOST_WAIT_MS);
    let rule = format!("must be a whole number of milliseconds up to {MOST_WAIT_MS}");
    let ms = ms.ok_or_else(|| invalid("--wait-for-device", &rule, text))?;
    Ok(Some(Duration::from_millis(ms)))
}

/// Lists the phones that the adb server knows, and those in the box.
pub(super) fn devices(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let limit = limit(given)?;
    let known = block_on(async {
        let server = Server::from_environment(&world.phones.environment)?;
        server.devices(Deadline::after(limit)).await
    })?;
    let mut devices: Vec<Value> = match known {
        Ok(known) => known
            .iter()
            .map(|entry| json!({"serial": entry.serial, "state": entry.state.to_string()}))
            .collect(),
        // Without adb there are still the phones in the box.
        Err(AdbError::NoProgram(_)) => Vec::new(),
        Err(error) => return Err(unreached(&ResolveError::Server(error), world)),
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
    let limit = limit(given)?;
    let packages = block_on(async {
        // One limit for all of it, where the caller has one.
        let deadline = Deadline::after(limit);
        let phone = reached_by(deadline, wanted.as_deref(), world).await?;
        let deadline = given
            .value("timeout")
            .map_or_else(|| Deadline::after(REACH), |_| deadline);
        let listed = phone.packages(filter, deadline).await;
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

/// How long a command may take that runs no execution.
fn limit(given: &Given) -> Result<Duration, Failure> {
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

/// The Operator app to run through, if one is named; an empty name is none.
fn operator_package(given: &Given, world: &World) -> Option<String> {
    let named = given.value("operator-package").map(str::to_owned);
    let named = named.or_else(|| world.phones.operator_package.clone());
    named.filter(|name| !name.trim().is_empty())
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

async fn reached_by(deadline: Deadline, wanted: Option<&str>, world: &World) -> Result<Phone, Failure> {
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

/// An execution, and how it is to be run.
struct Asked<'c> {
    checked: &'c Checked,
    strictness: Strictness,
    /// How long to wait for the phone.
    wait: Option<Duration>,
    /// The Operator app to run through, if that is wanted.
    operator: Option<String>,
    trail: Option<Arc<Trail>>,
}

impl Asked<'_> {
    /// Whoever only stops a recording of this computer sends the phone nothing
    /// that another execution would notice.
    fn needs_no_turn(&self) -> bool {
        let mut actions = self.checked.execution.actions().iter();
        self.operator.is_none() && actions.all(|action| action.kind() == ActionKind::StopRecording)
    }
}

async fn on_phone(
    wanted: Option<&str>,
    asked: Asked<'_>,
    world: &World,
) -> Result<(Envelope, String), Failure> {
    let checked = asked.checked;
    let end = crate::signals::asked_to_end();
    let end = end.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
    let mut end = pin!(end);
    let ready = async {
        let phone = reached(wanted, world).await?;
        let turn = if asked.needs_no_turn() {
            None
        } else {
            let command_id = checked.execution.command_id().as_str();
            Some(turn(&phone, (command_id, asked.wait), world).await?)
        };
        Ok::<_, Failure>((phone, turn))
    };
    let (phone, _turn) = tokio::select! {
        biased;
        ready = ready => ready?,
        () = &mut end => {
            let row = ErrorCode::ExecutionCancelled.row();
            let message = "interrupted before the phone was ours; nothing was sent to it";
            return Err(Failure::new(row.code, message));
        }
    };
    let options = Options {
        trail: asked.trail,
        ..options(asked.strictness, world)
    };
    let execution = &checked.execution;
    let envelope = match asked.operator {
        None => clawperator_runtime::run_until(&phone, execution, (&options, end)).await?,
        Some(package) => {
            let options = operator::Options {
                package,
                session: options,
                grace: operator::GRACE,
                log_path: None,
            };
            operator::run_until(&phone, execution, (&options, end)).await?
        }
    };
    Ok((envelope, phone.serial().to_owned()))
}

/// What an execution takes from outside.
pub(super) fn options(strictness: Strictness, world: &World) -> Options {
    Options {
        strictness,
        seed: world.random,
        pictures: world.phones.folder.clone(),
        now_ms: world.now_ms,
        recordings: Some(record::keeper(world)),
        memory: Some(world.phones.state.join("phones")),
        trail: None,
    }
}

fn unreached(error: &ResolveError, world: &World) -> Failure {
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
