//! The test executables, several at once. Most of their time they wait for a process
//! or for time to pass, so one after the other they leave the processor idle.

use crate::check::{TESTS, cargo};
use crate::outcome::{Outcome, failure as failed_test, outcome};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many tests are run again at most.
const MOST_AGAIN: usize = 6;

/// Which executables are built and how they are run.
pub(crate) struct Pool<'p> {
    /// What builds them.
    pub(crate) build: &'p [&'p str],
    /// The program that runs each, with its arguments; none if it runs by itself.
    pub(crate) inside: &'p [&'p str],
    pub(crate) args: Vec<&'p str>,
    /// How many run at once.
    pub(crate) at_once: usize,
}

/// One test executable.
struct Executable {
    program: PathBuf,
    /// The folder of its package, where it runs.
    package: PathBuf,
}

/// Builds our own tests and runs them.
pub(crate) fn run(root: &Path) -> Outcome {
    let pool = Pool { build: &TESTS, inside: &[], args: Vec::new(), at_once: 2 };
    pool.run(root)
}

impl Pool<'_> {
    /// Builds tests and runs them; a failure names the tests that failed.
    pub(crate) fn run(&self, root: &Path) -> Outcome {
        let executables = match self.executables(root) {
            Ok(executables) => executables,
            Err(why) => return Outcome::Failed(why),
        };
        let next = AtomicUsize::new(0);
        let work = || {
            let turns = std::iter::from_fn(|| executables.get(next.fetch_add(1, Ordering::Relaxed)));
            turns
                .filter_map(|executable| Some((executable, executable.run(self, root, &[]).err()?)))
                .collect()
        };
        let failures: Vec<(&Executable, TestFailure)> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.at_once).map(|_| scope.spawn(work)).collect();
            let ended = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
            ended
                .flat_map(|failed: Result<Vec<_>, _>| failed.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        self.judge(root, &failures)
    }

    /// Runs what failed once more, with nothing beside it: a busy machine fails a test that waits
    /// for a process. More than a few is no accident.
    fn judge(&self, root: &Path, failures: &[(&Executable, TestFailure)]) -> Outcome {
        let count: usize = failures.iter().map(|(_, failure)| failure.tests.len()).sum();
        let (mut failed, mut again) = (Vec::new(), Vec::new());
        for (executable, failure) in failures {
            let alone = count <= MOST_AGAIN && !failure.tests.is_empty();
            let list = if alone && executable.run(self, root, &failure.tests).is_ok() {
                &mut again
            } else {
                &mut failed
            };
            list.extend(failure.named(executable));
        }
        match (failed.is_empty(), again.is_empty()) {
            (true, true) => Outcome::Passed,
            (true, false) => Outcome::PassedAgain(again),
            (false, _) => Outcome::failed(String::new(), failed),
        }
    }

    /// The executables, those that take longest first: the program's own, then the largest.
    fn executables(&self, root: &Path) -> Result<Vec<Executable>, String> {
        let mut build = cargo(root, &[self.build, &["--no-run", "--message-format=json"]].concat());
        let built = build.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
        if !built.status.success() {
            return Err("the tests cannot be built".to_owned());
        }
        let messages = String::from_utf8_lossy(&built.stdout);
        // Of each line two texts, which are paths: no need for a parser.
        let text = |line: &str, key: &str| {
            let (_, rest) = line.split_once(&format!("\"{key}\":\""))?;
            rest.split_once('"').map(|(value, _)| PathBuf::from(value))
        };
        let found = messages
            .lines()
            .filter(|line| {
                line.rsplit_once("\"profile\":")
                    .is_some_and(|(_, profile)| profile.contains("\"test\":true}"))
            })
            .filter_map(|line| {
                let program = text(line, "executable")?;
                let package = text(line, "manifest_path")?.parent()?.to_owned();
                Some((program, package))
            });
        let mut found: Vec<_> = found
            .collect::<HashMap<_, _>>()
            .into_iter()
            .map(|(program, package)| Executable { program, package })
            .collect();
        // The program's own tests start it again and again, and are small themselves.
        found.sort_by_key(|it| {
            let size = fs::metadata(&it.program).map_or(0, |about| about.len());
            Reverse((it.package.ends_with("crates/clawperator"), size))
        });
        Ok(found)
    }
}

/// Why an executable failed.
struct TestFailure {
    /// The tests that failed; none if it ended before it could say which.
    tests: Vec<String>,
    why: String,
}

impl TestFailure {
    fn named(&self, executable: &Executable) -> Vec<String> {
        if self.tests.is_empty() {
            return vec![self.why.clone()];
        }
        self.tests.iter().map(|test| format!("{}: {test}", executable.package())).collect()
    }
}

impl Executable {
    fn package(&self) -> String {
        self.package.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Runs it and prints what it printed, in one piece. `only` are the tests to run, alone; none
    /// are all.
    fn run(&self, pool: &Pool<'_>, root: &Path, only: &[String]) -> Result<(), TestFailure> {
        let name = self.program.file_name().unwrap_or_default().to_string_lossy();
        let package = self.package();
        let log = root.join("target/tmp").join(format!("{name}.log"));
        let failure = |tests, why| TestFailure { tests, why };
        let unreadable = |error: std::io::Error| failure(Vec::new(), format!("{}: {error}", log.display()));
        fs::create_dir_all(root.join("target/tmp")).map_err(unreadable)?;
        let file = File::create(&log).map_err(unreadable)?;
        let errors = file.try_clone().map_err(unreadable)?;
        let mut words = pool.inside.iter().map(OsStr::new).chain([self.program.as_os_str()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command
            .args(words)
            .args(&pool.args)
            .args(only)
            .args((!only.is_empty()).then_some("--exact"))
            .current_dir(&self.package)
            .env("CARGO_MANIFEST_DIR", &self.package)
            .env(
                "RUST_TEST_THREADS",
                if only.is_empty() { crate::check::test_threads() } else { "1".to_owned() },
            )
            .envs(crate::genuine::programs(root))
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors);
        let ended = outcome(&mut command);
        let printed = fs::read(&log).map_err(unreadable)?;
        let printed = String::from_utf8_lossy(&printed);
        println!("-- {package}: {name}\n{printed}");
        let Outcome::Failed(why) = ended else {
            return Ok(());
        };
        let failed: Vec<_> = printed
            .lines()
            .filter_map(|line| failed_test(line).filter(|_| line.starts_with("test ")))
            .map(str::to_owned)
            .collect();
        Err(failure(failed, why))
    }
}
