//! The inner process of the launcher: it takes the rights away from itself, starts
//! the program, and ends when the program or the supervisor does.

use super::limits::{self, NamespaceBounds};
use super::outer::{self, OuterFacts};
use super::rules::{self, Own};
use super::{calls, capability, root};
use crate::wire::{self, LaunchOrder, LauncherMessage, say};
use crate::{Level, Missing, Part, Plan};
use nix::sys::signal::SigSet;
use rustix::process::{
    DumpableBehavior, Signal, WaitOptions, WaitStatus, set_dumpable_behavior,
    set_parent_process_death_signal, wait,
};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

pub(super) fn run(socket: &UnixStream, known: &OsStr) -> io::Result<()> {
    let known: OuterFacts = serde_json::from_slice(known.as_encoded_bytes())?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if is_orphan(known.outer) {
        return Ok(());
    }
    let mut order: LaunchOrder = serde_json::from_slice(&wire::read(socket)?)?;
    let missing = match confine(&mut order, known) {
        Ok(missing) => missing,
        Err(error) => return say(socket, &LauncherMessage::NotStarted(error.to_string())),
    };
    let plan = order.plan;
    if plan.level == Level::Strict && !missing.is_empty() {
        return say(socket, &LauncherMessage::Refused(missing));
    }
    // No program inside looks into this process.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let stdin = pass_input(socket)?;
    match start(&plan) {
        Ok(mut child) => {
            say(socket, &LauncherMessage::Started(missing))?;
            // If the supervisor is gone, the thread that passes input on has ended.
            let _ = stdin.send(child.stdin.take());
            say(socket, &until_ended(&child)?)
        }
        Err(error) => {
            let program = plan.program.display();
            say(socket, &LauncherMessage::NotStarted(format!("{program}: {error}")))
        }
    }
}

/// Whether the outer process ended before this one could ask to be told. `/proc`
/// is still that of the outer process, so it knows its number.
fn is_orphan(outer: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    parent.is_some_and(|parent| parent.trim().parse() != Ok(outer))
}

/// Takes the rights away; says which parts are missing. What fails here besides
/// them would leave the process with unknown rights.
fn confine(order: &mut LaunchOrder, known: OuterFacts) -> io::Result<Vec<Missing>> {
    let mut missing = known.missing;
    let lacks = |missing: &[Missing], part| missing.iter().any(|one: &Missing| one.part == part);
    if !lacks(&missing, Part::MountNamespace)
        && let Err(error) = root::begin(&order.plan)
    {
        // Some systems allow a namespace, and no mount in it.
        missing.push(Missing::new(Part::MountNamespace, error));
    }
    let own = Own {
        root: !lacks(&missing, Part::MountNamespace),
        processes: !lacks(&missing, Part::MountNamespace) && !lacks(&missing, Part::PidNamespace),
    };
    if own.root {
        root::change(order)?;
    } else {
        use_scratch(&mut order.plan, outer::scratch(known.outer))?;
    }
    let plan = &order.plan;
    let inside = NamespaceBounds { user: !lacks(&missing, Part::UserNamespace), processes: own.processes };
    missing.extend(limits::count(&plan.limits, &inside).err());
    limits::set(&plan.limits)?;
    capability::drop_all()?;
    missing.extend(rules::apply(order, own));
    if let Err(error) = calls::apply(plan, own) {
        missing.push(Missing::new(Part::SystemCalls, error));
    }
    Ok(missing)
}

/// Gives the program a folder for its passing files in place of `/tmp`.
fn use_scratch(plan: &mut Plan, folder: PathBuf) -> io::Result<()> {
    // A launcher of the same number may have been killed.
    let _ = fs::remove_dir_all(&folder);
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    for (_, value) in plan.variables.iter_mut().filter(|(_, value)| value == "/tmp") {
        *value = folder.clone().into();
    }
    plan.write.push(folder);
    Ok(())
}

fn start(plan: &Plan) -> io::Result<Child> {
    Command::new(&plan.program)
        .args(&plan.arguments)
        .env_clear()
        .envs(plan.variables.iter().map(|(name, value)| (name, value)))
        .current_dir(&plan.folder)
        .stdin(Stdio::piped())
        .spawn()
}

/// Starts the two threads that pass input on, before a program can use up all
/// processes; it gets the program's input later.
fn pass_input(socket: &UnixStream) -> io::Result<Sender<Option<ChildStdin>>> {
    let (to_writer, input) = channel();
    let (to_thread, stdin) = channel();
    let (frames, answers) = (socket.try_clone()?, socket.try_clone()?);
    // The kernel keeps signals of the program from the first process of its
    // namespace, unless one of its threads lets them in while another blocks them.
    SigSet::all().thread_block()?;
    std::thread::Builder::new().spawn(move || pass_on(&stdin, &input, &answers))?;
    std::thread::Builder::new().spawn(move || {
        // The supervisor sends a frame when the one before it was taken, so this
        // never waits for a program that does not read.
        while let Ok(frame) = wire::read(&frames) {
            let _ = to_writer.send(frame);
        }
        // The supervisor is gone, or wants all to end: with this process, the namespace does.
        std::process::exit(0);
    })?;
    SigSet::all().thread_unblock()?;
    Ok(to_thread)
}

/// Waits for the program, and for every orphan that becomes a child of this process.
fn until_ended(child: &Child) -> io::Result<LauncherMessage> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get().unsigned_abs() == child.id() => {
                return Ok(ending(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn ending(status: WaitStatus) -> LauncherMessage {
    match status.terminating_signal() {
        Some(signal) => LauncherMessage::Signalled(signal),
        None => LauncherMessage::Exited(status.exit_status().unwrap_or(1)),
    }
}

/// Writes input to the program; an empty frame closes it.
fn pass_on(stdin: &Receiver<Option<ChildStdin>>, input: &Receiver<Vec<u8>>, socket: &UnixStream) {
    let mut stdin = stdin.recv().ok().flatten();
    for frame in input {
        if frame.is_empty() {
            stdin = None;
        } else if let Some(open) = &mut stdin
            && open.write_all(&frame).is_err()
        {
            // The program closed it.
            stdin = None;
        }
        if say(socket, &LauncherMessage::Taken).is_err() {
            return;
        }
    }
}
