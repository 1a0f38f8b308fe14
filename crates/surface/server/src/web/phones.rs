//! Phones in the box, to start.

use super::Page;
use crate::http::answer::{HttpResult, ok};
use crate::phone::blocking;
use axum::extract::State;
use serde_json::json;
use std::sync::Arc;

/// `POST /page/phones`: starts a simulated phone.
pub(super) async fn start(State(page): State<Arc<Page>>) -> HttpResult {
    let boxed = page.app.boxed.clone();
    let phone = blocking(move || boxed.start(None)).await?;
    Ok(ok(json!({"serial": phone.serial, "name": phone.name})))
}
