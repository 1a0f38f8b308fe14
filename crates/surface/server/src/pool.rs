//! The pool of a server: which names mean it, and jobs from their order to their result.
//! What a broker is, the pool's own crate knows.

use crate::App;
use clawperator_contract::{DeviceResult, ErrorCode, Failure, text};
use clawperator_engine::OutcomeKind;
use clawperator_phone::{Deadline, REACH};
use clawperator_pool::{Caller, JobResult, Target};
use serde_json::Value;

/// The pool that the server was started with.
pub(crate) fn pool(app: &App) -> Result<&Caller, Failure> {
    app.pool.as_ref().ok_or_else(|| no_pool("this server has no pool"))
}

fn no_pool(message: impl Into<String>) -> Failure {
    let hint = "Start it with --pool, such as clawperator serve --pool nats://127.0.0.1:4222.";
    Failure::new(ErrorCode::PoolUnavailable, message).hint(hint)
}

/// What a name means in the pool; none if it is that of a phone of this computer.
///
/// # Errors
/// If it is a name in a pool and the server has none.
pub(crate) async fn target(app: &App, name: &str) -> Result<Option<Target>, Failure> {
    let is_class = name.starts_with("any:") || name.starts_with("all:");
    if !is_class && !name.contains('/') {
        return Ok(None);
    }
    // Whatever it looks like, a phone that is here is meant.
    let here = app.engine.devices(Deadline::after(REACH)).await.unwrap_or_default();
    if here.iter().any(|phone| phone.serial == name) {
        return Ok(None);
    }
    if app.pool.is_none() {
        let name = text::excerpt(name);
        return Err(no_pool(format!("\"{name}\" names a phone of a pool, and this server has none")));
    }
    name.parse().map(Some)
}

/// The result of a job as a run on one phone has it. The phone is named as the pool does.
///
/// # Errors
/// The failure of a job that has no envelope.
pub(crate) fn device_result(result: JobResult) -> Result<DeviceResult, Failure> {
    // A host wrote it.
    let stored = result.ended.outcome;
    if stored.kind == OutcomeKind::Error {
        return Err(failure(&serde_json::from_str(&stored.json).unwrap_or_default()));
    }
    let unreadable = |error: serde_json::Error| {
        let message = format!("the host's result cannot be read: {error}");
        Failure::of(ErrorCode::ResultEnvelopeMalformed, message)
    };
    let read: DeviceResult = serde_json::from_str(&stored.json).map_err(unreadable)?;
    let device_id = result.phone.map_or(read.device_id, |phone| phone.to_string());
    Ok(DeviceResult { device_id, ..read })
}

/// A failure as a host has written it, as far as tools show it.
fn failure(value: &Value) -> Failure {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let code = value["code"].as_str().and_then(ErrorCode::from_name);
    let message = text(&value["message"]).unwrap_or_default();
    Failure::new(code.unwrap_or(ErrorCode::InternalError), message).with(|details| {
        details.hint = text(&value["details"]["hint"]);
        details.dispatched = text(&value["details"]["dispatched"]);
    })
}
