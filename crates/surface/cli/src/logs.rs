//! `logs`: prints today's log and follows it.

use super::args::Args;
use super::device::block_on;
use super::flags;
use super::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_private as private;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

/// How often to look for new lines.
const AGAIN: Duration = Duration::from_millis(500);
/// How many bytes are read at a time.
const PIECE: u64 = 64 << 10;

pub(super) fn logs(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let Some(path) = world.log.today() else {
        (world.note)("there is no log: neither HOME nor CLAWPERATOR_LOG_DIR is set\n");
        return Ok(Answer::text(""));
    };
    let is_once = args.has(&flags::NO_FOLLOW);
    if !path.exists() {
        let next = if is_once { "" } else { "; waiting for it" };
        (world.note)(&format!("there is no log for today yet{next}: {}\n", path.display()));
    }
    let printed =
        if is_once { print_from(&path, 0, world).map(drop) } else { block_on(follow(path, world))? };
    match printed {
        // The reader closed the pipe; that is not a failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(ErrorCode::InternalError, format!("cannot read the log: {error}")))
        }
        Ok(()) | Err(_) => Ok(Answer::text("")),
    }
}

/// Prints what there is and what is added, day after day, until interrupted.
async fn follow(mut path: PathBuf, world: &mut World) -> io::Result<()> {
    let mut asked = pin!(clawperator_background::asked_to_end()?);
    let mut at = 0;
    loop {
        at = print_from(&path, at, world)?;
        tokio::select! {
            biased;
            () = &mut asked => return Ok(()),
            () = tokio::time::sleep(AGAIN) => {}
        }
        if let Some(today) = world.log.today().filter(|today| *today != path && today.exists()) {
            print_from(&path, at, world)?;
            (path, at) = (today, 0);
        }
    }
}

/// Prints a file from an offset; returns where it ends.
fn print_from(path: &Path, from: u64, world: &mut World) -> io::Result<u64> {
    let mut file = match private::open(path) {
        // It was rotated, and the next line begins a new one.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        opened => opened?,
    };
    let mut at = if file.metadata()?.len() < from { 0 } else { from };
    file.seek(SeekFrom::Start(at))?;
    loop {
        let mut piece = Vec::new();
        let count = file.by_ref().take(PIECE).read_to_end(&mut piece)?;
        if count == 0 {
            return Ok(at);
        }
        (world.print)(&piece)?;
        at += count as u64;
    }
}
