//! The page at `/`: its files, and what only a page needs.

use crate::App;
use axum::Router;
use std::sync::Arc;

/// The page and its files.
pub(crate) fn routes(_app: &Arc<App>) -> Router {
    Router::new()
}
