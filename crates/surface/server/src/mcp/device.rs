//! `device`: which phones there are, and which one this session uses.

use super::answer::{self, ToolResult, ToolTrouble};
use super::argument::Arguments;
use super::pool::require;
use super::run::McpCall;
use super::tool::Belongs;
use crate::phone::blocking;
use crate::pool::{pool, target};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::{Deadline, Launchable};
use clawperator_pool::{PhoneRecord, Target};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long listing may take.
const LIST: Duration = Duration::from_secs(10);
/// How many apps are listed.
const MAX_APPS: usize = 100;
/// How many phones and classes of the pool are listed.
const MAX_PHONES: usize = 100;
const MAX_CLASSES: usize = 20;

pub(super) async fn device(call: &McpCall<'_>, arguments: &Arguments<'_>) -> ToolResult {
    if arguments.flag("start")? {
        let boxed = call.app.boxed.clone();
        let phone = blocking(move || boxed.start(None)).await?;
        return Ok(answer::text(choose(call, &phone.serial)));
    }
    let wants_apps = arguments.flag("apps")?;
    if let Some(name) = arguments.text("use")? {
        if let Some(target) = target(call.app, name).await? {
            return Ok(answer::text(choose_of_pool(call, name, &target).await?));
        }
        // A phone that cannot be reached is not chosen.
        let phone = call.app.engine.connect(Some(name), Deadline::after(LIST)).await?;
        drop(phone);
        let mut said = choose(call, name);
        if wants_apps {
            said = format!("{said}\n{}", apps(call, Some(name)).await?);
        }
        return Ok(answer::text(said));
    }
    if wants_apps {
        call.require_here("apps are listed")?;
        return Ok(answer::text(apps(call, call.device.as_deref()).await?));
    }
    let chosen = call.device.as_deref();
    Ok(answer::text(list(call, chosen).await?))
}

/// The apps that can be opened, a line each: package and name.
async fn apps(call: &McpCall<'_>, device: Option<&str>) -> ToolResult<String> {
    let deadline = Deadline::after(LIST);
    let phone = call.app.engine.connect(device, deadline).await?;
    let no_list = |error| ToolTrouble::Said(format!("the phone does not list its apps: {error}"));
    let apps = phone.launchable(deadline).await.map_err(no_list)?;
    // A label is an app's own text, and stays on its line.
    let name = |label: &String| format!(" {label:?}");
    let line = |app: &Launchable| {
        let label = app.label.as_ref().map(name).unwrap_or_default();
        format!("{}{label}", app.package)
    };
    let mut lines: Vec<String> = apps.iter().map(line).collect();
    lines.sort();
    lines.dedup();
    let more = lines.len().saturating_sub(MAX_APPS);
    lines.truncate(MAX_APPS);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    Ok(lines.join("\n"))
}

/// The phones that adb knows and the simulated ones, a line each.
async fn list(call: &McpCall<'_>, chosen: Option<&str>) -> ToolResult<String> {
    let boxed = call.app.boxed.clone();
    let boxed = tokio::task::spawn_blocking(move || boxed.list()).await;
    let boxed = boxed.map_err(|error| Failure::of(ErrorCode::InternalError, error.to_string()))?;
    let mark = |serial: &str| if chosen == Some(serial) { " (in use)" } else { "" };
    let mut lines = Vec::new();
    let known = match call.app.engine.devices(Deadline::after(LIST)).await {
        Ok(known) => known,
        // Simulated phones need no adb.
        Err(failure) => {
            lines.push(format!("{}: {}", failure.code, failure.message));
            Vec::new()
        }
    };
    let mut phones = 0;
    for phone in &known {
        phones += 1;
        lines.push(format!("{} {}{}", phone.serial, phone.state, mark(&phone.serial)));
    }
    for phone in boxed.unwrap_or_default() {
        if !known.iter().any(|known| known.serial == phone.serial) {
            phones += 1;
            lines.push(format!("{} {} (simulated){}", phone.serial, phone.name, mark(&phone.serial)));
        }
    }
    phones += list_pool(call, &mut lines, &mark).await;
    match (phones, chosen) {
        (0, _) => lines.push("no phone; start: true gives you a simulated one".to_owned()),
        (1, _) | (_, Some(_)) => {}
        (_, None) => lines.push("choose one with use".to_owned()),
    }
    Ok(lines.join("\n"))
}

/// The phones of the pool, a line each; says how many there are.
async fn list_pool(
    call: &McpCall<'_>,
    lines: &mut Vec<String>,
    mark: &impl Fn(&str) -> &'static str,
) -> usize {
    let Some(pool) = &call.app.pool else {
        return 0;
    };
    let phones = match pool.phones().await {
        Ok(phones) => phones,
        Err(failure) => {
            lines.push(format!("{}: {}", failure.code, failure.message));
            return 0;
        }
    };
    let line = |phone: &PhoneRecord| {
        // A model is a phone's own text, and stays on its line.
        let model = phone.model.as_ref().map(|model| format!(" {model:?}")).unwrap_or_default();
        let name = phone.phone.to_string();
        format!("{name} {}{model}{}", phone.state.word(), mark(&name))
    };
    lines.extend(phones.iter().take(MAX_PHONES).map(line));
    let more = phones.len().saturating_sub(MAX_PHONES);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    let classes: BTreeSet<String> =
        phones.iter().flat_map(|phone| &phone.classes).map(|class| format!("any:{class}")).collect();
    if !classes.is_empty() {
        let classes: Vec<_> = classes.into_iter().take(MAX_CLASSES).collect();
        lines.push(format!("any phone of a class of the pool: {}", classes.join(", ")));
    }
    phones.len()
}

/// Chooses a phone or a class that the pool has.
async fn choose_of_pool(call: &McpCall<'_>, name: &str, target: &Target) -> ToolResult<String> {
    require(pool(call.app)?, target).await?;
    let said = choose(call, name);
    let apart = match target {
        Target::Phone(_) => format!(
            "each call begins on its home screen, unless the user reserves it: clawperator pool reserve {name}"
        ),
        Target::Any(_) | Target::All(_) => "each call may have another phone, on its home screen".to_owned(),
    };
    Ok(format!("{said}; {apart}. Send steps that belong together in one act."))
}

fn choose(call: &McpCall<'_>, serial: &str) -> String {
    match call.belongs {
        Belongs::ToSession => {
            call.session.choose(serial.to_owned());
            format!("using {serial}")
        }
        Belongs::ToNothing => format!("send device: {serial} with each call"),
    }
}
