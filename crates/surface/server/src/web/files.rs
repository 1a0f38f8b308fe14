//! The files of the page. They are part of the program: no build step, nothing from elsewhere.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Nothing but the page's own files, and no script or style inside of them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The same for the page of an approval request, which has a frame.
const APPROVAL: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
    connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// For what an agent wrote: it has no origin, loads nothing, and is in a frame of that page only.
const FRAME: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// What the browser may do with a file.
fn policy(path: &str) -> (&'static str, &'static str) {
    match path {
        "/approve/{id}" => (APPROVAL, "DENY"),
        "/web/approve-frame.html" => (FRAME, "SAMEORIGIN"),
        _ => (POLICY, "DENY"),
    }
}

/// One file of the page.
#[derive(Clone, Copy, Debug)]
struct File {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

macro_rules! files {
    ($($path:literal $kind:ident $name:literal,)*) => {
        /// Every file, and where it is found.
        const FILES: &[File] = &[$(File {
            path: $path,
            kind: $kind,
            bytes: include_bytes!(concat!("../../web/", $name)),
        },)*];
    };
}

files! {
    "/" HTML "index.html",
    "/approve/{id}" HTML "approve.html",
    "/web/approve.css" STYLE "approve.css",
    "/web/approve.js" SCRIPT "approve.js",
    "/web/approve-fields.js" SCRIPT "approve-fields.js",
    "/web/approve-frame.js" SCRIPT "approve-frame.js",
    "/web/approve-frame.html" HTML "approve-frame.html",
    "/web/style.css" STYLE "style.css",
    "/web/icon.svg" PICTURE "icon.svg",
    "/web/main.js" SCRIPT "main.js",
    "/web/api.js" SCRIPT "api.js",
    "/web/dom.js" SCRIPT "dom.js",
    "/web/devices.js" SCRIPT "devices.js",
    "/web/screen.js" SCRIPT "screen.js",
    "/web/typing.js" SCRIPT "typing.js",
    "/web/elements.js" SCRIPT "elements.js",
    "/web/selectors.js" SCRIPT "selectors.js",
    "/web/history.js" SCRIPT "history.js",
    "/web/pool.js" SCRIPT "pool.js",
    "/web/queue.js" SCRIPT "queue.js",
    "/web/recorder.js" SCRIPT "recorder.js",
    "/web/requests.js" SCRIPT "requests.js",
    "/web/runs.js" SCRIPT "runs.js",
    "/web/shared.js" SCRIPT "shared.js",
    "/web/steps.js" SCRIPT "steps.js",
    "/web/tabs.js" SCRIPT "tabs.js",
}

/// The files. They hold nothing of the user's, so a browser gets them before it has the token.
pub(super) fn routes() -> Router {
    FILES.iter().fold(Router::new(), |router, file| {
        let tag = tag(file.bytes);
        router.route(
            file.path,
            get(move |headers: HeaderMap| {
                let answer = answer(file, &tag, &headers);
                async move { answer }
            }),
        )
    })
}

fn answer(file: &'static File, tag: &str, headers: &HeaderMap) -> Response {
    let known = headers.get(header::IF_NONE_MATCH);
    let is_known = known.is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let (status, body) = if is_known {
        (StatusCode::NOT_MODIFIED, Body::empty())
    } else {
        (StatusCode::OK, Body::from(file.bytes))
    };
    let (policy, frames) = policy(file.path);
    let headers = [
        (header::CONTENT_TYPE, file.kind),
        // A newer program has newer files.
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_FRAME_OPTIONS, frames),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::ETAG, tag),
    ];
    (status, headers, body).into_response()
}

/// What tells one version of some bytes from another.
pub(super) fn tag(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    let mut tag = String::from("\"");
    for byte in hash.iter().take(12) {
        // Writing to a string does not fail.
        let _ = write!(tag, "{byte:02x}");
    }
    tag + "\""
}
