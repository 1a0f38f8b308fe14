//! The phones.

use super::Api;
use super::answer::{Refused, ok};
use crate::phone;
use axum::extract::State;
use axum::response::Response;
use serde_json::json;
use std::sync::Arc;

/// Every phone that is known, and its state.
pub(crate) async fn devices(State(api): State<Arc<Api>>) -> Result<Response, Refused> {
    Ok(ok(json!({ "devices": phone::every(&api.app).await? })))
}
