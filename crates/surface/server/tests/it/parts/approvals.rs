//! Tests of `approvals.rs`.

use crate::support::app;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use clawperator_server::router;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt as _;

/// Asks without a connection: on a stopped clock it would time out.
async fn ask(router: &Router, request: Request<Body>) -> (u16, Value) {
    let answer = router.clone().oneshot(request).await.unwrap();
    let status = answer.status().as_u16();
    let body = to_bytes(answer.into_body(), 1 << 20).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test(start_paused = true)]
async fn wrong_tokens_are_slowed_down_and_keep_no_right_one_out() {
    let router = router(&Arc::new(app("approve-slowly", &["phone-1"])));
    let asked = json!({"capability": "permission", "instruction": "May I?"}).to_string();
    let new =
        Request::post("/approvals").header("Host", "localhost").header("Content-Type", "application/json");
    let new = new.body(Body::from(asked)).unwrap();
    let (_, made) = ask(&router, new).await;
    let (_, right) = made["link"].as_str().unwrap().split_once('#').unwrap();
    let path = format!("/approve/{}/request", made["id"].as_str().unwrap());
    let tries = async |token: &str| {
        let page = Request::get(&path).header("Host", "localhost").header("X-Approval-Token", token);
        let (status, answer) = ask(&router, page.body(Body::empty()).unwrap()).await;
        (status, answer["error"]["code"].as_str().unwrap_or_default().to_owned())
    };
    let wrong = "x".repeat(43);
    let refused = (403, "APPROVAL_TOKEN_REFUSED".to_owned());
    let too_fast = (429, "APPROVAL_TOO_FAST".to_owned());
    for _ in 0..5 {
        assert_eq!(tries(&wrong).await, refused);
    }
    assert_eq!(tries(&wrong).await, too_fast);
    assert_eq!(tries(right).await.0, 200);
    tokio::time::advance(Duration::from_secs(4)).await;
    assert_eq!(tries(&wrong).await, refused);
    assert_eq!(tries(&wrong).await, too_fast);
    assert_eq!(tries(right).await.0, 200);
}
