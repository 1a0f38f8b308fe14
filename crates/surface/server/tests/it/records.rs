//! What is kept, what is counted, and how the routes are described.

use crate::support::{client, folder, server, server_in};
use serde_json::{Value, json};

fn look() -> Value {
    json!({"execution": {"commandId": "look-1", "taskId": "t", "source": "test", "timeoutMs": 30_000,
        "expectedFormat": "android-ui-automator", "actions": [{"id": "s", "type": "snapshot_ui"}]}})
}

#[tokio::test]
async fn a_run_leaves_a_journal_that_can_be_read_as_events_and_as_a_page() {
    let server = server("http_journal").await;
    let client = client(&server);
    assert_eq!(client.post("/execute", &look()).await.status, 200);
    let run = client.get("/runs").await.json()["runs"][0].clone();
    let listed = client.get("/journals").await.json();
    assert_eq!((&listed["count"], &listed["journals"][0]["name"]), (&json!(1), &run["journal"]));
    for id in ["look-1", run["journal"].as_str().unwrap()] {
        let journal = client.get(&format!("/journals/{id}")).await.json();
        assert_eq!((&journal["status"], &journal["verdict"]), (&json!("success"), &json!("whole")));
        assert!(journal["events"].as_array().unwrap().len() > 3);
        let page = client.get(&format!("/journals/{id}/report")).await;
        assert!(page.body.starts_with("<!doctype html>") || page.body.starts_with("<!DOCTYPE html>"));
        assert!(page.head.contains("content-security-policy: default-src 'none'; "));
    }
}

#[tokio::test]
async fn no_name_leads_out_of_the_folders() {
    let place = folder("http_traversal");
    let server = server_in(&place, |_| ()).await;
    let client = client(&server);
    // A journal that is elsewhere: the command line opens such a one.
    let elsewhere = place.join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("journal.ndjson"), "secret\n").unwrap();
    std::fs::write(place.join("secret.ndjson"), "secret\n").unwrap();
    let encoded = |path: &str| path.replace('/', "%2f");
    for path in [elsewhere.to_str().unwrap(), "../../elsewhere", "..", "%00", "%ff", "a/b"] {
        for route in ["/journals/", "/recordings/", "/runs/", "/skills/"] {
            let answer = client.get(&format!("{route}{}", encoded(path))).await;
            assert!((400..=500).contains(&answer.status), "{route}{path}: {answer:?}");
            assert!(!answer.body.contains("secret\\n"), "{answer:?}");
        }
    }
    assert_eq!(client.get("/recordings/..%2f..%2fsecret").await.refusal().0, 404);
    let recordings = place.join("state/recordings");
    std::fs::create_dir_all(&recordings).unwrap();
    std::fs::write(recordings.join("tour.ndjson"), "{}\n").unwrap();
    std::fs::write(recordings.join("latest"), "tour").unwrap();
    let listed = client.get("/recordings").await.json();
    assert_eq!(listed["recordings"], json!([{"sessionId": "tour", "bytes": 3}]));
    assert_eq!(client.get("/recordings/tour").await.body, "{}\n");
}

#[tokio::test]
async fn what_happens_is_counted() {
    let server = server("http_metrics").await;
    let client = client(&server);
    client.post("/execute", &look()).await;
    client.get("/runs/nobody").await;
    let metrics = client.get("/metrics").await;
    for line in [
        "clawperator_http_requests_total{method=\"POST\",route=\"/execute\",status=\"200\"} 1",
        "clawperator_http_requests_total{method=\"GET\",route=\"/runs/{id}\",status=\"404\"} 1",
        "clawperator_runs_total{status=\"success\"} 1",
        "clawperator_runs_active 0",
    ] {
        assert!(metrics.body.contains(&format!("{line}\n")), "{line}: {}", metrics.body);
    }
    let ready = client.get("/ready").await.json();
    assert_eq!((&ready["ok"], &ready["version"]), (&json!(true), &json!("0.0.0")));
}

#[tokio::test]
async fn every_route_of_the_document_is_there() {
    let server = server("http_openapi").await;
    let client = client(&server);
    let document = client.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    for path in ["/devices", "/execute", "/skills/{id}/run", "/events", "/runs/{id}", "/health"] {
        assert!(paths.contains_key(path), "{path}");
    }
    let schema = document["paths"]["/execute"].to_string();
    assert!(schema.contains(r"^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z]"), "{schema}");
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            // A stream has no end.
            if path.ends_with("/events") {
                continue;
            }
            let ask = crate::support::Ask {
                method: &method.to_uppercase(),
                path: &path.replace("{id}", "x").replace("{name}", "x"),
                ..Default::default()
            };
            let answer = client.ask(ask).await;
            let code = match answer.status {
                200 | 202 | 204 => String::new(),
                _ => answer.refusal().1,
            };
            let wrong = ["ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED", "INTERNAL_ERROR"];
            assert!(!wrong.contains(&code.as_str()), "{method} {path}: {code}");
        }
    }
    let page = client.get("/docs/api").await.body;
    for path in paths.keys().filter(|path| !["/health", "/session"].contains(&path.as_str())) {
        assert!(page.contains(path), "{path}");
    }
    let unknown = client.get("/runs?limt=3").await;
    assert_eq!(unknown.refusal(), (400, "INVALID_REQUEST".to_owned()));
}
