//! The page at `/`: its files, and what only a page needs.

use crate::App;
use axum::Router;
use std::sync::Arc;

/// The page and its files. They are the same for everybody and need no token:
/// the page gets a cookie from `POST /session` with the token of its address.
pub(crate) fn files() -> Router {
    Router::new()
}

/// What the page asks for. It needs the token or the cookie.
pub(crate) fn routes(_app: &Arc<App>) -> Router {
    Router::new()
}
