//! MCP, over standard input and output and over HTTP.

use crate::App;
use axum::Router;
use std::sync::Arc;

/// The route `/mcp`.
pub(crate) fn routes(_app: &Arc<App>) -> Router {
    Router::new()
}
