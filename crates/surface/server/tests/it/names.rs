//! Whom a request is addressed to and who sends it: the hosts, the token and its file;
//! and that the document of the routes is whole.

use crate::support::{app, client, server};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, header};
use clawperator_server::http::{Hosts, TokenOrigin, token_file};
use clawperator_server::router;
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use tower::ServiceExt as _;

type Headers<'h> = &'h [(&'h str, &'h str)];

/// The code with which a request is refused, and the headers of the answer.
async fn ask(
    routes: &axum::Router,
    (method, uri): (&str, &str),
    headers: Headers<'_>,
) -> (String, HeaderMap) {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = routes.clone().oneshot(request.body(Body::empty()).unwrap());
    let (parts, body) = answer.await.unwrap().into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap();
    let said: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let code = said["error"]["code"].as_str().unwrap_or_default();
    (code.to_owned(), parts.headers)
}

#[tokio::test]
async fn only_a_name_of_this_server_is_taken() {
    let routes = |hosts: Hosts| {
        let mut app = app("names-hosts", &[]);
        app.hosts = hosts;
        router(&Arc::new(app))
    };
    let here = routes(Hosts::of("127.0.0.1"));
    let (everywhere, lan) = (routes(Hosts::of("0.0.0.0")), routes(Hosts::of("phones.lan")));
    for (routes, host, origin, refused) in [
        (&here, "127.0.0.1:3000", None, ""),
        (&here, "LocalHost.:9", None, ""),
        (&here, "[::1]:3000", None, ""),
        (&here, "evil.example:3000", None, "HOST_REFUSED"),
        (&here, "192.168.1.5:3000", None, "HOST_REFUSED"),
        (&here, "127.0.0.1.evil.example", None, "HOST_REFUSED"),
        (&here, "me@localhost", None, "HOST_REFUSED"),
        (&here, "", None, "HOST_REFUSED"),
        (&everywhere, "192.168.1.5:3000", None, ""),
        (&everywhere, "evil.example", None, "HOST_REFUSED"),
        (&lan, "PHONES.lan", None, ""),
        (&here, "localhost:3000", Some("http://localhost:3000"), ""),
        (&here, "localhost:3000", Some("http://localhost:3001"), "ORIGIN_REFUSED"),
        (&here, "localhost:3000", Some("http://127.0.0.1:3000"), "ORIGIN_REFUSED"),
        (&here, "localhost:3000", Some("http://evil.example"), "ORIGIN_REFUSED"),
        (&here, "localhost:3000", Some("null"), "ORIGIN_REFUSED"),
        (&here, "localhost:3000", Some("ftp://localhost:3000"), "ORIGIN_REFUSED"),
    ] {
        let mut headers = vec![("host", host)];
        headers.extend(origin.map(|origin| ("origin", origin)));
        let said = ask(routes, ("GET", "/health"), &headers).await.0;
        assert_eq!(said, refused, "{host} {origin:?}");
    }
    let one: Headers<'_> = &[("host", "localhost")];
    for (uri, headers, refused) in [
        ("http://localhost/health", one, ""),
        ("http://evil.example/health", one, "HOST_REFUSED"),
        ("/health", &[one[0], one[0]], "HOST_REFUSED"),
        ("/health", &[], "HOST_REFUSED"),
    ] {
        assert_eq!(ask(&here, ("GET", uri), headers).await.0, refused, "{uri}");
    }
}

#[tokio::test]
async fn a_header_or_the_cookie_shows_the_token_and_nothing_else_does() {
    let mut app = app("names-token", &[]);
    app.token = Some("0123456789abcdef".to_owned());
    let routes = router(&Arc::new(app));
    let right = [("host", "localhost"), ("authorization", "Bearer 0123456789abcdef")];
    let (_, headers) = ask(&routes, ("POST", "/session"), &right).await;
    let cookie = headers[header::SET_COOKIE].to_str().unwrap();
    assert!(!cookie.contains("0123456789abcdef"));
    let cookie = cookie.split(';').next().unwrap();
    for (name, value, is_shown) in [
        ("authorization", "Bearer 0123456789abcdef", true),
        ("authorization", "bearer 0123456789abcdef ", true),
        ("authorization", "Bearer 0123456789abcde", false),
        ("authorization", "Bearer 0123456789abcdef0", false),
        ("authorization", "Basic 0123456789abcdef", false),
        ("authorization", "0123456789abcdef", false),
        ("authorization", "Bearer ", false),
        ("cookie", cookie, true),
        ("cookie", &format!("a=b; {cookie}; c=d"), true),
        ("cookie", &format!("x{cookie}"), false),
        // The cookie is not the token, nor the other way round.
        ("cookie", "clawperator_session=0123456789abcdef", false),
        ("cookie", "clawperator_session=", false),
    ] {
        let said = ask(&routes, ("GET", "/ready"), &[("host", "localhost"), (name, value)]).await.0;
        assert_eq!(said.is_empty(), is_shown, "{name}: {value}: {said}");
    }
}

#[test]
fn a_token_is_made_once_and_is_private() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("token-{}", std::process::id()));
    let path = folder.join("token");
    let made = token_file(&path, "a-token-of-enough-letters").unwrap();
    assert_eq!(made.origin, TokenOrigin::Made);
    let kept = token_file(&path, "another-one-that-is-ignored").unwrap();
    assert_eq!((kept.token, kept.origin), (made.token, TokenOrigin::Kept));
    let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    let is = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(is & 0o777, 0o600);
    mode(0o644);
    let refused = token_file(&path, "x").unwrap_err().message;
    assert!(refused.contains("others can read it"), "{refused}");
    mode(0o600);
    for bad in ["", "short", "with a space in between"] {
        std::fs::write(&path, bad).unwrap();
        assert!(token_file(&path, "x").is_err(), "{bad}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn every_route_is_complete_and_no_reference_leads_nowhere() {
    let server = server("names-document").await;
    let document = client(&server).get("/openapi.json").await.json();
    let mut names = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, about) in methods.as_object().unwrap() {
            let name = about["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_owned()), "{name} twice");
            assert!(!about["tags"][0].as_str().unwrap().is_empty(), "{path}");
            assert!(about["summary"].as_str().unwrap().ends_with('.'), "{path}");
            assert!(
                about.get("requestBody").is_none() || ["post", "put"].contains(&method.as_str()),
                "{path}"
            );
        }
    }
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let text = document.to_string();
    let references = text.split("\"$ref\":\"").skip(1);
    let references: Vec<_> = references.filter_map(|part| part.split('"').next()).collect();
    for reference in &references {
        let name = reference.strip_prefix("#/components/schemas/");
        assert!(name.is_some_and(|name| schemas.contains_key(name)), "{reference}");
    }
    assert!(references.len() > 20);
}
