//! `clawperator lane`: the resident server on a phone, set up, shown, ended, removed.

mod jar;

use super::args::Args;
use super::flags::lane as own;
use super::operator::no_answer;
use super::progress::Progress;
use super::spec::LaneCommand;
use super::world::{Answer, World};
use super::{device, flags, progress};
use clawperator_contract::{ErrorCode, Failure, LaneWish};
use clawperator_phone::resident::jar::{Jar, known_jar};
use clawperator_phone::resident::mark::SetupMarks;
use clawperator_phone::{
    Deadline, Phone, PhoneError, ResidentSetup, ResidentTrouble, ServerFiles, ServerState, StartError, Whose,
};
use jar::{JarFile, find};
use serde_json::{Value, json};
use std::time::Duration;

/// How long things may take.
const ASK: Duration = Duration::from_secs(15);
const PUSH: Duration = Duration::from_secs(120);
const START: Duration = Duration::from_secs(45);
/// After how many minutes without use the server ends by default.
const USUAL_IDLE: u64 = 20;
const MOST_IDLE: u64 = 24 * 60;

pub(super) fn run(command: LaneCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    match command {
        LaneCommand::Setup => setup(args, world),
        LaneCommand::Status => status(args, world),
        LaneCommand::Stop => stop(args, world),
        LaneCommand::Remove => remove(args, world),
    }
}

pub(super) fn flagged(args: &Args) -> Result<Option<LaneWish>, Failure> {
    args.word(&flags::LANE, LaneWish::from_word)
}

fn setup(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let idle = args.whole(&own::IDLE, 1..=MOST_IDLE)?.unwrap_or(USUAL_IDLE);
    let idle_minutes = u32::try_from(idle).unwrap_or(u32::MAX);
    let found = find(args, world)?;
    let wanted = device::device_serial(args, world)?;
    let mut show = shown_progress(world);
    let files = ServerFiles { jar: &found.jar, idle_minutes };
    let done = device::block_on_within(args, async {
        let lease = device::leased(wanted.as_deref(), "lane", world).await?;
        let phone = lease.phone();
        let started = put_and_start(phone, files, &mut show).await;
        let works = match started {
            Ok(()) => works(phone).await,
            Err(failure) => Err(failure),
        };
        if let Err(failure) = works {
            // A server that does not work must not stay, and a file that was
            // there before may be another by now.
            let _ = phone.remove_server(Deadline::after(ASK)).await;
            let _ = marks(world).remove(phone.serial());
            return Err(once_more(failure));
        }
        let state = server_state(phone).await?;
        let serial = phone.serial().to_owned();
        marks(world).add(&serial).map_err(|error| {
            let message = format!("the server runs on {serial}, but this cannot be noted: {error}");
            Failure::of(ErrorCode::FileWriteFailed, message)
        })?;
        Ok::<_, Failure>((serial, state))
    });
    show("");
    let (serial, state) = done?;
    let mut answer = json!({"deviceId": serial, "running": true, "jar": about(&found)});
    let (by, message) = match state.ours {
        Some(_) => {
            answer["idleMinutes"] = idle.into();
            ("clawperator", format!("executions on {serial} use the resident server from now on"))
        }
        None => {
            let message = format!(
                "executions on {serial} use the server that another program has started; \
                 u2.jar is on the phone, and is not running"
            );
            ("another program", message)
        }
    };
    answer["startedBy"] = by.into();
    answer["message"] = message.into();
    Ok(Answer::value(&answer, args, world))
}

/// A setup that failed, with what to do after its reason is gone.
fn once_more(failure: Failure) -> Failure {
    let hint = failure.details.as_ref().and_then(|details| details.hint.clone());
    let hint = match failure.code {
        // There is nothing left whose state could be asked for.
        ErrorCode::LaneStartFailed => None,
        _ => hint,
    };
    let first = hint.unwrap_or_else(|| "Read the message.".to_owned());
    failure.hint(format!("{first} Then run clawperator lane setup again."))
}

/// Puts the server on a phone and starts it, unless one runs.
async fn put_and_start(
    phone: &Phone,
    files: ServerFiles<'_>,
    show: &mut dyn FnMut(&str),
) -> Result<(), Failure> {
    let before = server_state(phone).await?;
    if is_an_apps(&before) {
        return Err(port_taken(phone, &before));
    }
    if before.ours.is_some() {
        // It may be another version, with another time.
        phone.stop_server(Whose::Ours, Deadline::after(ASK)).await.map_err(|error| lane_failure(&error))?;
    }
    let all = files.jar.bytes().len() as u64;
    let pushed = phone.push_server(files, Deadline::after(PUSH), |moved| {
        show(&format!("pushing u2.jar: {} %", moved * 100 / all.max(1)));
    });
    pushed.await.map_err(|error| lane_failure(&error))?;
    // That of another program will do as well.
    let runs = phone.server_answers(Deadline::after(ASK)).await;
    if runs.map_err(|error| no_answer(&error))? {
        return Ok(());
    }
    show("starting the server");
    match phone.start_server(Deadline::after(START)).await {
        Ok(()) => Ok(()),
        Err(StartError::SlotTaken) => Err(slot_taken(phone, &server_state(phone).await?)),
        Err(error) => Err(Failure::of(ErrorCode::LaneStartFailed, error.to_string())),
    }
}

/// Fails if the server that runs does not read the screen.
async fn works(phone: &Phone) -> Result<(), Failure> {
    let works = phone.server_works(Deadline::after(ASK)).await;
    let Err(error) = works else { return Ok(()) };
    let code = match &error {
        PhoneError::Resident { trouble: ResidentTrouble::SlotLost(_), .. } => ErrorCode::LaneSlotTaken,
        _ => ErrorCode::LaneStartFailed,
    };
    Err(Failure::of(code, format!("the server runs, but it does not read the screen: {error}")))
}

fn status(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let wanted = device::device_serial(args, world)?;
    let (serial, state, answers, reads) = device::block_on_within(args, async {
        let phone = device::reached(wanted.as_deref(), world).await?;
        let state = server_state(&phone).await?;
        let answers = phone.server_answers(Deadline::after(ASK)).await;
        let answers = answers.map_err(|error| no_answer(&error))?;
        let reads = if answers && !is_an_apps(&state) { Some(works(&phone).await) } else { None };
        Ok::<_, Failure>((phone.serial().to_owned(), state, answers, reads))
    })?;
    let set_up = marks(world).of(&serial) == ResidentSetup::Done;
    let mut answer = json!({"deviceId": serial, "setUp": set_up, "running": reads.is_some(),
        "reads": reads.as_ref().map(Result::is_ok),
        "message": reads.and_then(Result::err).map(|failure| failure.message),
        "jar": state.jar.as_deref().map(|sha256| json!({"sha256": sha256,
            "version": known_jar(sha256).map_or("unknown", |row| row.version)})),
        "startedBy": match (state.ours, answers) {
            (Some(_), _) => Some("clawperator"),
            (None, true) => Some("another program"),
            (None, false) => None,
        },
        "portOwner": state.port_owner.map(user),
        "slot": slot(&state)});
    if let Some(ours) = state.ours {
        let seconds = state.now.map(|now| now.saturating_sub(ours.since));
        answer["runningForSeconds"] = seconds.into();
        answer["idleMinutes"] = ours.idle_minutes.into();
    }
    if let Value::Object(keys) = &mut answer {
        // A key that may be missing is never null.
        keys.retain(|_, value| !value.is_null());
    }
    Ok(Answer::value(&answer, args, world))
}

fn stop(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let whose = if args.has(&own::ANY) { Whose::Any } else { Whose::Ours };
    let wanted = device::device_serial(args, world)?;
    let (serial, stopped, others) = device::block_on_within(args, async {
        let lease = device::leased(wanted.as_deref(), "lane", world).await?;
        let phone = lease.phone();
        let stopped = phone.stop_server(whose, Deadline::after(ASK)).await;
        let stopped = stopped.map_err(|error| lane_failure(&error))?;
        Ok::<_, Failure>((phone.serial().to_owned(), stopped, slot(&server_state(phone).await?)))
    })?;
    let message = if stopped {
        format!("the server on {serial} has ended")
    } else if whose == Whose::Any {
        format!("no server ran on {serial}")
    } else {
        format!("no server of ours ran on {serial}")
    };
    let answer = json!({"deviceId": serial, "stopped": stopped, "slot": others, "message": message});
    Ok(Answer::value(&answer, args, world))
}

fn remove(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let wanted = device::device_serial(args, world)?;
    let serial = device::block_on_within(args, async {
        let lease = device::leased(wanted.as_deref(), "lane", world).await?;
        let phone = lease.phone();
        phone.remove_server(Deadline::after(ASK)).await.map_err(|error| lane_failure(&error))?;
        Ok::<_, Failure>(phone.serial().to_owned())
    })?;
    marks(world).remove(&serial).map_err(|error| {
        let message = format!("nothing of the server is left on {serial}, but this cannot be noted: {error}");
        Failure::of(ErrorCode::FileWriteFailed, message)
    })?;
    let answer = json!({"deviceId": serial, "removed": true,
        "message": format!("nothing of the server is left on {serial}")});
    Ok(Answer::value(&answer, args, world))
}

fn marks(world: &World) -> SetupMarks {
    SetupMarks::new(&world.phones.state)
}

async fn server_state(phone: &Phone) -> Result<ServerState, Failure> {
    phone.server_state(Deadline::after(ASK)).await.map_err(|error| no_answer(&error))
}

fn lane_failure(error: &PhoneError) -> Failure {
    Failure::of(ErrorCode::LaneStartFailed, error.to_string())
}

/// Whether an app of the phone listens where the server should.
fn is_an_apps(state: &ServerState) -> bool {
    state.port_owner.is_some() && !state.is_trusted()
}

/// A user of the phone, by its number.
fn user(uid: u32) -> String {
    match uid {
        0 => "root".to_owned(),
        2000 => "shell".to_owned(),
        app => format!("an app (uid {app})"),
    }
}

fn slot(state: &ServerState) -> Vec<Value> {
    let others = state.others();
    let row = |pid: u32, program: &str, end: &str| json!({"pid": pid, "program": program, "end": end});
    others.map(|holder| row(holder.pid, holder.program, holder.end)).collect()
}

fn about(found: &JarFile) -> Value {
    let JarFile { jar, from } = found;
    json!({"version": version(jar), "sha256": jar.sha256(), "bytes": jar.bytes().len(), "from": from})
}

fn version(jar: &Jar) -> &'static str {
    jar.version().unwrap_or("unknown")
}

fn slot_taken(phone: &Phone, state: &ServerState) -> Failure {
    let serial = phone.serial();
    let holders: Vec<_> = state.others().collect();
    let Some(first) = holders.first() else {
        let message =
            format!("another program holds the UiAutomation slot of {serial}; none is known by name");
        return Failure::of(ErrorCode::LaneSlotTaken, message);
    };
    let names: Vec<_> =
        holders.iter().map(|holder| format!("{} (process {})", holder.program, holder.pid)).collect();
    let message =
        format!("the UiAutomation slot of {serial} is taken; these run on the phone: {}", names.join(", "));
    Failure::new(ErrorCode::LaneSlotTaken, message).hint(format!("To free it, {}.", first.end))
}

fn port_taken(phone: &Phone, state: &ServerState) -> Failure {
    let owner = state.port_owner.map_or_else(String::new, user);
    let message = format!(
        "port 9008 of {} belongs to {owner}; an app there could show a screen that is not real",
        phone.serial()
    );
    Failure::of(ErrorCode::LaneStartFailed, message)
}

/// Shows what is being done in one line, on a terminal. An empty text removes the line.
fn shown_progress(world: &World) -> impl FnMut(&str) + use<> {
    let shown = world.progress == Progress::Shown;
    move |text: &str| {
        if shown {
            super::approvals::say(&format!("{}{text}", progress::CLEAR));
        }
    }
}
