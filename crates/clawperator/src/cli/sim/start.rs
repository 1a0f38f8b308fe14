//! `sim start`: in the background, or here.

use crate::cli::given::{Given, flag_failure};
use crate::cli::{Answer, World, number, output};
use crate::sim::{self, Entry, Outside, Registry, Running, SimError, StartOptions};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_sim::app::App;
use clawperator_sim::fault::{Fault, FaultError, Point};
use clawperator_sim::{Keys, Latency, builtin};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest number that every JSON reader reads exactly.
const MAX_SEED: u64 = (1 << 53) - 1;
/// The longest time without use: a year.
const MAX_IDLE_MINUTES: f64 = 525_600.0;

pub(super) fn start(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let options = options(given, world)?;
    let registry = Registry::open(&world.sim_folder)?;
    if given.has("foreground") {
        return run_here(given, world, &registry);
    }
    // A background process could only say so in a file.
    if let Some(folder) = &options.apps {
        let apps = sim::app_file::read_all(folder)?;
        note_apps(folder, &apps, world);
    }
    let program = (world.program)().map_err(SimError::Spawn)?;
    let (said, _) = sim::launch(&program, &options, &registry)?;
    Ok(Answer::json(&said, given, world))
}

/// Tells what may not be meant.
fn note_apps(folder: &Path, apps: &[Arc<App>], world: &mut World) {
    if apps.is_empty() {
        let folder = folder.display();
        (world.note)(&format!("{folder} has no app files (.yaml or .yml)\n"));
    }
    for app in apps {
        if builtin::apps().iter().any(|other| other.package == app.package) {
            let package = &app.package;
            (world.note)(&format!("{package} replaces the built-in app of this package\n"));
        }
    }
}

fn run_here(given: &Given, world: &mut World, registry: &Registry) -> Result<Answer, Failure> {
    let options = options(given, world)?;
    let outside = Outside {
        now_ms: world.now_ms,
        token: format!("{:032x}", (world.secret)().map_err(SimError::Spawn)?),
        registry,
    };
    let (format, colour) = (given.format(), world.colour);
    let say = &mut world.say;
    sim::run(&options, outside, |entry| {
        say(output::render(&shown(entry), format, colour).as_bytes())
    })?;
    Ok(Answer {
        text: String::new(),
        exit_code: 0,
    })
}

/// Starts one phone as nobody says how.
pub(super) fn start_one(registry: &Registry, world: &mut World) -> Result<Running, Failure> {
    (world.note)(
        "no simulated phone is running; starting one in the background (clawperator sim stop ends it)\n",
    );
    let program = (world.program)().map_err(SimError::Spawn)?;
    let options = StartOptions::plain(sim::default_seed(world.random));
    let (_, entry) = sim::launch(&program, &options, registry)?;
    match entry.phones.first() {
        Some(phone) => Ok(Running {
            phone: phone.clone(),
            entry,
            state: sim::State::Running,
        }),
        None => Err(SimError::NotReady(None).into()),
    }
}

fn shown(entry: &Entry) -> Value {
    let phones: Vec<_> = entry
        .phones
        .iter()
        .map(|phone| json!({"name": phone.name, "serial": phone.serial, "port": phone.port}))
        .collect();
    // Most start one, and want to say `.serial`; the others have the list.
    let first = phones.first();
    let part = |name: &str| first.map_or(Value::Null, |phone| phone[name].clone());
    json!({"name": part("name"), "serial": part("serial"), "port": part("port"), "pid": entry.pid,
        "seed": entry.seed, "latency": entry.latency, "time": entry.time, "phones": phones})
}

fn options(given: &Given, world: &World) -> Result<StartOptions, Failure> {
    let count = given.whole("count", 1..=sim::MAX_PHONES.into())?.unwrap_or(1);
    let port = given.whole("port", 0..=u16::MAX.into())?.unwrap_or(0);
    if port > 0 && port + count - 1 > u16::MAX.into() {
        let message = format!("--port {port} leaves no room for {count} phones below port 65536");
        return Err(flag_failure(ErrorCode::Usage, "port", message));
    }
    let seed = given.whole("seed", 0..=MAX_SEED)?;
    let latency = Latency::ALL.map(|(latency, name)| (name, latency));
    let time = sim::TIMES.map(|(time, name)| (name, time));
    let mut options = StartOptions::plain(seed.unwrap_or_else(|| sim::default_seed(world.random)));
    // Both fit: their ranges were checked.
    options.count = u16::try_from(count).unwrap_or(1);
    options.port = u16::try_from(port).unwrap_or(0);
    options.latency = word(given, "latency", &latency)?.unwrap_or(options.latency);
    options.time = word(given, "time", &time)?.unwrap_or(options.time);
    options.faults = faults(given, "fault")?.unwrap_or_default();
    options.apps = apps(given)?;
    if given.has("no-auth") {
        options.keys = Keys::NotAsked;
    }
    if given.has("foreground") {
        options.idle_minutes = 0.0;
    }
    if let Some(minutes) = idle(given)? {
        options.idle_minutes = minutes;
    }
    Ok(options)
}

/// The faults that a flag names, several times or by commas.
pub(super) fn faults(given: &Given, flag: &str) -> Result<Option<Vec<Fault>>, Failure> {
    let Some(values) = given.values(flag) else {
        return Ok(None);
    };
    let parts = values.iter().flat_map(|value| value.split(','));
    Fault::parse_all(parts.map(str::trim)).map(Some).map_err(|error| {
        let mut failure = flag_failure(ErrorCode::Usage, flag, error.to_string())
            .hint("Run clawperator sim faults --points to see what can go wrong.");
        if let FaultError::NoPoint(name) = &error {
            let known = Point::ALL.iter().map(|row| row.1);
            failure.suggestion = text::closest(name, known).map(str::to_owned);
        }
        failure
    })
}

/// The word of a flag that takes one of a few.
fn word<T: Copy>(given: &Given, flag: &str, words: &[(&str, T)]) -> Result<Option<T>, Failure> {
    let Some(wanted) = given.value(flag) else {
        return Ok(None);
    };
    if let Some((_, found)) = words.iter().find(|(name, _)| *name == wanted) {
        return Ok(Some(*found));
    }
    let names: Vec<_> = words.iter().map(|(name, _)| *name).collect();
    let shown = text::excerpt(wanted);
    let message = format!("--{flag} must be {}, not \"{shown}\"", names.join(" or "));
    let mut failure = flag_failure(ErrorCode::Usage, flag, message);
    failure.suggestion = text::closest(wanted, names.iter().copied()).map(str::to_owned);
    Err(failure)
}

fn idle(given: &Given) -> Result<Option<f64>, Failure> {
    let Some(wanted) = given.value("idle") else {
        return Ok(None);
    };
    let minutes = number::read(wanted).filter(|minutes| (0.0..=MAX_IDLE_MINUTES).contains(minutes));
    minutes.map(Some).ok_or_else(|| {
        let shown = text::excerpt(wanted);
        let message =
            format!("--idle must be a number of minutes from 0 to {MAX_IDLE_MINUTES}, not \"{shown}\"");
        flag_failure(ErrorCode::Usage, "idle", message)
    })
}

/// The folder of app files, from the root on: the phone's process runs
/// elsewhere.
fn apps(given: &Given) -> Result<Option<PathBuf>, Failure> {
    let Some(folder) = given.value("apps") else {
        return Ok(None);
    };
    std::fs::canonicalize(folder).map(Some).map_err(|error| {
        let shown = text::excerpt(folder);
        let message = format!("\"{shown}\" cannot be read: {error}");
        flag_failure(ErrorCode::SimAppInvalid, "apps", message)
    })
}
