//! `device`: which phones there are, and which one this session uses.

use super::answer::{self, Trouble};
use super::argument::Arguments;
use super::run::Call;
use super::tool::Belongs;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_runtime::Deadline;
use rmcp::model::CallToolResult;
use std::time::Duration;

/// How long listing may take.
const LIST: Duration = Duration::from_secs(10);

pub(super) async fn device(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<CallToolResult, Trouble> {
    if arguments.flag("start")? {
        let boxed = call.app.boxed.clone();
        let started = tokio::task::spawn_blocking(move || boxed.start(None)).await;
        let phone = started.map_err(|error| Failure::of(ErrorCode::InternalError, error.to_string()))??;
        return Ok(answer::text(choose(call, &phone.serial)));
    }
    if let Some(name) = arguments.text("use")? {
        // A phone that cannot be reached is not chosen.
        let phone = call.app.engine.connect(Some(name), Deadline::after(LIST)).await?;
        drop(phone);
        return Ok(answer::text(choose(call, name)));
    }
    let phones = call.app.engine.devices(Deadline::after(LIST)).await?;
    let chosen = call.device.as_deref();
    let line = |serial: &str, state: &str| {
        let mark = if chosen == Some(serial) { " (in use)" } else { "" };
        format!("{serial} {state}{mark}")
    };
    let mut lines: Vec<String> = phones
        .iter()
        .map(|phone| line(&phone.serial, &phone.state.to_string()))
        .collect();
    if lines.is_empty() {
        lines.push("no phone; start: true gives you a simulated one".to_owned());
    } else if lines.len() > 1 && chosen.is_none() {
        lines.push("choose one with use".to_owned());
    }
    Ok(answer::text(lines.join("\n")))
}

fn choose(call: &Call<'_>, serial: &str) -> String {
    match call.belongs {
        Belongs::ToSession => {
            call.session.choose(serial.to_owned());
            format!("using {serial}")
        }
        Belongs::ToNothing => format!("send device: {serial} with each call"),
    }
}
