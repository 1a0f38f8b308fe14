//! A server under load: `cargo bench -p clawperator --bench serve` starts one with
//! 64 simulated phones, sends 1,000 executions at once beside 200 readers of
//! events, 20 of which never read, and kills it in the middle of keyed ones. Every
//! outcome is checked; times, memory and limits are printed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at what is wrong"
)]

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

const LIMIT_FIRST_MS: f64 = 50.0;
const LIMIT_IDLE_MB: f64 = 25.0;
const LIMIT_BUSY_MB: f64 = 150.0;

struct Scale {
    phones: usize,
    in_flight: usize,
    readers: usize,
    /// Readers that never read.
    idlers: usize,
    rounds: usize,
    clicks: usize,
    keyed: usize,
}

const WHOLE: Scale =
    Scale { phones: 64, in_flight: 1_000, readers: 180, idlers: 20, rounds: 12, clicks: 500, keyed: 200 };
/// Enough to see that it works.
const SMALL: Scale =
    Scale { phones: 2, in_flight: 10, readers: 2, idlers: 1, rounds: 2, clicks: 3, keyed: 6 };

#[tokio::main]
async fn main() {
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let scale = if is_bench { WHOLE } else { SMALL };
    let place = Place::new();
    let mut server = place.serve().await;
    limit("serve/first answer", server.first_ms, LIMIT_FIRST_MS, "ms");
    limit("serve/idle", server.memory_mb(), LIMIT_IDLE_MB, "MB");
    let phones = place.start_phones(scale.phones);
    let client = server.client();
    let open = json!([{"id": "open", "type": "open_app",
        "params": {"applicationId": "com.clawperator.conformance"}}]);
    for phone in &phones {
        client.execute(Order { phone, id: "open", actions: &open }).await;
    }
    under_load(&server, &phones, &scale).await;
    one_by_one(&client, &phones[0], scale.clicks).await;
    killed(&place, &mut server, &phones, scale.keyed).await;
    drop(server);
    place.stop();
}

fn limit(what: &str, found: f64, limit: f64, unit: &str) {
    let verdict = if found <= limit { "ok" } else { "TOO MUCH" };
    println!("{what:<22} {found:.1} {unit} (limit {limit} {unit}: {verdict})");
}

fn count() -> Value {
    json!([
        {"id": "count", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}},
        {"id": "read", "type": "read_text", "params": {"matcher": {"textContains": "Counter"}}}
    ])
}

/// Rounds of executions, all at once, beside readers of events.
async fn under_load(server: &Server, phones: &[String], scale: &Scale) {
    let wanted = scale.in_flight * scale.rounds;
    // All of them, before the first execution begins: a late one would miss it.
    let mut readers: Vec<JoinHandle<usize>> = Vec::new();
    for _ in 0..scale.readers {
        let stream = server.client().subscribe().await;
        readers.push(tokio::spawn(read_results(stream, wanted)));
    }
    let mut idlers = Vec::new();
    for _ in 0..scale.idlers {
        idlers.push(server.client().subscribe().await);
    }
    let mut counted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut memory = Vec::new();
    for round in 0..scale.rounds {
        let began = Instant::now();
        let running: Vec<_> = (0..scale.in_flight)
            .map(|number| {
                let (client, phone) = (server.client(), phones[number % phones.len()].clone());
                tokio::spawn(async move {
                    let id = format!("r{round}-{number}");
                    let began = Instant::now();
                    let answer = client.execute(Order { phone: &phone, id: &id, actions: &count() }).await;
                    (phone, read(&answer), began.elapsed())
                })
            })
            .collect();
        let mut times = Vec::new();
        for one in running {
            let (phone, counter, took) = one.await.unwrap();
            times.push(took);
            // Each click counts once, so each execution reads another number.
            let is_new = counted.entry(phone).or_default().insert(counter.clone());
            assert!(is_new, "doubled or lost: {counter}");
        }
        let rate = scale.in_flight as f64 / began.elapsed().as_secs_f64();
        let (p50, p99) = percentiles(&mut times);
        memory.push(server.memory_mb());
        println!(
            "serve/in flight        {} executions on {} phones: {rate:.0} a second, p50 {p50:.0} ms, p99 {p99:.0} ms, \
             {:.0} MB",
            scale.in_flight,
            phones.len(),
            server.memory_mb(),
        );
    }
    limit("serve/under load", server.memory_mb(), LIMIT_BUSY_MB, "MB");
    let half = memory[memory.len() / 2];
    let growth = (memory[memory.len() - 1] / half - 1.0) * 100.0;
    println!("serve/memory           {growth:+.1} % in the second half of the rounds");
    for reader in readers {
        assert_eq!(reader.await.unwrap(), wanted, "a reader missed results");
    }
    println!("serve/events           {} readers got {wanted} results each", scale.readers);
}

/// Clicks one after the other on a warm phone.
async fn one_by_one(client: &Client, phone: &str, clicks: usize) {
    let click = json!([{"id": "c", "type": "click", "params": {"matcher": {"textEquals": "Increment"}}}]);
    let mut times = Vec::new();
    for number in 0..clicks {
        let began = Instant::now();
        client.execute(Order { phone, id: &format!("one-{number}"), actions: &click }).await;
        times.push(began.elapsed());
    }
    let (p50, p99) = percentiles(&mut times);
    println!(
        "serve/one click        p50 {p50:.2} ms, p99 {p99:.2} ms of {clicks}, phone and connection included"
    );
}

/// Kills the server in the middle of requests with keys, and asks a new one what
/// came of each.
async fn killed(place: &Place, server: &mut Server, phones: &[String], keyed: usize) {
    let answered = Arc::new(AtomicUsize::new(0));
    let send = |client: Client, number: usize| {
        let (phone, answered) = (phones[number % phones.len()].clone(), answered.clone());
        tokio::spawn(async move {
            let key = format!("key-{number}");
            let answer =
                client.try_execute(Order { phone: &phone, id: &key, actions: &count() }, Some(&key)).await;
            answered.fetch_add(usize::from(answer.is_some()), Ordering::Relaxed);
            Some((phone, answer?))
        })
    };
    let first: Vec<_> = (0..keyed).map(|number| send(server.client(), number)).collect();
    while answered.load(Ordering::Relaxed) < keyed / 2 {
        tokio::task::yield_now().await;
    }
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    for one in first {
        one.await.unwrap();
    }
    let before = answered.load(Ordering::Relaxed);
    *server = place.serve().await;
    let (mut done, mut unknown, mut fresh) = (0, 0, BTreeSet::new());
    for number in 0..keyed {
        let (phone, answer) = send(server.client(), number).await.unwrap().unwrap();
        if answer["ok"] == json!(true) {
            done += 1;
            let counter = read(&answer);
            assert!(fresh.insert((phone, counter.clone())), "doubled: {counter}");
        } else {
            assert_eq!(answer["error"]["code"], "EXECUTION_OUTCOME_UNKNOWN", "{answer}");
            unknown += 1;
        }
    }
    println!(
        "serve/kill -9          {keyed} requests with keys, {before} answered before: then {done} with one outcome, \
         {unknown} unknown, none doubled"
    );
}

/// What the last step read.
fn read(answer: &Value) -> String {
    let steps = answer["envelope"]["stepResults"].as_array();
    let steps = steps.unwrap_or_else(|| panic!("{answer}"));
    let text = steps.last().and_then(|step| step["data"]["text"].as_str());
    text.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn percentiles(times: &mut [Duration]) -> (f64, f64) {
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
    (at(50), at(99))
}

/// Reads events until it has seen so many results, none of them lost.
async fn read_results(mut stream: TcpStream, wanted: usize) -> usize {
    let (mut seen, mut kept, mut bytes) = (0, String::new(), [0; 16 << 10]);
    while seen < wanted {
        let read = stream.read(&mut bytes).await.unwrap();
        assert_ne!(read, 0, "the stream of events ended after {seen} results");
        kept.push_str(&String::from_utf8_lossy(&bytes[..read]));
        let end = kept.rfind('\n').map_or(0, |end| end + 1);
        assert!(!kept[..end].contains("event: gap"), "results were lost after {seen}");
        seen += kept[..end].matches("event: clawperator:result").count();
        kept.drain(..end);
    }
    seen
}

/// The folders of one run of the benchmark.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("clawperator-serve-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn program(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clawperator"));
        command
            .args(args)
            .env("HOME", &self.0)
            .env("CLAWPERATOR_SIM_DIR", self.0.join("sims"))
            .env("CLAWPERATOR_HOME", self.0.join("state"))
            .env("CLAWPERATOR_LOCK_DIR", self.0.join("locks"))
            .stderr(Stdio::null());
        command
    }

    fn start_phones(&self, count: usize) -> Vec<String> {
        let output = self.program(&["sim", "start", "--count", &count.to_string()]).output();
        let said: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let phones = said["phones"].as_array().cloned().unwrap_or_else(|| vec![said.clone()]);
        phones.iter().map(|phone| phone["serial"].as_str().unwrap().to_owned()).collect()
    }

    async fn serve(&self) -> Server {
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let began = Instant::now();
        let mut command = self.program(&["serve", "--port", &port.to_string()]);
        let child = command.stdout(Stdio::null()).spawn().unwrap();
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            tokio::task::yield_now().await;
        }
        let mut server = Server { child, port, token: Arc::default(), first_ms: 0.0 };
        let health = whole(server.client().get("/health").await.unwrap()).await.unwrap();
        assert!(health.ends_with("ok\n"), "{health}");
        server.first_ms = began.elapsed().as_secs_f64() * 1e3;
        let token = std::fs::read_to_string(self.0.join("state/token")).unwrap();
        server.token = token.trim().into();
        server
    }

    fn stop(&self) {
        assert!(self.program(&["sim", "stop", "--all"]).stdout(Stdio::null()).status().unwrap().success());
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A server that runs until it is dropped.
struct Server {
    child: Child,
    port: u16,
    token: Arc<str>,
    first_ms: f64,
}

impl Server {
    fn client(&self) -> Client {
        Client { port: self.port, token: self.token.clone() }
    }

    /// How much memory it has.
    fn memory_mb(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
        let kb: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kb / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been killed before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client; each request has its own connection.
#[derive(Clone)]
struct Client {
    port: u16,
    token: Arc<str>,
}

/// An execution for a phone.
struct Order<'o> {
    phone: &'o str,
    id: &'o str,
    actions: &'o Value,
}

/// A request.
struct Ask<'a> {
    /// The method and the path.
    line: &'a str,
    /// More headers.
    head: &'a str,
    body: &'a str,
}

impl Client {
    async fn execute(&self, order: Order<'_>) -> Value {
        let answer = self.try_execute(order, None).await.unwrap();
        assert_eq!(answer["ok"], json!(true), "{answer}");
        answer
    }

    /// Runs an execution; nothing if the server is gone.
    async fn try_execute(&self, order: Order<'_>, key: Option<&str>) -> Option<Value> {
        let body = json!({"deviceId": order.phone, "execution": {
            "commandId": order.id, "taskId": "bench", "source": "bench", "timeoutMs": 60_000,
            "expectedFormat": "android-ui-automator", "actions": order.actions}});
        let head = key.map_or(String::new(), |key| format!("Idempotency-Key: {key}\r\n"));
        let ask = Ask { line: "POST /execute", head: &head, body: &body.to_string() };
        let text = self.request(ask).await?;
        let (_, body) = text.split_once("\r\n\r\n")?;
        serde_json::from_str(body).ok()
    }

    async fn get(&self, path: &str) -> Option<TcpStream> {
        let line = format!("GET {path}");
        let ask = Ask { line: &line, head: "", body: "" };
        self.send(ask).await
    }

    async fn request(&self, ask: Ask<'_>) -> Option<String> {
        whole(self.send(ask).await?).await
    }

    async fn subscribe(&self) -> TcpStream {
        let mut stream = self.get("/events").await.unwrap();
        let mut first = [0; 1];
        stream.read_exact(&mut first).await.unwrap();
        stream
    }

    async fn send(&self, ask: Ask<'_>) -> Option<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
        let request = format!(
            "{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
             Content-Type: application/json\r\n{}Content-Length: {}\r\n\r\n{}",
            ask.line,
            self.port,
            self.token,
            ask.head,
            ask.body.len(),
            ask.body,
        );
        stream.write_all(request.as_bytes()).await.ok()?;
        Some(stream)
    }
}

async fn whole(mut stream: TcpStream) -> Option<String> {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.ok()?;
    Some(text)
}
