//! The pool over HTTP: on a broker in memory, with a host that has simulated phones.

use crate::pool_host::{Pool, failing};
use crate::support::{Answer, Ask, Client, Server, client, server, server_with};
use clawperator_pool::broker::BrokerError;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

fn execution(id: &str, actions: &Value) -> Value {
    json!({"commandId": id, "taskId": "t", "source": "test", "timeoutMs": 30_000,
        "expectedFormat": "android-ui-automator", "actions": actions})
}

/// Counts once and reads the counter.
fn counting(id: &str) -> Value {
    execution(
        id,
        &json!([
            {"id": "open", "type": "open_app", "params": {"applicationId": "com.clawperator.conformance"}},
            {"id": "count", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}},
            {"id": "read", "type": "read_text", "params": {"matcher": {"textContains": "Counter"}}}
        ]),
    )
}

fn sleeping(id: &str) -> Value {
    execution(id, &json!([{"id": "s", "type": "sleep", "params": {"durationMs": 20_000}}]))
}

async fn send(client: &Client, execution: &Value, on: &str, wait: bool) -> Answer {
    client.post("/pool/jobs", &json!({"execution": execution, "on": on, "wait": wait})).await
}

async fn ask(client: &Client, method: &str, path: &str, body: &str) -> Answer {
    client.ask(Ask { method, path, headers: &["Content-Type: application/json"], body }).await
}

/// Asks again until the answer is as wanted.
async fn until(client: &Client, path: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..20_000 {
        let answer = client.get(path).await.json();
        if is_wanted(&answer) {
            return answer;
        }
        tokio::task::yield_now().await;
    }
    panic!("{path} was never as wanted: {}", client.get(path).await.body);
}

/// Every route of the pool, with values for its path and its body.
async fn every_route(client: &Client) -> Vec<(String, String, &'static str)> {
    let api = client.get("/openapi.json").await.json();
    let mut routes = Vec::new();
    for (path, methods) in api["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|_| path.starts_with("/pool/")) {
            let path = path.replace("{id}", "job").replace("{host}", "lab").replace("{serial}", "a");
            let body = match (method.as_str(), path.as_str()) {
                ("put", path) if path.ends_with("reservation") => r#"{"forMs": 1000, "why": "a test"}"#,
                ("post", _) => {
                    r#"{"on": "any:pixel", "execution": {"commandId": "c", "taskId": "t", "source": "s",
                        "timeoutMs": 1000, "expectedFormat": "android-ui-automator",
                        "actions": [{"id": "s", "type": "sleep", "params": {"durationMs": 1}}]}}"#
                }
                _ => "",
            };
            routes.push((method.to_uppercase(), path, body));
        }
    }
    assert_eq!(routes.len(), 13, "{routes:?}");
    routes
}

#[tokio::test]
async fn a_server_without_a_pool_says_how_to_get_one() {
    let server = server("pool-none").await;
    let client = client(&server);
    for (method, path, body) in every_route(&client).await {
        let answer = ask(&client, &method, &path, body).await;
        assert_eq!(answer.refusal(), (503, "POOL_UNAVAILABLE".to_owned()), "{method} {path}");
        let hint = &answer.json()["error"]["details"]["hint"];
        assert!(hint.as_str().unwrap().contains("serve --pool"), "{hint}");
    }
    assert_eq!(client.get("/ready").await.json()["pool"], false);
}

#[tokio::test]
async fn what_a_broker_refuses_is_a_typed_error_on_every_route() {
    let why = || "a test".to_owned();
    for (error, status, code) in [
        (BrokerError::Unavailable(why()), 503, "POOL_UNAVAILABLE"),
        (BrokerError::Refused(why()), 403, "POOL_REFUSED"),
        (BrokerError::Full(why()), 429, "POOL_FULL"),
    ] {
        let name = format!("pool-failing-{status}");
        let server = server_with(&name, |app| app.pool = Some(failing(error))).await;
        let client = client(&server);
        for (method, path, body) in every_route(&client).await {
            let answer = ask(&client, &method, &path, body).await;
            assert_eq!(answer.refusal(), (status, code.to_owned()), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_job_is_answered_as_an_execution_on_one_phone_is() {
    let pool = Pool::new("pool-job", &["a"]);
    let server = pool.server("pool-job", 1).await;
    let client = client(&server);
    let answer = send(&client, &counting("job-1"), "any:pixel", true).await;
    let body = answer.json();
    assert_eq!((answer.status, &body["envelope"]["status"]), (200, &json!("success")), "{answer:?}");
    assert_eq!(body["envelope"]["stepResults"][2]["data"]["text"], "Counter: 1");
    assert_eq!((&body["phone"], &body["deviceId"]), (&json!("lab/a"), &json!("a")));
    let here = client.post("/execute", &json!({"execution": counting("here")})).await.json();
    let keys = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut more = keys(&here);
    more.extend(["jobId".to_owned(), "phone".to_owned()]);
    assert_eq!(keys(&body), more);
    // The same id with the same payload is the same job, and with another one it is a mistake.
    let again = send(&client, &counting("job-1"), "any:pixel", true).await;
    assert_eq!(again.json(), body);
    for (payload, on) in [(sleeping("job-1"), "any:pixel"), (counting("job-1"), "lab/a")] {
        let other = send(&client, &payload, on, true).await;
        assert_eq!(other.refusal(), (409, "IDEMPOTENCY_CONFLICT".to_owned()), "{other:?}");
    }
    let id = body["jobId"].as_str().unwrap();
    for name in [id, "job-1"] {
        let job = client.get(&format!("/pool/jobs/{name}")).await.json();
        assert_eq!((&job["state"], &job["status"]), (&json!("ended"), &json!("success")), "{job}");
        assert_eq!(
            (&job["id"], &job["phone"], &job["httpStatus"]),
            (&json!(id), &json!("lab/a"), &json!(200))
        );
        assert_eq!(job["result"]["envelope"], body["envelope"]);
        let cancelled = ask(&client, "DELETE", &format!("/pool/jobs/{name}"), "").await.json();
        assert_eq!(cancelled["cancelled"], false, "{cancelled}");
    }
    let report = client.get("/pool/jobs/job-1/report").await;
    assert_eq!(report.status, 200, "{report:?}");
    assert!(
        report.head.contains("text/html") && report.head.contains("content-security-policy"),
        "{report:?}"
    );
    assert!(report.body.contains("job-1"), "{report:?}");
}

#[tokio::test]
async fn a_job_that_waits_says_why_and_can_be_cancelled() {
    let pool = Pool::new("pool-waits", &["a"]);
    let server = pool.server("pool-waits", 1).await;
    let client = client(&server);
    let sent = send(&client, &counting("waits"), "any:nokia", false).await;
    let place = sent.json()["location"].as_str().unwrap().to_owned();
    assert_eq!((sent.status, &sent.json()["commandId"]), (202, &json!("waits")), "{sent:?}");
    let why = json!({"reason": "noPhone", "text": "no phone of this class or name is in the pool"});
    let jobs = client.get("/pool/jobs").await.json();
    assert_eq!((&jobs["waitingCount"], &jobs["runningCount"]), (&json!(1), &json!(0)), "{jobs}");
    assert_eq!((&jobs["waiting"][0]["why"], &jobs["waiting"][0]["target"]), (&why, &json!("any:nokia")));
    let job = client.get(&place).await.json();
    assert_eq!((&job["state"], &job["why"], &job["ahead"]), (&json!("waiting"), &why, &json!(0)), "{job}");
    let report = client.get("/pool/jobs/waits/report").await;
    assert_eq!(report.refusal(), (423, "EXECUTION_CONFLICT_IN_FLIGHT".to_owned()), "{report:?}");
    let cancelled = ask(&client, "DELETE", "/pool/jobs/waits", "").await.json();
    assert_eq!(cancelled["cancelled"], true, "{cancelled}");
    let job = until(&client, &place, |job| job["state"] == "ended").await;
    assert_eq!((&job["status"], &job["httpStatus"]), (&json!("error"), &json!(503)), "{job}");
    assert_eq!(job["result"]["error"]["code"], "EXECUTION_CANCELLED", "{job}");
    let report = client.get("/pool/jobs/waits/report").await;
    assert_eq!(report.refusal(), (404, "JOB_NOT_FOUND".to_owned()), "{report:?}");
}

#[tokio::test]
async fn a_job_that_runs_shows_its_host_and_phone_and_can_be_cancelled() {
    let pool = Pool::new("pool-runs", &["a"]);
    let server = pool.server("pool-runs", 1).await;
    let client = client(&server);
    send(&client, &sleeping("long"), "lab/a", false).await;
    let jobs = until(&client, "/pool/jobs", |jobs| jobs["running"][0]["stage"] == "started").await;
    let job = &jobs["running"][0];
    assert_eq!(
        (&job["host"], &job["phone"], &job["commandId"]),
        (&json!("lab"), &json!("lab/a"), &json!("long"))
    );
    let phones = until(&client, "/pool/phones", |phones| phones["phones"][0]["state"] == "running").await;
    assert_eq!((&phones["count"], &phones["phones"][0]["job"]), (&json!(1), &job["id"]), "{phones}");
    let shown = client.get("/pool/jobs/long").await.json();
    assert_eq!(
        (&shown["state"], &shown["stage"], &shown["host"]),
        (&json!("running"), &json!("started"), &json!("lab"))
    );
    // Others wait behind it.
    send(&client, &counting("next"), "any:pixel", false).await;
    let why = client.get("/pool/jobs/next").await.json()["why"].clone();
    assert_eq!(why, json!({"reason": "allBusy", "phones": 1, "text": "the phone is busy"}));
    let metrics = client.get("/pool/metrics").await;
    for line in [
        "clawperator_pool_hosts{drains=\"no\"} 1",
        "clawperator_pool_phones{state=\"running\"} 1",
        "clawperator_pool_phones{state=\"idle\"} 0",
        "clawperator_pool_jobs_waiting{class=\"pixel\",priority=\"normal\"} 1",
        "clawperator_pool_longest_wait_seconds{class=\"pixel\",priority=\"normal\"} 0",
        "clawperator_pool_jobs_running{stage=\"started\"} 1",
    ] {
        assert!(metrics.body.lines().any(|known| known == line), "{line}\n{}", metrics.body);
    }
    let cancelled = ask(&client, "DELETE", "/pool/jobs/long", "").await.json();
    assert_eq!(cancelled["cancelled"], true, "{cancelled}");
    let job = until(&client, "/pool/jobs/long", |job| job["state"] == "ended").await;
    assert_eq!(job["result"]["error"]["code"], "EXECUTION_CANCELLED", "{job}");
    let next = until(&client, "/pool/jobs/next", |job| job["state"] == "ended").await;
    assert_eq!(next["status"], "success", "{next}");
}

#[tokio::test]
async fn a_reserved_phone_takes_only_jobs_that_name_it() {
    let pool = Pool::new("pool-reserved", &["a:1"]);
    let server = pool.server("pool-reserved", 1).await;
    let client = client(&server);
    let place = "/pool/phones/lab/a%3A1/reservation";
    let reserved = ask(&client, "PUT", place, r#"{"forMs": 60000, "why": "a look"}"#).await;
    assert_eq!(reserved.json(), json!({"ok": true, "phone": "lab/a:1", "forMs": 60000, "why": "a look"}));
    let phones = until(&client, "/pool/phones", |phones| phones["phones"][0]["state"] == "reserved").await;
    assert_eq!(phones["phones"][0]["why"], "a look", "{phones}");
    send(&client, &counting("other"), "any:pixel", false).await;
    let why = client.get("/pool/jobs/other").await.json()["why"].clone();
    assert_eq!(
        (&why["reason"], &why["text"]),
        (&json!("reserved"), &json!("the phone is reserved")),
        "{why}"
    );
    let named = send(&client, &counting("named"), "lab/a:1", true).await;
    assert_eq!(named.json()["envelope"]["status"], "success", "{named:?}");
    assert_eq!(client.get("/pool/jobs/other").await.json()["state"], "waiting");
    assert_eq!(ask(&client, "DELETE", place, "").await.json(), json!({"ok": true, "phone": "lab/a:1"}));
    let other = until(&client, "/pool/jobs/other", |job| job["state"] == "ended").await;
    assert_eq!(other["status"], "success", "{other}");
}

#[tokio::test]
async fn a_host_that_drains_takes_no_more_jobs() {
    let pool = Pool::new("pool-drains", &["a"]);
    let server = pool.server("pool-drains", 1).await;
    let client = client(&server);
    let drains = ask(&client, "PUT", "/pool/hosts/lab/drain", "").await;
    assert_eq!(drains.json(), json!({"ok": true, "host": "lab", "drains": true}));
    until(&client, "/pool/phones", |phones| phones["phones"][0]["state"] == "drained").await;
    send(&client, &counting("waits"), "any:phone", false).await;
    assert_eq!(client.get("/pool/jobs/waits").await.json()["why"]["reason"], "drained");
    let again = ask(&client, "DELETE", "/pool/hosts/lab/drain", "").await;
    assert_eq!(again.json()["drains"], false);
    until(&client, "/pool/jobs/waits", |job| job["status"] == "success").await;
    let hosts = client.get("/pool/hosts").await.json();
    assert_eq!((&hosts["count"], &hosts["hosts"][0]["host"]), (&json!(1), &json!("lab")), "{hosts}");
}

#[tokio::test]
async fn a_job_for_all_phones_is_one_for_each() {
    let pool = Pool::new("pool-all", &["a", "b"]);
    let server = pool.server("pool-all", 2).await;
    let client = client(&server);
    let answer = send(&client, &counting("each"), "all:pixel", true).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let jobs = answer.json()["jobs"].as_array().unwrap().clone();
    let names: Vec<_> = jobs.iter().map(|job| (job["phone"].clone(), job["commandId"].clone())).collect();
    let name = |serial: &str| (json!(format!("lab/{serial}")), json!("each"));
    assert_eq!(names, [name("a"), name("b")]);
    for job in jobs {
        let steps = &job["result"]["envelope"]["stepResults"];
        assert_eq!(steps[2]["data"]["text"], "Counter: 1", "{job}");
    }
    let later = send(&client, &counting("later"), "all:pixel", false).await;
    assert_eq!((later.status, later.json()["jobs"].as_array().unwrap().len()), (202, 2), "{later:?}");
    let none = send(&client, &counting("none"), "all:nokia", false).await;
    assert_eq!(none.refusal(), (404, "DEVICE_NOT_FOUND".to_owned()));
    let limited = client.get("/pool/phones?limit=1").await.json();
    assert_eq!((&limited["count"], limited["phones"].as_array().unwrap().len()), (&json!(2), 1));
}

#[tokio::test]
async fn nonsense_is_refused_and_nothing_is_sent() {
    let pool = Pool::new("pool-nonsense", &["a"]);
    let server = pool.server("pool-nonsense", 1).await;
    let client = client(&server);
    let whole = |change: Value| {
        let mut body = json!({"execution": counting("never"), "on": "any:pixel"});
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        body
    };
    let step = |kind: &str, params: Value| json!({"execution": execution("never", &json!([{"id": "x", "type": kind, "params": params}]))});
    for (change, code) in [
        (json!({"on": null}), "INVALID_REQUEST"),
        (json!({"on": "pixel"}), "INVALID_REQUEST"),
        (json!({"on": "any:"}), "INVALID_REQUEST"),
        (json!({"on": "any:a b"}), "INVALID_REQUEST"),
        (json!({"on": "lab/"}), "INVALID_REQUEST"),
        (json!({"on": "127.0.0.1:5555"}), "INVALID_REQUEST"),
        (json!({"on": ["lab/a"]}), "INVALID_REQUEST"),
        (json!({"priority": "urgent"}), "INVALID_REQUEST"),
        (json!({"deadlineMs": 0}), "INVALID_REQUEST"),
        (json!({"deadlineMs": -5}), "INVALID_REQUEST"),
        (json!({"deadlineMs": 1e15}), "INVALID_REQUEST"),
        (json!({"repeatable": "yes"}), "INVALID_REQUEST"),
        (json!({"wait": 1}), "INVALID_REQUEST"),
        (json!({"lane": "fast"}), "INVALID_REQUEST"),
        (json!({"execution": null}), "MISSING_EXECUTION"),
        (json!({"execution": {"actions": []}}), "EXECUTION_VALIDATION_FAILED"),
        (step("take_screenshot", json!({"path": "/etc/x.png"})), "EXECUTION_VALIDATION_FAILED"),
        (step("start_recording", json!({})), "EXECUTION_VALIDATION_FAILED"),
    ] {
        let answer = client.post("/pool/jobs", &whole(change.clone())).await;
        assert_eq!(answer.refusal(), (400, code.to_owned()), "{change}: {answer:?}");
    }
    let reservation = "/pool/phones/lab/a/reservation";
    for (method, path, body, status, code) in [
        ("POST", "/pool/jobs", "[]", 400, "INVALID_BODY"),
        ("POST", "/pool/jobs", "{", 400, "INVALID_JSON"),
        ("POST", "/pool/jobs?limit=1", "{}", 400, "INVALID_REQUEST"),
        ("GET", "/pool/jobs?limit=x", "", 400, "INVALID_REQUEST"),
        ("GET", "/pool/jobs/none", "", 404, "JOB_NOT_FOUND"),
        ("DELETE", "/pool/jobs/none", "", 404, "JOB_NOT_FOUND"),
        ("GET", "/pool/jobs/none/report", "", 404, "JOB_NOT_FOUND"),
        ("PUT", reservation, "{}", 400, "INVALID_REQUEST"),
        ("PUT", reservation, r#"{"forMs": 1000}"#, 400, "INVALID_REQUEST"),
        ("PUT", reservation, r#"{"forMs": 99999999999, "why": "x"}"#, 400, "INVALID_REQUEST"),
        ("PUT", "/pool/phones/lab/b/reservation", r#"{"forMs": 1000, "why": "x"}"#, 404, "DEVICE_NOT_FOUND"),
        ("PUT", "/pool/phones/l%20b/a/reservation", r#"{"forMs": 1000, "why": "x"}"#, 400, "INVALID_REQUEST"),
        ("DELETE", "/pool/phones/lab/b/reservation", "", 404, "DEVICE_NOT_FOUND"),
        ("PUT", "/pool/hosts/none/drain", "", 404, "DEVICE_NOT_FOUND"),
        ("PUT", "/pool/hosts/%FF/drain", "", 400, "INVALID_REQUEST"),
        ("PUT", "/pool/phones/%FF/a/reservation", "{}", 400, "INVALID_REQUEST"),
        ("POST", "/pool/phones", "{}", 405, "METHOD_NOT_ALLOWED"),
    ] {
        let answer = ask(&client, method, path, body).await;
        assert_eq!(answer.refusal(), (status, code.to_owned()), "{method} {path} {body}: {answer:?}");
    }
    let long = json!({"forMs": 1, "why": "x".repeat(201)}).to_string();
    assert_eq!(ask(&client, "PUT", reservation, &long).await.status, 400);
    assert_eq!(pool.caller().jobs().await.unwrap(), clawperator_pool::PoolJobs::default());
    // Other routes are for phones of this computer.
    let wrong =
        client.post("/execute", &json!({"execution": counting("never"), "deviceId": "any:pixel"})).await;
    assert_eq!(wrong.refusal(), (400, "INVALID_DEVICE_ID".to_owned()), "{wrong:?}");
    assert!(pool.phones.asked("a").iter().all(|asked| !asked.contains("input")));
}

/// What a server tells until an event has this name and data.
async fn hear(server: &Server, begin: impl Future<Output = ()>, last: (&str, &str)) -> Vec<(String, Value)> {
    let mut stream = client(server).connect().await;
    stream.write_all(b"GET /pool/events HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    while lines.next_line().await.unwrap().unwrap() != "" {}
    begin.await;
    let (mut heard, mut name) = (Vec::new(), String::new());
    while let Some(line) = lines.next_line().await.unwrap() {
        if let Some(event) = line.strip_prefix("event: ") {
            name = event.to_owned();
        } else if let Some(data) = line.strip_prefix("data: ") {
            heard.push((name.clone(), serde_json::from_str(data).unwrap()));
            if name == last.0 && data.contains(last.1) {
                break;
            }
        }
    }
    heard
}

#[tokio::test]
async fn events_tell_of_jobs_and_of_phones_whose_state_changes() {
    let pool = Pool::new("pool-events", &["a"]);
    let server = pool.server("pool-events", 1).await;
    let client = client(&server);
    let begin = async {
        send(&client, &counting("seen"), "any:pixel", false).await;
    };
    let heard = hear(&server, begin, ("clawperator:phone", "\"idle\"")).await;
    let jobs: Vec<_> = heard.iter().filter(|(name, _)| name == "clawperator:job").collect();
    assert_eq!(jobs[0].1["commandId"], "seen", "{heard:?}");
    assert!(jobs.iter().any(|(_, job)| job["what"]["stepBegan"]["action"] == "click"), "{heard:?}");
    let states: Vec<_> = heard
        .iter()
        .filter(|(name, _)| name == "clawperator:phone")
        .map(|(_, phone)| phone["state"].clone())
        .collect();
    assert_eq!(states, ["running", "cleaning", "idle"], "{heard:?}");
}
