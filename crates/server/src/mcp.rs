//! MCP, over standard input and output and over HTTP. It translates between
//! tool calls and executions; the engine decides. `server` is the only file
//! that knows the SDK's handler.

mod act;
mod answer;
mod argument;
mod device;
mod elements;
mod look;
mod mark;
mod other_tools;
mod prompt;
mod resource;
mod run;
mod server;
mod session;
mod skill;
mod tool;

use crate::App;
use axum::Router;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use server::{McpServer, Transport};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// The route `/mcp`. Clients before 2026-07-28 get a session each; later ones
/// have none, so each of their requests stands alone.
pub(crate) fn routes(app: &Arc<App>) -> Router {
    // Which hosts may ask is checked in front of all routes.
    let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    // Sessions keep streams open; they end with the server.
    let (closing, sessions) = (app.closing.clone(), config.cancellation_token.clone());
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move {
            closing.closed().await;
            sessions.cancel();
        });
    }
    let app = app.clone();
    let service = StreamableHttpService::new(
        move || Ok(McpServer::new(app.clone(), Transport::Http)),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    Router::new().route_service("/mcp", service)
}

/// Serves one client until it closes its side.
///
/// # Errors
/// Why the connection could not be begun.
pub async fn serve(
    app: Arc<App>,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    let server = McpServer::new(app, Transport::Pipe);
    let serving = rmcp::serve_server(server, (reader, writer));
    let running = match serving.await {
        Ok(running) => running,
        // A client that goes away before it has asked anything is no error.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(io::Error::other(error)),
    };
    running.waiting().await.map(drop).map_err(io::Error::other)
}
