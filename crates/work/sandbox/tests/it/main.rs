//! The tests of the sandbox: one binary. Each attack is first shown to work
//! without the sandbox, and then tried inside.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a panic is how a test fails")]

mod ending;
mod escape;
mod limit;
mod nested;
mod ordinary;
mod programs;

use clawperator_sandbox::{
    Channel, Ending, Job, Level, Limits, Network, Plan, ProgramResult, Programs, Sandbox, SandboxError,
};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// A workspace, and a folder that is none of the program's business. Both are
/// removed at the end.
struct Place {
    root: PathBuf,
}

/// What a script printed and how it ended.
#[derive(Debug)]
struct Out {
    text: String,
    ending: Ending,
    /// Only known of what ran inside.
    took: Duration,
}

impl Out {
    fn is_success(&self) -> bool {
        self.ending == Ending::Exited(0)
    }
}

impl Place {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sandbox-{}-{number}", std::process::id());
        let root = folder().join(name);
        fs::create_dir_all(root.join("work")).unwrap();
        fs::create_dir_all(root.join("outside")).unwrap();
        fs::write(root.join("outside/secret"), "hunter2").unwrap();
        Self { root: root.canonicalize().unwrap() }
    }

    fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    fn outside(&self) -> PathBuf {
        self.root.join("outside")
    }

    /// The variables of a script: `W` is the workspace, `O` the folder outside.
    fn variables(&self, more: &[(&str, String)]) -> Vec<(OsString, OsString)> {
        let own = [
            ("PATH", PATH.to_owned()),
            ("W", self.work().display().to_string()),
            ("O", self.outside().display().to_string()),
        ];
        own.iter().chain(more).map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn plan(&self, script: &str, more: &[(&str, String)]) -> Plan {
        Plan {
            program: "bash".into(),
            arguments: ["-c", script].map(OsString::from).to_vec(),
            variables: self.variables(more),
            folder: self.work(),
            read: Vec::new(),
            write: vec![self.work()],
            programs: Programs::All,
            network: Network::None,
            limits: Limits::default(),
            level: Level::Strict,
        }
    }

    /// Runs a script without the sandbox.
    fn free(&self, script: &str, more: &[(&str, String)]) -> Out {
        let ran = Command::new("bash")
            .args(["-c", script])
            .envs(self.variables(more))
            .current_dir(self.work())
            .output()
            .unwrap();
        Out {
            text: String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned(),
            ending: Ending::Exited(ran.status.code().unwrap_or(-1)),
            took: Duration::ZERO,
        }
    }

    /// Runs a script inside.
    async fn confined(&self, script: &str, more: &[(&str, String)]) -> Out {
        run(&self.plan(script, more), Job::within(Duration::from_secs(20))).await
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn sandbox() -> Sandbox {
    Sandbox::new(launcher())
}

/// The variables that say where another user's tests find what they need.
const FOLDER: &str = "CLAWPERATOR_TEST_FOLDER";
const LAUNCHER: &str = "CLAWPERATOR_TEST_LAUNCHER";

fn folder() -> PathBuf {
    std::env::var_os(FOLDER).map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from)
}

fn launcher() -> PathBuf {
    std::env::var_os(LAUNCHER).map_or_else(|| env!("CARGO_BIN_EXE_sandbox-launcher").into(), PathBuf::from)
}

async fn run(plan: &Plan, job: Job) -> Out {
    let (text, ran) = try_run(plan, job).await;
    let ran = ran.unwrap();
    assert_eq!(ran.missing, [], "this computer lacks what the tests need");
    Out { text, ending: ran.ending, took: ran.took }
}

async fn try_run(plan: &Plan, job: Job) -> (String, Result<ProgramResult, SandboxError>) {
    let mut bytes = Vec::new();
    let mut listen = |_: Channel, piece: &[u8]| bytes.extend_from_slice(piece);
    let ran = sandbox().run(plan, job, &mut listen).await;
    (String::from_utf8_lossy(&bytes).into_owned(), ran)
}

/// The processes of this computer whose arguments contain a text.
fn processes(marker: &str) -> Vec<i32> {
    let all = fs::read_dir("/proc").unwrap();
    all.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
        .filter(|process: &i32| {
            let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(marker)
        })
        .collect()
}

/// A number of seconds that no other process sleeps for.
fn marker() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("77.{}{number:03}", std::process::id())
}

/// Ends processes, by their ids.
fn end(processes: &[i32]) {
    for process in processes {
        let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
    }
}
