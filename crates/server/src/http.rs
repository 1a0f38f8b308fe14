//! The HTTP routes, and the checks in front of them.

pub(crate) mod answer;
pub(crate) mod devices;
mod guard;
mod hosts;
mod limits;
mod listen;
mod token;

pub use hosts::Hosts;
pub use listen::{Doors, Ended, serve};
pub use token::{TokenFile, TokenOrigin, token_file};

use crate::App;
use answer::Refused;
use axum::Router;
use axum::http::{Method, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use clawperator_contract::ErrorCode;
use guard::Guard;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

/// The routes for programs.
pub(crate) fn routes(app: &Arc<App>) -> Router {
    Router::new()
        .route("/devices", get(devices::devices))
        .with_state(app.clone())
}

/// Puts the checks in front of all routes: names, limits and the token. The
/// open ones need no token.
pub(crate) fn guarded(closed: Router, open: Router, app: &Arc<App>) -> Router {
    let guard = Guard::new(app);
    let closed = closed
        .fallback(no_route)
        .layer(from_fn_with_state(guard.clone(), guard::require_token));
    let session = post(guard::sign_in).with_state(guard.clone());
    let open = open
        .route("/health", get(|| async { "ok\n" }))
        .route("/session", session);
    closed
        .merge(open)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(guard, guard::check))
        .layer(CatchPanicLayer::custom(panicked))
}

async fn no_route(method: Method, uri: Uri) -> Refused {
    let path = clawperator_contract::text::excerpt(uri.path());
    Refused::of(
        ErrorCode::RouteNotFound,
        format!("there is no route {method} {path}"),
    )
}

async fn no_method(method: Method, uri: Uri) -> Refused {
    let path = clawperator_contract::text::excerpt(uri.path());
    Refused::of(ErrorCode::MethodNotAllowed, format!("{path} is not for {method}"))
}

/// One request that fails in an unforeseen way does not end the others.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    let message = "the request could not be answered";
    Refused::of(ErrorCode::InternalError, message).into_response()
}
