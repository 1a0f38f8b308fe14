//! Which phone a request is for.

use crate::pool::target;
use crate::{App, BoxedPhone};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::{Acts, Engine, PhoneRequest};
use clawperator_phone::{Deadline, PhoneLease, REACH};
use serde_json::{Value, json};
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Every phone that is known: its serial, its state, and its name if it is a simulated one.
pub(crate) async fn every(app: &Arc<App>) -> Result<Vec<Value>, Failure> {
    let mut devices: Vec<Value> = match app.engine.devices(Deadline::after(REACH)).await {
        Ok(known) => known
            .iter()
            .map(|entry| json!({"serial": entry.serial, "state": entry.state.to_string()}))
            .collect(),
        // Simulated phones need no adb.
        Err(failure) if failure.code == ErrorCode::AdbNotFound => Vec::new(),
        Err(failure) => return Err(failure),
    };
    for phone in simulated(app).await? {
        match devices.iter_mut().find(|device| device["serial"] == phone.serial) {
            Some(device) => device["sim"] = json!(phone.name),
            None => devices.push(json!({"serial": phone.serial, "state": "device", "sim": phone.name})),
        }
    }
    Ok(devices)
}

/// The phone that a request names, or else the server's own, or else the only
/// one there is. None leaves the answer to the engine.
///
/// # Errors
/// If there are several, they cannot be listed, or the one that is named is in a pool.
pub(crate) async fn phone_name(app: &Arc<App>, named: Option<String>) -> Result<Option<String>, Failure> {
    if let Some(name) = named.or_else(|| app.device.clone()) {
        return match target(app, &name).await? {
            None => Ok(Some(name)),
            Some(target) => {
                let message = format!("{target} is in the pool, and this is for phones of this computer");
                let hint = "Send an execution with POST /pool/jobs, or with the tool execute over MCP.";
                Err(Failure::new(ErrorCode::InvalidDeviceId, message).hint(hint))
            }
        };
    }
    let known = every(app).await?;
    let ready = known.iter().filter(|device| device["state"] == "device");
    let ready: Vec<_> = ready.filter_map(|device| device["serial"].as_str()).collect();
    match ready[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.to_owned())),
        _ => {
            let message = "more than one phone is connected, and the request names none";
            let devices = ready.iter().map(|serial| (*serial).to_owned()).collect();
            Err(Failure::new(ErrorCode::MultipleDevices, message)
                .hint("Name one of details.devices as deviceId.")
                .with(|details| details.devices = devices))
        }
    }
}

/// How long a look at a phone may take, waiting for it included.
pub(crate) const LOOK: Duration = Duration::from_secs(30);

/// Takes a phone for a look, when no run has it.
pub(crate) async fn lease(engine: &Engine, device: Option<&str>) -> Result<PhoneLease, Failure> {
    soon(engine.lease_to_look(wanted(device, "look"))).await
}

/// Takes a phone for what a person gave, when no run has it.
pub(crate) async fn acts(app: &App, device: Option<&str>) -> Result<Acts, Failure> {
    let wanted = wanted(device, "approval");
    soon(app.engine.begin_acts(wanted, app.journal)).await
}

fn wanted<'w>(device: Option<&'w str>, owner: &'w str) -> PhoneRequest<'w> {
    PhoneRequest { device, wait: Some(LOOK), owner, reach: REACH }
}

async fn soon<T>(leasing: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    timeout(LOOK, leasing).await.unwrap_or_else(|_| {
        let message = format!("the phone was not free within {} ms", LOOK.as_millis());
        Err(Failure::of(ErrorCode::ExecutionConflict, message))
    })
}

async fn simulated(app: &Arc<App>) -> Result<Vec<BoxedPhone>, Failure> {
    let boxed = app.boxed.clone();
    blocking(move || boxed.list()).await
}

/// Runs what blocks where that is allowed.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    // One type for all work, so that the runtime is compiled once for all of it.
    let work: Box<dyn FnOnce() -> Box<dyn Any + Send> + Send> = Box::new(move || Box::new(work()));
    let internal = |message: String| Err(Failure::of(ErrorCode::InternalError, message));
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => match done.downcast() {
            Ok(done) => *done,
            Err(_) => internal("the work has a result of another type".to_owned()),
        },
        Err(error) => internal(error.to_string()),
    }
}
