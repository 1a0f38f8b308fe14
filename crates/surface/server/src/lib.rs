//! HTTP, MCP and the page: requests from outside, for the engine. Surfaces
//! translate; the engine decides.

mod agent;
mod app;
mod approvals;
mod confine;
pub mod http;
pub mod mcp;
mod phone;
mod pool;
mod sdk;
mod skill;
pub mod web;

pub use agent::AgentTools;
pub use app::{App, BoxedPhone, BoxedPhones, Closing};
pub use approvals::Approvals;
pub use sdk::Sdk;

use axum::Router;
use std::sync::Arc;

/// Everything that a server answers, behind its checks.
pub fn router(app: &Arc<App>) -> Router {
    let closed = http::routes(app).merge(mcp::routes(app)).merge(web::routes(app));
    http::guarded(closed, web::open(app), app)
}
