//! MCP, over standard input and output and over HTTP. It translates between tool calls and
//! executions; the engine decides. `server` is the only file that knows the SDK's handler.

mod act;
mod agent_tools;
mod answer;
mod approval;
mod argument;
mod device;
mod elements;
mod look;
mod mark;
mod other_tools;
mod person;
mod pipe;
mod pool;
mod prompt;
mod resource;
mod run;
mod server;
mod session;
mod sessions;
mod skill;
mod tool;

pub use answer::{FailureReader, failed_run_text, notes, with_screen};
pub use elements::query_lines;
pub use look::view;
pub use mark::MarkedElement;
pub(crate) use person::Rounds;

use crate::App;
use crate::http::answer::HttpError;
use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse as _;
use axum::routing::any;
use clawperator_contract::{ErrorCode, words};
use futures_core::future::BoxFuture;
use pipe::Pipe;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use server::{McpServer, Transport};
use sessions::McpSessions;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

words! {
    /// Which tools a client is offered.
    #[derive(Default)]
    pub Tools {
        /// Those for a phone, whose answers are views.
        #[default]
        Phone = "phone",
        Agent = "agent",
    }
}

impl Tools {
    /// What an address chooses with `?tools=`; it can say nothing else.
    fn of_query(query: Option<&str>) -> Option<Self> {
        match query.unwrap_or_default() {
            "" => Some(Self::Phone),
            query => query.strip_prefix("tools=").and_then(Self::from_word),
        }
    }
}

/// The route `/mcp`, with the tools that the query names. Clients before 2026-07-28 get a session each; later ones
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
    let service = |tools| {
        let app = app.clone();
        let server = move || McpServer::new(app.clone(), Transport::Http, tools);
        Arc::new(McpSessions::new(server, config.clone()))
    };
    let (phone, agent) = (service(Tools::Phone), service(Tools::Agent));
    let handler = async move |request: Request| match Tools::of_query(request.uri().query()) {
        Some(Tools::Phone) => phone.answer(request).await,
        Some(Tools::Agent) => agent.answer(request).await,
        None => {
            let words = Tools::WORDS.join(", ");
            let message = format!("the query must be tools=, with one of {words}");
            HttpError::of(ErrorCode::InvalidRequest, message).into_response()
        }
    };
    Router::new().route("/mcp", any(handler))
}

/// Serves one client until it closes its side.
///
/// # Errors
/// Why the connection could not be begun.
pub fn serve(
    app: Arc<App>,
    tools: Tools,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> BoxFuture<'static, io::Result<()>> {
    serve_pipe(McpServer::new(app, Transport::Pipe, tools), Pipe::new(Box::new(reader), Box::new(writer)))
}

fn serve_pipe(server: McpServer, pipe: Pipe) -> BoxFuture<'static, io::Result<()>> {
    let bench = server.own_bench();
    Box::pin(async move {
        let running = match rmcp::serve_server(server, pipe).await {
            Ok(running) => running,
            // A client that goes away before it has asked anything is no error.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(io::Error::other(error)),
        };
        let ended = running.waiting().await;
        bench.close().await;
        ended.map(drop).map_err(io::Error::other)
    })
}
