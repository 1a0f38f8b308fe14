//! What comes of a check.

use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// No check of ours takes a quarter of this; one that does hangs, and a run that
/// never ends does not show what hangs.
const LIMIT: Duration = Duration::from_secs(1_200);
/// How long the end of the output is waited for: what a test left running may
/// hold it open.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// The most that the summary names of one check.
const NAMED: usize = 20;

/// What came of a check.
pub(crate) enum Outcome {
    Passed,
    /// It passed, but these tests only when they were run again, alone.
    PassedAgain(Vec<String>),
    /// It could not run, for this reason.
    Skipped(String),
    Failed(String),
}

impl Outcome {
    /// A failure that names what failed: a line each, under the first.
    pub(crate) fn failed(why: String, mut named: Vec<String>) -> Self {
        named.dedup();
        let more = named.len().saturating_sub(NAMED);
        named.truncate(NAMED);
        if more > 0 {
            named.push(format!("and {more} more"));
        }
        if named.is_empty() {
            named.push(why);
        }
        Self::Failed(named.join("\n                         "))
    }
}

/// What a line of a check's output says has failed: a test, a place that is not
/// formatted, an error of the compiler.
pub(crate) fn failure(line: &str) -> Option<&str> {
    let test = line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"));
    let is_place = line.starts_with("Diff in ") || line.starts_with("error");
    // Cargo's own last words only repeat that something failed.
    let repeats = ["could not compile", "test failed", "target failed", "doctest failed"];
    let repeats = repeats.iter().any(|words| line.contains(words));
    test.or_else(|| (is_place && !repeats).then_some(line))
}

/// Runs a command to its end, or to the limit. What it prints is shown, and the
/// failures in it are named.
pub(crate) fn told(command: &mut Command) -> Outcome {
    let found = Arc::new(Mutex::new(Vec::new()));
    let ended = run(command.stdout(Stdio::piped()).stderr(Stdio::piped()), |child| {
        let out = child.stdout.take().map(|pipe| follow(pipe, &found, |line| println!("{line}")));
        let err = child.stderr.take().map(|pipe| follow(pipe, &found, |line| eprintln!("{line}")));
        [out, err].into_iter().flatten().collect()
    });
    match ended {
        Outcome::Failed(why) => {
            let found = found.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Outcome::failed(why, found)
        }
        ended => ended,
    }
}

type Reader = std::thread::JoinHandle<()>;

fn follow(pipe: impl Read + Send + 'static, found: &Arc<Mutex<Vec<String>>>, show: fn(&str)) -> Reader {
    let found = Arc::clone(found);
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            show(&line);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.extend(failure(&line).map(str::to_owned));
        }
    })
}

/// Runs a command to its end, or to the limit.
pub(crate) fn outcome(command: &mut Command) -> Outcome {
    run(command, |_| Vec::new())
}

fn run(command: &mut Command, listen: impl FnOnce(&mut Child) -> Vec<Reader>) -> Outcome {
    // A group of its own, so that all it started can be ended with it. Not at a
    // terminal: Ctrl-C would no longer reach it.
    let grouped = !std::io::stdin().is_terminal();
    if grouped {
        command.process_group(0);
    }
    let ended = command.spawn().and_then(|mut child| {
        let readers = listen(&mut child);
        let ended = wait(&mut child, grouped);
        let since = Instant::now();
        while since.elapsed() < LAST_WORDS && !readers.iter().all(Reader::is_finished) {
            std::thread::sleep(Duration::from_millis(20));
        }
        ended
    });
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str) -> String {
        match told(Command::new("sh").args(["-c", script])) {
            Outcome::Failed(why) => why,
            Outcome::Passed | Outcome::PassedAgain(_) => "passed".to_owned(),
            Outcome::Skipped(why) => format!("skipped: {why}"),
        }
    }

    #[test]
    fn what_failed_is_named() {
        for (script, named) in [
            ("echo 'test a::b ... FAILED'; exit 101", "a::b"),
            (
                "echo 'test src/lib.rs - f (line 3) ... FAILED'; echo 'error: doctest failed, to rerun' >&2; exit 1",
                "src/lib.rs - f (line 3)",
            ),
            (
                "echo 'error[E0308]: mismatched types' >&2; echo 'error: could not compile `x`' >&2; exit 101",
                "error[E0308]: mismatched types",
            ),
            ("echo 'Diff in /a/b.rs:3:'; exit 1", "Diff in /a/b.rs:3:"),
            ("echo 'test a::b ... FAILED'", "passed"),
        ] {
            assert_eq!(of(script), named, "{script}");
        }
        assert!(of("exit 3").contains("exit status: 3"));
        assert!(of("kill -9 $$").contains("signal: 9"));
        let many = of("for i in $(seq 30); do echo \"test t$i ... FAILED\"; done; exit 1");
        assert!(many.ends_with("and 10 more"), "{many}");
    }

    #[test]
    fn what_a_test_left_running_does_not_keep_us() {
        let began = Instant::now();
        assert_eq!(of("echo 'test a ... FAILED'; sleep 10 & exit 1"), "a");
        assert!(began.elapsed() < Duration::from_secs(9));
    }
}
