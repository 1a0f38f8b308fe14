//! A server on a port of its own, for phones in memory, and a small client.

#[allow(dead_code, reason = "the engine's tests use the rest")]
#[path = "../../../engine/tests/support/mod.rs"]
mod phones;

use clawperator_contract::Failure;
use clawperator_engine::Journal;
use clawperator_journal::Pictures;
use clawperator_runtime::operator::RouteWish;
use clawperator_server::{App, BoxedPhone, BoxedPhones, router};
use clawperator_skills::repo::Places;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) port: u16,
    task: tokio::task::JoinHandle<()>,
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

/// An empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// A server with one phone, `phone-1`, and its files in a folder of that name.
pub(crate) async fn server(name: &str) -> Server {
    let folder = folder(name);
    let phones = phones::Phones::new(["phone-1".to_owned()]);
    let app = Arc::new(App {
        engine: phones::engine(&phones, &folder, None),
        version: "0.0.0",
        state: folder.join("state"),
        skills: Places {
            named: None,
            current: folder.clone(),
            installed: folder.join("skills"),
        },
        device: None,
        journal: Journal::On(Pictures::Left),
        route: RouteWish::Host,
        boxed: Arc::new(NoPhones),
        token: None,
    });
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        axum::serve(listener, router(&app)).await.unwrap();
    });
    Server { port, task }
}

/// A client of a server. Each request has its own connection.
pub(crate) struct Client(u16);

pub(crate) fn client(server: &Server) -> Client {
    Client(server.port)
}

/// What a server answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Client {
    pub(crate) async fn get(&self, path: &str) -> Answer {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
            self.0
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.0)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            body: body.to_owned(),
        }
    }
}
