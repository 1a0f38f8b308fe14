//! The same on a real server, and what only a real one does: keys, limits, losses.

use crate::broker::{check, store};
use clawperator_pool::access::{PoolAccess, connect};
use clawperator_pool::broker::{BrokerError, Bucket, Queue};
use clawperator_pool::local::LocalBroker;
use rustix::process::{Pid, Signal, WaitOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A folder that is gone with its test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("clawperator-pool-{}-{name}", std::process::id()));
        clawperator_private::folder(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program to test with, if there is one.
pub(crate) fn program() -> Option<PathBuf> {
    let named = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("nats-server"));
    let program = named.or_else(|| found.find(|program| program.is_file()));
    if program.is_none() {
        println!("skipped: there is no nats-server here");
    }
    program
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_broker_does_what_every_broker_does() {
    let Some(program) = program() else { return };
    let folder = Folder::new("local");
    let server = LocalBroker::start(Some(&program), &folder.0).await.unwrap();
    let access = PoolAccess::read(server.url()).unwrap();
    let pool = connect(&access).await.unwrap();
    let broker = &pool.tenants[0].broker;
    check(&**broker).await;
    // Once more: what is there stays as it is.
    let epoch = broker.epoch().await.unwrap();
    let again = connect(&access).await.unwrap();
    assert_eq!(again.pool.unwrap().epoch().await, Ok(epoch));
    store(&**broker, Bucket::Wishes, "kept", "yes").await.unwrap();
    drop(server);
    let server = LocalBroker::start(Some(&program), &folder.0).await.unwrap();
    let pool = connect(&PoolAccess::read(server.url()).unwrap()).await.unwrap();
    let kept = pool.tenants[0].broker.read(Bucket::Wishes, "kept").await.unwrap();
    assert_eq!(kept.map(|entry| entry.value), Some(b"yes".to_vec()));
}

/// A server with a configuration of its own, at a port that is known.
pub(crate) struct Node {
    process: Child,
    port: u16,
}

impl Node {
    /// A port with free ones around it, also for the routes.
    pub(crate) fn free_port() -> u16 {
        let is_free = |port: &u16| (0..3).all(|more| TcpListener::bind(("127.0.0.1", port + more)).is_ok());
        let mut ports =
            std::iter::repeat_with(|| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port());
        ports.find(|port| *port < 60_000 && is_free(port) && is_free(&(port + 2000))).unwrap()
    }

    pub(crate) fn start(program: &Path, folder: &Path, (config, port): (&str, u16)) -> Self {
        let mut command = Command::new(program);
        command.current_dir(folder).args(["-c", config, "-l", &format!("{config}.log")]);
        Self { process: command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap(), port }
    }

    pub(crate) async fn wait(&mut self) {
        while TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
            assert!(self.process.try_wait().unwrap().is_none(), "the server has ended");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops it without ending it, or lets it go on.
    fn signal(&self, signal: Signal) {
        let id = Pid::from_child(&self.process);
        rustix::process::kill_process(id, signal).unwrap();
        if signal == Signal::STOP {
            // On a busy machine it goes on for a while.
            rustix::process::waitpid(Some(id), WaitOptions::UNTRACED).unwrap();
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_lost_is_noticed_and_found_again() {
    let Some(program) = program() else { return };
    let folder = Folder::new("lost");
    let port = Node::free_port();
    let config = format!("listen: \"127.0.0.1:{port}\"\njetstream: {{ store_dir: \"data\" }}\n");
    std::fs::write(folder.0.join("node.conf"), config).unwrap();
    let mut node = Node::start(&program, &folder.0, ("node.conf", port));
    node.wait().await;
    let access = PoolAccess::read(&format!("nats://127.0.0.1:{port}")).unwrap();
    let broker = connect(&access).await.unwrap().tenants.remove(0).broker;
    let queue = Queue { prefix: "any".to_owned() };
    broker.take(&queue, 1, Duration::ZERO).await.unwrap();
    let mut watch = broker.watch(Bucket::Phones, ">").await.unwrap();
    node.signal(Signal::STOP);
    let began = Instant::now();
    let (stored, listed, taken) = tokio::join!(
        store(&*broker, Bucket::Phones, "p.1", "x"),
        broker.list(Bucket::Phones, ">"),
        broker.take(&queue, 1, Duration::from_secs(60)),
    );
    println!("stopped: {stored:?} {listed:?} {taken:?} after {:?}", began.elapsed());
    for error in [stored.unwrap_err(), listed.unwrap_err(), taken.unwrap_err()] {
        assert!(matches!(error, BrokerError::Unavailable(_)), "{error:?}");
    }
    assert!(began.elapsed() < Duration::from_secs(8));
    node.signal(Signal::CONT);
    drop(node);
    let mut node = Node::start(&program, &folder.0, ("node.conf", port));
    node.wait().await;
    let began = Instant::now();
    while store(&*broker, Bucket::Phones, "p.2", "y").await.is_err() {}
    println!("stored again after {:?}", began.elapsed());
    let entry = loop {
        store(&*broker, Bucket::Phones, "p.3", "z").await.unwrap();
        if let Ok(entry) = timeout(Duration::from_millis(500), watch.recv()).await {
            break entry.unwrap();
        }
        assert!(began.elapsed() < Duration::from_secs(40));
    };
    println!("watched again after {:?}: {}", began.elapsed(), entry.key);
    store(&*broker, Bucket::Jobs, "any.1", "x").await.unwrap();
    assert_eq!(broker.take(&queue, 1, Duration::from_secs(5)).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_consumer_is_left_over() {
    let Some(program) = program() else { return };
    let folder = Folder::new("orphans");
    let server = LocalBroker::start(Some(&program), &folder.0).await.unwrap();
    let pool = connect(&PoolAccess::read(server.url()).unwrap()).await.unwrap();
    let broker = &pool.tenants[0].broker;
    for _ in 0..20 {
        broker.list(Bucket::Phones, ">").await.unwrap();
        drop(broker.watch(Bucket::Phones, ">").await.unwrap());
    }
    let client = async_nats::connect(server.url()).await.unwrap();
    let began = Instant::now();
    loop {
        let info = client.request("$JS.API.STREAM.INFO.CW_PHONE", "".into()).await.unwrap();
        let info: serde_json::Value = serde_json::from_slice(&info.payload).unwrap();
        if info["state"]["consumer_count"] == 0 {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{info}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("all consumers are gone after {:?}", began.elapsed());
}
