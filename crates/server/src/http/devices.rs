//! The phones.

use super::answer::{Refused, ok};
use crate::App;
use axum::extract::State;
use axum::response::Response;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_runtime::{Deadline, REACH};
use serde_json::{Value, json};
use std::sync::Arc;

/// Every phone that is known, and its state.
pub(crate) async fn devices(State(app): State<Arc<App>>) -> Result<Response, Refused> {
    let mut devices: Vec<Value> = match app.engine.devices(Deadline::after(REACH)).await {
        Ok(known) => known
            .iter()
            .map(|entry| json!({"serial": entry.serial, "state": entry.state.to_string()}))
            .collect(),
        // Simulated phones need no adb.
        Err(failure) if failure.code == ErrorCode::AdbNotFound => Vec::new(),
        Err(failure) => return Err(failure.into()),
    };
    for phone in in_the_box(&app).await? {
        match devices.iter_mut().find(|device| device["serial"] == phone.serial) {
            Some(device) => device["sim"] = json!(phone.name),
            None => devices.push(json!({"serial": phone.serial, "state": "device", "sim": phone.name})),
        }
    }
    Ok(ok(json!({ "devices": devices })))
}

/// The simulated phones.
async fn in_the_box(app: &Arc<App>) -> Result<Vec<crate::BoxedPhone>, Failure> {
    let boxed = app.boxed.clone();
    blocking(move || boxed.list()).await
}

/// Runs what blocks where that is allowed.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Failure::of(ErrorCode::InternalError, error.to_string())))
}
