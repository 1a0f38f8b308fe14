//! `record delete`: a recording and what was made of it, removed.

use super::source::{none_found, place, recording_name};
use crate::args::Args;
use crate::flags;
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use serde_json::json;

pub(crate) fn delete(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let Some(session) = recording_name(args)? else {
        let message = "name the recording with --session-id";
        return Err(args.failure(ErrorCode::MissingArgument, &flags::DELETED_SESSION_ID, message));
    };
    let place = place(world);
    place.refuse_running(Some(&session))?;
    let failed = |error: std::io::Error| {
        let message = format!("cannot delete the recording {}: {error}", session.as_str());
        Failure::of(ErrorCode::FileWriteFailed, message)
    };
    let files = place.delete(&session).map_err(failed)?;
    if files.is_empty() {
        return Err(none_found());
    }
    Ok(Answer::value(&json!({"ok": true, "sessionId": session.as_str(), "files": files}), args, world))
}
