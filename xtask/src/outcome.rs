//! What comes of a check.

use std::io::IsTerminal;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// No check of ours takes a quarter of this; one that does hangs, and a run that
/// never ends does not show what hangs.
const LIMIT: Duration = Duration::from_secs(1_200);

/// What came of a check.
pub(crate) enum Outcome {
    /// It held.
    Passed,
    /// It could not run, for this reason.
    Skipped(String),
    /// It did not hold.
    Failed(String),
}

/// Runs a command to its end, or to the limit.
pub(crate) fn outcome(command: &mut Command) -> Outcome {
    // A group of its own, so that all it started can be ended with it. Not at a
    // terminal: Ctrl-C would no longer reach it.
    let grouped = !std::io::stdin().is_terminal();
    if grouped {
        command.process_group(0);
    }
    let ended = command.spawn().and_then(|mut child| wait(&mut child, grouped));
    match ended {
        Ok(Some(status)) if status.success() => Outcome::Passed,
        Ok(Some(status)) => Outcome::Failed(format!("{command:?} ended with {status}")),
        Ok(None) => Outcome::Failed(format!("{command:?} was ended after {} s", LIMIT.as_secs())),
        Err(error) => Outcome::Failed(format!("{command:?} could not be started: {error}")),
    }
}

fn wait(child: &mut Child, grouped: bool) -> std::io::Result<Option<std::process::ExitStatus>> {
    let started = Instant::now();
    while started.elapsed() < LIMIT {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    if grouped {
        let group = format!("-{}", child.id());
        Command::new("kill").args(["-KILL", "--", &group]).status()?;
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}
