//! The launcher: two processes that stand between the supervisor and a program.
//!
//! The *outer* one enters the namespaces and waits. The *inner* one is its child, and the first
//! process of the pid namespace: it takes the rights away from itself, starts the program, and
//! passes input on to it. When the inner one ends, the kernel ends every process of the namespace;
//! the outer one ends after that. Both are single-threaded while they take rights away.

mod calls;
mod capability;
mod inner;
mod limits;
mod namespace;
mod outer;
pub(crate) mod root;
mod rules;

use crate::wire::{self, LauncherMessage};
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

/// The argument that makes a launcher the inner process; what the outer one found out follows.
const INNER: &str = "inner";

/// Runs the launcher; `arguments` is what follows [`LAUNCH`](crate::LAUNCH). The
/// process must have one thread. Returns when the program has ended.
pub fn enter(arguments: Vec<OsString>) -> ExitCode {
    if close_others().is_err() {
        return ExitCode::FAILURE;
    }
    let Ok(socket) = std::io::stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    let socket = UnixStream::from(socket);
    let mut arguments = arguments.into_iter();
    let done = match (arguments.next(), arguments.next()) {
        (Some(which), Some(known)) if which == INNER => inner::run(&socket, &known),
        _ => outer::run(&socket),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If the supervisor is gone, no reader is left.
            let _ = wire::say(&socket, &LauncherMessage::NotStarted(error.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Closes every file but the first three: the supervisor may have been started
/// with others. This program must not have opened any yet.
fn close_others() -> std::io::Result<()> {
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in open {
        // The one that the folder was read with is closed already.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}
