//! `clawperator sim`: the commands of the simulated phone.

mod check;
mod faults;
mod screen;
mod start;

use super::command::{CommandSpec, GroupSpec, OPTIONS, PLAIN, Run};
use super::flag::{FlagSpec, one, several, switch};
use super::given::{Given, flag_failure};
use super::{Answer, World, number};
use crate::sim::{self, Advanced, PhoneEntry, Registry, Request, Running, State, Status};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_sim::Latency;
use serde_json::json;

/// The group.
pub(crate) const GROUP: GroupSpec = GroupSpec {
    name: "sim",
    synonyms: &[],
    about: "Runs simulated phones on this computer.",
    details: "A simulated phone is a phone in memory that speaks adb: apps, windows, input, screen, files and a \
        shell, with faults and time under your control. It listens on 127.0.0.1 only and ends by itself when \
        nobody uses it.",
};

const NAME: (&str, &str) = (
    "NAME",
    "The phone's name, serial or port; may be left out if only one runs.",
);

const START: &[FlagSpec] = &[
    usage(one(
        "port",
        "PORT",
        "The first phone's port; without it, or with 0, the system chooses.",
    )),
    usage(one("count", "N", "How many phones, each on a port of its own.")),
    usage(one(
        "apps",
        "DIR",
        "Install the apps of the YAML files in this folder, too; or of one file.",
    )),
    usage(one(
        "seed",
        "N",
        "What is random about the phone comes from this.",
    )),
    usage(one(
        "latency",
        "PROFILE",
        "How slow it is: none (the default) or pixel-like.",
    ))
    .words(&[Latency::ALL[0].1, Latency::ALL[1].1]),
    usage(one(
        "time",
        "KIND",
        "How time passes: real (the default), or virtual: only by sim advance.",
    ))
    .words(&[sim::TIMES[0].1, sim::TIMES[1].1]),
    usage(several(
        "fault",
        "SPEC",
        "Let something go wrong; several times or by commas. See sim faults.",
    )),
    usage(one(
        "idle",
        "MINUTES",
        "End when unused for so long; 0 is never [default: 30, with --foreground 0].",
    )),
    switch("no-auth", "Let hosts in without a key."),
    switch("foreground", "Run here until interrupted, not in the background."),
];
const SCREEN: &[FlagSpec] = &[
    usage(one(
        "out",
        "FILE",
        "Save the screen as a PNG file; - is standard output.",
    )),
    switch("tree", "Print the elements of the screen."),
    usage(one(
        "columns",
        "N",
        "Draw the screen in the terminal, so many characters wide.",
    )),
];
const FAULTS: &[FlagSpec] = &[
    usage(several(
        "set",
        "SPEC",
        "Let this go wrong from now on, and nothing else; several times or by commas.",
    )),
    switch("clear", "Let nothing go wrong from now on."),
    switch("points", "List what can go wrong, not what does on a phone."),
];
const STOP: &[FlagSpec] = &[switch("all", "Stop every simulated phone.")];

/// A flag whose missing value is a fault of the command line.
const fn usage(flag: FlagSpec) -> FlagSpec {
    flag.missing(ErrorCode::Usage)
}

const IN_SIM: CommandSpec = CommandSpec {
    group: GROUP.name,
    flags: &[],
    ..PLAIN
};

/// The commands, in the order of the help.
pub(crate) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "start",
        about: "Starts a simulated phone in the background.",
        details: "Prints the phone's name and serial once it can be used. Faults are written \
            POINT[=VALUE][@PERCENT%][xTIMES][+SKIP].",
        flags: &[(OPTIONS, START)],
        examples: &[
            "clawperator sim start",
            "clawperator sim start --count 3 --latency pixel-like --fault input_dropped@5% --seed 7",
        ],
        run: Run::Act(start::start),
        ..IN_SIM
    },
    CommandSpec {
        name: "stop",
        about: "Stops a simulated phone.",
        argument: Some(NAME),
        flags: &[(OPTIONS, STOP)],
        examples: &["clawperator sim stop sim-1", "clawperator sim stop --all"],
        run: Run::Act(stop),
        ..IN_SIM
    },
    CommandSpec {
        name: "list",
        about: "Lists the simulated phones that run.",
        examples: &["clawperator sim list", "clawperator sim list --output pretty"],
        run: Run::Act(list),
        ..IN_SIM
    },
    CommandSpec {
        name: "status",
        about: "Tells how a simulated phone is: its app, screen, time and faults.",
        argument: Some(NAME),
        examples: &[
            "clawperator sim status",
            "clawperator sim status sim-2 --output pretty",
        ],
        run: Run::Act(status),
        ..IN_SIM
    },
    CommandSpec {
        name: "screen",
        about: "Shows what a simulated phone shows.",
        details: "Starts a phone if none runs. In a terminal the screen is drawn there. Prints text for people \
            unless --json or --output asks for JSON.",
        argument: Some(NAME),
        flags: &[(OPTIONS, SCREEN)],
        examples: &[
            "clawperator sim screen --out screen.png --tree",
            "clawperator sim screen sim-1 --columns 60",
        ],
        run: Run::Act(screen::screen),
        ..IN_SIM
    },
    CommandSpec {
        name: "check",
        about: "Checks app files, and shows what is wrong in place.",
        details: "Prints text for people unless --json or --output asks for JSON.",
        argument: Some(("FILE...", "The app files, or folders of them.")),
        examples: &[
            "clawperator sim check shop.yaml",
            "clawperator sim check apps/shop.yaml apps/chat.yaml --json",
        ],
        run: Run::Act(check::check),
        ..IN_SIM
    },
    CommandSpec {
        name: "faults",
        about: "Tells what goes wrong with a phone, or lets it.",
        details: "Without a phone it lists what can go wrong, as with --points. Faults are written POINT[=VALUE][@PERCENT%][xTIMES][+SKIP].",
        argument: Some(NAME),
        flags: &[(OPTIONS, FAULTS)],
        examples: &[
            "clawperator sim faults --points",
            "clawperator sim faults sim-1 --set dump_null_root@20%x3,input_dropped",
        ],
        run: Run::Act(faults::faults),
        ..IN_SIM
    },
    CommandSpec {
        name: "finger",
        about: "Touches a phone as a finger does: through its kernel.",
        details: "What a finger does is seen by getevent and can be recorded; what input does is not. Actions: \
            tap X Y, touch LABEL, hold X Y [MS], swipe X1 Y1 X2 Y2 [MS], type TEXT (on the keyboard that is shown), \
            key NAME (BACK, HOME, APP_SWITCH, POWER, VOLUME_UP, VOLUME_DOWN). The phone is named with --device.",
        argument: Some(("ACTION...", "What the finger does, such as tap 540 1200.")),
        examples: &[
            "clawperator sim finger touch Settings",
            "clawperator sim finger swipe 540 1800 540 600 300 --device sim-1",
        ],
        run: Run::Act(finger),
        ..IN_SIM
    },
    CommandSpec {
        name: "advance",
        about: "Moves the time of a phone with virtual time on.",
        argument: Some(("MS", "By how much, in milliseconds; a day at most.")),
        second: Some(NAME),
        examples: &[
            "clawperator sim advance 5000",
            "clawperator sim advance 250 sim-2",
        ],
        run: Run::Act(advance),
        ..IN_SIM
    },
];

/// A phone that runs, or one that is started now: the phone that `--device sim`
/// means.
pub(super) fn find_or_start(world: &mut World) -> Result<Running, Failure> {
    let registry = Registry::open(&world.sim_folder)?;
    match sim::find(&registry, None) {
        Err(sim::SimError::NoneRunning) => {}
        found => return Ok(found?),
    }
    // Two who come at the same time share one phone.
    let _lock = registry.lock(sim::Lock::Start)?;
    match sim::find(&registry, None) {
        Err(sim::SimError::NoneRunning) => start::start_one(&registry, world),
        found => Ok(found?),
    }
}

/// The phone that a command line names, as an argument or with `--device`.
fn named<'g>(given: &'g Given, argument: Option<&'g str>) -> Result<Option<&'g str>, Failure> {
    let device = given.value("device");
    if let (Some(device), Some(argument)) = (device, argument)
        && device != argument
    {
        let (one, other) = (text::excerpt(argument), text::excerpt(device));
        let message = format!("\"{one}\" and --device \"{other}\" name two phones; name one");
        return Err(flag_failure(ErrorCode::Usage, "device", message));
    }
    // `sim` is whichever there is.
    Ok(argument.or(device).filter(|name| *name != GROUP.name))
}

/// The phone that a command is about: with `--device sim` one is started if
/// none runs.
fn reach(given: &Given, argument: Option<&str>, world: &mut World) -> Result<Running, Failure> {
    match named(given, argument)? {
        None if given.value("device") == Some(GROUP.name) => find_or_start(world),
        name => Ok(sim::find(&Registry::look(&world.sim_folder)?, name)?),
    }
}

fn stop(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let registry = Registry::look(&world.sim_folder)?;
    let name = named(given, given.argument())?;
    if given.has("all") && name.is_some() {
        let message = "name a phone or use --all, not both";
        return Err(flag_failure(ErrorCode::Usage, "all", message));
    }
    let mut stopped = Vec::new();
    if given.has("all") {
        stopped = stop_all(&registry)?;
    } else {
        let running = sim::find(&registry, name)?;
        sim::stop(&registry, &running.entry, std::slice::from_ref(&running.phone))?;
        stopped.push(running.phone);
    }
    stopped.sort_by_key(|phone| phone.number);
    let stopped: Vec<_> = stopped.into_iter().map(|phone| phone.name).collect();
    Ok(Answer::json(&json!({ "stopped": stopped }), given, world))
}

/// Stops every phone that can be stopped, before it complains about others.
fn stop_all(registry: &Registry) -> Result<Vec<PhoneEntry>, Failure> {
    let mut stopped = Vec::new();
    let mut silent = None;
    for (entry, state) in sim::processes(registry)? {
        match state {
            State::Running => {
                sim::stop(registry, &entry, &entry.phones)?;
                stopped.extend(entry.phones);
            }
            State::Silent => {
                silent = silent.or(Some(sim::SimError::Silent {
                    phones: entry.phones.iter().map(|phone| phone.name.clone()).collect(),
                    pid: entry.pid,
                }));
            }
        }
    }
    silent.map_or(Ok(stopped), |error| Err(error.into()))
}

/// Every simulated phone, whether it answers or not.
pub(super) fn known(world: &World) -> Result<Vec<Running>, Failure> {
    Ok(sim::phones(&Registry::look(&world.sim_folder)?)?)
}

/// The phones that run: name and serial of each.
pub(super) fn running(world: &World) -> Result<Vec<(String, String)>, Failure> {
    let phones = sim::phones(&Registry::look(&world.sim_folder)?)?;
    Ok(phones
        .into_iter()
        .map(|running| (running.phone.name, running.phone.serial))
        .collect())
}

fn list(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let registry = Registry::look(&world.sim_folder)?;
    let phones = sim::phones(&registry)?;
    let shown = phones.iter().map(|Running { entry, phone, state }| {
        json!({"name": phone.name, "serial": phone.serial, "port": phone.port, "pid": entry.pid, "state": state.name(),
            "seed": phone.seed, "latency": entry.latency, "time": entry.time})
    });
    let shown: Vec<_> = shown.collect();
    Ok(Answer::json(&json!({ "phones": shown }), given, world))
}

fn status(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let running = reach(given, given.argument(), world)?;
    let phone = running.phone.name.clone();
    let status: Status = sim::ask(&running.entry, &Request::Status { phone })?;
    Ok(Answer::json(&status, given, world))
}

fn advance(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let wanted = given.argument().ok_or_else(|| given.lacks("a time"))?;
    let ms = number::read_whole(("MS", wanted), &(0..=sim::MAX_ADVANCE_MS));
    let ms = ms.map_err(|message| Failure::of(ErrorCode::Usage, message))?;
    let running = reach(given, given.second(), world)?;
    let phone = running.phone.name.clone();
    let moved: Advanced = sim::ask(&running.entry, &Request::Advance { phone, ms })?;
    let shown = json!({"phone": running.phone.name, "advancedMs": ms, "uptimeMs": moved.uptime_ms});
    Ok(Answer::json(&shown, given, world))
}

fn finger(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let words: Vec<String> = given.arguments().into_iter().map(str::to_owned).collect();
    if words.is_empty() {
        return Err(given.lacks("what the finger does"));
    }
    let running = reach(given, None, world)?;
    let phone = running.phone.name.clone();
    let shown = json!({"phone": phone, "finger": words});
    let _: serde_json::Value = sim::ask(&running.entry, &Request::Finger { phone, words })?;
    Ok(Answer::json(&shown, given, world))
}

/// Whether JSON is wanted where text for people is the rule.
fn wants_json(given: &Given) -> bool {
    given.has("json") || given.value("output").is_some()
}
