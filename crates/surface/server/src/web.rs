//! The page at `/`: its files, and what only a page needs, under `/page`.

mod approve;
mod feed;
mod files;
mod input;
mod looks;
mod phones;
mod record;
mod selectors;
mod steps;

pub(crate) use approve::{answer_of, reads_its_body};
pub use selectors::matcher_flags;

use crate::App;
use crate::http::without_query;
use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use feed::Feeds;
use looks::PageLooks;
use record::PageRecordings;
use serde::Deserialize;
use std::sync::Arc;

/// Which phone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfPhone {
    device: String,
}

/// What the page's routes share.
#[derive(Debug)]
struct Page {
    app: Arc<App>,
    feeds: Feeds,
    looks: PageLooks,
    recordings: PageRecordings,
}

/// The page and its files. They are the same for everybody and need no token:
/// the page gets a cookie from `POST /session` with the token of its address.
///
/// The pages of approval requests have tokens of their own.
pub(crate) fn open(app: &Arc<App>) -> Router {
    files::routes().merge(approve::routes(app))
}

/// What the page asks for. It needs the token or the cookie.
pub(crate) fn routes(app: &Arc<App>) -> Router {
    let page = Arc::new(Page {
        app: app.clone(),
        feeds: Feeds::default(),
        looks: PageLooks::default(),
        recordings: PageRecordings::default(),
    });
    let without = Router::new()
        .route("/page/phones", post(phones::start))
        .route("/page/input", post(input::input))
        .route("/page/recording/stop", post(record::stop))
        .route("/page/recording/skill", post(record::save_skill))
        .route("/page/approvals/{id}/link", post(approve::link))
        .layer(from_fn(without_query));
    Router::new()
        .route("/page/frame", get(feed::frame))
        .route("/page/tree", get(looks::tree))
        .route("/page/selectors", get(selectors::selectors))
        .route("/page/recording", get(record::state).post(record::start))
        .route("/page/steps", get(steps::steps))
        .route("/page/actions", get(input::actions))
        .merge(without)
        .with_state(page)
}
