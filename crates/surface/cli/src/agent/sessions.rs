//! `agent sessions` and `agent show`.

use crate::args::Args;
use crate::flags::agent as flags;
use crate::output;
use crate::people::aligned;
use crate::world::{Answer, World};
use clawperator_agent::session::{self, SessionError, SessionId, StoredSession, Summary, list, page};
use clawperator_contract::text::visible;
use clawperator_contract::{ErrorCode, Failure};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The word for the newest session.
const LAST: &str = "last";

pub(super) fn sessions(args: &Args, world: &World) -> Result<Answer, Failure> {
    let found = list(&folder(world))?;
    Ok(Answer::json_or(&json!({"sessions": found}), args, || for_people(&found)))
}

pub(super) fn show(args: &Args, world: &World) -> Result<Answer, Failure> {
    let session = named_session(args, LastSession::Any, world)?;
    if let Some(file) = args.value(&flags::SESSION_REPORT)? {
        output::write_file(Path::new(file), page(&session).as_bytes())?;
        return Ok(Answer::json(&json!({"session": session.begin.session, "report": file}), args));
    }
    let (begin, steps, end) = (&session.begin, &session.steps, &session.end);
    let told = json!({"begin": begin, "steps": steps, "end": end, "unreadable": session.unreadable});
    Ok(Answer::json_or(&told, args, || story(&session)))
}

pub(super) fn folder(world: &World) -> PathBuf {
    session::folder(&world.phones.state)
}

/// Which session `last` is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LastSession {
    Any,
    /// The last one that is no replay of another.
    WithModel,
}

/// The session that the first argument names.
pub(super) fn named_session(args: &Args, last: LastSession, world: &World) -> Result<StoredSession, Failure> {
    let Some(name) = args.argument() else {
        return Err(Failure::new(ErrorCode::MissingArgument, "name a session, or last for the newest"));
    };
    let folder = folder(world);
    let newest = || -> Result<String, Failure> {
        let fits = |summary: &Summary| last == LastSession::Any || summary.replay_of.is_none();
        let newest = list(&folder)?.into_iter().find(fits);
        newest.map(|summary| summary.session).ok_or_else(|| SessionError::NotFound(name.to_owned()).into())
    };
    let name = if name == LAST { newest()? } else { name.to_owned() };
    let id = SessionId::parse(&name).ok_or(SessionError::NotFound(name))?;
    Ok(StoredSession::read(&folder, &id)?)
}

fn for_people(found: &[Summary]) -> String {
    let row = |summary: &Summary| {
        vec![
            summary.session.clone(),
            summary.status.to_owned(),
            format!("{} steps", summary.steps),
            summary.model.clone(),
            summary.task.lines().next().unwrap_or_default().to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    aligned(&rows).into_iter().map(|line| format!("{line}\n")).collect()
}

fn story(session: &StoredSession) -> String {
    let begin = &session.begin;
    let mut lines = vec![begin.task.clone(), format!("{} on {}", begin.model, begin.device)];
    for step in &session.steps {
        let done = if step.result.ok { "" } else { "not done: " };
        lines.extend([String::new(), format!("{}. {}", step.step, step.output.thought)]);
        lines.extend([format!("   {}", step.output.action), format!("   {done}{}", step.result.text)]);
    }
    let status = session.summary().status;
    let message = session.end.as_ref().map_or("", |end| end.message.as_str());
    lines.extend([String::new(), format!("{status}: {message}")]);
    lines.iter().map(|line| format!("{}\n", visible(line))).collect()
}
