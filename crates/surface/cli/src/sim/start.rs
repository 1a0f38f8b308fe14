//! `sim start`: in the background, or here.

use crate::args::Args;
use crate::commands::sim as flags;
use crate::spec::FlagSpec;
use crate::suggest::nearest;
use crate::world::{Answer, World};
use crate::{number, output};
use clawperator_contract::{ErrorCode, Failure, Number, text};
use clawperator_host::{self as sim, Outside, ProcessEntry, Registry, RunningPhone, SimError, StartOptions};
use clawperator_sim::app::App;
use clawperator_sim::fault::{Fault, FaultError, FaultPoint};
use clawperator_sim::{HostKeys, Latency, builtin};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest number that every JSON reader reads exactly.
const MAX_SEED: u64 = (1 << 53) - 1;
/// The longest time without use: a year.
const MAX_IDLE_MINUTES: f64 = 525_600.0;

pub(super) fn start(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let options = options(args, world)?;
    let registry = Registry::open(&world.sim_folder)?;
    if args.has(&flags::FOREGROUND) {
        return run_here(args, world, &registry);
    }
    // A background process could report problems only in a file.
    if let Some(folder) = &options.apps {
        let apps = sim::app_file::read_all(folder).map_err(SimError::Apps)?;
        note_apps(folder, &apps, world);
    }
    let program = (world.program)().map_err(SimError::Spawn)?;
    let (said, entry) = sim::launch(&program, &options, &registry)?;
    if let Some(phone) = entry.phones.first() {
        registry.remember(phone);
    }
    Ok(Answer::value(&said, args, world))
}

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

fn run_here(args: &Args, world: &mut World, registry: &Registry) -> Result<Answer, Failure> {
    let options = options(args, world)?;
    let outside =
        Outside { now_ms: world.now_ms, secret: (world.secret)().map_err(SimError::Spawn)?, registry };
    let (format, colour) = (args.format, world.colour);
    let say = &mut world.print;
    sim::run(&options, &outside, |entry| say(output::render(&entry_json(entry), format, colour).as_bytes()))?;
    Ok(Answer::text(""))
}

pub(super) fn start_one(registry: &Registry, world: &mut World) -> Result<RunningPhone, Failure> {
    (world.note)(
        "no simulated phone is running; starting one in the background (clawperator sim stop ends it)\n",
    );
    let program = (world.program)().map_err(SimError::Spawn)?;
    Ok(sim::launch_one(&program, world.random, registry)?)
}

fn entry_json(entry: &ProcessEntry) -> Value {
    let phones: Vec<_> = entry
        .phones
        .iter()
        .map(|phone| json!({"name": phone.name, "serial": phone.serial, "port": phone.port}))
        .collect();
    // Most callers start one and read `.serial`; the others have the list.
    let first = phones.first();
    let part = |name: &str| first.map_or(Value::Null, |phone| phone[name].clone());
    json!({"name": part("name"), "serial": part("serial"), "port": part("port"), "pid": entry.address.pid,
        "seed": entry.seed, "latency": entry.latency, "time": entry.time, "phones": phones})
}

fn options(args: &Args, world: &World) -> Result<StartOptions, Failure> {
    let count = args.whole(&flags::COUNT, 1..=sim::MAX_PHONES.into())?.unwrap_or(1);
    let port = args.whole(&flags::PORT, 0..=u16::MAX.into())?.unwrap_or(0);
    if port > 0 && port + count - 1 > u16::MAX.into() {
        let message = format!("--port {port} leaves no room for {count} phones below port 65536");
        return Err(args.usage(&flags::PORT, message));
    }
    let seed = args.whole(&flags::SEED, 0..=MAX_SEED)?;
    let mut options = StartOptions::plain(seed.unwrap_or_else(|| sim::default_seed(world.random)));
    // Both fit: their ranges were checked.
    options.count = u16::try_from(count).unwrap_or(1);
    options.port = u16::try_from(port).unwrap_or(0);
    options.latency = args.word(&flags::LATENCY, Latency::from_word)?.unwrap_or(options.latency);
    options.time = args.word(&flags::TIME, sim::time_called)?.unwrap_or(options.time);
    options.faults = faults(args, &flags::FAULT)?.unwrap_or_default();
    options.apps = apps(args)?;
    if args.has(&flags::AUTH) {
        options.keys = HostKeys::Asked;
    }
    if args.has(&flags::FOREGROUND) {
        options.idle_minutes = 0.0;
    }
    if let Some(minutes) = idle(args)? {
        options.idle_minutes = minutes;
    }
    Ok(options)
}

/// The faults that a flag names, several times or by commas.
pub(super) fn faults(args: &Args, flag: &FlagSpec) -> Result<Option<Vec<Fault>>, Failure> {
    let values = args.values(flag)?;
    if values.is_empty() {
        return Ok(None);
    }
    let parts = values.iter().flat_map(|value| value.split(','));
    Fault::parse_all(parts.map(str::trim)).map(Some).map_err(|error| {
        let mut failure = args
            .failure(ErrorCode::Usage, flag, error.to_string())
            .hint("Run clawperator sim faults --points to see what can go wrong.");
        if let FaultError::NoPoint(name) = &error {
            let known = FaultPoint::ALL.iter().map(|row| row.1);
            failure.suggestion = nearest(name, known).map(str::to_owned);
        }
        failure
    })
}

fn idle(args: &Args) -> Result<Option<f64>, Failure> {
    let Some(wanted) = args.value(&flags::IDLE)? else {
        return Ok(None);
    };
    let minutes =
        number::read(wanted).map(Number::get).filter(|minutes| (0.0..=MAX_IDLE_MINUTES).contains(minutes));
    minutes.map(Some).ok_or_else(|| {
        let shown = text::excerpt(wanted);
        let message =
            format!("--idle must be a number of minutes from 0 to {MAX_IDLE_MINUTES}, not \"{shown}\"");
        args.usage(&flags::IDLE, message)
    })
}

/// The folder of app files, as an absolute path: the phone's process runs elsewhere.
fn apps(args: &Args) -> Result<Option<PathBuf>, Failure> {
    let Some(folder) = args.value(&flags::APPS)? else {
        return Ok(None);
    };
    std::fs::canonicalize(folder).map(Some).map_err(|error| {
        let shown = text::excerpt(folder);
        args.failure(ErrorCode::SimAppInvalid, &flags::APPS, format!("cannot read \"{shown}\": {error}"))
    })
}
