//! The tool run_script: a script in a run folder of its own.

use super::command::{CommandRun, tell};
use super::exec::ending_text;
use super::folder::FolderError;
use super::{Workspace, cut, not_started, seconds};
use crate::action::RunScript;
use crate::result::{ToolError, ToolResult};
use clawperator_contract::ErrorCode;
use clawperator_sandbox::{Channel, Ending, Job, ProgramResult, Programs, SandboxError};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MAX_SCRIPT: usize = 12_000;
/// Where scripts run, and where their run folders are.
const SCRIPTS: &str = "scripts";
const RUNS: &str = "scripts/runs";
/// How many letters of an output the result has.
const MAX_SHOWN: usize = 6_000;
const MAX_LOG: usize = 1 << 20;

#[derive(Default)]
struct ProgramRun {
    /// How it ended; nothing if it did not run.
    ending: Option<Ending>,
    took: Duration,
    out: Vec<u8>,
    err: Vec<u8>,
    missing: Value,
}

impl Workspace {
    /// Runs a script in the sandbox. Its run folder has the script, what it printed
    /// and the result. It may run the usual programs and `more`.
    pub async fn run_script(&self, call: &RunScript, more: &[String]) -> ToolResult {
        let id = run_id();
        let folder = folder_of(&id);
        let programs = self.settings.scripts.programs(more);
        let run = match self.write_and_run(call, &folder, &programs).await {
            Ok(Ok(run)) => run,
            Ok(Err(error)) => return error.into(),
            Err(error) => {
                let run = ProgramRun { err: error.message.clone().into_bytes(), ..ProgramRun::default() };
                let mut result = ToolResult::failure(error);
                result.data = data(&id, &folder, &run);
                // The folder may be what is wrong.
                let _ = self.keep(&folder, "result.json", &result.data.to_string());
                return result;
            }
        };
        self.run_result(&id, &run, &programs)
    }

    /// Writes the script and runs it. The first error is of the call, the inner one of the folder.
    async fn write_and_run(
        &self,
        call: &RunScript,
        folder: &str,
        programs: &Programs,
    ) -> Result<Result<ProgramRun, ToolError>, ToolError> {
        let kept = self.keep(folder, "script.sh", &call.script);
        if let Err(error) = kept {
            return Ok(Err(error.about(folder)));
        }
        let length = call.script.chars().count();
        if length > MAX_SCRIPT {
            let message = format!("The script has {length} letters; {MAX_SCRIPT} are allowed.");
            return Err(ToolError::new(ErrorCode::CommandDenied, message));
        }
        let inside = self.folder.place(SCRIPTS).and_then(|place| self.folder.make(&place));
        let cwd = match inside {
            Ok(cwd) => cwd,
            Err(error) => return Ok(Err(error.about(SCRIPTS))),
        };
        let script = self.folder.path().join(folder).join("script.sh");
        let plan = self.plan(&[&script.to_string_lossy()], cwd, programs.clone());
        let mut run = ProgramRun::default();
        let (out, err) = (&mut run.out, &mut run.err);
        let mut listen = |channel: Channel, bytes: &[u8]| {
            let kept = match channel {
                Channel::Out => &mut *out,
                Channel::Err => &mut *err,
            };
            let room = MAX_LOG - kept.len();
            kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        };
        let job = Job::within(seconds(call.timeout_sec));
        let ran: Result<ProgramResult, SandboxError> = self.sandbox.run(&plan, job, &mut listen).await;
        let ran = ran.map_err(|error| not_started(&error))?;
        run.ending = Some(ran.ending);
        run.took = ran.took;
        if !ran.missing.is_empty() {
            run.missing = json!(ran.missing);
        }
        Ok(Ok(run))
    }

    fn run_result(&self, id: &str, run: &ProgramRun, programs: &Programs) -> ToolResult {
        let folder = folder_of(id);
        let data = data(id, &folder, run);
        for (name, text) in [
            ("stdout.log", String::from_utf8_lossy(&run.out)),
            ("stderr.log", String::from_utf8_lossy(&run.err)),
            ("result.json", data.to_string().into()),
        ] {
            if let Err(error) = self.keep(&folder, name, &text) {
                return error.about(&format!("{folder}/{name}")).into();
            }
        }
        let how = run.ending.map_or_else(|| "it did not run".to_owned(), ending_text);
        let mut text = how.clone();
        for (name, key) in [("stdout", "stdout"), ("stderr", "stderr")] {
            let shown = data[key].as_str().unwrap_or_default();
            if !shown.is_empty() {
                let _ = write!(text, "\n{name}:\n{}", shown.trim_end());
            }
        }
        let mut result = ToolResult::success(format!("{folder}: {text}")).with_data(data);
        let failure = (run.ending != Some(Ending::Exited(0))).then(|| format!("The script failed: {how}."));
        let output = String::from_utf8_lossy(&run.err);
        let ran = CommandRun { failure, ending: run.ending, programs, output: &output };
        tell(&mut result, ran);
        result
    }

    fn keep(&self, folder: &str, name: &str, text: &str) -> Result<(), FolderError> {
        let place = self.folder.place(&format!("{folder}/{name}"))?;
        self.folder.write(&place, text.as_bytes())
    }
}

fn data(id: &str, folder: &str, run: &ProgramRun) -> Value {
    let shown = |bytes: &[u8]| cut(&String::from_utf8_lossy(bytes), MAX_SHOWN).0;
    let exit_code = match run.ending {
        Some(Ending::Exited(code)) => Some(code),
        _ => None,
    };
    let mut data = json!({
        "ok": exit_code == Some(0),
        "runId": id,
        "runDir": folder,
        "scriptPath": format!("{folder}/script.sh"),
        "exitCode": exit_code,
        "timedOut": run.ending == Some(Ending::TimedOut),
        "durationMs": u64::try_from(run.took.as_millis()).unwrap_or(u64::MAX),
        "stdout": shown(&run.out),
        "stderr": shown(&run.err),
    });
    if !run.missing.is_null() {
        data["missing"] = run.missing.clone();
    }
    data
}

fn folder_of(id: &str) -> String {
    format!("{RUNS}/{id}")
}

/// A name that no other run has: the time, and six digits of what tells runs apart.
fn run_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let hash = Sha256::digest(format!("{} {} {number}", now.as_nanos(), std::process::id()));
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let time = time.strftime("%Y%m%d-%H%M%S");
    format!("run-{time}-{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2])
}
