//! `logs`: prints today's log, and what is added to it.

use super::given::Given;
use super::reach::block_on;
use super::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

/// How often it is looked for more.
const AGAIN: Duration = Duration::from_millis(500);
/// How much is read at a time.
const PIECE: u64 = 64 << 10;

/// Prints today's log.
pub(super) fn logs(given: &Given, world: &mut World) -> Result<Answer, Failure> {
    let nothing = Answer {
        text: String::new(),
        exit_code: 0,
    };
    let Some(path) = world.log.today() else {
        (world.note)("there is no log: HOME is not set, nor CLAWPERATOR_LOG_DIR\n");
        return Ok(nothing);
    };
    let is_over = given.has("no-follow");
    if !path.exists() {
        let next = if is_over { "" } else { "; waiting for it" };
        (world.note)(&format!(
            "there is no log of today yet{next}: {}\n",
            path.display()
        ));
    }
    let printed = if is_over {
        print_from(&path, 0, world).map(drop)
    } else {
        block_on(follow(path, world))?
    };
    match printed {
        // Whoever read us had enough; that is no failure of ours.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("the log cannot be read: {error}");
            Err(Failure::new(ErrorCode::InternalError, message))
        }
        Ok(()) | Err(_) => Ok(nothing),
    }
}

/// Prints what there is and what is added, day after day, until interrupted.
async fn follow(mut path: PathBuf, world: &mut World) -> io::Result<()> {
    let mut asked = pin!(crate::signals::asked_to_end()?);
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

/// Prints a file from there on; where it ends.
fn print_from(path: &Path, from: u64, world: &mut World) -> io::Result<u64> {
    let mut file = match File::open(path) {
        // It was put aside, and the next line begins a new one.
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
        (world.say)(&piece)?;
        at += count as u64;
    }
}
