//! The phones.

use super::Api;
use super::answer::{HttpResult, ok};
use super::ask::{Ask, Name, invalid};
use crate::phone;
use axum::extract::State;
use clawperator_agent::snapshot::{ImageKind, SnapshotOptions, observe_once};
use clawperator_contract::text;
use clawperator_phone::Deadline;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// How long a phone may take to show its screen.
const OBSERVE: Duration = Duration::from_secs(30);

/// Every phone that is known, and its state.
pub(crate) async fn devices(State(api): State<Arc<Api>>) -> HttpResult {
    Ok(ok(json!({ "devices": phone::every(&api.app).await? })))
}

/// The screen of a phone, as a model sees it.
pub(crate) async fn observe(State(api): State<Arc<Api>>, Name(device): Name, ask: Ask) -> HttpResult {
    let image = ask.word("image", ImageKind::from_word).unwrap_or_default();
    let model = ask.text("model").map(str::to_owned);
    if model.as_deref().is_some_and(text::is_blank) {
        return Err(invalid("model must not be blank"));
    }
    let options = SnapshotOptions {
        model,
        som: ask.flag("som"),
        image,
        packages: ask.flag("packages"),
        ready: Duration::ZERO,
        vault: Some(ask.vault(&api.app)?),
    };
    let deadline = Deadline::after(OBSERVE);
    Ok(ok(observe_once(&api.app.engine, Some(&device), options, deadline).await?))
}
