//! What only this program's own commands ask, over the local socket: to run an
//! order and to answer as the command itself would.

use super::Api;
use super::answer::{HttpError, HttpResult};
use super::ask::{Ask, invalid};
use super::guard::Peer;
use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::response::IntoResponse as _;
use clawperator_contract::ErrorCode;
use clawperator_engine::{Message, Request};
use futures_util::StreamExt as _;
use futures_util::stream;
use std::sync::Arc;

/// Runs an order. The answer is a message at once and one at the end, a line each.
pub(crate) async fn run(State(api): State<Arc<Api>>, peer: Extension<Peer>, ask: Ask) -> HttpResult {
    if *peer != Peer::Local {
        return Err(HttpError::of(ErrorCode::RouteNotFound, "there is no such route"));
    }
    let order = match Message::read(ask.body()) {
        Ok(Message::Order(order)) => order,
        Ok(Message::Begun(_) | Message::Ended(_)) => return Err(invalid("the body is no order")),
        Err(error) => return Err(invalid(&error.to_string())),
    };
    let running =
        api.app.engine.execute(Request { vault: Some(api.app.vault(&order.session)), ..order.request });
    // A run without subscribers is faster.
    drop(running.events);
    let (begun, outcome) = (Message::Begun(running.id), running.outcome);
    let ended = async move { Message::Ended(outcome.await.into()) };
    let lines = stream::iter([begun])
        .chain(stream::once(ended))
        .map(|message| Ok::<_, clawperator_engine::OrderError>(message.write()? + "\n"));
    Ok(Body::from_stream(lines).into_response())
}
