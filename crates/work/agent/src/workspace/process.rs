//! The tool process: the commands that run in the background.

use super::Workspace;
use super::exec::{about, line};
use super::file::whole;
use super::session::{ProgramSession, Status};
use crate::action::{Process, ProcessAction};
use crate::result::{ToolError, ToolResult};
use clawperator_contract::ErrorCode;
use clawperator_sandbox::InputPiece;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const MAX_POLL: Duration = Duration::from_secs(120);
const MAX_LINES: usize = 2000;
const KILL: Duration = Duration::from_secs(3);

impl Workspace {
    /// Lists, polls, shows, feeds or ends commands.
    pub async fn process(&self, process: &Process) -> ToolResult {
        if process.action == ProcessAction::List {
            return self.list();
        }
        let session = match self.session(process) {
            Ok(session) => session,
            Err(error) => return error.into(),
        };
        match process.action {
            ProcessAction::List => self.list(),
            ProcessAction::Poll => self.poll(&session, process).await,
            ProcessAction::Log => self.log(&session, process),
            ProcessAction::Write => feed(&session, process.input.as_deref()),
            ProcessAction::Kill => {
                session.stop();
                session.wait_for_end(Some(KILL)).await;
                let mut result = self.session_result(&session);
                // That it is killed was asked for.
                result.ok = !session.is_running();
                result.error = session.is_running().then(|| {
                    let message = format!("{} was asked to end, and still runs.", session.id);
                    ToolError::new(ErrorCode::CommandFailed, message).with_hint("Poll it, or kill it again.")
                });
                result
            }
        }
    }

    fn session(&self, process: &Process) -> Result<Arc<ProgramSession>, ToolError> {
        let id = process.session_id.as_deref().map_or("", str::trim);
        if id.is_empty() {
            return Err(ToolError::new(ErrorCode::MissingArgument, "No sessionId is given."));
        }
        self.sessions
            .find(id)
            .ok_or_else(|| ToolError::new(ErrorCode::ProcessNotFound, format!("There is no command {id:?}.")))
    }

    fn list(&self) -> ToolResult {
        let all = self.sessions.all();
        let each = |session: &Arc<ProgramSession>| {
            let state = session.state();
            let text = format!("{}: {}", line(session, &state), session.command);
            (text, about(session, &state))
        };
        let (lines, data): (Vec<String>, Vec<_>) = all.iter().map(each).unzip();
        let text = if lines.is_empty() { "No command was started.".to_owned() } else { lines.join("\n") };
        ToolResult::success(text).with_data(json!({ "sessions": data }))
    }

    /// What came since the last time, after a wait for it.
    async fn poll(&self, session: &ProgramSession, process: &Process) -> ToolResult {
        let limit = Duration::from_millis(whole(process.timeout_ms) as u64).min(MAX_POLL);
        session.news(limit).await;
        let mut state = session.state();
        if let Some(error) = &state.not_started {
            return super::not_started(error).into();
        }
        let is_lost = state.shown < state.output.dropped;
        let (new, shown) = state.output.next(state.shown, self.settings.max_output);
        // At the end nothing comes that completes a letter.
        let has_more = shown < state.output.total() && (!new.is_empty() || state.status == Status::Running);
        state.shown = if has_more { shown } else { state.output.total() };
        let mut data = about(session, &state);
        data["output"] = new.clone().into();
        data["truncated"] = is_lost.into();
        data["more"] = has_more.into();
        let before = if is_lost { "[what came before is left out]\n" } else { "" };
        let more = if has_more { "\n[poll again for more]" } else { "" };
        let text = format!("{}\n{before}{new}{more}", line(session, &state));
        ToolResult::success(text.trim_end()).with_data(data)
    }

    fn log(&self, session: &ProgramSession, process: &Process) -> ToolResult {
        let state = session.state();
        let all = state.output.since(0);
        let first = state.output.dropped_lines;
        let lines: Vec<&str> = all.lines().collect();
        let offset = whole(process.offset).max(first);
        let most = whole(process.limit).clamp(1, MAX_LINES);
        let shown: Vec<&str> = lines.iter().skip(offset - first).take(most).copied().collect();
        let (body, is_cut) = super::cut(&shown.join("\n"), self.settings.max_output);
        let mut data = about(session, &state);
        data["offset"] = offset.into();
        data["lines"] = shown.len().into();
        data["totalLines"] = (first + lines.len()).into();
        data["output"] = body.clone().into();
        data["truncated"] = is_cut.into();
        let head = line(session, &state);
        let head = format!("{head}; lines from {offset} of {}", first + lines.len());
        ToolResult::success(format!("{head}\n{body}").trim_end()).with_data(data)
    }
}

/// Writes to a command; without a text its input is closed.
fn feed(session: &ProgramSession, input: Option<&str>) -> ToolResult {
    let (input, done) = match input {
        Some(text) => (InputPiece::Bytes(text.as_bytes().to_vec()), format!("{} bytes written", text.len())),
        None => (InputPiece::End, "its input is closed".to_owned()),
    };
    if session.feed(input) {
        ToolResult::success(format!("{}: {done}", session.id))
    } else {
        let message = format!("{} takes no input now.", session.id);
        ToolError::new(ErrorCode::ProcessInputRefused, message).into()
    }
}
