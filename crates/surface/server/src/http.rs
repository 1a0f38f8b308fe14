//! The HTTP routes, and the checks in front of them.

mod agent;
pub(crate) mod answer;
mod approvals;
pub(crate) mod ask;
mod crowd;
mod devices;
mod emulators;
mod events;
mod execute;
mod guard;
mod hosts;
mod limits;
mod listen;
mod local;
mod openapi;
mod page;
mod pool;
mod records;
mod route;
mod routes;
mod runs;
mod sessions;
mod skills;
mod status;
mod token;

pub use hosts::Hosts;
pub use listen::{Doors, ServerEnd, serve};
pub use token::{TokenFile, TokenOrigin, token_file};

use crate::App;
use answer::HttpError;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{Method, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use clawperator_contract::{ErrorCode, text};
use guard::Guard;
use route::{HttpRoute, RouteField};
use routes::ROUTES;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;

/// What the routes need.
pub(crate) struct Api {
    app: Arc<App>,
    /// The table that it was made of.
    routes: &'static [HttpRoute],
    /// When the server began, in milliseconds since 1970.
    began_ms: u64,
    /// How many readers of events there are.
    readers: events::Readers,
    requests: status::Requests,
    emulators: emulators::Emulators,
}

/// The routes for programs: those of the table.
pub(crate) fn routes(app: &Arc<App>) -> Router {
    let api = Arc::new(Api {
        app: app.clone(),
        routes: ROUTES,
        began_ms: app.engine.now_ms(),
        readers: events::Readers::default(),
        requests: status::Requests::default(),
        emulators: emulators::Emulators::default(),
    });
    let mut router = Router::new();
    for (number, route) in ROUTES.iter().enumerate() {
        let row = RouteRow { api: api.clone(), number };
        let handler = (route.handler)().layer(from_fn_with_state(row, at_row));
        router = router.route(route.path, handler);
    }
    // For this program's own commands: no route of the document.
    let run = post(local::run).layer(from_fn(without_query));
    router.route("/local/run", run).with_state(api)
}

/// Every route, as `GET /devices`.
pub fn route_names() -> impl Iterator<Item = String> {
    ROUTES.iter().map(|route| format!("{} {}", route.method.word(), route.path))
}

/// A row of the table, at which a request arrives.
#[derive(Clone)]
struct RouteRow {
    api: Arc<Api>,
    number: usize,
}

/// Refuses what the row has no place for, and counts.
async fn at_row(State(row): State<RouteRow>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let response = match check_query(ROUTES[row.number].query, &parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refused) => refused.into_response(),
    };
    row.api.requests.count(row.number, response.status().as_u16());
    response
}

/// Refuses every query: for routes outside the table that have none.
pub(crate) async fn without_query(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match check_query(&[], &parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refused) => refused.into_response(),
    }
}

fn check_query(known: &[RouteField], parts: &Parts) -> Result<(), HttpError> {
    for (name, value) in ask::query(parts)? {
        let Some(field) = known.iter().find(|field| field.name == name) else {
            let message = format!("the query has \"{}\", which means nothing here", text::excerpt(&name));
            return Err(ask::invalid(&message));
        };
        if let Some(rule) = field.shape.broken_by(&value) {
            return Err(ask::invalid(&format!("{name} must be {rule}")));
        }
    }
    Ok(())
}

/// Puts the checks in front of all routes: names, limits and the token. The
/// open ones need no token.
pub(crate) fn guarded(closed: Router, open: Router, app: &Arc<App>) -> Router {
    let guard = Guard::new(app);
    let closed = closed.fallback(no_route).layer(from_fn_with_state(guard.clone(), guard::require_token));
    let session = post(guard::sign_in).with_state(guard.clone());
    let usual = Router::new()
        .route("/health", get(|| async { "ok\n" }))
        .route("/session", session)
        .layer(from_fn(without_query));
    let open = open.merge(usual);
    closed
        .merge(open)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(guard, guard::check))
        .layer(CatchPanicLayer::custom(panicked))
}

async fn no_route(method: Method, uri: Uri) -> HttpError {
    let path = text::excerpt(uri.path());
    HttpError::of(ErrorCode::RouteNotFound, format!("there is no route {method} {path}"))
}

async fn no_method(method: Method, uri: Uri) -> HttpError {
    let path = text::excerpt(uri.path());
    HttpError::of(ErrorCode::MethodNotAllowed, format!("{path} is not for {method}"))
}

/// One request that fails in an unforeseen way does not end the others.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    HttpError::of(ErrorCode::InternalError, "the request could not be answered").into_response()
}
