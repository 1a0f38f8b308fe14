//! How the server is: for a person, a supervisor and a monitor.

use super::Api;
use super::answer::ok;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// How many requests there were, by the number of the route and the status.
#[derive(Debug, Default)]
pub(crate) struct Requests(Mutex<BTreeMap<(usize, u16), u64>>);

impl Requests {
    pub(crate) fn count(&self, route: usize, status: u16) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry((route, status)).or_default() += 1;
    }
}

/// Whether the server takes executions.
pub(crate) async fn ready(State(api): State<Arc<Api>>) -> Response {
    let engine = &api.app.engine;
    ok(json!({
        "version": api.app.version,
        "uptimeMs": engine.now_ms().saturating_sub(api.began_ms),
        "activeRuns": engine.active_runs(),
        "eventReaders": api.readers.load(Ordering::Relaxed),
        "pool": api.app.pool.is_some(),
    }))
}

/// What can be counted, in the text format of Prometheus.
pub(crate) async fn metrics(State(api): State<Arc<Api>>) -> Response {
    as_metrics(text(&api))
}

/// An answer in the text format of Prometheus.
pub(super) fn as_metrics(text: PlainText) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (kind, text.0).into_response()
}

fn text(api: &Api) -> PlainText {
    let engine = &api.app.engine;
    let counts = engine.run_counts();
    let mut text = PlainText::default();
    text.metric("clawperator_http_requests_total", "counter", "Requests by route and status.");
    let requests = api.requests.0.lock().unwrap_or_else(PoisonError::into_inner);
    for ((route, status), count) in &*requests {
        let route = &api.routes[*route];
        let labels =
            format!("method=\"{}\",route=\"{}\",status=\"{status}\"", route.method.word(), route.path);
        text.value("clawperator_http_requests_total", &labels, *count);
    }
    text.metric("clawperator_runs_total", "counter", "Runs that ended, by how they ended.");
    for (status, count) in [("success", counts.success), ("failed", counts.failed), ("error", counts.error)] {
        text.value("clawperator_runs_total", &format!("status=\"{status}\""), count);
    }
    let readers = api.readers.load(Ordering::Relaxed) as u64;
    let uptime = engine.now_ms().saturating_sub(api.began_ms) / 1000;
    for (name, doc, value) in [
        ("clawperator_runs_active", "Runs under way.", engine.active_runs() as u64),
        ("clawperator_event_readers", "Readers of events.", readers),
        ("clawperator_uptime_seconds", "How long the server has been running.", uptime),
    ] {
        text.metric(name, "gauge", doc);
        text.value(name, "", value);
    }
    if let Some(bytes) = resident_bytes() {
        let name = "process_resident_memory_bytes";
        text.metric(name, "gauge", "Memory of this process.");
        text.value(name, "", bytes);
    }
    text
}

/// Counts in the text format of Prometheus.
#[derive(Default)]
pub(super) struct PlainText(String);

impl PlainText {
    pub(super) fn metric(&mut self, name: &str, kind: &str, doc: &str) {
        // Writing to a text cannot fail.
        let _ = write!(self.0, "# HELP {name} {doc}\n# TYPE {name} {kind}\n");
    }

    pub(super) fn value(&mut self, name: &str, labels: &str, value: u64) {
        let labels = match labels {
            "" => String::new(),
            labels => format!("{{{labels}}}"),
        };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

/// The memory of this process, where the system tells it.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
