//! The tool exec.

use super::command::{CommandRun, tell};
use super::session::{MAX_RUNNING, ProgramSession, ProgramStart, ProgramState, Status};
use super::{Workspace, cut, not_started, seconds};
use crate::action::Exec;
use crate::result::{ToolError, ToolResult};
use clawperator_contract::ErrorCode;
use clawperator_sandbox::Ending;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How much of an output is kept: this many times what a result shows, and no less than this.
const KEPT_TIMES: usize = 12;
const KEPT_LEAST: usize = 48_000;

/// Ends a program whose caller has left, unless it may go on.
struct ProgramGuard {
    session: Arc<ProgramSession>,
    may_go_on: bool,
}

impl Drop for ProgramGuard {
    fn drop(&mut self) {
        if !self.may_go_on {
            self.session.stop();
        }
    }
}

impl Workspace {
    /// Runs a command in the sandbox: to its end, for a while, or in the background.
    /// It may run the usual programs and `more`.
    pub async fn exec(&self, exec: &Exec, more: &[String]) -> ToolResult {
        let session = match self.start_session(exec, more) {
            Ok(session) => session,
            Err(error) => return error.into(),
        };
        let mut waited = ProgramGuard { session, may_go_on: false };
        let most = exec.yield_ms.get().round();
        if exec.background {
            waited.may_go_on = true;
        } else if most > 0.0 {
            let limit = Duration::try_from_secs_f64(most / 1000.0).unwrap_or(super::MAX_TIME);
            waited.session.wait_for_end(Some(limit)).await;
            waited.may_go_on = true;
        } else {
            waited.session.wait_for_end(None).await;
        }
        self.session_result(&waited.session)
    }

    fn start_session(&self, exec: &Exec, more: &[String]) -> Result<Arc<ProgramSession>, ToolError> {
        if exec.command.trim().is_empty() {
            return Err(ToolError::new(ErrorCode::MissingArgument, "No command is given."));
        }
        let folder = exec.workdir.as_deref().filter(|path| !path.trim().is_empty()).unwrap_or(".");
        let path = self.folder.place(folder).and_then(|place| self.folder.folder(&place));
        let path = path.map_err(|error| error.about(folder))?;
        let start = ProgramStart {
            sandbox: self.sandbox.clone(),
            plan: self.plan(&["-c", &exec.command], path, self.settings.commands.programs(more)),
            command: exec.command.clone(),
            folder: folder.to_owned(),
            limit: seconds(exec.timeout_sec),
            kept: (KEPT_TIMES * self.settings.max_output).max(KEPT_LEAST),
        };
        self.sessions.start(start).ok_or_else(|| {
            let message = format!("{MAX_RUNNING} commands run already.");
            ToolError::new(ErrorCode::TooManyProcesses, message)
        })
    }

    /// A session as a result: the end of its output.
    pub(super) fn session_result(&self, session: &ProgramSession) -> ToolResult {
        let state = session.state();
        if let Some(error) = &state.not_started {
            return not_started(error).into();
        }
        let all = state.output.since(0);
        let count = all.chars().count();
        let skip = count.saturating_sub(self.settings.max_output);
        let output: String = all.chars().skip(skip).collect();
        let is_cut = skip > 0 || state.output.dropped > 0;
        let mut data = about(session, &state);
        data["output"] = output.clone().into();
        data["truncated"] = is_cut.into();
        if !state.missing.is_empty() {
            data["missing"] = json!(state.missing);
        }
        let left_out = if is_cut { "[what came before is left out]\n" } else { "" };
        let text = format!("{}\n{left_out}{output}", line(session, &state));
        let mut result = ToolResult::success(text.trim_end()).with_data(data);
        let failure = (!matches!(state.status, Status::Running | Status::Completed)).then(|| {
            let how = state.ending.map_or("it failed".to_owned(), ending_text);
            format!("The command is {}: {how}.", state.status.word())
        });
        let run = CommandRun { failure, ending: state.ending, programs: &session.programs, output: &output };
        tell(&mut result, run);
        result
    }
}

/// What is known of a session, without its output.
pub(super) fn about(session: &ProgramSession, state: &ProgramState) -> Value {
    json!({
        "sessionId": session.id,
        "status": state.status.word(),
        "runtimeMs": u64::try_from(session.took(state).as_millis()).unwrap_or(u64::MAX),
        "exitCode": state.exit_code,
        "cwd": session.folder,
        "command": cut(&session.command, 500).0,
    })
}

pub(super) fn line(session: &ProgramSession, state: &ProgramState) -> String {
    let code = state.exit_code;
    let code = code.map_or_else(String::new, |code| format!(" with exit code {code}"));
    format!("{} is {}{code}", session.id, state.status.word())
}

/// How a program ended, for people and models.
pub(super) fn ending_text(ending: Ending) -> String {
    match ending {
        Ending::Exited(code) => format!("it ended with exit code {code}"),
        Ending::Signalled(signal) => format!("signal {signal} ended it"),
        Ending::TimedOut => "its time was over, and everything that it started is ended".to_owned(),
        Ending::Stopped => "it was ended from outside".to_owned(),
        Ending::Flooded => "it printed too much, so it was ended".to_owned(),
    }
}
