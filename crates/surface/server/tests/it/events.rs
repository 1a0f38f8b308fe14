//! The stream of events.

use crate::support::{Server, client, server, server_with};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::{RUNS_KEPT, RefusedExecution};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A reader of events.
struct Reader(BufReader<TcpStream>);

#[derive(Debug, Default)]
struct Told {
    name: String,
    id: String,
    data: Value,
}

impl Reader {
    async fn open(server: &Server, query: &str, last: Option<&str>) -> Self {
        let mut stream = client(server).connect().await;
        let last = last.map_or(String::new(), |last| format!("Last-Event-ID: {last}\r\n"));
        let request = format!("GET /events{query} HTTP/1.1\r\nHost: localhost\r\n{last}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reader = Self(BufReader::new(stream));
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            reader.0.read_line(&mut line).await.unwrap();
        }
        reader
    }

    /// The next event; none at the end of the stream.
    async fn next(&mut self) -> Option<Told> {
        let mut told = Told::default();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).await.unwrap() == 0 {
                return None;
            }
            let line = line.trim_end();
            match line.split_once(": ") {
                Some(("event", name)) => told.name = name.to_owned(),
                Some(("id", id)) => told.id = id.to_owned(),
                Some(("data", data)) => told.data = serde_json::from_str(data).unwrap(),
                // The rest is the sizes of the chunks.
                _ if line == "0" => return None,
                _ if line.is_empty() && !told.name.is_empty() => return Some(told),
                _ => {}
            }
        }
    }
}

async fn run(server: &Server, id: &str) -> Value {
    let execution = json!({"commandId": id, "taskId": "t", "source": "test", "timeoutMs": 5000,
        "expectedFormat": "android-ui-automator",
        "actions": [{"id": "s", "type": "sleep", "params": {"durationMs": 1}}]});
    client(server).post("/execute", &json!({"execution": execution})).await.json()
}

#[tokio::test]
async fn a_reader_is_told_of_each_execution_and_can_come_back() {
    let server = server("events_told").await;
    let mut reader = Reader::open(&server, "", None).await;
    let hello = reader.next().await.unwrap();
    assert_eq!((hello.name.as_str(), &hello.data["code"]), ("heartbeat", &json!("CONNECTED")));
    let answer = run(&server, "c1").await;
    let result = reader.next().await.unwrap();
    assert_eq!(result.name, "clawperator:result");
    assert_eq!(
        (&result.data["deviceId"], &result.data["envelope"]),
        (&json!("phone-1"), &answer["envelope"])
    );
    let execution = reader.next().await.unwrap();
    assert_eq!(execution.name, "clawperator:execution");
    assert_eq!(execution.data["input"]["commandId"], "c1");
    assert_eq!(execution.data["result"], answer);
    drop(reader);
    run(&server, "c2").await;
    run(&server, "c3").await;
    // From the first one on, and then what comes.
    let mut reader = Reader::open(&server, "", Some(&execution.id)).await;
    run(&server, "c4").await;
    let mut ids = Vec::new();
    while ids.len() < 3 {
        let told = reader.next().await.unwrap();
        if told.name == "clawperator:execution" {
            ids.push(told.data["input"]["commandId"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(ids, ["c2", "c3", "c4"]);
}

#[tokio::test]
async fn a_reader_that_comes_from_another_server_learns_of_the_gap() {
    let server = server("events_gap").await;
    run(&server, "c1").await;
    let mut reader = Reader::open(&server, "", Some("17-5")).await;
    assert_eq!(reader.next().await.unwrap().name, "heartbeat");
    let gap = reader.next().await.unwrap();
    assert_eq!((gap.name.as_str(), &gap.data["code"]), ("gap", &json!("EVENTS_LOST")));
    // This server tells what it has all the same.
    assert_eq!(reader.next().await.unwrap().name, "clawperator:result");
    let ask = crate::support::Ask {
        method: "GET",
        path: "/events",
        headers: &["Last-Event-ID: nonsense"],
        body: "",
    };
    let refused = client(&server).ask(ask).await;
    assert_eq!(refused.refusal(), (400, "INVALID_REQUEST".to_owned()));
}

#[tokio::test]
async fn a_reader_that_was_away_for_too_long_is_told_how_many_results_are_gone() {
    let mut engine = None;
    let server = server_with("events_lost", |app| engine = Some(app.engine.clone())).await;
    let engine = engine.unwrap();
    let first = Reader::open(&server, "", None).await.next().await.unwrap();
    let refused = RefusedExecution { device: "phone-1".to_owned(), execution: json!({"commandId": "c"}) };
    let failure = Failure::of(ErrorCode::ExecutionValidationFailed, "no");
    for _ in 0..RUNS_KEPT + 7 {
        engine.refuse(&refused, &failure);
    }
    let mut reader = Reader::open(&server, "", Some(&first.id)).await;
    assert_eq!(reader.next().await.unwrap().name, "heartbeat");
    let gap = reader.next().await.unwrap();
    assert_eq!((gap.name.as_str(), &gap.data["lost"]), ("gap", &json!(7)));
    let next = reader.next().await.unwrap();
    assert!(next.id.ends_with("-8"), "{next:?}");
}

#[tokio::test]
async fn a_reader_gets_only_what_it_asked_for() {
    let server = server("events_filter").await;
    run(&server, "c1").await;
    let first = client(&server).get("/runs").await.json()["runs"][0]["runId"].clone();
    let query = format!("?run={}", first.as_str().unwrap());
    // Any number of this server is a place to begin at.
    let hello = Reader::open(&server, "", None).await.next().await.unwrap().id;
    let began = hello.split_once('-').unwrap().0.to_owned();
    let begin = format!("{began}-0");
    let mut one = Reader::open(&server, &query, Some(&begin)).await;
    let mut other = Reader::open(&server, "?device=phone-9", Some(&begin)).await;
    run(&server, "c2").await;
    assert_eq!(server.end().await, clawperator_server::http::ServerEnd::Quietly);
    let mut told = Vec::new();
    while let Some(event) = one.next().await {
        told.push((event.name, event.data["runId"].clone()));
    }
    let hello = ("heartbeat".to_owned(), Value::Null);
    let expected =
        ["clawperator:result", "clawperator:execution"].map(|name| (name.to_owned(), first.clone()));
    assert_eq!(told, [vec![hello], expected.to_vec()].concat());
    assert_eq!(other.next().await.unwrap().name, "heartbeat");
    assert!(other.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_reader_hears_regularly_that_the_server_is_there() {
    let server = server("events_heartbeat").await;
    let mut reader = Reader::open(&server, "", None).await;
    for code in ["CONNECTED", "ALIVE", "ALIVE"] {
        let told = reader.next().await.unwrap();
        assert_eq!((told.name.as_str(), &told.data["code"]), ("heartbeat", &json!(code)));
    }
}

#[tokio::test]
async fn readers_that_never_read_slow_no_execution() {
    let server = server("events_deaf").await;
    let mut deaf = Vec::new();
    for _ in 0..20 {
        deaf.push(Reader::open(&server, "", None).await);
    }
    for number in 0..50 {
        assert_eq!(run(&server, &format!("c{number}")).await["ok"], true);
    }
    assert_eq!(client(&server).get("/ready").await.json()["eventReaders"], 20);
    // One of them begins to read after all.
    let mut executions = 0;
    while executions < 50 {
        let told = deaf[0].next().await.unwrap();
        executions += usize::from(told.name == "clawperator:execution");
    }
}

#[tokio::test]
async fn a_refused_execution_is_told_without_what_it_would_type() {
    let server = server("events_refused").await;
    let mut reader = Reader::open(&server, "?device=phone-1", None).await;
    reader.next().await.unwrap();
    let execution = json!({"commandId": "bad", "taskId": "t", "source": "test",
        "actions": [{"id": "a", "type": "enter_text", "params": {"text": "hunter2"}}, 5]});
    let mut body = json!({"execution": execution});
    let unnamed = client(&server).post("/execute", &body).await;
    body["deviceId"] = json!("phone-1");
    let refused = client(&server).post("/execute", &body).await;
    assert_eq!(unnamed.refusal(), refused.refusal());
    let told = reader.next().await.unwrap();
    assert_eq!(told.name, "clawperator:execution");
    assert_eq!(
        told.data["input"],
        json!({"commandId": "bad", "taskId": "t", "source": "test",
            "actions": [{"id": "a", "type": "enter_text"}, {}]})
    );
    assert_eq!(told.data["result"]["error"], refused.json()["error"]);
    assert!(!told.data.to_string().contains("hunter2"));
    run(&server, "c1").await;
    assert_eq!(reader.next().await.unwrap().name, "clawperator:result");
}
