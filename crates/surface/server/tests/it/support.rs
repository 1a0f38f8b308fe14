//! A server on a port of its own, for phones in memory, and a small client.

#[allow(dead_code, reason = "the engine's tests use the rest")]
#[path = "../../../../work/engine/tests/support/mod.rs"]
pub(crate) mod phones;

use clawperator_contract::{Failure, LaneWish, LookAfter};
use clawperator_engine::Journal;
use clawperator_events::Pictures;
use clawperator_run::operator::RouteWish;
use clawperator_server::http::{Doors, Hosts, ServerEnd, serve};
use clawperator_server::{AgentTools, App, Approvals, BoxedPhone, BoxedPhones, Closing, Sdk};
use clawperator_skills::repo::Places;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) phones: Arc<phones::Phones>,
    end: Arc<Notify>,
    task: tokio::task::JoinHandle<ServerEnd>,
}

impl Server {
    /// Asks it to end, and waits until it has.
    pub(crate) async fn end(mut self) -> ServerEnd {
        self.end.notify_one();
        (&mut self.task).await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Debug)]
struct NoPhones;

impl BoxedPhones for NoPhones {
    fn list(&self) -> Result<Vec<BoxedPhone>, Failure> {
        Ok(Vec::new())
    }
    fn start(&self, _: Option<&str>) -> Result<BoxedPhone, Failure> {
        panic!("no test starts one")
    }
    fn stop(&self, _: &str) -> Result<(), Failure> {
        panic!("no test stops one")
    }
}

/// A box whose phones are only names.
#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<Vec<String>>);

impl Names {
    pub(crate) fn of(names: &[&str]) -> Self {
        Self(Mutex::new(names.iter().map(|name| (*name).to_owned()).collect()))
    }
}

fn boxed_phone(name: &str) -> BoxedPhone {
    BoxedPhone { name: name.to_owned(), serial: format!("{name}:5555") }
}

impl BoxedPhones for Names {
    fn list(&self) -> Result<Vec<BoxedPhone>, Failure> {
        Ok(self.0.lock().unwrap().iter().map(|name| boxed_phone(name)).collect())
    }
    fn start(&self, _: Option<&str>) -> Result<BoxedPhone, Failure> {
        let mut names = self.0.lock().unwrap();
        let name = format!("sim-{}", names.len() + 1);
        names.push(name.clone());
        Ok(boxed_phone(&name))
    }
    fn stop(&self, name: &str) -> Result<(), Failure> {
        self.0.lock().unwrap().retain(|known| known != name);
        Ok(())
    }
}

/// An empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// What a server needs, for these phones, with its files in a folder of that
/// name.
pub(crate) fn app(name: &str, serials: &[&str]) -> App {
    app_in(&folder(name), &phones::Phones::new(serials.iter().map(|serial| (*serial).to_owned())))
}

pub(crate) fn app_in(folder: &Path, phones: &Arc<phones::Phones>) -> App {
    App {
        engine: phones::engine(phones, folder, None),
        version: "0.0.0",
        lane: LaneWish::Auto,
        looks: LookAfter::Asked,
        state: folder.join("state"),
        skills: Places { named: None, current: folder.to_owned(), installed: folder.join("skills") },
        device: None,
        journal: Journal::On(Pictures::Left),
        route: RouteWish::Host,
        program: None,
        boxed: Arc::new(NoPhones),
        sdk: Sdk::default(),
        token: None,
        hosts: Hosts::default(),
        approvals: Approvals::default(),
        agent: AgentTools::default(),
        pool: None,
        closing: Closing::default(),
    }
}

/// A server with one phone, `phone-1`, and its files in a folder of that name.
pub(crate) async fn server(name: &str) -> Server {
    server_with(name, |_| ()).await
}

/// The same, with something changed.
pub(crate) async fn server_with(name: &str, change: impl FnOnce(&mut App)) -> Server {
    server_in(&folder(name), change).await
}

/// The same, with its files in that folder: those of an earlier server are there.
pub(crate) async fn server_in(folder: &Path, change: impl FnOnce(&mut App)) -> Server {
    let phones = phones::Phones::new(["phone-1".to_owned()]);
    let mut app = app_in(folder, &phones);
    change(&mut app);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let doors = Doors { tcp: Some(listener), socket: None };
    let (app, end) = (Arc::new(app), Arc::new(Notify::new()));
    let ends = end.clone();
    let serving = async move { serve(&app, doors, Box::pin(ends.notified())).await };
    Server { port, phones, end, task: tokio::spawn(serving) }
}

/// A client of a server. Each request has its own connection.
pub(crate) struct Client(u16);

pub(crate) fn client(server: &Server) -> Client {
    Client(server.port)
}

/// A request. The Host header, the length and the end of the connection are
/// added.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    /// Whole lines.
    pub(crate) headers: &'a [&'a str],
    pub(crate) body: &'a str,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The status line and the headers.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The status, and the code of an error.
    pub(crate) fn refusal(&self) -> (u16, String) {
        let code = self.json()["error"]["code"].clone();
        (self.status, code.as_str().unwrap_or_default().to_owned())
    }
}

impl Client {
    pub(crate) async fn get(&self, path: &str) -> Answer {
        let ask = Ask { method: "GET", path, ..Ask::default() };
        self.ask(ask).await
    }

    /// Sends JSON.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let ask = Ask {
            method: "POST",
            path,
            headers: &["Content-Type: application/json"],
            body: &body.to_string(),
        };
        self.ask(ask).await
    }

    pub(crate) async fn ask(&self, ask: Ask<'_>) -> Answer {
        let mut lines = vec![format!("{} {} HTTP/1.1", ask.method, ask.path)];
        lines.extend(ask.headers.iter().map(|line| (*line).to_owned()));
        if !ask.headers.iter().any(|line| line.starts_with("Host:")) {
            lines.push(format!("Host: 127.0.0.1:{}", self.0));
        }
        if !ask.body.is_empty() {
            lines.push(format!("Content-Length: {}", ask.body.len()));
        }
        lines.push("Connection: close\r\n\r\n".to_owned());
        self.raw(&(lines.join("\r\n") + ask.body)).await
    }

    /// Sends these bytes, and reads until the server closes the connection.
    pub(crate) async fn raw(&self, bytes: &str) -> Answer {
        let mut stream = self.connect().await;
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        Answer { status: status.unwrap_or_default(), head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.0)).await.unwrap()
    }
}
