//! The same on a real server, and what only a real one does: keys, limits, losses.

use crate::broker::{check, store, take};
use crate::plan::Folder;
use clawperator_pool::access::{Connecting, PoolAccess, connect};
use clawperator_pool::broker::{BrokerError, Bucket, Queue};
use clawperator_pool::local::LocalBroker;
use clawperator_pool::{Caller, PoolNews};
use rustix::process::{Pid, Signal, WaitOptions};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The programs to test with: the one that is named, or Debian's, and the newest, which
/// `cargo xtask test` installs.
fn programs() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os("NATS_SERVER") {
        return vec![named.into()];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&path).map(|folder| folder.join("nats-server"));
    let debian = path.chain(["/usr/sbin/nats-server".into()]).find(|program| program.is_file());
    let newest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/foreign/venv/bin/nats-server");
    let found: Vec<_> = debian.into_iter().chain(Some(newest).filter(|program| program.is_file())).collect();
    if found.is_empty() {
        println!("skipped: there is no nats-server here");
    }
    found
}

/// The newest of them.
pub(crate) fn program() -> Option<PathBuf> {
    programs().pop()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_broker_does_what_every_broker_does() {
    for (number, program) in programs().iter().enumerate() {
        a_local_broker_of(program, &Folder::new(&format!("local-{number}"))).await;
    }
}

async fn a_local_broker_of(program: &Path, folder: &Folder) {
    let server = LocalBroker::start(Some(program), &folder.0).await.unwrap();
    let access = PoolAccess::read(server.pool_file.to_str().unwrap()).unwrap();
    let pool = connect(&access, Connecting::Caller).await.unwrap();
    let broker = &pool.tenants[0].account;
    check(&**broker).await;
    // Once more: what is there stays as it is.
    let epoch = broker.epoch().await.unwrap();
    let again = connect(&access, Connecting::Caller).await.unwrap();
    assert_eq!(again.pool.unwrap().epoch().await, Ok(epoch));
    store(&**broker, Bucket::Wishes, "kept", "yes").await.unwrap();
    drop(server);
    let server = LocalBroker::start(Some(program), &folder.0).await.unwrap();
    let pool = connect(&server.access, Connecting::Caller).await.unwrap();
    let kept = pool.tenants[0].account.read(Bucket::Wishes, "kept").await.unwrap();
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
    pub(crate) fn signal(&self, signal: Signal) {
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
    let broker = connect(&access, Connecting::Caller).await.unwrap().tenants.remove(0).account;
    let queue = Queue { prefix: "any".to_owned() };
    broker.take(&queue).await.unwrap();
    let mut watch = broker.watch(Bucket::Phones, ">").await.unwrap();
    let mut news = Caller { account: broker.clone(), seal: None, pool: None }.news(None).await.unwrap();
    node.signal(Signal::STOP);
    let began = Instant::now();
    let (stored, listed, taken) = tokio::join!(
        store(&*broker, Bucket::Phones, "p.1", "x"),
        broker.list(Bucket::Phones, ">"),
        broker.take(&queue),
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
        match timeout(Duration::from_millis(500), watch.recv()).await {
            Ok(Some(entry)) => break entry,
            // It was lost.
            Ok(None) => watch = broker.watch(Bucket::Phones, ">").await.unwrap(),
            Err(_) => {}
        }
        assert!(began.elapsed() < Duration::from_secs(40));
    };
    println!("watched again after {:?}: {}", began.elapsed(), entry.key);
    assert_eq!(timeout(Duration::from_secs(40), news.next()).await.unwrap(), PoolNews::Gap);
    store(&*broker, Bucket::Jobs, "any.1", "x").await.unwrap();
    assert!(take(&*broker, &queue, Duration::from_secs(5)).await.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_with_a_wrong_age_is_mended_and_keeps_its_entries() {
    let Some(program) = program() else { return };
    let folder = Folder::new("mended");
    let server = LocalBroker::start(Some(&program), &folder.0).await.unwrap();
    let client = raw_client(&server).await;
    let ask = async |what: &str, question: String| -> serde_json::Value {
        let answer =
            client.request(format!("$JS.API.STREAM.{what}.CW_LEASE"), question.into()).await.unwrap();
        serde_json::from_slice(&answer.payload).unwrap()
    };
    let config = r#"{"name":"CW_LEASE","subjects":["cw.CW_LEASE.>"],"max_age":120000000000,"max_msgs":7}"#;
    ask("CREATE", config.to_owned()).await;
    client.request("cw.CW_LEASE.p", "x".into()).await.unwrap();
    let pool = connect(&server.access, Connecting::Caller).await.unwrap();
    assert!(pool.tenants[0].account.read(Bucket::Leases, "p").await.unwrap().is_some());
    let info = ask("INFO", String::new()).await;
    assert_eq!(
        (&info["config"]["max_age"], &info["config"]["max_msgs"]),
        (&30_000_000_000_u64.into(), &7.into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_consumer_is_left_over() {
    let Some(program) = program() else { return };
    let folder = Folder::new("orphans");
    let server = LocalBroker::start(Some(&program), &folder.0).await.unwrap();
    let pool = connect(&server.access, Connecting::Caller).await.unwrap();
    let broker = &pool.tenants[0].account;
    for _ in 0..20 {
        broker.list(Bucket::Phones, ">").await.unwrap();
        drop(broker.watch(Bucket::Phones, ">").await.unwrap());
    }
    let client = raw_client(&server).await;
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

/// A client of the server that is not ours.
async fn raw_client(server: &LocalBroker) -> async_nats::Client {
    let file: serde_json::Value = serde_json::from_slice(&std::fs::read(&server.pool_file).unwrap()).unwrap();
    let seed = file["pool"]["seed"].as_str().unwrap().to_owned();
    async_nats::ConnectOptions::with_nkey(seed).connect(file["servers"][0].as_str().unwrap()).await.unwrap()
}
