//! What only this program's own commands ask, over the local socket: to run an
//! execution and to answer as the command itself would.

use super::Api;
use super::answer::Refused;
use super::ask::{Ask, invalid};
use super::guard::Peer;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use clawperator_contract::{ErrorCode, LaneWish, accept_within};
use clawperator_engine::{Abandoned, Journal, Request};
use clawperator_events::Pictures;
use clawperator_phone::PackageName;
use clawperator_run::operator::{OperatorApp, RouteWish};
use clawperator_run::{LastStep, Strictness};
use futures_util::StreamExt as _;
use futures_util::stream;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// An execution that a command wants to be run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Order {
    payload: String,
    timeout_ms: Option<f64>,
    device: Option<String>,
    wait_ms: Option<u64>,
    key: Option<String>,
    route: String,
    package: Option<String>,
    lane: String,
    patience_ms: Option<u64>,
    shows: bool,
    strict: bool,
    journal: bool,
    skill_run: Option<String>,
    session: String,
}

/// Runs an execution. The answer is the name of the run at once, then the kind
/// of its outcome and the outcome, a line each.
pub(crate) async fn run(
    State(api): State<Arc<Api>>,
    peer: Extension<Peer>,
    ask: Ask,
) -> Result<Response, Refused> {
    if *peer != Peer::Local {
        return Err(Refused::of(ErrorCode::RouteNotFound, "there is no such route"));
    }
    let order: Order = ask
        .typed()
        .ok_or_else(|| invalid("the body is no order of a command"))?;
    let vault = Some(api.app.vault(&order.session));
    let request = Request {
        vault,
        ..request(order)?
    };
    let running = api.app.engine.execute(request);
    // A run without subscribers is faster.
    drop(running.events);
    let name = format!("{}\n", running.id);
    let outcome = running.outcome;
    let ended = async move {
        let outcome = outcome.await.outcome.to_stored();
        format!("{}\n{}", outcome.kind.word(), outcome.json)
    };
    let lines = stream::iter([name])
        .chain(stream::once(ended))
        .map(Ok::<_, Infallible>);
    Ok(Body::from_stream(lines).into_response())
}

fn request(order: Order) -> Result<Request, Refused> {
    let package = order.package.as_deref().map(PackageName::parse).transpose();
    let package = package.map_err(|error| invalid(&error.to_string()))?;
    let app = OperatorApp::new(package.unwrap_or_else(PackageName::usual_operator));
    Ok(Request {
        device: order.device,
        wait: order.wait_ms.map(Duration::from_millis),
        key: order.key,
        route: match order.route.as_str() {
            "auto" => RouteWish::Auto(app),
            "operator" => RouteWish::Operator(app),
            _ => RouteWish::Host,
        },
        lane: LaneWish::from_word(&order.lane).unwrap_or_default(),
        patience: order.patience_ms.map(Duration::from_millis),
        last: match order.shows {
            true => LastStep::Shows,
            false => LastStep::Counts,
        },
        strictness: if order.strict {
            Strictness::Unique
        } else {
            Strictness::First
        },
        journal: if order.journal {
            Journal::On(Pictures::Left)
        } else {
            Journal::Off
        },
        skill_run: order.skill_run,
        // The command that waits for it is gone if nobody reads this.
        abandoned: Abandoned::IsCancelled,
        ..Request::new(accept_within(order.payload.as_bytes(), order.timeout_ms)?)
    })
}
