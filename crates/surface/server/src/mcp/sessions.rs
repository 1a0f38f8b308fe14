//! The sessions of MCP over HTTP: how many there may be, and which one ends for a new one.

use super::server::{McpServer, id_of, message_of};
use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager as _};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// The most sessions of one set of tools.
const MOST: usize = 256;

/// The clients that have a session.
pub(super) struct McpSessions {
    service: StreamableHttpService<McpServer, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    /// Whether each of them was used since it began, and when it was last.
    used: Mutex<BTreeMap<SessionId, (bool, Instant)>>,
}

impl McpSessions {
    pub(super) fn new(
        server: impl Fn() -> McpServer + Send + Sync + 'static,
        config: StreamableHttpServerConfig,
    ) -> Self {
        let manager = Arc::<LocalSessionManager>::default();
        let server = move || Ok::<_, io::Error>(server());
        Self {
            service: StreamableHttpService::new(server, manager.clone(), config),
            manager,
            used: Mutex::default(),
        }
    }

    pub(super) async fn answer(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        // The guard has read it, so it is short and here.
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        if let Err(error) = message_of(&body)
            && error.code == ErrorCode::INVALID_PARAMS
        {
            return Json(json!({"jsonrpc": "2.0", "id": id_of(&body), "error": error})).into_response();
        }
        let request = Request::from_parts(parts, Body::from(body));
        let named = session(request.headers());
        let ends = *request.method() == Method::DELETE;
        if let Some(id) = &named {
            if let Some(used) = self.last_uses().get_mut(id) {
                *used = (true, Instant::now());
            }
            // The SDK ends any session, also one that there is not.
            if ends && !self.manager.has_session(id).await.unwrap_or(false) {
                return (StatusCode::NOT_FOUND, "there is no such session\n").into_response();
            }
        }
        let mut response = self.service.handle(request).await.into_response();
        if ends && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        if let (None, Some(begun)) = (named, session(response.headers())) {
            self.end_oldest().await;
            self.last_uses().insert(begun, (false, Instant::now()));
        }
        response
    }

    /// Ends a session if there is no place for one more: first one that was never used, then
    /// the one that was not used for longest.
    async fn end_oldest(&self) {
        if self.last_uses().len() < MOST {
            return;
        }
        let oldest = {
            let live = self.manager.sessions.read().await;
            let mut used = self.last_uses();
            used.retain(|id, _| live.contains_key(id));
            let oldest = used.iter().min_by_key(|(_, used)| **used);
            oldest.filter(|_| used.len() >= MOST).map(|(id, _)| id.clone())
        };
        if let Some(id) = oldest {
            self.last_uses().remove(&id);
            // One that has ended by itself is gone as well.
            let _ = self.manager.close_session(&id).await;
        }
    }

    fn last_uses(&self) -> MutexGuard<'_, BTreeMap<SessionId, (bool, Instant)>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session(headers: &HeaderMap) -> Option<SessionId> {
    Some(headers.get("mcp-session-id")?.to_str().ok()?.into())
}
