//! The description of the routes: for programs, and for people.

use super::Api;
use super::openapi::document;
use super::route::{FieldNeed, HttpRoute, RouteField, Success};
use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse as _, Response};
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

/// What the page may load: nothing but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;\
    color-scheme:light dark}code,h2{font-family:ui-monospace,monospace}h2{font-size:1rem;margin:2rem 0 0}\
    table{border-collapse:collapse}td{padding:.1rem 1rem .1rem 0;vertical-align:top}";

/// The OpenAPI document. It is made once: many who ask for it cost no more.
pub(crate) async fn openapi(State(api): State<Arc<Api>>) -> Response {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    let text = DOCUMENT.get_or_init(|| document(api.app.version, api.routes).to_string());
    ([(header::CONTENT_TYPE, "application/json")], text.as_str()).into_response()
}

pub(crate) async fn page(State(api): State<Arc<Api>>) -> Response {
    let policy = [(header::CONTENT_SECURITY_POLICY, POLICY)];
    (policy, Html(html(api.routes))).into_response()
}

fn html(routes: &[HttpRoute]) -> String {
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Clawperator API</title>\
         <style>{STYLE}</style><h1>Clawperator API</h1>\
         <p>Every request needs <code>Authorization: Bearer TOKEN</code>. A failure is \
         <code>{{\"ok\":false,\"error\":{{\"code\",\"message\",…}}}}</code> with the HTTP status of its code. \
         The same as a document: <a href=\"/openapi.json\">/openapi.json</a>.</p>"
    );
    let mut group = "";
    for route in routes {
        if route.group != group {
            group = route.group;
            // Writing to a text cannot fail.
            let _ = write!(html, "<hr><p><strong>{group}</strong></p>");
        }
        describe(&mut html, route);
    }
    html + "</html>\n"
}

/// What is written here comes from the table, which has no signs of HTML but
/// what `escaped` takes away.
fn describe(html: &mut String, route: &HttpRoute) {
    let (method, path) = (route.method.word(), escaped(route.path));
    let (about, details) = (escaped(route.about), escaped(route.details));
    let _ = write!(html, "<h2>{method} {path}</h2><p>{about} {details}</p><table>");
    for (place, fields) in
        [("query", route.query), ("header", route.headers), ("body", route.body.unwrap_or_default())]
    {
        for field in fields {
            row(html, place, field);
        }
    }
    if let Success::Object(keys) = route.success {
        for key in keys {
            let doc = escaped(key.doc);
            let _ = write!(html, "<tr><td>answer<td><code>{}</code><td>{doc}", key.name);
        }
    }
    let codes: Vec<_> = route.errors.iter().map(|code| code.name()).collect();
    let _ = write!(html, "</table><p><small>{}</small></p>", codes.join(" "));
}

fn row(html: &mut String, place: &str, field: &RouteField) {
    let need = match field.need {
        FieldNeed::Required => " (required)",
        FieldNeed::Optional => "",
    };
    let doc = escaped(field.doc);
    let _ = write!(html, "<tr><td>{place}<td><code>{}</code>{need}<td>{doc}", field.name);
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
